// @ts-check
/** Which runs are recalled into and captured, whose memory it is, and what a chat may be told. */

import { createHash } from "node:crypto";

/** @typedef {import("./config.js").Config} Config */

/**
 * What a hook's context tells of a run, as far as it matters here.
 * @typedef {{agentId?: string, sessionKey?: string, sessionId?: string, runId?: string, trigger?: string,
 *   inputProvenance?: {kind?: string}, senderId?: string}} Run
 */

const LONGEST = 64;
const CHAT = /:(?:direct|dm|group|channel|room|slash):/;
const SUBAGENT = /(?:^|:)subagent:/;
const INCOGNITO = /(?:^|:)incognito-/;
const SCHEDULE = /^(?:agent:[^:]*:)?cron:/;
const WEBHOOK = /^(?:agent:[^:]*:)?hook:/;
const MOST = 500;

/**
 * Tell if a run's prompt is a person's, rather than another agent's or OpenClaw's own.
 * @param {Run} run
 */
export function isFromPerson(run) {
  return (run.inputProvenance?.kind ?? "external_user") === "external_user";
}

/**
 * Tell if a run's prompt is told what it calls to mind. Scheduled work is: its prompt was written by a person. Not so
 * heartbeats, sub-agents (who asked them knows it already), messages of other agents, and webhooks, whose senders are
 * strangers.
 * @param {Run} run
 */
export function isRecalledInto(run) {
  const key = run.sessionKey ?? "";
  return isFromPerson(run) && run.trigger !== "heartbeat" && !SUBAGENT.test(key) && !WEBHOOK.test(key);
}

/**
 * Tell if what is said in a run is kept: not in heartbeats, schedules, webhooks and sub-agents, and by nobody in an
 * incognito session.
 * @param {Run} run
 */
export function isCaptured(run) {
  const key = run.sessionKey ?? "";
  const unkept = [SUBAGENT, INCOGNITO, SCHEDULE, WEBHOOK].some((each) => each.test(key));
  return Boolean(run.sessionId) && (run.trigger ?? "user") === "user" && !unkept;
}

/** Whose words a session may be told: all that its agent keeps, or those of one chat alone. */
export class Chats {
  /** Chats of sub-agents, which are those of the sessions that asked them. @type {Map<string, string | undefined>} */
  #asked = new Map();
  #config;

  /** @param {Config} config */
  constructor(config) {
    this.#config = config;
  }

  /**
   * Return the chat that a session is limited to: a group, or a direct chat with a session of its own, with its
   * threads; undefined for the agent's main session and others that are its owner's alone.
   *
   * A sub-agent of which it is not known who asked it is limited to a chat of its own, where nothing was said.
   * @param {string | undefined} sessionKey
   * @returns {string | undefined}
   */
  of(sessionKey) {
    if (this.#config.chats === "shared" || !sessionKey) return undefined;
    if (this.#asked.has(sessionKey)) return this.#asked.get(sessionKey);
    if (!CHAT.test(sessionKey) && !SUBAGENT.test(sessionKey)) return undefined;
    return sessionKey.replace(/^agent:[^:]*:/, "").replace(/:(?:thread|topic):.*$/, "");
  }

  /**
   * Take note that a session asked a sub-agent.
   * @param {string} child
   * @param {string | undefined} requester
   */
  asked(child, requester) {
    if (requester) remember(this.#asked, child, this.of(requester));
  }
}

/**
 * Return the name of the memory of an agent.
 * @param {string | undefined} agentId
 * @param {Config} config
 */
export function memoryOf(agentId, config) {
  if (config.agents === "shared") return config.memory;
  const agent = agentId || "main";
  const name = `${config.memory}-${agent}`;
  if (name.length <= LONGEST && /^[A-Za-z0-9](?:[\w-]*[A-Za-z0-9])?$/.test(name)) return name;
  return `${config.memory}-${digest(agent)}`;
}

/**
 * Return a short digest of some texts.
 * @param {...string} texts
 */
export function digest(...texts) {
  return createHash("sha256").update(JSON.stringify(texts)).digest("hex").slice(0, 32);
}

/**
 * Put a value into a map that forgets the oldest.
 * @template T
 * @param {Map<string, T>} map
 * @param {string} key
 * @param {T} value
 */
export function remember(map, key, value) {
  map.delete(key);
  map.set(key, value);
  const oldest = map.keys().next().value;
  if (map.size > MOST && oldest !== undefined) map.delete(oldest);
}
