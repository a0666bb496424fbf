// The page's camera: moved by the program, by gestures and by controls, reported to the program, and kept in the page's
// address.

const REPORT_INTERVAL = 100;
// What the page does by itself while it follows the user is reported less often. The map is at rest if there was no step
// for this time: one who walks takes a second for a pixel.
const TRACKING_INTERVAL = 1000;
const TRACKING_REST = 1500;
// A wheel turns in notches, a key is pressed repeatedly: what follows within this time continues the gesture.
const GESTURE_PAUSE = 300;
// A flight longer than this would be a wait. MapLibre's own limit makes a longer one a jump.
const FLIGHT = 2000;
const ADDRESS = /^#map=([\d.]+)\/(-?[\d.]+)\/(-?[\d.]+)(?:\/(-?[\d.]+)(?:\/([\d.]+))?)?$/;

/** The view in the page's address; `null` if there is none. */
export function addressedView() {
  const found = ADDRESS.exec(location.hash);
  if (!found) return null;
  const [zoom, latitude, longitude, bearing, pitch] = found.slice(1).map((text) => Number(text ?? 0));
  if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180 || zoom > 24) return null;
  return { center: [longitude, latitude], zoom, bearing, pitch: Math.min(pitch, 60) };
}

export class Camera {
  #map;
  #connection;
  #rules = { isZoomEnabled: true, isScrollEnabled: true, isRotateEnabled: true, isPitchEnabled: true };
  #held = null;
  #isMovingByItself = false;
  #lastReport = 0;
  #lateReport = null;
  #isGesture = false;
  #gestureEnd = null;
  #keepsAddress = false;
  #hasOpened = false;
  /** Called when a person moves the map elsewhere, before the program knows of it. */
  onPan = () => {};

