// Streets and land, from tiles with the layers of the OpenMapTiles schema.
//
// Each layer is drawn for all sources with streets before the next layer, so that overlapping regions blend.

import { byZoom } from "./expressions.js";

/** The zoom level from which the land of a region replaces that of the world map. */
export const GROUND_FROM = 8;
// An image with this number of levels more than the world's own is detailed, and is not painted over.
const SHARP_PICTURE = 10;

const is = (key, ...values) => ["in", ["get", key], ["literal", values]];
const not = (expression) => ["!", expression];
const classOf = (table, other) => ["match", ["get", "class"], ...Object.entries(table).flat(), other];
const isLine = ["==", ["geometry-type"], "LineString"];
const isArea = ["==", ["geometry-type"], "Polygon"];

const ROADS = ["motorway", "trunk", "primary", "secondary", "tertiary", "minor", "service", "busway", "raceway"];
const isRoad = ["all", isLine, is("class", ...ROADS)];
const isRamp = ["==", ["to-number", ["get", "ramp"], 0], 1];
// The zoom level at which a class appears, if the tiles have it earlier.
const ROAD_FROM = { motorway: 5, trunk: 5, primary: 7, secondary: 9, tertiary: 10, minor: 12, service: 13, busway: 13, raceway: 13 };
const isInTime = [">=", ["zoom"], classOf(ROAD_FROM, 13)];
/** Major roads are above minor ones, and higher structures above lower ones. */
const roadOrder = ["+", ["*", 10, ["to-number", ["get", "layer"], 0]], classOf({ motorway: 9, trunk: 8, primary: 7, secondary: 6, tertiary: 5, minor: 4, busway: 3, service: 2, raceway: 2 }, 1)];

// Widths in pixels at zoom levels 6, 9, 12, 14, 16, 18 and 20.
const WIDTHS = {
  motorway: [1.2, 2.2, 4.4, 7.2, 14, 30, 90], trunk: [1, 2, 4, 6.6, 13, 28, 84], primary: [0.6, 1.5, 3.4, 6, 12.5, 27, 80], secondary: [0.4, 1, 2.6, 5, 11.5, 25, 74],
  tertiary: [0.3, 0.7, 2, 4.4, 10.5, 24, 70], minor: [0.2, 0.4, 1, 3, 9, 22, 66], service: [0.1, 0.2, 0.5, 1.5, 4.5, 12, 36],
};
const LEVELS = [6, 9, 12, 14, 16, 18, 20];
const width = (more = [0, 0, 0, 0, 0, 0, 0]) => byZoom(...LEVELS.flatMap((level, index) => {
  const rows = Object.entries(WIDTHS).map(([name, row]) => [name, row[index] + more[index]]);
  const other = WIDTHS.service[index] + more[index];
  // A slip road is narrower than the road that it leads to.
  return [level, ["*", classOf(Object.fromEntries(rows), other), ["case", isRamp, 0.62, 1]]];
}));
const CASING = [0, 0.8, 1.6, 1.8, 2.2, 2.8, 4];

/** The layers of land and of the features on it, from bottom to top, for one map type. */
export function streetLayers(sources, colours, isImagery) {
  const layers = [];
  const add = (id, type, layer, rest) => {
    for (const source of sources) {
      if (source.layers.includes(layer)) layers.push({ id: named(id, source), type, source: source.name, "source-layer": layer, ...rest });
    }
  };
  ground(add, sources, layers, colours, isImagery);
  const bands = ["tunnel", "ground", "bridge"];
  for (const band of bands) roads(add, band, colours, isImagery);
  above(add, colours);
  return layers;
}

/** Layers of the source `streets` are named without the source. */
export const named = (id, source) => (source.name === "streets" ? id : `${id}@${source.name}`);

