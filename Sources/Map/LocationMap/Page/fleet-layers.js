// The symbols of vehicles and clusters as layers of the style.

import { BOLD, FONT } from "./expressions.js";
import { AIMLESS, STATES } from "./fleet-vehicle.js";

const SCALE = 2;
const SIDE = 24;
// The length from which on a cluster names no further members, in characters.
const NAMING = 30;

/** How vehicles form clusters. Each has the labels of some of its members. */
export const CLUSTERS = {
  cluster: true, clusterRadius: 36, clusterMaxZoom: 15,
  clusterProperties: {
    names: [["case", [">", ["length", ["accumulated"]], NAMING], ["accumulated"], ["concat", ["accumulated"], ", ", ["get", "names"]]], ["get", "label"]],
  },
};

// Three dots follow if there are more.
const names = ["concat", ["get", "names"], ["case", ["all", [">", ["length", ["get", "names"]], NAMING], [">", ["get", "point_count"], 2]], " …", ""]];

/** Adds the images of the states. Their white edge shows on light, dark and satellite maps. */
export function addSymbols(map) {
  for (const { symbol, colour, path } of [...STATES, AIMLESS]) {
    const canvas = new OffscreenCanvas(SIDE * SCALE, SIDE * SCALE);
    const context = canvas.getContext("2d");
    context.scale(SCALE, SCALE);
    context.translate((SIDE - 20) / 2, (SIDE - 20) / 2);
    const shape = new Path2D(path);
    context.lineJoin = "round";
    context.lineWidth = 4;
    context.strokeStyle = "#ffffff";
    context.stroke(shape);
    context.fillStyle = colour;
    context.fill(shape);
    map.addImage(symbol, context.getImageData(0, 0, SIDE * SCALE, SIDE * SCALE), { pixelRatio: SCALE });
  }
}

/** The layers, from the lowest. */
export function layers(isDark) {
  const ink = isDark ? { "text-color": "#f1f2f5", "text-halo-color": "rgba(20,22,26,.9)" } : { "text-color": "#1c1d21", "text-halo-color": "rgba(255,255,255,.9)" };
  const vehicle = (id, source, more) => ({
    id, type: "symbol", source, ...more,
    layout: {
      "icon-image": ["get", "symbol"], "icon-rotate": ["get", "turn"], "icon-rotation-alignment": "map", "icon-allow-overlap": true,
      "text-field": ["step", ["zoom"], "", 8, ["get", "label"]], "text-font": FONT, "text-size": 12, "text-offset": [0, 1.1], "text-anchor": "top", "text-optional": true, "text-max-width": 12,
    },
    paint: { ...ink, "text-halo-width": 1.4 },
  });
  return [
    { id: "fleet:trail", type: "line", source: "fleet-trail", layout: { "line-cap": "round", "line-join": "round" },
      paint: { "line-color": isDark ? "#5aa7ff" : "#0a6cff", "line-width": 4, "line-opacity": 0.75 } },
    { id: "fleet:ahead-line", type: "line", source: "fleet-ahead", filter: ["==", ["geometry-type"], "LineString"],
      paint: { "line-color": isDark ? "#4cc274" : "#12813a", "line-width": 2, "line-dasharray": [2, 2], "line-opacity": 0.7 } },
    { id: "fleet:ahead", type: "symbol", source: "fleet-ahead", filter: ["==", ["geometry-type"], "Point"],
      layout: { "icon-image": ["get", "symbol"], "icon-rotate": ["get", "turn"], "icon-rotation-alignment": "map", "icon-allow-overlap": true, "icon-ignore-placement": true },
      paint: { "icon-opacity": 0.45 } },
    // Below the symbols, which are placed first: names are where these leave room.
    { id: "fleet:names", type: "symbol", source: "fleet", filter: ["has", "point_count"],
      layout: { "text-field": ["step", ["zoom"], "", 8, names], "text-font": FONT, "text-size": 11.5, "text-offset": [0, 1.95], "text-anchor": "top", "text-max-width": 14 },
      paint: { ...ink, "text-halo-width": 1.4 } },
    { id: "fleet:cluster", type: "circle", source: "fleet", filter: ["has", "point_count"],
      paint: { "circle-color": isDark ? "#2c2e34" : "#ffffff", "circle-stroke-color": "#12813a", "circle-stroke-width": 2.5,
        "circle-radius": ["step", ["get", "point_count"], 15, 100, 18, 1000, 22] } },
    { id: "fleet:count", type: "symbol", source: "fleet", filter: ["has", "point_count"],
      layout: { "text-field": ["get", "point_count_abbreviated"], "text-font": BOLD, "text-size": 12.5, "text-allow-overlap": true, "text-padding": 7 },
      paint: { "text-color": isDark ? "#f1f2f5" : "#1c1d21" } },
    vehicle("fleet:vehicle", "fleet", { filter: ["!", ["has", "point_count"]] }),
    { id: "fleet:ring", type: "circle", source: "fleet-selected",
      paint: { "circle-radius": 16, "circle-color": "rgba(10,108,255,.18)", "circle-stroke-color": isDark ? "#5aa7ff" : "#0a6cff", "circle-stroke-width": 2.5 } },
    vehicle("fleet:selected", "fleet-selected", {}),
  ];
}
