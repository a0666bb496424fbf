// The places and routes that the user has saved: pins with callouts and lines with profiles, rows of the search list, and
// a form to change one.

import { calloutOf } from "./callout.js";
import { element } from "./dom.js";
import { PIN, action, placeActions } from "./place-details.js";
import { coordinates } from "./place-links.js";
import { Routes } from "./routes.js";
import { SavedForm, newID } from "./saved-form.js";
import { SUFFIXES, download, readSaved, writeFile } from "./saved-files.js";
import { folded, listed, text } from "./texts.js";
import { accuracyOf } from "./units.js";
import { Views } from "./views.js";

// The distance in degrees within which places of one name are the same.
const NEAR = 1e-4;
const CLOSE = 15;
// The zoom level for the digits of a coordinate that is a name.
const NAMING_ZOOM = 17;

export class Saved {
  #context;
  #views;
  #callout;
  #form;
  #places = [];
  /** What files that were dropped have in them, until it is saved; `null` without any. */
  #preview = null;
  #selected = null;
  /** True if the program keeps saved places. */
  isAvailable = false;
  /** True if the program reads files of places and routes. */
  readsFiles = false;
  /** Called after the places have changed. */
  onChange = () => {};
  /** Called when a place is selected. */
  onSelect = () => {};

  constructor(context) {
    this.#context = context;
    const { map, page } = context;
    this.routes = new Routes(context);
    this.routes.onClose = (id) => this.#removePreviewed(id);
    this.#views = new Views(map, { isCarried: () => false }, text("Saved places"));
    this.#views.onCaptioned = (boxes) => page.room.set("saved", boxes);
    this.#callout = calloutOf(this.#views, map);
    this.#views.onPressed = (id, byKey) => this.select(id, byKey);
    this.#callout.onClose = () => this.select(null);
    this.#form = new SavedForm({
      save: (place) => this.#context.connection.send({ type: "save", place }),
      remove: (id) => this.#context.connection.send({ type: "unsave", id }),
    });
    map.on("click", () => this.select(null));
  }

  get places() { return this.#places; }

  update(saved) {
    this.isAvailable = Boolean(saved);
    this.readsFiles = Boolean(saved?.readsFiles);
    this.#places = saved?.places ?? [];
    if (saved?.problem) this.#context.announcer.notice({ kind: "error", ...saved.problem });
    this.#draw(saved?.routes ?? []);
    this.onChange();
  }

  #draw(routes) {
    const previewed = (saved, all = []) => all.filter(({ id }) => !saved.some((other) => other.id === id)).map((item) => ({ ...item, isPreview: true }));
    const [places, lines] = [previewed(this.#places, this.#preview?.places), previewed(routes, this.#preview?.routes)];
    if (!places.length && !lines.length) this.#endPreview();
    const shown = [...this.#places, ...places];
    this.#views.replace(shown.map((place) => this.#view(place)));
    // A place that has just been saved gets its callout, and a removed one loses it.
    this.select(shown.some(({ id }) => id === this.#selected) ? this.#selected : null);
    this.routes.update(routes, lines);
  }

  /** The saved place of this name at this position; `undefined` if there is none. */
  find({ name, longitude, latitude }) {
    return this.#places.find((place) => place.name === name && Math.hypot(place.position[0] - longitude, place.position[1] - latitude) < NEAR);
  }

  /** Rows for the search list of the places and routes whose name or note has a text; of all if it is empty. */
  rows(typed) {
    const sought = folded(typed);
    const all = [...this.#places.map((place) => ({ ...place, subtitle: place.note })), ...this.routes.rows];
    return all.filter(({ name, note }) => folded(`${name} ${note}`).includes(sought)).map(({ id, name, subtitle, color, isRoute }) => {
      const at = sought ? folded(name).indexOf(sought) : -1;
      return { title: name, subtitle, titleHighlights: at < 0 ? [] : [{ start: at, length: typed.length }], saved: id, color, isRoute };
    });
  }

  /** Selects a place or route and comes close enough to see it. */
  show(id) {
    if (this.routes.show(id)) return;
    const place = this.#places.find((other) => other.id === id);
    if (!place) return;
    this.#context.camera.fly({ center: place.position, zoom: Math.max(this.#context.map.getZoom(), CLOSE) });
    this.select(id);
  }

  select(id, takesFocus = false) {
    this.#selected = id;
    if (id !== null) this.onSelect();
    this.#views.select(id);
    this.#callout.show(id, takesFocus);
  }

  /** Shows the form for a place that was found, or for a position. */
  add({ name, longitude, latitude }) {
    const known = name ? this.find({ name, longitude, latitude }) : null;
    if (known) return this.#form.open(known);
    const id = newID("p");
    this.#selected = id;
    this.#form.open({ id, name: name || coordinates(latitude, longitude, NAMING_ZOOM), note: "", color: null, position: [longitude, latitude] }, true);
  }

  // MARK: Files

  /** Saves the places and routes of files that the user chooses. */
  import() {
    const input = element("input", { type: "file", accept: SUFFIXES, multiple: true });
    input.addEventListener("change", async () => {
      for (const file of input.files) {
        const content = await this.#read(file);
        if (!content) continue;
        this.#save(content);
        this.#context.announcer.notice({ kind: "info", text: text("{file}: {items} saved.", { file: file.name, items: counted(content) }) });
        this.#tellOmissions(file, content);
      }
    });
    input.click();
  }

  /** Shows the places and routes of files, with a button to save them. */
  async preview(files) {
    const content = { places: [], routes: [] };
    const names = [];
    for (const file of files) {
      const read = await this.#read(file);
      if (!read) continue;
      names.push(file.name);
      content.places.push(...read.places);
      content.routes.push(...read.routes);
      this.#tellOmissions(file, read);
    }
    if (!names.length) return;
    this.#endPreview();
    this.#offer({ ...content, names });
    if (!this.#preview) this.#context.announcer.notice({ kind: "info", text: text("{file}: {items} saved.", { file: listed(names), items: counted(content) }) });
    if (!content.places.length && content.routes.length === 1) return this.routes.show(content.routes[0].id);
    this.routes.fly([...content.places.map(({ position }) => position), ...content.routes.flatMap(({ points }) => points)]);
  }

  /** Shows the content of files, and what can be done with it. */
  #offer({ places, routes, names }) {
    const remove = this.#context.announcer.offer(`${listed(names)}: ${counted({ places, routes })}`, [
      [text("Save"), () => this.#save({ places, routes })],
      [text("Close"), () => { this.#endPreview(); this.#draw(this.routes.all); }],
    ]);
    this.#preview = { places, routes, names, remove };
    this.#draw(this.routes.all);
  }

  /** Takes a route out of what is shown of files. */
  #removePreviewed(id) {
    const { remove, ...content } = this.#preview;
    remove();
    this.#offer({ ...content, routes: content.routes.filter((route) => route.id !== id) });
  }

  #endPreview() {
    this.#preview?.remove();
    this.#preview = null;
  }

  /** The content of a file; `null`, with a notice, if it cannot be used. */
  async #read(file) {
    const content = await readSaved(file);
    if (!content.problem) return content;
    this.#context.announcer.notice({ kind: "warning", ...content.problem, subject: file.name });
    return null;
  }

  #save({ places, routes }) {
    for (const { id, name, note, color, position } of places) this.#context.connection.send({ type: "save", place: { id, name, note, color, position } });
    for (const route of routes) this.routes.save(route);
  }

  #tellOmissions({ name: file }, { routes, omissions }) {
    if (omissions) this.#context.announcer.notice({ kind: "info", text: text("{file}: left out: {what}", { file, what: omissions }), seconds: 15 });
    for (const { name, within } of routes) {
      if (within) this.#context.announcer.notice({ kind: "info", text: text("{name}: points within {distance} of the one before were left out.", { name, distance: accuracyOf(within) }) });
    }
  }

  /** Downloads the places and routes as GPX, which other maps and receivers read. */
  export() { download("places.gpx", writeFile(this.#places, this.routes.all)); }

  #view(place) {
    const { id, name, note, color, position, isPreview } = place;
    const [longitude, latitude] = position;
    const own = isPreview ? action("save", text("Save"), () => this.#save({ places: [place], routes: [] })) : action("edit", text("Edit"), () => this.#form.open(place));
    const make = () => placeActions({ name, longitude, latitude }, this.#context.announcer, own);
    return {
      ...PIN, id, position, reuse: "saved", title: name, label: listed([name, note, isPreview ? "" : text("saved")]),
      order: 0, tint: color, glyph: "★",
      callout: { title: name, subtitle: note, detail: { kind: "element", make }, offset: [0, 0] },
    };
  }
}

/** How many places and routes there are. */
const counted = ({ places, routes }) => listed([
  places.length && text("{count} places", { count: places.length }), routes.length && text("{count} routes", { count: routes.length }),
]);
