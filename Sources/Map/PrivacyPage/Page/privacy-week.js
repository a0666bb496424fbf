// The hours of a rule as a week: a row for each day, a column for each hour.

import { drawing } from "./dom.js";
import { locale } from "./texts.js";

const DAY = 86_400_000;
const namesOf = (locale, weekday) => {
  const format = new Intl.DateTimeFormat(locale, { weekday, timeZone: "UTC" });
  // 5 January 1970 was a Monday.
  return Array.from({ length: 7 }, (_, index) => format.format(new Date((4 + index) * DAY)));
};
/** The days as rules name them, from Monday. */
export const DAYS = namesOf("en", "long");
/** Their names in the page's language. */
export const DAY_NAMES = namesOf(locale, "short");

const [LEFT, ROW, HOUR, TOP] = [46, 15, 16, 16];
const MINUTES = 24 * 60;

/** The spans of a rule in minutes of the week, which begins on Monday; the whole week without hours and days. */
function spansOf({ hours, days }) {
  const [from, to] = (hours ?? "00:00-00:00").split("-").map((time) => time.split(":").reduce((sum, part) => sum * 60 + Number(part), 0));
  const length = to > from ? to - from : to - from + MINUTES;
  return DAYS.flatMap((day, index) => (days && !days.includes(day) ? [] : [[index * MINUTES + from, index * MINUTES + from + length]]));
}

/** The picture of a rule's hours, which its sentence has in words. */
export function week(definition) {
  const cells = [];
  for (const [from, to] of spansOf(definition)) {
    // A span may reach into the next day, and from Sunday into Monday.
    for (let start = from; start < to;) {
      const end = Math.min(to, (Math.floor(start / MINUTES) + 1) * MINUTES);
      const day = Math.floor(start / MINUTES) % 7;
      const minute = start % MINUTES;
      cells.push(drawing("rect", { x: LEFT + (minute * HOUR) / 60, y: TOP + day * ROW + 1, width: ((end - start) * HOUR) / 60, height: ROW - 2, rx: 3, class: "hours" }));
      start = end;
    }
  }
  const lines = [0, 6, 12, 18, 24].map((hour) => drawing("line", { x1: LEFT + hour * HOUR, x2: LEFT + hour * HOUR, y1: TOP, y2: TOP + 7 * ROW }));
  const hours = [0, 6, 12, 18].map((hour) => drawing("text", { x: LEFT + hour * HOUR + 2, y: TOP - 4 }, String(hour)));
  const days = DAYS.map((_, index) => drawing("text", { x: LEFT - 6, y: TOP + index * ROW + 11.5, "text-anchor": "end" }, DAY_NAMES[index]));
  return drawing("svg", { class: "week", viewBox: `0 0 ${LEFT + 24 * HOUR + 2} ${TOP + 7 * ROW + 2}`, direction: "ltr", "aria-hidden": "true" }, ...lines, ...cells, ...hours, ...days);
}
