// The style of the base map: the world, and the streets of the installed regions above it.

import { BOLD, FONT, ITALIC, MEDIUM, byZoom } from "./expressions.js";
import { NAME } from "./language.js";
import { readRelief, reliefLayer, reliefSource } from "./relief.js";
import { PROTOCOL as SEAMLESS, readSeamless } from "./seams.js";
import { PLACES_FROM, streetLabels } from "./street-labels.js";
import { GROUND_FROM, rectangle, streetLayers, surroundings } from "./streets.js";
import { palette } from "./palette.js";

readRelief();
readSeamless();

/** The layer below which overlays above roads and below labels are inserted. */
export const LABELS = "labels";

// The number of zoom levels beyond their last tiles at which pictures show too little for orientation.
const BLUR = 3;

/** True if a source has streets: its layers have the names of OpenMapTiles. */
export const hasStreets = (source) => source.kind === "vector" && source.layers?.includes("transportation");

const isRelief = ({ name, kind }) => name === "relief" && kind === "raster";

/** True if the pictures at a place are too coarse for a zoom level, or if there are none. */
export function isBeyondPictures(sources, { lng, lat }, zoom) {
  const isThere = ({ bounds }) => !bounds || (bounds[0] <= lng && lng <= bounds[2] && bounds[1] <= lat && lat <= bounds[3]);
  const pictures = sources.filter((source) => source.kind === "raster" && !isRelief(source) && isThere(source));
  return zoom >= Math.max(0, ...pictures.map(({ maximumZoom }) => maximumZoom)) + BLUR;
}

/** The MapLibre style for a map type, light or dark, with the program's tile sources. */
export function makeStyle(type, isDark, sources, isBlank = false) {
  const colours = palette(type, isDark);
  const world = sources.find((source) => source.name === "world");
  const relief = sources.find(isRelief);
  const pictures = sources.filter((source) => source.kind === "raster" && !isRelief(source));
  const streets = sources.filter(hasStreets);
  const isImagery = type !== "standard";
  const layers = [background(isImagery ? colours.water : colours.paper)];
  const hasLines = !isBlank && type !== "satellite";
  if (!isBlank) {
    if (isImagery) layers.push(...pictures.map(picture));
    if (world && !isImagery) layers.push(...ground(colours, relief));
    if (world && isImagery) layers.push(...waters(colours));
    if (world && hasLines) layers.push(...lines(colours, isImagery));
    if (hasLines) layers.push(...streetLayers(streets, colours, isImagery));
  }
  layers.push({ id: LABELS, type: "background", layout: { visibility: "none" } });
  // Labels of the last layers are placed first.
  const named = [...world ? labels(colours, streets) : [], ...streetLabels(streets, colours, isImagery)];
  layers.push(...hasLines ? named : named.map(hidden));
  return {
    version: 8,
    name: `${type}${isDark ? " dark" : ""}`,
    transition: { duration: 0, delay: 0 },
    sources: { ...Object.fromEntries(sources.map((source) => [source.name, tiles(source)])), ...surroundings(streets) },
    layers,
  };
}

/** An address of this map's server with its braces, which `URL` would escape. */
export function address(path) {
  return new URL(".", document.baseURI).href + path;
}

function tiles(source) {
  const path = address(`tiles/${encodeURIComponent(source.name)}/{z}/{x}/{y}${source.revision ? `?r=${source.revision}` : ""}`);
  if (isRelief(source)) return reliefSource(source, path);
  // The program's own picture is lossy; others may have tiles of any kind.
  const picture = source.name === "imagery" && source.kind === "raster" ? `${SEAMLESS}://${path}` : path;
  const made = { type: source.kind, tiles: [picture], minzoom: source.minimumZoom, maxzoom: source.maximumZoom };
  if (source.bounds) made.bounds = source.bounds;
  // Vector tiles have a fixed size.
  if (source.kind === "raster") made.tileSize = source.tileSize;
  return made;
}

