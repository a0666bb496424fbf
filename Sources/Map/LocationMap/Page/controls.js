// The placement of controls: in the corners of the map and in a bar below it. Each control has a file of its own. It is created with
// these objects, its description, and a function that listens to the map until the control is removed.

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
    for (const { control, listeners } of this.#shown) {
      for (const listener of listeners) listener.unsubscribe();
      control.remove?.();
      control.node.remove();
    }
    this.#shown = [];
    const placed = [...controls].sort((a, b) => a.order - b.order);
    for (const description of placed) {
      const Kind = KINDS[description.kind];
      const place = this.#places[description.placement];
      if (!Kind || !place) continue;
      const listeners = [];
      const control = new Kind(this.#context, description, (event, listener) => listeners.push(this.#context.map.on(event, listener)));
      if (description.layer) dress(control.surface ?? control.node, description.layer);
      this.#shown.push({ control, listeners });
      place.append(control.node);
    }
    const isBarShown = this.#places.bar.childElementCount > 0;
    if (this.#places.bar.hidden === isBarShown) {
      this.#places.bar.hidden = !isBarShown;
      this.#context.map.resize();
    }
  }

  /** The control of a kind; `undefined` if it is not shown. */
  find(Kind) { return this.#shown.find(({ control }) => control instanceof Kind)?.control; }

  /** Passes on changes of the map or of the tracking. */
  refresh() {
    for (const { control } of this.#shown) control.refresh?.();
  }
}
