// The annotation views on the map: placed at every frame of a move, added and removed by the program, and reachable by
// keyboard.

import { captionsOf } from "./captions.js";
import { nearest } from "./lines.js";
import { build } from "./view.js";
import { element, prefersReducedMotion } from "./dom.js";
import { text } from "./texts.js";

const DROP_STAGGER = 40;
// The distance in pixels within which views are at one place.
const SAME_PLACE = 8;
// The number of layers with a hint for screen readers.
let hints = 0;

export class Views {
  #map;
  #all = new Map();
  #spare = new Map();
  #layer;
  #selected = null;
  #reached = null;
  #leaving = new Set();
  #flights = new Map();
  #frame = null;
  #captions;
  #isLive = true;

  /** Called after views have moved on the screen. */
  onPlaced = () => {};
  onPressed = () => {};
  /** Called with the id of a pressed view and all views at its place, of which the others may be below it. */
  onPiled = (id, views, byKey) => this.onPressed(id, byKey);
  /** Called with the boxes on the screen of all views with their captions, when these have changed. */
  onCaptioned = () => {};

  /** `label` is the name for screen readers. */
  constructor(map, drag, label = text("Annotations")) {
    this.#map = map;
    const hint = `hint-${++hints}`;
    this.#layer = element("div", { class: "views", role: "group", aria: { label, describedby: hint } });
    this.drag = drag;
    map.getCanvasContainer().append(this.#layer, element("span", { id: hint, class: "unseen", hidden: true, text: text("Arrow keys go from one to the next, Enter opens it.") }));
    this.#showLayer();
    map.on("move", () => this.place());
    map.on("resize", () => this.place());
    this.#captions = captionsOf(map);
    this.#captions.add(this);
    this.#layer.addEventListener("click", (event) => this.#clicked(event));
    this.#layer.addEventListener("keydown", (event) => this.#key(event));
    this.#layer.addEventListener("focusin", (event) => this.#focused(event));
    // MapLibre would zoom on a double-click on a view.
    this.#layer.addEventListener("dblclick", (event) => event.stopPropagation());
  }

  get count() { return this.#all.size; }
  get layer() { return this.#layer; }

  /** Lists the views for users without a map. */
  get list() { return [...this.#all.values()].map(({ view }) => view); }

  /** Set to false while the connection is lost: views that the program has moved are where it was last. */
  set isLive(isLive) {
    this.#isLive = isLive;
    for (const entry of this.#all.values()) this.#markAge(entry);
  }

  #markAge({ button, hasMoved }) {
    const isStale = !this.#isLive && hasMoved === true;
    button.classList.toggle("is-stale", isStale);
    if (isStale) button.setAttribute("aria-description", text("Not current"));
    else button.removeAttribute("aria-description");
  }

  entry(id) { return this.#all.get(id); }

  replace(views) {
    for (const id of [...this.#all.keys()]) this.#drop(id);
    for (const view of views) this.#show({ ...view, animates: false });
    this.#settle();
  }

  change({ show = [], change = [], hide = [], duration = 0.25 }) {
    const isAnimated = duration > 0 && !prefersReducedMotion();
    for (const { id, to } of hide) this.#hide(id, isAnimated ? to : null, duration, isAnimated);
    let order = 0;
    for (const view of show) this.#show(view, isAnimated, duration, view.animates ? order++ : 0);
    for (const view of change) this.#show(view, false);
    this.#settle();
  }

  #show(view, isAnimated = false, duration = 0, order = 0) {
    const known = this.#all.get(view.id);
    const entry = known ?? { button: this.#spare.get(reuseKey(view))?.pop() };
    // An image that only moves keeps its element: a new <img> would flicker.
    const look = JSON.stringify({ ...view, position: 0, from: 0, order: 0, callout: Boolean(view.callout) });
    if (entry.look !== look || !entry.button) entry.button = build(view, entry.button);
    if (entry.look !== look) entry.caption = null;
    if (known && !view.members && String(known.view.position) !== String(view.position)) entry.hasMoved = true;
    Object.assign(entry, { view, look });
    entry.button.dataset.id = view.id;
    entry.button.classList.toggle("is-selected", this.#selected === view.id);
    if (known) return;
    this.#all.set(view.id, entry);
    this.#layer.append(entry.button);
    if (!isAnimated) return;
    if (view.from) this.#fly(entry, view.from, view.position, duration, "appear");
    else if (view.animates && view.kind === "pin") animate(entry.button, "drops", Math.min(order, 12) * DROP_STAGGER);
    else animate(entry.button, "pops", Math.min(order, 12) * DROP_STAGGER / 2);
  }

  #hide(id, to, duration, isAnimated) {
    const entry = this.#all.get(id);
    if (!entry) return;
    const hadFocus = document.activeElement === entry.button;
    this.#all.delete(id);
    if (hadFocus) this.#map.getCanvas().focus({ preventScroll: true });
    if (!isAnimated || entry.isDragged) return this.#retire(entry);
    entry.button.inert = true;
    this.#leaving.add(entry);
    const end = () => { this.#leaving.delete(entry); this.#retire(entry); this.#showLayer(); };
    if (to) this.#fly(entry, entry.view.position, to, duration, "vanish", end);
    else fade(entry.button, duration).finally(end);
  }

  #drop(id) {
    const entry = this.#all.get(id);
    this.#all.delete(id);
    this.#retire(entry);
  }

  /** Elements are reused by their reuse identifier, as views are. */
  #retire(entry) {
    this.#flights.delete(entry);
    const { button, view } = entry;
    for (const animation of button.getAnimations?.() ?? []) animation.cancel();
    button.remove();
    button.inert = false;
    button.classList.remove("is-stale");
    button.removeAttribute("aria-description");
    const key = reuseKey(view);
    const spare = this.#spare.get(key) ?? [];
    this.#spare.set(key, spare);
    if (spare.length < 50) spare.push(button);
  }

  // MARK: Places

  #settle() {
    this.#showLayer();
    this.#stack();
    this.place();
    this.#keepReachable();
    this.#captions.update();
  }

  /** Hides an empty layer, which would be an empty group for screen readers. */
  #showLayer() {
    this.#layer.hidden = !this.#all.size && !this.#leaving.size;
  }

  /** Views that the program orders later are above the others, and the selected one is on top. */
  #stack() {
    const sorted = [...this.#all.values()].sort((a, b) => (a.view.order ?? 0) - (b.view.order ?? 0));
    sorted.forEach((entry, index) => { entry.button.style.zIndex = entry.view.id === this.#selected ? sorted.length : index; });
  }

  /** Places every view at its coordinate on the screen. */
  place() {
    const centre = this.#map.getCenter().lng;
    const bearing = this.#map.getBearing();
    for (const entry of this.#all.values()) this.#put(entry, centre, bearing);
    for (const entry of this.#leaving) this.#put(entry, centre, bearing);
    this.onPlaced();
  }

  #put(entry, centre, bearing) {
    const { view, button } = entry;
    const [longitude, latitude] = entry.at ?? view.position;
    // Uses the repetition of the world that is nearest to the centre.
    const point = this.#map.project([nearest(longitude, centre), latitude]);
    const [width, height] = view.size ?? [32, 32];
    const [x, y] = view.offset ?? [0, 0];
    entry.offset = [x, y];
    entry.x = point.x + x;
    entry.y = point.y + y;
    const turn = view.isFlat ? ` rotate(${-bearing}deg)` : "";
    button.style.transform = `translate(${(entry.x - width / 2).toFixed(1)}px, ${(entry.y - height / 2).toFixed(1)}px)${turn}`;
  }

  /** Moves a view from one coordinate to another while it appears or disappears, as groups split and join. */
  #fly(entry, from, to, duration, manner, end = () => {}) {
    this.#flights.set(entry, { from, to, start: performance.now(), duration: duration * 1000, manner, end });
    entry.at = from;
    this.#frame ??= requestAnimationFrame(() => this.#fliesOn());
  }

  #fliesOn() {
    this.#frame = null;
    const now = performance.now();
    for (const [entry, flight] of this.#flights) {
      const time = Math.min(1, Math.max(0, now - flight.start) / flight.duration);
      const eased = 1 - (1 - time) ** 3;
      entry.at = flight.from.map((value, index) => value + (flight.to[index] - value) * eased);
      const opacity = flight.manner === "appear" ? Math.min(1, time * 2) : 1 - eased;
      entry.button.style.opacity = opacity * (entry.view.opacity ?? 1);
      if (time === 1) {
        this.#flights.delete(entry);
        entry.at = null;
        flight.end();
      }
    }
    this.place();
    if (this.#flights.size) this.#frame = requestAnimationFrame(() => this.#fliesOn());
    else this.#captions.update();
  }

  // MARK: Captions

  get entries() { return [...this.#all.values()]; }

  isSelected({ view }) { return view.id === this.#selected; }

  /** The order in which captions get room: those of groups last, otherwise as the program orders the views. */
  importance({ view }) { return (view.members ? -1e15 : 0) + (view.order ?? 0); }

  // MARK: Selection

  select(id) {
    if (this.#selected === id) return;
    for (const [which, isSelected] of [[this.#selected, false], [id, true]]) {
      this.#all.get(which)?.button.classList.toggle("is-selected", isSelected);
    }
    this.#selected = id;
    this.#stack();
    this.#captions.update();
  }

  #clicked(event) {
    const entry = this.#entryOf(event.target);
    event.stopPropagation();
    if (!entry || entry.view.isEnabled === false || entry.wasDragged) return;
    const pile = [...this.#all.values()].filter(({ view, x, y }) => view.isEnabled !== false && Math.hypot(x - entry.x, y - entry.y) < SAME_PLACE);
    if (pile.length > 1) this.onPiled(entry.view.id, pile.map(({ view }) => view), event.detail === 0);
    else this.onPressed(entry.view.id, event.detail === 0);
  }

  #entryOf(node) {
    return this.#all.get(node.closest?.(".view")?.dataset.id);
  }

  focus(id) {
    this.#all.get(id)?.button.focus({ preventScroll: true });
  }

  // MARK: Keys

  // A hundred views must not be a hundred tab stops: one is, and arrow keys move on from there.
  #focused(event) {
    const entry = this.#entryOf(event.target);
    if (entry) this.#reach(entry);
  }

  #reach(entry) {
    if (this.#reached && this.#reached !== entry) this.#reached.button.tabIndex = -1;
    this.#reached = entry;
    entry.button.tabIndex = 0;
  }

  #keepReachable() {
    if (this.#reached && this.#all.get(this.#reached.view.id) === this.#reached) return;
    if (this.#reached) this.#reached.button.tabIndex = -1;
    this.#reached = null;
    const { clientWidth, clientHeight } = this.#map.getContainer();
    const nearest = closest([...this.#all.values()].filter(({ view }) => view.isEnabled !== false),
      (entry) => Math.hypot(entry.x - clientWidth / 2, entry.y - clientHeight / 2));
    if (nearest) this.#reach(nearest);
  }

  #key(event) {
    const entry = this.#entryOf(event.target);
    const direction = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!entry) return;
    if (event.key !== "Tab" && event.key !== "Escape") event.stopPropagation();
    if (!direction) {
      if (event.key === "Enter" && this.drag.isCarried(entry)) { event.preventDefault(); this.drag.putDown(entry); }
      if (event.key === "Escape" && this.drag.isCarried(entry)) { event.stopPropagation(); this.drag.putBack(entry); }
      return;
    }
    event.preventDefault();
    if (event.shiftKey && entry.view.isDraggable) this.drag.carry(entry, direction);
    else this.#next(entry, direction)?.button.focus({ preventScroll: true });
  }

  /** The nearest view in a direction; sideways distance counts double. */
  #next(from, [x, y]) {
    const { clientWidth, clientHeight } = this.#map.getContainer();
    const onScreen = [...this.#all.values()].filter((entry) => entry !== from && entry.view.isEnabled !== false &&
      entry.x > 0 && entry.y > 0 && entry.x < clientWidth && entry.y < clientHeight);
    const ahead = onScreen.filter((entry) => (entry.x - from.x) * x + (entry.y - from.y) * y > 0.5);
    return closest(ahead, (entry) => {
      const along = (entry.x - from.x) * x + (entry.y - from.y) * y;
      const aside = Math.abs((entry.x - from.x) * y) + Math.abs((entry.y - from.y) * x);
      return along + 2 * aside;
    });
  }
}

const reuseKey = (view) => `${view.kind} ${view.reuse ?? ""}`;

const closest = (entries, measure) =>
  entries.reduce((best, entry) => (best === null || measure(entry) < measure(best) ? entry : best), null);

function animate(button, name, delay) {
  const body = button.querySelector(".body, .picture, .blank");
  if (!body) return;
  body.style.animationDelay = `${delay}ms`;
  body.classList.add(name);
  body.addEventListener("animationend", () => body.classList.remove(name), { once: true });
}

const fade = (button, duration) =>
  button.animate([{ opacity: 0 }], { duration: duration * 1000, easing: "ease-out", fill: "forwards" }).finished.catch(() => {});
