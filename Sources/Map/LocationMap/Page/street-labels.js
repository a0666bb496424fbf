// The labels of streets, waters, places and points of interest, from tiles with the layers of the OpenMapTiles schema.

import { BOLD, FONT, ITALIC, MEDIUM, byZoom, evenly } from "./expressions.js";
import { NAME, SIGN } from "./language.js";
import { image, isShown, order, colour as pointColour } from "./points.js";
import { named } from "./streets.js";

/** The zoom level from which regions label their places, and the world map does not within them. */
export const PLACES_FROM = 7.5;

const is = (key, ...values) => ["in", ["get", key], ["literal", values]];
const number = (key, other) => ["to-number", ["get", key], other];
const classOf = (table, other) => ["match", ["get", "class"], ...Object.entries(table).flat(), other];
const isPoint = ["==", ["geometry-type"], "Point"];
const isLine = ["==", ["geometry-type"], "LineString"];
const hasName = ["!=", NAME, ""];
const hasSign = ["!=", SIGN, ""];

// The first of "A 13;E 43".
const ref = ["let", "ref", ["to-string", ["get", "ref"]], "end", ["index-of", ";", ["to-string", ["get", "ref"]]],
  ["case", [">", ["var", "end"], 0], ["slice", ["var", "ref"], 0, ["var", "end"]], ["var", "ref"]]];

/** The layers of labels, from the lowest priority to the highest: MapLibre places the last layers first. */
export function streetLabels(sources, colours, isImagery) {
  const layers = [];
  const add = (id, layer, layout, paint, rest = {}) => {
    for (const source of sources) {
      if (!source.layers.includes(layer)) continue;
      layers.push({
        id: named(id, source), type: "symbol", source: source.name, "source-layer": layer, ...rest,
        layout: { "text-font": FONT, "text-field": NAME, "text-max-width": 8, "text-padding": 3, ...layout },
        paint: { "text-color": colours.text, "text-halo-color": colours.halo, "text-halo-width": 1.5, "text-halo-blur": 0.3, ...paint },
      });
    }
  };
  numbersAndArrows(add, colours, isImagery);
  points(add, colours);
  waters(add, colours);
  roadNames(add, colours);
  places(add, colours);
  return layers;
}

function numbersAndArrows(add, colours, isImagery) {
  add("oneway", "transportation", {
    "text-field": "", "symbol-placement": "line", "symbol-spacing": 140, "icon-image": "arrow", "icon-rotation-alignment": "map", "icon-padding": 8,
    "icon-size": byZoom(15.5, 0.7, 18, 1.1), "icon-rotate": ["case", ["==", ["get", "oneway"], -1], 180, 0],
  }, { "icon-opacity": isImagery ? 0.7 : 0.75 }, { minzoom: 15.5, filter: ["all", isLine, is("oneway", 1, -1, true), is("class", "motorway", "trunk", "primary", "secondary", "tertiary", "minor", "service")] });
  add("house", "housenumber", { "text-field": ["to-string", ["get", "housenumber"]], "text-size": evenly(16, 9, 19, 12.5), "text-padding": 0,
    "text-variable-anchor": ["center", "top", "bottom", "left", "right"], "text-radial-offset": 0.4 },
  { "text-color": colours.houseText, "text-halo-width": 1.1 }, { minzoom: 16 });
}

function points(add, colours) {
  const isStop = is("subclass", "bus_stop", "tram_stop", "subway_entrance");
  add("point", "poi", {
    "text-field": ["step", ["zoom"], ["case", isStop, "", NAME], 17, NAME],
    "icon-image": image, "icon-size": evenly(12, 0.85, 16, ["case", isStop, 0.72, 1], 18, ["case", isStop, 0.9, 1]), "icon-padding": 3,
    "text-size": evenly(13, 11, 17, 12.5), "text-font": MEDIUM, "text-variable-anchor": ["top", "left", "right", "bottom"], "text-radial-offset": 0.95, "text-justify": "auto",
    "text-optional": true, "symbol-sort-key": order, "text-max-width": 9, "text-padding": 4,
  }, { "text-color": pointColour(colours.poi) }, { minzoom: 12, filter: ["all", isPoint, isShown] });
  add("peak", "mountain_peak", {
    "icon-image": "peak", "text-field": ["case", ["has", "ele"], ["concat", NAME, "\n", ["to-string", ["round", number("ele", 0)]], " m"], NAME],
    "text-size": 11, "text-anchor": "top", "text-offset": [0, 0.55], "text-optional": true, "symbol-sort-key": ["-", 0, number("ele", 0)],
  }, { "text-color": colours.peakText }, { minzoom: 10.5, filter: ["all", isPoint, ["any", hasName, ["has", "ele"]]] });
  add("park-name", "park", { "text-size": evenly(11, 10.5, 16, 13), "text-font": ITALIC, "symbol-sort-key": number("rank", 9) },
    { "text-color": colours.parkText }, { minzoom: 11, filter: ["all", isPoint, hasName] });
}

