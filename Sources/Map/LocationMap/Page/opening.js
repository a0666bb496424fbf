// The opening hours of a place, and its opening at present, which is shown only if its week and its time zone are known.

import { listed, locale, text, translated } from "./texts.js";

const DAY = 24 * 60;
const WEEK = 7 * DAY;
const ALL_DAY = String([0, DAY]);
// A Monday.
const MONDAY = Date.UTC(2024, 0, 1);
const weekday = new Intl.DateTimeFormat(locale, { weekday: "short", timeZone: "UTC" });

/** True if a place is open now, unless today is a public holiday; false if uncertain. */
export const isOpen = (place, now = new Date()) => ofUsualWeek(place, now)?.isOpen === true;

/**
 * "Open now, closes at 18:00", "Closed now, opens Mon at 8:00", with "except on public holidays" if these have other times;
 * empty if uncertain.
 */
export function opening(place, now = new Date()) {
  const state = ofUsualWeek(place, now);
  if (!state) return "";
  const words = sentence(state);
  return place.openingTimes.hasHolidayTimes ? text("{opening}, except on public holidays", { opening: words }) : words;
}

function sentence({ isOpen, until, day }) {
  if (until === null) return text("Open now");
  const time = clock(until);
  if (isOpen) return text("Open now, closes at {time}", { time });
  return day === null ? text("Closed now, opens at {time}", { time }) : text("Closed now, opens {day} at {time}", { time, day: weekday.format(MONDAY + day * DAY * 60_000) });
}

/** The opening times as text, a line for each group of days: "Mon – Fri 8:00–18:00". */
export function timesByDay({ week, lines }) {
  const days = Array.from({ length: 7 }, (_, day) => week.filter(([start]) => Math.floor(start / DAY) === day).map(([start, end]) => [start - day * DAY, end - day * DAY]));
  const keys = days.map(String);
  const usual = [...new Set(keys)].filter(Boolean).map((key) => {
    const same = [...keys.keys()].filter((day) => keys[day] === key);
    const times = timesOf(days[same[0]]);
    if (same.length === 7 && key === ALL_DAY) return text("24 hours");
    return same.length === 7 ? text("Daily {times}", { times }) : `${daysOf(same)} ${times}`;
  });
  // The week does not have the times of public holidays.
  const holidays = /^Public holidays (.*)$/.exec(lines.at(-1) ?? "")?.[1];
  return holidays ? [...usual, text("Public holidays {times}", { times: translated(holidays) })] : usual;
}

/** Days as text: "Mon – Wed, Fri". */
function daysOf(days) {
  const runs = [];
  for (const day of days) {
    if (runs.at(-1)?.at(-1) === day - 1) runs.at(-1).push(day);
    else runs.push([day]);
  }
  const date = (day) => new Date(MONDAY + day * DAY * 60_000);
  return listed(runs.flatMap((run) => (run.length > 2 ? [weekday.formatRange(date(run[0]), date(run.at(-1)))] : run.map((day) => weekday.format(date(day))))));
}

function timesOf(periods) {
  if (String(periods) === ALL_DAY) return text("all day");
  return listed(periods.map(([start, end]) => `${clock(start)}–${end === DAY ? "24:00" : clock(end)}`));
}

/**
 * If the place is open, and the minute `until` which it is; `null` if for a day at least. If it opens on another day than today,
 * `day` is the number of it, 0 for Monday. `null` if uncertain.
 */
function ofUsualWeek({ openingTimes, address }, now) {
  const week = openingTimes?.week ?? [];
  const minute = week.length ? minuteOfWeek(now, address?.timeZone) : null;
  if (minute === null) return null;
  const until = (start) => (start - minute + WEEK) % WEEK;
  const current = week.find(([start, end]) => (minute - start + WEEK) % WEEK < end - start);
  if (!current) {
    const [next] = week.map(([start]) => start).sort((a, b) => until(a) - until(b));
    const isToday = next > minute && Math.floor(next / DAY) === Math.floor(minute / DAY);
    return { isOpen: false, until: next, day: isToday ? null : Math.floor(next / DAY) };
  }
  // Periods that follow one another without a break are joined.
  let left = current[1] - minute;
  if (left > WEEK) left -= WEEK;
  for (let next = current; left < DAY && (next = week.find(([start]) => start === next[1] % WEEK));) left += next[1] - next[0];
  return { isOpen: true, until: left < DAY ? minute + left : null, day: null };
}

const clock = (minutes) => `${Math.floor(minutes / 60) % 24}:${String(minutes % 60).padStart(2, "0")}`;

/** The minutes since Monday 0:00 at a place; `null` if its time zone is unknown. */
function minuteOfWeek(now, timeZone) {
  if (!timeZone) return null;
  try {
    const format = new Intl.DateTimeFormat("en-GB", { timeZone, year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", hourCycle: "h23" });
    const { year, month, day, hour, minute } = Object.fromEntries(format.formatToParts(now).map(({ type, value }) => [type, Number(value)]));
    const weekday = (new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 6) % 7;
    return weekday * DAY + hour * 60 + minute;
  } catch {
    // The browser does not know the time zone.
    return null;
  }
}
