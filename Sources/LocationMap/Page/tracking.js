// Follows the user: the camera goes with the dot, frame by frame, and leaves a gesture its way.

import { difference } from "./user.js";

// Smaller steps are not worth a repaint of the map.
const LEAST_PIXELS = 0.4;
const LEAST_DEGREES = 0.2;
// To see the street, or where there are none, the towns around.
const STREET_ZOOM = 15;
const TOWN_ZOOM = 12;

export class Tracking {
  #map;
  #camera;
  #dot;
  #state = { mode: "none" };
  #isArriving = false;
  #isHeld = false;
  /** Why there is no location, in a sentence, while there is none. */
  reason = null;
  /** Whether some map data is finer than the world map's. */
  hasStreets = false;

  constructor(map, camera, dot) {
    this.#map = map;
    this.#camera = camera;
    this.#dot = dot;
    dot.onStep = () => this.#follow();
    // Each step of following ends MapLibre's gestures: with a finger on the map there are none, or no drag would ever begin.
    map.getCanvasContainer().addEventListener("pointerdown", () => { this.#isHeld = true; }, { capture: true });
    for (const name of ["pointerup", "pointercancel"]) {
      addEventListener(name, () => { this.#isHeld = false; this.#follow(); }, { capture: true });
    }
    // A step that a gesture held back is made when the gesture has ended. Each step of following ends a move, too.
    map.on("moveend", ({ cause }) => { if (cause !== "tracking" || this.#isArriving) this.#caughtUp(); });
  }

  get mode() { return this.#state.mode; }
  get state() { return this.#state; }

  update(state) {
    const wasMode = this.#state.mode;
    this.#state = state;
    if (state.mode === wasMode) return;
    if ((wasMode === "none") !== (state.mode === "none")) this.#zoomAround(state.mode === "none" ? undefined : { around: "center" });
    // A gesture that changed the mode goes on: a move of the camera would end it.
    if (state.mode !== "none" && !this.#isHeld) this.arrive();
  }

  /** While following, zooming keeps the dot where it is. */
  #zoomAround(around) {
    for (const handler of [this.#map.scrollZoom, this.#map.touchZoomRotate]) {
      if (!handler.isEnabled()) continue;
      handler.disable();
      handler.enable(around);
    }
    if (!this.#camera.rules.isRotateEnabled) this.#map.touchZoomRotate.disableRotation();
  }

  /** Goes to the user, near enough to see what is around. */
  arrive() {
    const shown = this.#dot.shown;
    if (!shown || this.#state.mode === "none") return;
    this.#isArriving = true;
    const zoom = Math.max(this.#map.getZoom(), this.#dot.user.isReduced ? 10 : this.hasStreets ? STREET_ZOOM : TOWN_ZOOM);
    this.#camera.show({ center: shown.position, zoom, heading: this.#bearing(shown), pitch: this.#map.getPitch(), animated: true }, "tracking");
  }

  #bearing(shown) {
    switch (this.#state.mode) {
      case "followWithHeading": return shown.heading ?? this.#map.getBearing();
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
