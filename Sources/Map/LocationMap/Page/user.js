// The user's location: dot, accuracy circle and heading cone, as elements above the map, so that moving them does not
// repaint it.

import { drawing, element, prefersReducedMotion } from "./dom.js";
import { listed, text, translated } from "./texts.js";
import { accuracyOf, ago } from "./units.js";
import { build } from "./view.js";

const EQUATOR = 40_075_016.686;
// The time in which two thirds of a correction are made.
const GLIDE = 120;
// The program sends ten frames a second. Between them the dot moves on by itself, for this time at most.
const REACH = 300;
// The distance above which the dot jumps.
const LEAP = 2_000;
const LEAST_CIRCLE = 24;
// Half of the heading cone's angle, in degrees, because receivers do not report the accuracy of a compass.
const CONE = 15;

export class UserDot {
  #map;
  #user = { status: "off" };
  #shown = null;
  #target = null;
  #correction = [0, 0];
  #lastStep = 0;
  #frame = null;
  #isLive = true;
  #clock = null;
  #label = "";
  #ownLook = null;

  // The flat part, which rotates and tilts with the map.
  #circle = element("div", { class: "accuracy" });
  #cone = drawing("svg", { class: "cone", viewBox: "-60 -60 120 120" },
    drawing("defs", {}, drawing("radialGradient", { id: "cone", gradientUnits: "userSpaceOnUse", cx: 0, cy: 0, r: 58 },
      drawing("stop", { offset: 0.1, class: "near" }), drawing("stop", { offset: 1, class: "far" }))),
    drawing("path", { d: wedge(CONE) }));
  #ground = element("div", { class: "user-ground", aria: { hidden: true } }, this.#circle, this.#cone);
  // The upright part.
  #age = element("span", { class: "age", hidden: true, aria: { hidden: true } });
  #dot = element("div", { class: "user-dot", role: "img" }, element("div", { class: "disc" }), this.#age);

  #groundMarker;
  #dotMarker;
  /** Called for every frame in which the position or heading shown has changed. */
  onStep = () => {};
  onPlaced = () => {};
  onSelect = () => {};

  constructor(map) {
    this.#map = map;
    this.#groundMarker = new maplibregl.Marker({ element: this.#ground, rotationAlignment: "map", pitchAlignment: "map", subpixelPositioning: true });
    this.#dotMarker = new maplibregl.Marker({ element: this.#dot, rotationAlignment: "viewport", pitchAlignment: "viewport", subpixelPositioning: true });
    map.on("zoom", () => this.#size());
    this.#dot.addEventListener("click", (event) => { event.stopPropagation(); this.onSelect(); });
    this.#dot.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); event.stopPropagation(); this.onSelect(); }
    });
  }

  /** The position shown, between the fixes. */
  get shown() { return this.#shown; }
  get user() { return this.#user; }

  /** The position of the dot on the screen, in the form of a view, with a callout for its name. */
  get entry() {
    if (!this.#shown) return null;
    const { x, y } = this.#map.project(this.#shown.position);
    const { title, view, accuracy, source } = this.#user;
    const words = accuracy ? text("Within {distance}", { distance: accuracyOf(accuracy) }) : "";
    const subtitle = listed([words, translated(source)]) || undefined;
    return { x, y, view: { size: [28, 28], ...view, title, callout: view ? view.callout : { title: nameOf(title), subtitle } } };
  }

  /** Set to false while the connection is lost: what is shown is the past then. */
  set isLive(isLive) {
    if (isLive === this.#isLive) return;
    this.#isLive = isLive;
    if (this.#shown) this.#look();
  }

  focus() { this.#dot.focus({ preventScroll: true }); }

  update(user, isShown) {
    this.#user = user;
    const isVisible = isShown && Array.isArray(user.position);
    if (!isVisible) {
      this.#dotMarker.remove();
      this.#groundMarker.remove();
      this.#shown = this.#target = null;
      this.#showAge(false);
      return;
    }
    const isMoving = user.status === "located" && !user.isReduced && user.speed > 0 && typeof user.course === "number" && !prefersReducedMotion();
    this.#target = {
      position: user.position, accuracy: user.accuracy ?? 0, heading: user.heading ?? null, course: user.course ?? null,
      velocity: isMoving ? velocity(user) : null, since: performance.now(),
    };
    const isFirst = !this.#shown;
    if (isFirst || prefersReducedMotion() || metres(this.#shown.position, user.position) > LEAP) this.#shown = { ...this.#target };
    this.#correction = user.position.map((value, axis) => difference(value, this.#shown.position[axis]));
    this.#look();
    if (isFirst) {
      this.#place();
      this.#groundMarker.addTo(this.#map);
      this.#dotMarker.addTo(this.#map);
    }
    this.#run();
  }

  #look() {
    const { status, isReduced, heading, title, view } = this.#user;
    this.#lookAsProgramSays(view);
    const isStale = status !== "located" || !this.#isLive;
    for (const node of [this.#dot, this.#ground]) {
      node.classList.toggle("is-stale", isStale);
      node.classList.toggle("is-reduced", isReduced === true);
    }
    const hasCone = typeof heading === "number" && !isStale && !isReduced;
    this.#cone.classList.toggle("is-hidden", !hasCone);
    this.#showAge(isStale);
    const own = nameOf(title);
    const name = isStale ? text("{name}, not current", { name: own }) : isReduced ? text("{name}, approximate", { name: own }) : own;
    if (name !== this.#label || !this.#dot.hasAttribute("aria-label")) {
      this.#label = name;
      this.#dot.setAttribute("aria-label", name);
    }
    this.#dot.setAttribute("role", "button");
    this.#dot.tabIndex = 0;
  }

  #lookAsProgramSays(view) {
    const look = view ? JSON.stringify({ ...view, position: 0 }) : null;
    if (look === this.#ownLook) return;
    this.#ownLook = look;
    this.#ground.hidden = Boolean(view);
    // The dot is the button; the view inside is its image.
    this.#dot.replaceChildren(view ? element("div", { class: `own ${view.kind}` }, ...build(view).childNodes) : element("div", { class: "disc" }), this.#age);
    const own = this.#dot.querySelector(".own");
    if (own) [own.style.width, own.style.height] = view.size.map((length) => `${length}px`);
  }

  /** Shows the age of a location that is not current, and keeps it up to date. */
  #showAge(isStale) {
    const isShown = isStale && typeof this.#user.fixedAt === "number";
    this.#age.hidden = !isShown;
    clearInterval(this.#clock);
    if (!isShown) return;
    const tell = () => { this.#age.textContent = ago((Date.now() - this.#user.fixedAt) / 1000); };
    tell();
    this.#clock = setInterval(tell, 1000);
  }

  #run() {
    this.#lastStep = performance.now();
    this.#frame ??= requestAnimationFrame((now) => this.#step(now));
  }

  /**
   * Draws a frame: the newest position, moved on by its velocity, and what is left of the correction by it. The last
   * one stops the frames, so that none run while nothing moves.
   */
  #step(now) {
    this.#frame = null;
    if (!this.#target || !this.#shown) return;
    const share = 1 - Math.exp(-Math.max(0, now - this.#lastStep) / GLIDE);
    this.#lastStep = now;
    const toward = (from, to) => from + (to - from) * share;
    const { accuracy, heading, course, velocity, since } = this.#target;
    const time = Math.min(Math.max(0, now - since), REACH);
    const position = velocity ? this.#target.position.map((value, axis) => value + velocity[axis] * time / 1000) : this.#target.position;
    this.#correction = this.#correction.map((value) => value * (1 - share));
    const shown = position.map((value, axis) => value + this.#correction[axis]);
    const turn = Math.abs(difference(this.#shown.heading, heading)) + Math.abs(difference(this.#shown.course, course));
    const isThere = metres(shown, position) < 0.02 && turn < 0.1 && Math.abs(this.#shown.accuracy - accuracy) < 0.05 && !(velocity && time < REACH);
    this.#shown = isThere ? { position, accuracy, heading, course } : {
      position: shown,
      accuracy: toward(this.#shown.accuracy, accuracy),
      heading: approached(this.#shown.heading, heading, share),
      course: approached(this.#shown.course, course, share),
    };
    this.#place();
    this.onStep(this.#shown);
    if (!isThere) this.#frame = requestAnimationFrame((next) => this.#step(next));
  }

  #place() {
    this.#dotMarker.setLngLat(this.#shown.position);
    this.#groundMarker.setLngLat(this.#shown.position);
    if (this.#shown.heading !== null) this.#cone.style.transform = `rotate(${this.#shown.heading}deg)`;
    this.#size();
    this.onPlaced();
  }

  #size() {
    if (!this.#shown) return;
    const perPixel = EQUATOR * Math.cos(this.#shown.position[1] * Math.PI / 180) / (512 * 2 ** this.#map.getZoom());
    const diameter = 2 * this.#shown.accuracy / perPixel;
    const isVisible = diameter >= LEAST_CIRCLE || this.#user.isReduced === true;
    this.#circle.classList.toggle("is-hidden", !isVisible);
    // Scaled rather than resized, which would lay out the page at every step of a zoom.
    if (isVisible) this.#circle.style.transform = `scale(${Math.max(diameter, this.#user.isReduced ? LEAST_CIRCLE : 0) / 200})`;
  }
}

/** The name of the dot: that of the program, if it has set one. */
const nameOf = (title) => (!title || title === "My Location" ? text("My Location") : title);

/** The smaller of the two angles, in degrees. */
export function difference(from, to) {
  if (typeof from !== "number" || typeof to !== "number") return 0;
  return ((to - from + 540) % 360) - 180;
}

/** The velocity in degrees a second, along the axes of a position. */
function velocity({ position: [, latitude], speed, course }) {
  const [east, north] = [Math.sin(course * Math.PI / 180), Math.cos(course * Math.PI / 180)];
  const degrees = speed / (EQUATOR / 360);
  return [degrees * east / Math.cos(latitude * Math.PI / 180), degrees * north];
}

const approached = (from, to, share) => (from === null || to === null ? to : from + difference(from, to) * share);

function metres([x, y], [toX, toY]) {
  const scale = EQUATOR / 360;
  return Math.hypot(difference(x, toX) * scale * Math.cos(y * Math.PI / 180), (toY - y) * scale);
}

function wedge(halfAngle) {
  const x = (58 * Math.sin(halfAngle * Math.PI / 180)).toFixed(1);
  const y = (58 * Math.cos(halfAngle * Math.PI / 180)).toFixed(1);
  return `M0 0L-${x} -${y}A58 58 0 0 1 ${x} -${y}Z`;
}