function waters(add, colours) {
  const blue = { "text-color": colours.waterText };
  add("waterway-name", "waterway", { "symbol-placement": "line", "symbol-spacing": 420, "text-font": ITALIC, "text-size": evenly(11, 10.5, 16, 13), "text-letter-spacing": 0.06, "text-max-angle": 30 },
    blue, { minzoom: 11, filter: ["all", isLine, hasName, ["any", is("class", "river"), [">=", ["zoom"], 14]]] });
  add("water-name", "water_name", { "text-font": ITALIC, "text-size": evenly(9, 11, 15, 14), "text-max-width": 6, "text-letter-spacing": 0.05 },
    blue, { minzoom: 8, filter: ["all", isPoint, hasName] });
  add("water-line-name", "water_name", { "symbol-placement": "line", "text-font": ITALIC, "text-size": 13, "text-letter-spacing": 0.1 },
    blue, { minzoom: 8, filter: ["all", isLine, hasName] });
}

function roadNames(add, colours) {
  const along = (id, filter, minzoom, size, more = {}, paint = {}) => add(id, "transportation_name", {
    "text-field": SIGN, "symbol-placement": "line", "symbol-spacing": 280, "text-size": size, "text-max-angle": 38, "text-rotation-alignment": "map", "text-pitch-alignment": "viewport", "text-padding": 4, ...more,
  }, { "text-color": colours.roadText, "text-halo-width": 1.7, ...paint }, { minzoom, filter: ["all", isLine, hasSign, filter] });
  // The lines of trams and trains, along their tracks, where the names of the streets leave room.
  add("line-ref", "transportation_name", {
    "symbol-placement": "line", "symbol-spacing": 320, "text-field": ["to-string", ["get", "ref"]], "text-font": BOLD, "text-size": evenly(13, 9.5, 17, 12), "text-max-width": 99,
    "text-max-angle": 40, "text-padding": 24,
  }, { "text-color": colours.poi.transport, "text-halo-width": 2 }, { minzoom: 13.5, filter: ["all", isLine, is("class", "line")] });
  along("path-name", is("class", "path", "track"), 15.5, evenly(15, 10, 18, 12), {}, { "text-color": colours.pathText });
  along("minor-name", is("class", "minor", "service", "busway"), 14, evenly(14, 10.5, 16, 12, 19, 14.5), { "symbol-sort-key": classOf({ minor: 1 }, 2) });
  along("road-name", is("class", "trunk", "primary", "secondary", "tertiary", "motorway"), 12.5, evenly(12.5, 10.5, 16, 13, 19, 16), {
    "symbol-sort-key": classOf({ motorway: 1, trunk: 1, primary: 2, secondary: 3 }, 4) });
  const isShielded = ["all", isLine, ["has", "ref"], ["!", is("class", "line")], ["<=", ["length", ref], 7]];
  add("shield", "transportation_name", {
    "symbol-placement": ["step", ["zoom"], "point", 10, "line"], "symbol-spacing": 420, "text-field": ref, "text-font": BOLD, "text-size": 10, "text-max-width": 99,
    "icon-image": classOf({ motorway: "shield:motorway", trunk: "shield:trunk", primary: "shield:primary" }, "shield:other"), "icon-text-fit": "both", "icon-text-fit-padding": [1.5, 4, 1.5, 4],
    "text-rotation-alignment": "viewport", "icon-rotation-alignment": "viewport", "text-padding": 12, "icon-padding": 12,
    "symbol-sort-key": classOf({ motorway: 1, trunk: 2, primary: 3, secondary: 4 }, 5),
  }, { "text-color": classOf({ motorway: "#ffffff", trunk: "#ffffff" }, "#26241f"), "text-halo-width": 0 },
  { minzoom: 9, filter: ["all", isShielded, [">=", ["zoom"], classOf({ motorway: 9, trunk: 9, primary: 11, secondary: 13, tertiary: 14 }, 99)]] });
}

function places(add, colours) {
  const important = ["case", ["has", "rank"], number("rank", 20), ["-", 20, ["log10", ["+", 1, number("population", 0)]]]];
  const place = (id, classes, minzoom, maxzoom, size, layout = {}, paint = {}) => add(id, "place",
    { "text-size": size, "symbol-sort-key": important, "text-padding": 5, ...layout }, paint, { minzoom, maxzoom, filter: ["all", isPoint, is("class", ...classes), hasName] });
  const spaced = { "text-transform": "uppercase", "text-letter-spacing": 0.09, "text-font": MEDIUM };
  place("hamlet", ["hamlet", "isolated_dwelling", "farm", "locality", "islet"], 13, 18, evenly(13, 10.5, 16, 13));
  place("quarter", ["neighbourhood", "quarter"], 12.5, 17, evenly(12.5, 10, 16, 12.5), spaced, { "text-color": colours.country });
  place("suburb", ["suburb", "borough"], 11, 16, evenly(11, 10.5, 15, 14), spaced, { "text-color": colours.country });
  place("island", ["island"], 9, 17, evenly(9, 10.5, 15, 14), { "text-font": ITALIC });
  place("village", ["village"], 9.5, 17, evenly(9.5, 10.5, 12, 12.5, 16, 17), { "text-font": MEDIUM });
  place("town-name", ["town"], PLACES_FROM, 17, evenly(8, 12, 11, 14, 16, 19), { "text-font": BOLD });
  place("city", ["city"], PLACES_FROM, 17, evenly(8, 15, 11, 20, 16, 26), { "text-font": BOLD });
}
