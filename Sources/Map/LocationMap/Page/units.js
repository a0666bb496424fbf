// Distances, speeds and times as text, as the user's language writes them. Distances are in metric units, or in miles if
// the country of the browser uses them.

import { listed, locale } from "./texts.js";

const COUNTRIES_WITH_MILES = ["US", "GB", "LR", "MM"];
const country = new Intl.Locale(navigator.language).maximize().region;
const FOOT = 0.3048;
const MILE = 5280 * FOOT;

/** True if the user's printer probably has sheets of the format Letter. */
export const isLetterCountry = ["US", "CA", "MX", "PH", "CL", "CO"].includes(country);

/** The user's units, if the program does not choose. */
export const unitOfReader = COUNTRIES_WITH_MILES.includes(country) ? "imperial" : "metric";

const formats = new Map();

/** A number with a unit of CLDR, such as `kilometer`, and with a fixed number of decimal places. */
function measure(value, unit, decimals = 0) {
  const key = `${unit} ${decimals}`;
  if (!formats.has(key)) {
    formats.set(key, new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "short", minimumFractionDigits: decimals, maximumFractionDigits: decimals }));
  }
  return formats.get(key).format(value);
}

// Small values have a decimal place.
const rough = (value, unit) => measure(value, unit, value < 10 ? 1 : 0);

/** A measured length as text, to the metre: "87 m", "2.437 km", "1.51 mi". */
export function length(metres, unit = unitOfReader) {
  if (unit === "imperial") return metres < 1000 * FOOT ? measure(Math.round(metres / FOOT), "foot") : exact(metres / MILE, "mile", 2);
  return metres < 1000 ? measure(Math.round(metres), "meter") : exact(metres / 1000, "kilometer", 3);
}

// Four digits, and the whole number of those that are longer.
const exact = (value, unit, most) => measure(value, unit, Math.max(0, Math.min(most, 3 - Math.floor(Math.log10(value)))));

/** A distance as text: "350 m", "2.4 km", "900 ft". */
export function distance(metres, unit = unitOfReader) {
  const tens = (value) => Math.max(10, Math.round(value / 10) * 10);
  if (unit === "imperial") return metres < 0.2 * MILE ? measure(tens(metres / FOOT), "foot") : rough(metres / MILE, "mile");
  return metres < 950 ? measure(tens(metres), "meter") : rough(metres / 1000, "kilometer");
}

/** An accuracy as text: "8 m", "12 km". */
export const accuracyOf = (metres) => (metres < 10_000 ? measure(Math.round(metres), "meter") : measure(Math.round(metres / 1000), "kilometer"));

/** One of the round lengths that a scale may represent: "50 cm", "200 m", "0.5 mi". */
export function step(metres, unit = unitOfReader) {
  const [size, name] = unit === "imperial"
    ? (metres < 0.99 * FOOT ? [FOOT / 12, "inch"] : metres < 0.49 * MILE ? [FOOT, "foot"] : [MILE, "mile"])
    : (metres < 0.99 ? [0.01, "centimeter"] : metres < 999 ? [1, "meter"] : [1000, "kilometer"]);
  const value = metres / size;
  return measure(value, name, value < 0.99 ? 1 : 0);
}

/** A height as text: "512 m", "1,680 ft". */
export const height = (metres, unit = unitOfReader) => (unit === "imperial" ? measure(Math.round(metres / FOOT), "foot") : measure(Math.round(metres), "meter"));

/** A speed in metres a second as text: "4.8 km/h", "21 mph". */
export const speed = (value, unit = unitOfReader) => (unit === "imperial" ? rough(value / 0.44704, "mile-per-hour") : rough(value * 3.6, "kilometer-per-hour"));

/** A span of time as text: "45 sec", "12 min", "3 hr, 20 min". */
export function span(seconds) {
  const minutes = Math.round(seconds / 60);
  if (seconds < 60) return measure(Math.round(seconds), "second");
  return listed([minutes >= 60 ? measure(Math.floor(minutes / 60), "hour") : "", minutes % 60 ? measure(minutes % 60, "minute") : ""]);
}

const ages = new Intl.RelativeTimeFormat(locale, { style: "short" });

/** An age as text: "12 sec. ago", "3 min. ago". */
export function ago(seconds) {
  const [length, unit] = [[86_400, "day"], [3600, "hour"], [60, "minute"]].find(([length]) => seconds >= length) ?? [1, "second"];
  return ages.format(-Math.max(0, Math.floor(seconds / length)), unit);
}

/** The size of files as text: "11 MB". */
export function sizeOf(bytes) {
  const [size, unit] = [[1e9, "gigabyte"], [1e6, "megabyte"], [1e3, "kilobyte"]].find(([size]) => bytes >= size) ?? [1, "byte"];
  const value = bytes / size;
  return measure(value, unit, value < 9.95 && size > 1 ? 1 : 0);
}

/** A part of the whole, 0 to 1, as text: "45%". */
export const percentage = (part) => new Intl.NumberFormat(locale, { style: "percent" }).format(Math.floor(part * 100) / 100);
