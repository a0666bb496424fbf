// Measuring a distance: points are clicked, or put at the centre of the map by keyboard; the line and its length are shown.

import { drawing, element, icon } from "./dom.js";
import { text } from "./texts.js";
import { length } from "./units.js";

// The length of the pieces in which long lines are drawn, in degrees: the shortest way over the globe is no straight line
// on the map.
const PIECE = 1;

export class Measurement {
  #map;
  #stage;
  #announcer;
  #page;
  #points = [];
  #line = drawing("svg", { class: "measured", "aria-hidden": "true" });
  #text = element("span", { class: "length" });
  #panel;
  #moved = () => this.#draw();
  #clicked = ({ lngLat }) => this.add(lngLat.toArray());

  constructor({ map, stage, announcer, page }) {
    this.#map = map;
    this.#stage = stage;
    this.#announcer = announcer;
    this.#page = page;
    const button = (name, words, action) => element("button", { type: "button", on: { click: action } }, icon(name), element("span", { text: words }));
    this.#panel = element("div", { class: "measure", role: "group", aria: { label: text("Distance") } }, this.#text,
      element("span", { class: "hint", text: matchMedia("(pointer: coarse)").matches ? text("Tap to add a point.") : text("Click to add a point, or press Enter to add the centre. Escape ends.") }),
      button("undo", text("Undo"), () => this.undo()), button("check", text("Done"), () => this.end()));
    stage.addEventListener("keydown", (event) => { if (this.isActive) this.#key(event); }, { capture: true });
  }

  get isActive() { return this.#points.length > 0; }

  begin(position) {
    this.end();
    this.#page.profile.close();
    this.#points = [position];
    this.#map.getCanvasContainer().append(this.#line);
    this.#stage.querySelector(".announcements").before(this.#panel);
    this.#stage.classList.add("is-measuring");
    this.#map.doubleClickZoom.disable();
    this.#map.on("move", this.#moved);
    this.#map.on("resize", this.#moved);
    this.#map.on("click", this.#clicked);
    this.#changed();
    this.#map.getCanvas().focus({ preventScroll: true });
  }

  add(position) {
    this.#points.push(position);
    this.#changed();
  }

  undo() {
    this.#points.pop();
    if (this.isActive) this.#changed();
    else this.end();
  }

  end() {
    if (!this.#panel.isConnected) return;
    const hadFocus = this.#panel.contains(document.activeElement);
    this.#points = [];
    this.#line.remove();
    this.#panel.remove();
    this.#stage.classList.remove("is-measuring");
    this.#map.off("move", this.#moved);
    this.#map.off("resize", this.#moved);
    this.#map.off("click", this.#clicked);
    if (this.#page.isZoomEnabled) this.#map.doubleClickZoom.enable();
    if (hadFocus) this.#map.getCanvas().focus({ preventScroll: true });
  }

  /** The length in metres. */
  get length() {
    return this.#points.slice(1).reduce((sum, point, index) => sum + at(this.#points[index]).distanceTo(at(point)), 0);
  }

  #changed() {
    const measured = length(this.length, this.#page.unit);
    this.#text.textContent = measured;
    this.#announcer.say(this.#points.length > 1 ? text("{length}, {count} points", { length: measured, count: this.#points.length }) : text("Measuring a distance from here."));
    this.#draw();
  }

  #key(event) {
    if (event.key === "Escape") this.end();
    else if (event.target !== this.#map.getCanvas()) return;
    else if (event.key === "Enter") this.add(this.#map.getCenter().toArray());
    else if (event.key === "Backspace") this.undo();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #draw() {
    const { clientWidth, clientHeight } = this.#map.getContainer();
    this.#line.setAttribute("viewBox", `0 0 ${clientWidth} ${clientHeight}`);
    this.#line.setAttribute("width", clientWidth);
    this.#line.setAttribute("height", clientHeight);
    const place = ([longitude, latitude]) => {
      const { x, y } = this.#map.project([longitude, latitude]);
      return [x.toFixed(1), y.toFixed(1)];
    };
    const near = unrolled(this.#points, this.#map.getCenter().lng);
    const path = near.flatMap((point, index) => (index ? pieces(near[index - 1], point) : [point])).map(place).join(" ");
    const dots = near.map(place).map(([cx, cy]) => drawing("circle", { cx, cy, r: 5 }));
    this.#line.replaceChildren(drawing("polyline", { points: path, class: "casing" }), drawing("polyline", { points: path }), ...dots);
  }
}

const at = (position) => new maplibregl.LngLat(...position);

/** The points with longitudes that go on from one to the next the short way, beginning near a longitude. */
function unrolled(points, centre) {
  let last = centre;
  return points.map(([longitude, latitude]) => {
    last = longitude + 360 * Math.round((last - longitude) / 360);
    return [last, latitude];
  });
}

/** The points of the shortest way over the globe, without the first. */
function pieces(from, to) {
  const [a, b] = [from, to].map(([longitude, latitude]) => {
    const [east, north] = [longitude * Math.PI / 180, latitude * Math.PI / 180];
    return [Math.cos(north) * Math.cos(east), Math.cos(north) * Math.sin(east), Math.sin(north)];
  });
  const angle = Math.acos(Math.min(1, Math.max(-1, a[0] * b[0] + a[1] * b[1] + a[2] * b[2])));
  const count = Math.ceil(angle * 180 / Math.PI / PIECE);
  // Opposite points have no shortest way.
  if (count < 2 || Math.sin(angle) < 1e-6) return [to];
  let last = from[0];
  return Array.from({ length: count }, (_, index) => {
    const share = (index + 1) / count;
    const [x, y, z] = a.map((value, axis) => (value * Math.sin((1 - share) * angle) + b[axis] * Math.sin(share * angle)) / Math.sin(angle));
    const longitude = Math.atan2(y, x) * 180 / Math.PI;
    last = longitude + 360 * Math.round((last - longitude) / 360);
    return [last, Math.atan2(z, Math.hypot(x, y)) * 180 / Math.PI];
  });
}
