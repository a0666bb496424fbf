// The placement of controls: in the corners of the map and in a bar below it. Each control has a file of its own.

import { element } from "./dom.js";
import { text } from "./texts.js";
import { Compass } from "./compass.js";
import { Scale } from "./scale.js";
import { SearchField } from "./search.js";
import { TrackingButton } from "./tracking-button.js";
import { dress } from "./layer.js";
import { FullScreen, MapTypes, Pitch, Zoom } from "./buttons.js";

const KINDS = { compass: Compass, scale: Scale, tracking: TrackingButton, zoom: Zoom, mapType: MapTypes, fullScreen: FullScreen, pitch: Pitch, search: SearchField };
const CORNERS = ["topLeading", "top", "topTrailing", "bottomLeading", "bottom", "bottomTrailing"];

export class Controls {
  #context;
  #stage;
  #shown = [];
  #places = {};
  #look = null;

  /** `context` has the objects that controls use: `map`, `camera`, `connection`, `tracking`, `announcer`, `places`, `stage`. */
  constructor(context, stage) {
    this.#context = context;
    this.#stage = stage;
    // The order of focus is that of reading: what is above the map, the map, what is below it, and the credits last.
    const surface = stage.querySelector("#surface");
    for (const place of CORNERS) {
      this.#places[place] = element("div", { class: `corner ${place}` });
      if (place === "topLeading" || place === "top") surface.before(this.#places[place]);
      else stage.querySelector(".announcements").before(this.#places[place]);
    }
    this.#places.bar = element("div", { class: "bar", role: "toolbar", aria: { label: text("Map controls") }, hidden: true });
    stage.after(this.#places.bar);
  }

  update(controls) {
    // A control that stays keeps the text typed in it.
    const look = JSON.stringify(controls);
    if (look === this.#look) return;
    this.#look = look;
    for (const control of this.#shown) control.remove();
    this.#shown = [];
    const placed = [...controls].sort((a, b) => a.order - b.order);
    for (const description of placed) {
      const Kind = KINDS[description.kind];
      const place = this.#places[description.placement];
      if (!Kind || !place) continue;
      const control = new Kind(this.#context, description);
      if (description.layer) dress(control.surface ?? control.node, description.layer);
      this.#shown.push(control);
      place.append(control.node);
    }
    const isBarShown = this.#places.bar.childElementCount > 0;
    if (this.#places.bar.hidden === isBarShown) {
      this.#places.bar.hidden = !isBarShown;
      this.#context.map.resize();
    }
  }

  /** The control of a kind; `undefined` if it is not shown. */
  find(Kind) { return this.#shown.find((control) => control instanceof Kind); }

  /** Passes on changes of the map or of the tracking. */
  refresh() {
    for (const control of this.#shown) control.refresh?.();
  }
}
