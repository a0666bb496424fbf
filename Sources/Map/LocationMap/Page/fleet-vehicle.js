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

/** Reads the program's array; its names are left out if the page has them, in `known`. */
export function readVehicle([number, longitude, latitude, state, course, decimetres, time, interval, ...names], known) {
  const [label, given] = names.length ? names : [known?.label ?? "", known?.given ?? ""];
  const or = (value) => (value < 0 ? null : value);
  const position = [longitude / 1e6, latitude / 1e6];
  return { number, position, state, course: or(course), speed: decimetres < 0 ? null : decimetres / 10, time, interval: or(interval), label, given };
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