function ground(add, sources, layers, colours, isImagery) {
  // Above an image the land fades in where the image has no more detail.
  const fades = isImagery ? ["interpolate", ["linear"], ["zoom"], SHARP_PICTURE, 0, SHARP_PICTURE + 2.5, 0.62] : 1;
  const fill = (id, layer, colour, rest = {}, paint = {}) => add(id, "fill", layer, {
    minzoom: isImagery ? SHARP_PICTURE : GROUND_FROM, filter: isArea, ...rest,
    paint: { "fill-color": colour, "fill-opacity": fades, ...paint },
  });
  if (!isImagery) {
    for (const source of sources.filter(hasAreas)) {
      layers.push({ id: named("floor", source), type: "fill", source: surroundingsOf(source), minzoom: GROUND_FROM, filter: isArea, paint: { "fill-color": colours.land, "fill-antialias": false } });
    }
    fill("ground", "land", colours.land, {}, { "fill-antialias": false });
  }
  // The world beside a region has no such ground, and the tiles have most of it from one level on: it appears little by little.
  const cover = classOf(colours.ground, "transparent");
  fill("built", "landuse", cover, { filter: ["all", isArea, is("class", "residential", "commercial", "retail", "industrial", "railway", "suburb", "neighbourhood", "quarter")] },
    isImagery ? {} : { "fill-opacity": ["interpolate", ["linear"], ["zoom"], GROUND_FROM, 0, GROUND_FROM + 1, 0.1, 10.5, 0.6, 12, 1] });
  fill("cover", "landcover", cover, {},
    isImagery ? {} : { "fill-opacity": ["interpolate", ["linear"], ["zoom"], GROUND_FROM, 0, GROUND_FROM + 1, 0.3, 10.5, 0.85, 12, 1] });
  fill("use", "landuse", cover, { minzoom: 11, filter: ["all", isArea, not(is("class", "residential", "commercial", "retail", "industrial", "railway", "suburb", "neighbourhood", "quarter"))] });
  // A reserve may be half a country: its border suffices.
  add("reserve", "fill", "park", { minzoom: 8, filter: isArea, paint: { "fill-color": colours.parkEdge, "fill-opacity": isImagery ? 0 : 0.07 } });
  add("reserve-edge", "line", "park", { minzoom: 9, filter: isArea,
    paint: { "line-color": colours.parkEdge, "line-width": byZoom(9, 0.6, 14, 1.6), "line-opacity": 0.45, "line-dasharray": [4, 2] } });
  if (!isImagery) {
    for (const source of sources.filter(hasAreas)) layers.push(...fading(source, colours));
  }
  // The centre line of a river is below its area, which hides it.
  add("waterway", "line", "waterway", { minzoom: 8, filter: ["all", isLine, ["!=", ["get", "brunnel"], "tunnel"]],
    layout: { "line-cap": "round", "line-join": "round" },
    paint: { "line-color": colours.waterway, "line-opacity": isImagery ? 0.75 : 1,
      "line-width": byZoom(8, classOf({ river: 0.9 }, 0.2), 12, classOf({ river: 2, canal: 1.6 }, 0.7), 16, classOf({ river: 6, canal: 5, stream: 2.4 }, 1.4), 20, classOf({ river: 24, canal: 20 }, 8)) } });
  fill("water-area", "water", colours.water, { filter: ["all", isArea, ["!=", ["get", "brunnel"], "tunnel"]] },
    isImagery ? { "fill-opacity": ["interpolate", ["linear"], ["zoom"], SHARP_PICTURE, 0, SHARP_PICTURE + 2.5, 0.85] } : { "fill-antialias": true });
  fill("apron", "aeroway", colours.runway, { minzoom: 10, filter: ["all", isArea, not(is("class", "aerodrome"))] });
  fill("airfield", "aeroway", colours.runway, { minzoom: 10, filter: ["all", isArea, is("class", "aerodrome")] }, { "fill-opacity": 0.3 });
  add("runway", "line", "aeroway", { minzoom: 10, filter: isLine,
    paint: { "line-color": colours.runway, "line-width": byZoom(10, classOf({ runway: 1.6 }, 0.6), 14, classOf({ runway: 12 }, 3), 18, classOf({ runway: 110 }, 30)) } });
  fill("pier", "transportation", colours.pier, { minzoom: 13, filter: ["all", isArea, is("class", "pier")] });
  fill("square", "transportation", colours.ground.pedestrian, { minzoom: 13, filter: ["all", isArea, not(is("class", "pier"))] });
  add("pier-line", "line", "transportation", { minzoom: 13, filter: ["all", isLine, is("class", "pier")],
    paint: { "line-color": colours.pier, "line-width": byZoom(13, 1, 16, 5, 20, 40) } });
  add("building", "fill", "building", { minzoom: 13, filter: isArea,
    paint: { "fill-color": colours.building, "fill-outline-color": colours.buildingEdge, "fill-opacity": ["interpolate", ["linear"], ["zoom"], 13, 0.25, 14.5, isImagery ? 0.6 : 1] } });
}

