// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { configOf } from "../src/config.js";
import { Chats, isCaptured, isFromPerson, isRecalledInto, memoryOf } from "../src/policy.js";

const config = configOf({}, "/state", {});
const MAIN = { agentId: "main", sessionId: "s", sessionKey: "agent:main:main", trigger: "user" };

test("what a person says is recalled into and captured", () => {
  for (const key of ["agent:main:main", "agent:main:explicit:one", "agent:main:telegram:group:1", "agent:main:main:thread:9"]) {
    assert.ok(isRecalledInto({ ...MAIN, sessionKey: key }) && isCaptured({ ...MAIN, sessionKey: key }), key);
  }
});

test("schedules are recalled into, and not captured", () => {
  for (const run of [{ trigger: "cron" }, { sessionKey: "cron:job1" }, { sessionKey: "agent:main:cron:job1" }]) {
    assert.ok(isRecalledInto({ ...MAIN, ...run }) && !isCaptured({ ...MAIN, ...run }), JSON.stringify(run));
  }
});

test("heartbeats, webhooks and sub-agents are neither recalled into nor captured", () => {
  const kinds = [
    { trigger: "heartbeat" },
    { sessionKey: "hook:1" },
    { trigger: "heartbeat", sessionKey: "agent:main:cron:x" },
    { sessionKey: "agent:main:subagent:4f0c" },
    { sessionKey: "agent:main:subagent:4f0c", trigger: "cron" },
  ];
  for (const run of kinds) {
    assert.ok(!isRecalledInto({ ...MAIN, ...run }) && !isCaptured({ ...MAIN, ...run }), JSON.stringify(run));
  }
});

test("a message of another agent is not recalled into; its answer is captured, and it is not", () => {
  for (const kind of ["inter_session", "internal_system"]) {
    const run = { ...MAIN, inputProvenance: { kind } };
    assert.ok(!isRecalledInto(run) && isCaptured(run) && !isFromPerson(run), kind);
  }
});

test("an incognito session is not captured", () => {
  assert.ok(!isCaptured({ ...MAIN, sessionKey: "agent:main:dashboard:incognito-1" }));
});

test("a group, and a direct chat with its own session, is a chat apart; its threads belong to it", () => {
  const chats = new Chats(config);
  assert.equal(chats.of("agent:main:main"), undefined);
  assert.equal(chats.of("agent:main:explicit:one"), undefined);
  assert.equal(chats.of("agent:main:discord:channel:7"), "discord:channel:7");
  assert.equal(chats.of("agent:main:discord:channel:7:thread:8"), "discord:channel:7");
  assert.equal(chats.of("agent:main:telegram:direct:5"), "telegram:direct:5");
  assert.equal(new Chats({ ...config, chats: "shared" }).of("agent:main:telegram:direct:5"), undefined);
});

test("a sub-agent is limited as who asked it, and to nothing if that is not known", () => {
  const chats = new Chats(config);
  const child = "agent:main:subagent:1";
  assert.equal(chats.of(child), "subagent:1");
  chats.asked(child, "agent:main:discord:channel:7");
  chats.asked("agent:main:subagent:2", child);
  chats.asked("agent:main:subagent:3", "agent:main:main");
  assert.equal(chats.of(child), "discord:channel:7");
  assert.equal(chats.of("agent:main:subagent:2"), "discord:channel:7");
  assert.equal(chats.of("agent:main:subagent:3"), undefined);
});

test("each agent has a memory, whose name the server takes", () => {
  assert.equal(memoryOf("main", config), "openclaw-main");
  assert.equal(memoryOf(undefined, config), "openclaw-main");
  assert.equal(memoryOf("main", { ...config, agents: "shared" }), "openclaw");
  for (const odd of ["a/b", "x".repeat(80), "agent-"]) {
    assert.match(memoryOf(odd, config), /^openclaw-[0-9a-f]{32}$/);
  }
  assert.notEqual(memoryOf("a/b", config), memoryOf("a/c", config));
});

test("the configuration has its defaults, and the key of the environment", () => {
  assert.equal(config.recipe, "orchestrated");
  assert.equal(config.root, "/state/hmem/memories");
  assert.equal(configOf({ baseUrl: "http://h:1/" }, "/s", { HMEM_API_KEY: "k" }).baseUrl, "http://h:1");
  assert.equal(configOf({}, "/s", { HMEM_API_KEY: "k" }).apiKey, "k");
});
