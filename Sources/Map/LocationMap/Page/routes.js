// The routes that the user has saved: lines on the map with a profile, and rows of the search list.

import { course, lineLength, profileOf, unrolled } from "./lines.js";
import { action } from "./place-details.js";
import { download, writeFile } from "./saved-files.js";
import { SavedForm, newID } from "./saved-form.js";
import { isRightToLeft, text } from "./texts.js";
import { length } from "./units.js";

const WIDTH = 5;
const CLOSEST = 17;
// The difference in degrees by which a position is another one: the program rounds them.
const SAME = 1e-6;

export class Routes {
  #context;
  #routes = [];
  /** Routes of a file that is shown, which are not saved. */
  #previewed = [];
  /** The numbers of the routes' lines, whose identifiers may have any characters. */
  #numbers = new Map();
  #drawn = new Map();
  /** The route that is edited, which is not drawn. */
  #hidden = null;
  /** Called with the identifier of a route of a file that the user removes from the map. */
  onClose = () => {};
  /** The route that is being saved, and what follows. */
  #waiting = null;

  constructor(context) {
    this.#context = context;
  }

  get all() { return this.#routes; }

  update(routes, previewed = []) {
    this.#routes = routes;
    this.#previewed = previewed;
    const known = this.#waiting && routes.find((route) => isSame(route, this.#waiting.route));
    if (known) this.#waiting.whenSaved();
    this.#draw();
    if (!known) return;
    this.#waiting = null;
    this.#context.page.profile.open(this.#drawnLine(known));
  }

  /** Hides the route that is edited; `null` shows all. */
  hide(id) {
    if (this.#hidden === id) return;
    this.#hidden = id;
    this.#draw();
  }

  #draw() {
    const shown = [...this.#routes, ...this.#previewed].filter(({ id }) => id !== this.#hidden);
    const lines = new Map(shown.map((route) => [this.#number(route.id), route]));
    const removed = [...this.#drawn.keys()].filter((number) => !lines.has(number));
    const changed = [...lines].filter(([number, route]) => this.#drawn.get(number) !== JSON.stringify(route));
    this.#context.page.routeLines.change({ removed, set: changed.map(([, route]) => this.#line(route)) });
    this.#drawn = new Map([...lines].map(([number, route]) => [number, JSON.stringify(route)]));
    this.#context.page.profile?.refresh();
  }

  #number(id) {
    if (!this.#numbers.has(id)) this.#numbers.set(id, `r${this.#numbers.size}`);
    return this.#numbers.get(id);
  }

  /** The line of a route as the map draws it. */
  #line(route) {
    const { id, name, note, color, points } = route;
    const coordinates = course(unrolled(points, points[0][0]));
    return {
      id: this.#number(id), key: id, kind: "shape", level: "aboveRoads", order: 0, title: name, note, stroke: color, width: WIDTH, cap: "round", join: "round",
      geometry: { type: "LineString", coordinates }, profileOf: () => profileOf(points), actions: () => this.#actions(route),
      length: lineLength(points), saved: !route.isPreview, isPreview: route.isPreview,
      remove: () => (route.isPreview ? this.onClose(id) : this.#context.connection.send({ type: "unsave", id })),
    };
  }

  #drawnLine({ id }) { return this.#context.page.routeLines.find(this.#number(id)); }

  #actions(route) {
    if (route.isPreview) return [action("save", text("Save"), () => this.save(route))];
    return [
      action("edit", text("Edit"), () => this.#open(route)),
      action("measure", text("Move points"), () => this.#context.page.measurement.edit(route)),
      action("share", text("Export"), () => download(`${fileName(route.name)}.gpx`, writeFile([], [route])), text("Export as GPX")),
    ];
  }

  /** The routes for the search list: their length comes before their note. */
  get rows() {
    return this.#routes.map(({ id, name, note, color, points }) => ({
      id, name, note, color, subtitle: [length(lineLength(points), this.#context.page.unit), note].filter(Boolean).join(" · "), isRoute: true,
    }));
  }

  /** Shows the whole of a route and its profile; false if there is none with this identifier. */
  show(id) {
    const route = [...this.#routes, ...this.#previewed].find((other) => other.id === id);
    if (!route) return false;
    this.fly(route.points);
    this.#context.page.profile.open(this.#drawnLine(route), { takesFocus: true });
    return true;
  }

  /** Shows all of some positions, and leaves room for a profile. */
  fly(positions) {
    const box = unrolled(positions, positions[0][0]).reduce((all, point) => all.extend(point), new maplibregl.LngLatBounds());
    const { clientWidth, clientHeight } = this.#context.map.getContainer();
    // The profile covers the lower part of the map, and controls and the list of tracks the edges.
    const beside = this.#context.page.tracks?.width ?? 0;
    const padding = {
      top: Math.min(90, clientHeight * 0.15), bottom: Math.min(300, clientHeight * 0.45),
      left: 30 + (isRightToLeft ? 0 : beside), right: (clientWidth > 600 ? 80 : 30) + (isRightToLeft ? beside : 0),
    };
    const target = this.#context.map.cameraForBounds(box, { padding, maxZoom: CLOSEST });
    if (target) this.#context.camera.fly(target);
  }

  /** Shows the form for a line that was drawn. */
  add(points, whenSaved) {
    this.#open({ id: newID("r"), name: text("Route"), note: "", color: null, points }, whenSaved);
  }

  #open(route, whenSaved = null) {
    new SavedForm({
      save: (made) => this.save(made, whenSaved ?? (() => {})),
      remove: (id) => this.#context.connection.send({ type: "unsave", id }),
    }).open(route, whenSaved !== null);
  }

  /** Sends a route to the program; `whenSaved` is called when it has saved it. */
  save(route, whenSaved = null) {
    if (whenSaved) this.#waiting = { route, whenSaved };
    const { id, name, note, color, points } = route;
    this.#context.connection.send({ type: "saveRoute", route: { id, name, note, color, points } });
  }
}

const isSame = (one, other) => one.id === other.id && one.name === other.name && one.note === other.note && one.color === other.color &&
  one.points.length === other.points.length && one.points.every((point, index) => [0, 1].every((axis) => Math.abs(point[axis] - other.points[index][axis]) < SAME));

const fileName = (name) => name.replace(/[^\p{L}\p{N} _-]/gu, "").trim().slice(0, 60) || "route";
