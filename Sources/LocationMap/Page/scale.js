// A bar of a round length: metres and kilometres, or feet and miles. The adaptive one shows while the zoom changes.

import { element } from "./dom.js";
import { unitOfReader } from "./units.js";

const LONGEST = 110;
const LINGER = 1500;
const FOOT = 0.3048;
const MILE = 1609.344;

export class Scale {
  #map;
  #unit;
  #isAdaptive;
  #bar = element("div", { class: "scale-bar" }, element("i"), element("i"));
  #text = element("span", { class: "scale-text" });
  #timer = null;
  #moved = () => this.refresh();
  #zoomed = () => this.#appear();

  constructor({ map }, { visibility, unit }) {
    this.#map = map;
    this.#unit = unit ?? unitOfReader;
    this.#isAdaptive = visibility !== "visible";
    this.node = element("div", { class: "control scale", role: "img" }, this.#text, this.#bar);
    this.node.classList.toggle("is-away", this.#isAdaptive);
    map.on("move", this.#moved);
    map.on("zoom", this.#zoomed);
    this.refresh();
  }

  refresh() {
    const { clientWidth, clientHeight } = this.#map.getContainer();
    // Along the middle of the map: Mercator's scale grows with the latitude.
    const left = this.#map.unproject([clientWidth / 2 - 50, clientHeight / 2]);
    const right = this.#map.unproject([clientWidth / 2 + 50, clientHeight / 2]);
    const { metres, text } = roundLength(left.distanceTo(right) / 100 * LONGEST, this.#unit);
    const width = Math.round(metres / (left.distanceTo(right) / 100));
    if (!Number.isFinite(width)) return;
    this.#bar.style.width = `${width}px`;
    if (this.#text.textContent === text) return;
    this.#text.textContent = text;
    this.node.setAttribute("aria-label", `Scale: ${width} pixels are ${text}`);
  }

  #appear() {
    if (!this.#isAdaptive) return;
    this.node.classList.remove("is-away");
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.node.classList.add("is-away"), LINGER);
  }

  remove() {
    clearTimeout(this.#timer);
    this.#map.off("move", this.#moved);
    this.#map.off("zoom", this.#zoomed);
    this.node.remove();
  }
}

/** The greatest of 1, 2, 5, 10… that is at most `metres` long. */
function roundLength(metres, unit) {
  const isImperial = unit === "imperial";
  const [length, name] = isImperial
    ? (metres >= MILE ? [MILE, "mi"] : [FOOT, "ft"])
    : (metres >= 1000 ? [1000, "km"] : [1, "m"]);
  const most = metres / length;
  const power = 10 ** Math.floor(Math.log10(most));
  const round = power * ([5, 2].find((factor) => factor * power <= most) ?? 1);
  return { metres: round * length, text: `${round.toLocaleString("en")} ${name}` };
}
