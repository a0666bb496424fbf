// Tracking: the camera follows the dot, frame by frame, and gives way to gestures.

import { difference } from "./user.js";

// Smaller steps do not justify a repaint of the map.
const LEAST_PIXELS = 0.4;
const LEAST_DEGREES = 0.2;
// Shows the street or, without streets, the surrounding towns.
const STREET_ZOOM = 15;
const TOWN_ZOOM = 12;
// The program ends tracking at a pan. If it has not done so this long after the move, in milliseconds, it has begun to follow again.
const PATIENCE = 5000;

export class Tracking {
  #map;
  #camera;
  #dot;
  #state = { mode: "none" };
  /** The program's state while a pan has ended tracking here and not there yet; `null` otherwise. */
  #overruled = null;
  #overruledEnd = null;
  #isArriving = false;
  #isHeld = false;
  /** The reason for a missing location, as a sentence; `null` if there is none. */
  reason = null;
  /** True if some map data are more detailed than the world map. */
  hasStreets = false;

  constructor(map, camera, dot) {
    this.#map = map;
    this.#camera = camera;
    this.#dot = dot;
    dot.onStep = () => this.#follow();
    camera.onPan = () => this.#giveWay();
    // Each step of tracking ends MapLibre's gestures: while a finger is on the map there are no steps, or no drag could
    // begin.
    map.getCanvasContainer().addEventListener("pointerdown", () => { this.#isHeld = true; }, { capture: true });
    for (const name of ["pointerup", "pointercancel"]) {
      addEventListener(name, () => { this.#isHeld = false; this.#follow(); }, { capture: true });
    }
    // A step delayed by a gesture follows its end. Each step of tracking ends a move as well.
    map.on("moveend", ({ cause }) => { if (cause !== "tracking" || this.#isArriving) this.#caughtUp(); });
    map.on("moveend", () => this.#awaitProgram());
  }

  get mode() { return this.#state.mode; }
  get state() { return this.#state; }

  update(state) {
    if (this.#overruled) {
      this.#overruled = state.mode === "none" ? null : state;
      if (this.#overruled) state = { ...state, mode: "none" };
    }
    this.#apply(state);
  }

  /** Ends tracking at once: the program would learn too late of a move, and its next step would undo it. */
  #giveWay() {
    if (this.#state.mode === "none" || !this.#camera.rules.isScrollEnabled) return;
    this.#overruled = this.#state;
    this.#apply({ ...this.#state, mode: "none" });
  }

  #awaitProgram() {
    clearTimeout(this.#overruledEnd);
    if (!this.#overruled) return;
    this.#overruledEnd = setTimeout(() => {
      const state = this.#overruled;
      this.#overruled = null;
      if (state) this.#apply(state);
    }, PATIENCE);
  }

  #apply(state) {
    const wasMode = this.#state.mode;
    this.#state = state;
    if (state.mode === wasMode) return;
    if ((wasMode === "none") !== (state.mode === "none")) this.#zoomAround(state.mode === "none" ? undefined : { around: "center" });
    // The gesture that changed the mode continues: moving the camera would end it.
    if (state.mode !== "none" && !this.#isHeld) this.arrive();
  }

  /** While following, zooming keeps the dot in place. */
  #zoomAround(around) {
    for (const handler of [this.#map.scrollZoom, this.#map.touchZoomRotate]) {
      if (!handler.isEnabled()) continue;
      handler.disable();
      handler.enable(around);
    }
    if (!this.#camera.rules.isRotateEnabled) this.#map.touchZoomRotate.disableRotation();
  }

  /** Moves to the user, at a scale that shows the surroundings. */
  arrive() {
    const shown = this.#dot.shown;
    if (!shown || this.#state.mode === "none") return;
    this.#isArriving = true;
    const zoom = Math.max(this.#map.getZoom(), this.#dot.user.isReduced ? 10 : this.hasStreets ? STREET_ZOOM : TOWN_ZOOM);
    this.#camera.show({ center: shown.position, zoom, heading: this.#bearing(shown), pitch: this.#map.getPitch(), animated: true }, "tracking");
  }

  #bearing(shown) {
    switch (this.#state.mode) {
      case "followWithHeading": return shown.heading ?? shown.course ?? this.#map.getBearing();
      case "followWithCourse": return shown.course ?? this.#map.getBearing();
      default: return this.#map.getBearing();
    }
  }

  #follow() {
    const shown = this.#dot.shown;
    if (this.#state.mode === "none" || !shown) return;
    if (this.#isArriving || this.#isHeld || this.#map.isZooming() || this.#map.isRotating()) return;
    const { x, y } = this.#map.project(shown.position);
    const { clientWidth, clientHeight } = this.#map.getContainer();
    const bearing = this.#bearing(shown);
    const isOff = Math.hypot(x - clientWidth / 2, y - clientHeight / 2) > LEAST_PIXELS;
    const isTurned = Math.abs(difference(this.#map.getBearing(), bearing)) > LEAST_DEGREES;
    if (isOff || isTurned) this.#camera.track({ center: shown.position, bearing });
  }

  #caughtUp() {
    this.#isArriving = false;
    this.#follow();
  }
}
