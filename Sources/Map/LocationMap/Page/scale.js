// A scale bar with one of the program's lengths. The adaptive one is visible while the zoom changes.

import { element } from "./dom.js";
import { text } from "./texts.js";
import { step, unitOfReader } from "./units.js";

const LONGEST = 110;
const LINGER = 1500;

export class Scale {
  #map;
  #steps;
  #unit;
  #isAdaptive;
  #bar = element("div", { class: "scale-bar" }, element("i"), element("i"));
  #text = element("span", { class: "scale-text" });
  #timer = null;

  constructor({ map, page }, { visibility, unit, alignment }, listen) {
    this.#map = map;
    this.#unit = unit ?? unitOfReader;
    this.#steps = page.scaleSteps[this.#unit];
    this.#isAdaptive = visibility !== "visible";
    this.node = element("div", { class: "control scale", role: "img" }, this.#text, this.#bar);
    this.node.classList.toggle("is-away", this.#isAdaptive);
    this.node.classList.toggle("is-trailing", alignment === "trailing");
    listen("move", () => this.refresh());
    listen("zoom", () => this.#appear());
    this.refresh();
  }

  refresh() {
    const { clientWidth, clientHeight } = this.#map.getContainer();
    // Measured at the centre of the map: Mercator's scale grows with the latitude.
    const left = this.#map.unproject([clientWidth / 2 - 50, clientHeight / 2]);
    const right = this.#map.unproject([clientWidth / 2 + 50, clientHeight / 2]);
    const metresPerPixel = left.distanceTo(right) / 100;
    const { meters } = this.#steps.findLast((other) => other.meters <= metresPerPixel * LONGEST) ?? this.#steps[0];
    const width = Math.round(meters / metresPerPixel);
    if (!Number.isFinite(width)) return;
    this.#bar.style.width = `${width}px`;
    const length = step(meters, this.#unit);
    if (this.#text.textContent === length) return;
    this.#text.textContent = length;
    this.node.setAttribute("aria-label", text("Scale: {width} pixels are {length}", { width, length }));
  }

  #appear() {
    if (!this.#isAdaptive) return;
    this.node.classList.remove("is-away");
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.node.classList.add("is-away"), LINGER);
  }
}
