// The room that views and their captions take on the map: its labels give way to them. Views are elements above the
// map; a layer of transparent symbols has their boxes, and MapLibre places the labels around these.

const ID = "view-room";
// A change repaints the map: this interval suffices, and a few pixels are no change.
const INTERVAL = 500;
const GRAIN = 4;

export class LabelRoom {
  #map;
  #boxes = new Map();
  #data = collection([]);
  #look = "[]";
  #timer = null;

  /** Adds the layer. The style must be loaded. */
  constructor(map) {
    this.#map = map;
    map.addImage(ID, { width: 1, height: 1, data: new Uint8Array(4) });
    map.addSource(ID, this.#source);
    map.addLayer(layer);
  }

  /** Sets the boxes of a group of views: `position` and the distances from it to the `box`'s top, right, bottom and left edge. */
  set(group, boxes) {
    this.#boxes.set(group, boxes);
    this.#timer ??= setTimeout(() => this.#update(), INTERVAL);
  }

  /** Returns `style` with the layer on top, whose symbols MapLibre places first. */
  carryOver(style) {
    return { ...style, sources: { ...style.sources, [ID]: this.#source }, layers: [...style.layers, layer] };
  }

  get #source() { return { type: "geojson", data: this.#data }; }

  #update() {
    this.#timer = null;
    const boxes = [...this.#boxes.values()].flat();
    const pixel = 360 / 512 / 2 ** this.#map.getZoom();
    const coarse = (value, unit) => Math.round(value / unit / GRAIN);
    const look = JSON.stringify(boxes.map(({ position, box }) => [...position.map((value) => coarse(value, pixel)), ...box.map((value) => coarse(value, 1))]));
    if (look === this.#look) return;
    this.#look = look;
    this.#data = collection(boxes);
    this.#map.getSource(ID)?.setData(this.#data);
  }
}

// A query for rendered features evaluates the layer again, with the box as text.
const box = ["get", "box"];
const layer = {
  id: ID, type: "symbol", source: ID,
  layout: { "icon-image": ID, "icon-allow-overlap": true, "icon-padding": ["case", ["==", ["typeof", box], "string"], ["literal", [2, 2, 2, 2]], box] },
};

function collection(boxes) {
  return {
    type: "FeatureCollection",
    features: boxes.map(({ position, box }) => ({ type: "Feature", properties: { box: box.map(Math.round) }, geometry: { type: "Point", coordinates: position } })),
  };
}
