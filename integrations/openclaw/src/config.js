// @ts-check
/** The plugin's configuration, with what holds where nothing is said. */

import { homedir } from "node:os";
import { join } from "node:path";

/**
 * @typedef {object} Config
 * @property {string | undefined} baseUrl address of a running server; undefined: the plugin starts one
 * @property {string | undefined} apiKey key of that server
 * @property {string} command program that is started
 * @property {string} root folder of the memories of a started server
 * @property {string} folder the plugin's own folder
 * @property {string} memory beginning of the names of the memories
 * @property {"separate" | "shared"} agents a memory for each agent, or one for all
 * @property {"separate" | "shared"} chats whether groups are told only what was said in them
 * @property {string} user name of the person who speaks in the main session
 * @property {string} recipe recipe of new memories
 * @property {boolean} recall
 * @property {boolean} capture
 * @property {number} tokens budget of a context
 * @property {number} timeoutMs longest wait of a prompt
 */

/**
 * Return the configuration.
 * @param {Record<string, any> | undefined} given as the user wrote it, checked against the manifest's schema by the host
 * @param {string} stateDir OpenClaw's folder
 * @param {Record<string, string | undefined>} environment
 * @returns {Config}
 */
export function configOf(given = {}, stateDir, environment = process.env) {
  const folder = join(stateDir, "hmem");
  return {
    baseUrl: given.baseUrl?.replace(/\/+$/, "") || undefined,
    apiKey: given.apiKey || environment.HMEM_API_KEY || undefined,
    command: given.command ?? "hmem",
    root: given.root ? given.root.replace(/^~(?=\/|$)/, homedir()) : join(folder, "memories"),
    folder,
    memory: given.memory ?? "openclaw",
    agents: given.agents ?? "separate",
    chats: given.chats ?? "separate",
    user: given.user ?? "user",
    recipe: given.recipe ?? "orchestrated",
    recall: given.recall ?? true,
    capture: given.capture ?? true,
    tokens: given.tokens ?? 500,
    timeoutMs: given.timeoutMs ?? 8000,
  };
}
