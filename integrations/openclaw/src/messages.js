// @ts-check
/** A session's messages as the memory keeps them: who said what, when, under an id that is the same each time. */

import { digest } from "./policy.js";
import { replied, said, senderIn, textOf } from "./text.js";

/** @typedef {import("./memory.js").Message} Message */

// A request has room for 4 MB. A longer message is several turns.
const PARTS = /[^]{1,500000}/gu;

/**
 * A message of a session, as hooks get it.
 * @typedef {{role?: string, content?: unknown, timestamp?: number | string, provenance?: {kind?: string}}} Said
 */

/**
 * Return the time of a message in milliseconds; NaN without one.
 * @param {Said} message
 */
export function timeOf(message) {
  return typeof message.timestamp === "number" ? message.timestamp : Date.parse(String(message.timestamp));
}

/**
 * Return the messages that a run added: those later than what was captured before, and those behind the history that
 * its prompt had. If neither is known, those from the last one of the user on.
 * @param {Said[]} messages
 * @param {number | undefined} captured time of the last captured message
 * @param {number | undefined} history number of messages before the run
 */
export function added(messages, captured = Infinity, history = Infinity) {
  // Compaction within a run leaves fewer messages than there were before it.
  const known = captured < Infinity || history < messages.length;
  const start = known ? history : Math.max(messages.findLastIndex((each) => each.role === "user"), 0);
  return messages.filter((each, place) => timeOf(each) > captured || place >= start);
}

/**
 * Return messages as turns of a memory. Tool calls, their results, thoughts and summaries of compaction are none.
 *
 * A session can go on for months; in the memory each of its days is a session. Of a run that no person began, such as
 * one that brings a sub-agent's result, only the agent's answer is kept.
 * @param {Said[]} messages
 * @param {{sessionId: string, agentId: string, person: boolean, user: string, sender: string | undefined}} of
 * @returns {Message[]}
 */
export function turnsOf(messages, of) {
  return messages.flatMap((message) => {
    const role = message.role;
    if (role !== "assistant" && (role !== "user" || !of.person)) return [];
    if (![undefined, "external_user"].includes(message.provenance?.kind)) return [];
    const raw = textOf(message.content);
    const content = role === "user" ? said(raw) : replied(raw);
    const time = Number.isNaN(timeOf(message)) ? Date.now() : timeOf(message);
    const speaker = role === "user" ? (senderIn(raw) ?? of.sender ?? of.user) : undefined;
    return (content.match(PARTS) ?? []).map((part, place) => ({
      role,
      content: part,
      ...(speaker ? { speaker } : {}),
      at: new Date(time).toISOString(),
      session: `${of.sessionId} ${dayOf(time)}`,
      agent: of.agentId,
      message_id: digest(of.sessionId, role, String(message.timestamp ?? ""), String(place), part),
    }));
  });
}

/**
 * Return the day of a time, here.
 * @param {number} time
 */
export function dayOf(time) {
  const at = new Date(time);
  const two = (/** @type {number} */ number) => String(number).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}
