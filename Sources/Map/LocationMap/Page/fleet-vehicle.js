// A vehicle as the program sends it, and in words.

import { text } from "./texts.js";
import { ago, speed } from "./units.js";

// By the number of the state. Each has a shape as well as a colour; that of an arrow points to the north. In a square of 20 pixels.
export const STATES = [
  { name: text("Moving"), symbol: "vehicle:0", colour: "#12813a", path: "M10 1.2 16.8 18 10 14.4 3.2 18z" },
  { name: text("Stopped"), symbol: "vehicle:1", colour: "#31415f", path: "M4 4h12v12H4z" },
  { name: text("Stale"), symbol: "vehicle:2", colour: "#b85600", path: "M10 1.6 18.4 10 10 18.4 1.6 10z" },
  { name: text("Offline"), symbol: "vehicle:3", colour: "#6a6e77", path: "M5 2.2 10 7.2 15 2.2 17.8 5 12.8 10 17.8 15 15 17.8 10 12.8 5 17.8 2.2 15 7.2 10 2.2 5z" },
];
/** A vehicle that moves nobody knows where to. */
export const AIMLESS = { ...STATES[0], symbol: "vehicle:aimless", path: "M10 2.6a7.4 7.4 0 1 0 0 14.8 7.4 7.4 0 0 0 0-14.8z" };

export const stateOf = ({ state, course }) => (state === 0 && course === null ? AIMLESS : STATES[state]);

// The characters of a digit in base 32: "#" and the next 31 for the last one of a number, "]" and the next 31 for one that another follows.
const LAST = 35;
const NOT_LAST = 93;

/** Reads the vehicles of the program, each written as its difference from what was read of it before. */
export class VehicleReader {
  #known = new Map();

  forget(number) { this.#known.delete(number); }

  clear() { this.#known.clear(); }

  /** Returns the vehicles of an event or a list. `names` has two for each that was not known: its label, and the name that it gives itself. */
  read({ vehicles: digits, names }) {
    const [vehicles, found] = [[], names.values()];
    let [at, number] = [0, 0];
    const next = () => {
      let [value, scale, code] = [0, 1, digits.charCodeAt(at)];
      for (; code >= NOT_LAST; scale *= 32) {
        value += (code - NOT_LAST) * scale;
        at += 1;
        code = digits.charCodeAt(at);
      }
      value += (code - LAST) * scale;
      at += 1;
      return value % 2 ? -(value + 1) / 2 : value / 2;
    };
    while (at < digits.length) {
      number += next();
      const known = this.#known.get(number) ?? { values: [0, 0, 0, 0, 0, 0, 0], label: found.next().value, given: found.next().value };
      this.#known.set(number, known);
      for (let index = 0; index < known.values.length; index += 1) known.values[index] += next();
      vehicles.push(vehicleOf(number, known));
    }
    return vehicles;
  }
}

function vehicleOf(number, { values: [longitude, latitude, state, course, decimetres, time, interval], label, given }) {
  const or = (value) => (value < 0 ? null : value);
  return { number, position: [longitude / 1e6, latitude / 1e6], state, course: or(course), speed: decimetres < 0 ? null : decimetres / 10, time, interval: or(interval), label, given };
}

// The longest time for which a vehicle is taken to go on, in seconds.
const LONGEST_AHEAD = 60;
const METRES = 111_320;

/**
 * Where a vehicle probably is, by its speed and course: for the interval of its sender at most, and for a minute at most. `null` unless it
 * moves and all of that is known.
 */
export function aheadOf({ state, speed: metres, course, time, interval, position: [longitude, latitude] }, now) {
  if (state !== 0 || metres === null || course === null || interval === null) return null;
  const distance = metres * Math.min(Math.max(0, now - time), interval, LONGEST_AHEAD);
  const [turn, shrink] = [course * Math.PI / 180, Math.cos(latitude * Math.PI / 180)];
  // Near a pole degrees of longitude are too short for this.
  if (!distance || shrink < 0.01) return null;
  return [longitude + distance * Math.sin(turn) / (METRES * shrink), latitude + distance * Math.cos(turn) / METRES];
}

/** The time that vehicles are shown at, in seconds since 1970: now, or the past that is played back. */
export const clock = { now: () => Date.now() / 1000 };

const ageOf = ({ time }) => ago(Math.max(0, clock.now() - time));
const courseOf = ({ course }) => (course === null ? "" : `${course}°`);

/** The state, speed, course and age in a line. */
export function lineOf(vehicle) {
  return [STATES[vehicle.state].name, vehicle.speed === null ? "" : speed(vehicle.speed), courseOf(vehicle), ageOf(vehicle)].filter(Boolean).join(" · ");
}

/** The same as pairs of a name and a value. */
export function factsOf(vehicle) {
  return [
    [text("State"), STATES[vehicle.state].name], [text("Speed"), vehicle.speed === null ? "" : speed(vehicle.speed)],
    [text("Course"), courseOf(vehicle)], [text("Position"), ageOf(vehicle)],
  ].filter(([, value]) => value);
}
