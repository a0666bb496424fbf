// Files of places and routes: waypoints, routes and tracks of GPX 1.1 (https://www.topografix.com/GPX/1/1/), points and lines
// of GeoJSON (RFC 7946), as programs write them. What is read is untrusted, and only ever shown as text.

import { element } from "./dom.js";
import { thinned } from "./lines.js";
import { text } from "./texts.js";

const LARGEST = 32 << 20;
const MOST = 1000;
const MOST_ROUTES = 100;
const MOST_POINTS = 5000;
// The lengths in bytes of UTF-8 that the program keeps.
const NAME = 200;
const NOTE = 2000;
const COLOURS = { place: "#d8352a", route: "#1d63b5" };

/** The places and routes of a file, to be saved. Throws an error with a sentence for the user. */
export async function readSaved(file) {
  if (file.size > LARGEST) throw new Error(text("The file is larger than 32 MiB."));
  const content = decoded(await file.arrayBuffer());
  const { points, lines } = content.startsWith("<") ? gpx(content) : geoJSON(content);
  const places = points.filter(({ position }) => isPosition(position));
  const routes = lines.map((line) => ({ ...line, points: line.points.filter(isPosition) })).filter(({ points: { length } }) => length > 1);
  if (!places.length && !routes.length) throw new Error(text("There are no places and no lines in it."));
  if (places.length > MOST) throw new Error(text("There are more than {count} places in it.", { count: MOST }));
  if (routes.length > MOST_ROUTES) throw new Error(text("There are more than {count} lines in it.", { count: MOST_ROUTES }));
  return {
    places: await Promise.all(places.map((place) => made(place, text("Place"), { color: place.color ?? COLOURS.place, position: place.position }))),
    routes: await Promise.all(routes.map((route) => made(route, text("Route"), { color: route.color ?? COLOURS.route, ...thinned(route.points, MOST_POINTS) }))),
  };
}

/** The text of a file in the encoding that its XML declares, without a byte-order mark, white space and null bytes around it. */
function decoded(bytes) {
  const head = new TextDecoder("latin1").decode(bytes.slice(0, 200));
  const declared = /^\s*<\?xml[^>]*encoding=["']([\w.:-]+)["']/.exec(head)?.[1];
  let decoder = new TextDecoder();
  try {
    // A byte-order mark of UTF-16 says more than a declaration, which cannot be read then.
    decoder = new TextDecoder(/^\xff\xfe/.test(head) ? "utf-16le" : /^\xfe\xff/.test(head) ? "utf-16be" : declared ?? "utf-8");
  } catch {
    // An encoding that no browser knows.
  }
  return decoder.decode(bytes).replace(/^[\s\ufeff]+|[\s\0]+$/g, "");
}

/** GPX in which each prefix of an element has a namespace: some programs declare none. */
function withPrefixesDeclared(content) {
  const used = new Set([...content.matchAll(/<([A-Za-z_][\w.-]*):/g)].map(([, prefix]) => prefix));
  const missing = [...used].filter((prefix) => !content.includes(`xmlns:${prefix}=`));
  return missing.reduce((text, prefix) => text.replace(/<([\w.-]+:)?gpx\b/, (tag) => `${tag} xmlns:${prefix}="urn:undeclared:${prefix}"`), content);
}

/** What is saved: a file that is read twice does not save it twice. */
async function made({ name, note }, standardName, rest) {
  const texts = { name: cut(name?.trim() ?? "", NAME) || standardName, note: cut(note?.trim() ?? "", NOTE) };
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify([texts.name, rest.position ?? rest.points]))));
  return { id: `i${[...hash.slice(0, 8)].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`, ...texts, ...rest };
}

/** The beginning of a text that has at most so many bytes. */
function cut(words, bytes) {
  const { read } = new TextEncoder().encodeInto(words, new Uint8Array(bytes));
  return words.slice(0, read);
}

const isPosition = ([longitude, latitude]) => Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90;

function gpx(content) {
  const root = new DOMParser().parseFromString(withPrefixesDeclared(content), "application/xml");
  if (root.querySelector("parsererror") || root.documentElement.localName !== "gpx") throw new Error(text("It is not a GPX file."));
  const child = (node, name) => [...node.children].find(({ localName }) => localName === name)?.textContent;
  const all = (node, name) => [...node.getElementsByTagNameNS("*", name)];
  const texts = (node) => ({ name: child(node, "name"), note: child(node, "desc") ?? child(node, "cmt") });
  // Garmin's points between those of a route are within the extensions of the one before.
  const inOrder = (one, other) => (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1);
  const position = (point) => withAltitude([number(point.getAttribute("lon")), number(point.getAttribute("lat"))], number(child(point, "ele") ?? null));
  const tracks = all(root, "trk").flatMap((track) => {
    // Between the segments of a track there is no line.
    const segments = all(track, "trkseg").map((segment) => all(segment, "trkpt").map(position)).filter(({ length }) => length > 1);
    const { name, note } = texts(track);
    return segments.map((points, index) => ({ name: segments.length > 1 ? `${name ?? text("Track")} ${index + 1}` : name, note, points }));
  });
  return {
    points: all(root, "wpt").map((point) => ({ position: position(point).slice(0, 2), ...texts(point) })),
    lines: [...all(root, "rte").map((route) => ({ ...texts(route), points: ["rtept", "rpt"].flatMap((name) => all(route, name)).sort(inOrder).map(position) })), ...tracks],
  };
}

function geoJSON(content) {
  let root;
  try {
    root = JSON.parse(content);
  } catch {
    try {
      // Python writes what is no number like this.
      root = JSON.parse(content.replace(/([:,[\s])-?(NaN|Infinity)(?=[\s,\]}])/g, "$1null"));
    } catch {
      throw new Error(text("It is neither GPX nor GeoJSON."));
    }
  }
  const features = [root?.features, root?.locations].find(Array.isArray) ?? [root];
  const found = { points: [], lines: [] };
  for (const feature of features) {
    // A geometry may be without a feature.
    const { geometry, properties } = feature?.type === "Feature" ? feature : { geometry: feature };
    const word = (key) => (typeof properties?.[key] === "string" ? properties[key] : undefined);
    const color = (key) => (/^#[\da-f]{6}$/i.test(word(key) ?? "") ? word(key) : undefined);
    const texts = { name: word("name") ?? word("title"), note: word("description") };
    const line = (coordinates) => ({
      ...texts, color: color("stroke"), points: coordinates.filter(Array.isArray).map(([longitude, latitude, altitude]) => withAltitude([number(longitude), number(latitude)], number(altitude))),
    });
    const add = ({ type, coordinates, geometries }) => {
      if (type === "GeometryCollection" && Array.isArray(geometries)) for (const part of geometries) if (part?.type !== type) add(part ?? {});
      if (!Array.isArray(coordinates)) return;
      const place = (position) => found.points.push({ ...texts, color: color("marker-color"), position: position.slice(0, 2).map(number) });
      if (type === "Point") place(coordinates);
      if (type === "MultiPoint") coordinates.filter(Array.isArray).forEach(place);
      if (type === "LineString") found.lines.push(line(coordinates));
      if (type === "MultiLineString") found.lines.push(...coordinates.filter(Array.isArray).map(line));
    };
    add(geometry ?? {});
  }
  return found;
}

const withAltitude = (position, altitude) => (Number.isFinite(altitude) ? [...position, altitude] : position);

// `Number` would read nothing as 0.
const number = (value) => (value === null || value === undefined || value === "" ? NaN : Number(value));

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
