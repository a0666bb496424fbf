// The form for a saved place or route: name, note and colour.

import { element } from "./dom.js";
import { text } from "./texts.js";

// White letters on each have a contrast of at least 4.5.
const RED = "#d8352a";
const BLUE = "#1d63b5";
const COLOURS = {
  [RED]: text("Red"), "#b85c00": text("Orange"), "#2d7a35": text("Green"), [BLUE]: text("Blue"), "#7d46a3": text("Purple"), "#59606b": text("Grey"),
};

export class SavedForm {
  #actions;

  constructor(actions) {
    this.#actions = actions;
  }

  /** Opens the form for a place, or for a route, which has points. */
  open(place, isNew = false) {
    const isRoute = Boolean(place.points);
    // Escape closes it, as dialogs do.
    const dialog = element("dialog", { class: "form", aria: { labelledby: "form-title" } });
    const name = element("input", { id: "form-name", name: "name", required: true, maxlength: 100, autocomplete: "off", dir: "auto" });
    const note = element("textarea", { id: "form-note", name: "note", maxlength: 1000, rows: 3, dir: "auto" });
    [name.value, note.value] = [place.name, place.note];
    const chosen = place.color ?? (isRoute ? BLUE : RED);
    const colours = chosen in COLOURS ? COLOURS : { ...COLOURS, [chosen]: text("As before") };
    const swatches = Object.entries(colours).map(([value, label]) => {
      const input = element("input", { type: "radio", name: "color", value, title: label, aria: { label }, checked: value === chosen });
      input.style.setProperty("--tint", value);
      return input;
    });
    const remove = isNew ? null : element("button", { type: "button", class: "remove", text: text("Remove"), on: { click: () => { this.#actions.remove(place.id); dialog.close(); } } });
    const form = element("form", { method: "dialog" },
      element("h2", { id: "form-title", text: isRoute ? (isNew ? text("Save this route") : text("Saved route")) : isNew ? text("Save this place") : text("Saved place") }),
      element("label", { for: "form-name", text: text("Name") }), name,
      element("label", { for: "form-note", text: text("Note") }), note,
      element("fieldset", {}, element("legend", { text: text("Colour") }), ...swatches),
      element("div", { class: "buttons" }, remove,
        element("button", { type: "button", text: text("Cancel"), on: { click: () => dialog.close() } }),
        element("button", { type: "submit", class: "default", text: text("Save") })));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (!name.value.trim()) return name.reportValidity();
      const color = form.querySelector("input[type=radio]:checked").value;
      this.#actions.save({ ...place, name: name.value.trim(), note: note.value.trim(), color });
      dialog.close();
    });
    dialog.append(form);
    dialog.addEventListener("keydown", (event) => event.stopPropagation());
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
    name.select();
  }
}

/** A random identifier of a place or route that is new, with a letter before its digits. */
export const newID = (letter) => crypto.getRandomValues(new Uint32Array(2)).reduce((made, number) => made + number.toString(36), letter);
