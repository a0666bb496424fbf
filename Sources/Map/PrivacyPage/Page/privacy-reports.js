// What other commands report: the shares and how to stop them, the sources and what each tells others, and what doctor finds.

import { element } from "./dom.js";
import { ask } from "./privacy-questions.js";
import { near, timeAgo } from "./privacy-times.js";
import { english, listed, text } from "./texts.js";
import { accuracyOf } from "./units.js";

const SERVICES = { homeassistant: "Home Assistant", traccar: "Traccar", dawarich: "Dawarich", owntracks: "OwnTracks Recorder", overland: "Overland", mqtt: "MQTT", nmea: "NMEA 0183", signalk: "Signal K" };
const PHASES = {
  sharing: text("sends your location"), paused: text("paused"), ended: text("ended"), off: text("off"), failed: text("does not work"), clockNotSet: text("waits for the right time"),
};
const KINDS = { receiver: text("Satellite receiver"), modem: text("Modem"), wifi: text("Wi-Fi"), fixed: text("Fixed position") };
const STATES = { idle: text("not needed now"), connecting: text("connecting"), connected: text("connected"), waiting: text("not connected, trying again") };
const TELLS = {
  receiver: () => text("Tells nobody where you are."),
  modem: () => text("Tells nobody where you are: the network operator is not asked for assistance."),
  wifi: ({ name }) => (name ? text("Sends the Wi-Fi networks nearby to {server}, which learns where you are.", { server: name }) : text("Sends the Wi-Fi networks nearby to a server that root names, which learns where you are.")),
  fixed: () => text("Tells nobody where you are."),
};

/** A section with the rows of a report. */
class Report {
  #list = element("ul", {});
  #note = element("p", { class: "note", dir: "auto", hidden: true });

  constructor(page, id, title, ...more) {
    this.section = element("section", { class: "report", aria: { labelledby: id } },
      element("div", { class: "heading" }, element("h2", { id, text: title }), ...more), this.#note, element("div", { class: "card" }, this.#list));
    page.append(this.section);
  }

  show(rows) {
    this.#note.hidden = true;
    this.#list.parentElement.hidden = !rows.length;
    this.#list.replaceChildren(...rows.map((row) => element("li", {}, ...row)));
  }

  fail(error) {
    this.#note.hidden = false;
    this.#note.textContent = error;
  }
}

export class Shares {
  #voice;
  #report;

  constructor(page, voice) {
    this.#voice = voice;
    this.#report = new Report(page, "shares", text("Shares"));
    this.#report.section.hidden = true;
  }

  async refresh() {
    const { error, items } = await ask("reports", { report: "shares" });
    if (error) return this.#report.fail(error);
    // Without the package that sends there are none.
    this.#report.section.hidden = !items?.length;
    this.#report.show((items ?? []).map((share) => this.#row(share)));
  }

  #row(share) {
    const isSharing = share.phase === "sharing" || share.phase === "paused" || share.phase === "clockNotSet";
    const state = listed([PHASES[share.phase] ?? share.phase, isSharing && share.accuracy === "reduced" ? text("approximate") : "",
      isSharing && share.until ? text("until {time}", { time: near(share.until) }) : "", share.lastDelivery ? text("last sent: {time}", { time: timeAgo(share.lastDelivery) }) : ""]);
    return [
      element("div", { class: "words" }, element("strong", { text: share.name, dir: "auto" }),
        element("span", { class: "quiet", text: text("{service} at {origin}, as {name}", { service: SERVICES[share.service] ?? share.service, origin: share.origin, name: share.shownAs }) }),
        element("span", { class: "quiet", text: state }),
        !isSharing && share.isShowing ? element("p", { class: "note", text: text("It may still show your last location.") }) : null,
        share.problem ? element("p", { class: "note", text: share.problem, ...english }) : null),
      isSharing ? element("button", { type: "button", class: "stop", text: text("Stop"), aria: { label: text("Stop sharing with {name}", { name: share.name }) }, on: { click: () => this.#stop(share.name) } }) : null,
    ];
  }

  async #stop(name) {
    const { error } = await ask("reports", { report: "shares", stop: name });
    await this.refresh();
    if (error) this.#report.fail(error);
    this.#voice.say(error || text("Stopped sharing with {name}.", { name }));
  }
}

export class Sources {
  #report;

  constructor(page) { this.#report = new Report(page, "sources", text("Sources")); }

  async refresh() {
    const { error, items } = await ask("reports", { report: "sources" });
    if (error) return this.#report.fail(error);
    this.#report.show(items.map((source) => {
      const state = source.name ? listed([source.name, STATES[source.state] ?? source.state, source.isCurrent ? text("in use") : "",
        source.radius ? text("exact (± {distance})", { distance: accuracyOf(source.radius) }) : "", source.requestsToday ? text("{count} requests today", { count: source.requestsToday }) : ""]) : text("off");
      return [element("div", { class: "words" }, element("strong", { text: KINDS[source.kind] ?? source.kind }), element("span", { class: "quiet", text: state }),
        element("span", { text: TELLS[source.kind]?.(source) ?? "" }),
        ...[source.problem, source.needs ? `Needs ${source.needs}` : null].filter(Boolean).map((words) => element("p", { class: "quiet", text: words, ...english })))];
    }));
  }
}

const SEVERITIES = { problem: text("Problem"), advice: text("Advice") };

export class Doctor {
  #voice;
  #report;
  #button;

  constructor(page, voice) {
    this.#voice = voice;
    this.#button = element("button", { type: "button", class: "check", text: text("Check"), on: { click: () => this.#check() } });
    this.#report = new Report(page, "doctor", text("Problems and remedies"), this.#button);
    this.#report.show([]);
  }

  async #check() {
    this.#button.disabled = true;
    const { error, items } = await ask("reports", { report: "doctor" });
    this.#button.disabled = false;
    this.#button.focus();
    if (error) {
      this.#report.fail(error);
      return this.#voice.say(error);
    }
    const found = items.filter(({ severity }) => severity in SEVERITIES).sort((a, b) => b.severity.localeCompare(a.severity));
    const others = items.length - found.length;
    const sentence = found.length ? text("{count} findings", { count: found.length }) : text("Nothing is wrong.");
    this.#voice.say(sentence);
    this.#report.show([...found.map(({ severity, found: what, remedy }) => [element("div", { class: "words" },
      element("strong", {}, element("span", { class: `badge ${severity}`, text: SEVERITIES[severity] }), " ", element("span", { text: what, ...english })),
      remedy ? element("p", { class: "remedy", text: remedy, ...english }) : null)]),
    [element("div", { class: "words" }, element("span", { class: "quiet", text: listed([found.length ? "" : sentence, text("{count} checks found nothing to do", { count: others })]) }))]]);
  }
}
