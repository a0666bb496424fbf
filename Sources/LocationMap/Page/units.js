// Distances and ages as text. Distances are in metric units, or in miles if the language of the browser uses them.

const COUNTRIES_WITH_MILES = ["US", "GB", "LR", "MM"];
const country = new Intl.Locale(navigator.language).maximize().region;

/** True if the user's printer probably has sheets of the format Letter. */
export const isLetterCountry = ["US", "CA", "MX", "PH", "CL", "CO"].includes(country);

/** The user's units, if the program does not choose. */
export const unitOfReader = COUNTRIES_WITH_MILES.includes(country) ? "imperial" : "metric";

const digits = (value) => (value < 10 ? value.toFixed(1) : String(Math.round(value)));

/** A measured length as text, to the metre: "87 m", "2.437 km", "1.51 mi". */
export function length(metres, unit = unitOfReader) {
  if (unit === "imperial") {
    const feet = metres / 0.3048;
    return feet < 1000 ? `${Math.round(feet)} ft` : `${exact(feet / 5280, 2)} mi`;
  }
  return metres < 1000 ? `${Math.round(metres)} m` : `${exact(metres / 1000, 3)} km`;
}

// Four digits, and the whole number of those that are longer.
const exact = (value, most) => value.toFixed(Math.max(0, Math.min(most, 3 - Math.floor(Math.log10(value)))));

/** A distance as text: "350 m", "2.4 km", "900 ft". */
export function distance(metres, unit = unitOfReader) {
  if (unit === "imperial") {
    const miles = metres / 1609.344;
    return miles < 0.2 ? `${Math.max(10, Math.round(metres / 0.3048 / 10) * 10)} ft` : `${digits(miles)} mi`;
  }
  return metres < 950 ? `${Math.max(10, Math.round(metres / 10) * 10)} m` : `${digits(metres / 1000)} km`;
}

/** A height as text: "512 m", "1680 ft". */
export const height = (metres, unit = unitOfReader) => (unit === "imperial" ? `${Math.round(metres / 0.3048)} ft` : `${Math.round(metres)} m`);

/** A speed in metres a second as text: "4.8 km/h", "21 mph". */
export const speed = (value, unit = unitOfReader) => (unit === "imperial" ? `${digits(value / 0.44704)} mph` : `${digits(value * 3.6)} km/h`);

/** A span of time as text: "45 s", "12 min", "3 h 20 min". */
export function span(seconds) {
  const minutes = Math.round(seconds / 60);
  if (seconds < 60) return `${Math.round(seconds)} s`;
  return [minutes >= 60 ? `${Math.floor(minutes / 60)} h` : "", minutes % 60 ? `${minutes % 60} min` : ""].filter(Boolean).join(" ");
}

/** An age as text: "12 s ago", "3 min ago". */
export function ago(seconds) {
  const [length, unit] = [[86_400, "d"], [3600, "h"], [60, "min"], [1, "s"]].find(([length]) => seconds >= length) ?? [1, "s"];
  return `${Math.max(0, Math.floor(seconds / length))} ${unit} ago`;
}
