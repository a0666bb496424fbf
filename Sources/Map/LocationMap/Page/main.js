// Connects the parts of the page: events of the program go to the parts that they concern, and actions of the user to
// the program.

import { Announcer } from "./announcer.js";
import { Attribution } from "./attribution.js";
import { isBeyondPictures, makeStyle } from "./basemap.js";
import { Callout } from "./callout.js";
import { Camera, addressedView } from "./camera.js";
import { Connection } from "./connection.js";
import { Controls } from "./controls.js";
import { Drag } from "./drag.js";
import { Drops } from "./drops.js";
import { loadFonts } from "./expressions.js";
import { Fleet } from "./fleet.js";
import { addImages, loadShapes } from "./icons.js";
import { LabelRoom } from "./label-room.js";
import { Labels } from "./labels.js";
import { Loading } from "./loading.js";
import { PlaceMenu } from "./menu.js";
import { Overlays } from "./overlays.js";
import { palette } from "./palette.js";
import { isChosen } from "./points.js";
import { Places } from "./places.js";
import { Measurement } from "./measure.js";
import { Print } from "./print.js";
import { Profile } from "./profile.js";
import { PromptDialog } from "./prompt.js";
import { Regions } from "./regions.js";
import { Saved } from "./saved.js";
import { text, translated } from "./texts.js";
import { Tracks } from "./tracks.js";
import { Tracking } from "./tracking.js";
import { UserDot } from "./user.js";
import { Views } from "./views.js";
import { WithoutMap } from "./without-map.js";

const query = new URLSearchParams(location.search);
const isSnapshot = query.has("snapshot");
const darkness = matchMedia("(prefers-color-scheme: dark)");

/** The title of the page: that of the program, if it has set one. */
const titleOf = ({ title }) => (!title || title === "Map" ? text("Map") : title);

/** The page with a map, created with the first state because a map needs its sources. */
class MapPage {
  #connection;
  #announcer;
  #map;
  #loading;
  #state;
  #drawnRevision = 0;
  /** The type that is drawn: beyond the pictures, the map in its own colours. */
  drawnType;
  /** The view that was pressed with a key: its callout receives the focus. */
  #pressedByKey = null;

