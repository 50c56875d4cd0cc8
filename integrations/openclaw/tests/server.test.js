// @ts-check
/** What needs a server: the address of one without keys is in HMEM_TEST_URL, where the test's runner started it. */

import assert from "node:assert/strict";
import { mkdtempSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { capabilityOf, classifyWorkspaceMemoryPaths } from "../src/capability.js";
import { configOf } from "../src/config.js";
import { doctor } from "../src/doctor.js";
import { Hooks } from "../src/hooks.js";
import { Memories, Refused } from "../src/memory.js";
import { Chats, memoryOf } from "../src/policy.js";
import { Server } from "../src/server.js";
import { toolsOf } from "../src/tools.js";

const url = process.env["HMEM_TEST_URL"];
const skip = url ? false : "no server";
const GROUP = "agent:main:telegram:group:77";
let names = 0;

/** @param {Record<string, unknown>} [given] */
function made(given) {
  const folder = mkdtempSync(join(tmpdir(), "hmem-openclaw-"));
  const config = configOf({ baseUrl: url, memory: `t${process.pid}-${names++}`, ...given }, folder, {});
  const server = new Server(config);
  const memories = new Memories(config, server);
  const chats = new Chats(config);
  /** @type {string[]} */
  const log = [];
  const logger = { info: (/** @type {string} */ text) => log.push(text), warn: (/** @type {string} */ text) => log.push(text) };
  const hooks = new Hooks(config, memories, chats, logger);
  let time = Date.now() - 60_000;
  return {
    config,
    memories,
    server,
    chats,
    log,
    hooks,
    /** @param {string} text @param {string} sessionKey */
    async say(text, sessionKey, sessionId = sessionKey) {
      const run = { agentId: "main", sessionKey, sessionId, runId: `run-${++time}`, trigger: "user", senderId: "42" };
      const told = await hooks.recall({ prompt: text, messages: [] }, run);
      await hooks.capture({ messages: [{ role: "user", content: text, timestamp: ++time }] }, run);
      return told ?? "";
    },
    /** @param {string} name @param {object} given @param {string} [sessionKey] */
    async use(name, given, sessionKey) {
      const tools = toolsOf(memories, config, { agentId: "main" }, chats.of(sessionKey));
      const tool = tools.find((each) => each.name === name);
      return String((await tool?.execute(`call-${++time}`, given))?.content[0]?.text);
    },
  };
}

test("a group is told only what was said in it, and its owner everything", { skip }, async () => {
  const { say, use } = made();
  await say("The combination of the safe is nine eight seven.", "agent:main:main");
  await say("The picnic of the choir is on the fourth of May.", GROUP);
  assert.doesNotMatch(await say("What is the combination of the safe?", `${GROUP}:thread:1`), /nine eight seven/);
  assert.match(await say("When is the picnic of the choir?", GROUP, "later"), /"42": The picnic/);
  assert.match(await say("When is the picnic of the choir?", "agent:main:main", "other"), /fourth of May/);
  assert.doesNotMatch(await use("memory_search", { query: "combination of the safe" }, GROUP), /nine eight seven/);
  const id = /\[(turn_\w+)\] \S+ user: The combination/.exec(await use("memory_search", { query: "combination of the safe" }))?.[1];
  assert.equal(await use("memory_get", { id }, GROUP), `There is no memory ${id}.`);
  assert.equal(await use("memory_forget", { ids: [id] }, GROUP), "Nothing in the memory tells of this.");
});

test("forgetting takes two steps, and a code that belongs to exactly these ids", { skip }, async () => {
  const { say, use } = made();
  await say("The password of the wifi is tangerine.", "agent:main:main");
  await say("The password of the door is marmalade.", "agent:main:main", "two");
  const preview = await use("memory_forget", { query: "password of the wifi" });
  assert.match(preview, /Nothing was forgotten yet/);
  const ids = JSON.parse(/with ids=(\[[^\]]*\])/.exec(preview)?.[1] ?? "[]");
  const confirm = /confirm="(\w+)"/.exec(preview)?.[1];
  assert.match(await use("memory_forget", { ids: ids.slice(0, 1), confirm }), /the code is not that of these ids/);
  assert.match(await use("memory_forget", { ids, confirm }), /^Forgot \d messages? for good/);
  assert.equal(await use("memory_get", { id: ids[0] }), `There is no memory ${ids[0]}.`);
});