function roads(add, band, colours, isImagery) {
  const isBand = { tunnel: is("brunnel", "tunnel"), bridge: is("brunnel", "bridge"), ground: not(is("brunnel", "tunnel", "bridge")) }[band];
  const isTunnel = band === "tunnel";
  const id = (name) => (band === "ground" ? name : `${name}-${band}`);
  const fades = isTunnel ? colours.road.tunnel : isImagery ? 0.88 : 1;
  const line = (name, filter, rest, layout = {}) => add(id(name), "line", "transportation", {
    ...rest, filter: ["all", isBand, ...filter], layout: { "line-join": "round", "line-cap": band === "ground" ? "round" : "butt", ...layout } });
  const sorted = { "line-sort-key": roadOrder };
  const colour = (table) => classOf({ motorway: table.motorway, trunk: table.trunk, primary: table.primary, secondary: table.secondary }, table.other);

  // Footways are below roads, which stay whole at crossings.
  if (band === "bridge") line("path-casing", [isLine, is("class", "path", "track")], { minzoom: 15, paint: { "line-color": colours.casing.other, "line-width": byZoom(15, 3, 18, 7) } });
  line("track", [isLine, is("class", "track")], { minzoom: 12.5, paint: { "line-color": colours.track, "line-opacity": fades, "line-width": byZoom(12.5, 0.6, 15, 1.4, 18, 3.6), "line-dasharray": [5, 1.8] } }, { "line-cap": "butt" });
  const kind = (...subclasses) => is("subclass", ...subclasses);
  line("path", [isLine, is("class", "path"), not(kind("steps", "cycleway", "pedestrian"))],
    { minzoom: 13, paint: { "line-color": colours.path, "line-opacity": fades, "line-width": byZoom(13, 0.7, 16, 1.5, 18, 2.6), "line-dasharray": [2.4, 1.6] } }, { "line-cap": "butt" });
  line("cycleway", [isLine, is("class", "path"), kind("cycleway")],
    { minzoom: 13, paint: { "line-color": colours.cycleway, "line-opacity": fades, "line-width": byZoom(13, 0.8, 16, 1.6, 18, 2.8), "line-dasharray": [3.5, 1.5] } }, { "line-cap": "butt" });
  line("steps", [isLine, is("class", "path"), kind("steps")],
    { minzoom: 15, paint: { "line-color": colours.steps, "line-opacity": fades, "line-width": byZoom(15, 2, 18, 6), "line-dasharray": [0.4, 0.35] } }, { "line-cap": "butt" });
  line("mall-casing", [isLine, kind("pedestrian")], { minzoom: 13, paint: { "line-color": colours.casing.other, "line-width": byZoom(13, 2.2, 16, 9, 18, 18) } });
  line("mall", [isLine, kind("pedestrian")], { minzoom: 13, paint: { "line-color": colours.ground.pedestrian, "line-width": byZoom(13, 1.2, 16, 7.4, 18, 16) } });

  line("road-casing", [isRoad, isInTime], { minzoom: 7, paint: {
    "line-color": colour(colours.casing), "line-width": width(CASING), ...(isTunnel ? { "line-dasharray": [1.6, 1], "line-opacity": 0.6 } : {}),
    ...(!isTunnel && isImagery ? { "line-opacity": 0.7 } : {}),
  } }, { ...sorted, "line-cap": "butt" });
  line("road", [isRoad, isInTime], { minzoom: 5, paint: { "line-color": colour(colours.road), "line-width": width(), "line-opacity": fades } }, sorted);
  const isRail = ["all", isLine, is("class", "rail", "transit")];
  const railColour = classOf({ rail: colours.rail }, colours.transit);
  const isMain = not(["has", "service"]);
  // Trams run in streets, whose kind must stay visible.
  const rails = (main, aside, tram) => ["case", kind("tram"), tram, isMain, main, aside];
  line("rail", [isRail, ["any", isMain, [">=", ["zoom"], 14]]], { minzoom: 9, paint: {
    "line-color": railColour, "line-opacity": isTunnel ? 0.4 : ["case", kind("tram"), 0.6, 1],
    "line-width": byZoom(9, 0.7, 13, rails(1.4, 0.9, 0.7), 16, rails(2.6, 1.6, 1), 18, rails(4.5, 3, 1.8), 20, rails(9, 6, 3)) } }, { "line-cap": "butt" });
  line("rail-dash", [isLine, is("class", "rail"), isMain], { minzoom: 13, paint: { "line-color": colours.railDash, "line-opacity": isTunnel ? 0.4 : 1,
    "line-width": byZoom(13, 0.7, 16, 1.5, 18, 2.8, 20, 6), "line-dasharray": [6, 6] } }, { "line-cap": "butt" });
}

