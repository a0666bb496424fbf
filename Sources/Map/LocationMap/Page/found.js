// Search results on the map: pins with callouts, on this page only.

import { calloutOf } from "./callout.js";
import { Views } from "./views.js";
import { PIN, addressLine, details, kindOf, look } from "./place-details.js";
import { shapeOf } from "./icons.js";
import { listed, text } from "./texts.js";

// Room for the callout of the topmost pin, and for controls.
const MARGIN = { top: 120, right: 80, bottom: 70, left: 60 };
const CLOSEST = 17;
// About 300 m for a shop, as in MapKit; most streets and towns have an extent.
const CLOSE = { country: 5, region: 8, settlement: 12, suburb: 13.5, street: 15.5, address: 17.5, pointOfInterest: 17, coordinate: 16, postalCode: 13, intersection: 17 };
// The farthest that results are shown together, in metres, and the zoom below which single results cannot be told apart.
const FARTHEST = 30_000;
const NEAREST = 11;

export class Found {
  #context;
  #places = [];
  /** The place of a clicked label, shown besides the results while it is selected. */
  #labelled = null;
  #views;
  #callout;
  #selected = null;
  /** Called with the index of the selected place, or `null`. */
  onSelect = () => {};
  /** The part of the map hidden at its left, right and top, in pixels. */
  hidden = () => ({ left: 0, right: 0, top: 0 });

  constructor(context) {
    this.#context = context;
    const { map, saved, page } = context;
    this.#views = new Views(map, { isCarried: () => false }, text("Search results"));
    // A place that the map labels, too, is named once.
    this.#views.onCaptioned = (boxes) => page.room.set("found", boxes);
    this.#callout = calloutOf(this.#views, map);
    this.#views.onPressed = (id, byKey) => this.select(this.#index(id), byKey);
    this.#callout.onClose = () => this.select(null);
    map.on("click", () => this.select(null));
    // One callout at a time: a place that has just been saved has one of its own.
    saved.onSelect = () => this.select(null);
  }

  get places() { return this.#places; }

  /** Shows places in place of the previous ones. */
  show(places) {
    this.select(null);
    this.#places = places;
    this.#update();
  }

  /** Selects the place of a clicked label: one of the results, or else another one until it is no longer selected. */
  showLabelled(place) {
    const isSame = (other) => other.name === place.name && Math.hypot(other.longitude - place.longitude, other.latitude - place.latitude) < 1e-3;
    const index = this.#places.findIndex(isSame);
    if (index >= 0) return this.select(index);
    this.select(null);
    this.#labelled = place;
    this.#update();
    this.select(this.#places.length);
  }

  get #all() { return this.#labelled ? [...this.#places, this.#labelled] : this.#places; }

  #update() {
    this.#views.replace(this.#all.map((place, index) => view(place, index, this.#context.announcer, this.#context.saved)));
  }

  /** Moves the map to the places near the first one, unless that and some others are visible: not at the edge or below the list. */
  bringIntoView() {
    if (this.#places.length === 1) return this.#goTo(this.#places[0]);
    const near = this.#nearFirst();
    if (near.length === 1) return this.#goTo(near[0]);
    const isVisible = ({ longitude, latitude }) => this.#isInSight([longitude, latitude]);
    if (isVisible(near[0]) && near.filter(isVisible).length >= Math.min(3, near.length) && this.#context.map.getZoom() >= NEAREST) return;
    const box = near.reduce((all, { longitude, latitude }) => all.extend([longitude, latitude]), new maplibregl.LngLatBounds());
    this.#move(this.#context.map.cameraForBounds(box, this.#fit));
  }

  /** The first place and those near it: each at most a few times as far from it as the one before. Others would show half of the world. */
  #nearFirst() {
    const first = new maplibregl.LngLat(this.#places[0].longitude, this.#places[0].latitude);
    const far = this.#places.map((place) => [place, first.distanceTo(new maplibregl.LngLat(place.longitude, place.latitude))]).sort((a, b) => a[1] - b[1]);
    let limit = 3000;
    const near = [];
    for (const [place, distance] of far.slice(0, 8)) {
      if (distance > limit) break;
      near.push(place);
      limit = Math.min(FARTHEST, Math.max(limit, 4 * distance));
    }
    return near;
  }

  get #fit() {
    const { left, right, top } = this.hidden();
    return { padding: { ...MARGIN, left: MARGIN.left + left, right: MARGIN.right + right, top: MARGIN.top + top }, maxZoom: CLOSEST };
  }

  /** The offset from the centre of the map to the centre of its visible part. */
  get #offset() {
    const { left, right, top } = this.hidden();
    return [(left - right) / 2, top / 2];
  }

  #goTo(place) {
    const center = [place.longitude, place.latitude];
    const zoom = this.#isInSight(center) ? Math.max(closeTo(place), Math.min(this.#context.map.getZoom(), CLOSEST + 1)) : closeTo(place);
    this.#move(this.#fitted(place) ?? { center, zoom, offset: this.#offset });
  }

