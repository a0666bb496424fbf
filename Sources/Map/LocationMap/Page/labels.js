// The labels and icons of the base map: a click on one opens the callout of its place.

import { onceAFrame } from "./dom.js";

// The tolerance of a click, in pixels.
const TOLERANCE = 6;

// The kinds of the places, by the identifiers of the layers.
const KINDS = {
  point: "pointOfInterest", peak: "pointOfInterest", "park-name": "pointOfInterest",
  "minor-name": "street", "road-name": "street", "path-name": "street",
  hamlet: "settlement", quarter: "suburb", suburb: "suburb", island: "settlement", village: "settlement", "town-name": "settlement", city: "settlement",
  place: "settlement", town: "settlement", "country-name": "country",
};

export class Labels {
  #map;

  constructor(map) {
    this.#map = map;
  }

  /** The name, kind and position of the label or icon at a point of the map, from its tile; `null` if there is none. */
  at(point) {
    const layers = this.#map.getLayersOrder().filter((id) => KINDS[base(id)]);
    const around = [[point.x - TOLERANCE, point.y - TOLERANCE], [point.x + TOLERANCE, point.y + TOLERANCE]];
    const [feature] = this.#map.queryRenderedFeatures(around, { layers });
    return feature ? label(feature, this.#map.unproject(point).wrap()) : null;
  }

  /** Shows by the mouse pointer whether a click at a point would open a label's place. */
  hover = onceAFrame((point, isClickable) => {
    const isOver = isClickable() && !this.#map.isMoving() && this.at(point) !== null;
    this.#map.getCanvasContainer().classList.toggle("is-over-label", isOver);
  });
}

const base = (id) => id.split("@")[0];

function label({ layer, geometry, properties }, clicked) {
  const kind = KINDS[base(layer.id)];
  // A line's label has no position of its own.
  const [longitude, latitude] = geometry.type === "Point" ? geometry.coordinates : clicked.toArray();
  const names = new Set(Object.entries(properties).filter(([key, value]) => /^name([:_]|$)/.test(key) && value).map(([, value]) => String(value)));
  const category = kind === "pointOfInterest" ? properties.subclass || properties.class : undefined;
  const name = String(properties.name ?? [...names][0] ?? "");
  return name || category ? { kind, names, category, name, longitude, latitude } : null;
}
