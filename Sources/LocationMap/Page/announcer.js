// Messages to the user: a banner while the connection is lost, a pill with the state of the location, and temporary
// notices; all of them for screen readers as well.

import { element, iconButton } from "./dom.js";

const LINE = {
  lost: ["Connection to the map lost. Reconnecting…", "The map stands still until then."],
  ended: ["This map has ended.", "Start its program again, and open the address that it prints."],
};

// Sentences for states about which the program sends none.
const POSITION = {
  asking: "Waiting for your permission to show your location…",
  waiting: "Looking for your location…",
  stale: "No new location for a while",
  denied: "This program is not allowed to use your location.",
  restricted: "A policy of this machine does not allow this program to use your location.",
  suspended: "Your location is not updated while this program is in the background.",
  unavailable: "No location: the receiver is silent.",
  failed: "Your location is not available.",
};

// Remedies.
const REMEDY = {
  denied: " “locationctl allow” changes that.",
  unavailable: " “locationctl doctor” looks for the cause.",
  failed: " “locationctl doctor” looks for the cause.",
};

export class Announcer {
  #live = element("div", { class: "unseen", role: "status", aria: { live: "polite" } });
  #banner = element("div", { class: "banner", role: "alert", hidden: true });
  #pill = element("div", { class: "pill", hidden: true });
  #notices = element("div", { class: "notices" });
  #said = "";
  #reason = null;

  constructor(stage) {
    stage.append(this.#live, element("div", { class: "announcements" }, this.#banner, this.#pill, this.#notices));
  }

  /** Reads a sentence to screen readers, unless it was the last one. */
  say(text) {
    if (!text || text === this.#said) return;
    this.#said = text;
    this.#live.textContent = text;
  }

  line(state) {
    const texts = LINE[state];
    this.#banner.hidden = !texts;
    this.#banner.replaceChildren(...(texts ? [element("strong", { text: texts[0] }), element("span", { text: texts[1] })] : []));
    document.body.classList.toggle("is-lost", Boolean(texts));
  }

  /** The reason for a missing location; `null` if there is none. */
  get reason() { return this.#reason; }

  position(user, isShown) {
    const said = user.message ?? (user.isReduced && user.position ? "Approximate location" : POSITION[user.status]);
    // The service's sentences name a remedy.
    const remedy = user.message?.includes("locationctl") ? "" : REMEDY[user.status] ?? "";
    const text = isShown && said ? said + remedy : null;
    this.#reason = isShown && !["located", "stale"].includes(user.status) ? text : null;
    this.#pill.hidden = !text;
    if (!text || text === this.#pill.textContent) return;
    this.#pill.textContent = text;
    this.#pill.dataset.status = user.isReduced && user.status === "located" ? "approximate" : user.status;
    this.say(text);
  }

  notice({ kind, text, seconds }) {
    const shown = element("div", { class: "notice", data: { kind } }, element("span", { text }),
      iconButton("close", "Dismiss", () => shown.remove()));
    this.#notices.append(shown);
    while (this.#notices.childElementCount > 3) this.#notices.firstElementChild.remove();
    this.say(text);
    if (kind !== "error" || seconds) setTimeout(() => shown.remove(), (seconds ?? 5) * 1000);
  }
}
