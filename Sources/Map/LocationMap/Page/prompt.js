// The location prompt, in the words of the phone. Its texts come from the program's declaration, and are shown as text.

import { element } from "./dom.js";
import { listed, text, translated } from "./texts.js";

// A click meant for the map must not answer a prompt that appears under the pointer.
const SETTLE = 600;

export class PromptDialog {
  #connection;
  #dialog = null;
  #id = null;

  constructor(connection) {
    this.#connection = connection;
  }

  show(prompt) {
    if (prompt && prompt.id === this.#id) return;
    this.#dialog?.close();
    this.#dialog?.remove();
    this.#dialog = null;
    this.#id = prompt?.id ?? null;
    if (!prompt) return;

    const buttons = prompt.choices.map(({ choice, title }) =>
      element("button", { type: "button", text: translated(title), disabled: true, data: { choice }, on: { click: () => this.#answer(prompt.id, choice) } }));
    const title = element("h2", { id: "prompt-title", text: translated(prompt.title, { name: `“${prompt.name}”` }), tabindex: "-1", autofocus: true, dir: "auto" });
    const dialog = element("dialog", { class: "prompt", aria: { labelledby: "prompt-title", describedby: "prompt-reason" } },
      title,
      element("p", { id: "prompt-reason", text: prompt.reason ?? "", dir: "auto" }),
      prompt.recipients?.length ? element("p", { text: text("It passes your location on to {names}.", { names: listed(prompt.recipients) }), dir: "auto" }) : null,
      element("p", { class: "program", text: program(prompt) }),
      element("div", { class: "answers" }, ...buttons));
    // Escape is not an answer: the prompt stays until it is answered, here or elsewhere.
    dialog.addEventListener("cancel", (event) => event.preventDefault());
    dialog.addEventListener("keydown", (event) => { if (event.key === "Escape") event.preventDefault(); event.stopPropagation(); });
    document.body.append(dialog);
    dialog.showModal();
    title.focus();
    setTimeout(() => { for (const button of buttons) button.disabled = false; }, SETTLE);
    this.#dialog = dialog;
  }

  #answer(id, choice) {
    this.#connection.send({ type: "answer", prompt: id, choice });
    for (const button of this.#dialog?.querySelectorAll("button") ?? []) button.disabled = true;
  }
}

/** The client, process and files of the program. */
const program = ({ client, process, programs }) => listed([text("{client}: process {process}", { client, process: String(process) }), ...programs]);
