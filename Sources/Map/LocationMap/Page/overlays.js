// The program's overlays: shapes, tiles and images, as sources and layers that outlast a change of the map type.

import { LABELS, address } from "./basemap.js";

// A trail grows at every fix, and each change repaints the map: this interval suffices.
const APPEND_INTERVAL = 500;
// The longer side of images drawn from SVG, in pixels.
const DRAWN_SIZE = 512;
// The tolerance of a click on a line, in pixels.
const TOLERANCE = 7;
// Another program may have the same port.
const HIDDEN = `hidden ${location.pathname} `;

export class Overlays {
  #map;
  /** The beginning of the identifiers of the sources and layers. */
  #ours;
  #all = new Map();
  #grown = new Set();
  /** The points appended to lines while their geometry is being fetched. */
  #asked = new Map();
  #timer = null;
  /** The titles of the lines that the user has hidden, by their keys, which another run of the program uses again. */
  #hidden;
  /** True for dark colours. Those on the map change with the next style. */
  isDark = false;
  /** Called when an overlay that replaces the map's content is added or removed. */
  onBlank = () => {};
  /** Called when overlays have been added, changed or removed. */
  onChange = () => {};

  constructor(map, prefix = "overlay:") {
    this.#map = map;
    this.#ours = prefix;
    this.#hidden = kept(prefix);
  }

