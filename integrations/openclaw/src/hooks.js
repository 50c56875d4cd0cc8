// @ts-check
/** Recall into a prompt, and capture at the end of a run. Neither ever fails a run: what is lacking is a line in the log. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { added, timeOf, turnsOf } from "./messages.js";
import { digest, isCaptured, isFromPerson, isRecalledInto, memoryOf, remember } from "./policy.js";
import { readJson, writePrivate } from "./server.js";
import { framed, linesOf, said } from "./text.js";

/** @typedef {import("./config.js").Config} Config */
/** @typedef {import("./memory.js").Memories} Memories */
/** @typedef {import("./messages.js").Said} Said */
/** @typedef {import("./policy.js").Run} Run */
/** @typedef {{info(text: string): void, warn(text: string): void}} Logger */

const SHORTEST_QUESTION = 3;
const LONGEST_QUESTION = 2_000;
const CAPTURE_MS = 25_000;

/** The two hooks, with what they remember of sessions. */
export class Hooks {
  #config;
  #memories;
  #chats;
  #logger;
  /** Profiles, by session: handed over when it begins, and the same until it ends. @type {Map<string, string[]>} */
  #profiles = new Map();
  /** Number of messages before a run, and whether a person began it, by run. @type {Map<string, {history: number, person: boolean}>} */
  #begun = new Map();
  #away = false;

  /**
   * @param {Config} config
   * @param {Memories} memories
   * @param {import("./policy.js").Chats} chats
   * @param {Logger} logger
   */
  constructor(config, memories, chats, logger) {
    this.#config = config;
    this.#memories = memories;
    this.#chats = chats;
    this.#logger = logger;
  }

  /**
   * Return what a prompt is told, in a frame; undefined if there is nothing.
   * @param {{prompt: string, currentUserMessage?: string, messages: unknown[]}} event
   * @param {Run} run
   * @returns {Promise<string | undefined>}
   */
  async recall(event, run) {
    const history = /** @type {Said[]} */ (event.messages);
    if (run.runId) remember(this.#begun, run.runId, { history: history.length, person: isFromPerson(run) });
    if (!this.#config.recall || !isRecalledInto(run)) return undefined;
    try {
      const lines = await this.#lines(said(event.currentUserMessage ?? event.prompt), history, run);
      this.#back();
      return lines.length ? framed(lines.join("\n")) : undefined;
    } catch (error) {
      this.#lacking("nothing was recalled", error);
      return undefined;
    }
  }

  /**
   * @param {string} question
   * @param {Said[]} history
   * @param {Run} run
   */
  async #lines(question, history, run) {
    const signal = AbortSignal.timeout(this.#config.timeoutMs);
    const memory = this.#memories.of(memoryOf(run.agentId, this.#config), this.#chats.of(run.sessionKey));
    const asks = question.length >= SHORTEST_QUESTION && !question.startsWith("/");
    const [profile, context] = await Promise.all([
      this.#profile(memory, run.sessionId, history.length === 0, signal),
      asks ? memory.context(question.slice(0, LONGEST_QUESTION), this.#config.tokens, signal) : undefined,
    ]);
    const lines = context?.text ? linesOf(context, shown(context.evidence, history, run.sessionId)) : [];
    return [...profile, ...lines];
  }

  /**
   * @param {import("./memory.js").Memory} memory
   * @param {string | undefined} session
   * @param {boolean} begins
   * @param {AbortSignal} signal
   */
  async #profile(memory, session, begins, signal) {
    const held = session && !begins ? this.#profiles.get(session) : undefined;
    if (held !== undefined) return held;
    const lines = await memory.profile(signal);
    if (session) remember(this.#profiles, session, lines);
    return lines;
  }

  /**
   * Keep what a run added to its session.
   * @param {{messages: unknown[]}} event
   * @param {Run} run
   */
  async capture(event, run) {
    // The end of a run does not tell who began it.
    const begun = run.runId === undefined ? undefined : this.#begun.get(run.runId);
    if (!this.#config.capture || !isCaptured(run)) return;
    const session = String(run.sessionId);
    const chat = this.#chats.of(run.sessionKey);
    const messages = /** @type {Said[]} */ (event.messages);
    const fresh = added(messages, this.#captured(session), begun?.history);
    const turns = turnsOf(fresh, {
      sessionId: session,
      agentId: run.agentId ?? "main",
      person: isFromPerson(run) && begun?.person !== false,
      user: this.#config.user,
      sender: chat === undefined ? undefined : run.senderId,
    });
    if (!turns.length) return;
    const kept = turns.map((turn) => (chat === undefined ? turn : { ...turn, metadata: { chat } }));
    const latest = Math.max(...fresh.map(timeOf).filter((time) => !Number.isNaN(time)));
    try {
      await this.#memories.keep(memoryOf(run.agentId, this.#config), kept, AbortSignal.timeout(CAPTURE_MS));
      this.#back();
    } catch (error) {
      this.#lacking(`${turns.length} messages were put into ${join(this.#config.folder, "outbox")}`, error);
    }
    if (Number.isFinite(latest)) writePrivate(this.#file(session), { latest });
  }

  /** @param {string} session */
  #captured(session) {
    const latest = readJson(this.#file(session))?.latest;
    return typeof latest === "number" ? latest : undefined;
  }

  /** @param {string} session */
  #file(session) {
    const folder = join(this.#config.folder, "sessions");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return join(folder, `${digest(session)}.json`);
  }

  /**
   * Log what is lacking, once until the memory is back.
   * @param {string} what
   * @param {unknown} error
   */
  #lacking(what, error) {
    if (!this.#away) this.#logger.warn(`hmem: ${what}: ${error instanceof Error ? error.message : error}`);
    this.#away = true;
  }

  #back() {
    if (this.#away) this.#logger.info("hmem: the memory is back");
    this.#away = false;
  }
}

/**
 * Return the ids of the evidence that a prompt's own history shows already.
 * @param {{id: string, session: string, when: string}[]} evidence
 * @param {Said[]} history
 * @param {string | undefined} sessionId
 */
export function shown(evidence, history, sessionId) {
  const times = history.filter((each) => each.role === "user" || each.role === "assistant").map(timeOf);
  const oldest = Math.min(...times.filter((time) => !Number.isNaN(time)));
  const own = evidence.filter((each) => each.session.startsWith(`${sessionId} `) && Date.parse(each.when) >= oldest);
  return new Set(own.map((each) => each.id));
}
