// The user's location: dot, accuracy circle and heading cone, as elements above the map, so that moving them does not
// repaint it.

import { drawing, element, prefersReducedMotion } from "./dom.js";
import { build } from "./view.js";

const EQUATOR = 40_075_016.686;
// The time in which the dot covers two thirds of the way to a new fix.
const GLIDE = 120;
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
  #lastStep = 0;
  #frame = null;
  #label = "My Location";
  #ownLook = null;

  // The flat part, which rotates and tilts with the map.
  #circle = element("div", { class: "accuracy" });
  #cone = drawing("svg", { class: "cone", viewBox: "-60 -60 120 120" },
    drawing("defs", {}, drawing("radialGradient", { id: "cone", gradientUnits: "userSpaceOnUse", cx: 0, cy: 0, r: 58 },
      drawing("stop", { offset: 0.1, class: "near" }), drawing("stop", { offset: 1, class: "far" }))),
    drawing("path", { d: wedge(CONE) }));
  #ground = element("div", { class: "user-ground", aria: { hidden: true } }, this.#circle, this.#cone);
  // The upright part.
  #dot = element("div", { class: "user-dot", role: "img" }, element("div", { class: "disc" }));

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
    const words = accuracy ? `Within ${accuracy < 10_000 ? `${Math.round(accuracy)} m` : `${Math.round(accuracy / 1000)} km`}` : undefined;
    const subtitle = [words, source].filter(Boolean).join(", ") || undefined;
    return { x, y, view: { size: [28, 28], ...view, title, callout: view ? view.callout : { title, subtitle } } };
  }

  focus() { this.#dot.focus({ preventScroll: true }); }

  update(user, isShown) {
    this.#user = user;
    const isVisible = isShown && Array.isArray(user.position);
    if (!isVisible) {
      this.#dotMarker.remove();
      this.#groundMarker.remove();
      this.#shown = this.#target = null;
      return;
    }
    this.#target = { position: user.position, accuracy: user.accuracy ?? 0, heading: user.heading ?? null, course: user.course ?? null };
    const isFirst = !this.#shown;
    if (isFirst || prefersReducedMotion() || metres(this.#shown.position, user.position) > LEAP) this.#shown = { ...this.#target };
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
    const isStale = status !== "located";
    for (const node of [this.#dot, this.#ground]) {
      node.classList.toggle("is-stale", isStale);
      node.classList.toggle("is-reduced", isReduced === true);
    }
    const hasCone = typeof heading === "number" && !isStale && !isReduced;
    this.#cone.classList.toggle("is-hidden", !hasCone);
    const name = `${title ?? "My Location"}${isReduced ? ", approximate" : isStale ? ", not current" : ""}`;
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
    this.#dot.replaceChildren(view ? element("div", { class: `own ${view.kind}` }, ...build(view).childNodes) : element("div", { class: "disc" }));
    const own = this.#dot.querySelector(".own");
    if (own) [own.style.width, own.style.height] = view.size.map((length) => `${length}px`);
  }

  #run() {
    this.#lastStep = performance.now();
    this.#frame ??= requestAnimationFrame((now) => this.#step(now));
  }

  /** Draws a frame on the way to the newest fix. The last one stops the frames, so that none run while nothing moves. */
  #step(now) {
    this.#frame = null;
    if (!this.#target || !this.#shown) return;
    const share = 1 - Math.exp(-Math.max(0, now - this.#lastStep) / GLIDE);
    this.#lastStep = now;
    const toward = (from, to) => from + (to - from) * share;
    const { position, accuracy, heading, course } = this.#target;
    const left = metres(this.#shown.position, position);
    const turn = Math.abs(difference(this.#shown.heading, heading)) + Math.abs(difference(this.#shown.course, course));
    const isThere = left < 0.02 && turn < 0.1 && Math.abs(this.#shown.accuracy - accuracy) < 0.05;
    this.#shown = isThere ? { ...this.#target } : {
      position: [this.#shown.position[0] + difference(this.#shown.position[0], position[0]) * share, toward(this.#shown.position[1], position[1])],
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

/** The smaller of the two angles, in degrees. */
export function difference(from, to) {
  if (typeof from !== "number" || typeof to !== "number") return 0;
  return ((to - from + 540) % 360) - 180;
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
