// A day of the vehicles, played back from what was recorded: a bar with the day, a slider over it and the speed. The program sends the
// tracks, simplified in time; between two of their points a vehicle goes straight on, and at the end of a part it stands and becomes
// stale, because its way is unknown.

import { address } from "./basemap.js";
import { element, icon, iconButton, keepKeys } from "./dom.js";
import { clock } from "./fleet-vehicle.js";
import { english, locale, text } from "./texts.js";

const SPEEDS = [1, 10, 60, 300, 600];
const USUAL = 60;
// The time between two pictures in milliseconds, for few vehicles and for many.
const INTERVAL = 100;
const LONG_INTERVAL = 500;
const MANY = 500;
// A step of the slider in seconds.
const STEP = 60;
// As the program judges live vehicles of an unknown interval, in seconds, and in metres a second.
const STALE = 120;
const OFFLINE = 900;
const LEAST_SPEED = 1;
const UNIT = 1e-5;
const DEGREE = 111_320;
const TURN = 360 / UNIT;
const times = new Intl.DateTimeFormat(locale, { timeStyle: "medium" });
const numbers = new Intl.NumberFormat(locale);

export class FleetPlayback {
  #context;
  #on;
  #tracks = [];
  #start = 0;
  #end = 0;
  #asked = 0;
  #isPlaying = false;
  #played = 0;
  #drawn = 0;
  #live = clock.now;
  /** The time that is shown, in seconds since 1970. */
  time = 0;
  /** The vehicles at this time, by number. */
  vehicles = new Map();
  button = element("button", { type: "button", class: "playback-button", hidden: true, text: text("Play back a day"), on: { click: () => this.begin() } });
  #day = element("input", { type: "date", required: true, aria: { label: text("Day") }, on: { change: () => this.#load() } });
  #play = element("button", { type: "button", class: "play", on: { click: () => this.#setPlaying(!this.#isPlaying) } });
  #slider = element("input", { type: "range", min: 0, max: 86_400, step: STEP, aria: { label: text("Time of day") }, on: { input: () => this.#go(this.#start + this.#slider.valueAsNumber) } });
  #clock = element("output");
  #speed = element("select", { aria: { label: text("Speed of the playback") } },
    ...SPEEDS.map((speed) => element("option", { value: speed, selected: speed === USUAL, text: `${numbers.format(speed)}×` })));
  #note = element("p", { role: "status" });
  #close = iconButton("close", text("Back to the live vehicles"), () => this.end());
  #bar = element("section", { class: "profile playback", role: "group", aria: { label: text("Playback") } },
    element("header", {}, element("strong", { text: text("Playback") }), this.#day, this.#close),
    element("div", { class: "row" }, this.#play, this.#slider, this.#clock, this.#speed), this.#note);

  /** `on` has `begin()`, `draw(isLater)` for another time, `loaded()` and `end()`. */
  constructor(context, on) {
    this.#context = context;
    this.#on = on;
    keepKeys(this.#bar, () => { if (!this.#close.hidden) this.end(); });
    this.#setPlaying(false);
  }

  get isActive() { return this.#bar.isConnected; }

  /** Offers it; begins at once if there are no live vehicles. */
  offer(isLive) {
    this.button.hidden = this.isActive;
    this.#close.hidden = !isLive;
    if (!isLive && !this.isActive) this.begin();
  }

  begin() {
    if (this.isActive) return;
    this.#context.page.profile.close();
    this.#context.stage.querySelector(".announcements").before(this.#bar);
    this.button.hidden = true;
    this.#live = clock.now;
    clock.now = () => this.time;
    this.#day.max = dayOf(new Date());
    if (!this.#day.value) this.#day.value = this.#day.max;
    this.#on.begin();
    this.#day.focus({ preventScroll: true });
    this.#load();
  }

  end() {
    if (!this.isActive) return;
    this.#setPlaying(false);
    this.#asked += 1;
    [this.#tracks, this.vehicles] = [[], new Map()];
    this.#bar.remove();
    this.button.hidden = false;
    clock.now = this.#live;
    this.#on.end();
    this.button.focus({ preventScroll: true });
  }

  async #load() {
    const [year, month, day] = this.#day.value.split("-").map(Number);
    if (!day) return;
    this.#setPlaying(false);
    // The days of the browser's time zone: with 23 or 25 hours when the clocks change.
    [this.#start, this.#end] = [new Date(year, month - 1, day), new Date(year, month - 1, day + 1)].map((date) => date / 1000);
    this.#slider.max = this.#end - this.#start;
    this.#tracks = [];
    this.#go(this.#start);
    this.#say(text("Loading the positions of the day…"));
    this.#asked += 1;
    const asked = this.#asked;
    const answer = await this.#fetch(this.#start, this.#end);
    // Another day was chosen meanwhile.
    if (asked !== this.#asked) return;
    if (answer.problem !== undefined) return this.#say(text("The recorded positions could not be loaded."), answer.problem);
    this.#tracks = answer.vehicles.map(readTrack);
    const first = Math.min(...this.#tracks.map(({ parts }) => parts[0][0]));
    this.#go(this.#start + (this.#tracks.length ? Math.floor(first / STEP) * STEP + STEP : 0));
    const hidden = this.#close.hidden ? "" : text("The live vehicles are hidden.");
    this.#say(this.#tracks.length ? hidden : text("Nothing was recorded on this day."));
    this.#on.loaded();
  }

  async #fetch(from, to) {
    try {
      const answer = await fetch(address(`recorded/${from}/${to}`));
      return answer.ok ? await answer.json() : { problem: `${answer.status}` };
    } catch (problem) {
      return { problem: problem.message };
    }
  }

  #say(words, problem = "") { this.#note.replaceChildren(words, ...problem ? [" ", element("span", { ...english, text: problem })] : []); }

  #setPlaying(isPlaying) {
    this.#isPlaying = isPlaying && this.#tracks.length > 0;
    this.#play.replaceChildren(icon(this.#isPlaying ? "pause" : "play"));
    const label = this.#isPlaying ? text("Pause") : text("Play");
    this.#play.title = label;
    this.#play.setAttribute("aria-label", label);
    if (!this.#isPlaying) return;
    if (this.time >= this.#end) this.#go(this.#start);
    this.#played = performance.now();
    requestAnimationFrame(() => this.#tick());
  }

  #tick() {
    if (!this.#isPlaying) return;
    const now = performance.now();
    if (now - this.#drawn >= (this.#tracks.length > MANY ? LONG_INTERVAL : INTERVAL)) {
      // A page that was hidden continues where it was.
      const passed = Math.min(now - this.#played, 1000) / 1000 * Number(this.#speed.value);
      [this.#drawn, this.#played] = [now, now];
      this.#go(Math.min(this.#end, this.time + passed), true);
      if (this.time >= this.#end) return this.#setPlaying(false);
    }
    requestAnimationFrame(() => this.#tick());
  }

  /** Shows another time. */
  #go(time, isLater = false) {
    this.time = time;
    const seconds = time - this.#start;
    this.vehicles = new Map(this.#tracks.flatMap((track) => {
      const vehicle = vehicleAt(track, seconds, this.#start);
      return vehicle ? [[vehicle.number, vehicle]] : [];
    }));
    this.#slider.value = seconds;
    const words = times.format(time * 1000);
    this.#slider.setAttribute("aria-valuetext", words);
    this.#clock.textContent = words;
    this.#on.draw(isLater);
  }
}

const dayOf = (date) => [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => `${part}`.padStart(2, "0")).join("-");

/** Reads the differences of a track. */
function readTrack({ label, name, parts }, number) {
  return {
    number, label, given: name,
    parts: parts.map((numbers) => {
      const values = Int32Array.from(numbers);
      for (let index = 3; index < values.length; index += 1) values[index] += values[index - 3];
      return values;
    }),
  };
}

/** The index of the last of `count` values that is not after `seconds`; -1 if there is none. */
function lastBefore(count, valueAt, seconds) {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (valueAt(middle) <= seconds) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The vehicle of a track at a time in seconds since `start`, as the program sends live ones; `null` before its first position. */
function vehicleAt({ number, label, given, parts }, seconds, start) {
  const part = parts[lastBefore(parts.length, (index) => parts[index][0], seconds)];
  if (!part) return null;
  const count = part.length / 3;
  const index = lastBefore(count, (at) => part[3 * at], seconds);
  const isLast = index === count - 1;
  // The last leg shows how it came there.
  const from = 3 * (isLast ? Math.max(0, index - 1) : index);
  const to = 3 * (isLast ? index : index + 1);
  const seen = isLast ? part[to] : seconds;
  const duration = part[to] - part[from];
  const across = ((part[to + 1] - part[from + 1] + TURN * 1.5) % TURN) - TURN / 2;
  const along = part[to + 2] - part[from + 2];
  const passed = duration ? Math.min(1, (seconds - part[from]) / duration) : 1;
  const latitude = (part[from + 2] + along * passed) * UNIT;
  const longitude = (((part[from + 1] + across * passed) * UNIT + 540) % 360) - 180;
  const [east, north] = [across * UNIT * DEGREE * Math.cos(latitude * Math.PI / 180), along * UNIT * DEGREE];
  const speed = duration ? Math.hypot(east, north) / duration : 0;
  const age = seconds - seen;
  const state = age >= OFFLINE ? 3 : age > STALE ? 2 : speed >= LEAST_SPEED ? 0 : 1;
  const course = speed >= LEAST_SPEED ? Math.round(Math.atan2(east, north) * 180 / Math.PI + 360) % 360 : null;
  return { number, label, given, position: [longitude, latitude], state, course, speed, time: start + seen, interval: null };
}
