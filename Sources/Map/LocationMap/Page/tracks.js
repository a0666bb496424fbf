// The list of the lines on the map that the user may click or remove: tracks of the program's files, of files that were dropped,
// saved routes, and where the user was while the page was open. Each can be shown, hidden and removed. Only this tab hides a line, until it is closed; a removed one is removed from all pages.

import { element, iconButton, keepKeys } from "./dom.js";
import { lineLength } from "./lines.js";
import { text } from "./texts.js";
import { distance } from "./units.js";

export class Tracks {
  #context;
  #opener = null;
  /** The key of the row that asks whether to remove its line. */
  #removing = null;
  #look = null;
  #panel = element("section", { class: "tracks", role: "group", aria: { label: text("Tracks") } });

  /** `context` has the objects that the list uses: `stage`, `page`, `connection`, `saved`. */
  constructor(context) {
    this.#context = context;
    keepKeys(this.#panel, () => this.close());
    // On a phone both are at the bottom.
    context.page.profile.onOpen = (profile) => { if (this.isOpen && overlap(this.#panel, profile)) this.close(); };
    for (const lines of this.#lines) lines.onChange = () => this.refresh();
  }

  /** True if there is a line, or a way to add one. */
  get isAvailable() { return this.#context.saved.readsFiles || this.#all.length > 0; }
  get isOpen() { return this.#panel.isConnected; }
  /** The width in pixels that the list takes of the map beside it; 0 if it is closed or at the bottom. */
  get width() { return this.isOpen && this.#panel.offsetWidth < innerWidth / 2 ? this.#panel.offsetWidth : 0; }

  get #lines() { return [this.#context.page.overlays, this.#context.page.routeLines]; }
  get #all() { return this.#lines.flatMap((lines) => lines.listed.map((overlay) => ({ lines, overlay, key: overlay.id }))); }

  open() {
    if (this.isOpen) return;
    this.#opener = document.activeElement;
    this.#removing = this.#look = null;
    this.#context.page.profile.close();
    // Before the map in the order of focus.
    this.#context.stage.querySelector("#surface").before(this.#panel);
    this.refresh();
    this.#panel.querySelector("button").focus();
  }

  close() {
    if (!this.isOpen) return;
    const hadFocus = this.#panel.contains(document.activeElement);
    this.#panel.remove();
    if (hadFocus) (this.#opener?.isConnected ? this.#opener : this.#context.page.canvas).focus({ preventScroll: true });
  }

  /** Shows the lines that there are now. */
  refresh() {
    if (!this.isOpen) return;
    const all = this.#all;
    const rows = all.map(({ lines, overlay, key }) => ({ key, name: nameOf(overlay), facts: this.#facts(lines, overlay), color: overlay.stroke, isHidden: lines.isHidden(key), isRemoving: this.#removing === key }));
    // Buttons stay while nothing has changed: one of them may be under the pointer.
    const look = JSON.stringify(rows);
    if (look === this.#look) return;
    this.#look = look;
    const list = this.#panel.querySelector("ul");
    const top = list?.scrollTop ?? 0;
    const focused = this.#panel.contains(document.activeElement) ? document.activeElement.dataset : null;
    const index = focused ? [...this.#panel.querySelectorAll("li")].findIndex((row) => row.contains(document.activeElement)) : -1;
    const isAnyShown = rows.some(({ isHidden }) => !isHidden);
    this.#panel.replaceChildren(
      element("header", {}, element("h2", { text: text("Tracks") }),
        rows.length > 1 ? element("button", { type: "button", class: "all", data: { name: "all" }, text: isAnyShown ? text("Hide all") : text("Show all"), on: { click: () => this.#hideAll(isAnyShown) } }) : null,
        iconButton("close", text("Close"), () => this.close(), { data: { name: "close" } })),
      rows.length ? element("ul", {}, ...rows.map((row, at) => this.#row(row, all[at]))) : element("p", { text: text("No tracks are shown. Drop a file on the map, such as a GPX file.") }));
    if (list) this.#panel.querySelector("ul")?.scrollTo(0, top);
    if (!focused) return;
    // The same button, otherwise the row that has taken its row's place.
    const same = focused.name && this.#panel.querySelector(`[data-name="${CSS.escape(focused.name)}"]`);
    const next = [...this.#panel.querySelectorAll("li")].at(Math.min(index, rows.length - 1))?.querySelector("button");
    (same ?? (index < 0 ? null : next) ?? this.#panel.querySelector("button")).focus();
  }

  #facts(lines, { length: known, geometry, saved, isPreview }) {
    const { unit } = this.#context.page;
    const length = known ?? linesOf(geometry).reduce((sum, line) => sum + lineLength(line), 0);
    return [length ? distance(length, unit) : "", saved ? text("saved") : "", isPreview ? text("not saved") : ""].filter(Boolean).join(" · ");
  }

  #row({ key, name, facts, color, isHidden, isRemoving }, { lines, overlay }) {
    const ask = (next) => { this.#removing = next; this.refresh(); };
    const swatch = element("span", { class: "line", aria: { hidden: true } });
    swatch.style.background = color ?? "";
    if (isRemoving) {
      const question = overlay.saved ? text("Remove {name} from your saved routes?", { name }) : text("Remove {name} from the map?", { name });
      return element("li", { class: "is-asking" }, element("span", { class: "words", text: question, dir: "auto" }),
        element("button", { type: "button", class: "remove", data: { name: `r:${key}` }, text: text("Remove"), on: { click: () => { this.#removing = null; this.#remove(overlay); } } }),
        element("button", { type: "button", data: { name: "keep" }, text: text("Keep"), on: { click: () => ask(null) } }));
    }
    const words = element("span", { class: "words" }, element("span", { class: "title", text: name, dir: "auto" }), element("span", { class: "subtitle", text: facts }));
    const canRemove = overlay.isRemovable || overlay.remove;
    return element("li", { class: isHidden ? "is-hidden" : "" },
      element("button", { type: "button", class: "show", title: name, data: { name: `s:${key}` }, on: { click: () => this.#show(lines, overlay) } }, swatch, words),
      iconButton(isHidden ? "hidden" : "visible", isHidden ? text("Show {name}", { name }) : text("Hide {name}", { name }), () => this.#hide(lines, key, !isHidden), { data: { name: `h:${key}` } }),
      canRemove ? iconButton("delete", text("Remove {name}", { name }), () => ask(key), { data: { name: `r:${key}` } }) : null);
  }

  /** Shows the whole of a line, with its profile. */
  async #show(lines, overlay) {
    this.#hide(lines, overlay.id, false);
    const { page, saved } = this.#context;
    if (!overlay.profile && !overlay.profileOf) {
      page.profile.close();
      const positions = linesOf(overlay.geometry).flat();
      if (positions.length) saved.routes.fly(positions);
      return;
    }
    await page.profile.open(overlay, { takesFocus: true });
    const { positions } = page.profile;
    if (positions.length) saved.routes.fly(positions);
  }

  #hide(lines, id, isHidden) {
    lines.hide(id, isHidden);
    this.#context.page.profile.refresh();
    this.refresh();
  }

  #hideAll(isHidden) {
    for (const { lines, key } of this.#all) lines.hide(key, isHidden);
    this.#context.page.profile.refresh();
    this.refresh();
  }

  #remove(overlay) {
    if (overlay.remove) overlay.remove();
    else this.#context.connection.send({ type: "removeLine", id: overlay.id });
    this.refresh();
  }
}

const nameOf = ({ title }) => (!title ? text("Track") : title === "My Track" ? text("My Track") : title);

/** The positions of each line of a geometry; none while the page has not asked for it. */
const linesOf = (geometry) => ({ LineString: [geometry?.coordinates], MultiLineString: geometry?.coordinates })[geometry?.type] ?? [];

/** True if two elements cover a part of each other. */
function overlap(one, other) {
  const [a, b] = [one, other].map((node) => node.getBoundingClientRect());
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}
