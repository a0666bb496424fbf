// The map on paper: a whole sheet of it, with its scale, north and credits.

import { drawing, element } from "./dom.js";
import { Scale } from "./scale.js";
import { text } from "./texts.js";
import { isLetterCountry } from "./units.js";

// The sizes of sheets in millimetres, upright, as in page.css.
const SHEETS = { a4: [210, 297], letter: [215.9, 279.4] };
const MARGIN = 10;
const PIXELS = 96 / 25.4;
// The pixels of the drawing for one of the layout: paper is finer than a screen.
const DENSITY = 2;

export class Print {
  #context;
  #surface;
  #picture = element("canvas", { class: "paper" });
  #furniture = null;
  #before = null;

  constructor(context) {
    this.#context = context;
    this.#surface = context.stage.querySelector("#surface");
    addEventListener("beforeprint", () => this.#lay());
    addEventListener("afterprint", () => this.#restore());
  }

  /** True while the map has the size of a sheet. */
  get isActive() { return this.#before !== null; }

  /** Gives the map the size of a sheet at once, and copies it: the drawing of a WebGL canvas is not printed. */
  #lay() {
    if (this.isActive) return;
    const { map, page } = this.#context;
    const { clientWidth, clientHeight } = map.getContainer();
    const paper = isLetterCountry ? "letter" : "a4";
    const isWide = clientWidth > clientHeight;
    const upright = SHEETS[paper].map((side) => Math.floor((side - 2 * MARGIN) * PIXELS));
    const [width, height] = isWide ? upright.toReversed() : upright;
    this.#before = { center: map.getCenter(), zoom: map.getZoom(), bearing: map.getBearing(), pitch: map.getPitch(), density: map.getPixelRatio() };
    document.body.dataset.paper = `${paper}-${isWide ? "wide" : "upright"}`;
    this.#size(width, height);
    map.setPixelRatio(DENSITY);
    const zoom = this.#before.zoom + Math.log2(Math.min(width / clientWidth, height / clientHeight));
    map.jumpTo({ ...this.#view, zoom }, { cause: "print" });
    map.redraw();
    const drawn = map.getCanvas();
    [this.#picture.width, this.#picture.height] = [drawn.width, drawn.height];
    const context = this.#picture.getContext("2d");
    // Other colours of the map itself would come too late: the browser does not wait.
    if (page.isDark && page.drawnType === "standard") context.filter = "invert(1) hue-rotate(180deg)";
    context.drawImage(drawn, 0, 0);
    drawn.after(this.#picture);
    this.#furnish();
  }

  get #view() {
    const { center, zoom, bearing, pitch } = this.#before;
    return { center, zoom, bearing, pitch };
  }

  #size(width, height) {
    for (const node of [this.#surface, this.#context.stage]) {
      node.style.width = width && `${width}px`;
      node.style.height = height && `${height}px`;
    }
  }

  #furnish() {
    const { map, stage, page } = this.#context;
    // Nothing moves on paper, so the scale has nothing to listen to.
    const scale = new Scale(this.#context, { visibility: "visible", unit: page.unit }, () => {});
    const north = drawing("svg", { viewBox: "-16 -20 32 40", width: 40, height: 50, class: "north-arrow" },
      drawing("path", { d: "M0 -18 8 6 0 1-8 6z" }), drawing("text", { x: 0, y: 19, "text-anchor": "middle" }, text("N")));
    north.style.transform = `rotate(${-map.getBearing()}deg)`;
    this.#furniture = element("div", { class: "on-paper" }, scale.node, north);
    stage.append(this.#furniture);
  }

  #restore() {
    if (!this.isActive) return;
    const { map } = this.#context;
    this.#furniture.remove();
    this.#picture.remove();
    this.#size("", "");
    delete document.body.dataset.paper;
    // Until the next frame the layout is that of the paper.
    requestAnimationFrame(() => {
      map.setPixelRatio(this.#before.density);
      map.jumpTo(this.#view, { cause: "print" });
      this.#before = null;
    });
  }
}
