// @ts-check
/** hmem as the memory of OpenClaw. */

import { definePluginEntry } from "openclaw/plugin-sdk/plugin-entry";
import { capabilityOf } from "./src/capability.js";
import { configOf } from "./src/config.js";
import { doctor, show, told } from "./src/doctor.js";
import { Hooks } from "./src/hooks.js";
import { Memories } from "./src/memory.js";
import { Chats, memoryOf } from "./src/policy.js";
import { Server } from "./src/server.js";
import { NAMES, toolsOf } from "./src/tools.js";

const ID = "hmem";
const RECALL_SPARE_MS = 1_000;

/** @typedef {import("openclaw/plugin-sdk/plugin-entry").OpenClawPluginApi} Api */

/**
 * Return the parts that the plugin's registrations in a process share: the host registers it several times.
 * @param {Api} api
 */
function parts(api) {
  const config = configOf(api.pluginConfig, api.runtime.state.resolveStateDir());
  const key = JSON.stringify(config);
  const held = shared.get(key);
  if (held) return held;
  const server = new Server(config);
  const memories = new Memories(config, server);
  const chats = new Chats(config);
  const made = { config, server, memories, chats, hooks: new Hooks(config, memories, chats, api.logger) };
  shared.set(key, made);
  return made;
}

/** @type {Map<string, {config: import("./src/config.js").Config, server: Server, memories: Memories, chats: Chats, hooks: Hooks}>} */
const shared = new Map();

/** @param {Api} api */
function register(api) {
  api.registerCli(({ program, config }) => commands(api, program, config), {
    descriptors: [{ name: ID, description: "Check and show the memory of your agents", hasSubcommands: true }],
  });
  if (api.registrationMode === "cli-metadata" || api.registrationMode === "setup-only") return;
  const { config, server, memories, chats, hooks } = parts(api);
  api.registerMemoryCapability(capabilityOf(memories, config, chats));
  api.registerTool((place) => toolsOf(memories, config, place, chats.of(place.sessionKey)), { names: NAMES });
  api.on(
    "before_prompt_build",
    async (event, run) => {
      const prependContext = await hooks.recall(event, run);
      run.hookInvocation?.assertActive();
      return prependContext === undefined ? undefined : { prependContext };
    },
    { timeoutMs: config.timeoutMs + RECALL_SPARE_MS },
  );
  api.on("subagent_spawned", (event, { requesterSessionKey }) => chats.asked(event.childSessionKey, requesterSessionKey));
  api.on("agent_end", (event, run) => hooks.capture(event, run));
  api.registerService({
    id: ID,
    start({ logger }) {
      // The gateway does not wait for it: a first prompt does, within its own limit.
      server
        .find()
        .then(({ url }) => logger.info(`hmem: the memory is served at ${url}`))
        .then(() => memories.deliver())
        .catch((error) => logger.warn(`hmem: no memory yet: ${error.message}`));
    },
    stop: () => server.stop(),
  });
}

/**
 * @param {Api} api
 * @param {any} program the command line's root, a Command of commander
 * @param {any} config
 */
function commands(api, program, config) {
  const command = program.command(ID).description("Check and show the memory of your agents");
  command
    .command("doctor")
    .description("Check the server, the permissions and each agent's memory")
    .action(async () => {
      const { config: settings, memories, server } = parts(api);
      const agents = Object.keys(config?.agents?.entries ?? {});
      const checks = await doctor({ config, settings, memories, server, agents: agents.length ? agents : ["main"] });
      console.log(told(checks));
      if (checks.some((each) => !each.ok)) process.exitCode = 1;
    });
  command
    .command("show")
    .description("Show who is known, and what is in which tier")
    .option("--agent <id>", "whose memory", "main")
    .option("--consolidate", "first do now what idle time does")
    .action(async (/** @type {{agent: string, consolidate?: boolean}} */ options) => {
      const { config: settings, memories } = parts(api);
      console.log(await show(memories, memoryOf(options.agent, settings), options.consolidate === true));
    });
}

export default definePluginEntry({
  id: ID,
  name: ID,
  description: "Long-term memory: what was said in earlier sessions is recalled, and what is said is kept, word for word",
  kind: "memory",
  register,
});
