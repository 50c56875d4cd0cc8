import { HmemError } from "hmem";

import { session } from "./session.svelte.js";

/** Work that a view waits for: at most one at a time; a new one, or leaving, ends the one before. */
export class Task<Value> {
  value = $state.raw<Value>();
  error = $state.raw<HmemError>();
  working = $state(false);
  #controller: AbortController | undefined;
  #last: ((signal: AbortSignal) => Promise<Value>) | undefined;

  /** Does some work; what it returns is the value, and what it throws the error. */
  async run(work: (signal: AbortSignal) => Promise<Value>): Promise<void> {
    this.cancel();
    const controller = new AbortController();
    this.#controller = controller;
    this.#last = work;
    this.error = undefined;
    this.working = true;
    try {
      const value = await work(controller.signal);
      if (this.#controller === controller) this.value = value;
    } catch (error) {
      if (this.#controller !== controller) return;
      if (!(error instanceof HmemError)) throw error;
      this.error = error;
      session.note(error);
    } finally {
      if (this.#controller === controller) this.working = false;
    }
  }

  /** Does the last work once more. */
  again(): void {
    if (this.#last) void this.run(this.#last);
  }

  cancel(): void {
    this.#controller?.abort();
    this.#controller = undefined;
    this.working = false;
  }
}
