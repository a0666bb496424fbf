// The vehicles of a broker: symbols by state on the map, gathered in clusters, a callout of the selected one, and a list for people
// who look for one by name or who do not see the map. Their names are those that others have written, and are shown as text only.

import { Callout } from "./callout.js";
import { addressedView } from "./camera.js";
import { element, shown } from "./dom.js";
import { FleetAreas } from "./fleet-areas.js";
import { FleetList } from "./fleet-list.js";
import { FleetPlayback } from "./fleet-playback.js";
import { CLUSTERS, addSymbols, layers } from "./fleet-layers.js";
import { STATES, VehicleReader, aheadOf, factsOf, stateOf } from "./fleet-vehicle.js";
import { english, text } from "./texts.js";

const SOURCE = "fleet";
const SELECTED = "fleet-selected";
const TRAIL = "fleet-trail";
const AHEAD = "fleet-ahead";
// Each change of many vehicles lays out all of their symbols again: the time between two of them in milliseconds.
const INTERVAL = 250;
const LONG_INTERVAL = 1000;
const MANY = 1000;
// The time between two messages about the view while the map moves, and the part of the view around it that is shown, too.
const VIEW_INTERVAL = 400;
const MARGIN = 0.2;
// The time for which vehicles are awaited before the map shows all of them.
const ARRIVAL = 800;
const CLOSE = 14;
// The time between two lists of a playback in milliseconds.
const LIST_INTERVAL = 500;
// A cluster of so many vehicles lists them at a click; a larger one comes closer.
const MOST_LISTED = 12;
// The longest trail, in positions.
const LONGEST_TRAIL = 5000;
// From this zoom on vehicles are shown where they probably are by now, at most so many of them.
const AHEAD_FROM = 11;
const MOST_AHEAD = 300;
// The tolerance of a click, in pixels.
const TOLERANCE = 9;
const SIZE = 24;
const NONE = { type: "FeatureCollection", features: [] };

export class Fleet {
  #context;
  #map;
  #all = new Map();
  #reader = new VehicleReader();
  #playback;
  /** What the program has sent of the list, for the end of a playback. */
  #listed = {};
  #listDrawn = 0;
  #list;
  #areas;
  #callout;
  #selected = null;
  /** The cluster whose members are listed; `null` without one. */
  #cluster = null;
  #isFollowing = false;
  #trail = [];
  #isShown = false;
  #data = { [SOURCE]: NONE, [SELECTED]: NONE, [TRAIL]: NONE, [AHEAD]: NONE };
  #drawTimer = null;
  #drawnAt = -Infinity;
  #viewTimer = null;
  #arrival = null;
  #fits = false;
  #facts = element("dl", { class: "details" });
  #follow = element("button", { type: "button", on: { click: () => this.#setFollowing(!this.#isFollowing) } });
  #details = element("div", {}, this.#facts, element("div", { class: "place-actions" }, this.#follow));
  #problem = element("div", { class: "pill fleet-problem", role: "status", hidden: true });

