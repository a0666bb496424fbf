// The search field: suggestions while the user types, results on the map and in a list, and the same search in another
// part of the map.
//
// A combobox as WAI-ARIA describes it: the focus stays in the field, and arrow keys move through the list below.

import { Found } from "./found.js";
import { LONGEST, isStopped } from "./places.js";
import { far, isFromMiddle, kindOf, look, subtitle } from "./place-details.js";
import { SuggestionList, localized } from "./suggestions.js";
import { isRightToLeft, text, translated } from "./texts.js";
import { element, icon, iconButton } from "./dom.js";

const isNarrow = matchMedia("(max-width: 600px)");

// The saved places above the suggestions.
const MOST_SAVED = 3;

export class SearchField {
  #context;
  // Of the program, in place of suggestions.
  #hasOwnRows;
  #places;
  #found;
  #query = null;
  #input = element("input", {
    type: "search", id: "search-field", role: "combobox", placeholder: text("Search"), autocomplete: "off", autocapitalize: "off", spellcheck: "false", enterkeyhint: "search",
    maxlength: LONGEST, dir: "auto", aria: { label: text("Search the map"), autocomplete: "list", expanded: "false", controls: "search-list", keyshortcuts: "/" },
  });
  #clear = iconButton("close", text("Clear the search"), () => this.clear(), { class: "clear", hidden: true });
  #list = new SuggestionList("search-list", (suggestion) => this.#choose(suggestion));
  #results = element("ol", { class: "results", hidden: true, aria: { label: text("Search results") } });
  #from = element("p", { class: "from", hidden: true });
  #again = element("button", { type: "button", class: "again", text: text("Search this area"), hidden: true, on: { click: () => this.#searchAgain() } });
  #slash = (event) => this.#focusBySlash(event);
  #elsewhere = (event) => { if (!this.node.contains(event.target)) this.#close(); };

  constructor(context, { hasOwnRows = false, placeholder }, listen) {
    this.#context = context;
    this.#hasOwnRows = hasOwnRows;
    if (placeholder) this.#input.placeholder = placeholder;
    this.#places = context.places;
    this.#found = context.found ??= new Found(context);
    this.#found.onSelect = (index) => this.#mark(index);
    this.#found.hidden = () => this.#covered;
    this.node = element("div", { class: "control search", role: "search" },
      element("div", { class: "field" }, icon("search"), this.#input, this.#clear), this.#list.node, this.#from, this.#results);
    context.stage.querySelector(".announcements").before(this.#again);
    this.#input.addEventListener("input", () => this.#typed());
    this.#input.addEventListener("focus", () => this.#typed());
    this.#input.addEventListener("keydown", (event) => this.#key(event));
    this.#list.onActive = (id) => (id ? this.#input.setAttribute("aria-activedescendant", id) : this.#input.removeAttribute("aria-activedescendant"));
    this.#results.addEventListener("click", (event) => {
      const row = event.target.closest("button");
      if (row) this.#found.choose(Number(row.dataset.index), event.detail === 0);
    });
    this.node.addEventListener("keydown", (event) => { if (event.key !== "Escape") event.stopPropagation(); });
    document.addEventListener("keydown", this.#slash);
    addEventListener("pointerdown", this.#elsewhere);
    context.saved.onChange = () => { if (document.activeElement === this.#input && !this.#input.value.trim()) this.#typed(); };
    listen("moveend", (event) => this.#wasMoved(event));
    listen("click", (event) => this.#click(event));
    listen("mousemove", ({ point }) => context.labels.hover(point, () => !context.page.measurement.isActive));
  }

  // MARK: Typing

  async #typed() {
    const typed = this.#input.value.trim();
    this.#clear.hidden = !this.#input.value && !this.#query;
    // A text already searched for gets no suggestions.
    if (this.#query && typed === this.#query.text) return this.#close();
    const saved = this.#hasOwnRows ? [] : this.#context.saved.rows(typed);
    if (!typed && !this.#hasOwnRows) return this.#context.saved.isAvailable ? this.#open(() => this.#list.showSaved(saved, this.#context.saved)) : this.#close();
    try {
      const suggestions = [...saved.slice(0, MOST_SAVED), ...(await this.#places.suggestions(typed)).map((suggestion) => localized(suggestion, typed))];
      if (this.#input.value.trim() !== typed || document.activeElement !== this.#input) return;
      this.#open(() => this.#list.show(suggestions));
      this.#context.announcer.say(suggestions.length ? text("{count} suggestions", { count: suggestions.length }) : text("No suggestions"));
    } catch (problem) {
      if (!isStopped(problem)) this.#tell(problem);
    }
  }

  #open(show) {
    this.#showResults(false);
    show();
    this.#input.setAttribute("aria-expanded", String(!this.#list.node.hidden));
  }

  #close() {
    this.#list.hide();
    this.#input.setAttribute("aria-expanded", "false");
    this.#showResults(this.#found.places.length > 0);
  }

  #showResults(isShown) {
    const { places } = this.#found;
    const words = [absence(this.#query, places), isFromMiddle(places) ? text("Distances are from the middle of the map.") : ""].filter(Boolean).join(" ");
    this.#results.hidden = !isShown;
    this.#from.hidden = !isShown || !words;
    this.#from.textContent = words;
  }

  /** Shows an error in place of the results. */
  #tell({ message, isMissing }) {
    const { regions } = this.#context;
    const remedy = !isMissing ? [] : regions.isAvailable
      ? [element("button", { type: "button", class: "link", text: text("Add a region"), on: { click: () => regions.open() } })]
      : [`${text("To add a region:")} `, element("code", { text: "locationctl map add FILE.osm.pbf" })];
    this.#open(() => this.#list.tell(message, remedy));
    this.#context.announcer.say(message);
  }

  #key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      if (this.#list.node.hidden) this.#typed();
      else this.#list.step(step);
    } else if (event.key === "Enter" && !event.isComposing) {
      event.preventDefault();
      const chosen = this.#list.active;
      if (chosen) this.#choose(chosen);
      else if (this.#hasOwnRows) this.#submit();
      else if (this.#input.value.trim()) this.#search(this.#input.value.trim(), null);
    } else if (event.key === "Escape") {
      event.stopPropagation();
      event.preventDefault();
      if (!this.#list.node.hidden) this.#close();
      else if (this.#input.value || this.#query) this.clear();
      else this.#context.map.getCanvas().focus({ preventScroll: true });
    } else if (event.key === "Tab") {
      this.#close();
    }
  }

  #focusBySlash(event) {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (event.target.closest?.("input, textarea, select, [contenteditable]")) return;
    event.preventDefault();
    this.#input.focus();
    this.#input.select();
  }

  // MARK: Searching

  #choose(suggestion) {
    const { place, category, query, title, saved, row } = suggestion;
    if (row !== undefined) {
      this.#input.value = title;
      this.#close();
      return this.#context.connection.send({ type: "choose", id: row });
    }
    if (saved) {
      this.#input.value = "";
      this.#close();
      return this.#context.saved.show(saved);
    }
    // A category may have the word beside it by which it was suggested.
    this.#input.value = place?.name ?? title.split(" — ")[0];
    if (place && !category) return this.#present({ text: this.#input.value.trim() }, [place], true);
    this.#search(query ?? title, category ?? null);
  }

  /** Leaves the typed text to the program, whose rows are below the field. */
  #submit() {
    this.#close();
    this.#context.connection.send({ type: "submit", value: this.#input.value.trim() });
  }

  /** Runs the search; with `isHere` the map does not move. */
  async #search(sought, category, isHere = false) {
    this.#places.stop();
    this.#again.hidden = true;
    this.node.classList.add("is-busy");
    try {
      const { places, absent, isAboutOpenNow } = await this.#places.search(sought, category ?? undefined);
      // What is absent here does not move the map: a row of the list does.
      this.#present({ text: this.#input.value.trim(), query: sought, category, absent, isAboutOpenNow }, places, !isHere && !absent);
    } catch (problem) {
      if (!isStopped(problem)) this.#tell(problem);
    } finally {
      this.node.classList.remove("is-busy");
    }
  }

  #present(query, places, moves) {
    this.#query = query;
    this.#clear.hidden = false;
    this.#again.hidden = true;
    this.#found.show(places);
    this.#results.replaceChildren(...places.map(row));
    this.#close();
    const words = query.absent ? absence(query, places) : places.length === 1 ? text("Found {name}", { name: places[0].name }) : places.length ? text("{count} results", { count: places.length }) : text("Nothing found for “{query}”", { query: this.#input.value.trim() });
    this.#context.announcer.say(words);
    const remedy = query.isAboutOpenNow ? text("Places whose hours are not known are left out.") : query.query ? text("Try another spelling, or move the map.") : null;
    if (!places.length) return this.#open(() => this.#list.tell(words, remedy ? [remedy] : []));
    if (moves) this.#found.bringIntoView();
    if (places.length === 1 && !query.absent) this.#found.select(0);
    // On a phone the keyboard would cover the results.
    if (matchMedia("(pointer: coarse)").matches) this.#input.blur();
  }

  #searchAgain() {
    if (!this.#query) return;
    this.#input.focus({ preventScroll: true });
    this.#search(this.#query.query ?? this.#query.text, this.#query.category, true);
  }

  #wasMoved(event) {
    // Only after the user has moved the map: the page itself moves it to the results.
    if (this.#query?.query && (event.originalEvent || event.cause === undefined)) this.#again.hidden = false;
  }

  /** The list covers the side of a wide map where lines begin; on a narrow one the top, until a result is selected. */
  get #covered() {
    const { left, right, bottom } = this.node.getBoundingClientRect();
    if (isNarrow.matches) return { left: 0, right: 0, top: Math.min(bottom, 64) };
    if (this.#results.hidden) return { left: 0, right: 0, top: 0 };
    return isRightToLeft ? { left: 0, right: innerWidth - left, top: 0 } : { left: right, right: 0, top: 0 };
  }

  #mark(index) {
    this.node.classList.toggle("is-selected", index !== null);
    const id = index === null ? null : this.#found.places[index]?.id;
    if (id) this.#context.connection.send({ type: "choose", id });
    for (const each of this.#results.querySelectorAll("button")) {
      const isIt = index !== null && Number(each.dataset.index) === index;
      each.setAttribute("aria-pressed", String(isIt));
      if (isIt) each.scrollIntoView({ block: "nearest" });
    }
  }

  /** Clears the search and its results. */
  clear() {
    this.#places.stop();
    this.#query = null;
    this.#input.value = "";
    this.#clear.hidden = this.#again.hidden = true;
    this.#found.show([]);
    this.#results.replaceChildren();
    this.#close();
    this.#input.focus();
  }

  // MARK: Labels

  #click({ point, originalEvent }) {
    this.#places.stopLabelled();
    // The second click of two zooms in.
    if (originalEvent.detail > 1 || this.#context.page.measurement.isActive) return;
    // A line that can be clicked is above the labels.
    const label = this.#context.page.lineAt(point) ? null : this.#context.labels.at(point);
    if (label) this.openLabel(label);
  }

  /** Shows the callout of the place whose label this is. */
  async openLabel(label) {
    try {
      this.#found.showLabelled(await this.#places.labelled(label));
    } catch (problem) {
      if (!isStopped(problem)) this.#context.announcer.notice({ kind: "warning", text: problem.message });
    }
  }

  /** Shows a place found by other means. */
  present(place) {
    this.#input.value = place.name;
    this.#present({ text: place.name }, [place], false);
  }

  remove() {
    document.removeEventListener("keydown", this.#slash);
    removeEventListener("pointerdown", this.#elsewhere);
    this.#places.stop();
    this.#found.show([]);
    this.#again.remove();
  }
}

/** The sentence about a category of which no place is near; empty otherwise. */
function absence(query, places) {
  if (!query?.absent) return "";
  const category = kindOf({ category: query.absent });
  return places.length ? text("{category}: none nearby. The next:", { category }) : text("{category}: none nearby.", { category });
}

function row(place, index) {
  const dot = element("span", { class: "dot", aria: { hidden: true } });
  dot.style.background = look(place).tint;
  return element("li", {}, element("button", { type: "button", data: { index }, aria: { pressed: "false" } }, dot,
    element("span", { class: "words" }, element("span", { class: "title", text: [place.name, place.alternativeName].filter(Boolean).join(" — "), dir: "auto" }), element("span", { class: "subtitle", text: subtitle(place) || kindOf(place), dir: "auto" })),
    far(place) ? element("span", { class: "far", text: far(place) }) : null));
}
