// Messages to the reader: a banner while the line is broken, a pill for the position's state, passing notices, and all of
// it to screen readers.

import { element, iconButton } from "./dom.js";

const LINE = {
  lost: ["Connection to the map lost. Reconnecting…", "The map stands still until then."],
  ended: ["This map has ended.", "Start its program again, and open the address that it prints."],
};

// Sentences for states where the program gives none.
const POSITION = {
  asking: "Waiting for permission to show your position…",
  waiting: "Looking for your position…",
  stale: "No new position for a while",
  denied: "This program may not know where you are.",
  restricted: "This machine’s policy does not let this program know where you are.",
  suspended: "Your position is not updated while this program is in the background.",
  unavailable: "No position: the receiver is silent.",
  failed: "Your position cannot be had.",
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

  /** Says a sentence to screen readers, unless it was the last. */
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

  /** Why there is no position, if there is none. */
  get reason() { return this.#reason; }

  position(user, isShown) {
    const said = user.message ?? (user.isReduced && user.position ? "Approximate position" : POSITION[user.status]);
    // The service's own sentences name a remedy.
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
