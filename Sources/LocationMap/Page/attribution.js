// Names whose data the map shows, always within reach. The texts come with the tiles: they are text.

import { element } from "./dom.js";

const PLAIN = new DOMParser();

// So many levels beyond its last tiles, a source shows nothing that helps to find one's way.
const BLUR = 5;
const KINDS = { standard: ["vector"], satellite: ["raster"], hybrid: ["raster", "vector"] };

export class Attribution {
  #map;
  #node = element("div", { class: "attribution" });
  #coverage = element("div", { class: "coverage", hidden: true });
  #deepest = 0;

  constructor(map, stage) {
    this.#map = map;
    stage.append(this.#coverage, this.#node);
    map.on("zoomend", () => this.#showCoverage());
  }

  update(sources, type) {
    const used = sources.filter((source) => KINDS[type].includes(source.kind) && source.attribution);
    this.#deepest = Math.max(...used.map(({ maximumZoom }) => maximumZoom));
    this.#coverage.textContent = type === "satellite" ? "No sharper picture here" : "World map only: no streets here";
    this.#showCoverage();
    // MBTiles usually hold a line of HTML: only its words are shown.
    const names = [...new Set(used.flatMap(({ attribution }) => words(attribution).split(/\s*[·|]\s*/)))];
    this.#node.replaceChildren(
      element("span", { text: names.join(" · ") }),
      element("a", { href: "page/credits.html", target: "_blank", rel: "noopener", text: "Credits" }));
  }

  #showCoverage() {
    this.#coverage.hidden = this.#map.getZoom() < this.#deepest + BLUR;
  }
}

const words = (markup) => PLAIN.parseFromString(markup, "text/html").body.textContent.trim();
