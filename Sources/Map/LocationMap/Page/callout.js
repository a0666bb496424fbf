// The callout of a selected annotation: title, subtitle, accessories to the left and right, a detail below; or the
// annotations at one place, to choose from. Everything is text and images, never markup.

import { element, icon, shown } from "./dom.js";
import { address } from "./basemap.js";
import { captionsOf } from "./captions.js";
import { text } from "./texts.js";

const MARGIN = 8;

/** The callout of views that are the page's own, not the program's. */
export function calloutOf(views, map) {
  const callout = new Callout(map, { send: () => {} }, { entry: (id) => views.entry(id), focus: (id) => views.focus(id) });
  views.onPlaced = () => callout.place();
  return callout;
}

export class Callout {
  #map;
  #connection;
  #views;
  #id = null;
  #look = null;
  /** The callout of several views at one place, while it is shown. */
  #choice = null;
  #size = { width: 0, height: 0 };
  #box = null;
  /** The boxes of the controls at the top of the map. */
  #controls = [];
  #node = element("div", { class: "callout", role: "dialog", hidden: true });
  #body = element("div", { class: "callout-body" });
  #tail = element("span", { class: "callout-tail", aria: { hidden: true } });

  onClose = () => {};
  /** Called with the id of the annotation that the user chooses from a list. */
  onChoose = () => {};

  constructor(map, connection, views) {
    this.#map = map;
    this.#connection = connection;
    this.#views = views;
    this.#node.append(this.#body, this.#tail);
    captionsOf(map).addCallout(this);
    new ResizeObserver(() => { this.#measure(); this.place(); }).observe(this.#node);
    // Events in the callout are not gestures on the map.
    for (const name of ["mousedown", "touchstart", "click", "dblclick", "wheel", "contextmenu", "pointerdown"]) {
      this.#node.addEventListener(name, (event) => event.stopPropagation(), { passive: true });
    }
    this.#node.addEventListener("keydown", (event) => {
      if (event.key === "ArrowDown" || event.key === "ArrowUp") this.#go(event);
      if (event.key !== "Escape") return event.stopPropagation();
      this.onClose();
    });
  }

