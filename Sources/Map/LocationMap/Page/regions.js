// The installed regions: their list, with sizes and a button to remove each, and files that add one.

import { element, iconButton, shown } from "./dom.js";
import { spoken, told, words } from "./messages.js";
import { addressed } from "./saved-files.js";
import { listed, locale, text, translated } from "./texts.js";
import { percentage, sizeOf } from "./units.js";

// The beginning of an extract has this word, after the length of the header.
const MARK = "OSMHeader";
const MARK_WITHIN = 64;
const SOURCE = "https://download.geofabrik.de";

export class Regions {
  #context;
  #state = null;
  #known = null;
  #dialog = null;
  /** The file that is being sent. */
  #sending = null;
  /** The name of the region that is about to be removed. */
  #removing = null;
  /** The view of a region that was added, until its tiles are there. */
  #view = null;
  /** What the dialog shows, without the progress. */
  #look = null;
  #step = element("span");
  #bar = element("progress", { max: 1, aria: { label: text("Progress") } });

  constructor(context) {
    this.#context = context;
  }

  /** True if the program lets pages change the regions. */
  get isAvailable() { return this.#state !== null; }

  /** Shows the regions of an event, or of a whole state, which has the tiles of the regions that there are now. */
  update(state, isWhole = false) {
    const before = this.#state;
    this.#state = state ?? null;
    if (!state) return;
    const known = JSON.stringify(state.regions.map(({ name, added }) => [name, added]));
    const isChanged = this.#known !== null && this.#known !== known;
    const added = isChanged ? state.regions.find((region) => !before?.regions.some((other) => other.name === region.name && other.added === region.added)) : null;
    this.#known = known;
    if (!state.job && before?.job) this.#ended(state, before.job, added);
    this.#fill();
    if (isChanged && !isWhole) return this.#context.connection.open();
    if (isWhole && this.#view) this.#context.camera.fly(this.#view);
    this.#view = null;
  }

  #ended({ problem }, job, added) {
    this.#sending = null;
    if (problem && !this.#dialog) return this.#context.announcer.notice({ kind: "error", ...problem });
    if (problem) return this.#context.announcer.say(spoken(told(problem)));
    if (!added) return;
    this.#context.announcer.notice({ kind: "info", text: text("{name} was added.", { name: added.name }) });
    const [west, south, east, north] = added.bounds;
    this.#view = this.#context.map.cameraForBounds([[west, south], [east, north]], { padding: 40 }) ?? null;
    this.#dialog?.close();
  }

  // MARK: Files

  #choose() {
    const input = element("input", { type: "file", accept: ".pbf,.mbtiles" });
    input.addEventListener("change", () => { if (input.files[0]) this.add(input.files[0]); });
    input.click();
  }

  /** Sends a file to the program, which adds its region. */
  async add(file) {
    this.open();
    if (this.#state.job || this.#sending) return this.#refuse({ text: text("Another file is being added: wait until that is done.") });
    // The name becomes that of the region, and part of an address.
    const name = addressed(file);
    if (/\.osm\.pbf$/i.test(name)) {
      const head = await file.slice(0, MARK_WITHIN).text().catch(() => "");
      if (!head.includes(MARK)) return this.#refuse({ subject: file.name, text: text("It is not an OpenStreetMap extract.") });
    } else if (!/\.mbtiles$/i.test(name)) {
      return this.#refuse({ subject: file.name, text: text("A region is made of an OpenStreetMap extract (.osm.pbf) or of vector tiles (.mbtiles).") });
    }
    this.#sending = new AbortController();
    try {
      await fetch(`regions/${name}`, { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: file, signal: this.#sending.signal });
    } catch {
      // The program reports the reason, if it still runs; otherwise the connection does.
    } finally {
      this.#sending = null;
    }
  }

  #refuse(problem) {
    this.#state = { ...this.#state, problem };
    this.#fill();
  }

  // MARK: The dialog

  open() {
    if (this.#dialog || !this.isAvailable) return;
    this.#removing = null;
    this.#dialog = element("dialog", { class: "form regions", aria: { labelledby: "regions-title" } });
    this.#dialog.addEventListener("keydown", (event) => event.stopPropagation());
    this.#dialog.addEventListener("close", () => {
      this.#dialog.remove();
      this.#dialog = this.#look = null;
    });
    document.body.append(this.#dialog);
    this.#fill();
    this.#dialog.showModal();
  }

  #fill() {
    if (!this.#dialog) return;
    const { regions, damages, job, problem } = this.#state;
    // While a file is being added, only its progress changes: a button that is being pressed stays the same.
    const look = JSON.stringify([regions, damages, problem, job?.name, this.#removing]);
    if (look === this.#look) return job ? this.#showProgress(job) : undefined;
    this.#look = look;
    const focused = this.#dialog.contains(document.activeElement) ? document.activeElement.dataset.name : undefined;
    this.#dialog.replaceChildren(element("div", { class: "content" },
      element("header", {}, element("h2", { id: "regions-title", text: text("Regions") }), iconButton("close", text("Close"), () => this.#dialog.close(), { data: { name: "close" } })),
      regions.length ? element("ul", {}, ...regions.map((region) => this.#row(region, Boolean(job)))) : null,
      element("p", { text: text("Streets and search come with a region: download an OpenStreetMap extract (.osm.pbf), and drop it on the map.") }),
      element("p", {}, `${text("Extracts of countries and their parts:")} `, element("a", { href: SOURCE, target: "_blank", rel: "noopener noreferrer", dir: "auto", text: new URL(SOURCE).host })),
      ...damages.map((damage) => element("p", { class: "problem", text: damage, dir: "auto" })),
      problem ? element("p", { class: "problem", role: "alert", dir: "auto" }, ...words(told(problem), (command) => this.#context.announcer.copy(command, text("Command copied")))) : null,
      job ? this.#progress() : element("div", { class: "buttons" },
        element("button", { type: "button", class: "default", data: { name: "choose" }, text: text("Choose a file"), on: { click: () => this.#choose() } }))));
    if (job) this.#showProgress(job);
    if (focused !== undefined) (this.#dialog.querySelector(`[data-name="${CSS.escape(focused)}"]`) ?? this.#dialog.querySelector("button")).focus();
  }

  #row({ name, size, places, dataDate, isSystem }, isBusy) {
    const facts = [sizeOf(size), places ? text("{count} places", { count: places }) : "", dataDate ? text("data of {date}", { date: day(dataDate) }) : "", isOld(dataDate) ? text("older than a year: add a newer extract") : "", isSystem ? text("for all users") : ""].filter(Boolean).join(" · ");
    const isRemoving = this.#removing === name;
    const ask = (next) => { this.#removing = next; this.#fill(); };
    const remove = isRemoving
      ? [element("button", { type: "button", class: "remove", data: { name: `r:${name}` }, text: text("Remove"), on: { click: () => { this.#removing = null; this.#context.connection.send({ type: "removeRegion", name }); } } }),
        element("button", { type: "button", text: text("Keep"), on: { click: () => ask(null) } })]
      : isSystem ? [] : [iconButton("delete", text("Remove {name}", { name }), () => ask(name), { data: { name: `r:${name}` }, disabled: isBusy })];
    return element("li", { class: isRemoving ? "is-asking" : "" }, element("span", { class: "words" }, element("strong", { text: name, dir: "auto" }), element("span", { class: "subtitle", text: isRemoving ? text("Remove {name} from this machine?", { name }) : facts })), ...remove);
  }

  #progress() {
    return element("div", { class: "job" }, this.#step, this.#bar,
      element("div", { class: "buttons" }, element("button", { type: "button", data: { name: "cancel" }, text: text("Cancel"), on: { click: () => this.#cancel() } })));
  }

  #showProgress({ name, step, part }) {
    const isKnown = Number.isFinite(part);
    this.#step.replaceChildren(element("span", { text: shown(name), dir: "auto" }), `: ${listed([translated(step), isKnown ? percentage(part) : ""])}`);
    if (isKnown) this.#bar.value = part;
    else this.#bar.removeAttribute("value");
  }

  #cancel() {
    this.#context.connection.send({ type: "cancelRegion" });
    this.#sending?.abort();
  }
}

// In milliseconds.
const YEAR = 365.25 * 86_400_000;
const isOld = (date) => Boolean(date) && Date.now() - Date.parse(date) > YEAR;
const day = (date) => new Date(date).toLocaleDateString(locale, { dateStyle: "medium", timeZone: "UTC" });
