// Measuring a distance and drawing a route: points are clicked, or put at the centre of the map by keyboard, moved and
// removed; the line and its length are shown, and it can be saved.

import { drawing, element, icon } from "./dom.js";
import { Handles } from "./handles.js";
import { course, lineLength, unrolled } from "./lines.js";
import { text } from "./texts.js";
import { length } from "./units.js";

const MOST_UNDONE = 100;
// The most points that a saved route has.
const MOST = 5000;

export class Measurement {
  #context;
  #points = [];
  #earlier = [];
  /** The saved route that is edited. */
  #route = null;
  #line = drawing("svg", { class: "measured", "aria-hidden": "true" });
  #text = element("span", { class: "length" });
  #hint = element("span", { class: "hint" });
  #undo;
  #remove;
  #save;
  #done;
  #cancel;
  #panel;
  #handles;
  #moved = () => this.#draw();
  #clicked = ({ lngLat }) => this.add(lngLat.toArray());

  constructor(context) {
    this.#context = context;
    const { map, stage } = context;
    const button = (name, words, action) => element("button", { type: "button", on: { click: action } }, icon(name), element("span", { text: words }));
    this.#undo = button("undo", text("Undo"), () => this.undo());
    this.#remove = button("delete", text("Remove point"), () => this.#removeActive());
    this.#save = button("save", text("Save"), () => this.#saveRoute());
    this.#done = button("check", text("Done"), () => this.end());
    this.#cancel = button("close", text("Cancel"), () => this.end());
    this.#panel = element("div", { class: "measure", role: "group" }, this.#text, this.#hint, this.#undo, this.#remove, this.#cancel, this.#save, this.#done);
    this.#handles = new Handles(map, {
      begin: () => this.#remember(),
      move: (index, position) => this.#change(this.#points.with(index, position), true),
      insert: (index, position) => this.#change(this.#points.toSpliced(index, 0, position)),
      remove: (index) => this.#change(this.#points.toSpliced(index, 1)),
      end: () => this.#changed(),
      select: () => this.#offer(),
      show: (position) => this.#context.camera.move({ center: position.slice(0, 2), duration: 0 }, "pan"),
    });
    stage.addEventListener("keydown", (event) => { if (this.isActive) this.#key(event); }, { capture: true });
  }

  get isActive() { return this.#points.length > 0; }

  /** Begins a line at a position. */
  begin(position) { this.#start([position], null); }

  /** Changes the points of a saved route. */
  edit(route) { this.#start(route.points, route); }

  #start(points, route) {
    this.end();
    this.#context.page.profile.close();
    [this.#points, this.#route, this.#earlier] = [points, route, []];
    this.#context.saved.routes.hide(route?.id ?? null);
    const isTouch = matchMedia("(pointer: coarse)").matches;
    this.#hint.textContent = route
      ? (isTouch ? text("Drag points; tap to add one.") : text("Drag points, or click to add one at the end. Escape ends without saving."))
      : (isTouch ? text("Tap to add a point.") : text("Click to add a point, or press Enter to add the centre. Escape ends."));
    this.#done.hidden = route !== null;
    this.#cancel.hidden = route === null;
    this.#panel.setAttribute("aria-label", route ? text("Route") : text("Distance"));
    this.#context.map.getCanvasContainer().append(this.#line);
    this.#context.stage.querySelector(".announcements").before(this.#panel);
    this.#context.stage.classList.add("is-measuring");
    this.#context.map.doubleClickZoom.disable();
    this.#context.map.on("move", this.#moved);
    this.#context.map.on("resize", this.#moved);
    this.#context.map.on("click", this.#clicked);
    this.#changed();
    this.#context.map.getCanvas().focus({ preventScroll: true });
  }

  add(position) {
    this.#remember();
    this.#change([...this.#points, position]);
  }

  undo() {
    if (!this.#earlier.length) return this.#route ? undefined : this.end();
    this.#points = this.#earlier.pop();
    this.#changed();
  }

  end() {
    if (!this.#panel.isConnected) return;
    const hadFocus = this.#panel.contains(document.activeElement) || document.activeElement === document.body;
    [this.#points, this.#route, this.#earlier] = [[], null, []];
    this.#context.saved.routes.hide(null);
    this.#handles.hide();
    this.#line.remove();
    this.#panel.remove();
    this.#context.stage.classList.remove("is-measuring");
    this.#context.map.off("move", this.#moved);
    this.#context.map.off("resize", this.#moved);
    this.#context.map.off("click", this.#clicked);
    if (this.#context.page.isZoomEnabled) this.#context.map.doubleClickZoom.enable();
    if (hadFocus) this.#context.map.getCanvas().focus({ preventScroll: true });
  }

  // MARK: Changing

  #remember() {
    this.#earlier.push(this.#points);
    if (this.#earlier.length > MOST_UNDONE) this.#earlier.shift();
  }

  /** Takes other points; the last one of a line cannot be removed. */
  #change(points, isMoving = false) {
    if (!points.length) return this.end();
    this.#points = points;
    if (isMoving) this.#draw();
    else this.#changed();
  }

  #removeActive() {
    this.#remember();
    this.#change(this.#points.toSpliced(this.#handles.active, 1));
  }

  #changed() {
    this.#draw();
    const measured = this.#text.textContent;
    this.#context.announcer.say(this.#points.length > 1 ? text("{length}, {count} points", { length: measured, count: this.#points.length }) : text("Measuring a distance from here."));
  }

  /** Shows the buttons for what can be done now. */
  #offer() {
    const { active } = this.#handles;
    this.#remove.hidden = active === null || this.#points.length < 2;
    this.#undo.disabled = this.#route !== null && !this.#earlier.length;
    this.#save.hidden = !this.#context.saved.isAvailable;
    this.#save.disabled = this.#points.length < 2 || (this.#route !== null && !this.#earlier.length);
  }

  #saveRoute() {
    if (this.#points.length > MOST) return this.#context.announcer.notice({ kind: "warning", text: text("A route has {count} points at most.", { count: MOST }) });
    const points = this.#points.map(([longitude, latitude, ...more]) => [new maplibregl.LngLat(longitude, latitude).wrap().lng, latitude, ...more]);
    // The drawing stays until the program has saved it.
    const whenSaved = () => this.end();
    if (this.#route) this.#context.saved.routes.save({ ...this.#route, points }, whenSaved);
    else this.#context.saved.routes.add(points, whenSaved);
  }

  #key(event) {
    if (event.key === "Escape") this.end();
    else if (event.target !== this.#context.map.getCanvas()) return;
    else if (event.key === "Enter") this.add(this.#context.map.getCenter().toArray());
    else if (event.key === "Backspace") this.undo();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  // MARK: Drawing

  #draw() {
    this.#text.textContent = length(lineLength(this.#points), this.#context.page.unit);
    const { clientWidth, clientHeight } = this.#context.map.getContainer();
    this.#line.setAttribute("viewBox", `0 0 ${clientWidth} ${clientHeight}`);
    this.#line.setAttribute("width", clientWidth);
    this.#line.setAttribute("height", clientHeight);
    const near = unrolled(this.#points, this.#context.map.getCenter().lng);
    const path = course(near).map((point) => {
      const { x, y } = this.#context.map.project(point);
      return `${x.toFixed(1)} ${y.toFixed(1)}`;
    }).join(" ");
    this.#line.replaceChildren(drawing("polyline", { points: path, class: "casing" }), drawing("polyline", { points: path }));
    this.#handles.show(near);
    this.#offer();
  }
}
