// Opening of a place at present, shown only if its week and its time zone are known.

const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const DAY = 24 * 60;
const WEEK = 7 * DAY;

/** True if a place is open now, unless today is a public holiday; false if uncertain. */
export const isOpen = (place, now = new Date()) => opening(place, now).startsWith("Open");

/**
 * "Open now, closes at 18:00", "Closed now, opens Mon at 8:00", with "except on public holidays" if these have other times;
 * empty if uncertain.
 */
export function opening(place, now = new Date()) {
  const words = ofUsualWeek(place, now);
  return words && place.openingTimes.hasHolidayTimes ? `${words}, except on public holidays` : words;
}

function ofUsualWeek({ openingTimes, address }, now) {
  const week = openingTimes?.week ?? [];
  const minute = week.length ? minuteOfWeek(now, address?.timeZone) : null;
  if (minute === null) return "";
  const until = (start) => (start - minute + WEEK) % WEEK;
  const current = week.find(([start, end]) => (minute - start + WEEK) % WEEK < end - start);
  if (!current) {
    const [next] = week.map(([start]) => start).sort((a, b) => until(a) - until(b));
    const isToday = next > minute && Math.floor(next / DAY) === Math.floor(minute / DAY);
    return `Closed now, opens ${isToday ? "" : `${DAYS[Math.floor(next / DAY)]} `}at ${clock(next)}`;
  }
  // Periods that follow one another without a break are joined.
  let left = current[1] - minute;
  if (left > WEEK) left -= WEEK;
  for (let next = current; left < DAY && (next = week.find(([start]) => start === next[1] % WEEK));) left += next[1] - next[0];
  return left < DAY ? `Open now, closes at ${clock(minute + left)}` : "Open now";
}

const clock = (minutes) => `${Math.floor(minutes / 60) % 24}:${String(minutes % 60).padStart(2, "0")}`;

/** The minutes since Monday 0:00 at a place; `null` if its time zone is unknown. */
function minuteOfWeek(now, timeZone) {
  if (!timeZone) return null;
  try {
    const format = new Intl.DateTimeFormat("en-GB", { timeZone, weekday: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
    const { weekday, hour, minute } = Object.fromEntries(format.formatToParts(now).map(({ type, value }) => [type, value]));
    return DAYS.indexOf(weekday) * DAY + Number(hour) * 60 + Number(minute);
  } catch {
    // The browser does not know the time zone.
    return null;
  }
}
