import type { Memory } from "./client.js";
import { InputError, InvalidTurn } from "./generated/errors.js";
import { randomId } from "./transport.js";

// Characters of a request. A server that finds one too large may close the connection before it says so.
const MOST = 500_000;
const BATCH = 100;

/** A message as it is kept. */
export interface RecordedMessage {
  text: string;
  speaker: string;
  role?: "user" | "assistant" | undefined;
  session?: string | undefined;
  user?: string | undefined;
  agent?: string | undefined;
}

export interface RecorderOptions {
  /** Is told what could not be kept, and why; by default nobody is. */
  onError?: ((error: unknown) => void) | undefined;
  /** Keeps a serverless function alive until everything is sent, as `waitUntil` of its platform does. */
  waitUntil?: ((sent: Promise<void>) => void) | undefined;
  /** How many messages wait at most while the server is away; 1,000 by default. */
  limit?: number | undefined;
}

interface Waiting extends RecordedMessage {
  at: string;
  message_id: string;
}

/**
 * Keeps messages without making anybody wait for it, in their order.
 *
 * While the server is away they wait in this process, and are sent with the next ones. Each has an id of its own, so one
 * that arrived before the connection broke is not kept twice.
 */
export class Recorder {
  readonly #memory: Memory;
  readonly #onError: (error: unknown) => void;
  readonly #waitUntil: ((sent: Promise<void>) => void) | undefined;
  readonly #limit: number;
  readonly #waiting: Waiting[] = [];
  #sending: Promise<void> | undefined;

  constructor(memory: Memory, { onError = () => {}, waitUntil, limit = 1_000 }: RecorderOptions = {}) {
    this.#memory = memory;
    this.#onError = onError;
    this.#waitUntil = waitUntil;
    this.#limit = limit;
  }

  /** Keeps messages; it returns at once, and never throws. */
  record(messages: readonly RecordedMessage[]): void {
    const at = new Date().toISOString();
    for (const message of messages) {
      if (message.text.length > MOST) {
        this.#tell(new InvalidTurn(`a message has up to ${MOST} characters here - this one is not kept`));
        continue;
      }
      if (this.#waiting.length >= this.#limit) {
        this.#waiting.shift();
        this.#tell(new Error(`the server is away, and more than ${this.#limit} messages wait - the oldest is given up`));
      }
      this.#waiting.push({ at, message_id: randomId(), ...message });
    }
    const sent = this.flush();
    try {
      this.#waitUntil?.(sent);
    } catch (error) {
      this.#tell(error);
    }
  }

  /** Sends what waits; afterwards everything is kept, or waits for the server to come back. Never throws. */
  async flush(): Promise<void> {
    // What came while another sending was ending is sent by a further one.
    await this.#sending;
    this.#sending ??= this.#send().finally(() => (this.#sending = undefined));
    await this.#sending;
  }

  async #send(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#first();
      const messages = batch.map((message) => ({ ...message }));
      try {
        for (const { fate, error } of await this.#memory.addBatch({ messages })) {
          if (fate === "rejected") this.#tell(new InvalidTurn(error ?? "a message was rejected"));
        }
      } catch (error) {
        this.#tell(error);
        // Sent again, they would be refused again.
        if (!(error instanceof InputError)) return;
      }
      const sent = new Set(batch);
      const left = this.#waiting.filter((message) => !sent.has(message));
      this.#waiting.splice(0, this.#waiting.length, ...left);
    }
  }

  /** Returns the messages that are sent next: as many as one request takes. */
  #first(): Waiting[] {
    let characters = 0;
    const end = this.#waiting.findIndex(({ text }) => (characters += text.length) > MOST);
    return this.#waiting.slice(0, end < 0 ? BATCH : Math.min(end, BATCH));
  }

  #tell(error: unknown): void {
    try {
      this.#onError(error);
    } catch {
      // Who is told must not break the answer of a model.
    }
  }
}