  /** Selects a place by its index, and shows it as a whole unless it is in sight and close enough. */
  choose(index, takesFocus = false) {
    const place = this.#places[index];
    if (!place) return;
    const isShown = this.#isInSight([place.longitude, place.latitude]) && this.#context.map.getZoom() >= (this.#fitted(place)?.zoom ?? closeTo(place)) - 0.5;
    this.select(index, takesFocus, isShown);
    if (!isShown) this.#goTo(place);
  }

  /** The camera for the extent of a place; `undefined` for a small one. */
  #fitted(place) {
    const extent = extentOf(place);
    return extent ? this.#context.map.cameraForBounds(extent, this.#fit) : undefined;
  }

  #move(target) {
    if (target) this.#context.camera.fly(target);
  }

  /** Selects a place by its index, shows its callout and moves it into sight; `null` deselects. */
  select(index, takesFocus = false, moves = true) {
    if (index === null && this.#selected === null) return;
    // A row or a pin may be clicked while it is being removed.
    if (index !== null && !this.#all[index]) return;
    if (this.#labelled && index !== this.#places.length) {
      this.#labelled = null;
      this.#update();
    }
    this.#selected = index;
    if (index !== null) this.#context.saved.select(null);
    const id = index === null ? null : `f${index}`;
    this.#views.select(id);
    this.#callout.show(id, takesFocus);
    this.onSelect(index);
    if (index === null || !moves) return;
    const { longitude, latitude } = this.#all[index];
    if (!this.#isInSight([longitude, latitude])) this.#move({ center: [longitude, latitude], zoom: this.#context.map.getZoom(), offset: this.#offset });
  }

  #isInSight(position) {
    const { x, y } = this.#context.map.project(position);
    const { clientWidth, clientHeight } = this.#context.map.getContainer();
    const { left, right, top } = this.hidden();
    return x > left + 40 && y > top + 140 && x < clientWidth - right - 40 && y < clientHeight - 40;
  }

  #index(id) { return Number(id.slice(1)); }
}

const closeTo = (place) => CLOSE[place.kind] ?? 15;

/** The box around a place as `[[west, south], [east, north]]`; `null` for a small one. */
function extentOf({ bounds, estimatedRadius, longitude, latitude }) {
  if (bounds) {
    const [west, south, east, north] = bounds;
    return [[west, south], [east < west ? east + 360 : east, north]];
  }
  return estimatedRadius ? maplibregl.LngLatBounds.fromLngLat(new maplibregl.LngLat(longitude, latitude), estimatedRadius).toArray() : null;
}

function view(place, index, announcer, saved) {
  const { tint, picture } = look(place);
  const words = [kindOf(place), addressLine(place)].filter(Boolean);
  return {
    id: `f${index}`, ...PIN, position: [place.longitude, place.latitude], reuse: "found", title: place.name, label: listed([place.name, ...words]),
    // The first result is on top.
    order: -index, tint, glyphShape: shapeOf(picture),
    callout: { title: place.name, subtitle: words.join(" · "), detail: { kind: "element", make: () => details(place, announcer, saved) }, offset: [0, 0] },
  };
}