// A label layer is hidden and not left out: MapLibre 5.24 fails ("Length of new data is …") if a symbol layer is removed
// right after one of its tiles has come, and added again before that tile is laid out again.
const hidden = (layer) => ({ ...layer, layout: { ...layer.layout, visibility: "none" } });

const background = (colour) => ({ id: "background", type: "background", paint: { "background-color": colour } });

const picture = (source) => ({
  id: `picture:${source.name}`, type: "raster", source: source.name,
  paint: { "raster-fade-duration": 150, "raster-saturation": 0.08, "raster-contrast": 0.04 },
});

function ground(colours, relief) {
  return [
    // Where no tile has come yet there is neither land nor sea.
    { id: "ocean", type: "fill", source: "world", "source-layer": "ocean", paint: { "fill-color": colours.water, "fill-antialias": false } },
    // Shallow water along the coasts. Wider lines would show the cut edges of the tiles.
    { id: "shelf", type: "line", source: "world", "source-layer": "shore", maxzoom: 7,
      layout: { "line-join": "round" },
      paint: { "line-color": colours.shelf, "line-width": byZoom(0, 3, 3, 8, 7, 14), "line-blur": byZoom(0, 2, 3, 5, 7, 9),
        "line-opacity": byZoom(5, 1, 7, 0) } },
    { id: "land", type: "fill", source: "world", "source-layer": "shore", paint: { "fill-color": colours.land } },
    ...relief ? [reliefLayer(relief.name, GROUND_FROM)] : [],
    { id: "lake", type: "fill", source: "world", "source-layer": "lake", paint: { "fill-color": colours.water } },
    { id: "lake-island", type: "fill", source: "world", "source-layer": "island", paint: { "fill-color": colours.land } },
    { id: "river", type: "line", source: "world", "source-layer": "river", minzoom: 4, layout: { "line-join": "round", "line-cap": "round" },
      paint: { "line-color": colours.waterway, "line-width": byZoom(4, ["match", ["get", "level"], 2, 0.3, 0.6], 8, ["match", ["get", "level"], 2, 1, 1.6], 12, 2.4),
        "line-opacity": byZoom(4, 0.5, 6, 0.9) } },
  ];
}

/** Lakes and rivers over images, where these become too coarse to show them. */
function waters(colours) {
  const fades = ["interpolate", ["linear"], ["zoom"], 5, 0, 8, 0.75];
  return [
    { id: "lake", type: "fill", source: "world", "source-layer": "lake", minzoom: 5, paint: { "fill-color": colours.waterway, "fill-opacity": fades } },
    { id: "river", type: "line", source: "world", "source-layer": "river", minzoom: 5, layout: { "line-join": "round", "line-cap": "round" },
      paint: { "line-color": colours.waterway, "line-width": byZoom(5, 0.5, 12, 2.4), "line-opacity": fades } },
    { id: "coast", type: "line", source: "world", "source-layer": "shore", minzoom: 6, layout: { "line-join": "round" },
      paint: { "line-color": colours.sea, "line-width": byZoom(6, 0.4, 12, 1.2), "line-opacity": ["interpolate", ["linear"], ["zoom"], 6, 0, 8, 0.6] } },
  ];
}

function lines(colours, isImagery) {
  const line = (id, layer, paint, more = {}) => ({
    id, type: "line", source: "world", "source-layer": layer, maxzoom: 12,
    layout: { "line-join": "round", "line-cap": "round" }, paint: { "line-color": colours.border, ...paint }, ...more,
  });
  return [
    line("state", "state", { "line-color": colours.state, "line-width": byZoom(4, 0.5, 9, 1.4), "line-dasharray": [3, 2],
      "line-opacity": byZoom(4, 0, 4.6, 1, 10, 1, 12, 0) }, { minzoom: 4 }),
    line("border", "border", { "line-width": byZoom(1, 0.6, 4, 1, 9, 2.2), "line-opacity": byZoom(0, isImagery ? 0.5 : 0.7, 10, 1, 12, 0) },
      { filter: ["!", ["has", "disputed"]] }),
    line("disputed", "border", { "line-width": byZoom(1, 0.5, 4, 0.9, 9, 2), "line-dasharray": [2, 2],
      "line-opacity": byZoom(10, 1, 12, 0) }, { filter: ["has", "disputed"] }),
  ];
}

