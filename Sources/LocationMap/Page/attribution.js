// Names whose data the map shows, always within reach. The texts come with the tiles: they are text.

import { element } from "./dom.js";

const PLAIN = new DOMParser();

export class Attribution {
  #node = element("div", { class: "attribution" });

  constructor(stage) {
    stage.append(this.#node);
  }

  update(sources, type) {
    const used = sources.filter((source) => (type === "standard" ? source.kind === "vector" : true) && source.attribution);
    // MBTiles usually hold a line of HTML: only its words are shown.
    const names = [...new Set(used.flatMap(({ attribution }) => words(attribution).split(/\s*[·|]\s*/)))];
    this.#node.replaceChildren(
      element("span", { text: names.join(" · ") }),
      element("a", { href: "page/credits.html", target: "_blank", rel: "noopener", text: "Credits" }));
  }
}

const words = (markup) => PLAIN.parseFromString(markup, "text/html").body.textContent.trim();
