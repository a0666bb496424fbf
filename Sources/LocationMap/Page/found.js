// Search results on the map: pins with callouts, on this page only.

import { Callout } from "./callout.js";
import { Views } from "./views.js";
import { addressLine, details, kindOf, look } from "./place-details.js";
import { shapeOf } from "./icons.js";

// Room for the callout of the topmost pin, and for controls.
const MARGIN = { top: 120, right: 80, bottom: 70, left: 60 };
const CLOSEST = 16.5;
const CLOSE = { country: 5, region: 8, settlement: 12, suburb: 13.5, street: 15.5, address: 17, pointOfInterest: 16.5, coordinate: 16 };

export class Found {
  #map;
  #camera;
  #places = [];
  #views;
  #callout;
  #selected = null;
  /** Called with the index of the selected place, or `null`. */
  onSelect = () => {};
  /** The part of the map hidden at its left and top, in pixels. */
  hidden = () => ({ left: 0, top: 0 });

  constructor({ map, camera }) {
    this.#map = map;
    this.#camera = camera;
    this.#views = new Views(map, { isCarried: () => false }, "Search results");
    this.#callout = new Callout(map, { send: () => {} }, { entry: (id) => this.#views.entry(id), focus: (id) => this.#views.focus(id) });
    this.#views.onPlaced = () => this.#callout.place();
    this.#views.onPressed = (id, byKey) => this.select(this.#index(id), byKey);
    this.#callout.onClose = () => this.select(null);
    map.on("click", () => this.select(null));
  }

  get places() { return this.#places; }

  /** Shows places in place of the previous ones. */
  show(places) {
    this.select(null);
    this.#places = places;
    this.#views.replace(places.map((place, index) => view(place, index)));
  }

  /** Moves the map to the places, unless some of them are visible. */
  bringIntoView() {
    if (this.#places.length === 1) return this.#goTo(this.#places[0]);
    const bounds = this.#map.getBounds();
    const visible = this.#places.filter(({ longitude, latitude }) => bounds.contains([longitude, latitude])).length;
    if (visible >= Math.min(3, this.#places.length)) return;
    // The best ones only: distant ones would show the whole world.
    const box = this.#places.slice(0, 8).reduce((all, { longitude, latitude }) => all.extend([longitude, latitude]), new maplibregl.LngLatBounds());
    this.#move(this.#map.cameraForBounds(box, this.#fit));
  }

  get #fit() {
    const { left, top } = this.hidden();
    return { padding: { ...MARGIN, left: MARGIN.left + left, top: MARGIN.top + top }, maxZoom: CLOSEST };
  }

  /** The offset from the centre of the map to the centre of its visible part. */
  get #offset() {
    const { left, top } = this.hidden();
    return [left / 2, top / 2];
  }

  #goTo(place) {
    const [west, south, east, north] = place.bounds ?? [];
    const fitted = place.bounds ? this.#map.cameraForBounds([[west, south], [east < west ? east + 360 : east, north]], this.#fit) : null;
    this.#move(fitted ?? { center: [place.longitude, place.latitude], zoom: Math.max(CLOSE[place.kind] ?? 15, Math.min(this.#map.getZoom(), 17)), offset: this.#offset });
  }

  #move(target) {
    if (target) this.#camera.fly(target);
  }

  /** Selects a place by its index and shows its callout; `null` deselects. */
  select(index, takesFocus = false) {
    if (index === null && this.#selected === null) return;
    // A row or a pin may be clicked while it is being removed.
    if (index !== null && !this.#places[index]) return;
    this.#selected = index;
    const id = index === null ? null : `f${index}`;
    this.#views.select(id);
    this.#callout.show(id, takesFocus);
    this.onSelect(index);
    if (index === null) return;
    const { longitude, latitude } = this.#places[index];
    if (!this.#isInSight([longitude, latitude])) this.#move({ center: [longitude, latitude], zoom: this.#map.getZoom(), offset: this.#offset });
  }

  #isInSight(position) {
    const { x, y } = this.#map.project(position);
    const { clientWidth, clientHeight } = this.#map.getContainer();
    const { left, top } = this.hidden();
    return x > left + 40 && y > top + 140 && x < clientWidth - 40 && y < clientHeight - 40;
  }

  #index(id) { return Number(id.slice(1)); }
}

function view(place, index) {
  const { tint, picture } = look(place);
  const words = [kindOf(place), addressLine(place)].filter(Boolean);
  return {
    id: `f${index}`, position: [place.longitude, place.latitude], kind: "marker", reuse: "found", title: place.name, label: [place.name, ...words].join(", "),
    // The first result is on top.
    order: -index, size: [32, 38], offset: [0, -19], tint, glyphTint: "#ffffff", glyphShape: shapeOf(picture), titleVisibility: "adaptive", subtitleVisibility: "hidden",
    callout: { title: place.name, subtitle: words.join(" · "), detail: { kind: "element", make: () => details(place) }, offset: [0, 0] },
  };
}
