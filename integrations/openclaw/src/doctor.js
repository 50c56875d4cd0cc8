// @ts-check
/** The commands `openclaw hmem doctor` and `openclaw hmem show`. */

import { memoryOf } from "./policy.js";
import { amount, oneLine } from "./text.js";

/** @typedef {import("./config.js").Config} Config */
/** @typedef {import("./memory.js").Memories} Memories */
/** @typedef {import("./server.js").Server} Server */
/** @typedef {{ok: boolean, text: string}} Check */

const TIMEOUT_MS = 70_000;
const SHOWN = 10;

/**
 * Check what the plugin needs, and return a line for each part.
 * @param {{config: any, settings: Config, memories: Memories, server: Server, agents: string[]}} of
 * @returns {Promise<Check[]>}
 */
export async function doctor({ config, settings, memories, server, agents }) {
  const checks = permissions(config);
  const waiting = memories.waiting().length;
  try {
    const { url } = await server.find();
    await memories.ask("GET", "memories?limit=1", undefined, AbortSignal.timeout(TIMEOUT_MS));
    const whose = settings.baseUrl ? "configured" : `started, memories in ${settings.root}`;
    checks.push({ ok: true, text: `the server answers at ${url} (${whose})` });
    for (const agent of settings.agents === "shared" ? ["all"] : agents) checks.push(await agentOf(memories, settings, agent));
    await memories.deliver(AbortSignal.timeout(TIMEOUT_MS));
    const left = memories.waiting().length;
    if (waiting > left) checks.push({ ok: true, text: `${amount(waiting - left, "capture that had waited was", "captures that had waited were")} delivered` });
    if (left) checks.push({ ok: false, text: `${amount(left, "capture is", "captures are")} refused by the server; nothing of them is lost` });
  } catch (error) {
    checks.push({ ok: false, text: error instanceof Error ? error.message : String(error) });
    if (waiting) checks.push({ ok: false, text: `${amount(waiting, "capture waits", "captures wait")} for the server; nothing of them is lost` });
  }
  return checks;
}

/**
 * Check what the user's configuration allows the plugin.
 * @param {any} config
 * @returns {Check[]}
 */
export function permissions(config) {
  const entry = config?.plugins?.entries?.hmem;
  return [
    config?.plugins?.slots?.memory === "hmem"
      ? { ok: true, text: "hmem is the memory of this OpenClaw" }
      : { ok: false, text: 'another plugin is the memory - set plugins.slots.memory: "hmem"' },
    entry?.hooks?.allowConversationAccess === true
      ? { ok: true, text: "it may read conversations" }
      : {
          ok: false,
          text: "it may not read conversations - set plugins.entries.hmem.hooks.allowConversationAccess: true",
        },
    entry?.hooks?.allowPromptInjection === false
      ? { ok: false, text: "it may not add to prompts - remove plugins.entries.hmem.hooks.allowPromptInjection: false" }
      : { ok: true, text: "it may add to prompts" },
  ];
}

/** @param {{ turns: number, sessions: number, notes: number }} stats */
const talkOf = ({ turns, sessions, notes }) => `${amount(turns, "message")} of ${amount(sessions, "session")}, ${amount(notes, "note")}`;

/**
 * @param {Memories} memories
 * @param {Config} settings
 * @param {string} agent
 * @returns {Promise<Check>}
 */
async function agentOf(memories, settings, agent) {
  const name = memoryOf(agent, settings);
  const stats = await memories.of(name).stats(AbortSignal.timeout(TIMEOUT_MS));
  const problem = stats.formation_problem ?? stats.consolidation_problem ?? stats.index_problem ?? stats.forgetting_problem;
  const held = `${name}: ${talkOf(stats)}`;
  return problem ? { ok: false, text: `${held}; ${problem}` } : { ok: true, text: held };
}

/**
 * Return checks as text, one line each.
 * @param {Check[]} checks
 */
export function told(checks) {
  return checks.map((each) => `${each.ok ? "ok  " : "FAIL"} ${each.text}`).join("\n");
}

/**
 * Return what an agent's memory holds of people and in its tiers, as text; with `consolidate` after doing now what
 * idle time does.
 * @param {Memories} memories
 * @param {string} name
 * @param {boolean} consolidate
 */
export async function show(memories, name, consolidate) {
  const memory = memories.of(name);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const done = consolidate ? await memory.consolidate(signal) : undefined;
  const [stats, profile, tiers] = await Promise.all([memory.stats(signal), memory.profile(signal), memory.tiers(signal)]);
  const records = [...tiers.cache, ...tiers.buffer].sort((one, other) => other.uses - one.uses || other.score - one.score);
  return [
    `${name}: ${talkOf(stats)}, ${amount(stats.events, "event")}`,
    ...(done ? [`Consolidated: ${amount(done.summaries, "text")} written, ${done.left} left`] : []),
    "",
    "Profile (handed over when a session begins):",
    ...profile.map((line) => `  ${line}`),
    "",
    `Tiers: ${tiers.counts.cache} in the cache, ${tiers.counts.buffer} in the buffer, ${tiers.counts.archive} in the archive`,
    "What was used most:",
    ...records
      .slice(0, SHOWN)
      .map((each) => `  ${each.tier} uses=${each.uses} importance=${each.importance} ${oneLine(each.speaker)}: ${oneLine(each.text).slice(0, 100)}`),
  ].join("\n");
}