  get id() { return this.#id; }
  /** The edges on the map: left, top, right and bottom; `null` while it is hidden. */
  get box() { return this.#id === null ? null : this.#box; }
  get isChoice() { return this.#choice !== null; }

  /** Shows the callout of a view; hides it if the view has none. */
  show(id, takesFocus = false) {
    if (this.#choice && this.#choice.id !== id) this.#choice = null;
    const entry = id === null ? null : this.#views.entry(id);
    const { callout, choices } = this.#choice ?? entry?.view ?? {};
    if (!entry || !callout) return this.hide();
    const isNew = this.#id !== id;
    this.#id = id;
    const look = JSON.stringify([id, callout, choices]);
    if (look !== this.#look) {
      this.#look = look;
      const focused = this.#body.contains(document.activeElement) ? document.activeElement.dataset.side : null;
      this.#fill(entry.view, callout, choices ?? []);
      if (focused) this.#body.querySelector(`[data-side="${focused}"]`)?.focus({ preventScroll: true });
    }
    this.#node.hidden = false;
    if (!this.#node.isConnected) this.#map.getCanvasContainer().append(this.#node);
    this.#node.classList.toggle("is-new", isNew);
    this.#measure();
    this.place();
    if (takesFocus && (isNew || this.#choice)) (this.#body.querySelector("button:not([disabled]), a") ?? this.#body).focus({ preventScroll: true });
  }

  /** Lists the views at the place of one of them, to choose from. */
  choose(id, views, takesFocus) {
    const choices = views.map((view) => ({ id: view.id, title: view.title || view.label || text("Annotation"), subtitle: view.subtitle }));
    this.#choice = { id, callout: { title: text("{count} places", { count: views.length }) }, choices };
    this.show(id, takesFocus);
  }

  /** Ends the choice among several views. */
  endChoice() {
    if (this.#choice) this.hide();
  }

  hide() {
    const hadFocus = this.#node.contains(document.activeElement);
    const id = this.#id;
    this.#node.hidden = true;
    this.#node.remove();
    this.#id = this.#look = this.#choice = this.#box = null;
    captionsOf(this.#map).updateSoon();
    if (!hadFocus) return;
    if (this.#views.entry(id)) this.#views.focus(id);
    else this.#map.getCanvas().focus({ preventScroll: true });
  }

  #fill(view, callout, choices) {
    const title = callout.title ?? view.title ?? "";
    const missing = (this.#choice ? choices.length : view.members ?? 0) - choices.length;
    this.#node.setAttribute("aria-label", shown(title || view.label || text("Annotation")));
    this.#body.tabIndex = -1;
    this.#body.replaceChildren(...[
      this.#accessory("left", callout.left),
      element("div", { class: "words" },
        title ? element("div", { class: "title", text: title, dir: "auto" }) : null,
        callout.subtitle ? element("div", { class: "subtitle", text: callout.subtitle, dir: "auto" }) : null,
        this.#accessory("detail", callout.detail),
        choices.length ? element("ul", { class: "choices" }, ...choices.map((choice) => this.#option(choice)),
          missing > 0 ? element("li", { class: "more", text: text("{count} more", { count: missing }) }) : null) : null),
      this.#accessory("right", callout.right),
    ].filter(Boolean));
  }

  #option({ id, title, subtitle }) {
    const button = element("button", { type: "button", on: { click: (event) => this.onChoose(id, event.detail === 0) } },
      element("span", { class: "choice-title", text: title, dir: "auto" }),
      subtitle ? element("span", { class: "subtitle", text: subtitle, dir: "auto" }) : null);
    return element("li", {}, button);
  }

  /** Moves the focus up or down a list. */
  #go(event) {
    const options = [...this.#body.querySelectorAll(".choices button")];
    const index = options.indexOf(document.activeElement);
    if (index < 0) return;
    event.preventDefault();
    options[index + (event.key === "ArrowDown" ? 1 : -1)]?.focus();
  }

  #accessory(side, accessory) {
    if (!accessory) return null;
    const { kind, title, text: words, image, symbol, label, isEnabled, tint } = accessory;
    // An image of the page's own.
    if (kind === "element") return accessory.make();
    const picture = image ? element("img", { alt: kind === "image" ? label ?? "" : "", draggable: "false" }) : null;
    if (picture) picture.src = address(image);
    if (kind === "text") return element("div", { class: `accessory ${side} text`, text: words ?? title ?? "", dir: "auto" });
    if (kind === "image") return picture ? element("div", { class: `accessory ${side} image` }, picture) : null;
    const button = element("button", {
      type: "button", class: `accessory ${side} ${title ? "wide" : "symbol"}`, data: { side }, disabled: isEnabled === false,
      aria: { label: label ?? title ?? symbol ?? text("More") },
      on: { click: () => this.#connection.send({ type: "accessory", id: this.#id, side }) },
    }, picture ?? (title && !symbol ? null : icon(symbol ?? "info")), title ? element("span", { text: title, dir: "auto" }) : null);
    if (tint) button.style.setProperty("--accent", tint);
    return button;
  }

  #measure() {
    captionsOf(this.#map).updateSoon();
    this.#size = { width: this.#node.offsetWidth, height: this.#node.offsetHeight };
    const { left, top } = this.#map.getContainer().getBoundingClientRect();
    this.#controls = [...document.querySelectorAll(".corner:is(.topLeading, .top, .topTrailing)")].map((corner) => {
      const box = corner.getBoundingClientRect();
      return { left: box.left - left, right: box.right - left, bottom: box.bottom - top };
    });
  }

  /** Places the callout above its view, or below if there is more room; within the map, with its tail at the view. */
  place() {
    if (this.#id === null) return;
    const entry = this.#views.entry(this.#id);
    if (!entry) return;
    const { clientWidth, clientHeight } = this.#map.getContainer();
    const { width, height } = this.#size;
    const [, viewHeight] = entry.view.size ?? [32, 32];
    const [x, y] = entry.view.callout?.offset ?? [0, 0];
    const top = entry.y - viewHeight / 2 + y;
    const bottom = entry.y + viewHeight / 2;
    const anchor = entry.x + x;
    // The callout moves with a view that leaves the map.
    const isOut = anchor < 0 || anchor > clientWidth;
    const left = isOut ? anchor - width / 2 : Math.min(Math.max(anchor - width / 2, MARGIN), Math.max(MARGIN, clientWidth - width - MARGIN));
    const controls = this.#controls.filter((box) => box.left < left + width && left < box.right).map((box) => box.bottom);
    const roomAbove = top - Math.max(0, ...controls) - 2 * MARGIN;
    const isBelow = roomAbove < height && clientHeight - bottom - 2 * MARGIN > roomAbove;
    const upper = isBelow ? bottom + MARGIN : top - height - MARGIN;
    this.#box = [left, upper, left + width, upper + height];
    this.#node.classList.toggle("is-below", isBelow);
    this.#node.style.transform = `translate(${Math.round(left)}px, ${Math.round(upper)}px)`;
    this.#tail.style.left = `${Math.min(Math.max(anchor - left, 18), width - 18)}px`;
    this.#node.style.transformOrigin = `${anchor - left}px ${isBelow ? 0 : height}px`;
  }
}
