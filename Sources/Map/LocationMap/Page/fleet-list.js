// The list of the vehicles, with a search by name. The program searches: the page need not know vehicles that it does not show.

import { drawing, element, icon, iconButton, keepKeys, shown } from "./dom.js";
import { STATES, VehicleReader, lineOf, stateOf } from "./fleet-vehicle.js";
import { english, folded, locale, text } from "./texts.js";

// A little less than the program reads, in characters.
const LONGEST = 80;
// The most rows, as the program sends them.
const MOST = 100;
const numbers = new Intl.NumberFormat(locale);
const isWide = matchMedia("(min-width: 901px)");

export class FleetList {
  #context;
  #areas;
  #choose;
  #changed;
  #rows = new Map();
  #vehicles = [];
  #total = 0;
  #counts = null;
  #wasRead = false;
  #typing = null;
  #heading = element("h2", { text: text("Vehicles") });
  #counted = element("p", { class: "counts" });
  #input = element("input", {
    type: "search", placeholder: text("Search by name"), maxlength: LONGEST, autocomplete: "off", spellcheck: "false", dir: "auto", aria: { label: text("Search the vehicles") },
  });
  #ul = element("ul");
  #note = element("p", { hidden: true });
  #leftOut = element("p", { class: "left-out", hidden: true, ...english });
  #panel = element("section", { class: "tracks fleet", role: "group", aria: { label: text("Vehicles") } });
  #button;

  /** `areas` has sections for the panel, and `footer` is the last part of it; `choose` is called with the vehicle of a row, `changed` when the program has to be told of another search. */
  constructor(context, areas, footer, choose, changed) {
    this.#context = context;
    this.#areas = areas;
    this.#choose = choose;
    this.#changed = changed;
    this.#button = element("button", { type: "button", class: "control round fleet-button", aria: { expanded: "false" }, on: { click: () => this.open(true) } });
    this.#panel.append(
      element("header", {}, this.#heading, iconButton("close", text("Close"), () => this.close())),
      areas.alarmSection, element("div", { class: "field" }, icon("search"), this.#input), this.#counted, this.#ul, this.#note, this.#leftOut, areas.areaSection, footer);
    keepKeys(this.#panel, () => this.close());
    this.#input.addEventListener("input", () => {
      clearTimeout(this.#typing);
      this.#typing = setTimeout(() => this.#changed(), 150);
    });
    this.#ul.addEventListener("click", (event) => {
      const row = event.target.closest("button");
      const vehicle = row && this.#vehicles.find(({ number }) => number === Number(row.dataset.number));
      if (vehicle) this.#choose(vehicle);
    });
  }

  get isOpen() { return this.#panel.isConnected; }
  /** What is searched for; `null` while the list is closed. */
  get search() { return this.isOpen ? this.#input.value.trim() : null; }
  /** True on a phone, where the list leaves little of the map. */
  get coversMap() { return this.isOpen && this.#panel.offsetWidth > innerWidth / 2; }

  /** Shows the button, and the list where there is room beside the map. */
  begin() {
    this.#context.stage.querySelector(".corner.topLeading")?.append(this.#button);
    if (isWide.matches) this.open(false);
    this.#count();
  }

  open(takesFocus) {
    if (this.isOpen) return;
    this.#context.page.tracks.close();
    this.#context.stage.querySelector("#surface").before(this.#panel);
    this.#button.hidden = true;
    if (takesFocus) this.#input.focus();
    this.#changed();
  }

  /** Makes room for a form in its place. */
  giveWay() {
    this.close();
    this.#button.hidden = true;
  }

  close() {
    if (!this.isOpen) return;
    const hadFocus = this.#panel.contains(document.activeElement);
    this.#panel.remove();
    this.#button.hidden = false;
    if (hadFocus) this.#button.focus({ preventScroll: true });
    this.#changed();
  }

  receive({ counts, wasRead, leftOut, list, alarms }) {
    if (alarms) this.#count();
    if (counts) {
      this.#counts = counts;
      this.#wasRead = wasRead;
      this.#leftOut.textContent = leftOut ?? "";
      this.#leftOut.hidden = !leftOut;
      this.#count();
    }
    if (list) {
      this.#vehicles = list.rows ?? new VehicleReader().read(list);
      this.#total = list.total;
      this.#draw();
    }
    this.tell();
  }

  /** Shows vehicles of the past, which the page has all. */
  play(vehicles) {
    const sought = folded(this.#input.value.trim());
    const found = [...vehicles.values()].filter(({ label, given }) => folded(`${label}\n${given}`).includes(sought));
    const counts = [0, 0, 0, 0];
    for (const { state } of vehicles.values()) counts[state] += 1;
    this.receive({ counts, wasRead: false, list: { rows: found.slice(0, MOST), total: found.length } });
  }

  #count() {
    const counts = this.#counts ?? [0, 0, 0, 0];
    const all = counts.reduce((sum, count) => sum + count, 0);
    const alarms = this.#areas.alarmCount;
    this.#button.replaceChildren(text("{count} vehicles", { count: all }), ...alarms ? [element("span", { class: "badge", text: text("{count} alarms", { count: alarms }) })] : []);
    this.#heading.textContent = text("{count} vehicles", { count: all });
    this.#counted.hidden = all === 0;
    this.#counted.replaceChildren(...counts.flatMap((count, state) => (count ? [element("span", {}, symbol({ state }), `${STATES[state].name}: ${numbers.format(count)}`)] : [])));
  }

  #draw() {
    const numbers = this.#vehicles.map(({ number }) => number);
    for (const [number, row] of this.#rows) {
      if (numbers.includes(number)) continue;
      const hadFocus = row.li.contains(document.activeElement);
      row.li.remove();
      this.#rows.delete(number);
      if (hadFocus) this.#input.focus();
    }
    let next = this.#ul.firstElementChild;
    for (const vehicle of this.#vehicles) {
      const row = this.#rows.get(vehicle.number) ?? this.#row(vehicle);
      // A row that is at its place stays there with its focus.
      if (row.li === next) next = next.nextElementSibling;
      else this.#ul.insertBefore(row.li, next);
      row.fill(vehicle);
    }
    const missing = this.#total - this.#vehicles.length;
    const none = this.#input.value.trim() ? text("No vehicle has this in its name.") : text("No vehicle shows its position.");
    this.#note.textContent = missing > 0 ? text("{count} more", { count: missing }) : this.#total || !this.#wasRead ? "" : none;
    this.#note.hidden = !this.#note.textContent;
  }

  #row({ number }) {
    const mark = element("span", { class: "mark", aria: { hidden: true } });
    const title = element("span", { class: "title", dir: "auto" });
    const given = element("span", { class: "subtitle", dir: "auto" });
    const subtitle = element("span", { class: "subtitle" });
    const li = element("li", {}, element("button", { type: "button", class: "show", data: { number } }, mark, element("span", { class: "words" }, title, given, subtitle)));
    let look = null;
    const row = {
      li,
      fill: (vehicle) => {
        row.vehicle = vehicle;
        const next = JSON.stringify([vehicle.label, vehicle.given, vehicle.state, vehicle.course]);
        if (next === look) return;
        look = next;
        li.firstElementChild.title = shown(vehicle.label);
        title.replaceChildren(element("bdi", { text: vehicle.label }));
        given.replaceChildren(...vehicle.given ? [element("bdi", { text: text("calls itself {name}", { name: vehicle.given }) })] : []);
        mark.replaceChildren(symbol(vehicle));
      },
      tell: () => { subtitle.textContent = lineOf(row.vehicle); },
    };
    this.#rows.set(number, row);
    return row;
  }

  /** Shows the ages of now. */
  tell() {
    if (this.isOpen) for (const row of this.#rows.values()) row.tell();
  }
}

/** The symbol of a vehicle as on the map, turned as it goes. */
function symbol({ state, course = 0 }) {
  const { path } = stateOf({ state, course });
  const made = drawing("svg", { viewBox: "0 0 20 20", width: 16, height: 16, class: `vehicle-symbol state-${state}`, "aria-hidden": "true" }, drawing("path", { d: path }));
  if (state === 0 && course) made.style.rotate = `${course}deg`;
  return made;
}
