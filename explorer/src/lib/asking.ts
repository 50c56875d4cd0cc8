// A question with its conditions, as an address has them.
import type { Arguments } from "hmem";

export const NUMBERS = { k: 10, tokens: 1200 } as const;
/** Conditions by the names of the server's arguments. */
export const CONDITIONS = ["as_of", "valid_at", "speaker", "session", "since", "until", "entity", "user", "recipe"] as const;

type Conditions = Omit<Arguments<"ask">, "question" | "trace" | "terms" | "tokens">;

/** Returns the conditions of an address; a day without a time of `until` is that whole day. */
export function conditionsOf(query: URLSearchParams, recipe?: string): Conditions {
  const given = CONDITIONS.map((name) => [name, query.get(name) || undefined] as const).filter(([, value]) => value);
  return { ...Object.fromEntries(given), ...(recipe && { recipe }) } as Conditions;
}

export function numberOf(query: URLSearchParams, name: keyof typeof NUMBERS): number {
  return Number(query.get(name) ?? NUMBERS[name]) || NUMBERS[name];
}
