// A program in the list: what it is, what it may have and had, and the menus that change that.

import { element, icon } from "./dom.js";
import { ask } from "./privacy-questions.js";
import { Timeline } from "./privacy-timeline.js";
import { dateOf, near, timeAgo } from "./privacy-times.js";
import { folded, listed, text } from "./texts.js";

// The words of `locationctl clients`.
const STATUS = {
  notDetermined: text("Not decided"), denied: text("Denied"), authorizedWhenInUse: text("While in use"), authorizedAlways: text("Always"), restricted: text("Restricted"),
};
const ACCURACY = { full: text("Exact"), reduced: text("Approximate") };
const HOUR = 3600;
let count = 0;

export class ProgramRow {
  #voice;
  #services;
  #number = count++;
  #picture = element("span", { class: "picture" });
  #name = element("strong", { id: `name-${this.#number}`, dir: "auto" });
  #id = element("span", { class: "quiet id", dir: "ltr" });
  #use = element("span", { class: "quiet use" });
  #status = element("select", { aria: { label: text("Permission"), describedby: `name-${this.#number}` }, on: { change: () => this.#decide() } });
  #accuracy = element("select", { aria: { label: text("Accuracy"), describedby: `name-${this.#number}` }, on: { change: () => this.#setAccuracy() } });
  #notes = element("div", { class: "notes" });
  #outcome = element("p", { class: "note", dir: "auto", hidden: true });
  #undo = element("button", { type: "button", class: "undo", id: `undo-${this.#number}`, aria: { labelledby: `undo-${this.#number} name-${this.#number}` }, text: text("Undo"), on: { click: () => this.#undoReset() } });
  #reset = element("p", { class: "note", dir: "auto" });
  #more = element("button", { type: "button", class: "more", aria: { expanded: "false", controls: `details-${this.#number}`, labelledby: `more-${this.#number} name-${this.#number}` }, on: { click: () => this.#toggle() } },
    icon("next"), element("span", { class: "unseen", id: `more-${this.#number}`, text: text("Details of") }));
  #details = element("div", { id: `details-${this.#number}`, class: "details", hidden: true });
  #timeline = null;
  #menu = "";

  constructor(voice) {
    this.#voice = voice;
    this.node = element("li", { class: "program" },
      this.#picture, element("div", { class: "words" }, this.#name, this.#id, this.#use),
      element("div", { class: "menus" }, this.#status, this.#accuracy), this.#more, this.#notes, this.#reset, this.#outcome, this.#details);
  }

  get sortKey() { return { time: Date.parse(this.program.lastAccess ?? 0), name: this.program.name }; }

  update(program, services) {
    const before = this.program;
    [this.program, this.#services] = [program, services];
    this.haystack = folded(`${program.name} ${program.id}`);
    this.#name.textContent = "";
    this.#name.append(...element("span", { text: program.name }).childNodes);
    this.#id.textContent = program.id === program.name ? "" : program.id;
    this.#use.textContent = useOf(program);
    this.node.classList.toggle("is-now", program.isNow);
    if (before?.icon !== program.icon || before?.name !== program.name) this.#showPicture();
    this.#showMenus();
    this.#notes.replaceChildren(...notesOf(program).map((note) => element("p", { class: "note", dir: "auto" }, ...note)));
    this.#showReset();
    if (before && before.lastAccess !== program.lastAccess) this.#timeline?.refresh();
  }

  servicesChanged(services) {
    this.#services = services;
    this.#showMenus();
    this.#showReset();
  }

  #showPicture() {
    const { icon: address, name } = this.program;
    const letter = () => element("span", { class: "letter", text: [...name.replace(/^\W+/u, "")][0]?.toLocaleUpperCase() ?? "?", aria: { hidden: "true" } });
    if (!address) return this.#picture.replaceChildren(letter());
    const image = element("img", { src: address, alt: "", width: 36, height: 36, loading: "lazy", on: { error: () => this.#picture.replaceChildren(letter()) } });
    this.#picture.replaceChildren(image);
  }

  get #isOff() { return !this.#services?.isEnabled || !this.#services?.isEnabledForUser; }

  #showMenus() {
    const { status, until, untilLogout, isOnce, isProvisional, maximumStatus, accuracy, maximumAccuracy, isFormer } = this.program;
    const isOff = this.#isOff;
    // A menu that is open closes when its options change.
    const menu = JSON.stringify([status, until, untilLogout, isOnce, isProvisional, maximumStatus, accuracy, maximumAccuracy, isFormer, isOff]);
    if (menu === this.#menu) return;
    this.#menu = menu;
    const isRestricted = status === "restricted";
    const now = isOnce ? text("Once")
      : until ? text("{permission} until {time}", { permission: STATUS[status], time: near(until) })
        : untilLogout ? text("{permission} until you log out", { permission: STATUS[status] })
          : isProvisional ? text("{permission}, to be confirmed", { permission: STATUS[status] }) : STATUS[status] ?? status;
    const options = [element("option", { value: "", text: now, selected: true })];
    const isPlain = !isOnce && !until && !untilLogout && !isProvisional;
    const add = (value, label) => { if (!(isPlain && value === status)) options.push(element("option", { value, text: label })); };
    add("notDetermined", text("Not decided, ask again"));
    add("denied", STATUS.denied);
    if (!isFormer) {
      add("authorizedWhenInUse", STATUS.authorizedWhenInUse);
      options.push(element("option", { value: `authorizedWhenInUse ${HOUR}`, text: text("While in use, for an hour") }), element("option", { value: `authorizedWhenInUse ${24 * HOUR}`, text: text("While in use, for a day") }));
      if (maximumStatus !== "authorizedWhenInUse") add("authorizedAlways", STATUS.authorizedAlways);
    }
    this.#status.replaceChildren(...options);
    this.#status.value = "";
    this.#status.disabled = isRestricted || isOff;
    this.#accuracy.replaceChildren(...Object.entries(ACCURACY)
      .filter(([value]) => value === accuracy || value !== "full" || maximumAccuracy !== "reduced")
      .map(([value, label]) => element("option", { value, text: label, ...(value === accuracy ? { selected: true } : {}) })));
    this.#accuracy.value = accuracy;
    this.#accuracy.disabled = isRestricted || isOff || isFormer;
  }

  /** Says that the service reset its permission, with the button that gives it back. A button that has the focus is not replaced. */
  #showReset() {
    const { resetAt, resetStatus } = this.program;
    const sentence = resetAt && resetStatus ? text("Its permission was reset on {time}, because it was not given your location for a long time.", { time: dateOf(resetAt) }) : "";
    this.#reset.hidden = !sentence;
    this.#undo.disabled = this.#isOff;
    if (sentence === this.#reset.dataset.sentence) return;
    this.#reset.dataset.sentence = sentence;
    this.#reset.replaceChildren(...(sentence ? [element("span", { text: sentence }), " ", this.#undo] : []));
  }

  async #undoReset() {
    await this.#make({ client: this.program.id, authorization: this.program.resetStatus });
    // The button has disappeared, unless the service has refused.
    if (!this.program.resetAt) this.#status.focus();
  }

  async #decide() {
    const [authorization, seconds] = this.#status.value.split(" ");
    await this.#make({ client: this.program.id, authorization, ...(seconds ? { seconds: Number(seconds) } : {}) });
  }

  #setAccuracy() { return this.#make({ client: this.program.id, accuracy: this.#accuracy.value }); }

  async #make(decision) {
    const answer = await ask("decisions", decision);
    // The service's decision is shown, even if it is the same as before.
    this.#menu = "";
    if (answer.status) [this.program.status, this.program.accuracy] = [answer.status, answer.accuracy];
    if (answer.status) Object.assign(this.program, { isOnce: false, isProvisional: false, until: answer.until, untilLogout: false, resetAt: undefined });
    this.#showMenus();
    this.#showReset();
    const sentences = answer.error ? [answer.error] : (answer.limits ?? []).map((limit) => limitOf(limit, this.program.id));
    this.#outcome.hidden = !sentences.length;
    this.#outcome.textContent = sentences.join(" ");
    this.#voice.say(sentences.join(" ") || text("{name}: {permission}", { name: this.program.name, permission: listed([STATUS[this.program.status] ?? this.program.status, ACCURACY[this.program.accuracy]]) }));
  }

  #toggle() {
    const isOpen = this.#details.hidden;
    this.#details.hidden = !isOpen;
    this.#more.setAttribute("aria-expanded", String(isOpen));
    if (!isOpen) {
      this.#timeline = null;
      this.#details.replaceChildren();
      return;
    }
    this.#timeline = new Timeline(this.#details, this.program.id);
    this.#timeline.refresh();
  }
}

