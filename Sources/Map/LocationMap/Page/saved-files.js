// Files of places and routes: the program reads them, the page writes GPX 1.1 (https://www.topografix.com/GPX/1/1/). What is
// read is untrusted, and only ever shown as text.

import { element } from "./dom.js";
import { text } from "./texts.js";

/** The suffixes of the files that the program reads. */
export const SUFFIXES = ".gpx,.geojson,.json,.kml,.kmz,.fit,.tcx,.igc,.nmea,.csv";
const LARGEST = 32 << 20;
const MOST = 1000;
const MOST_ROUTES = 100;

/** The name of a file as a part of an address. */
export const addressed = (file) => file.name.replace(/[^\w.-]+/g, "-").replace(/^[.-]+/, "").slice(-100) || "file";

/**
 * The places and routes of a file, as they are saved, and a phrase about what was left out; or the `problem` that the file
 * has, as a sentence.
 */
export async function readSaved(file) {
  const failed = (sentence) => ({ problem: { text: sentence } });
  if (file.size > LARGEST) return failed(text("The file is larger than 32 MiB."));
  const answer = await fetch(`files/${addressed(file)}`, { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: file }).catch(() => null);
  if (!answer?.ok) return failed(text("The map’s program does not respond."));
  const { places, routes, omissions, problem } = await answer.json();
  if (problem) return { problem };
  if (!places.length && !routes.length) return failed(text("There are no places and no lines in it."));
  if (places.length > MOST) return failed(text("There are more than {count} places in it.", { count: MOST }));
  if (routes.length > MOST_ROUTES) return failed(text("There are more than {count} lines in it.", { count: MOST_ROUTES }));
  return { places: await named(places, text("Place")), routes: await named(numbered(routes), text("Route")), omissions };
}

/** The segments of a track have its name, and numbers. */
function numbered(routes) {
  const names = Map.groupBy(routes, ({ name }) => name);
  return routes.map((route) => {
    const { length } = names.get(route.name);
    return length > 1 ? { ...route, name: `${route.name ?? text("Route")} ${names.get(route.name).indexOf(route) + 1}` } : route;
  });
}

/** Items with names, and with identifiers: a file that is read twice is not saved twice. */
const named = (items, standardName) => Promise.all(items.map(async (item) => {
  const name = item.name?.trim() || standardName;
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify([name, item.position ?? item.points]))));
  return { ...item, name, id: `i${[...hash.slice(0, 8)].map((byte) => byte.toString(16).padStart(2, "0")).join("")}` };
}));

/** Places and routes as GPX 1.1. A route becomes a track: programs that take a route look for another way between its points. */
export function writeFile(places, routes) {
  const root = document.implementation.createDocument("http://www.topografix.com/GPX/1/1", "gpx");
  const node = (name, content) => {
    const created = root.createElementNS(root.documentElement.namespaceURI, name);
    if (content !== undefined) created.textContent = content;
    return created;
  };
  const point = (name, [longitude, latitude, altitude]) => {
    const created = node(name);
    created.setAttribute("lat", latitude);
    created.setAttribute("lon", longitude);
    if (Number.isFinite(altitude)) created.append(node("ele", altitude));
    return created;
  };
  const texts = ({ name, note }) => [node("name", name), ...note ? [node("desc", note)] : []];
  root.documentElement.setAttribute("version", "1.1");
  root.documentElement.setAttribute("creator", "locationctl map");
  for (const place of places) {
    const created = point("wpt", place.position);
    created.append(...texts(place));
    root.documentElement.append(created);
  }
  for (const route of routes) {
    const [track, segment] = [node("trk"), node("trkseg")];
    segment.append(...route.points.map((position) => point("trkpt", position)));
    track.append(...texts(route), segment);
    root.documentElement.append(track);
  }
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(root)}\n`;
}

/** Hands a GPX file to the browser to keep. */
export function download(name, content) {
  const link = element("a", { href: URL.createObjectURL(new Blob([content], { type: "application/gpx+xml" })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href));
}
