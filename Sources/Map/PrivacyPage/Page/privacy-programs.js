// The list of programs: who may have the location, who has it now, and what the user has decided.

import { element } from "./dom.js";
import { ProgramRow } from "./privacy-row.js";
import { folded, listed, text } from "./texts.js";

const DAY = 86_400_000;
const GROUPS = [text("Now"), text("In the last 24 hours"), text("Earlier or never")];

const groupOf = ({ isNow, lastAccess }) => (isNow ? 0 : lastAccess && Date.now() - Date.parse(lastAccess) < DAY ? 1 : 2);

export class Programs {
  #voice;
  #rows = new Map();
  #groups;
  #field;
  #none = element("p", { class: "note" });
  #services = null;
  #isOrderDue = false;

  constructor(page, voice) {
    this.#voice = voice;
    this.#field = element("input", { type: "search", class: "search", placeholder: text("Search"), aria: { label: text("Search the programs") },
      autocomplete: "off", spellcheck: "false", on: { input: () => this.#filter() } });
    this.#groups = GROUPS.map((name, index) => {
      const list = element("ul", {});
      return { list, node: element("section", { class: "card group", hidden: true, aria: { labelledby: `group-${index}` } }, element("h3", { id: `group-${index}`, text: name }), list) };
    });
    this.node = element("section", { class: "programs", aria: { labelledby: "programs" } },
      element("div", { class: "heading" }, element("h2", { id: "programs", text: text("Programs") }), this.#field), ...this.#groups.map(({ node }) => node), this.#none);
    // What has the focus stays where it is.
    this.node.addEventListener("focusout", () => setTimeout(() => this.#isOrderDue && this.#order()));
    page.append(this.node);
  }

  replace(programs, services) {
    this.#services = services;
    const there = new Set(programs.map(({ id }) => id));
    this.update(programs, [...this.#rows.keys()].filter((id) => !there.has(id)));
  }

  /** The programs by name, for what names one of them. */
  get named() { return [...this.#rows.values()].map(({ program }) => program).sort((a, b) => a.name.localeCompare(b.name)); }

  servicesChanged(services) {
    this.#services = services;
    for (const row of this.#rows.values()) row.servicesChanged(services);
  }

  update(changed, removed) {
    for (const id of removed) {
      this.#rows.get(id)?.node.remove();
      this.#rows.delete(id);
    }
    for (const program of changed) {
      let row = this.#rows.get(program.id);
      if (!row) this.#rows.set(program.id, row = new ProgramRow(this.#voice));
      row.update(program, this.#services);
    }
    this.#order();
  }

  #order() {
    const active = document.activeElement;
    const [focused] = [...this.#rows.values()].filter(({ node }) => node.contains(active));
    this.#isOrderDue = Boolean(focused);
    const rows = [...this.#rows.values()].map((row) => ({ row, group: row === focused && row.group !== undefined ? row.group : groupOf(row.program), key: row.sortKey }));
    rows.sort((a, b) => a.group - b.group || (a.group < 2 ? b.key.time - a.key.time : 0) || a.key.name.localeCompare(b.key.name));
    for (const [index, { list }] of this.#groups.entries()) {
      const wanted = rows.filter(({ group }) => group === index).map(({ row }) => row);
      const isSame = wanted.length === list.childElementCount && wanted.every(({ node }, place) => list.children[place] === node);
      if (!isSame && !(focused && list.contains(focused.node))) list.replaceChildren(...wanted.map(({ node }) => node));
      // Around what has the focus, others come and go.
      else if (!isSame) for (const row of wanted) if (row.node.parentNode !== list) list.append(row.node);
      for (const row of wanted) row.group = index;
    }
    this.#filter();
  }

  #filter() {
    const words = folded(this.#field.value).split(/\s+/).filter(Boolean);
    for (const { node, haystack } of this.#rows.values()) node.hidden = !words.every((word) => haystack.includes(word));
    let shown = 0;
    for (const { node, list } of this.#groups) {
      const count = [...list.children].filter((row) => !row.hidden).length;
      node.hidden = !count;
      shown += count;
    }
    this.#field.hidden = !this.#rows.size;
    this.#none.hidden = shown > 0;
    this.#none.textContent = words.length ? text("No program has this name.") : text("No program has asked for your location yet.");
    if (words.length) this.#voice.say(listed([text("{count} programs", { count: shown })]));
  }
}
