// The menu “Open in…” of a place: programs of this device and websites that show it. Only what is chosen learns of the place.

import { icon, element } from "./dom.js";
import { geoLink, openStreetMapLink, organicMapsLink, osmAndLink } from "./place-links.js";
import { Popup, menuItem } from "./popup.js";
import { text } from "./texts.js";

const WEBSITE = text("Opens a website, which receives this position");

/** The items for a place, at the zoom level of the links. */
const items = (place, zoom, announcer) => [
  // One item for whatever is registered: an address with the scheme geo: never leaves the device by itself.
  menuItem({ picture: "pin", label: text("Another map program"), note: text("Opens the program for geo: links, if one is installed"), link: geoLink(place, zoom) }),
  menuItem({ picture: "pin", label: "Organic Maps", note: text("Opens the program, if it is installed"), link: organicMapsLink(place, zoom) }),
  menuItem({ picture: "website", label: "OpenStreetMap", note: WEBSITE, link: openStreetMapLink(place, zoom), isWebsite: true }),
  menuItem({ picture: "website", label: "OsmAnd", note: WEBSITE, link: osmAndLink(place, zoom), isWebsite: true }),
  menuItem({ picture: "copy", label: text("Copy a geo: link"), choose: () => announcer.copy(geoLink(place, zoom), text("Link copied")) }),
];

const popup = new Popup();

/** Opens the menu at a point of a container, or beside an anchor. */
export const openIn = (container, place, zoom, announcer, where) =>
  popup.open(container, { label: text("Open in…"), kind: "open-in", items: items(place, zoom, announcer), ...where });

/** A button that opens the menu. */
export function openInButton(place, zoom, announcer) {
  const open = () => openIn(button.closest(".maplibregl-map"), place, zoom, announcer, { anchor: button });
  const button = element("button", {
    type: "button", aria: { haspopup: "menu", expanded: "false" },
    on: { click: open, keydown: (event) => { if (event.key === "ArrowDown") { event.preventDefault(); open(); } } },
  }, icon("open"), element("span", { text: text("Open in…") }));
  return button;
}

export const closeOpenIn = () => popup.close();
