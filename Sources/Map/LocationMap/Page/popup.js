// A menu that opens at a point of the map or beside a button, and closes with a choice, Escape, Tab, or a press elsewhere.

import { element, icon } from "./dom.js";
import { isRightToLeft } from "./texts.js";

const MARGIN = 8;
const [FORWARD, BACK] = isRightToLeft ? ["ArrowLeft", "ArrowRight"] : ["ArrowRight", "ArrowLeft"];

/** A row of a menu: a link if it has an address, otherwise a button. `note` is a line below the label, `hasMenu` marks what opens another menu. */
export const menuItem = ({ picture, label, note, link, isWebsite, hasMenu, choose }) =>
  element(link ? "a" : "button", {
    ...(link ? { href: link, rel: "noopener noreferrer", target: isWebsite ? "_blank" : null } : { type: "button" }),
    // Reachable, as a menu that scrolls must be; Tab itself closes it.
    role: "menuitem", tabindex: "0", aria: { haspopup: hasMenu ? "menu" : null }, on: { click: choose },
  }, picture ? icon(picture) : element("span", { class: "icon" }),
  element("span", { class: "words" }, element("span", { text: label, dir: "auto" }), note ? element("span", { class: "subtitle", text: note }) : null),
  hasMenu ? icon("next") : null);

export class Popup {
  #node = null;
  #anchor = null;
  #back = null;
  // A press on the anchor is the anchor's.
  #elsewhere = (event) => { if (!this.#node.contains(event.target) && !this.#anchor?.contains(event.target)) this.close(); };

  get isOpen() { return this.#node !== null; }

  /**
   * Shows items in a container: at a `point`, or beside its `anchor`, which then receives the focus at the end. `back` is called at the
   * key that leads back to the menu before.
   */
  open(container, { label, items, kind = "", point = null, anchor = null, back = null, focused = 0 }) {
    this.close();
    this.#anchor = anchor;
    this.#back = back;
    this.#node = element("div", { class: `menu ${kind}`, role: "menu", aria: { label } }, ...items);
    container.append(this.#node);
    this.#place(container, point);
    anchor?.setAttribute("aria-expanded", "true");
    // An item closes the menu before it acts; a link acts by itself, after its listeners.
    this.#node.addEventListener("click", (event) => {
      const item = event.target.closest("[role^=menuitem]");
      if (item?.matches("a")) setTimeout(() => this.close());
      else if (item) this.close();
    }, { capture: true });
    this.#node.addEventListener("keydown", (event) => this.#key(event));
    this.#node.addEventListener("contextmenu", (event) => event.preventDefault());
    setTimeout(() => this.#watch(addEventListener));
    this.#items.at(focused).focus({ preventScroll: true });
  }

  close() {
    if (!this.#node) return;
    const hadFocus = this.#node.contains(document.activeElement);
    const map = this.#node.parentElement.querySelector("canvas");
    this.#watch(removeEventListener);
    this.#node.remove();
    this.#node = null;
    this.#anchor?.setAttribute("aria-expanded", "false");
    if (hadFocus) (this.#anchor?.isConnected ? this.#anchor : map)?.focus({ preventScroll: true });
  }

  get #items() { return [...this.#node.querySelectorAll("[role^=menuitem]")]; }

  #watch(change) {
    if (change === addEventListener && !this.#node) return;
    for (const name of ["pointerdown", "wheel"]) change(name, this.#elsewhere, { capture: true });
  }

  #place(container, point) {
    const { clientWidth, clientHeight } = container;
    const { offsetWidth: width, offsetHeight: height } = this.#node;
    let [x, y] = point ? [point.x, point.y] : [0, 0];
    if (this.#anchor) {
      const [outer, box] = [container, this.#anchor].map((node) => node.getBoundingClientRect());
      x = (isRightToLeft ? box.right - width : box.left) - outer.left;
      const below = box.bottom - outer.top + MARGIN / 2;
      y = below + height + MARGIN <= clientHeight ? below : box.top - outer.top - height - MARGIN / 2;
    }
    this.#node.style.left = `${Math.max(MARGIN, Math.min(x, clientWidth - width - MARGIN))}px`;
    this.#node.style.top = `${Math.max(MARGIN, Math.min(y, clientHeight - height - MARGIN))}px`;
  }

  #key(event) {
    const items = this.#items;
    const item = document.activeElement;
    const at = items.indexOf(item);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
    event.stopPropagation();
    const act = {
      Escape: () => this.close(),
      Tab: () => this.close(),
      // Links have only the other key by themselves.
      " ": item.matches("a") ? () => item.click() : null,
      [FORWARD]: item.hasAttribute("aria-haspopup") ? () => item.click() : null,
      [BACK]: this.#back,
    }[event.key] ?? (to === undefined ? null : () => items.at(to % items.length).focus());
    if (!act) return;
    event.preventDefault();
    act();
  }
}
