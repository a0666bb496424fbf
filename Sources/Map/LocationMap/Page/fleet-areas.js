// Areas that raise an alarm when a vehicle enters or leaves them, and these alarms. The program judges the positions and keeps both;
// here they are drawn and listed, and an area is made in a form beside the map.

import { element, iconButton, keepKeys, shown } from "./dom.js";
import { FONT } from "./expressions.js";
import { newID } from "./saved-form.js";
import { locale, text } from "./texts.js";
import { accuracyOf } from "./units.js";

const SOURCE = "fleet-areas";
// In metres, as the program takes them.
const RADII = { least: 20, most: 100_000, usual: 200 };
// A little less than the program takes, in characters.
const LONGEST = 90;
const EARTH = 6_371_009;
const CORNERS = 96;
const NONE = { type: "FeatureCollection", features: [] };
const DAY = 86_400_000;
const times = new Intl.DateTimeFormat(locale, { timeStyle: "short" });
const dates = new Intl.DateTimeFormat(locale, { dateStyle: "short", timeStyle: "short" });

export class FleetAreas {
  #context;
  #map;
  #list = () => {};
  #areas = [];
  #alarms = null;
  #data = NONE;
  /** The area in the form; `null` without one. */
  #draft = null;
  #form = null;
  #count = element("h3");
  #log = element("ul");
  #rows = element("ul");
  #summary = element("summary");
  /** For the list of the vehicles. */
  alarmSection = element("section", { class: "alarms", hidden: true },
    element("header", {}, this.#count, element("button", { type: "button", text: text("Dismiss all"), on: { click: () => this.#dismiss((this.#alarms ?? []).map(({ number }) => number)) } })), element("div", { role: "log", aria: { label: text("Alarms") } }, this.#log));
  areaSection = element("details", { class: "areas" }, this.#summary, this.#rows,
    element("button", { type: "button", text: text("Add an area"), on: { click: () => this.add(this.#map.getCenter().wrap().toArray()) } }));

  /** `list(isOpen)` closes the list of the vehicles, or opens it again. */
  constructor(context, list) {
    this.#context = context;
    this.#map = context.map;
    this.#list = list;
    this.#drawRows();
  }

  get alarmCount() { return this.#alarms?.length ?? 0; }
  get sources() { return { [SOURCE]: { type: "geojson", data: this.#data } }; }

  /** The layers below the vehicles. */
  layers(isDark) {
    const colour = isDark ? "#f0b429" : "#9a5b00";
    const line = (id, isDraft, more) => ({ id, type: "line", source: SOURCE, filter: ["==", ["get", "isDraft"], isDraft], paint: { "line-color": colour, "line-width": 2, ...more } });
    return [
      { id: "fleet:area", type: "fill", source: SOURCE, paint: { "fill-color": colour, "fill-opacity": 0.12 } },
      line("fleet:area-border", false, {}), line("fleet:area-draft", true, { "line-dasharray": [2, 1.5] }),
      { id: "fleet:area-name", type: "symbol", source: SOURCE,
        layout: { "text-field": ["get", "name"], "text-font": FONT, "text-size": 12, "symbol-placement": "line", "text-offset": [0, -0.9] },
        paint: isDark ? { "text-color": "#ffd98a", "text-halo-color": "rgba(20,22,26,.9)", "text-halo-width": 1.4 } : { "text-color": "#6b3f00", "text-halo-color": "rgba(255,255,255,.9)", "text-halo-width": 1.4 } },
    ];
  }

  receive({ areas, alarms }) {
    const last = this.#alarms?.at(-1)?.number ?? 0;
    // Those that the page finds when it opens are not new.
    const added = this.#alarms === null ? [] : alarms.filter(({ number }) => number > last);
    [this.#areas, this.#alarms] = [areas, alarms];
    // An open list is read by itself.
    if (added.length && !this.alarmSection.isConnected) this.#context.announcer.say(sentence(added.at(-1)));
    this.#drawAlarms();
    this.#drawRows();
    this.#draw();
  }

  // MARK: Alarms

  #dismiss(numbers) { this.#context.connection.send({ type: "fleetOrder", dismissed: numbers }); }

  #drawAlarms() {
    const hadFocus = this.alarmSection.contains(document.activeElement);
    const numbers = new Set(this.#alarms.map(({ number }) => `${number}`));
    for (const row of [...this.#log.children]) if (!numbers.has(row.dataset.number)) row.remove();
    const drawn = new Set([...this.#log.children].map((row) => row.dataset.number));
    // The newest is the first.
    for (const alarm of this.#alarms) if (!drawn.has(`${alarm.number}`)) this.#log.prepend(this.#alarmRow(alarm));
    this.#count.textContent = text("{count} alarms", { count: this.alarmCount });
    this.alarmSection.hidden = this.alarmCount === 0;
    if (hadFocus && !this.alarmSection.contains(document.activeElement)) {
      (this.#log.querySelector("button") ?? this.#summary).focus({ preventScroll: true });
    }
  }

  #alarmRow(alarm) {
    const show = () => this.#context.camera.fly({ center: alarm.position, zoom: Math.max(this.#map.getZoom(), 14) });
    return element("li", { data: { number: alarm.number } },
      element("button", { type: "button", class: "show", title: text("Show on the map"), on: { click: show } },
        element("span", { class: "words" }, element("span", { class: "title", dir: "auto", text: happened(alarm) }), element("span", { class: "subtitle", text: timeOf(alarm) }))),
      iconButton("close", text("Dismiss"), () => this.#dismiss([alarm.number])));
  }

  // MARK: Areas

  #drawRows() {
    this.#summary.textContent = text("{count} areas with alarms", { count: this.#areas.length });
    const hadFocus = this.#rows.contains(document.activeElement);
    this.#rows.replaceChildren(...this.#areas.map((area) => element("li", {},
      element("button", { type: "button", class: "show", title: text("Edit"), on: { click: () => this.#edit(area, false) } },
        element("span", { class: "words" }, element("span", { class: "title", dir: "auto", text: area.name }),
          element("span", { class: "subtitle", text: `${accuracyOf(area.radius)} · ${area.search ? text("Vehicles with {text} in their name", { text: shown(area.search) }) : text("All vehicles")}` }))))));
    if (hadFocus) this.#summary.focus({ preventScroll: true });
  }

  add(center) { this.#edit({ id: newID("a"), name: "", center, radius: RADII.usual, search: "" }, true); }

  #edit(area, isNew) {
    this.#form?.remove();
    this.#list(false);
    this.#draft = { ...area };
    const field = (name, label, properties) => {
      const input = element("input", { id: `area-${name}`, autocomplete: "off", ...properties });
      input.value = this.#draft[name];
      input.addEventListener("input", () => {
        this.#draft[name] = name === "radius" ? input.valueAsNumber : input.value;
        this.#draw();
      });
      return element("div", { class: "entry" }, element("label", { for: `area-${name}`, text: label }), input);
    };
    const name = field("name", text("Name"), { required: true, maxlength: LONGEST, dir: "auto" });
    const button = (label, action, properties = {}) => element("button", { type: "button", text: label, on: { click: action }, ...properties });
    this.#form = element("form", { class: "tracks fleet area-form", aria: { label: isNew ? text("New area") : text("Area") } },
      element("header", {}, element("h2", { text: isNew ? text("New area") : text("Area") }), iconButton("close", text("Cancel"), () => this.#end())),
      element("p", { text: text("A vehicle that enters or leaves it raises an alarm. Click the map to move it.") }),
      button(text("Move to the middle of the map"), () => this.moveTo(this.#map.getCenter().wrap().toArray()), { class: "centre" }),
      name, field("radius", text("Radius in metres"), { type: "number", required: true, min: RADII.least, max: RADII.most, step: "any" }),
      field("search", text("Only vehicles with this in their name"), { maxlength: LONGEST, dir: "auto", placeholder: text("All vehicles") }),
      element("div", { class: "buttons" },
        isNew ? null : button(text("Remove"), () => { this.#context.connection.send({ type: "fleetOrder", removed: area.id }); this.#end(); }, { class: "remove" }),
        element("button", { type: "submit", class: "default", text: text("Save") })));
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      const { search, ...draft } = this.#draft;
      this.#context.connection.send({ type: "fleetOrder", area: { ...draft, name: draft.name.trim() || text("Area"), search: search.trim() } });
      this.#end();
    });
    keepKeys(this.#form, () => this.#end());
    this.#context.stage.querySelector("#surface").before(this.#form);
    this.#show(area);
    name.querySelector("input").focus({ preventScroll: true });
    this.#draw();
  }

  /** Brings an area into the part of the map that the form leaves, no closer than the map is. */
  #show(area) {
    const [outer, form] = [this.#map.getContainer(), this.#form].map((node) => node.getBoundingClientRect());
    const isBelow = form.width > outer.width / 2;
    const side = outer.right - form.right > form.left - outer.left ? "left" : "right";
    const covered = isBelow ? { bottom: outer.bottom - form.top } : { [side]: side === "left" ? form.right - outer.left : outer.right - form.left };
    const bounds = new maplibregl.LngLatBounds();
    for (const corner of feature(area, true).geometry.coordinates[0]) bounds.extend(corner);
    const padding = Object.fromEntries(["top", "right", "bottom", "left"].map((edge) => [edge, (covered[edge] ?? 0) + 32]));
    const camera = this.#map.cameraForBounds(bounds, { padding, maxZoom: Math.max(11, this.#map.getZoom()) });
    if (camera) this.#context.camera.fly({ center: camera.center, zoom: camera.zoom });
  }

  get isEditing() { return this.#draft !== null; }

  /** Moves the area in the form. */
  moveTo(position) {
    this.#draft.center = position;
    this.#draw();
  }

  #end() {
    this.#form.remove();
    [this.#form, this.#draft] = [null, null];
    this.#draw();
    this.#list(true);
    this.#summary.focus({ preventScroll: true });
  }

  #draw() {
    const others = this.#areas.filter(({ id }) => id !== this.#draft?.id).map((area) => feature(area, false));
    const draft = this.#draft && this.#draft.radius >= RADII.least && this.#draft.radius <= RADII.most ? [feature(this.#draft, true)] : [];
    this.#data = { type: "FeatureCollection", features: [...others, ...draft] };
    this.#map.getSource(SOURCE)?.setData(this.#data);
  }
}

const happened = ({ kind, vehicle, area }) => (kind === "entered" ? text("{vehicle} entered {area}", { vehicle, area }) : text("{vehicle} left {area}", { vehicle, area }));
const timeOf = ({ time }) => (Math.abs(Date.now() - time * 1000) < DAY ? times : dates).format(time * 1000);
const sentence = (alarm) => `${shown(happened(alarm))} · ${timeOf(alarm)}`;

/** The border of an area, on a sphere. Its longitudes go on beyond 180. */
function feature({ center: [longitude, latitude], radius, name }, isDraft) {
  const [turn, height] = [radius / EARTH, latitude * Math.PI / 180];
  const ring = Array.from({ length: CORNERS + 1 }, (_, index) => {
    const course = 2 * Math.PI * (index % CORNERS) / CORNERS;
    const north = Math.asin(Math.sin(height) * Math.cos(turn) + Math.cos(height) * Math.sin(turn) * Math.cos(course));
    const east = Math.atan2(Math.sin(course) * Math.sin(turn) * Math.cos(height), Math.cos(turn) - Math.sin(height) * Math.sin(north));
    return [longitude + east * 180 / Math.PI, north * 180 / Math.PI];
  });
  return { type: "Feature", properties: { name: shown(name), isDraft }, geometry: { type: "Polygon", coordinates: [ring] } };
}
