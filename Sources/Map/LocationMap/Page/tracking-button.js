// The tracking button: outlined if the map does not follow the user, filled if it does, with a needle if it rotates as
// well.

import { element, icon } from "./dom.js";
import { text } from "./texts.js";

const LOOKS = {
  none: ["locateOff", text("Show my location")],
  lost: ["locateOff", text("Not following: the map’s program does not respond")],
  follow: ["locate", text("Following my location")],
  followWithHeading: ["heading", text("Following my location and heading")],
  withoutHeading: ["heading", text("Following my location and course, without a heading")],
  followWithCourse: ["heading", text("Following my location and course")],
};

export class TrackingButton {
  #connection;
  #tracking;
  #look = null;

  constructor({ connection, tracking, announcer }) {
    this.#connection = connection;
    this.#tracking = tracking;
    this.node = element("button", { type: "button", class: "control round tracking", on: { click: () => {
      // Without a location the reason is shown already; the program may still prompt for authorization.
      if (!tracking.state.isLocationAvailable && tracking.reason) announcer.repeatReason();
      connection.send({ type: "button", control: "tracking" });
    } } });
    this.refresh();
  }

  refresh() {
    const { mode, isLocationAvailable, isHeadingAvailable } = this.#tracking.state;
    const isLost = !this.#connection.isLive;
    const isWithoutHeading = mode === "followWithHeading" && !isHeadingAvailable;
    const [name, label] = LOOKS[isLost ? "lost" : isWithoutHeading ? "withoutHeading" : mode] ?? LOOKS.none;
    const isOff = isLost || isLocationAvailable === false;
    const reason = isOff && !isLost ? this.#tracking.reason : null;
    const look = JSON.stringify([label, isOff, reason]);
    if (look === this.#look) return;
    this.#look = look;
    this.node.replaceChildren(icon(name));
    this.node.classList.toggle("is-on", mode !== "none" && !isLost);
    this.node.classList.toggle("is-off", isOff);
    this.node.dataset.mode = mode;
    this.node.setAttribute("aria-pressed", mode === "none" || isLost ? "false" : "true");
    this.node.setAttribute("aria-label", reason ? `${label}. ${reason}` : label);
    this.node.title = reason ?? label;
  }
}
