// The page of `locationctl privacy`: the switch of location services, open prompts, the programs with the user's decisions about them,
// rules and places, shares, sources and what is wrong.

import { Connection } from "./connection.js";
import { element } from "./dom.js";
import { Programs } from "./privacy-programs.js";
import { Prompts } from "./privacy-prompts.js";
import { Doctor, Shares, Sources } from "./privacy-reports.js";
import { Rules } from "./privacy-rules.js";
import { Switches } from "./privacy-switches.js";
import { text, translated } from "./texts.js";

const SHARING = "org.locationd.share";
const EVENTS = ["state", "services", "programs", "prompts", "rules", "newPlace", "problem", "heartbeat", "end"];
const LINE = {
  silent: text("The program of this page does not respond."),
  lost: text("Connection lost. Reconnecting…"),
  ended: text("This page has ended. To open it again, run:"),
};
const darkness = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark", darkness.matches);
darkness.addEventListener("change", follow);
follow();

/** What is said to screen readers, and shown where everybody looks when it is about the whole page. */
class Voice {
  #live = element("div", { class: "unseen", role: "status", aria: { live: "polite" } });
  #banner = element("div", { class: "banner", role: "alert", hidden: true });

  constructor(page) { page.append(this.#live, this.#banner); }

  say(sentence) { this.#live.textContent = sentence; }

  /** Shows a sentence, and a command if there is one, until the next call; `""` hides it. */
  show(sentence, command) {
    this.#banner.hidden = !sentence;
    const words = sentence ? [element("span", { text: sentence, dir: "auto" }), ...(command ? [" ", element("code", { text: command })] : [])] : [];
    this.#banner.replaceChildren(...words);
  }
}

class PrivacyPage {
  #voice;
  #switches;
  #prompts;
  #programs;
  #rules;
  #shares;
  #sources;
  #problem = "";
  #line = "open";

  constructor(page) {
    document.title = page.querySelector("h1").textContent = text("Location");
    this.#voice = new Voice(page);
    this.#switches = new Switches(page, this.#voice);
    this.#prompts = new Prompts(page, this.#voice);
    this.#programs = new Programs(page, this.#voice);
    this.#rules = new Rules(page, this.#voice, () => this.#programs.named);
    this.#shares = new Shares(page, this.#voice);
    this.#sources = new Sources(page);
    new Doctor(page, this.#voice);
    // Changes of sources and shares are not reported.
    document.addEventListener("visibilitychange", () => { if (!document.hidden) this.#refreshReports(); });
    new Connection((name, value) => this.#receive(name, value), (line) => this.#lineChanged(line), EVENTS).open();
  }

  #receive(name, value) {
    switch (name) {
      case "state":
        this.#receive("problem", value);
        this.#switches.update(value.services, value.user);
        this.#prompts.update(value.prompts);
        this.#programs.replace(value.programs, value.services);
        this.#rules.update(value.rules);
        this.#refreshReports();
        break;
      case "rules":
        this.#rules.update(value);
        break;
      case "newPlace":
        this.#rules.newPlace(value.position);
        break;
      case "services":
        this.#switches.update(value);
        this.#programs.servicesChanged(value);
        this.#shares.refresh();
        break;
      case "programs":
        this.#programs.update(value.changed, value.removed);
        if (value.changed.some(({ id }) => id === SHARING)) this.#shares.refresh();
        break;
      case "prompts":
        this.#prompts.update(value.prompts);
        break;
      case "problem":
        this.#problem = value.problem ?? "";
        this.#show();
    }
  }

  #refreshReports() {
    this.#shares.refresh();
    this.#sources.refresh();
  }

  #lineChanged(line) {
    this.#line = line;
    document.body.classList.toggle("is-lost", line !== "open");
    this.#show();
  }

  #show() {
    const line = LINE[this.#line];
    if (line) this.#voice.show(line, this.#line === "ended" ? "locationctl privacy --open" : undefined);
    else this.#voice.show(translated(this.#problem));
  }
}

new PrivacyPage(document.querySelector("#privacy"));
