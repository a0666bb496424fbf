// Messages as elements: one sentence, and one action, with its command as code to copy.

import { element, iconButton } from "./dom.js";
import { text, translated } from "./texts.js";

const SENTENCE = /^.*?[.!?…](?=\s|$)/s;
const REMEDY = /\s*([^.!?]*\brun): (\S.*?)\s*$/s;

/** The parts of an error or a diagnostic in the form "What is wrong. More of it. To fix it, run: COMMAND". */
export function parts(message) {
  const remedy = REMEDY.exec(message);
  if (!remedy) return { text: message };
  const before = message.slice(0, remedy.index);
  return { text: SENTENCE.exec(before)?.[0] ?? before, lead: `${remedy[1]}:`, command: remedy[2] };
}

/** The parts of a sentence of the program, in the page's language if the catalogue has it. */
export function told({ subject, text: sentence, values, lead, command }) {
  const words = translated(sentence, values);
  const message = command ? { text: words, lead: translated(lead), command } : parts(words);
  return subject ? { ...message, text: `${subject}: ${message.text}` } : message;
}

/** The elements of a message; `copy` copies a text. */
export function words({ text: words, lead, command }, copy) {
  const sentence = element("span", { class: "sentence", text: words, dir: "auto" });
  if (!command) return [sentence];
  return [sentence, element("span", { class: "action" }, element("span", { text: lead }),
    element("code", { text: command }), iconButton("copy", text("Copy the command “{command}”", { command }), () => copy(command), { class: "copy" }))];
}

/** A message as text for screen readers. */
export const spoken = ({ text: sentence, lead, command }) => (command ? `${sentence} ${lead} ${command}` : sentence);
