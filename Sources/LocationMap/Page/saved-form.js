// The form for a saved place: name, note and colour.

import { element } from "./dom.js";

// White letters on each have a contrast of at least 4.5.
const COLOURS = { Red: "#d8352a", Orange: "#b85c00", Green: "#2d7a35", Blue: "#1d63b5", Purple: "#7d46a3", Grey: "#59606b" };

export class SavedForm {
  #actions;

  constructor(actions) {
    this.#actions = actions;
  }

  open(place, isNew = false) {
    // Escape closes it, as dialogs do.
    const dialog = element("dialog", { class: "form", aria: { labelledby: "form-title" } });
    const name = element("input", { id: "form-name", name: "name", required: true, maxlength: 100, autocomplete: "off", dir: "auto" });
    const note = element("textarea", { id: "form-note", name: "note", maxlength: 1000, rows: 3, dir: "auto" });
    [name.value, note.value] = [place.name, place.note];
    const chosen = place.color ?? COLOURS.Red;
    const colours = Object.values(COLOURS).includes(chosen) ? COLOURS : { ...COLOURS, "As before": chosen };
    const swatches = Object.entries(colours).map(([label, value]) => {
      const input = element("input", { type: "radio", name: "color", value, title: label, aria: { label }, checked: value === chosen });
      input.style.setProperty("--tint", value);
      return input;
    });
    const remove = isNew ? null : element("button", { type: "button", class: "remove", text: "Remove", on: { click: () => { this.#actions.remove(place.id); dialog.close(); } } });
    const form = element("form", { method: "dialog" },
      element("h2", { id: "form-title", text: isNew ? "Save this place" : "Saved place" }),
      element("label", { for: "form-name", text: "Name" }), name,
      element("label", { for: "form-note", text: "Note" }), note,
      element("fieldset", {}, element("legend", { text: "Colour" }), ...swatches),
      element("div", { class: "buttons" }, remove,
        element("button", { type: "button", text: "Cancel", on: { click: () => dialog.close() } }),
        element("button", { type: "submit", class: "default", text: "Save" })));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (!name.value.trim()) return name.reportValidity();
      const color = form.querySelector("input[type=radio]:checked").value;
      this.#actions.save({ id: place.id, name: name.value.trim(), note: note.value.trim(), color, position: place.position });
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
