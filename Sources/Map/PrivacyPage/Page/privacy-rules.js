// The rules that limit where and when programs get the location, and the user's places, on a map of their own. A rule can be tried on
// a recorded track before it counts.

import { element } from "./dom.js";
import { ask } from "./privacy-questions.js";
import { DAYS, DAY_NAMES, week } from "./privacy-week.js";
import { english, listed, text } from "./texts.js";
import { accuracyOf, span } from "./units.js";

const STATES = { applies: text("applies now"), inDoubt: text("in doubt, so it applies"), doesNotApply: text("does not apply now") };
const EFFECTS = { deny: text("No location"), reducedAccuracy: text("Approximate location at most"), whileInUse: text("Only while the program is in use") };
const PARTS = { exact: text("exact"), approximate: text("approximate"), nothing: text("nothing") };
const RADII = { least: 50, most: 50_000, usual: 200 };

export class Rules {
  #voice;
  #value = { rules: [], places: [] };
  #programs;
  #rules = element("ul", {});
  #places = element("ul", {});
  #form = element("div", { class: "form", hidden: true });
  #note = element("p", { class: "note", dir: "auto", hidden: true });
  #frame = element("div", { class: "places-map", hidden: true });
  #mapButton = element("button", { type: "button", class: "check", aria: { expanded: "false" }, text: text("Map of the places"), on: { click: () => this.#toggleMap() } });

