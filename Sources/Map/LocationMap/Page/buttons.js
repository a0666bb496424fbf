// The simple controls: zoom, map type, full screen, pitch.

import { element, icon, iconButton } from "./dom.js";
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
  #button;
  #list;
  #elsewhere = (event) => { if (!this.node.contains(event.target)) this.#close(); };

  constructor(context) {
    this.#context = context;
    this.#button = iconButton("type", text("Map type"), () => (this.#list.hidden ? this.#open() : this.#close()), {
      class: "round", "aria-haspopup": "menu", "aria-expanded": "false",
    });
    this.#list = element("div", { class: "menu types", role: "menu", aria: { label: text("Map type") }, hidden: true },
      ...Object.entries(TYPES).map(([type, name]) => element("button", {
        type: "button", role: "menuitemradio", data: { type }, tabindex: "-1", on: { click: () => this.#choose(type) },
      }, element("span", { class: `swatch ${type}`, aria: { hidden: true } }), element("span", { text: name }), icon("check"))),
      element("button", { type: "button", role: "menuitem", class: "tracks-item", tabindex: "-1", hidden: true, on: { click: () => { this.#close(); context.page.tracks.open(); } } },
        icon("route"), element("span", { text: text("Tracks") })),
      element("button", { type: "button", role: "menuitem", class: "regions-item", tabindex: "-1", hidden: true, on: { click: () => { this.#close(); context.regions.open(); } } },
        icon("type"), element("span", { text: text("Regions") })));
    this.node = element("div", { class: "control types-control" }, this.#button, this.#list);
    this.node.addEventListener("keydown", (event) => this.#key(event));
    this.refresh();
  }

  refresh() {
    const type = this.#context.page.type;
    for (const item of this.#list.querySelectorAll("[data-type]")) item.setAttribute("aria-checked", String(item.dataset.type === type));
    this.#list.querySelector(".tracks-item").hidden = !this.#context.page.tracks?.isAvailable;
    this.#list.lastElementChild.hidden = !this.#context.regions.isAvailable;
  }

  /** The part whose background and border the program may set: the menu keeps those of the page. */
  get surface() { return this.#button; }

  #open() {
    this.refresh();
    this.#list.hidden = false;
    this.#button.setAttribute("aria-expanded", "true");
    addEventListener("pointerdown", this.#elsewhere);
    (this.#list.querySelector("[aria-checked=true]") ?? this.#list.firstElementChild).focus();
  }

  #close() {
    if (this.#list.hidden) return;
    const hadFocus = this.#list.contains(document.activeElement);
    this.#list.hidden = true;
    this.#button.setAttribute("aria-expanded", "false");
    removeEventListener("pointerdown", this.#elsewhere);
    if (hadFocus) this.#button.focus();
  }

  #choose(type) {
    this.#context.connection.send({ type: "mapType", value: type });
    this.#close();
  }

  #key(event) {
    if (this.#list.hidden) return;
    const items = [...this.#list.children].filter(({ hidden }) => !hidden);
    const at = items.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
    if (event.key === "Escape" || event.key === "Tab") this.#close();
    if (event.key === "Escape") event.stopPropagation();
    if (to === undefined) return;
    event.preventDefault();
    items.at(to % items.length).focus();
  }

  remove() { this.#close(); }
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
