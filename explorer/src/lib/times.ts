const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

export const dayOf = (time: string): string => DAY.format(new Date(time));
export const momentOf = (time: string): string => MOMENT.format(new Date(time));

/** Returns the days from one time to another, without what both have. */
export const periodOf = (start: string, end: string): string => DAY.formatRange(new Date(start), new Date(end));

const MONTH = new Intl.DateTimeFormat(undefined, { month: "long", year: "numeric", timeZone: "UTC" });
const MONTH_ALONE = new Intl.DateTimeFormat(undefined, { month: "short", timeZone: "UTC" });
const DATE = new Intl.DateTimeFormat(undefined, { dateStyle: "long", timeZone: "UTC" });
const DATE_ALONE = new Intl.DateTimeFormat(undefined, { day: "numeric", timeZone: "UTC" });

/** Returns a year, month or day of the calendar tree, such as `2025-01-12`, in words; `short`: without what is above it. */
export function dateOf(label: string, short = false): string {
  const [year, month, day] = label.split("-").map(Number);
  if (!year || !month) return label;
  const date = Date.UTC(year, month - 1, day ?? 1);
  return (day ? (short ? DATE_ALONE : DATE) : short ? MONTH_ALONE : MONTH).format(date);
}
