// What an id tells of itself: its kind, and when it was given out.

import { TEXTS } from "./texts.js";

const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const DAY = 86_400_000;

// An id has 48 bits of milliseconds, 16 of a group and 64 of a number.
const GROUP = 16n;
const NUMBER = 64n;
// Notes and entities are of no group, and a memory has not so many of them.
const MOST = 2n ** 48n;

/** Returns the bits of an id of a kind; undefined for what is no such id. */
function bitsOf(kind: string, id: string): bigint | undefined {
  const digits = id.startsWith(`${kind}_`) ? id.slice(kind.length + 1) : "";
  const values = [...digits].map((digit) => DIGITS.indexOf(digit));
  if (values.length !== 26 || values.includes(-1) || (values[0] ?? 8) > 7) return undefined;
  return values.reduce((bits, value) => bits * 32n + BigInt(value), 0n);
}

/** Returns the milliseconds since 1970 in an id of a kind; undefined for what is no such id. */
export function timeIn(kind: string, id: string): number | undefined {
  const bits = bitsOf(kind, id);
  return bits === undefined ? undefined : Number(bits >> (GROUP + NUMBER));
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

/** Returns what to say of an id of a kind that a memory, by its own id, does not hold. */
export function absent(kind: "turn" | "note" | "entity" | "node", id: string, memory: string, now: number): string {
  // A node's group is its tree.
  const bits = BigInt.asUintN(Number(kind === "node" ? NUMBER : GROUP + NUMBER), bitsOf(kind, id) ?? MOST);
  const was = kind === "turn" ? wasATurn(id, memory, now) : bits < MOST;
  return was ? TEXTS.gone.item(kind) : TEXTS.gone.unknown(kind);
}
