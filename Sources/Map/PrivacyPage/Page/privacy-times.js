// Times as people write them near now.

import { locale, text } from "./texts.js";
import { ago } from "./units.js";

const clock = new Intl.DateTimeFormat(locale, { timeStyle: "short" });
const day = new Intl.DateTimeFormat(locale, { weekday: "short", hour: "numeric", minute: "2-digit" });
const date = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
const whole = new Intl.DateTimeFormat(locale, { dateStyle: "long" });
const HOUR = 3_600_000;

const formatFor = (time) => {
  const now = new Date();
  if (time.toDateString() === now.toDateString()) return clock;
  return Math.abs(time - now) < 6 * 24 * HOUR ? day : date;
};

/** A time without what goes without saying: "18:00", "Fri 18:00", "12 Nov 2026, 18:00". */
export const near = (time) => formatFor(new Date(time)).format(new Date(time));

/** The day of a time: "12 November 2026". */
export const dateOf = (time) => whole.format(new Date(time));

/** A span of time: "14:02 – 14:31". */
export const between = (from, to) => formatFor(new Date(from)).formatRange(new Date(from), new Date(to));

/** An age up to a day, and then the time. */
export function timeAgo(time) {
  const age = Date.now() - Date.parse(time);
  return age < 60_000 ? text("Less than a minute ago") : age < 12 * HOUR ? ago(age / 1000) : near(time);
}
