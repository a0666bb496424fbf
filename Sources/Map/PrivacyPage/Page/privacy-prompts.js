// The prompts that wait for the user's answer, in the words of the phone. Their texts are those of programs, and are shown as text.

import { element } from "./dom.js";
import { ask } from "./privacy-questions.js";
import { listed, text, translated } from "./texts.js";

// A click meant for something else must not answer a prompt that appears under the pointer.
const SETTLE = 600;

export class Prompts {
  #voice;
  #cards = new Map();
  #list = element("ul", {});
  #section;

  constructor(page, voice) {
    this.#voice = voice;
    this.#section = element("section", { class: "card prompts", hidden: true, aria: { labelledby: "prompts" } },
      element("h2", { id: "prompts", text: text("Waiting for your answer") }), this.#list);
    page.append(this.#section);
  }

  update(prompts) {
    const open = new Set(prompts.map(({ id }) => id));
    for (const [id, card] of this.#cards) {
      if (open.has(id)) continue;
      card.remove();
      this.#cards.delete(id);
    }
    for (const prompt of prompts) {
      if (this.#cards.has(prompt.id)) continue;
      const card = this.#card(prompt);
      this.#cards.set(prompt.id, card);
      this.#list.append(card);
    }
    this.#section.hidden = !prompts.length;
  }

  #card(prompt) {
    const question = translated(prompt.title, { name: `“${prompt.name}”` });
    const error = element("p", { class: "note", dir: "auto", hidden: true });
    const buttons = prompt.choices.map(({ choice, title }) => element("button", { type: "button", disabled: true, text: translated(title), on: { click: () => this.#answer(prompt, choice, buttons, error) } }));
    setTimeout(() => { for (const button of buttons) button.disabled = false; }, SETTLE);
    this.#voice.say(question);
    return element("li", { role: "group", aria: { labelledby: `prompt-${prompt.id}` } },
      element("strong", { id: `prompt-${prompt.id}`, text: question, dir: "auto" }),
      element("p", { text: prompt.reason, dir: "auto" }),
      prompt.recipients?.length ? element("p", { text: text("It passes your location on to {names}.", { names: listed(prompt.recipients) }), dir: "auto" }) : null,
      element("p", { class: "quiet", text: listed([text("{client}: process {process}", { client: prompt.client, process: String(prompt.process) }), ...prompt.programs]) }),
      element("div", { class: "answers" }, ...buttons), error);
  }

  async #answer({ id }, choice, buttons, shown) {
    for (const button of buttons) button.disabled = true;
    const { error } = await ask("answers", { id, choice });
    // An answered prompt goes away when the service closes it, here as everywhere.
    if (!error) return;
    shown.hidden = false;
    shown.textContent = error;
    this.#voice.say(error);
    for (const button of buttons) button.disabled = false;
  }
}
