// The list below the search field: the suggestions, with the typed text in bold.

import { far, isFromMiddle, kindOf, look } from "./place-details.js";
import { element, icon, shown } from "./dom.js";
import { folded, isEnglish, text, translated } from "./texts.js";

export class SuggestionList {
  #choose;
  #rows = [];
  #active = -1;
  /** Called with the id of the row selected by the arrow keys, or `null`. */
  onActive = () => {};

  constructor(id, choose) {
    this.#choose = choose;
    this.node = element("div", { class: "suggestions", hidden: true });
    this.list = element("ul", { id, role: "listbox", aria: { label: text("Suggestions") } });
    this.note = element("p", { class: "note" });
    this.node.append(this.list, this.note);
    // The focus stays in the field.
    this.node.addEventListener("pointerdown", (event) => event.preventDefault());
    this.list.addEventListener("click", (event) => {
      const at = [...this.list.children].indexOf(event.target.closest("li"));
      if (at >= 0) this.#choose(this.#rows[at]);
    });
  }

  /** The suggestion selected by the arrow keys. */
  get active() { return this.node.hidden ? undefined : this.#rows[this.#active]; }

  show(suggestions) {
    this.#rows = suggestions;
    const hasNote = isFromMiddle(suggestions.map(({ place }) => place));
    this.note.replaceChildren(...(hasNote ? [element("span", { text: text("Distances are from the middle of the map.") })] : []));
    this.note.hidden = !hasNote;
    this.list.replaceChildren(...suggestions.map((suggestion, index) => option(suggestion, `${this.list.id}-${index}`)));
    this.#reach(-1);
    this.node.hidden = !suggestions.length;
  }

  /** Shows the saved places and routes, with buttons to import and export them. */
  showSaved(rows, saved) {
    this.show(rows);
    const button = (words, onClick) => element("button", { type: "button", text: words, on: { click: onClick } });
    this.note.replaceChildren(element("strong", { text: rows.length ? text("Saved places and routes") : text("No saved places or routes") }),
      element("span", { class: "files" }, saved.readsFiles ? button(text("Import"), () => saved.import()) : null, rows.length ? button(text("Export"), () => saved.export()) : null));
    this.note.hidden = this.node.hidden = false;
  }

  /** Shows a message in place of the list. */
  tell(words, more) {
    this.show([]);
    this.note.replaceChildren(element("strong", { text: words }), element("span", {}, ...more));
    this.note.hidden = this.node.hidden = false;
  }

  hide() {
    this.node.hidden = true;
    this.#reach(-1);
  }

  /** Moves to the next or the previous row; after the last one to the field itself, then to the first. */
  step(by) {
    const count = this.#rows.length + 1;
    this.#reach((this.#active + 1 + by + count) % count - 1);
  }

  #reach(index) {
    this.#active = index;
    [...this.list.children].forEach((row, at) => row.setAttribute("aria-selected", String(at === index)));
    const row = this.list.children[index];
    row?.scrollIntoView({ block: "nearest" });
    this.onActive(row?.id ?? null);
  }
}

/** A suggestion of a category with its name in the user's language, if that is what is being typed. */
export function localized(suggestion, typed) {
  const { category, place, saved, subtitle } = suggestion;
  if (isEnglish || !category || place || saved) return suggestion;
  const kind = kindOf({ category });
  const isTyped = folded(kind).startsWith(folded(typed));
  return { ...suggestion, subtitle: translated(subtitle), ...isTyped ? { title: kind, titleHighlights: [{ start: 0, length: typed.length }] } : {} };
}

function option(suggestion, id) {
  const { place, category, saved, color, isRoute } = suggestion;
  const mark = element("span", { class: category && !place ? "badge" : "badge place", aria: { hidden: true } }, icon(isRoute ? "route" : saved ? "star" : category && !place ? "search" : "place"));
  mark.style.setProperty("--tint", color ?? look(place ?? { category }).tint);
  return element("li", { id, role: "option", aria: { selected: "false" } }, mark,
    element("span", { class: "words" }, highlighted("title", suggestion.title, suggestion.titleHighlights), highlighted("subtitle", suggestion.subtitle, suggestion.subtitleHighlights)),
    place && far(place) ? element("span", { class: "far", text: far(place) }) : null);
}

/** A text with parts in bold; the ranges count UTF-16 code units, as JavaScript does. */
function highlighted(name, words = "", parts = []) {
  const node = element("span", { class: name, dir: "auto" });
  let end = 0;
  for (const { start, length } of [...parts ?? []].sort((a, b) => a.start - b.start)) {
    if (start < end || start + length > words.length) continue;
    node.append(shown(words.slice(end, start)), element("mark", { text: words.slice(start, start + length) }));
    end = start + length;
  }
  node.append(shown(words.slice(end)));
  return node;
}