test("what cannot be delivered waits in a private file, is told once, and is delivered later", { skip }, async () => {
  const away = made({ baseUrl: "http://127.0.0.1:9" });
  assert.equal(await away.say("The swallows came back on the second of April.", "agent:main:main"), "");
  await away.say("The storks came back a week before.", "agent:main:main");
  assert.equal(away.log.length, 1);
  assert.match(String(away.log[0]), /nothing was recalled: no server answers at http:\/\/127\.0\.0\.1:9/);
  assert.equal(away.memories.waiting().length, 2);
  assert.equal(statSync(join(away.config.folder, "outbox", String(away.memories.waiting()[0]))).mode & 0o777, 0o600);
  const config = { ...away.config, baseUrl: url };
  const back = new Memories(config, new Server(config));
  await back.deliver();
  assert.deepEqual(back.waiting(), []);
  const found = await back.of(memoryOf("main", config)).search("When did the swallows come back?", 1);
  assert.equal(found[0]?.text, "The swallows came back on the second of April.");
});

test("what is refused waits, and does not hold up other memories", { skip }, async () => {
  const { memories, config } = made();
  const [good, bad] = [memoryOf("main", config), "no/name"];
  await assert.rejects(memories.keep(bad, [{ role: "user", content: "One" }]), Refused);
  await assert.rejects(memories.keep(bad, [{ role: "user", content: "Two" }]), Refused);
  assert.equal(await memories.keep(good, [{ role: "user", content: "The oven is new." }]), 1);
  assert.equal(memories.waiting().length, 2);
});

test("the manager of searches searches, reads and tells its state", { skip }, async () => {
  const { say, memories, config, chats } = made();
  await say("The ferry to Tavira leaves from the eastern pier.", "agent:main:main");
  const { runtime } = capabilityOf(memories, config, chats);
  const { manager } = await runtime.getMemorySearchManager({ agentId: "main" });
  const [first] = (await manager?.search("ferry to Tavira")) ?? [];
  assert.match(String(first?.snippet), /eastern pier/);
  assert.match(String((await manager?.readFile({ relPath: String(first?.path) }))?.text), /eastern pier/);
  assert.equal((await manager?.readFile({ relPath: "hmem/turn_01M836R52B3NNP6R9HSNG5QSMT" }))?.status, "not_found");
  assert.deepEqual(await manager?.search("ferry to Tavira", { sessionKey: GROUP }), []);
  assert.equal(manager?.status().chunks, 1);
});

test("a workspace's own memory files stay in its prompts, and links do not", async () => {
  const workspaceDir = mkdtempSync(join(tmpdir(), "hmem-workspace-"));
  const { symlinkSync, writeFileSync } = await import("node:fs");
  writeFileSync(join(workspaceDir, "MEMORY.md"), "x");
  symlinkSync("/etc/hostname", join(workspaceDir, "USER.md"));
  const relativePaths = ["MEMORY.md", "USER.md", "memory/other.md"];
  const classes = await classifyWorkspaceMemoryPaths({ workspaceDir, relativePaths });
  assert.deepEqual(classes.map((each) => each.originClass), ["agent", "untrusted", "untrusted"]);
});

test("the doctor names what is missing", async () => {
  const { config: settings, memories, server } = made({ baseUrl: "http://127.0.0.1:9" });
  const checks = await doctor({ config: {}, settings, memories, server, agents: ["main"] });
  assert.deepEqual(checks.filter((each) => each.ok).map((each) => each.text), ["it may add to prompts"]);
  assert.match(checks.map((each) => each.text).join("\n"), /allowConversationAccess[^]*no server answers at/);
});

test("a program that is not there is named, and not tried at each prompt", async () => {
  const { say, log } = made({ baseUrl: undefined, command: "no-such-program" });
  await say("The lighthouse is white and red.", "agent:main:main");
  assert.match(String(log[0]), /there is no program no-such-program - pip install/);
});
