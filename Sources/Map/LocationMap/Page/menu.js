// The context menu of a place on the map, opened by right click, long press or the menu key. With shift the browser's
// own menu opens.

import { closeOpenIn, openIn } from "./open-in.js";
import { coordinates, geoLink, openStreetMapLink } from "./place-links.js";
import { isStopped } from "./places.js";
import { Popup, menuItem } from "./popup.js";
import { SearchField } from "./search.js";
import { text } from "./texts.js";

const LONG_PRESS = 500;
const SLIP = 10;

export class PlaceMenu {
  #context;
  #items = [];
  #popup = new Popup();

  constructor(context) {
    this.#context = context;
    const { map } = context;
    map.on("contextmenu", (event) => {
      if (event.originalEvent.shiftKey) return;
      event.preventDefault();
      const { clientWidth, clientHeight } = map.getContainer();
      // The menu key has no position; the centre of the map is used.
      const isKey = event.originalEvent.button !== 2 && event.originalEvent.pointerType !== "touch" && event.originalEvent.detail === 0;
      this.open(isKey ? { x: clientWidth / 2, y: clientHeight / 2 } : event.point);
    });
    map.on("movestart", ({ originalEvent }) => { if (originalEvent) this.#close(); });
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

  /** Shows the menu of a point, with the focus on its first item or the one that leads to other maps. */
  open(point, isBack = false) {
    this.#close();
    const { lng, lat } = this.#context.map.unproject(point).wrap();
    const place = { longitude: lng, latitude: lat };
    const zoom = this.#context.map.getZoom();
    const words = coordinates(lat, lng, zoom);
    const container = this.#context.map.getContainer();
    const copy = (link) => this.#context.announcer.copy(link, text("Link copied"));
    const further = menuItem({
      picture: "open", label: text("Open in…"), hasMenu: true,
      choose: () => openIn(container, place, zoom, this.#context.announcer, { point, back: () => this.open(point, true) }),
    });
    const items = [
      menuItem({ picture: "copy", label: words, choose: () => this.#context.announcer.copy(words, text("Coordinates copied")) }),
      ...(this.#field ? [menuItem({ picture: "info", label: text("What is here?"), choose: () => this.#tellOf(place, point) })] : []),
      ...(this.#context.saved.isAvailable ? [menuItem({ picture: "save", label: text("Save this place"), choose: () => this.#context.saved.add(place) })] : []),
      menuItem({ picture: "centre", label: text("Centre here"), choose: () => this.#context.camera.move({ center: [lng, lat] }, "pan") }),
      ...(this.#context.page.fleet.isShown ? [menuItem({ picture: "add", label: text("Add an area with alarms here"), choose: () => this.#context.page.fleet.addArea([lng, lat]) })] : []),
      menuItem({ picture: "measure", label: text("Measure or draw a route from here"), choose: () => this.#context.measurement.begin([lng, lat]) }),
      further,
      menuItem({ picture: "pin", label: text("Copy a geo: link"), choose: () => copy(geoLink(place, zoom)) }),
      // The page's own address leads nobody else here.
      menuItem({ picture: "link", label: text("Copy an OpenStreetMap link"), choose: () => copy(openStreetMapLink(place, zoom)) }),
      ...this.#items.map((own) => menuItem({ label: own, choose: () => this.#context.connection.send({ type: "menu", action: own, position: [lng, lat] }) })),
    ];
    this.#popup.open(container, {
      label: text("At {coordinates}", { coordinates: words }), kind: "place", items, point, focused: isBack ? items.indexOf(further) : 0,
    });
  }

  #close() {
    this.#popup.close();
    closeOpenIn();
  }

  /** Adds an item for the place at the point, if the map can be searched. */
  get #field() { return this.#context.page.controls?.find(SearchField); }

  async #tellOf({ longitude, latitude }, point) {
    const label = this.#context.labels.at(point);
    if (label) return this.#field?.openLabel(label);
    try {
      const place = await this.#context.places.at([longitude, latitude]);
      if (place) this.#field?.present(place);
      else this.#context.announcer.notice({ kind: "info", text: text("Nothing is known about this place.") });
    } catch (problem) {
      if (!isStopped(problem)) this.#context.announcer.notice({ kind: "warning", text: problem.message });
    }
  }
}
