// The points of a line that is drawn, as handles: dragged, added between two others, and removed, by pointer and by
// keyboard. Of many points, those that have room get one; coming closer gives one to the others.

import { element } from "./dom.js";
import { middle, nearest } from "./lines.js";
import { text } from "./texts.js";

const MOST = 120;
// The least distance between two handles, and that between which another one can be added, in pixels.
const APART = 20;
const ROOM = 88;
const SLIP = 4;
const STEP = 10;
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const WAYS = { PageUp: -1, PageDown: 1, Home: -Infinity, End: Infinity };
const HINT = "handles-hint";

export class Handles {
  #map;
  #line;
  #points = [];
  #buttons = new Map();
  #between = [];
  #active = null;
  #isDragging = false;
  #layer = element("div", { class: "handles", role: "group", aria: { label: text("Points of the line"), describedby: HINT } });
  #hint = element("span", { id: HINT, class: "unseen", hidden: true, text: text("Page Up and Page Down go from one to the next. Arrow keys move it, Insert adds one after it, Delete removes it.") });
  #placed = () => this.#place();
  #settled = () => this.#fill();

  /** `line` changes the points: `begin()` before each change, then `move(index, position)`, `insert(index, position)` or
   *  `remove(index)`; `end()` after a drag, `select(index)` for the point that is chosen, and `show(position)` to bring one into view. */
  constructor(map, line) {
    this.#map = map;
    this.#line = line;
    for (const name of ["mousedown", "touchstart", "click", "dblclick", "contextmenu"]) {
      this.#layer.addEventListener(name, (event) => event.stopPropagation(), { passive: true });
    }
    this.#layer.addEventListener("pointerdown", (event) => this.#pressed(event));
    this.#layer.addEventListener("keydown", (event) => this.#key(event));
    this.#layer.addEventListener("focusin", (event) => this.#activate(Number(event.target.dataset.index)));
  }