/** The use of the location as one line: "Now, by GeoClue", "12 min. ago", "Never". */
function useOf({ isNow, isConnected, isInUse, frontEnds, lastAccess, conditions, watchesVisits }) {
  const by = frontEnds?.length ? text("by {frontEnd}", { frontEnd: listed(frontEnds) }) : "";
  const when = isNow ? text("Now") : lastAccess ? timeAgo(lastAccess) : text("Never");
  const state = isNow || !isConnected ? "" : isInUse ? text("in use") : text("connected");
  return listed([when, state, by, conditions ? text("{count} watched places", { count: conditions }) : "", watchesVisits ? text("watches visits") : ""]);
}

/** What there is to know beside the menus: why no more can be allowed, and to whom the location is passed on. */
function notesOf({ status, file, maximumStatus, maximumAccuracy, recipients, isDeclared, isFormer, isQuiet }) {
  const notes = [];
  const because = (sentence, key) => notes.push([sentence, ...(file ? [" ", element("code", { text: `${file}: ${key}` })] : [])]);
  if (status === "restricted") because(text("A policy of this machine forbids it. You cannot change that here."), "Policy.Restricted");
  if (maximumStatus === "authorizedWhenInUse") because(text("A policy allows no more than while in use."), "Policy.MaximumAuthorization");
  if (maximumAccuracy === "reduced") because(text("A policy allows only the approximate location (about 5 km)."), "Policy.MaximumAccuracy");
  if (isFormer) notes.push([text("It is no longer declared, and gets nothing.")]);
  else if (!isDeclared) notes.push([text("It is not declared: its decision counts for all that its executable runs.")]);
  if (recipients?.length) notes.push([text("It passes your location on to {names}.", { names: listed(recipients) })]);
  if (isQuiet) notes.push([text("It is on your quiet list: it lights no indicator.")]);
  return notes;
}

/** The reason why a decision does not take full effect. */
function limitOf({ reason, file, rule, sentence }, client) {
  const what = {
    servicesOffForMachine: text("location services are off for this machine"),
    servicesOffForUser: text("location services are off for you"),
    maximumAuthorization: text("{file} allows no more than while in use", { file: file ?? "" }),
    maximumAccuracy: text("{file} allows only the approximate location", { file: file ?? "" }),
    rule: text("rule {rule} limits it now: {sentence}", { rule: rule ?? "", sentence: sentence ?? "" }),
  }[reason] ?? text("something limits it now: see “{command}”", { command: `locationctl explain ${client}` });
  return text("Your decision is saved, but {reason}.", { reason: what });
}
