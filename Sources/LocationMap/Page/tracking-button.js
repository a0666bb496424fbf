// The tracking button: outlined if the map does not follow the user, filled if it does, with a needle if it rotates as
// well.

import { element, icon } from "./dom.js";

const LOOKS = {
  none: ["locateOff", "Show my location"],
  follow: ["locate", "Following my location"],
  followWithHeading: ["heading", "Following my location and heading"],
  followWithCourse: ["heading", "Following my location and course"],
};

export class TrackingButton {
  #tracking;
  #look = null;

  constructor({ connection, tracking, announcer }) {
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
    // Before the first heading the map follows as without one.
    const isWaiting = mode === "followWithHeading" && !isHeadingAvailable;
    const [name, label] = LOOKS[isWaiting ? "follow" : mode] ?? LOOKS.none;
    const isOff = isLocationAvailable === false;
    const reason = isOff ? this.#tracking.reason : null;
    const look = JSON.stringify([name, isOff, reason]);
    if (look === this.#look) return;
    this.#look = look;
    this.node.replaceChildren(icon(name));
    this.node.classList.toggle("is-on", mode !== "none");
    this.node.classList.toggle("is-off", isOff);
    this.node.dataset.mode = mode;
    this.node.setAttribute("aria-pressed", mode === "none" ? "false" : "true");
    this.node.setAttribute("aria-label", reason ? `${label}. ${reason}` : label);
    this.node.title = reason ?? label;
  }

  remove() { this.node.remove(); }
}