  /** The index of the chosen point; `null` if there is none. */
  get active() { return this.#active; }

  show(points) {
    this.#points = points;
    if (!this.#layer.isConnected) {
      this.#map.getCanvasContainer().append(this.#layer, this.#hint);
      this.#map.on("move", this.#placed);
      this.#map.on("moveend", this.#settled);
      this.#map.on("resize", this.#settled);
    }
    if (this.#active !== null && this.#active >= points.length) this.#active = points.length - 1;
    if (this.#isDragging) this.#place();
    else this.#fill();
  }

  hide() {
    this.#layer.remove();
    this.#hint.remove();
    this.#map.off("move", this.#placed);
    this.#map.off("moveend", this.#settled);
    this.#map.off("resize", this.#settled);
    this.#active = null;
  }

  /** Gives handles to the points that have room. */
  #fill() {
    if (this.#isDragging) return;
    const hadFocus = this.#layer.contains(document.activeElement);
    const indexes = this.#withRoom();
    const reached = indexes.includes(this.#active) ? this.#active : indexes.at(-1);
    const buttons = new Map(indexes.map((index) => [index, this.#buttons.get(index) ?? element("button", { type: "button", class: "handle" })]));
    for (const [index, button] of this.#buttons) if (!buttons.has(index)) button.remove();
    for (const [index, button] of buttons) {
      button.dataset.index = index;
      button.tabIndex = index === reached ? 0 : -1;
      button.setAttribute("aria-label", text("Point {number} of {total}", { number: index + 1, total: this.#points.length }));
      button.classList.toggle("is-active", index === this.#active);
      if (!button.isConnected) this.#layer.append(button);
    }
    this.#buttons = buttons;
    for (const { node } of this.#between) node.remove();
    this.#between = indexes.filter((index, at) => at && index === indexes[at - 1] + 1 && this.#distance(index - 1, index) >= ROOM)
      .map((index) => ({ index, node: element("span", { class: "handle between", data: { index }, aria: { hidden: true } }) }));
    this.#layer.prepend(...this.#between.map(({ node }) => node));
    if (hadFocus && reached !== undefined) buttons.get(reached).focus({ preventScroll: true });
    this.#place();
  }

  #withRoom() {
    const { clientWidth, clientHeight } = this.#map.getContainer();
    const taken = [];
    const hasRoom = ({ x, y }) => x > -APART && y > -APART && x < clientWidth + APART && y < clientHeight + APART
      && taken.every((other) => Math.hypot(other.x - x, other.y - y) >= APART);
    const chosen = new Set();
    const take = (index) => {
      if (chosen.size >= MOST || chosen.has(index)) return;
      const at = this.#project(this.#points[index]);
      if (!hasRoom(at)) return;
      taken.push(at);
      chosen.add(index);
    };
    // The chosen point and the ends come first.
    for (const index of [this.#active ?? this.#points.length - 1, this.#points.length - 1, 0]) take(index);
    for (const index of this.#points.keys()) take(index);
    return [...chosen].sort((a, b) => a - b);
  }

  #project([longitude, latitude]) { return this.#map.project([nearest(longitude, this.#map.getCenter().lng), latitude]); }

  #distance(one, other) {
    const [from, to] = [one, other].map((index) => this.#project(this.#points[index]));
    return Math.hypot(from.x - to.x, from.y - to.y);
  }

  #place() {
    const put = (node, point) => {
      const { x, y } = this.#project(point);
      node.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
    };
    for (const [index, button] of this.#buttons) if (this.#points[index]) put(button, this.#points[index]);
    for (const { index, node } of this.#between) {
      if (this.#points[index]) put(node, middle(this.#points[index - 1], this.#points[index]));
    }
  }

  #activate(index) {
    if (this.#active === index) return;
    this.#active = index;
    for (const [at, button] of this.#buttons) {
      button.classList.toggle("is-active", at === index);
      button.tabIndex = at === index ? 0 : -1;
    }
    this.#line.select(index);
  }

  // MARK: By pointer

  #pressed(event) {
    event.stopPropagation();
    const handle = event.target.closest(".handle");
    if (!handle || event.button !== 0) return;
    const index = Number(handle.dataset.index);
    const isNew = handle.matches(".between");
    if (isNew) {
      this.#line.begin();
      this.#line.insert(index, middle(this.#points[index - 1], this.#points[index]));
    }
    this.#activate(index);
    const start = [event.clientX, event.clientY];
    const origin = this.#project(this.#points[index]);
    const moved = (move) => {
      if (move.pointerId !== event.pointerId) return;
      const by = [move.clientX - start[0], move.clientY - start[1]];
      if (!this.#isDragging) {
        if (Math.hypot(...by) < SLIP) return;
        this.#isDragging = true;
        if (!isNew) this.#line.begin();
        for (const { node } of this.#between) node.hidden = true;
      }
      this.#line.move(index, this.#map.unproject([origin.x + by[0], origin.y + by[1]]).toArray());
    };
    const ended = (end) => {
      if (end.pointerId !== event.pointerId) return;
      for (const [name, listener] of listeners) removeEventListener(name, listener);
      const wasDragging = this.#isDragging;
      this.#isDragging = false;
      if (wasDragging) this.#line.end();
      this.#fill();
    };
    const listeners = [["pointermove", moved], ["pointerup", ended], ["pointercancel", ended]];
    for (const [name, listener] of listeners) addEventListener(name, listener);
  }

  // MARK: By keyboard

  #key(event) {
    if (event.key === "Escape" || event.key === "Tab") return;
    event.stopPropagation();
    const index = Number(event.target.dataset.index);
    const step = ARROWS[event.key];
    const way = WAYS[event.key];
    if (step) {
      const { x, y } = this.#project(this.#points[index]);
      const length = event.shiftKey ? 1 : STEP;
      this.#line.begin();
      this.#line.move(index, this.#map.unproject([x + step[0] * length, y + step[1] * length]).toArray());
      this.#line.end();
    } else if (way !== undefined) {
      this.#go(Math.min(Math.max(index + way, 0), this.#points.length - 1));
    } else if (event.key === "Delete" || event.key === "Backspace") {
      this.#line.begin();
      this.#line.remove(index);
    } else if ((event.key === "Insert" || event.key === "+") && index + 1 < this.#points.length) {
      this.#line.begin();
      this.#line.insert(index + 1, middle(this.#points[index], this.#points[index + 1]));
      this.#go(index + 1);
    } else return;
    event.preventDefault();
  }

  #go(index) {
    this.#activate(index);
    this.#fill();
    // Beyond the edge of the map there are no handles.
    if (!this.#buttons.has(index)) this.#line.show(this.#points[index]);
    this.#buttons.get(index)?.focus({ preventScroll: true });
  }
}
