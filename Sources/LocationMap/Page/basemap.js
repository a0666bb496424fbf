// The style of the base map: the world, and the streets of the installed regions above it.

import { BOLD, FONT, ITALIC, byZoom } from "./expressions.js";
import { PLACES_FROM, streetLabels } from "./street-labels.js";
import { floors, rectangle, streetLayers } from "./streets.js";
import { palette } from "./palette.js";

/** The layer below which overlays above roads and below labels are inserted. */
export const LABELS = "labels";

/** True if a source has streets: its layers have the names of OpenMapTiles. */
export const hasStreets = (source) => source.kind === "vector" && source.layers?.includes("transportation");

/** The MapLibre style for a map type, light or dark, with the program's tile sources. */
export function makeStyle(type, isDark, sources, isBlank = false) {
  const colours = palette(type, isDark);
  const world = sources.find((source) => source.name === "world");
  const pictures = sources.filter((source) => source.kind === "raster");
  const streets = sources.filter(hasStreets);
  const isImagery = type !== "standard";
  const layers = [background(isBlank && !isImagery ? (isDark ? "#1d1f23" : "#ece9e2") : colours.water)];
  const hasLines = !isBlank && type !== "satellite";
  if (!isBlank) {
    if (isImagery) layers.push(...pictures.map(picture));
    if (world && !isImagery) layers.push(...ground(colours));
    if (world && hasLines) layers.push(...lines(colours, isImagery));
    if (hasLines) layers.push(...streetLayers(streets, colours, isImagery));
  }
  layers.push({ id: LABELS, type: "background", layout: { visibility: "none" } });
  if (hasLines) {
    // Labels of the last layers are placed first.
    if (world) layers.push(...labels(colours, streets));
    layers.push(...streetLabels(streets, colours, isImagery));
  }
  return {
    version: 8,
    name: `${type}${isDark ? " dark" : ""}`,
    transition: { duration: 0, delay: 0 },
    sources: { ...Object.fromEntries(sources.map((source) => [source.name, tiles(source)])), ...floors(streets) },
    layers,
  };
}

/** An address of this map's server with its braces, which `URL` would escape. */
export function address(path) {
  return new URL(".", document.baseURI).href + path;
}

function tiles(source) {
  const made = { type: source.kind, tiles: [address(`tiles/${encodeURIComponent(source.name)}/{z}/{x}/{y}${source.revision ? `?r=${source.revision}` : ""}`)], minzoom: source.minimumZoom, maxzoom: source.maximumZoom };
  if (source.bounds) made.bounds = source.bounds;
  // Vector tiles have a fixed size.
  if (source.kind === "raster") made.tileSize = source.tileSize;
  return made;
}

const background = (colour) => ({ id: "background", type: "background", paint: { "background-color": colour } });

const picture = (source) => ({
  id: `picture:${source.name}`, type: "raster", source: source.name,
  paint: { "raster-fade-duration": 150, "raster-saturation": 0.08, "raster-contrast": 0.04 },
});

function ground(colours) {
  return [
    // Shallow water along the coasts. Wider lines would show the cut edges of the tiles.
    { id: "shelf", type: "line", source: "world", "source-layer": "country", maxzoom: 7,
      layout: { "line-join": "round" },
      paint: { "line-color": colours.shelf, "line-width": byZoom(0, 3, 3, 8, 7, 14), "line-blur": byZoom(0, 2, 3, 5, 7, 9),
        "line-opacity": byZoom(5, 1, 7, 0) } },
    { id: "land", type: "fill", source: "world", "source-layer": "country", paint: { "fill-color": colours.land } },
    { id: "lake", type: "fill", source: "world", "source-layer": "lake", paint: { "fill-color": colours.water } },
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
    line("border", "border", { "line-width": byZoom(1, 0.6, 4, 1, 9, 2.2), "line-opacity": byZoom(0, isImagery ? 0.5 : 0.7, 10, 1, 12, 0) }),
    line("disputed", "disputed", { "line-width": byZoom(1, 0.5, 4, 0.9, 9, 2), "line-dasharray": [2, 2],
      "line-opacity": byZoom(10, 1, 12, 0) }),
  ];
}

function labels(colours, streets) {
  const label = (id, layer, layout, paint, more = {}) => ({
    id, type: "symbol", source: "world", "source-layer": layer,
    layout: { "text-field": ["get", "name"], "text-font": FONT, "text-padding": 3, ...layout },
    paint: { "text-color": colours.text, "text-halo-color": colours.halo, "text-halo-width": 1.4, "text-halo-blur": 0.4, ...paint },
    ...more,
  });
  const shown = (...more) => ["all", ["<=", ["get", "rank"], ["zoom"]], ...more];
  // Regions have labels of their own.
  const isElsewhere = streets.flatMap(({ areas }) => areas).map((area) => ["!", ["within", rectangle(area)]]);
  const isCapital = ["has", "capital"];
  const townSize = ["interpolate", ["linear"], ["zoom"],
    2, ["-", 13.5, ["*", 0.7, ["get", "rank"]]], 6, ["-", 16, ["*", 0.85, ["get", "rank"]]], 11, ["-", 23, ["*", 1.2, ["get", "rank"]]]];
  const important = { "symbol-sort-key": ["-", 0, ["get", "population"]] };
  return [
    label("sea", "sea", { "text-font": ITALIC, "text-size": ["interpolate", ["linear"], ["zoom"], 1, ["-", 13, ["get", "rank"]], 7, ["-", 20, ["get", "rank"]]],
      "text-letter-spacing": 0.12, "text-max-width": 6, "symbol-sort-key": ["get", "rank"] },
    { "text-color": colours.sea, "text-halo-width": 0 }, { maxzoom: 9 }),
    label("lake-name", "lake", { "text-font": ITALIC, "text-size": 11, "text-max-width": 6, "text-padding": 8 },
      { "text-color": colours.sea, "text-halo-width": 0 }, { minzoom: 6, maxzoom: 13, filter: ["has", "name"] }),
    label("place", "place", { "text-size": townSize, "text-max-width": 8, ...important },
      {}, { minzoom: PLACES_FROM, filter: shown(...isElsewhere) }),
    // At small scales a dot marks the town, whose label extends over half a country.
    label("town", "place", { "text-font": ["case", isCapital, ["literal", BOLD], ["literal", FONT]], "text-size": townSize, "text-max-width": 8,
      "icon-image": ["case", isCapital, "capital", "town"], "text-variable-anchor": ["left", "right", "bottom", "top"],
      "text-radial-offset": 0.45, "text-justify": "auto", ...important },
    {}, { minzoom: 2, maxzoom: PLACES_FROM, filter: shown() }),
    label("country-name", "country_label", { "text-field": ["upcase", ["get", "name"]], "text-font": BOLD, "text-letter-spacing": 0.1, "text-max-width": 7,
      "text-size": ["interpolate", ["linear"], ["zoom"], 1, 9, 3, ["interpolate", ["linear"], ["get", "area"], 1, 9, 300, 13], 6, ["interpolate", ["linear"], ["get", "area"], 1, 11, 300, 18]],
      "text-padding": 6, "symbol-sort-key": ["-", 0, ["get", "area"]] },
    { "text-color": colours.country }, { maxzoom: 7.5 }),
  ];
}