function labels(colours, streets) {
  const label = (id, layer, layout, paint, more = {}) => ({
    id, type: "symbol", source: "world", "source-layer": layer,
    layout: { "text-field": NAME, "text-font": FONT, "text-padding": 3, ...layout },
    paint: { "text-color": colours.text, "text-halo-color": colours.halo, "text-halo-width": 1.4, "text-halo-blur": 0.4, ...paint },
    ...more,
  });
  const shown = (...more) => ["all", ["<=", ["get", "rank"], ["zoom"]], ...more];
  // Regions have labels of their own.
  const isElsewhere = streets.flatMap(({ areas }) => areas).map((area) => ["!", ["within", rectangle(area)]]);
  const isCapital = ["has", "capital"];
  const townSize = ["interpolate", ["linear"], ["zoom"],
    2, ["-", 13.5, ["*", 0.7, ["get", "rank"]]], 6, ["-", 16, ["*", 0.85, ["get", "rank"]]], 11, ["-", 23, ["*", 1.2, ["get", "rank"]]]];
  const important = { "symbol-sort-key": ["get", "rank"] };
  const byImportance = (greatest, least) => ["interpolate", ["linear"], ["get", "importance"], 2, greatest, 7, least];
  return [
    label("sea", "sea", { "text-font": ITALIC, "text-size": ["interpolate", ["linear"], ["zoom"], 1, ["-", 12.5, ["get", "rank"]], 7, ["-", 20, ["get", "rank"]]],
      "text-letter-spacing": 0.12, "text-max-width": 6, "symbol-sort-key": ["get", "rank"] },
    { "text-color": colours.sea, "text-halo-width": 0 }, { maxzoom: 9, filter: shown([">", ["coalesce", ["get", "until"], 99], ["zoom"]]) }),
    // From the level on at which regions name their lakes, the world does not within them.
    label("lake-name", "lake_label", { "text-font": ITALIC, "text-size": ["interpolate", ["linear"], ["zoom"], 3, byImportance(10, 9), 10, byImportance(15, 11)],
      "text-max-width": 6, "text-padding": 8, "symbol-sort-key": ["get", "importance"] },
    { "text-color": colours.sea, "text-halo-width": 0 }, { minzoom: 3, maxzoom: 13, filter: shown(["any", ["<", ["zoom"], GROUND_FROM], ["all", ...isElsewhere]]) }),
    label("place", "place", { "text-size": townSize, "text-max-width": 8, ...important },
      {}, { minzoom: PLACES_FROM, filter: shown(...isElsewhere) }),
    // At small scales a dot marks the town, whose label extends over half a country.
    label("town", "place", { "text-font": ["case", isCapital, ["literal", MEDIUM], ["literal", FONT]], "text-size": townSize, "text-max-width": 8,
      "icon-image": ["case", isCapital, "capital", "town"], "text-variable-anchor": ["left", "right", "bottom", "top"],
      "text-radial-offset": 0.45, "text-justify": "auto", ...important },
    {}, { minzoom: 2, maxzoom: PLACES_FROM, filter: shown() }),
    label("country-name", "country_label", { "text-field": ["upcase", NAME], "text-font": BOLD, "text-letter-spacing": 0.06, "text-max-width": 7,
      "text-size": ["interpolate", ["linear"], ["zoom"], 1, byImportance(10, 8.5), 3, byImportance(13, 9.5), 6, byImportance(19, 12)],
      // Where neighbours have little room, a name moves up or down a little rather than give way to that of a smaller country.
      "text-padding": 1, "text-variable-anchor": ["center", "bottom", "top"], "text-radial-offset": 0.2,
      "symbol-sort-key": ["+", ["*", 10, ["get", "importance"]], ["get", "rank"]] },
    { "text-color": colours.country }, { maxzoom: 7.5, filter: shown() }),
  ];
}