function above(add, colours) {
  add("ferry", "line", "transportation", { minzoom: 8, filter: ["all", isLine, is("class", "ferry")],
    paint: { "line-color": colours.ferry, "line-width": byZoom(8, 0.8, 14, 1.6), "line-dasharray": [5, 4] } });
  add("cable", "line", "transportation", { minzoom: 12, filter: ["all", isLine, is("class", "aerialway")],
    paint: { "line-color": colours.aerial, "line-width": byZoom(12, 0.8, 16, 2), "line-dasharray": [8, 1, 1, 1] } });
  const level = ["to-number", ["get", "admin_level"], 99];
  const onLand = ["!=", ["to-number", ["get", "maritime"], 0], 1];
  const border = (id, filter, minzoom, paint) => add(id, "line", "boundary", { minzoom, filter: ["all", onLand, filter], layout: { "line-join": "round" }, paint: { "line-color": colours.boundary, ...paint } });
  border("border-local", ["all", [">", level, 4], ["<=", level, 8]], 11, { "line-opacity": 0.5, "line-width": byZoom(11, 0.6, 16, 1.4), "line-dasharray": [3, 2.5] });
  border("border-state", is("admin_level", 3, 4), GROUND_FROM, { "line-opacity": 0.75, "line-width": byZoom(8, 0.8, 14, 1.8), "line-dasharray": [5, 2, 1.5, 2] });
  border("border-glow", ["<=", level, 2], GROUND_FROM, { "line-opacity": 0.18, "line-width": byZoom(8, 4, 14, 9) });
  border("border-country", ["<=", level, 2], GROUND_FROM, { "line-width": byZoom(8, 1.2, 14, 2.4) });
}

/** The name of the source with the areas of a source's regions, and with the edges of these. */
const surroundingsOf = (source) => `areas:${source.name}`;

const hasAreas = ({ areas }) => areas.length > 0;

/**
 * The areas of regions, as polygons, and their common outline, as lines with the areas on their right.
 *
 * The polygons cover what the world map has there: land without a coast in the extract, borders, lakes and rivers, which
 * the region has more exactly.
 */
export const surroundings = (sources) => Object.fromEntries(sources.filter(hasAreas).map((source) => {
  const feature = (geometry) => ({ type: "Feature", properties: {}, geometry });
  const features = [...source.areas.map(rectangle), { type: "MultiLineString", coordinates: outline(source.areas) }].map(feature);
  return [surroundingsOf(source), { type: "geojson", data: { type: "FeatureCollection", features } }];
}));

// The steps in which land use fades towards the edge of a region, from the edge inwards, with the opacity of the plain land.
const STEPS = [1, 0.85, 0.65, 0.45, 0.28, 0.14];

/** Layers that let the land use of a region end gradually. Waters and streets lie above them. */
function fading(source, colours) {
  return STEPS.map((opacity, index) => ({
    id: named(`edge-${index}`, source), type: "line", source: surroundingsOf(source), minzoom: GROUND_FROM, filter: isLine, layout: { "line-cap": "butt" },
    paint: { "line-color": colours.land, "line-opacity": opacity, "line-width": byZoom(8, 1.5, 14, 7), "line-offset": byZoom(8, 1.5 * (index + 0.5), 14, 7 * (index + 0.5)) },
  }));
}

/** The parts of the boxes' edges that do not lie in another box, clockwise. */
export function outline(areas) {
  return areas.flatMap(([west, south, east, north], index) => {
    const others = areas.filter((_, other) => other !== index);
    const level = (y, from, to) => remaining([from, to], others.filter((box) => box[1] <= y && y <= box[3]).map((box) => [box[0], box[2]]))
      .map((ends) => ends.map((x) => [x, y]));
    const upright = (x, from, to) => remaining([from, to], others.filter((box) => box[0] <= x && x <= box[2]).map((box) => [box[1], box[3]]))
      .map((ends) => ends.map((y) => [x, y]));
    return [...level(north, west, east), ...upright(east, north, south), ...level(south, east, west), ...upright(west, south, north)];
  });
}

/** What is left of a range, which may run downwards, without some others. */
function remaining([from, to], others) {
  const isDown = from > to;
  let parts = [[Math.min(from, to), Math.max(from, to)]];
  for (const [first, last] of others) {
    parts = parts.flatMap(([start, end]) => [[start, Math.min(end, first)], [Math.max(start, last), end]].filter(([a, b]) => a < b));
  }
  return isDown ? parts.map(([a, b]) => [b, a]).reverse() : parts;
}

/** The polygon of a box. */
export const rectangle = ([west, south, east, north]) =>
  ({ type: "Polygon", coordinates: [[[west, south], [east, south], [east, north], [west, north], [west, south]]] });
