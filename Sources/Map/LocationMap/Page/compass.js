// A compass on a rotated map; a click rotates the map north up.

import { drawing, element } from "./dom.js";
import { text } from "./texts.js";

const WINDS = [text("north"), text("north-east"), text("east"), text("south-east"), text("south"), text("south-west"), text("west"), text("north-west")];

export class Compass {
  #map;
  #dial;
  #isAdaptive;

  constructor({ map, camera }, { visibility }, listen) {
    this.#map = map;
    this.#isAdaptive = visibility !== "visible";
    this.#dial = drawing("svg", { viewBox: "-22 -22 44 44", class: "dial", "aria-hidden": "true" },
      ...ticks(),
      drawing("path", { d: "M0 -13 4 0H-4z", class: "north" }),
      drawing("path", { d: "M0 13 4 0H-4z", class: "south" }));
    this.node = element("button", { type: "button", class: "control round compass", on: { click: () => camera.move({ bearing: 0 }, "rotate") } }, this.#dial);
    listen("rotate", () => this.refresh());
    this.refresh();
  }

  refresh() {
    const bearing = this.#map.getBearing();
    const isTurned = Math.abs(bearing) >= 0.5;
    this.#dial.style.transform = `rotate(${-bearing}deg)`;
    this.node.classList.toggle("is-away", this.#isAdaptive && !isTurned);
    this.node.inert = this.#isAdaptive && !isTurned;
    const wind = WINDS[Math.round(((bearing + 360) % 360) / 45) % 8];
    const label = isTurned ? text("Turn north up. The map faces {wind}.", { wind }) : text("North is up");
    if (this.node.getAttribute("aria-label") === label) return;
    this.node.setAttribute("aria-label", label);
    this.node.title = isTurned ? text("Turn north up") : text("North is up");
  }
}

function ticks() {
  return Array.from({ length: 24 }, (_, index) => drawing("path", {
    d: index % 6 === 0 ? "M0 -20V-16.5" : "M0 -20V-18.2", transform: `rotate(${index * 15})`, class: index === 0 ? "tick main" : "tick",
  }));
}