  /** `context` has the objects that the fleet uses: `map`, `stage`, `camera`, `connection`, `announcer`, `page`. */
  constructor(context) {
    this.#context = context;
    this.#map = context.map;
    this.#areas = new FleetAreas(context, (isOpen) => (isOpen ? this.#list.open(false) : this.#list.giveWay()));
    this.#playback = new FleetPlayback(context, {
      begin: () => this.#beginPlayback(), draw: (isLater) => this.#drawPlayed(isLater), loaded: () => this.#played(), end: () => this.#endPlayback(),
    });
    this.#list = new FleetList(context, this.#areas, this.#playback.button, (vehicle) => this.#show(vehicle), () => (this.#playback.isActive ? this.#list.play(this.#playback.vehicles) : this.#sendView()));
    this.#callout = new Callout(this.#map, { send: () => {} }, {
      entry: () => this.#entry, focus: () => this.#map.getCanvas().focus({ preventScroll: true }),
    });
    this.#callout.onClose = () => this.select(null);
    this.#callout.onChoose = (id, byKey) => this.select(Number(id), byKey);
  }

  get #entry() {
    if (this.#cluster) {
      const { x, y } = this.#map.project(this.#cluster.position);
      return { x, y, view: { size: [SIZE, SIZE], ...this.#cluster.view } };
    }
    const vehicle = this.#vehicles.get(this.#selected);
    if (!vehicle) return null;
    const { x, y } = this.#map.project(vehicle.position);
    const callout = { title: vehicle.label, subtitle: vehicle.given && text("calls itself {name}", { name: vehicle.given }), detail: { kind: "element", make: () => this.#details } };
    return { x, y, view: { size: [SIZE, SIZE], callout } };
  }

  /** Begins with the first state, and again with each later one. */
  update({ hasFleet, isFleetLive, hasRecording, overlays, views, tracking }) {
    if (!hasFleet) return;
    // Tracks and places of the program come first; the user's own track is on each map.
    const isAlone = overlays.every(({ title }) => title === "My Track") && !views.length;
    if (!this.#isShown) this.#begin(isAlone && tracking.mode === "none" && !addressedView());
    this.#all.clear();
    this.#reader.clear();
    this.#sendView();
    this.#drawSoon();
    if (hasRecording) this.#playback.offer(isFleetLive === true);
  }

  /** The vehicles that are shown, by number. */
  get #vehicles() { return this.#playback.isActive ? this.#playback.vehicles : this.#all; }

  #begin(fits) {
    const map = this.#map;
    this.#isShown = true;
    this.#fits = fits;
    this.#context.stage.querySelector(".announcements").append(this.#problem);
    addSymbols(map);
    for (const [id, source] of Object.entries(this.#sources)) map.addSource(id, source);
    for (const layer of this.#layers) map.addLayer(layer);
    map.on("move", () => { this.#callout.place(); this.#viewTimer ??= setTimeout(() => this.#sendView(), VIEW_INTERVAL); });
    map.on("moveend", () => this.#sendView());
    map.on("resize", () => this.#sendView());
    map.on("movestart", ({ originalEvent }) => { if (originalEvent) this.#fits = false; });
    map.on("dragstart", () => this.#setFollowing(false));
    map.on("zoomend", () => this.#closeCluster());
    map.on("mousemove", ({ point }) => map.getCanvasContainer().classList.toggle("is-over-vehicle", Boolean(this.#at(point))));
    setInterval(() => this.#tell(), 1000);
    this.#list.begin();
  }

  get #sources() {
    return {
      ...this.#areas.sources,
      ...Object.fromEntries([SELECTED, TRAIL, AHEAD].map((id) => [id, { type: "geojson", data: this.#data[id] }])),
      [SOURCE]: { type: "geojson", data: this.#data[SOURCE], ...CLUSTERS },
    };
  }

  get #layers() { return [...this.#areas.layers(this.#context.page.isDark), ...layers(this.#context.page.isDark)]; }

  /** Returns `style` with the vehicles above the rest. */
  carryOver(style) {
    if (!this.#isShown) return style;
    return { ...style, sources: { ...style.sources, ...this.#sources }, layers: [...style.layers, ...this.#layers] };
  }

  receive({ removed, vehicles, names, ...rest }) {
    for (const number of removed) {
      this.#all.delete(number);
      this.#reader.forget(number);
    }
    const set = this.#reader.read({ vehicles, names });
    for (const vehicle of set) this.#all.set(vehicle.number, vehicle);
    if (rest.counts) this.#tellProblem(rest.problem);
    if (rest.alarms) this.#areas.receive(rest.alarms);
    this.#listed = { ...this.#listed, ...rest };
    if (this.#playback.isActive) return;
    if (set.some(({ number }) => number === this.#selected)) this.#followOn();
    this.#list.receive(rest);
    if (set.length || removed.length) this.#drawSoon();
    if (this.#fits && set.length) this.#arrival ??= setTimeout(() => this.#showAll(), ARRIVAL);
  }

  #tellProblem(problem) {
    const said = problem ? `${text("The vehicles are not current: their broker is not read now.")} ${problem}` : "";
    if (this.#problem.dataset.said === said) return;
    this.#problem.dataset.said = said;
    this.#problem.hidden = !problem;
    this.#problem.replaceChildren(...problem ? [text("The vehicles are not current: their broker is not read now."), " ", element("span", { ...english, text: problem })] : []);
  }

  // MARK: Selection

  get isShown() { return this.#isShown; }

  /** Opens the form for an area around a position. */
  addArea(position) { this.#areas.add(position); }

  /** Answers for a click on a vehicle or a cluster, or for the area that is edited; returns false elsewhere. */
  press(point, position) {
    if (this.#areas.isEditing) {
      this.#areas.moveTo(position);
      return true;
    }
    const feature = this.#isShown ? this.#at(point) : undefined;
    if (!feature) {
      this.select(null);
      return false;
    }
    if (feature.properties.cluster) this.#open(feature);
    else this.select(feature.properties.n);
    return true;
  }

  close() { this.select(null); this.#list.close(); }

  select(number, takesFocus = false) {
    const before = this.#selected;
    this.#selected = this.#vehicles.has(number) ? number : null;
    this.#cluster = null;
    if (this.#selected !== before) this.#setFollowing(false);
    this.#tell();
    this.#callout.show(this.#selected === null ? null : `${this.#selected}`, takesFocus);
    this.#drawSoon(0);
    this.#sendView();
  }

  /** Shows a vehicle of the list, which may be outside of the view. */
  #show(vehicle) {
    this.#fits = false;
    if (this.#list.coversMap) this.#list.close();
    this.#vehicles.set(vehicle.number, vehicle);
    this.#context.camera.fly({ center: vehicle.position, zoom: Math.max(this.#map.getZoom(), CLOSE) });
    this.select(vehicle.number);
  }

  /** Lists the members of a small cluster, and comes closer to a large one. */
  async #open({ properties, geometry }) {
    const source = this.#map.getSource(SOURCE);
    const { cluster_id: id, point_count: count } = properties;
    this.select(null);
    let zoom;
    try {
      zoom = await source.getClusterExpansionZoom(id);
      if (count <= MOST_LISTED || zoom > this.#map.getMaxZoom()) return this.#listMembers(geometry.coordinates, count, await source.getClusterLeaves(id, MOST_LISTED, 0));
    } catch {
      // Its vehicles have moved meanwhile, and there is another one.
      return;
    }
    this.#context.camera.fly({ center: geometry.coordinates, zoom: Math.min(zoom + 0.2, this.#map.getMaxZoom()) });
  }

  #listMembers(position, count, leaves) {
    const members = leaves.map(({ properties }) => this.#vehicles.get(properties.n)).filter(Boolean);
    this.#cluster = {
      position,
      view: {
        members: count, callout: { title: text("{count} vehicles", { count }) },
        choices: members.map((vehicle) => ({ id: `${vehicle.number}`, title: vehicle.label, subtitle: STATES[vehicle.state].name })),
      },
    };
    this.#callout.show("cluster");
  }

  #closeCluster() {
    if (!this.#cluster) return;
    this.#cluster = null;
    this.#callout.hide();
  }

  // MARK: The past

  #beginPlayback() {
    this.select(null);
    if (this.#list.coversMap) this.#list.close();
    this.#context.stage.classList.add("is-playing-back");
  }

  /** Shows the vehicles at another time of the day. */
  #drawPlayed(isLater) {
    if (this.#isFollowing && !isLater) this.#trail = [];
    this.#followOn();
    this.#draw();
    // The map moves more often than anybody reads the list.
    if (isLater && performance.now() - this.#listDrawn < LIST_INTERVAL) return;
    this.#listDrawn = performance.now();
    this.#list.play(this.#playback.vehicles);
  }

  /** A day has been loaded: without live vehicles the map goes to where these are. */
  #played() { if (this.#fits) this.#showAll(); }

  #endPlayback() {
    this.#context.stage.classList.remove("is-playing-back");
    this.select(null);
    this.#list.receive(this.#listed);
    this.#sendView();
  }

  // MARK: Following

  #setFollowing(isFollowing) {
    this.#isFollowing = isFollowing && this.#selected !== null;
    this.#follow.textContent = this.#isFollowing ? text("Stop following") : text("Follow");
    this.#follow.setAttribute("aria-pressed", String(this.#isFollowing));
    if (!isFollowing) this.#trail = [];
    else this.#context.camera.gesture("pan");
    this.#followOn();
    this.#draw();
  }

  /** Adds the position of the vehicle that is followed to its trail, and keeps it in the middle. */
  #followOn() {
    const vehicle = this.#vehicles.get(this.#selected);
    if (!this.#isFollowing || !vehicle) return;
    if (String(this.#trail.at(-1)) !== String(vehicle.position)) this.#trail.push(vehicle.position);
    if (this.#trail.length > LONGEST_TRAIL) this.#trail.shift();
    this.#context.camera.track({ center: vehicle.position });
  }

  #at({ x, y }) {
    const names = ["fleet:selected", "fleet:vehicle", "fleet:cluster"].filter((id) => this.#map.getLayer(id));
    return this.#map.queryRenderedFeatures([[x - TOLERANCE, y - TOLERANCE], [x + TOLERANCE, y + TOLERANCE]], { layers: names })[0];
  }

  /** Shows the ages of now. */
  #tell() {
    this.#list.tell();
    this.#drawAhead();
    if (this.#cluster) return;
    const vehicle = this.#vehicles.get(this.#selected);
    if (!vehicle) return this.#callout.hide();
    this.#facts.replaceChildren(...factsOf(vehicle).flatMap(([name, value]) => [element("dt", { text: name }), element("dd", { text: value })]));
    this.#callout.place();
  }

  // MARK: The map

  #showAll() {
    this.#arrival = null;
    if (!this.#fits || !this.#vehicles.size) return;
    this.#fits = false;
    const bounds = new maplibregl.LngLatBounds();
    for (const { position } of this.#vehicles.values()) bounds.extend(position);
    const camera = this.#map.cameraForBounds(bounds, { padding: 64, maxZoom: CLOSE });
    if (camera) this.#context.camera.fly({ center: camera.center, zoom: camera.zoom });
  }

  /** Tells the program what is shown of the vehicles. */
  #sendView() {
    if (!this.#isShown) return;
    clearTimeout(this.#viewTimer);
    this.#viewTimer = null;
    const bounds = this.#map.getBounds();
    const [across, along] = [(bounds.getEast() - bounds.getWest()) * MARGIN, (bounds.getNorth() - bounds.getSouth()) * MARGIN];
    const width = Math.min(360, bounds.getEast() - bounds.getWest() + 2 * across);
    const west = ((bounds.getWest() - across + 180) % 360 + 360) % 360 - 180;
    this.#context.connection.send({
      type: "fleet", bounds: [west, Math.max(-90, bounds.getSouth() - along), west + width, Math.min(90, bounds.getNorth() + along)],
      zoom: this.#map.getZoom(), ...this.#list.search === null ? {} : { search: this.#list.search }, kept: this.#selected === null ? [] : [this.#selected],
    });
  }

  #drawSoon(interval = this.#vehicles.size > MANY ? LONG_INTERVAL : INTERVAL) {
    if (!this.#isShown || (this.#drawTimer && interval)) return;
    clearTimeout(this.#drawTimer);
    this.#drawTimer = setTimeout(() => this.#draw(), Math.max(0, this.#drawnAt + interval - performance.now()));
  }

  #draw() {
    this.#drawTimer = null;
    this.#drawnAt = performance.now();
    const chosen = this.#vehicles.get(this.#selected);
    const others = [...this.#vehicles.values()].filter((vehicle) => vehicle !== chosen);
    this.#set(SOURCE, others.map(feature));
    this.#set(SELECTED, chosen ? [feature(chosen)] : []);
    this.#set(TRAIL, this.#trail.length > 1 ? [line(this.#trail)] : []);
    this.#tell();
  }

  #set(id, features) {
    this.#data[id] = { type: "FeatureCollection", features };
    this.#map.getSource(id)?.setData(this.#data[id]);
  }

  /** Shows where vehicles in the view probably are by now, each with a line from its position. */
  #drawAhead() {
    if (!this.#isShown) return;
    const isNear = !this.#playback.isActive && this.#map.getZoom() >= AHEAD_FROM && this.#map.getLayer("fleet:vehicle");
    const drawn = isNear ? this.#map.queryRenderedFeatures({ layers: ["fleet:vehicle", "fleet:selected"] }) : [];
    const numbers = [...new Set(drawn.map(({ properties }) => properties.n))].slice(0, MOST_AHEAD);
    const features = numbers.flatMap((number) => {
      const vehicle = this.#all.get(number);
      const position = vehicle && this.#context.connection.isLive ? aheadOf(vehicle, Date.now() / 1000) : null;
      return position ? [line([vehicle.position, position]), feature({ ...vehicle, position })] : [];
    });
    if (features.length || this.#data[AHEAD].features.length) this.#set(AHEAD, features);
  }
}

const line = (coordinates) => ({ type: "Feature", properties: {}, geometry: { type: "LineString", coordinates } });

const feature = (vehicle) => ({
  type: "Feature", geometry: { type: "Point", coordinates: vehicle.position },
  properties: { n: vehicle.number, symbol: stateOf(vehicle).symbol, turn: vehicle.state === 0 ? vehicle.course ?? 0 : 0, label: shown(vehicle.label) },
});
