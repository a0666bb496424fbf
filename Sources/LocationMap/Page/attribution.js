// Names whose data the map shows, always within reach; and says where there is no more to see. The texts come with the tiles:
// they are text.

import { hasStreets } from "./basemap.js";
import { element } from "./dom.js";

const PLAIN = new DOMParser();

// So many levels beyond its last tiles, a source shows nothing that helps to find one's way.
const BLUR = 5;
const KINDS = { standard: ["vector"], satellite: ["raster"], hybrid: ["raster", "vector"] };
// Tiles of streets that name nobody are made of this all the same.
const OPENSTREETMAP = "© OpenStreetMap contributors";
// Pixels about the middle of the map in which anything of a region counts as its being there.
const REACH = 120;

export class Attribution {
  #map;
  #node = element("div", { class: "attribution" });
  #coverage = element("div", { class: "coverage", hidden: true });
  #used = [];
  #isSatellite = false;

  constructor(map, stage) {
    this.#map = map;
    stage.append(this.#coverage, this.#node);
    map.on("idle", () => this.#showCoverage());
  }

  update(sources, type) {
    this.#used = sources.filter((source) => KINDS[type].includes(source.kind));
    this.#isSatellite = type === "satellite";
    // MBTiles usually hold a line of HTML: only its words are shown.
    const credit = (source) => words(source.attribution ?? "") || (hasStreets(source) ? OPENSTREETMAP : "");
    // That of streets comes first: it is the one that a narrow page has to show.
    const ordered = [...this.#used].sort((a, b) => Number(hasStreets(b)) - Number(hasStreets(a)));
    const names = [...new Set(ordered.flatMap((source) => credit(source).split(/\s*[·|]\s*/)).filter(Boolean))];
    this.#node.replaceChildren(
      element("span", { text: names.join(" · ") }),
      element("a", { href: "page/credits.html", target: "_blank", rel: "noopener", text: "Credits" }));
    this.#showCoverage();
  }

  #showCoverage() {
    const zoom = this.#map.getZoom();
    const deepest = Math.max(...this.#used.filter((source) => !hasStreets(source)).map(({ maximumZoom }) => maximumZoom));
    const isHere = zoom < deepest + BLUR || (!this.#isSatellite && this.#used.some((source) => hasStreets(source) && this.#isCovered(source)));
    if (this.#coverage.hidden === isHere) return;
    this.#coverage.hidden = isHere;
    if (isHere) return;
    this.#coverage.replaceChildren(...(this.#isSatellite ? ["No sharper picture here"]
      : ["World map only: no streets here. To add a region: ", element("code", { text: "locationctl map add FILE.osm.pbf" })]));
  }

  /** Whether a source has something about the middle of the map. */
  #isCovered({ name, bounds }) {
    const { lng, lat } = this.#map.getCenter().wrap();
    const [west, south, east, north] = bounds ?? [-180, -90, 180, 90];
    if (lng < west || lng > east || lat < south || lat > north) return false;
    const { x, y } = this.#map.project(this.#map.getCenter());
    return this.#map.queryRenderedFeatures([[x - REACH, y - REACH], [x + REACH, y + REACH]]).some(({ source }) => source === name);
  }
}

const words = (markup) => PLAIN.parseFromString(markup, "text/html").body.textContent.trim();
