// The attribution of the data, always visible, and a hint where the data end. The texts come with the tiles, and are
// shown as text.

import { hasStreets, isBeyondPictures } from "./basemap.js";
import { element } from "./dom.js";
import { text } from "./texts.js";

const PLAIN = new DOMParser();

// The number of zoom levels beyond its last tiles at which the world map shows too little for orientation.
const BLUR = 5;

const KINDS = { standard: ["vector"], satellite: ["raster"], hybrid: ["raster", "vector"] };
// The origin of tiles of streets without an attribution.
const OPENSTREETMAP = text("© OpenStreetMap contributors");

export class Attribution {
  #map;
  #node = element("div", { class: "attribution" });
  #coverage = element("div", { class: "coverage", hidden: true });
  #used = [];
  #sources = [];
  #type = "standard";

  #regions;

  constructor(map, stage, regions) {
    this.#regions = regions;
    this.#map = map;
    stage.append(this.#coverage, this.#node);
    // Before that, tiles may still come.
    map.on("idle", () => this.#showCoverage());
  }

  update(sources, type) {
    this.#used = sources.filter((source) => KINDS[type].includes(source.kind));
    [this.#sources, this.#type] = [sources, type];
    // MBTiles usually contain a line of HTML, of which the text is shown.
    const credit = (source) => words(source.attribution ?? "") || (hasStreets(source) ? OPENSTREETMAP : "");
    // Streets come first, because a narrow page shows only the first attribution.
    const ordered = [...this.#used].sort((a, b) => Number(hasStreets(b)) - Number(hasStreets(a)));
    const names = [...new Set(ordered.flatMap((source) => credit(source).split(/\s*[·|]\s*/)).filter(Boolean))];
    this.#node.replaceChildren(
      element("span", {}, ...names.flatMap((name, index) => [index ? " · " : null, element("bdi", { text: name })])),
      element("a", { href: "page/credits.html", target: "_blank", rel: "noopener", text: text("Credits") }));
  }

  #showCoverage() {
    const zoom = this.#map.getZoom();
    const isWithoutPictures = this.#type !== "standard" && isBeyondPictures(this.#sources, this.#map.getCenter().wrap(), zoom);
    const deepest = Math.max(...this.#used.filter((source) => source.kind === "vector" && !hasStreets(source)).map(({ maximumZoom }) => maximumZoom));
    const isWithoutStreets = zoom >= deepest + BLUR && !this.#sources.some((source) => hasStreets(source) && this.#isVisible(source));
    const words = isWithoutPictures ? [text("No pictures this close, so the map has its own colours")]
      : isWithoutStreets ? [`${text("World map only: no streets here.")} `, this.#remedy] : [];
    this.#coverage.hidden = !words.length;
    const sentence = words.map((word) => word.textContent ?? word).join("");
    if (this.#coverage.textContent !== sentence) this.#coverage.replaceChildren(...words);
  }

  get #remedy() {
    return this.#regions.isAvailable
      ? element("button", { type: "button", text: text("Add a region"), on: { click: () => this.#regions.open() } })
      : element("span", {}, `${text("To add a region:")} `, element("code", { text: "locationctl map add FILE.osm.pbf" }));
  }

  /** True if a source has features in view. */
  #isVisible({ name }) {
    const layers = this.#map.getStyle().layers.filter(({ source }) => source === name).map(({ id }) => id);
    return this.#map.queryRenderedFeatures({ layers }).length > 0;
  }
}

const words = (markup) => PLAIN.parseFromString(markup, "text/html").body.textContent.trim();