  constructor(stage, connection, announcer, state) {
    this.#connection = connection;
    this.#announcer = announcer;
    this.#state = state;
    this.drawnType = state.map.type;
    this.#map = new maplibregl.Map({
      container: stage.querySelector("#surface"),
      style: makeStyle(state.map.type, this.isDark, state.sources),
      ...(state.map.followsAddress && addressedView()) || {
        center: state.camera.center, zoom: state.camera.zoom, bearing: state.camera.heading ?? 0, pitch: state.camera.pitch ?? 0,
      },
      attributionControl: false, maxPitch: 60, maxZoom: 20, fadeDuration: isSnapshot ? 0 : 150,
      canvasContextAttributes: { antialias: false }, dragRotate: true, locale: { "Map.Title": text("Map"), "Marker.Title": text("Annotation") },
    });
    // For the browser's console, and for tests of what is drawn.
    globalThis.map = this.#map;
    this.#loading = new Loading(this.#map, connection);
    this.#map.on("error", ({ error }) => console.warn(`The map: ${error?.message ?? error}`));
  }

  /** Waits for the style, then creates the contents of the map. */
  async open(stage) {
    await new Promise((resolve) => this.#map.once("style.load", resolve));
    const map = this.#map;
    const connection = this.#connection;
    this.camera = new Camera(map, connection);
    this.overlays = new Overlays(map);
    this.overlays.isDark = this.isDark;
    this.overlays.onBlank = () => this.#restyle();
    this.routeLines = new Overlays(map, "route:");
    this.drag = new Drag(map, connection);
    this.views = new Views(map, this.drag);
    this.drag.attach(this.views);
    this.room = new LabelRoom(map);
    this.views.onCaptioned = (boxes) => this.room.set("views", boxes);
    this.dot = new UserDot(map);
    this.tracking = new Tracking(map, this.camera, this.dot);
    this.callout = new Callout(map, connection, {
      entry: (id) => (id === "user" ? this.dot.entry : this.views.entry(id)),
      focus: (id) => (id === "user" ? this.dot.focus() : this.views.focus(id)),
    });
    this.views.onPlaced = () => this.callout.place();
    this.dot.onPlaced = () => { if (this.callout.id === "user") this.callout.place(); };
    this.places = new Places(map, connection);
    const labels = new Labels(map);
    const context = { map, stage, labels, camera: this.camera, connection, tracking: this.tracking, announcer: this.#announcer, places: this.places, page: this };
    context.saved = this.saved = new Saved(context);
    context.regions = this.regions = new Regions(context);
    new Drops(context);
    this.measurement = new Measurement(context);
    this.menu = new PlaceMenu({ ...context, measurement: this.measurement });
    this.attribution = new Attribution(map, stage, this.regions);
    if (!isSnapshot) this.controls = new Controls(context, stage);
    this.profile = new Profile(context);
    this.tracks = new Tracks(context);
    this.fleet = new Fleet(context);
    this.print = new Print(context);
    this.prompt = new PromptDialog(connection);

    this.views.onPressed = (id, byKey) => this.#press(id, byKey);
    this.views.onPiled = (id, views, byKey) => this.#choose(id, views, byKey);
    this.callout.onChoose = (id, byKey) => this.#press(id, byKey);
    this.dot.onSelect = () => this.#press("user", false);
    this.callout.onClose = () => this.#deselect();
    map.on("click", ({ point, lngLat }) => {
      if (this.measurement.isActive) return;
      this.#deselect();
      if (this.fleet.press(point, lngLat.wrap().toArray())) return;
      // A line answers for itself.
      if (!this.lineAt(point)) this.#connection.send({ type: "tap", position: lngLat.wrap().toArray() });
    });
    // Only the maker of a snapshot waits for it.
    if (isSnapshot) map.on("idle", () => this.#idle());
    map.on("resize", () => this.#sendViewport());
    map.on("moveend", () => { if (this.#typeToDraw !== this.drawnType) this.#restyle(); });
    stage.addEventListener("keydown", (event) => { if (event.key === "Escape" && !this.measurement.isActive) { this.profile.close(); this.tracks.close(); this.fleet.close(); this.#deselect(); } });
    darkness.addEventListener("change", () => this.#restyle());
    this.#applyState(this.#state);
  }

  get type() { return this.#state.map.type; }
  /** The line at a point of the map that can be clicked; `undefined` if there is none. */
  lineAt(point) { return this.routeLines.clickable(point) ?? this.overlays.clickable(point); }
  get #typeToDraw() { return isBeyondPictures(this.#state.sources, this.#map.getCenter().wrap(), this.#map.getZoom()) ? "standard" : this.type; }
  get canvas() { return this.#map.getCanvas(); }
  get isZoomEnabled() { return this.#state.map.isZoomEnabled; }
  get scaleSteps() { return this.#state.scaleSteps; }
  /** The unit of lengths that the program has chosen; `undefined` to leave it to the user's language. */
  get unit() { return this.#state.controls.find(({ kind }) => kind === "scale")?.unit; }

  get isDark() {
    const { appearance } = this.#state.map;
    return appearance === "system" || !appearance ? darkness.matches : appearance === "dark";
  }

  /** Marks what a lost program no longer moves. */
  lineChanged() {
    this.dot.isLive = this.views.isLive = this.#connection.isLive;
    this.controls?.refresh();
  }

  receive(name, value) {
    switch (name) {
      case "state": this.#state = value; this.#restyle(); this.#applyState(value); break;
      case "map": this.#applyMap(value); break;
      case "camera": this.#applyCamera(value); break;
      case "controls": this.#state.controls = value.controls; this.controls?.update(value.controls); break;
      case "user": this.#applyUser(value); break;
      case "tracking": this.#applyTracking(value); break;
      case "overlays": this.overlays.change(value); this.profile.refresh(); break;
      case "views": this.views.change(value); this.callout.show(this.callout.id); break;
      case "selected": this.#applySelected(value.selected); break;
      case "regions": this.regions.update(value); this.controls?.refresh(); break;
      case "saved": this.saved.update(value.saved); break;
      case "fleet": this.fleet.receive(value); break;
      case "prompt": this.prompt.show(value.prompt); break;
      case "notice": this.#announcer.notice({ ...value, ...value.sentence }); break;
    }
    // Views are elements: without a repaint, no idle event would report them.
    if (isSnapshot && name !== "user") this.#map.triggerRepaint();
  }

  #applyState(state) {
    this.#applyMap(state.map, true);
    // The view in the page's address comes first, because a reported size may make the program move the map.
    this.camera.open(state.camera);
    this.#sendViewport();
    this.controls?.update(state.controls);
    this.attribution.update(state.sources, state.map.type);
    this.tracking.hasStreets = state.sources.some(({ maximumZoom }) => maximumZoom >= 12);
    this.overlays.replace(state.overlays);
    this.profile.refresh();
    this.views.replace(state.views);
    this.#applyUser(state.user);
    this.#applyTracking(state.tracking);
    this.#applySelected(state.selected);
    this.saved.update(state.saved);
    this.regions.update(state.regions, true);
    this.controls?.refresh();
    this.fleet.update(state);
    this.prompt.show(state.prompt);
    this.#loading.resume();
  }

  #applyMap(rules, isNew = false) {
    const before = this.#state.map;
    this.#state.map = rules;
    document.title = titleOf(rules);
    document.querySelector("h1").textContent = document.title;
    this.camera.apply(rules);
    this.menu.items = rules.menuItems;
    this.#paint();
    const isRestyled = before.type !== rules.type || before.appearance !== rules.appearance ||
      JSON.stringify(before.pointsOfInterest) !== JSON.stringify(rules.pointsOfInterest);
    if (isNew ? rules.pointsOfInterest || this.#typeToDraw !== this.drawnType : isRestyled) this.#restyle();
    if (before.showsUserLocation !== rules.showsUserLocation) this.#applyUser(this.#state.user);
    this.controls?.refresh();
    if (isNew) addImages(this.#map, palette(this.drawnType, this.isDark));
  }

  #paint() {
    document.documentElement.classList.toggle("dark", this.isDark);
    document.documentElement.dataset.type = this.type;
    document.documentElement.dataset.drawn = this.drawnType;
  }

  #restyle() {
    this.drawnType = this.#typeToDraw;
    this.#paint();
    const { map, sources } = this.#state;
    this.overlays.isDark = this.isDark;
    addImages(this.#map, palette(this.drawnType, this.isDark));
    this.#map.setStyle(makeStyle(this.drawnType, this.isDark, sources, this.overlays.isBlank), {
      diff: true, transformStyle: (previous, next) => this.fleet.carryOver(this.room.carryOver(this.routeLines.carryOver(previous, this.overlays.carryOver(previous, this.#withChosenPoints(next))))),
    });
    this.attribution.update(sources, map.type);
    this.controls?.refresh();
  }

  #withChosenPoints(style) {
    const condition = isChosen(this.#state.map.pointsOfInterest);
    if (!condition) return style;
    const chosen = (layer) => (layer["source-layer"] === "poi" ? { ...layer, filter: layer.filter ? ["all", layer.filter, condition] : condition } : layer);
    return { ...style, layers: style.layers.map(chosen) };
  }

  #applyCamera(camera) {
    if (camera.page && camera.page === this.#connection.page) return;
    this.camera.show(camera);
  }

  #applyUser(user) {
    const wasPlaced = Boolean(this.dot.shown);
    this.#state.user = user;
    const isShown = this.#state.map.showsUserLocation && user.status !== "off";
    this.dot.update(user, isShown);
    this.places.user = isShown && user.status === "located" && !user.isReduced ? user.position : null;
    this.#announcer.position(user, isShown);
    this.tracking.reason = isShown ? this.#announcer.reason : null;
    if (!wasPlaced && this.dot.shown) this.tracking.arrive();
    this.controls?.refresh();
    if (this.callout.id === "user") this.callout.show("user");
  }

  #applyTracking(tracking) {
    this.#state.tracking = tracking;
    this.tracking.update(tracking);
    this.#announcer.say(translated(tracking.announcement));
    this.controls?.refresh();
  }

  #applySelected(selected) {
    this.#state.selected = selected;
    this.views.select(selected?.id ?? null);
    // The end of a selection does not end the choice that replaces it.
    if (!selected && this.callout.isChoice) return;
    this.callout.show(selected?.showsCallout ? selected.id : null, selected?.id === this.#pressedByKey);
    // The end of an earlier selection may still arrive after the press.
    if (selected) this.#pressedByKey = null;
  }

  /** Lists the views at one place; the selected one first loses its callout. */
  #choose(id, views, byKey) {
    if (this.measurement.isActive) return this.#press(id, byKey);
    this.#deselect();
    this.callout.choose(id, views, byKey);
  }

  #press(id, byKey) {
    if (this.measurement.isActive && id !== "user") return this.measurement.add(this.views.entry(id).view.position);
    this.callout.endChoice();
    this.#pressedByKey = byKey ? id : null;
    this.#connection.send({ type: "select", id });
  }

  #deselect() {
    this.callout.endChoice();
    const id = this.#state.selected?.id;
    if (id) this.#connection.send({ type: "deselect", id });
  }

  #sendViewport() {
    const { clientWidth, clientHeight } = this.#map.getContainer();
    // A sheet of paper is no window, and neither is what is not shown at all.
    if (this.print?.isActive || !clientWidth || !clientHeight) return;
    this.#connection.send({ type: "viewport", width: clientWidth, height: clientHeight });
  }

  #idle() {
    if (this.#connection.revision === this.#drawnRevision) return;
    this.#drawnRevision = this.#connection.revision;
    this.#connection.send({ type: "idle", revision: this.#drawnRevision });
  }
}

function begin() {
  const stage = document.querySelector("#stage");
  document.title = document.querySelector("h1").textContent = text("Map");
  document.documentElement.classList.toggle("dark", darkness.matches);
  document.documentElement.classList.toggle("snapshot", isSnapshot);
  const announcer = new Announcer(stage);
  let page = null;
  let isOpen = false;
  let waiting = [];
  const connection = new Connection((name, value) => {
    if (isOpen) return page.receive(name, value);
    // Events before the map exists wait; a new state replaces them.
    waiting = name === "state" ? [[name, value]] : [...waiting, [name, value]];
    if (!page && name === "state") page = make(value);
  }, (state) => {
    announcer.line(state);
    if (isOpen) page.lineChanged();
  });

  function make(state) {
    try {
      const made = new MapPage(stage, connection, announcer, state);
      made.open(stage).then(() => {
        const [, ...rest] = waiting;
        const isAnew = waiting[0][1] !== state;
        isOpen = true;
        for (const [name, value] of isAnew ? waiting : rest) made.receive(name, value);
        waiting = [];
        made.lineChanged();
      });
      return made;
    } catch (problem) {
      isOpen = true;
      console.info(`No map: ${problem.message}`);
      const words = new WithoutMap(stage, connection);
      words.receive("state", state);
      words.lineChanged();
      return words;
    }
  }
  // Later images would lay out the tiles again, and labels keep the letters that they were first drawn with.
  const shapes = loadShapes().catch((problem) => console.warn(`Points of interest have dots: ${problem.message}`));
  const fonts = loadFonts().catch((problem) => console.warn(`The page has the system's letters: ${problem.message}`));
  Promise.all([shapes, fonts]).then(() => connection.open());
}

begin();
