// The vehicles of a broker: symbols by state on the map, gathered in clusters, a callout of the selected one, and a list for people
// who look for one by name or who do not see the map. Their names are those that others have written, and are shown as text only.

import { Callout } from "./callout.js";
import { addressedView } from "./camera.js";
import { element, shown } from "./dom.js";
import { FleetList } from "./fleet-list.js";
import { addSymbols, layers } from "./fleet-layers.js";
import { factsOf, readVehicle, stateOf } from "./fleet-vehicle.js";
import { english, text } from "./texts.js";

const SOURCE = "fleet";
const SELECTED = "fleet-selected";
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
// The tolerance of a click, in pixels.
const TOLERANCE = 9;
const SIZE = 24;
const NONE = { type: "FeatureCollection", features: [] };

export class Fleet {
  #context;
  #map;
  #all = new Map();
  #list;
  #callout;
  #selected = null;
  #isShown = false;
  #data = { [SOURCE]: NONE, [SELECTED]: NONE };
  #drawTimer = null;
  #viewTimer = null;
  #arrival = null;
  #fits = false;
  #facts = element("dl", { class: "details" });
  #problem = element("div", { class: "pill fleet-problem", role: "status", hidden: true });

  /** `context` has the objects that the fleet uses: `map`, `stage`, `camera`, `connection`, `announcer`, `page`. */
  constructor(context) {
    const { map, stage } = this.#context = context;
    this.#map = map;
    this.#list = new FleetList(context, (vehicle) => this.#show(vehicle), () => this.#sendView());
    this.#callout = new Callout(map, { send: () => {} }, {
      entry: () => this.#entry, focus: () => map.getCanvas().focus({ preventScroll: true }),
    });
    this.#callout.onClose = () => this.select(null);
    stage.querySelector(".announcements").append(this.#problem);
  }

  get #entry() {
    const vehicle = this.#all.get(this.#selected);
    if (!vehicle) return null;
    const { x, y } = this.#map.project(vehicle.position);
    const callout = { title: vehicle.label, subtitle: vehicle.given && text("calls itself {name}", { name: vehicle.given }), detail: { kind: "element", make: () => this.#facts } };
    return { x, y, view: { size: [SIZE, SIZE], callout } };
  }

  /** Begins with the first state, and again with each later one; `hasFits` allows to show all vehicles at first. */
  update({ hasFleet, overlays, views, tracking }) {
    if (!hasFleet) return;
    if (!this.#isShown) this.#begin(!overlays.length && !views.length && tracking.mode === "none" && !addressedView());
    this.#all.clear();
    this.#sendView();
    this.#drawSoon();
  }

  #begin(fits) {
    const map = this.#map;
    this.#isShown = true;
    this.#fits = fits;
    addSymbols(map);
    for (const [id, source] of Object.entries(this.#sources)) map.addSource(id, source);
    for (const layer of layers(this.#context.page.isDark)) map.addLayer(layer);
    map.on("move", () => { this.#callout.place(); this.#viewTimer ??= setTimeout(() => this.#sendView(), VIEW_INTERVAL); });
    map.on("moveend", () => this.#sendView());
    map.on("resize", () => this.#sendView());
    map.on("movestart", ({ originalEvent }) => { if (originalEvent) this.#fits = false; });
    map.on("mousemove", ({ point }) => map.getCanvasContainer().classList.toggle("is-over-vehicle", Boolean(this.#at(point))));
    setInterval(() => this.#tell(), 1000);
    this.#list.begin();
  }

  get #sources() {
    return {
      [SOURCE]: { type: "geojson", data: this.#data[SOURCE], cluster: true, clusterRadius: 36, clusterMaxZoom: 15, promoteId: "n" },
      [SELECTED]: { type: "geojson", data: this.#data[SELECTED] },
    };
  }

  /** Returns `style` with the vehicles above the rest. */
  carryOver(style) {
    if (!this.#isShown) return style;
    return { ...style, sources: { ...style.sources, ...this.#sources }, layers: [...style.layers, ...layers(this.#context.page.isDark)] };
  }

  receive({ removed = [], set = [], ...rest }) {
    for (const number of removed) this.#all.delete(number);
    for (const row of set) this.#all.set(row[0], readVehicle(row, this.#all.get(row[0])));
    if (rest.counts) this.#tellProblem(rest.problem);
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

  /** Answers for a click on a vehicle or a cluster; returns false elsewhere. */
  press(point) {
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
    this.#selected = this.#all.has(number) ? number : null;
    this.#tell();
    this.#callout.show(this.#selected === null ? null : `${this.#selected}`, takesFocus);
    this.#drawSoon(0);
    this.#sendView();
  }

  /** Shows a vehicle of the list, which may be outside of the view. */
  #show(vehicle) {
    this.#fits = false;
    this.#all.set(vehicle.number, vehicle);
    this.#context.camera.fly({ center: vehicle.position, zoom: Math.max(this.#map.getZoom(), CLOSE), padding: this.#list.padding });
    this.select(vehicle.number);
  }

  async #open({ properties, geometry }) {
    const zoom = await this.#map.getSource(SOURCE).getClusterExpansionZoom(properties.cluster_id);
    this.#context.camera.fly({ center: geometry.coordinates, zoom: Math.min(zoom + 0.2, this.#map.getMaxZoom()) });
  }

  #at({ x, y }) {
    const names = ["fleet:selected", "fleet:vehicle", "fleet:cluster"].filter((id) => this.#map.getLayer(id));
    return this.#map.queryRenderedFeatures([[x - TOLERANCE, y - TOLERANCE], [x + TOLERANCE, y + TOLERANCE]], { layers: names })[0];
  }

  /** Shows the ages of now. */
  #tell() {
    this.#list.tell();
    const vehicle = this.#all.get(this.#selected);
    if (!vehicle) return this.#callout.hide();
    this.#facts.replaceChildren(...factsOf(vehicle).flatMap(([name, value]) => [element("dt", { text: name }), element("dd", { text: value })]));
    this.#callout.place();
  }

  // MARK: The map

  #showAll() {
    this.#arrival = null;
    if (!this.#fits || !this.#all.size) return;
    this.#fits = false;
    const bounds = new maplibregl.LngLatBounds();
    for (const { position } of this.#all.values()) bounds.extend(position);
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

  #drawSoon(interval = this.#all.size > MANY ? LONG_INTERVAL : INTERVAL) {
    if (!this.#isShown || (this.#drawTimer && interval)) return;
    clearTimeout(this.#drawTimer);
    this.#drawTimer = setTimeout(() => this.#draw(), interval);
  }

  #draw() {
    this.#drawTimer = null;
    const chosen = this.#all.get(this.#selected);
    const others = [...this.#all.values()].filter((vehicle) => vehicle !== chosen);
    this.#data = { [SOURCE]: collection(others), [SELECTED]: collection(chosen ? [chosen] : []) };
    for (const [id, data] of Object.entries(this.#data)) this.#map.getSource(id)?.setData(data);
    this.#tell();
  }
}

const collection = (vehicles) => ({ type: "FeatureCollection", features: vehicles.map(feature) });

const feature = (vehicle) => ({
  type: "Feature", geometry: { type: "Point", coordinates: vehicle.position },
  properties: { n: vehicle.number, symbol: stateOf(vehicle).symbol, turn: vehicle.state === 0 ? vehicle.course ?? 0 : 0, label: shown(vehicle.label) },
});