  /** `programs` gives the programs that a rule can name. */
  constructor(page, voice, programs) {
    this.#voice = voice;
    this.#programs = programs;
    const button = (label, open) => element("button", { type: "button", class: "check", text: label, on: { click: open } });
    page.append(element("section", { class: "report rules", aria: { labelledby: "rules" } },
      element("div", { class: "heading" }, element("h2", { id: "rules", text: text("Rules and places") }), button(text("Add a rule"), () => this.#newRule()), button(text("Add a place"), () => this.newPlace("")), this.#mapButton),
      this.#note, this.#form, element("div", { class: "card" }, this.#rules), this.#frame, element("div", { class: "card" }, this.#places)));
  }

  update(value) {
    this.#value = value;
    const { rules, places } = value;
    this.#rules.replaceChildren(...(rules.length ? rules.map((rule) => this.#ruleRow(rule)) : [element("li", {}, element("span", { class: "quiet", text: text("No rule limits where and when programs get your location.") }))]));
    this.#places.replaceChildren(...places.map((place) => this.#placeRow(place)));
    this.#places.parentElement.hidden = !places.length;
  }

  #ruleRow({ id, sentence, state, doubt, definition, file, client }) {
    const isOwn = /^\d+$/.test(id);
    const source = isOwn ? "" : client ? text("set by the declaration of {client}", { client }) : text("set for this machine");
    return element("li", {},
      element("div", { class: "words" }, element("strong", { text: sentence, ...english }),
        element("span", { class: "quiet", text: listed([STATES[state] ?? state, source]) }),
        doubt ? element("span", { class: "quiet", text: doubt, ...english }) : null,
        file ? element("span", { class: "quiet", text: file, dir: "ltr" }) : null,
        definition.hours || definition.days ? week(definition) : null),
      isOwn ? element("button", { type: "button", class: "stop", text: text("Remove"), aria: { label: text("Remove {name}", { name: sentence }) }, on: { click: () => this.#remove("rules", id) } }) : null);
  }

  #placeRow({ name, radius }) {
    return element("li", {},
      element("div", { class: "words" }, element("strong", { text: name, dir: "auto" }), element("span", { class: "quiet", text: text("radius {distance}", { distance: accuracyOf(radius) }) })),
      element("button", { type: "button", class: "stop", text: text("Remove"), aria: { label: text("Remove {name}", { name }) }, on: { click: () => this.#remove("places", name) } }));
  }

  async #remove(what, remove) {
    const { error } = await ask(what, { remove });
    this.#say(error || text("Removed."), Boolean(error));
  }

  #say(sentence, isProblem) {
    this.#note.hidden = !isProblem;
    this.#note.textContent = isProblem ? sentence : "";
    this.#voice.say(sentence);
  }

  // The map

  async #toggleMap() {
    const isShown = !this.#frame.hidden;
    this.#mapButton.setAttribute("aria-expanded", String(!isShown));
    this.#frame.hidden = isShown;
    if (isShown) return this.#frame.replaceChildren();
    const { error, path } = await ask("map", {});
    if (error) return this.#say(error, true);
    this.#frame.replaceChildren(
      element("iframe", { src: path, title: text("Map of the places") }),
      element("p", { class: "quiet", text: text("Drag a place to move it. Programs count as inside up to a border between the two circles, which is drawn at random so that nobody can tell the centre; who has seen the borders before and after a move can tell more about it.") }));
  }

  // Forms

  #open(title, fields, actions) {
    const result = element("div", { class: "result" });
    this.#form.replaceChildren(element("h3", { text: title }), ...fields, result, element("div", { class: "answers" }, ...actions(result),
      element("button", { type: "button", text: text("Cancel"), on: { click: () => this.#close() } })));
    this.#form.hidden = false;
    this.#form.querySelector("select, input").focus();
  }

  #close() {
    this.#form.hidden = true;
    this.#form.replaceChildren();
  }

  async #send(what, add) {
    const { error } = await ask(what, { add });
    this.#say(error || text("Added."), Boolean(error));
    if (!error) this.#close();
  }

  /** Opens the form for a place, with a position if the map has given one. */
  newPlace(position) {
    const field = (label, properties) => element("input", { ...properties, aria: { label } });
    const name = field(text("Name"), { type: "text", required: true, maxlength: 64 });
    const where = field(text("Position"), { type: "text", value: position, required: true });
    const radius = field(text("Radius in metres"), { type: "number", min: RADII.least, max: RADII.most, value: RADII.usual });
    this.#open(text("Add a place"), [labelled(text("Name"), name), labelled(text("Position"), where, text("Degrees, an address, or the name of a place.")), labelled(text("Radius in metres"), radius)],
      () => [element("button", { type: "button", text: text("Add"), on: { click: () => this.#send("places", { name: name.value.trim(), position: where.value.trim(), radius: Number(radius.value) }) } })]);
  }

  #newRule() {
    const { places } = this.#value;
    const effect = select(Object.entries(EFFECTS));
    const where = select([["", text("Everywhere")], ...places.flatMap(({ name }) => [[`inside ${name}`, text("Inside {place}", { place: name })], [`outside ${name}`, text("Outside of {place}", { place: name })]])]);
    const who = select([["", text("All programs")], ...this.#programs().map(({ id, name }) => [id, name])]);
    const from = element("input", { type: "time", aria: { label: text("From") } });
    const to = element("input", { type: "time", aria: { label: text("Until") } });
    const boxes = DAYS.map((day, index) => element("label", {}, element("input", { type: "checkbox", checked: true, value: day }), DAY_NAMES[index]));
    const picture = element("div", {});
    const rule = () => {
      const days = boxes.map((box) => box.firstChild).filter(({ checked }) => checked).map(({ value }) => value);
      const [kind, place] = where.value.split(/ (.*)/);
      return {
        [effect.value]: true, ...place ? { [kind]: place } : {}, ...who.value ? { clients: [who.value] } : {},
        ...from.value && to.value ? { hours: `${from.value}-${to.value}` } : {}, ...days.length < DAYS.length ? { days } : {},
      };
    };
    const draw = () => picture.replaceChildren(week(rule()));
    for (const input of [from, to, ...boxes]) input.addEventListener("input", draw);
    draw();
    this.#open(text("Add a rule"), [
      labelled(text("What programs get"), effect), labelled(text("Where"), where), labelled(text("Which programs"), who),
      element("fieldset", {}, element("legend", { text: text("When") }), element("div", { class: "times" }, from, "–", to), element("div", { class: "days" }, ...boxes), picture),
    ], (result) => [
      element("button", { type: "button", text: text("Add"), on: { click: () => this.#send("rules", rule()) } }),
      element("label", { class: "file" }, text("Try it on a track…"), element("input", { type: "file", class: "unseen", on: { change: ({ target }) => this.#try(target, rule(), result) } })),
    ]);
  }

  /** Shows what programs would have received of a track. */
  async #try(input, rule, result) {
    const [file] = input.files;
    if (!file) return;
    const track = await file.text();
    input.value = "";
    const { error, items } = await ask("trials", { name: file.name, track, rule });
    if (error) return result.replaceChildren(element("p", { class: "note", text: error, ...english }));
    const names = new Map(this.#programs().map(({ id, name }) => [id, name]));
    result.replaceChildren(element("p", { class: "quiet", text: text("On this track, if all programs were allowed at any time:") }), element("ul", {}, ...items.map(({ client, spans }) => {
      const seconds = Object.groupBy(spans, ({ receives }) => receives);
      const parts = Object.keys(PARTS).filter((part) => seconds[part]).map((part) => `${PARTS[part]} ${span(seconds[part].reduce((sum, { from, to }) => sum + (Date.parse(to) - Date.parse(from)) / 1000, 0))}`);
      return element("li", {}, element("strong", { text: names.get(client) ?? client, dir: "auto" }), " ", element("span", { text: listed(parts) || PARTS.nothing }));
    })));
  }
}

const labelled = (label, input, hint) => element("label", { class: "field" }, element("span", { text: label }), input, hint ? element("span", { class: "quiet", text: hint }) : null);

const select = (choices) => element("select", {}, ...choices.map(([value, words]) => element("option", { value, text: words })));