  get isBlank() { return [...this.#all.values()].some(({ overlay }) => overlay.replacesMap); }

  find(id) { return this.#all.get(id)?.overlay; }

  /** The lines that the list of tracks has, in drawing order: those that can be clicked, and others that the user may remove. */
  get listed() {
    return [...this.#all.values()].map(({ overlay }) => overlay).filter(({ profile, profileOf, isRemovable }) => profile || profileOf || isRemovable).sort((a, b) => a.order - b.order);
  }

  isHidden(id) { return this.#hidden.has(keyOf(this.find(id))); }

  /** Hides a line, or shows it again. */
  hide(id, isHidden) {
    const overlay = this.find(id);
    if (!overlay) return;
    if (isHidden) this.#hidden.set(keyOf(overlay), overlay.title ?? null);
    else this.#hidden.delete(keyOf(overlay));
    keep(this.#ours, this.#hidden);
    for (const { id: layer } of this.#layers({ overlay })) this.#map.setLayoutProperty(layer, "visibility", isHidden ? "none" : "visible");
  }

  /** The overlay whose line is at a point of the map and can be clicked; `undefined` if there is none. */
  clickable({ x, y }) {
    const layers = [...this.#all.values()].filter(({ overlay }) => overlay.profile || overlay.profileOf)
      .map(({ overlay }) => `${this.#ours}${overlay.id}:line`).filter((id) => this.#map.getLayer(id));
    if (!layers.length) return undefined;
    const [feature] = this.#map.queryRenderedFeatures([[x - TOLERANCE, y - TOLERANCE], [x + TOLERANCE, y + TOLERANCE]], { layers });
    return feature && this.find(feature.source.slice(this.#ours.length));
  }

  replace(overlays) {
    const ids = new Set(overlays.map(({ id }) => id));
    this.change({ set: overlays, removed: [...this.#all.keys()].filter((id) => !ids.has(id)) });
  }

  change({ set = [], removed = [], append = [] }) {
    const wasBlank = this.isBlank;
    for (const id of removed) {
      this.#forget(keyOf(this.find(id)));
      this.#remove(id);
    }
    for (const overlay of set) this.#set(overlay);
    for (const { id, coordinates } of append) this.#append(id, coordinates);
    if (this.isBlank !== wasBlank) this.onBlank(this.isBlank);
    if (set.length || removed.length) this.onChange();
  }

  /** Copies the overlays of the present style to the next one, at their places, so that they stay on the map. */
  carryOver(previous, next) {
    if (!previous) return next;
    const isOurs = (id) => id.startsWith(this.#ours);
    const sources = Object.fromEntries(Object.entries(previous.sources).filter(([id]) => isOurs(id)));
    const level = (id) => this.#all.get(id.slice(this.#ours.length).split(":")[0])?.overlay.level;
    const paints = new Map([...this.#all.values()].flatMap((entry) => this.#layers(entry)).map(({ id, paint }) => [id, paint]));
    const layers = previous.layers.filter(({ id }) => isOurs(id)).map((layer) => ({ ...layer, paint: paints.get(layer.id) ?? layer.paint }));
    const below = layers.filter(({ id }) => level(id) !== "aboveLabels");
    const above = layers.filter(({ id }) => level(id) === "aboveLabels");
    const at = next.layers.findIndex(({ id }) => id === LABELS);
    return { ...next, sources: { ...next.sources, ...sources }, layers: [...next.layers.slice(0, at), ...below, ...next.layers.slice(at), ...above] };
  }

  #set(overlay) {
    const known = this.#all.get(overlay.id);
    const shape = JSON.stringify({ ...overlay, revision: 0, geometry: null, data: null });
    if (known && overlay.kind === "shape" && known.shape === shape) {
      known.overlay = overlay;
      this.#map.getSource(this.#ours + overlay.id)?.setData(this.#data(overlay));
      return;
    }
    this.#remove(overlay.id);
    const hidden = this.#hidden.get(keyOf(overlay));
    if (hidden !== undefined && hidden !== (overlay.title ?? null)) this.#forget(keyOf(overlay));
    const entry = { overlay, shape };
    this.#all.set(overlay.id, entry);
    this.#add(entry, { tiles: tileSource, image: imageSource }[overlay.kind]?.(overlay) ??
      { type: "geojson", data: this.#data(overlay), tolerance: 0.2, lineMetrics: Boolean(overlay.gradient) });
  }

  #data({ geometry, data }) {
    return data && !geometry ? address(data) : { type: "Feature", properties: {}, geometry };
  }

  #add({ overlay }, source) {
    const id = this.#ours + overlay.id;
    this.#map.addSource(id, source);
    const before = this.#before(overlay);
    for (const layer of this.#layers({ overlay })) {
      this.#map.addLayer(this.isHidden(overlay.id) ? { ...layer, layout: { ...layer.layout, visibility: "none" } } : layer, before);
    }
  }

  #layers({ overlay }) {
    const id = this.#ours + overlay.id;
    return overlay.kind === "shape" ? shapeLayers(id, overlay, this.isDark) : [rasterLayer(id, overlay)];
  }

  /** The layer above this overlay: the lowest of the later ones, or the labels. */
  #before(overlay) {
    const later = [...this.#all.values()]
      .filter(({ overlay: other }) => other !== overlay && other.level === overlay.level && other.order > overlay.order)
      .sort((a, b) => a.overlay.order - b.overlay.order);
    for (const { overlay: other } of later) {
      const first = ["", ":fill", ":line"].map((part) => this.#ours + other.id + part).find((id) => this.#map.getLayer(id));
      if (first) return first;
    }
    return overlay.level === "aboveLabels" ? undefined : LABELS;
  }

  #forget(key) {
    if (this.#hidden.delete(key)) keep(this.#ours, this.#hidden);
  }

  #remove(id) {
    if (!this.#all.delete(id)) return;
    this.#grown.delete(id);
    const source = this.#ours + id;
    for (const part of ["", ":fill", ":line"]) if (this.#map.getLayer(source + part)) this.#map.removeLayer(source + part);
    if (this.#map.getSource(source)) this.#map.removeSource(source);
  }

  #append(id, coordinates) {
    const overlay = this.#all.get(id)?.overlay;
    if (overlay?.data && !overlay.geometry) return this.#keep(overlay, coordinates);
    const line = overlay?.geometry;
    if (line?.type !== "LineString") return;
    // A fetched line may already contain the points that are appended now.
    const [endX, endY] = line.coordinates.at(-1) ?? [];
    const known = overlay.data ? coordinates.findLastIndex(([x, y]) => x === endX && y === endY) + 1 : 0;
    line.coordinates.push(...coordinates.slice(known));
    this.#grown.add(id);
    this.#timer ??= setTimeout(() => this.#drawGrown(), APPEND_INTERVAL);
  }

  /** Extends a line that MapLibre fetched by its address: from now on the page keeps its geometry. */
  async #keep(overlay, coordinates) {
    const waiting = this.#asked.get(overlay);
    if (waiting) return waiting.push(...coordinates);
    const grown = [...coordinates];
    this.#asked.set(overlay, grown);
    try {
      const answer = await fetch(address(overlay.data));
      if (!answer.ok) throw new Error(`the program answered ${answer.status}`);
      overlay.geometry = await answer.json();
    } catch (problem) {
      return console.info(`The line ${overlay.id} could not be asked for, and is at the next time that it grows: ${problem.message}.`);
    } finally {
      this.#asked.delete(overlay);
    }
    if (this.#all.get(overlay.id)?.overlay === overlay) this.#append(overlay.id, grown);
  }

  #drawGrown() {
    this.#timer = null;
    for (const id of this.#grown) this.#map.getSource(this.#ours + id)?.setData(this.#data(this.#all.get(id).overlay));
    this.#grown.clear();
    this.onChange();
  }
}

/** What a line is known by in another load of the page, where its identifier may be another one. */
const keyOf = (overlay) => overlay?.key ?? overlay?.id;

/** The hidden lines of this tab, as an earlier load of the page has kept them: those of a private window end with it. */
function kept(prefix) {
  try {
    return new Map(JSON.parse(sessionStorage.getItem(HIDDEN + prefix)) ?? []);
  } catch (problem) {
    console.info(`Hidden lines are shown again: ${problem.message}.`);
    return new Map();
  }
}

function keep(prefix, hidden) {
  try {
    sessionStorage.setItem(HIDDEN + prefix, JSON.stringify([...hidden]));
  } catch (problem) {
    console.info(`Hidden lines will be shown by the next load of the page: ${problem.message}.`);
  }
}

/** One of the two colours of CSS's `light-dark()`, which MapLibre lacks. */
function shade(colour, isDark) {
  const both = /^light-dark\((.+), (.+)\)$/.exec(colour);
  return both ? both[isDark ? 2 : 1] : colour;
}

function shapeLayers(source, overlay, isDark) {
  const layers = [];
  if (overlay.fill) {
    layers.push({ id: `${source}:fill`, type: "fill", source, filter: ["==", ["geometry-type"], "Polygon"],
      paint: { "fill-color": shade(overlay.fill, isDark), "fill-opacity": overlay.alpha ?? 1, "fill-antialias": true } });
  }
  if (overlay.stroke && overlay.width > 0) {
    const paint = { "line-color": shade(overlay.stroke, isDark), "line-width": overlay.width, "line-opacity": overlay.alpha ?? 1 };
    if (overlay.gradient) {
      paint["line-gradient"] = ["interpolate", ["linear"], ["line-progress"], ...overlay.gradient.flatMap(({ location, color }) => [location, shade(color, isDark)])];
    }
    // Dashes are in pixels; MapLibre counts in widths of the line.
    if (overlay.dash?.length) paint["line-dasharray"] = overlay.dash.map((length) => length / overlay.width);
    layers.push({ id: `${source}:line`, type: "line", source, paint,
      layout: { "line-cap": overlay.cap ?? "butt", "line-join": overlay.join ?? "miter" } });
  }
  return layers;
}

const rasterLayer = (source, overlay) => ({
  id: source, type: "raster", source, paint: { "raster-opacity": overlay.alpha ?? 1, "raster-fade-duration": 0 },
});

// A program's image may be SVG, which MapLibre does not read: a protocol of the page provides it.
maplibregl.addProtocol("drawn", async ({ url }, { signal }) => {
  const answer = await fetch(url.slice("drawn://".length), { signal });
  if (!answer.ok) throw new Error(`The program answered ${answer.status} to ${url}.`);
  if (answer.status === 204) return { data: await createImageBitmap(new ImageData(1, 1)) };
  if (!answer.headers.get("Content-Type")?.startsWith("image/svg")) return { data: await answer.arrayBuffer() };
  const image = new Image();
  image.src = URL.createObjectURL(await answer.blob());
  try {
    await image.decode();
    const scale = DRAWN_SIZE / Math.max(image.naturalWidth, image.naturalHeight, 1);
    const canvas = new OffscreenCanvas(Math.ceil(image.naturalWidth * scale) || 1, Math.ceil(image.naturalHeight * scale) || 1);
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return { data: canvas.transferToImageBitmap() };
  } finally {
    URL.revokeObjectURL(image.src);
  }
});

const tileSource = (overlay) => ({
  type: "raster", tiles: [`drawn://${address(overlay.tiles)}`], tileSize: overlay.tileSize ?? 256,
  minzoom: overlay.minimumZoom ?? 0, maxzoom: overlay.maximumZoom ?? 22,
});

const imageSource = (overlay) => ({ type: "image", url: `drawn://${address(overlay.image)}`, coordinates: overlay.corners });
