// The simple controls: zoom, map type, full screen, pitch.

import { element, icon, iconButton } from "./dom.js";
import { Popup } from "./popup.js";
import { text } from "./texts.js";

export class Zoom {
  #map;
  #camera;
  #in;
  #out;

  constructor({ map, camera }, description, listen) {
    this.#map = map;
    this.#camera = camera;
    const step = (by) => camera.move({ zoom: Math.round(map.getZoom() + by) }, "zoom");
    this.#in = iconButton("plus", text("Zoom in"), () => step(1));
    this.#out = iconButton("minus", text("Zoom out"), () => step(-1));
    this.node = element("div", { class: "control stack zoom", role: "group", aria: { label: text("Zoom") } }, this.#in, this.#out);
    listen("zoomend", () => this.refresh());
    this.refresh();
  }

  refresh() {
    const zoom = this.#map.getZoom();
    this.node.hidden = !this.#camera.rules.isZoomEnabled;
    this.#in.disabled = zoom >= this.#map.getMaxZoom();
    this.#out.disabled = zoom <= this.#map.getMinZoom();
  }
}

const TYPES = { standard: text("Standard"), satellite: text("Satellite"), hybrid: text("Hybrid") };

/** A button that opens the list of map types. */
export class MapTypes {
  #context;
  #popup = new Popup();
  /** The part whose background and border the program may set: the menu keeps those of the page. */
  surface = iconButton("type", text("Map type"), () => (this.#popup.isOpen ? this.#popup.close() : this.#open()), {
    class: "round", "aria-haspopup": "menu", "aria-expanded": "false",
  });

  constructor(context) {
    this.#context = context;
    this.node = element("div", { class: "control types-control" }, this.surface);
  }

  #open() {
    const { connection, page, regions, stage } = this.#context;
    const button = (properties, choose, ...content) => element("button", { type: "button", tabindex: "-1", ...properties, on: { click: choose } }, ...content);
    const types = Object.entries(TYPES).map(([type, name]) => button(
      { role: "menuitemradio", data: { type }, aria: { checked: String(type === page.type) } }, () => connection.send({ type: "mapType", value: type }),
      element("span", { class: `swatch ${type}`, aria: { hidden: true } }), element("span", { text: name }), icon("check")));
    const item = (name, picture, words, list) => (list.isAvailable
      ? [button({ role: "menuitem", class: name }, () => list.open(), icon(picture), element("span", { text: words }))] : []);
    this.#popup.open(stage, {
      label: text("Map type"), kind: "types", anchor: this.surface, focused: Object.keys(TYPES).indexOf(page.type),
      items: [...types, ...item("tracks-item", "route", text("Tracks"), page.tracks), ...item("regions-item", "type", text("Regions"), regions)],
    });
  }

  remove() { this.#popup.close(); }
}

export class FullScreen {
  #changed = () => this.refresh();

  constructor({ announcer }) {
    this.node = element("button", { type: "button", class: "control round full-screen", on: { click: async () => {
      try {
        await (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen());
      } catch {
        announcer.notice({ kind: "info", text: text("This browser does not allow full screen here.") });
      }
    } } });
    document.addEventListener("fullscreenchange", this.#changed);
    this.refresh();
  }

  refresh() {
    const isFull = Boolean(document.fullscreenElement);
    const label = isFull ? text("Leave full screen") : text("Full screen");
    this.node.replaceChildren(icon(isFull ? "leave" : "enter"));
    this.node.setAttribute("aria-label", label);
    this.node.title = label;
  }

  remove() { document.removeEventListener("fullscreenchange", this.#changed); }
}

/** Tilts the map, or ends the tilt. */
export class Pitch {
  #map;
  #camera;

  constructor({ map, camera }, description, listen) {
    this.#map = map;
    this.#camera = camera;
    this.node = element("button", { type: "button", class: "control round pitch", aria: { label: text("Tilt the map") },
      on: { click: () => camera.move({ pitch: map.getPitch() > 5 ? 0 : 50 }, "pitch") } });
    listen("pitchend", () => this.refresh());
    this.refresh();
  }

  refresh() {
    const isTilted = this.#map.getPitch() > 5;
    this.node.hidden = !this.#camera.rules.isPitchEnabled;
    this.node.replaceChildren(element("span", { class: "letters", text: isTilted ? "2D" : "3D", aria: { hidden: true } }));
    this.node.setAttribute("aria-pressed", String(isTilted));
    this.node.title = isTilted ? text("Lay the map flat") : text("Tilt the map");
  }
}
