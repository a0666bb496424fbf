// When a program had the location, how exactly and by which front end, and the reasons for what it gets now. Never where.

import { drawing, element } from "./dom.js";
import { ask } from "./privacy-questions.js";
import { between } from "./privacy-times.js";
import { isEnglish, listed, locale, text } from "./texts.js";
import { accuracyOf, span } from "./units.js";

const HOUR = 3_600_000;
const SPANS = { day: { length: 24 * HOUR, label: text("24 hours") }, week: { length: 7 * 24 * HOUR, label: text("7 days") } };
const SOURCES = { receiver: text("receiver"), modem: text("modem"), wifi: text("Wi-Fi"), fixed: text("fixed position") };
const [WIDTH, HEIGHT] = [1000, 40];
/** A tick beyond has no label: there is no room for one before the end. */
const LAST_LABEL = WIDTH * 0.93;
const FIRST = 12;
const hours = new Intl.DateTimeFormat(locale, { timeStyle: "short" });
const days = new Intl.DateTimeFormat(locale, { weekday: "short", day: "numeric" });
let count = 0;

export class Timeline {
  #client;
  #chosen = "day";
  #answer = null;
  #isAsking = false;
  #isStale = false;
  #showsAll = false;
  #body = element("div", {});

  constructor(node, client) {
    this.#client = client;
    const name = `span-${count++}`;
    const choices = Object.entries(SPANS).map(([value, { label }]) => element("label", {},
      element("input", { type: "radio", name, value, ...(value === this.#chosen ? { checked: true } : {}), on: { change: () => { this.#chosen = value; this.#showsAll = false; this.#show(); } } }), label));
    node.replaceChildren(element("div", { class: "spans", role: "radiogroup", aria: { label: text("Period") } }, ...choices), this.#body);
  }

  /** Asks again, one question at a time. */
  async refresh() {
    this.#isStale = true;
    if (this.#isAsking) return;
    this.#isAsking = true;
    while (this.#isStale) {
      this.#isStale = false;
      this.#answer = await ask("timeline", { client: this.#client });
      this.#show();
    }
    this.#isAsking = false;
  }

  #show() {
    if (!this.#answer) return;
    const { error, steps } = this.#answer;
    if (error) return this.#body.replaceChildren(element("p", { class: "note", text: error }));
    const accesses = this.#answer[this.#chosen];
    this.#body.replaceChildren(this.#chart(accesses), this.#table(accesses), ...reasons(steps),
      element("p", { class: "quiet" }, text("In a terminal:"), " ", element("code", { text: `locationctl history --client ${this.#client}` })));
  }

  #chart(accesses) {
    const { length } = SPANS[this.#chosen];
    const end = Date.now();
    const start = end - length;
    const place = (time) => Math.max(0, Math.min(1, (Date.parse(time) - start) / length)) * WIDTH;
    const bars = accesses.map((access) => {
      const [from, to] = [place(access.from), place(access.to)];
      return drawing("rect", { x: Math.min(from, WIDTH - 3), y: access.accuracy === "full" ? 4 : 18, width: Math.max(3, to - from), height: HEIGHT - 4 - (access.accuracy === "full" ? 4 : 18), class: access.accuracy });
    });
    const ticks = ticksOf(start, end, this.#chosen);
    const lines = ticks.map((time) => drawing("line", { x1: place(time), x2: place(time), y1: 0, y2: HEIGHT }));
    const label = accesses.length ? text("Had your location {count} times in this period", { count: accesses.length }) : text("Did not have your location in this period");
    return element("div", { class: "chart", dir: "ltr" },
      drawing("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": label }, ...lines, ...bars),
      element("div", { class: "ticks", aria: { hidden: "true" } }, ...ticks.filter((time) => place(time) < LAST_LABEL).map((time) => {
        const tick = element("span", { text: (this.#chosen === "day" ? hours : days).format(new Date(time)) });
        tick.style.insetInlineStart = `${place(time) / WIDTH * 100}%`;
        return tick;
      })));
  }

  #table(accesses) {
    if (!accesses.length) return element("p", { class: "note", text: text("Did not have your location in this period") });
    const shown = this.#showsAll ? accesses : accesses.slice(0, FIRST);
    const rows = shown.map(({ from, to, count: locations, accuracy, finestAccuracy, frontEnd, sources, events }) => element("tr", {},
      element("td", { text: between(from, to) }),
      element("td", { text: listed([span(Math.max(1, (Date.parse(to) - Date.parse(from)) / 1000)), text("{count} locations", { count: locations }), events ? text("{count} events", { count: events }) : ""]) }),
      element("td", { text: exactness(accuracy, finestAccuracy) }),
      element("td", { text: listed([...(sources ?? []).map((source) => SOURCES[source] ?? source), frontEnd ?? ""]) })));
    const head = [text("When"), text("How often"), text("How exactly"), text("By")].map((title) => element("th", { scope: "col", text: title }));
    const table = element("table", {}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows));
    return element("div", { class: "table" }, table, accesses.length > shown.length
      ? element("button", { type: "button", class: "all", text: text("Show all {count}", { count: accesses.length }), on: { click: () => { this.#showsAll = true; this.#show(); } } }) : null);
  }
}

/** "exact (± 8 m)", or "approximate". */
const exactness = (accuracy, metres) => (accuracy === "full"
  ? metres ? text("exact (± {distance})", { distance: accuracyOf(metres) }) : text("exact") : text("approximate"));

/** The evaluated rules, as `locationctl explain` shows them, in the words of the service, which are English. */
function reasons(steps) {
  if (!steps?.length) return [];
  const lines = steps.map(({ rule, found, file, keyPath, isDecisive }) => {
    const place = [file, keyPath].filter(Boolean).join(": ");
    const words = [`${rule} `, element(isDecisive ? "strong" : "span", { text: found }), ...(place ? [" ", element("code", { text: place })] : [])];
    return element("li", isDecisive ? { class: "decisive" } : {}, ...words);
  });
  return [element("h4", { text: text("Why") }), element("ol", { class: "why", ...(isEnglish ? {} : { lang: "en", dir: "ltr" }) }, ...lines)];
}

/** Each sixth hour of a day, each midnight of a week. */
function ticksOf(start, end, chosen) {
  const ticks = [];
  const time = new Date(start);
  time.setMinutes(0, 0, 0);
  while (time < end) {
    if (time >= start && time.getHours() % (chosen === "day" ? 6 : 24) === 0) ticks.push(time.toISOString());
    time.setHours(time.getHours() + 1);
  }
  return ticks;
}
