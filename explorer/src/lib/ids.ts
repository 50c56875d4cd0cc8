// What an id tells of itself: its kind, and when it was given out.

import { TEXTS } from "./texts.js";

const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const DAY = 86_400_000;

/** Returns the milliseconds since 1970 in an id of a kind; undefined for what is no such id. */
export function timeIn(kind: string, id: string): number | undefined {
  const digits = id.startsWith(`${kind}_`) ? id.slice(kind.length + 1) : "";
  const values = [...digits].map((digit) => DIGITS.indexOf(digit));
  if (values.length !== 26 || values.includes(-1) || (values[0] ?? 8) > 7) return undefined;
  return values.slice(0, 10).reduce((time, value) => time * 32 + value, 0);
}

/**
 * Tells if a memory can have given out the id of a turn that it does not hold: then the turn was forgotten. A forgotten
 * turn leaves nothing behind, not even its id; but ids tell when they were given out, and no memory gave out one before
 * it began.
 */
export function wasATurn(id: string, memory: string, now: number): boolean {
  const [given, began] = [timeIn("turn", id), timeIn("memory", memory)];
  return given !== undefined && given >= (began ?? 0) - DAY && given <= now + DAY;
}

/** Returns what to say of an id of a kind that a memory does not hold. */
export const absent = (kind: "note" | "entity", id: string): string =>
  timeIn(kind, id) === undefined ? TEXTS.gone.unknown(kind) : TEXTS.gone.item(kind);
