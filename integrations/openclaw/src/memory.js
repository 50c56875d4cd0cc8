// @ts-check
/** An agent's memory on the server: requests, their errors, and a folder for what could not be delivered yet. */

import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { digest } from "./policy.js";
import { Unreachable, readJson, writePrivate } from "./server.js";
import { oneLine } from "./text.js";

/** @typedef {import("./server.js").Server} Server */
/** @typedef {import("./config.js").Config} Config */
/** @typedef {import("./text.js").Context} Context */

/**
 * A message as the server takes it.
 * @typedef {{role: string, content: string, speaker?: string, at?: string, session?: string, agent?: string,
 *   message_id?: string, metadata?: Record<string, string>}} Message
 */

/**
 * A piece of evidence, or a turn.
 * @typedef {{id: string, text: string, when?: string, at?: string, session: string, speaker: string,
 *   relevance?: number | null, metadata?: Record<string, string>}} Found
 */

/** An answer of the server that refuses something; `code` is the name of hmem's error. */
export class Refused extends Error {
  /**
   * @param {string} code
   * @param {string} detail
   */
  constructor(code, detail) {
    super(`${code}: ${detail}`);
    this.code = code;
  }
}

// The server takes 1,000 messages and 4 MB at most.
const BATCH = 100;
const BATCH_CHARACTERS = 500_000;

/** The memories of all agents, over one server. */
export class Memories {
  #config;
  #server;

  /**
   * @param {Config} config
   * @param {Server} server
   */
  constructor(config, server) {
    this.#config = config;
    this.#server = server;
  }

  /**
   * Return the memory of a name; what it tells is limited to one chat, if one is given.
   * @param {string} name
   * @param {string} [chat]
   */
  of(name, chat) {
    return new Memory(this, name, chat);
  }

