// What other processes do to the memory that is shown, as the server tells it.
import { HmemError, KeyRefused, MemoryNotFound, NotAllowed } from "hmem";

import { session } from "./session.svelte.js";

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 5_000;
// Fewer turns are formed before anybody has read of them.
const LEAST = 20;
// Times that views are loaded anew while turns are formed.
const STEPS = 8;

let revision = $state(0);
let lost = $state(false);
let gone = $state<"deleted" | "never">();
let unformed = $state(0);
let whole = $state(0);

export const live = {
  /** A number that grows whenever the memory changed; a view that reads it in an effect is loaded anew. */
  get revision(): number {
    return revision;
  },
  /** Turns that wait to be formed, of as many as there were to form when that began; undefined for a few. */
  get forming(): { left: number; of: number } | undefined {
    const of = Math.max(whole, unformed);
    return unformed && of >= LEAST ? { left: unformed, of } : undefined;
  },
  /** True while the server does not answer. */
  get lost(): boolean {
    return lost;
  },
  /** Whether the memory was deleted while it was shown, or there never was one, as far as anybody knows. */
  get gone(): "deleted" | "never" | undefined {
    return gone;
  },
};

/** Follows a memory until the signal; a lost server is asked again until it is back. */
export async function follow(memory: string, signal: AbortSignal): Promise<void> {
  [gone, unformed, whole] = [undefined, 0, 0];
  let seen: string | undefined;
  let pause = FIRST_PAUSE;
  while (!signal.aborted) {
    try {
      for await (const state of session.memory(memory).live({ signal, retries: 0 })) {
        whole = !state.unformed ? 0 : seen === undefined ? state.stored : Math.max(whole, state.unformed);
        unformed = state.unformed;
        // While many turns are formed, each of them is no news.
        const formed = unformed ? `${Math.floor(STEPS * (1 - unformed / whole))} of ${STEPS}` : state.formed;
        const now = JSON.stringify([state.turns, state.changes, formed]);
        if (seen !== undefined && (seen !== now || lost)) revision += 1;
        [seen, lost, pause] = [now, false, FIRST_PAUSE];
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof HmemError)) throw error;
      if (error instanceof MemoryNotFound) gone = seen === undefined ? "never" : "deleted";
      // The view tells of these, and goes on with another key.
      if (gone || error instanceof KeyRefused || error instanceof NotAllowed) return;
      lost = true;
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
    pause = Math.min(2 * pause, LONGEST_PAUSE);
  }
}