  constructor(map, connection) {
    this.#map = map;
    this.#connection = connection;
    map.transformCameraUpdate = (next) => this.#constrained(next);
    map.on("movestart", (event) => this.#started(event));
    map.on("move", (event) => this.#moved(event));
    map.on("moveend", (event) => this.#ended(event));
    for (const [event, kind] of [["dragstart", "pan"], ["zoomstart", "zoom"], ["rotatestart", "rotate"], ["pitchstart", "pitch"]]) {
      map.on(event, ({ originalEvent }) => { if (originalEvent) this.gesture(kind); });
    }
    map.getCanvas().addEventListener("keydown", (event) => this.#key(event), { capture: true });
    addEventListener("hashchange", () => {
      if (this.#keepsAddress && addressedView()) this.gesture("pan");
      this.#goToAddress();
    });
  }

  /** Sets the enabled gestures, for the keyboard as well. */
  apply(rules) {
    this.#rules = rules;
    this.#keepsAddress = rules.followsAddress === true;
    const { isZoomEnabled: zoom, isScrollEnabled: scroll, isRotateEnabled: rotate, isPitchEnabled: pitch } = rules;
    const map = this.#map;
    const toggle = (handler, isOn, ...options) => { if (isOn) handler.enable(...options); else handler.disable(); };
    for (const handler of [map.scrollZoom, map.boxZoom, map.doubleClickZoom, map.touchZoomRotate]) toggle(handler, zoom);
    toggle(map.dragPan, scroll);
    toggle(map.dragRotate, rotate || pitch);
    toggle(map.touchPitch, pitch);
    if (rotate) map.touchZoomRotate.enableRotation();
    else map.touchZoomRotate.disableRotation();
    map.setMinZoom(rules.minimumZoom ?? 0);
    map.setMaxZoom(rules.maximumZoom ?? 20);
    this.#hold();
  }

  get rules() { return this.#rules; }

  /** Shows the program's camera from a new `state`. A page opened with a view in its address shows that, and reports it. */
  open(camera) {
    const isFirst = !this.#hasOpened;
    this.#hasOpened = true;
    if (isFirst && this.#keepsAddress && this.#goToAddress()) return;
    this.show({ ...camera, animated: false });
  }

  /** Moves to the camera of the program. */
  show({ center, zoom, heading, pitch, animated, sequence, page }, cause = page ? "page" : "program") {
    const target = { center, zoom, bearing: heading ?? 0, pitch: pitch ?? 0 };
    const data = { cause, sequence: sequence ?? undefined };
    this.#isMovingByItself = true;
    if (!animated) this.#map.jumpTo(target, data);
    else if (this.#isFar(target)) this.#map.flyTo({ ...target, duration: FLIGHT }, data);
    else this.#map.easeTo({ ...target, duration: page ? 150 : 450 }, data);
  }

  #isFar({ center, zoom }) {
    const { x, y } = this.#map.project(center);
    const { clientWidth, clientHeight } = this.#map.getContainer();
    return Math.abs(zoom - this.#map.getZoom()) > 3 || Math.hypot(x - clientWidth / 2, y - clientHeight / 2) > 2 * Math.max(clientWidth, clientHeight);
  }

  /** Moves for a control of the page. */
  move(target, gesture) {
    if (gesture) this.gesture(gesture);
    this.#isMovingByItself = true;
    this.#map.easeTo({ duration: 300, ...target }, { cause: "control" });
  }

  /** Moves to what a person has chosen, which ends tracking. */
  fly(target) {
    this.gesture("pan");
    this.#isMovingByItself = true;
    const view = { bearing: this.#map.getBearing(), pitch: this.#map.getPitch(), ...target };
    if (this.#isFar(view)) this.#map.flyTo({ ...view, duration: FLIGHT }, { cause: "control" });
    else this.#map.easeTo({ ...view, duration: 450 }, { cause: "control" });
  }

  /** Follows the location, without animation. */
  track(target) {
    this.#isMovingByItself = true;
    this.#map.jumpTo(target, { cause: "tracking" });
  }

  gesture(kind) {
    if (kind === "pan") this.onPan();
    this.#connection.send({ type: "gesture", kind });
  }

  // MARK: Limits of gestures

  #hold() {
    this.#held = { bearing: this.#map.getBearing(), pitch: this.#map.getPitch() };
  }

  #constrained({ center, bearing, pitch }) {
    const within = this.#within(center);
    if (this.#isMovingByItself || !this.#held) return within;
    return {
      ...within,
      bearing: this.#rules.isRotateEnabled ? bearing : this.#held.bearing,
      pitch: this.#rules.isPitchEnabled ? pitch : this.#held.pitch,
    };
  }

  /** The centre, or the nearest one within the program's boundary. */
  #within({ lng, lat }) {
    const { boundary } = this.#rules;
    if (!boundary) return {};
    const [west, south, east, north] = boundary;
    const turned = lng - 360 * Math.round((lng - (west + east) / 2) / 360);
    const nearest = [Math.min(Math.max(turned, west), east), Math.min(Math.max(lat, south), north)];
    return nearest[0] === turned && nearest[1] === lat ? {} : { center: new maplibregl.LngLat(...nearest) };
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { isZoomEnabled, isScrollEnabled, isRotateEnabled, isPitchEnabled } = this.#rules;
    const isAcross = event.key === "ArrowLeft" || event.key === "ArrowRight";
    const isArrow = isAcross || event.key === "ArrowUp" || event.key === "ArrowDown";
    const isAllowed = isArrow
      ? (event.shiftKey ? (isAcross ? isRotateEnabled : isPitchEnabled) : isScrollEnabled)
      : (["+", "-", "=", "_"].includes(event.key) ? isZoomEnabled : true);
    if (!isAllowed) event.stopPropagation();
    else if (isArrow && !event.shiftKey) this.gesture("pan");
  }

  // MARK: Reporting

  #started(event) {
    if (event.originalEvent) this.#isMovingByItself = false;
    if (event.cause !== "tracking") clearTimeout(this.#lateReport);
    this.#continueGesture(event);
  }

  #continueGesture({ originalEvent }) {
    if (!originalEvent) return;
    this.#isGesture = true;
    clearTimeout(this.#gestureEnd);
  }

  #moved(event) {
    this.#continueGesture(event);
    // A new size of the map is no gesture.
    if (event.cause === undefined && !this.#isGesture) return;
    const now = performance.now();
    const interval = event.cause === "tracking" ? TRACKING_INTERVAL : REPORT_INTERVAL;
    if (event.cause === "page" || event.cause === "print" || event.sequence !== undefined || now - this.#lastReport < interval) return;
    this.#lastReport = now;
    this.#report(event, true);
  }

  #ended(event) {
    this.#isMovingByItself = false;
    this.#hold();
    if (event.cause === "print") return;
    this.#writeAddress(event);
    // The other page reports its own gesture. Tracking ends a move at each step.
    if (event.cause === "page") return;
    if (event.cause === undefined) return this.#endedGesture(event);
    clearTimeout(this.#lateReport);
    const report = () => {
      this.#lastReport = performance.now();
      this.#report(event, false);
    };
    if (event.cause === "tracking") this.#lateReport = setTimeout(report, TRACKING_REST);
    else report();
  }

  // Reports the position at once, and the end of the gesture after the pause. A new size of the map ends a move without
  // a gesture.
  #endedGesture(event) {
    if (!this.#isGesture) return;
    this.#report(event, true);
    clearTimeout(this.#gestureEnd);
    this.#gestureEnd = setTimeout(() => {
      this.#isGesture = false;
      this.#report(event, false);
    }, GESTURE_PAUSE);
  }

  #report({ cause = "gesture", sequence }, isMoving) {
    const { lng, lat } = this.#map.getCenter();
    this.#connection.send({
      type: "camera", center: [lng, lat], zoom: this.#map.getZoom(), heading: (this.#map.getBearing() + 360) % 360,
      pitch: this.#map.getPitch(), isMoving, cause, sequence,
    });
  }

  // MARK: The page's address

  #goToAddress() {
    const view = this.#keepsAddress ? addressedView() : null;
    if (!view) return false;
    this.#isMovingByItself = true;
    this.#map.jumpTo(view, { cause: "address" });
    return true;
  }

  #addressTimer = null;
  #writeAddress({ cause }) {
    if (!this.#keepsAddress || cause === "address") return;
    // Browsers limit changes of the address, and tracking ends a move sixty times a second.
    this.#addressTimer ??= setTimeout(() => {
      this.#addressTimer = null;
      history.replaceState(history.state, "", this.address);
    }, 300);
  }

  /** The present view as an address. */
  get address() {
    const { lng, lat } = this.#map.getCenter();
    const zoom = this.#map.getZoom();
    const digits = Math.max(2, Math.ceil((zoom * Math.LN2 + Math.log(512 / 360 / 0.5)) / Math.LN10));
    const turned = this.#map.getBearing() || this.#map.getPitch();
    const tail = turned ? `/${this.#map.getBearing().toFixed(1)}/${this.#map.getPitch().toFixed(0)}` : "";
    return `#map=${zoom.toFixed(2)}/${lat.toFixed(digits)}/${lng.toFixed(digits)}${tail}`;
  }
}
