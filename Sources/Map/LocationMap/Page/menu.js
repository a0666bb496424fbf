// The context menu of a place on the map, opened by right click, long press or the menu key. With shift the browser's
// own menu opens.

import { element, icon } from "./dom.js";
import { coordinates, geoLink, openStreetMapLink } from "./place-details.js";
import { isStopped } from "./places.js";
import { SearchField } from "./search.js";
import { text } from "./texts.js";

const LONG_PRESS = 500;
const SLIP = 10;

export class PlaceMenu {
  #map;
  #camera;
  #connection;
  #announcer;
  #places;
  #labels;
  #page;
  #measurement;
  #saved;
  #items = [];
  #node = null;
  #elsewhere = (event) => { if (!this.#node?.contains(event.target)) this.close(); };

  constructor({ map, camera, connection, announcer, places, labels, page, measurement, saved }) {
    this.#map = map;
    this.#camera = camera;
    this.#connection = connection;
    this.#announcer = announcer;
    this.#places = places;
    this.#labels = labels;
    this.#page = page;
    this.#measurement = measurement;
    this.#saved = saved;
    map.on("contextmenu", (event) => {
      if (event.originalEvent.shiftKey) return;
      event.preventDefault();
      const { clientWidth, clientHeight } = map.getContainer();
      // The menu key has no position; the centre of the map is used.
      const isKey = event.originalEvent.button !== 2 && event.originalEvent.pointerType !== "touch" && event.originalEvent.detail === 0;
      this.open(isKey ? { x: clientWidth / 2, y: clientHeight / 2 } : event.point);
    });
    map.on("movestart", ({ originalEvent }) => { if (originalEvent) this.close(); });
    this.#watchTouch(map.getCanvasContainer());
  }

  /** Additional items of the program. */
  set items(items) { this.#items = items ?? []; }

  #watchTouch(container) {
    let timer = null;
    let start = null;
    const end = () => { clearTimeout(timer); timer = null; };
    container.addEventListener("pointerdown", (event) => {
      end();
      if (event.pointerType !== "touch" || !event.isPrimary || event.target.closest(".view, .callout")) return;
      const { left, top } = container.getBoundingClientRect();
      start = { x: event.clientX, y: event.clientY };
      timer = setTimeout(() => {
        this.open({ x: start.x - left, y: start.y - top });
        // The end of the long press must not click, which would take the focus from the menu.
        container.addEventListener("touchend", (up) => up.preventDefault(), { once: true, passive: false });
      }, LONG_PRESS);
    });
    container.addEventListener("pointermove", (event) => {
      if (timer && Math.hypot(event.clientX - start.x, event.clientY - start.y) > SLIP) end();
    });
    for (const name of ["pointerup", "pointercancel"]) container.addEventListener(name, end);
    container.addEventListener("touchstart", (event) => { if (event.touches.length > 1) end(); }, { passive: true });
  }

  open(point) {
    this.close();
    const place = this.#map.unproject(point).wrap();
    const words = coordinates(place.lat, place.lng, this.#map.getZoom());
    const item = (name, label, action) => element("button", {
      type: "button", role: "menuitem", tabindex: "-1", on: { click: () => { this.close(); action(); } },
    }, name ? icon(name) : element("span", { class: "icon" }), element("span", { text: label, dir: "auto" }));
    this.#node = element("div", { class: "menu place", role: "menu", aria: { label: text("At {coordinates}", { coordinates: words }) } },
      item("copy", words, () => this.#announcer.copy(words, text("Coordinates copied"))),
      ...(this.#field ? [item("info", text("What is here?"), () => this.#tellOf(place, point))] : []),
      ...(this.#saved.isAvailable ? [item("save", text("Save this place"), () => this.#saved.add({ longitude: place.lng, latitude: place.lat }))] : []),
      item("centre", text("Centre here"), () => this.#camera.move({ center: place }, "pan")),
      item("measure", text("Measure or draw a route from here"), () => this.#measurement.begin(place.toArray())),
      item("pin", text("Copy a geo: link"), () => this.#announcer.copy(geoLink({ longitude: place.lng, latitude: place.lat }, this.#map.getZoom()), text("Link copied"))),
      // The page's own address leads nobody else here.
      item("link", text("Copy an OpenStreetMap link"), () => this.#announcer.copy(openStreetMapLink({ longitude: place.lng, latitude: place.lat }, this.#map.getZoom()), text("Link copied"))),
      ...this.#items.map((own) => item(null, own, () =>
        this.#connection.send({ type: "menu", action: own, position: place.toArray() }))));
    const container = this.#map.getContainer();
    container.append(this.#node);
    const { offsetWidth, offsetHeight } = this.#node;
    this.#node.style.left = `${Math.max(8, Math.min(point.x, container.clientWidth - offsetWidth - 8))}px`;
    this.#node.style.top = `${Math.max(8, Math.min(point.y, container.clientHeight - offsetHeight - 8))}px`;
    this.#node.addEventListener("keydown", (event) => this.#key(event));
    this.#node.addEventListener("contextmenu", (event) => event.preventDefault());
    setTimeout(() => addEventListener("pointerdown", this.#elsewhere, { capture: true }));
    this.#node.firstElementChild.focus({ preventScroll: true });
  }

  close() {
    if (!this.#node) return;
    const hadFocus = this.#node.contains(document.activeElement);
    this.#node.remove();
    this.#node = null;
    removeEventListener("pointerdown", this.#elsewhere, { capture: true });
    if (hadFocus) this.#map.getCanvas().focus({ preventScroll: true });
  }

  #key(event) {
    const items = [...this.#node.children];
    const at = items.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
    event.stopPropagation();
    if (event.key === "Escape" || event.key === "Tab") { event.preventDefault(); this.close(); }
    if (to === undefined) return;
    event.preventDefault();
    items.at(to % items.length).focus();
  }

  /** Adds an item for the place at the point, if the map can be searched. */
  get #field() { return this.#page.controls?.find(SearchField); }

  async #tellOf({ lng, lat }, point) {
    const label = this.#labels.at(point);
    if (label) return this.#field?.openLabel(label);
    try {
      const place = await this.#places.at([lng, lat]);
      if (place) this.#field?.present(place);
      else this.#announcer.notice({ kind: "info", text: text("Nothing is known about this place.") });
    } catch (problem) {
      if (!isStopped(problem)) this.#announcer.notice({ kind: "warning", text: problem.message });
    }
  }
}
