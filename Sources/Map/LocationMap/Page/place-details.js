// The details of a found place. Its texts come from data that anybody may edit: they are shown as text, and only
// addresses of web pages and telephone numbers become links.

import { element, icon } from "./dom.js";
import { openInButton } from "./open-in.js";
import { opening, timesByDay } from "./opening.js";
import { KINDS } from "./points.js";
import { listed, text, translated } from "./texts.js";
import { distance } from "./units.js";

// The zoom level of a link to a place: its block.
const LINK_ZOOM = 17;
/** The look that pins of places share. */
export const PIN = { kind: "marker", size: [32, 38], offset: [0, -19], glyphTint: "#ffffff", titleVisibility: "adaptive", subtitleVisibility: "hidden" };
const FAMILY_OF = new Map(KINDS.map((row) => [row.kind, row]));
const KIND_WORDS = {
  country: text("Country"), region: text("Region"), settlement: text("Town"), suburb: text("District"), street: text("Street"), address: text("Address"), coordinate: text("Position"),
  postalCode: text("Postal code"), intersection: text("Intersection"),
};
const WHEELCHAIR = { yes: text("Accessible"), limited: text("Partly accessible"), no: text("Not accessible") };
// As in MapKit, food is orange, shops are yellow, and so on; dark enough for a white picture.
const TINTS = {
  food: "#c75b12", drink: "#a0651a", shop: "#2f62b8", transport: "#1d63b5", health: "#c2302b", culture: "#7d46a3", lodging: "#8a3f86",
  leisure: "#2d7a35", service: "#59606b", religion: "#6b5a43",
};

/** The colour of a place's pin, and the name of its picture. */
export function look(place) {
  const row = FAMILY_OF.get(place.category);
  return { tint: row ? TINTS[row.family] : "#d8352a", picture: row?.picture ?? null };
}

const sentence = (name) => name.charAt(0).toUpperCase() + name.slice(1).replaceAll("_", " ");

/** The kind of the place, if its name does not contain it. */
export const kindOf = (place) => (place.category ? translated(sentence(place.category)) : KIND_WORDS[place.kind] ?? "");

/** The street, town and country on one line. */
export function addressLine(place) {
  const { thoroughfare, subThoroughfare, postalCode, locality, administrativeArea, country } = place.address ?? {};
  const town = [postalCode, locality].filter(Boolean).join(" ");
  const parts = [[thoroughfare, subThoroughfare].filter(Boolean).join(" "), town, administrativeArea, country];
  return [...new Set(parts.filter((part) => part && part !== place.name))].join(", ");
}

/** The line below the place's name in a list. */
export const subtitle = (place) => [kindOf(place), addressLine(place)].filter(Boolean).join(" · ");

/** The distance from the user's location, or from the middle of the map. */
export const far = (place) => (Number.isFinite(place.distance) ? distance(place.distance) : "");

/** True if distances of places are from the middle of the map, not from the user's location. */
export const isFromMiddle = (places) => places.some((place) => place?.isFromMiddle && far(place));

/** The distance in words, which say that it follows no road. */
function straight(place) {
  const values = { distance: far(place) };
  return isFromMiddle([place]) ? text("{distance} in a straight line from the middle of the map", values) : text("{distance} in a straight line", values);
}

/** The telephone number, web page, opening hours and access for wheelchairs that are known, and buttons to copy the place and to save it. */
export function details(place, announcer, saved) {
  const page = webAddress(place.url);
  const number = place.phone?.replace(/[^\d+]/g, "");
  const rows = [
    number ? [text("Phone"), element("a", { href: `tel:${number}`, text: place.phone, dir: "ltr" })] : null,
    page ? [text("Website"), element("a", { href: page.href, target: "_blank", rel: "noopener noreferrer", dir: "ltr", text: page.host.replace(/^www\./, "") })] : null,
    place.openingHours ? [text("Hours"), hours(place)] : null,
    WHEELCHAIR[place.wheelchair] ? [text("Wheelchair"), WHEELCHAIR[place.wheelchair]] : null,
    far(place) ? [text("Distance"), element("span", { text: straight(place) })] : null,
  ].filter(Boolean);
  return element("div", {},
    rows.length ? element("dl", { class: "details" }, ...rows.flatMap(([name, value]) => [element("dt", { text: name }), element("dd", {}, value)])) : null,
    placeActions(place, announcer, saved?.isAvailable
      ? action(saved.find(place) ? "star" : "save", saved.find(place) ? text("Saved") : text("Save"), () => saved.add(place)) : null));
}

/** Buttons to copy a place, to open it on another map, and more. */
export const placeActions = (place, announcer, ...more) => element("div", { class: "place-actions" },
  action("copy", text("Copy"), () => announcer.copy([place.name, addressLine(place)].filter(Boolean).join(", "), text("Place copied"))),
  openInButton(place, LINK_ZOOM, announcer), ...more);

/** A button with an icon and a word. */
export const action = (name, words, onClick, label = null) =>
  element("button", { type: "button", aria: { label }, on: { click: onClick } }, icon(name), element("span", { text: words }));

/** The opening hours in readable form or as in the data, and if the place is open now. */
function hours(place) {
  const lines = place.openingTimes ? timesByDay(place.openingTimes) : place.openingHours.split(";").map((line) => line.trim());
  const now = opening(place);
  return element("span", { class: "hours", dir: "auto" }, now ? element("strong", { text: `${now}\n` }) : null, lines.join("\n"));
}

function webAddress(url) {
  if (!url || !URL.canParse(url)) return null;
  const address = new URL(url);
  return ["http:", "https:"].includes(address.protocol) ? address : null;
}
