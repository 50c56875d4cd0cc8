// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { shown } from "../src/hooks.js";
import { batches } from "../src/memory.js";
import { added, dayOf, turnsOf } from "../src/messages.js";

const OF = { sessionId: "s1", agentId: "main", person: true, user: "Maria", sender: undefined };
const AT = Date.parse("2026-11-23T12:00:00Z");
const USER = { role: "user", content: "I moved to Lisbon", timestamp: AT };
const REPLY = { role: "assistant", content: [{ type: "text", text: "Good to know" }], timestamp: AT + 1_000 };

test("messages become turns with speaker, time, day's session and id", () => {
  const [first, second] = turnsOf([USER, REPLY], OF);
  assert.equal(first?.speaker, "Maria");
  assert.equal(first?.at, "2026-11-23T12:00:00.000Z");
  assert.equal(first?.session, `s1 ${dayOf(AT)}`);
  assert.equal(second?.role, "assistant");
  assert.equal(second?.speaker, undefined);
  assert.notEqual(first?.message_id, second?.message_id);
});

test("the id of a message is the same each time, and another's in another session", () => {
  const ids = (/** @type {string} */ sessionId) => turnsOf([USER, REPLY], { ...OF, sessionId }).map((each) => each.message_id);
  assert.deepEqual(ids("s1"), ids("s1"));
  assert.notDeepEqual(ids("s1"), ids("s2"));
});

test("a message that is too long for a request is several turns, and none of it is lost", () => {
  const content = "word ".repeat(220_000).trim();
  const turns = turnsOf([{ ...USER, content }], OF);
  assert.equal(turns.length, 3);
  assert.equal(turns.map((each) => each.content).join(""), content);
  assert.equal(new Set(turns.map((each) => each.message_id)).size, 3);
  const sizes = [...batches([...turns, ...Array(250).fill({ role: "user", content: "short" })])].map((each) => each.length);
  assert.deepEqual(sizes, [1, 1, 100, 100, 51]);
});

test("tools, thoughts, summaries and messages of other agents are no turns", () => {
  const others = [
    { role: "toolResult", content: "42", timestamp: AT },
    { role: "assistant", content: [{ type: "toolCall", name: "x" }], timestamp: AT },
    { role: "compactionSummary", content: "They spoke of Lisbon", timestamp: AT },
    { role: "user", content: "Child finished", timestamp: AT, provenance: { kind: "inter_session" } },
    { role: "assistant", content: "NO_REPLY", timestamp: AT },
  ];
  assert.deepEqual(turnsOf(others, OF), []);
});

test("of a run that no person began only the answer is kept", () => {
  assert.deepEqual(turnsOf([USER, REPLY], { ...OF, person: false }).map((each) => each.role), ["assistant"]);
});

test("the sender of a group's message speaks, by name or else by id", () => {
  assert.equal(turnsOf([USER], { ...OF, sender: "4711" })[0]?.speaker, "4711");
  const named = "Conversation info: ⟦openclaw:ctx⟧\n```json\n{\"sender\": {\"name\": \"Ben\"}}\n```\n\nHello all";
  assert.deepEqual(turnsOf([{ ...USER, content: named }], { ...OF, sender: "4711" }).map((each) => [each.speaker, each.content]), [["Ben", "Hello all"]]);
});

test("a run added what is later than the last capture, and what is behind its history", () => {
  assert.deepEqual(added([USER, REPLY], AT, 2), [REPLY]);
  assert.deepEqual(added([USER, REPLY], AT, 9), [REPLY]);
  assert.deepEqual(added([USER, REPLY], AT + 1_000, undefined), []);
  assert.deepEqual(added([USER, REPLY], AT + 1_000, 1), [REPLY]);
});

test("without a capture a run added what is behind its history, else the last exchange", () => {
  const messages = [USER, REPLY, { ...USER, timestamp: AT + 2_000 }, { ...REPLY, timestamp: AT + 3_000 }];
  assert.deepEqual(added(messages, undefined, 0), messages);
  assert.deepEqual(added(messages, undefined, 2), messages.slice(2));
  assert.deepEqual(added(messages, undefined, undefined), messages.slice(2));
  // Compaction within the run left fewer messages than there were before it.
  assert.deepEqual(added(messages, undefined, 9), messages.slice(2));
});

test("what the history shows is not recalled again; what compaction took from it is", () => {
  const turn = (/** @type {string} */ id, /** @type {number} */ at, session = "s1 2026-11-23") => ({ id, session, when: new Date(at).toISOString() });
  const evidence = [turn("a", AT - 5_000), turn("b", AT + 500), turn("c", AT + 500, "s2 2026-11-23")];
  assert.deepEqual(shown(evidence, [USER, REPLY], "s1"), new Set(["b"]));
  assert.deepEqual(shown(evidence, [], "s1"), new Set());
});