  /**
   * Ask the server, and return its answer.
   * @param {string} method
   * @param {string} path
   * @param {unknown} body
   * @param {AbortSignal} [signal]
   * @returns {Promise<any>}
   */
  async ask(method, path, body, signal) {
    try {
      return await this.#ask(method, path, body, signal);
    } catch (error) {
      if (!(error instanceof Unreachable) || signal?.aborted || !this.#server.lost()) throw error;
      return this.#ask(method, path, body, signal);
    }
  }

  /**
   * Make a memory, by the configured recipe, unless there is one.
   * @param {string} name
   * @param {AbortSignal} [signal]
   */
  async create(name, signal) {
    try {
      await this.ask("POST", "memories", { name, recipe: this.#config.recipe }, signal);
    } catch (error) {
      if (!(error instanceof Refused) || error.code !== "MemoryExists") throw error;
    }
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {unknown} body
   * @param {AbortSignal} [signal]
   */
  async #ask(method, path, body, signal) {
    const address = await within(this.#server.find(), signal);
    let response;
    try {
      response = await fetch(`${address.url}/v1/${path}`, {
        method,
        headers: {
          "Content-Type": "application/json",
          ...(address.key ? { Authorization: `Bearer ${address.key}` } : {}),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal ? { signal } : {}),
      });
      /** @type {any} */
      const answer = await response.json();
      if (response.ok) return answer;
      throw new Refused(String(answer.name ?? response.status), String(answer.detail ?? response.statusText));
    } catch (error) {
      if (error instanceof Refused) throw error;
      if (signal?.aborted) throw new Unreachable(`the server at ${address.url} did not answer in time`);
      if (response) throw new Unreachable(`what answers at ${address.url} is no hmem server`);
      throw new Unreachable(`no server answers at ${address.url}`);
    }
  }

  // What could not be delivered.

  get #outbox() {
    return join(this.#config.folder, "outbox");
  }

  /** The files of what waits to be delivered, oldest first. */
  waiting() {
    try {
      return readdirSync(this.#outbox).filter((name) => name.endsWith(".json")).sort();
    } catch {
      return [];
    }
  }

  /**
   * Keep messages of a memory. If that is not possible now they wait in a file, and are delivered before the next ones.
   * @param {string} name
   * @param {Message[]} messages
   * @param {AbortSignal} [signal]
   * @returns {Promise<number>} how many were stored
   */
  async keep(name, messages, signal) {
    try {
      await this.deliver(signal);
      return await this.of(name).add(messages, signal);
    } catch (error) {
      mkdirSync(this.#outbox, { recursive: true, mode: 0o700 });
      const file = `${Date.now()}-${digest(JSON.stringify(messages)).slice(0, 8)}.json`;
      writePrivate(join(this.#outbox, file), { name, messages });
      throw error;
    }
  }

  /**
   * Deliver what waits. What is refused waits on, for another key perhaps, and does not hold up other memories.
   * @param {AbortSignal} [signal]
   */
  async deliver(signal) {
    const refusing = new Set();
    for (const file of this.waiting()) {
      const place = join(this.#outbox, file);
      const held = readJson(place);
      if (refusing.has(held?.name)) continue;
      try {
        if (held) await this.of(held.name).add(held.messages, signal);
        rmSync(place, { force: true });
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        refusing.add(held.name);
      }
    }
  }
}

/** One memory. Every request for it makes it first, if there is none. */
export class Memory {
  #memories;
  #chat;

  /**
   * @param {Memories} memories
   * @param {string} name
   * @param {string | undefined} chat
   */
  constructor(memories, name, chat) {
    this.#memories = memories;
    this.#chat = chat;
    this.name = name;
  }

  /** The condition that keeps an answer to one chat. */
  get #within() {
    return this.#chat === undefined ? {} : { metadata: { chat: this.#chat } };
  }

  /**
   * Store messages, and return how many were new.
   * @param {Message[]} messages
   * @param {AbortSignal} [signal]
   */
  async add(messages, signal) {
    let stored = 0;
    for (const batch of batches(messages)) {
      /** @type {{fate: string}[]} */
      const receipts = await this.#ask("POST", "turns/batch", { messages: batch }, signal);
      stored += receipts.filter((each) => each.fate === "stored").length;
    }
    return stored;
  }

  /**
   * Store a message, and return its id.
   * @param {Message} message
   * @param {AbortSignal} [signal]
   * @returns {Promise<string>}
   */
  async addOne(message, signal) {
    const metadata = this.#chat === undefined ? {} : { metadata: { chat: this.#chat } };
    return (await this.#ask("POST", "turns", { ...message, ...metadata }, signal)).id;
  }

  /**
   * Return what answers a question, as text for a prompt.
   * @param {string} question
   * @param {number} tokens
   * @param {AbortSignal} [signal]
   * @returns {Promise<Context>}
   */
  context(question, tokens, signal) {
    return this.#ask("POST", "context", { question, tokens, ...this.#within }, signal);
  }

  /**
   * Return the evidence for a question, best first.
   * @param {string} question
   * @param {number} k
   * @param {AbortSignal} [signal]
   * @returns {Promise<Found[]>}
   */
  async search(question, k, signal) {
    return (await this.#ask("POST", "search", { question, k, terms: 0, ...this.#within }, signal)).evidence;
  }

  /**
   * Return a turn, event or note by its id; undefined if there is none, or another chat's.
   * @param {string} id
   * @param {AbortSignal} [signal]
   * @returns {Promise<Found | undefined>}
   */
  async get(id, signal) {
    try {
      const item = await this.#ask("GET", `items?id=${encodeURIComponent(id)}`, undefined, signal);
      return this.#chat === undefined || item.metadata?.chat === this.#chat ? item : undefined;
    } catch (error) {
      if (error instanceof Refused && error.code === "UnknownId") return undefined;
      throw error;
    }
  }

  /**
   * Return the turns of a session that follow one.
   * @param {Found} turn
   * @param {number} limit
   * @param {AbortSignal} [signal]
   * @returns {Promise<Found[]>}
   */
  async after(turn, limit, signal) {
    const query = new URLSearchParams({ session: turn.session, after: turn.id, limit: String(limit) });
    return (await this.#ask("GET", `turns?${query}`, undefined, signal)).items;
  }

  /**
   * Erase turns for good, or with `preview` tell what would go.
   * @param {string[]} ids
   * @param {boolean} preview
   * @param {AbortSignal} [signal]
   * @returns {Promise<{turns: number, ids: string[]}>}
   */
  forget(ids, preview, signal) {
    return this.#ask("POST", "forget", { ids, preview, by: "agent" }, signal);
  }

  /**
   * Return the profile of the person who said most, a line each; empty if nothing is known, and in a group's chat.
   * @param {AbortSignal} [signal]
   * @returns {Promise<string[]>}
   */
  async profile(signal) {
    if (this.#chat !== undefined) return [];
    const { text } = await this.#ask("GET", "profile", undefined, signal);
    return text ? text.split("\n").map(oneLine) : [];
  }

  /**
   * Return counts, times and sizes.
   * @param {AbortSignal} [signal]
   */
  stats(signal) {
    return this.#ask("GET", "stats", undefined, signal);
  }

  /**
   * Return which turns are in which tier.
   * @param {AbortSignal} [signal]
   */
  tiers(signal) {
    return this.#ask("GET", "tiers", undefined, signal);
  }

  /**
   * Do what idle time does by itself, and return what was done.
   * @param {AbortSignal} [signal]
   */
  consolidate(signal) {
    return this.#ask("POST", "consolidate", {}, signal);
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {unknown} body
   * @param {AbortSignal} [signal]
   */
  async #ask(method, path, body, signal) {
    const whole = `memories/${encodeURIComponent(this.name)}/${path}`;
    try {
      return await this.#memories.ask(method, whole, body, signal);
    } catch (error) {
      if (!(error instanceof Refused) || error.code !== "MemoryNotFound") throw error;
      await this.#memories.create(this.name, signal);
      return this.#memories.ask(method, whole, body, signal);
    }
  }
}

/**
 * Yield messages in batches that a server takes, in their order.
 * @param {Message[]} messages
 */
export function* batches(messages) {
  /** @type {Message[]} */
  let batch = [];
  let characters = 0;
  for (const message of messages) {
    if (batch.length === BATCH || (batch.length && characters + message.content.length > BATCH_CHARACTERS)) {
      yield batch;
      [batch, characters] = [[], 0];
    }
    batch.push(message);
    characters += message.content.length;
  }
  if (batch.length) yield batch;
}

/**
 * Return what a promise gives, unless a signal comes first.
 * @template T
 * @param {Promise<T>} promise
 * @param {AbortSignal} [signal]
 * @returns {Promise<T>}
 */
async function within(promise, signal) {
  if (!signal) return promise;
  const { promise: aborted, reject } = Promise.withResolvers();
  const end = () => reject(new Unreachable("hmem serve is still starting"));
  if (signal.aborted) end();
  signal.addEventListener("abort", end, { once: true });
  try {
    return await Promise.race([promise, /** @type {Promise<never>} */ (aborted)]);
  } finally {
    signal.removeEventListener("abort", end);
  }
}
