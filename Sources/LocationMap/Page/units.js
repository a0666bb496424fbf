// Distances as text, in metric units, or in miles if the language of the browser uses them.

const COUNTRIES_WITH_MILES = ["US", "GB", "LR", "MM"];
const country = new Intl.Locale(navigator.language).maximize().region;

/** The user's units, if the program does not choose. */
export const unitOfReader = COUNTRIES_WITH_MILES.includes(country) ? "imperial" : "metric";

const digits = (value) => (value < 10 ? value.toFixed(1) : String(Math.round(value)));

/** A distance as text: "350 m", "2.4 km", "900 ft". */
export function distance(metres, unit = unitOfReader) {
  if (unit === "imperial") {
    const miles = metres / 1609.344;
    return miles < 0.2 ? `${Math.max(10, Math.round(metres / 0.3048 / 10) * 10)} ft` : `${digits(miles)} mi`;
  }
  return metres < 950 ? `${Math.max(10, Math.round(metres / 10) * 10)} m` : `${digits(metres / 1000)} km`;
}
