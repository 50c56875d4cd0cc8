// When somebody looked at a memory, and how many turns it had: numbers in a cookie of the page, and no text.

export interface Look {
  /** Number of the newest turn at that look. */
  seen: number;
  /** Milliseconds since 1970. */
  at: number;
}

// Who comes back sooner is still looking.
const PAUSE = 30 * 60_000;
const YEAR = 365 * 86_400;

/** Returns the looks that a cookie has: the one to compare with, if there is one, and the last. */
export function looksIn(cookies: string, id: string): Look[] {
  const value = cookies.split("; ").find((each) => each.startsWith(`hmem-look-${id}=`))?.split("=")[1];
  const numbers = (value ?? "").split(".").map(Number);
  if (numbers.length % 2 || numbers.some((each) => !Number.isSafeInteger(each) || each < 0)) return [];
  return numbers.flatMap((seen, place) => (place % 2 ? [] : [{ seen, at: numbers[place + 1] as number }]));
}

/** Returns the looks after one more: a look ends when nobody looks for half an hour. */
export function lookedAgain(looks: readonly Look[], now: Look): Look[] {
  const last = looks.at(-1);
  if (!last) return [now];
  return now.at - last.at > PAUSE ? [last, now] : [...looks.slice(0, -1), now];
}

/** Keeps the looks at a memory. */
export function keepLooks(id: string, looks: readonly Look[]): void {
  const value = looks.map(({ seen, at }) => `${seen}.${at}`).join(".");
  document.cookie = `hmem-look-${id}=${value}; path=/explore; max-age=${YEAR}; SameSite=Strict`;
}
