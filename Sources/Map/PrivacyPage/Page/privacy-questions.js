// Questions and decisions that the page sends to its program.

import { text } from "./texts.js";

/** The answer to a question; with `error`, a sentence, if there is none. */
export async function ask(what, question) {
  try {
    const answer = await fetch(what, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(question) });
    if (answer.ok) return await answer.json();
    return { error: answer.status === 429 ? text("Too many changes at once. Try again.") : text("The program of this page does not respond.") };
  } catch {
    // The program has ended, which the page shows.
    return { error: text("The program of this page does not respond.") };
  }
}
