// What changed from one version of a persona to another.
import type { Schemas } from "hmem";

export type Version = Schemas["PersonaVersion"];

/** Returns which traits a later version has lost and won, and which it kept, without regard to their order. */
export function traitsBetween(before: readonly string[], after: readonly string[]) {
  return {
    taken: before.filter((trait) => !after.includes(trait)),
    added: after.filter((trait) => !before.includes(trait)),
    kept: after.filter((trait) => before.includes(trait)),
  };
}

/** Returns the places of the two versions to compare: those that are asked for by number, or the last one in force and the one before. */
export function compared(versions: readonly Version[], from: string | null, to: string | null): [number, number] {
  const last = Math.max(0, versions.findLastIndex(({ undone }) => !undone));
  const later = placed(versions, to) ?? last;
  return [placed(versions, from) ?? Math.max(0, later - 1), later];
}

function placed(versions: readonly Version[], asked: string | null): number | undefined {
  const place = versions.findIndex(({ number }) => `${number}` === asked);
  return place < 0 ? undefined : place;
}
