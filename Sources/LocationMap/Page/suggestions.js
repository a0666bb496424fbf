// The list below the search field: what is offered while one types, with what has been typed in bold.

import { far, look } from "./place-details.js";
import { element, icon } from "./dom.js";

export class SuggestionList {
  #choose;
  #rows = [];
  #active = -1;
  /** Called with the id of the row that the arrow keys have reached, or `null`. */
  onActive = () => {};

  constructor(id, choose) {
    this.#choose = choose;
    this.node = element("div", { class: "suggestions", hidden: true });
    this.list = element("ul", { id, role: "listbox", aria: { label: "Suggestions" } });
    this.note = element("p", { class: "note" });
    this.node.append(this.list, this.note);
    // The focus stays in the field.
    this.node.addEventListener("pointerdown", (event) => event.preventDefault());
    this.list.addEventListener("click", (event) => {
      const at = [...this.list.children].indexOf(event.target.closest("li"));
      if (at >= 0) this.#choose(this.#rows[at]);
    });
  }

  /** The suggestion that the arrow keys have reached. */
  get active() { return this.node.hidden ? undefined : this.#rows[this.#active]; }

  show(suggestions) {
    this.#rows = suggestions;
    this.note.hidden = true;
    this.list.replaceChildren(...suggestions.map((suggestion, index) => option(suggestion, `${this.list.id}-${index}`)));
    this.#reach(-1);
    this.node.hidden = !suggestions.length;
  }

  /** Says something instead. */
  tell(words, more) {
    this.show([]);
    this.note.replaceChildren(element("strong", { text: words }), element("span", {}, ...more));
    this.note.hidden = this.node.hidden = false;
  }

  hide() {
    this.node.hidden = true;
    this.#reach(-1);
  }

  /** Goes to the next row, or the one before; from the last to none, which is the field itself, and on to the first. */
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

function option(suggestion, id) {
  const { place, category } = suggestion;
  const mark = element("span", { class: category && !place ? "badge" : "badge place", aria: { hidden: true } }, icon(category && !place ? "search" : "place"));
  mark.style.setProperty("--tint", look(place ?? { category }).tint);
  return element("li", { id, role: "option", aria: { selected: "false" } }, mark,
    element("span", { class: "words" }, highlighted("title", suggestion.title, suggestion.titleHighlights), highlighted("subtitle", suggestion.subtitle, suggestion.subtitleHighlights)),
    place && far(place) ? element("span", { class: "far", text: far(place) }) : null);
}

/** A text with parts of it in bold; the parts count UTF-16 code units, as strings do here. */
function highlighted(name, text = "", parts = []) {
  const node = element("span", { class: name, dir: "auto" });
  let end = 0;
  for (const { start, length } of [...parts ?? []].sort((a, b) => a.start - b.start)) {
    if (start < end || start + length > text.length) continue;
    node.append(text.slice(end, start), element("mark", { text: text.slice(start, start + length) }));
    end = start + length;
  }
  node.append(text.slice(end));
  return node;
}
