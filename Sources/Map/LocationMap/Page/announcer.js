// Messages to the user: a banner while the connection is lost, a pill with the state of the location, and temporary
// notices; all of them for screen readers as well.

import { causeOf } from "./causes.js";
import { element, iconButton, prefersReducedMotion } from "./dom.js";
import { spoken, told, words } from "./messages.js";
import { text } from "./texts.js";

const LINE = {
  silent: [text("The map’s program does not respond."), text("The map stands still until it does.")],
  lost: [text("Connection to the map lost. Reconnecting…"), text("The map stands still until then. If its program has ended, start it again and open the address that it prints.")],
  ended: [text("This map has ended."), text("Start its program again, and open the address that it prints.")],
};

// Sentences for states about which the program sends none.
const POSITION = {
  asking: text("Waiting for your permission to show your location…"),
  waiting: text("Looking for your location…"),
  stale: text("No new location for a while"),
  denied: text("This program is not allowed to use your location."),
  restricted: text("A policy of this machine does not allow this program to use your location."),
  suspended: text("Your location is not updated while this program is in the background."),
  unavailable: text("There is no location for this program now."),
  failed: text("Your location is not available."),
};

// Remedies, for sentences of the program without one.
const REMEDY = {
  denied: { lead: text("To see which programs you allow, run:"), command: "locationctl clients" },
  suspended: { lead: text("To find out why, run:"), command: "locationctl doctor" },
  unavailable: { lead: text("To find out why, run:"), command: "locationctl doctor" },
  failed: { lead: text("To find out why, run:"), command: "locationctl doctor" },
};

export class Announcer {
  #live = element("div", { class: "unseen", role: "status", aria: { live: "polite" } });
  #banner = element("div", { class: "banner", role: "alert", hidden: true });
  #pill = element("div", { class: "pill", hidden: true });
  #notices = element("div", { class: "notices" });
  #offers = element("div", { class: "notices" });
  #said = "";
  #reason = null;
  #shown = null;

  constructor(stage) {
    stage.append(this.#live, element("div", { class: "announcements" }, this.#banner, this.#pill, this.#offers, this.#notices));
  }

  /** Reads a sentence to screen readers, unless it was the last one. */
  say(sentence) {
    if (!sentence || sentence === this.#said) return;
    this.#said = sentence;
    this.#live.textContent = sentence;
  }

  line(state) {
    const texts = LINE[state];
    this.#banner.hidden = !texts;
    this.#banner.replaceChildren(...(texts ? [element("strong", { text: texts[0] }), element("span", { text: texts[1] })] : []));
    document.body.classList.toggle("is-lost", state !== "open");
  }

  /** The reason for a missing location; `null` if there is none. */
  get reason() { return this.#reason; }

  /** Draws attention to the reason, which is shown already. */
  repeatReason() {
    this.#said = "";
    this.say(this.#reason);
    this.#pill.getAnimations().forEach((animation) => animation.cancel());
    this.#pill.animate([{ scale: 1 }, { scale: 1.06 }, { scale: 1 }], { duration: prefersReducedMotion() ? 0 : 300 });
  }

  position(user, isShown) {
    const state = user.isReduced && user.position ? text("Approximate location") : POSITION[user.status];
    const said = causeOf(user) ?? (state ? { text: state } : null);
    const message = isShown && said ? { ...REMEDY[user.status], ...said } : null;
    const sentence = message && spoken(message);
    this.#reason = isShown && !["located", "stale"].includes(user.status) ? sentence : null;
    this.#pill.hidden = !message;
    this.#pill.dataset.status = user.isReduced && user.status === "located" ? "approximate" : user.status;
    if (sentence === this.#shown) return;
    this.#shown = sentence;
    this.#pill.replaceChildren(...(message ? words(message, (command) => this.copy(command, text("Command copied"))) : []));
    this.say(sentence);
  }

  /** Shows a sentence of the page or of the program for some seconds; an error until it is dismissed. */
  notice({ kind, seconds, ...sentence }) {
    const message = told(sentence);
    const said = spoken(message);
    for (const other of this.#notices.children) if (other.dataset.text === said) other.remove();
    const shown = element("div", { class: "notice", data: { kind, text: said } }, element("div", {}, ...words(message, (command) => this.copy(command, text("Command copied")))),
      iconButton("close", text("Dismiss"), () => shown.remove()));
    this.#notices.append(shown);
    while (this.#notices.childElementCount > 3) this.#notices.firstElementChild.remove();
    this.say(said);
    // There is time to read and copy a command.
    const isLasting = kind === "error" || message.command;
    if (!isLasting || seconds) setTimeout(() => shown.remove(), (seconds ?? 5) * 1000);
  }

  /** Shows a sentence with buttons, which are pairs of a name and an action. Returns a function that removes it. */
  offer(sentence, buttons) {
    const shown = element("div", { class: "notice offer", role: "group", aria: { label: sentence } }, element("span", { text: sentence, dir: "auto" }),
      ...buttons.map(([name, onClick]) => element("button", { type: "button", text: name, on: { click: onClick } })));
    this.#offers.replaceChildren(shown);
    this.say(sentence);
    return () => shown.remove();
  }

  /** Copies a text; `said` confirms it. */
  async copy(words, said) {
    try {
      await navigator.clipboard.writeText(words);
      this.notice({ kind: "info", text: said, seconds: 3 });
    } catch {
      // Copying is not allowed here: the text is shown to be copied by hand.
      this.notice({ kind: "info", text: words, seconds: 20 });
    }
  }
}
