// Files of places: waypoints of GPX 1.1 (https://www.topografix.com/GPX/1/1/) and points of GeoJSON (RFC 7946). What is read
// is untrusted, and only ever shown as text.

import { text } from "./texts.js";

const LARGEST = 8 << 20;
const MOST = 1000;
const NAME = 100;
const NOTE = 1000;

/** The places of a file, to be saved. Throws an error with a sentence for the user. */
export async function readPlaces(file) {
  if (file.size > LARGEST) throw new Error(text("The file is larger than 8 MiB."));
  const content = await file.text();
  const found = content.trimStart().startsWith("<") ? waypoints(content) : points(content);
  const places = found.filter(({ position: [longitude, latitude] }) => Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90);
  if (!places.length) throw new Error(text("There are no places in it."));
  if (places.length > MOST) throw new Error(text("There are more than {count} places in it.", { count: MOST }));
  return Promise.all(places.map(async (place) => {
    const made = { name: place.name?.trim().slice(0, NAME) || text("Place"), note: place.note?.trim().slice(0, NOTE) ?? "", color: place.color ?? "#d8352a", position: place.position };
    // A file that is read twice does not save its places twice.
    return { id: await identifier(made), ...made };
  }));
}

async function identifier({ name, position }) {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify([name, position]))));
  return `i${[...hash.slice(0, 8)].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

function waypoints(content) {
  const gpx = new DOMParser().parseFromString(content, "application/xml");
  if (gpx.querySelector("parsererror") || gpx.documentElement.localName !== "gpx") throw new Error(text("It is not a GPX file."));
  const child = (point, name) => [...point.children].find(({ localName }) => localName === name)?.textContent;
  return [...gpx.getElementsByTagNameNS("*", "wpt")].map((point) => ({
    position: [number(point.getAttribute("lon")), number(point.getAttribute("lat"))], name: child(point, "name"), note: child(point, "desc") ?? child(point, "cmt"),
  }));
}

function points(content) {
  let root;
  try {
    root = JSON.parse(content);
  } catch {
    throw new Error(text("It is neither GPX nor GeoJSON."));
  }
  const features = root?.type === "FeatureCollection" && Array.isArray(root.features) ? root.features : [root];
  return features.filter((feature) => feature?.type === "Feature" && feature.geometry?.type === "Point" && Array.isArray(feature.geometry.coordinates)).map(({ geometry, properties }) => {
    const word = (key) => (typeof properties?.[key] === "string" ? properties[key] : undefined);
    const color = /^#[\da-f]{6}$/i.test(word("marker-color") ?? "") ? word("marker-color") : undefined;
    return { position: geometry.coordinates.slice(0, 2).map(number), name: word("name") ?? word("title"), note: word("description"), color };
  });
}

// `Number` would read nothing as 0.
const number = (value) => (value === null || value === "" ? NaN : Number(value));

/** The places as GPX 1.1. */
export function writePlaces(places) {
  const gpx = document.implementation.createDocument("http://www.topografix.com/GPX/1/1", "gpx");
  const made = (name, content) => {
    const node = gpx.createElementNS(gpx.documentElement.namespaceURI, name);
    if (content !== undefined) node.textContent = content;
    return node;
  };
  gpx.documentElement.setAttribute("version", "1.1");
  gpx.documentElement.setAttribute("creator", "locationctl map");
  for (const { name, note, position: [longitude, latitude] } of places) {
    const point = made("wpt");
    point.setAttribute("lat", latitude);
    point.setAttribute("lon", longitude);
    point.append(made("name", name), ...note ? [made("desc", note)] : []);
    gpx.documentElement.append(point);
  }
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(gpx)}\n`;
}
