// @ts-check
/** The tools of an agent: search, get, add, and forget in two steps. */

import { digest, memoryOf } from "./policy.js";
import { amount, framed, oneLine, said } from "./text.js";

/** @typedef {import("./config.js").Config} Config */
/** @typedef {import("./memory.js").Memories} Memories */
/** @typedef {import("./memory.js").Memory} Memory */
/** @typedef {import("./memory.js").Found} Found */
/** @typedef {{agentId?: string, sessionId?: string, requesterSenderId?: string}} Place */
/** @typedef {{content: {type: "text", text: string}[], details: Record<string, unknown>}} Result */

/** The names of the tools, as the manifest declares them. */
export const NAMES = ["memory_search", "memory_get", "memory_add", "memory_forget"];

const MOST_FOUND = 6;
const FOLLOWING = 3;
const MOST_FORGOTTEN = 20;
const TIMEOUT_MS = 20_000;
const NOTHING = "Nothing in the memory tells of this.";

/**
 * Return the tools of an agent in a session.
 * @param {Memories} memories
 * @param {Config} config
 * @param {Place} place
 * @param {string | undefined} chat the one that they are limited to
 */
export function toolsOf(memories, config, place, chat) {
  const memory = memories.of(memoryOf(place.agentId, config), chat);
  return [
    tool(
      "memory_search",
      "Search memory",
      "Find what was said in earlier sessions, best first, with ids and days. Use it before you answer about people, " +
        "preferences, plans, decisions or anything talked about before.",
      {
        query: { type: "string", minLength: 1, description: "What is looked for, as a question or in words." },
        maxResults: { type: "integer", minimum: 1, maximum: 50, description: `${MOST_FOUND} by default.` },
      },
      ["query"],
      async ({ query, maxResults = MOST_FOUND }, signal) => {
        const found = await memory.search(query, maxResults, signal);
        return found.length ? framed(found.map(lineOf).join("\n")) : NOTHING;
      },
    ),
    tool(
      "memory_get",
      "Read memory",
      "Read a memory in full by its id, with what was said next.",
      { id: { type: "string", minLength: 1, description: "The id, as memory_search shows it." } },
      ["id"],
      async ({ id }, signal) => {
        const item = await memory.get(id, signal);
        if (!item) return `There is no memory ${oneLine(id)}.`;
        const next = item.id.startsWith("turn_") ? await memory.after(item, FOLLOWING, signal) : [];
        return framed([item, ...next].map(lineOf).join("\n"));
      },
    ),
    tool(
      "memory_add",
      "Remember",
      "Keep something for later sessions that the user asks you to remember, or that you concluded: a sentence of its " +
        "own. What is said in the conversation is kept anyway; do not add what was recalled.",
      { text: { type: "string", minLength: 1, description: "What to remember." } },
      ["text"],
      async ({ text }, signal, call) => {
        const content = said(text);
        if (!content) return "Not kept: nothing but recalled text.";
        const speaker = chat === undefined ? config.user : (place.requesterSenderId ?? config.user);
        const message = { role: "user", content, speaker, agent: place.agentId ?? "main" };
        const id = await memory.addOne({ ...message, message_id: digest(String(place.sessionId), call, content) }, signal);
        return `Kept as ${id}.`;
      },
    ),
    tool(
      "memory_forget",
      "Forget",
      "Erase memories for good, in two steps. First give `query` or `ids`: it tells what would go, and a code. Show " +
        "that to the user. Only when they agree, call it again with these `ids` and the code as `confirm`.",
      {
        query: { type: "string", minLength: 1, description: "What is to be forgotten, to find its ids." },
        ids: { type: "array", items: { type: "string" }, maxItems: MOST_FORGOTTEN, description: "Ids of what is to go." },
        confirm: { type: "string", description: "The code of the first step, once the user has agreed." },
      },
      [],
      ({ query, ids, confirm }, signal) => forget(memory, query, ids, confirm, signal),
    ),
  ];
}

/**
 * Tell what would be forgotten, with a code, or forget it if the code is given.
 * @param {Memory} memory
 * @param {string | undefined} query
 * @param {string[] | undefined} ids
 * @param {string | undefined} confirm
 * @param {AbortSignal} signal
 */
async function forget(memory, query, ids, confirm, signal) {
  const found = ids?.length
    ? await Promise.all(ids.slice(0, MOST_FORGOTTEN).map((id) => memory.get(id, signal)))
    : query
      ? await memory.search(query, MOST_FOUND, signal)
      : [];
  const items = found.filter((each) => each !== undefined);
  if (!items.length) return ids?.length || query ? NOTHING : "Give `query` or `ids` of what is to be forgotten.";
  const chosen = items.map((each) => each.id).sort();
  const code = digest(memory.name, ...chosen).slice(0, 8);
  if (confirm !== undefined && ids?.length) {
    if (confirm !== code) return "Nothing was forgotten: the code is not that of these ids. Begin with the first step.";
    const { turns } = await memory.forget(chosen, false, signal);
    return `Forgot ${amount(turns, "message")} for good.`;
  }
  const { turns } = await memory.forget(chosen, true, signal);
  return [
    `Nothing was forgotten yet. ${amount(turns, "message")} would go, for good:`,
    framed(items.map(lineOf).join("\n")),
    `Show this to the user. If they agree to all of it: confirm="${code}" with ids=${JSON.stringify(chosen)}; to less ` +
      "of it: ids alone, for a new code.",
  ].join("\n");
}

/**
 * Return a piece of evidence on one line.
 * @param {Found} found
 */
export function lineOf(found) {
  const day = String(found.when ?? found.at ?? "").slice(0, 10);
  const speaker = found.speaker ? ` ${oneLine(found.speaker)}:` : "";
  return `[${found.id}] ${day}${speaker} ${oneLine(found.text)}`;
}

/**
 * @param {string} name
 * @param {string} label
 * @param {string} description
 * @param {Record<string, object>} properties
 * @param {string[]} required
 * @param {(given: any, signal: AbortSignal, call: string) => Promise<string>} run
 */
function tool(name, label, description, properties, required, run) {
  return {
    name,
    label,
    description,
    parameters: { type: "object", properties, required, additionalProperties: false },
    /**
     * @param {string} call
     * @param {unknown} given
     * @param {AbortSignal} [signal]
     * @returns {Promise<Result>}
     */
    async execute(call, given, signal) {
      const late = AbortSignal.timeout(TIMEOUT_MS);
      const text = await run(given, signal ? AbortSignal.any([signal, late]) : late, call).catch((error) => {
        throw new Error(`the memory cannot be used now: ${error.message}`, { cause: error });
      });
      return { content: [{ type: "text", text }], details: {} };
    },
  };
}
