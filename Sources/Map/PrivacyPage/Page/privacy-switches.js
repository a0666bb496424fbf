// The switches of location services: the user's, and for an administrator the machine's.

import { element } from "./dom.js";
import { ask } from "./privacy-questions.js";
import { text } from "./texts.js";

export class Switches {
  #voice;
  #own;
  #machine;
  #machineNote = element("p", { class: "note", hidden: true });

  constructor(page, voice) {
    this.#voice = voice;
    this.#own = new Switch(text("Location services"), (isEnabled) => this.#set({ isEnabled }));
    this.#machine = new Switch(text("Location services of this machine"), (isEnabled) => this.#set({ isEnabled, isSystem: true }));
    page.append(element("section", { class: "card switches", aria: { label: text("Location services") } }, this.#own.node, this.#machine.node, this.#machineNote));
  }

  /** `user` is left out while it is the same. */
  update(services, user = this.user) {
    this.user = user;
    const isKnown = Boolean(services);
    this.#own.update(isKnown, services?.isEnabledForUser, services?.isEnabledForUser
      ? text("On: programs get your location as you decide below.")
      : text("Off: no program gets your location. Your decisions are kept."));
    this.#machine.node.hidden = !user?.isAdministrator;
    this.#machine.update(isKnown, services?.isEnabled, services?.isEnabled ? text("On, for each user who has not switched them off.") : text("Off, for all users."));
    this.#machineNote.hidden = !isKnown || services.isEnabled || user?.isAdministrator;
    this.#machineNote.replaceChildren(text("Location services are off for this machine. To switch them on, run:"), " ",
      element("code", { text: "sudo locationctl on --system" }));
  }

  async #set(setting) {
    const { error } = await ask("services", setting);
    if (error) this.#voice.show(error);
    else this.#voice.say(setting.isEnabled ? text("Location services are on.") : text("Location services are off."));
  }
}

class Switch {
  #button;
  #note = element("span", { class: "quiet" });

  constructor(label, set) {
    this.#button = element("button", { type: "button", role: "switch", class: "switch", aria: { checked: "false" }, on: {
      click: () => set(this.#button.getAttribute("aria-checked") !== "true"),
    } }, element("span", { class: "words" }, element("strong", { text: label }), this.#note), element("span", { class: "track" }));
    this.node = element("div", {}, this.#button);
  }

  update(isKnown, isOn, note) {
    this.#button.disabled = !isKnown;
    this.#button.setAttribute("aria-checked", String(Boolean(isOn)));
    this.#note.textContent = isKnown ? note : "";
  }
}
