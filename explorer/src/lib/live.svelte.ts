// What other processes do to the memory that is shown, as the server tells it.
import { HmemError, KeyRefused, MemoryNotFound, NotAllowed } from "hmem";

import { session } from "./session.svelte.js";

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 5_000;

let revision = $state(0);
let lost = $state(false);
let gone = $state(false);

export const live = {
  /** A number that grows whenever the memory changed; a view that reads it in an effect is loaded anew. */
  get revision(): number {
    return revision;
  },
  /** True while the server does not answer. */
  get lost(): boolean {
    return lost;
  },
  /** True when the memory was deleted while it was shown. */
  get gone(): boolean {
    return gone;
  },
};

/** Follows a memory until the signal; a lost server is asked again until it is back. */
export async function follow(memory: string, signal: AbortSignal): Promise<void> {
  gone = false;
  let seen: string | undefined;
  let pause = FIRST_PAUSE;
  while (!signal.aborted) {
    try {
      for await (const state of session.memory(memory).live({ signal, retries: 0 })) {
        const now = JSON.stringify(state);
        if (seen !== undefined && (seen !== now || lost)) revision += 1;
        [seen, lost, pause] = [now, false, FIRST_PAUSE];
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof HmemError)) throw error;
      if (error instanceof MemoryNotFound) gone = true;
      // The view tells of these, and goes on with another key.
      if (gone || error instanceof KeyRefused || error instanceof NotAllowed) return;
      lost = true;
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
    pause = Math.min(2 * pause, LONGEST_PAUSE);
  }
}
