// A line that was clicked: its name, its length and, if they are known, a diagram of its altitudes and speeds, along which
// the pointer runs on the map.

import { address } from "./basemap.js";
import { drawing, element, iconButton, keepKeys, onceAFrame, shown } from "./dom.js";
import { locale, text } from "./texts.js";
import { distance, height, span, speed } from "./units.js";

// The diagram's own units. It is stretched to its box.
const WIDTH = 1000;
const HEIGHT = 100;
// The least range of altitudes in metres that fills the diagram: less is noise of a receiver.
const LEAST_RANGE = 20;
const STEPS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -20, PageUp: 20, Home: -Infinity, End: Infinity };

export class Profile {
  #context;
  #overlay = null;
  #samples = [];
  #index = 0;
  #dot = element("div", { class: "profile-dot", aria: { hidden: true } });
  #marker = new maplibregl.Marker({ element: this.#dot });
  #swatch = element("span", { class: "swatch", aria: { hidden: true } });
  #title = element("strong", { dir: "auto" });
  #facts = element("p", { class: "facts" });
  #note = element("p", { class: "route-note", dir: "auto" });
  #actions = element("div", { class: "place-actions" });
  #diagram = element("div", { class: "diagram", role: "slider", tabindex: "0", aria: { label: text("Position along the line"), valuemin: 0 } });
  #readout = element("p", { class: "readout" });
  #panel = element("section", { class: "profile", role: "group", aria: { label: text("Profile") } },
    element("header", {}, this.#swatch, this.#title, iconButton("close", text("Close"), () => this.close())),
    this.#facts, this.#note, this.#diagram, this.#readout, this.#actions);

  /** Called with the panel when it has been opened. */
  onOpen = () => {};

  constructor(context) {
    this.#context = context;
    const { map, page } = context;
    map.on("click", ({ point, originalEvent }) => {
      // The second click of two zooms in.
      if (originalEvent.detail > 1 || page.measurement.isActive) return;
      const overlay = page.lineAt(point);
      if (overlay) this.open(overlay, { point });
    });
    map.on("mousemove", ({ point }) => this.#hover(point));
    for (const name of ["pointerdown", "pointermove"]) this.#diagram.addEventListener(name, (event) => this.#point(event));
    this.#diagram.addEventListener("keydown", (event) => this.#key(event));
    keepKeys(this.#panel, () => this.close());
  }

  /** Shows by the mouse pointer whether a click at a point would open a profile. */
  #hover = onceAFrame((point) => {
    const isOver = !this.#context.page.measurement.isActive && !this.#context.map.isMoving() && Boolean(this.#context.page.lineAt(point));
    this.#context.map.getCanvasContainer().classList.toggle("is-over-line", isOver);
  });

  /** Shows the profile of a line, from the point of it that was clicked or from its start. */
  async open(overlay, { point = null, takesFocus = false } = {}) {
    this.#overlay = overlay;
    let profile;
    try {
      profile = overlay.profileOf?.() ?? await loaded(overlay.profile);
    } catch (problem) {
      console.info(`No profile: ${problem.message}.`);
      return this.#context.announcer.notice({ kind: "warning", text: text("The profile could not be loaded. Try again.") });
    }
    // Another line has been clicked since, or this one was removed.
    if (this.#overlay !== overlay) return;
    this.#samples = profile.samples.map(([along, longitude, latitude, altitude, pace, time]) => ({ along, position: [longitude, latitude], altitude, pace, time }));
    this.#swatch.style.background = overlay.stroke ?? "";
    this.#title.textContent = shown(overlay.title || text("Track"));
    this.#facts.textContent = this.#words(profile);
    this.#note.textContent = shown(overlay.note ?? "");
    this.#actions.replaceChildren(...overlay.actions?.() ?? []);
    this.#draw();
    this.#context.stage.querySelector(".announcements").before(this.#panel);
    this.#context.announcer.say(`${this.#title.textContent}: ${this.#facts.textContent}`);
    this.#go(point ? this.#nearest(point) : 0);
    this.#marker.addTo(this.#context.map);
    this.onOpen(this.#panel);
    if (takesFocus) (this.#actions.firstElementChild ?? this.#panel.querySelector("button")).focus({ preventScroll: true });
  }

  /** The positions of the line that is shown. */
  get positions() { return this.#overlay ? this.#samples.map(({ position }) => position) : []; }

  close() {
    if (!this.#overlay) return;
    const hadFocus = this.#panel.contains(document.activeElement);
    this.#overlay = null;
    this.#panel.remove();
    this.#marker.remove();
    if (hadFocus) this.#context.map.getCanvas().focus({ preventScroll: true });
  }

  /** Closes the profile of a line that is no longer on the map or hidden, and shows that of a route that has changed. */
  refresh() {
    if (!this.#overlay) return;
    const { id, profileOf } = this.#overlay;
    const lines = profileOf ? this.#context.page.routeLines : this.#context.page.overlays;
    const present = lines.find(id);
    if (!present || lines.isHidden(id)) this.close();
    else if (profileOf && present !== this.#overlay) this.open(present);
  }

  #words({ duration, movingTime, climb, descent }) {
    const unit = this.#context.page.unit;
    const { along } = this.#samples.at(-1) ?? { along: 0 };
    const isPaused = duration && movingTime && duration - movingTime > 60;
    return [distance(along, unit), duration ? span(duration) : "", isPaused ? text("{time} in motion", { time: span(movingTime) }) : "",
      typeof climb === "number" ? text("{climb} up, {descent} down", { climb: height(climb, unit), descent: height(descent, unit) }) : ""].filter(Boolean).join(" · ");
  }

  #draw() {
    const length = Math.max(this.#samples.at(-1)?.along ?? 0, 1);
    const unit = this.#context.page.unit;
    const axes = [
      { key: "altitude", name: height, least: LEAST_RANGE, from: null },
      { key: "pace", name: speed, least: 1, from: 0 },
    ].map((axis) => ({ ...axis, known: this.#samples.filter((sample) => typeof sample[axis.key] === "number") })).filter(({ known }) => known.length > 1);
    this.#diagram.hidden = this.#readout.hidden = !axes.length;
    this.#diagram.setAttribute("aria-valuemax", this.#samples.length - 1);
    this.#diagram.replaceChildren(
      drawing("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" },
        ...axes.map(({ key, known, least, from }) => {
          const values = known.map((sample) => sample[key]);
          const low = from ?? Math.min(...values);
          const range = Math.max(Math.max(...values) - low, least);
          const points = known.map((sample) => `${(sample.along / length * WIDTH).toFixed(1)},${(HEIGHT - (sample[key] - low) / range * HEIGHT * 0.92).toFixed(1)}`);
          const [first, last] = [known[0], known.at(-1)].map(({ along }) => (along / length * WIDTH).toFixed(1));
          return key === "altitude"
            ? drawing("path", { class: key, d: `M${first},${HEIGHT}L${points.join("L")}L${last},${HEIGHT}Z` })
            : drawing("polyline", { class: key, points: points.join(" ") });
        })),
      element("span", { class: "at", aria: { hidden: true } }),
      ...axes.flatMap(({ key, known, name, from }) => {
        const values = known.map((sample) => sample[key]);
        return [element("span", { class: `axis high ${key}`, text: name(Math.max(...values), unit), aria: { hidden: true } }),
          from === null ? element("span", { class: `axis low ${key}`, text: name(Math.min(...values), unit), aria: { hidden: true } }) : null];
      }).filter(Boolean));
  }

  // MARK: The pointer

  #point(event) {
    if (event.type === "pointerdown") this.#diagram.setPointerCapture(event.pointerId);
    const { left, width } = this.#diagram.getBoundingClientRect();
    const along = (event.clientX - left) / width * (this.#samples.at(-1)?.along ?? 0);
    this.#go(this.#best(({ along: here }) => Math.abs(here - along)));
  }

  #key(event) {
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    this.#go(this.#index + step);
  }

  /** The index of the sample that is nearest to a point of the map. */
  #nearest({ x, y }) {
    return this.#best(({ position }) => {
      const at = this.#context.map.project(position);
      return Math.hypot(at.x - x, at.y - y);
    });
  }

  #best(measure) {
    let [best, least] = [0, Infinity];
    this.#samples.forEach((sample, index) => {
      const value = measure(sample);
      if (value < least) [best, least] = [index, value];
    });
    return best;
  }

  #go(index) {
    this.#index = Math.min(Math.max(index, 0), this.#samples.length - 1);
    const sample = this.#samples[this.#index];
    if (!sample) return;
    this.#marker.setLngLat(sample.position);
    const unit = this.#context.page.unit;
    const words = [distance(sample.along, unit), typeof sample.altitude === "number" ? height(sample.altitude, unit) : "",
      typeof sample.pace === "number" ? speed(sample.pace, unit) : "",
      sample.time ? new Date(sample.time).toLocaleTimeString(locale, { hour: "numeric", minute: "2-digit" }) : ""].filter(Boolean).join(" · ");
    this.#readout.textContent = words;
    this.#diagram.setAttribute("aria-valuenow", this.#index);
    this.#diagram.setAttribute("aria-valuetext", words);
    const at = this.#diagram.querySelector(".at");
    at.style.insetInlineStart = `${sample.along / Math.max(this.#samples.at(-1).along, 1) * 100}%`;
  }
}

/** The profile of a line of the program. */
async function loaded(path) {
  const answer = await fetch(address(path));
  if (!answer.ok) throw new Error(`the program answered ${answer.status}`);
  return answer.json();
}
