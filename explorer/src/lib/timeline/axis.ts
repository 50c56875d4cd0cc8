// The axis of time: windows in seconds since 1970, how they are moved, and how sessions are counted in them.

export interface Window {
  from: number;
  to: number;
}

export type Unit = "hour" | "day" | "week" | "month" | "year";

const HOUR = 3_600;
const DAY = 24 * HOUR;
const LENGTHS: Record<Unit, number> = { hour: HOUR, day: DAY, week: 7 * DAY, month: 30.4 * DAY, year: 365.25 * DAY };
export const UNITS = Object.keys(LENGTHS) as Unit[];
/** The shortest window. */
export const LEAST = HOUR;
// Bars narrower than this are no longer told apart.
const NARROWEST = 7;

export const secondsOf = (time: string): number => Date.parse(time) / 1000;
export const lengthOf = ({ from, to }: Window): number => to - from;
export const timeOf = (seconds: number): string => new Date(1000 * seconds).toISOString();

/** Returns the window of everything that was said, with some room beside it. */
export function wholeOf(sessions: readonly { start: string; end: string }[]): Window {
  const from = Math.min(...sessions.map(({ start }) => secondsOf(start)));
  const to = Math.max(...sessions.map(({ end }) => secondsOf(end)));
  const room = Math.max(0.02 * (to - from), LEAST);
  return { from: from - room, to: to + room };
}

/** Returns a window that is as long, or shorter, and inside the whole. */
export function within(window: Window, whole: Window): Window {
  const length = Math.min(Math.max(lengthOf(window), LEAST), lengthOf(whole));
  const middle = (window.from + window.to) / 2;
  const from = Math.min(Math.max(lengthOf(window) < length ? middle - length / 2 : window.from, whole.from), whole.to - length);
  return { from, to: from + length };
}

/** Returns a window that is `factor` times as long, in which the time `at` keeps its place. */
export function zoomed(window: Window, factor: number, at: number, whole: Window): Window {
  const length = Math.min(Math.max(factor * lengthOf(window), LEAST), lengthOf(whole));
  const from = at - (length * (at - window.from)) / lengthOf(window);
  return within({ from, to: from + length }, whole);
}

/** Returns a window that is moved by a share of its length. */
export function panned(window: Window, share: number, whole: Window): Window {
  const by = share * lengthOf(window);
  return within({ from: window.from + by, to: window.to + by }, whole);
}

/** Returns a window as long as a unit, around the middle of another one. */
export function levelled(window: Window, unit: Unit, whole: Window): Window {
  const middle = (window.from + window.to) / 2;
  return within({ from: middle - LENGTHS[unit] / 2, to: middle + LENGTHS[unit] / 2 }, whole);
}

/** Returns the shortest unit whose bars can be told apart in a window so many pixels wide. */
export function unitOf(window: Window, pixels: number): Unit {
  const least = (NARROWEST * lengthOf(window)) / Math.max(pixels, 1);
  return UNITS.find((unit) => LENGTHS[unit] >= least) ?? "year";
}

/** Returns the start of the unit that a time is in, by the calendar of this browser. */
export function startOf(seconds: number, unit: Unit): number {
  const date = new Date(1000 * seconds);
  if (unit === "hour") date.setMinutes(0, 0, 0);
  else {
    date.setHours(0, 0, 0, 0);
    // Weeks begin on Mondays.
    if (unit === "week") date.setDate(date.getDate() - ((date.getDay() + 6) % 7));
    if (unit === "month") date.setDate(1);
    if (unit === "year") date.setMonth(0, 1);
  }
  return date.getTime() / 1000;
}

/** Returns the start of the unit after the one that a time is in. */
export function nextOf(seconds: number, unit: Unit): number {
  const begun = startOf(seconds, unit);
  // Half a unit more than one is always in the next, also where a day has 23 or 25 hours.
  return startOf(begun + 1.5 * LENGTHS[unit], unit);
}

/** Returns the starts of the units in which something was said, and how many turns in each. */
export function density(sessions: readonly { start: string; turns: number }[], unit: Unit): [number[], number[]] {
  const counts = new Map<number, number>();
  for (const { start, turns } of sessions) {
    const begun = startOf(secondsOf(start), unit);
    counts.set(begun, (counts.get(begun) ?? 0) + turns);
  }
  const starts = [...counts.keys()].sort((one, other) => one - other);
  return [starts, starts.map((begun) => counts.get(begun) ?? 0)];
}

/** Returns where a time is in a window, from 0 to 1 inside it. */
export const placeOf = (seconds: number, { from, to }: Window): number => (seconds - from) / (to - from);

export type Step = "earlier" | "later";

/** Returns a marked span after a step at its end: longer towards later, shorter towards earlier, never empty. */
export function stretched(span: Window | undefined, step: Step, window: Window, unit: Unit): Window {
  const { from, to } = span ?? { from: startOf((window.from + window.to) / 2, unit), to: startOf((window.from + window.to) / 2, unit) };
  if (step === "later") return { from, to: nextOf(Math.max(to, from), unit) };
  const before = startOf(to - 1, unit);
  return before > from ? { from, to: before } : { from: startOf(from - 1, unit), to };
}
