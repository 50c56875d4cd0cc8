import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Hmem, type Memory, NotAllowed } from "hmem";

import { Server } from "./serving.js";

const ANSWER = "Maria, 11 Aug 2023: “I adopted a puppy named Coco”";

let server: Server;
let hmem: Hmem;
let memory: Memory;

before(async () => {
  server = await Server.start();
  hmem = new Hmem({ url: server.url });
  memory = await hmem.open("alice");
  await memory.add({ text: "I adopted a puppy named Coco", speaker: "Maria", at: "2023-08-11T10:00:00Z", session: "s1" });
});
after(() => server.stop());

test("a turn is found, in evidence, in a context and in an answer", async () => {
  const found = await memory.search({ question: "Who is Coco?", k: 3 });
  assert.equal(found.evidence[0]?.text, "I adopted a puppy named Coco");
  assert.equal(found.evidence[0].speaker, "Maria");
  const { text, tokens } = await memory.context({ question: "Who is Coco?", tokens: 200 });
  assert.match(text, /puppy named Coco/);
  assert.ok(tokens <= 200);
  const answer = await memory.ask({ question: "Who adopted a puppy?" });
  assert.equal(answer.text, ANSWER);
  assert.equal(answer.abstained, false);
});

test("an answer comes in pieces, and last as a whole", async () => {
  const said: string[] = [];
  let whole;
  for await (const { event, data } of memory.askStream({ question: "Who adopted a puppy?" })) {
    said.push(event);
    if (event === "answer") whole = data;
  }
  assert.deepEqual([...new Set(said)], ["piece", "plan", "evidence", "answer"]);
  assert.equal(whole?.text, ANSWER);
  assert.equal(whole.evidence[0]?.text, "I adopted a puppy named Coco");
});

test("who leaves a streamed answer early is left alone", async () => {
  for await (const { event } of memory.askStream({ question: "Who adopted a puppy?" })) {
    assert.equal(event, "piece");
    break;
  }
  assert.equal((await memory.stats()).turns, 1);
});

test("a list is read page by page, whatever its cursor is called", async () => {
  const list = await hmem.open("list");
  const messages = Array.from({ length: 7 }, (_, number) => ({ text: `Item ${number}`, session: `s${number}` }));
  const receipts = await list.addBatch({ messages, speaker: "Maria" });
  assert.deepEqual(new Set(receipts.map(({ fate }) => fate)), new Set(["stored"]));
  const texts = [];
  for await (const turn of list.each("list", { limit: 3 })) texts.push(turn.text);
  assert.deepEqual(texts, messages.map(({ text }) => text));
  const sessions = [];
  for await (const session of list.each("sessions", { limit: 2 })) sessions.push(session.id);
  assert.deepEqual(sessions, messages.map(({ session }) => session));
  const names = [];
  for await (const name of hmem.memories()) names.push(name);
  assert.deepEqual(names, ["alice", "list"]);
});

test("a memory is seen as it was", async () => {
  const one = await hmem.open("past");
  const { id } = await one.add({ text: "I live in Porto", speaker: "Ben", at: "2023-08-11T10:00:00Z" });
  await one.correct({ id: id ?? "", text: "I live in Lisbon", why: "a slip" });
  const [now] = (await one.search({ question: "Where does Ben live?" })).evidence;
  const [then] = (await one.search({ question: "Where does Ben live?", as_of: "2023-09-01" })).evidence;
  assert.equal(now?.text, "I live in Lisbon");
  assert.equal(then?.text, "I live in Porto");
});

test("a number, a name in any script and a date come back as they went", async () => {
  const one = await hmem.open("été-日本");
  const text = "「犬」 \u2028 \u{1f436} a\nb";
  const { id } = await one.add({ text, speaker: "Ана", metadata: { nested: { n: [1, 2.5, null] } } });
  const turn = await one.get({ id: id ?? "" });
  assert.ok("speaker" in turn && turn.text === text && turn.speaker === "Ана");
  assert.deepEqual(turn.metadata, { nested: { n: [1, 2.5, null] } });
});

test("a call that is aborted ends with its reason, and nothing is tried again", async () => {
  await assert.rejects(memory.stats({}, { signal: AbortSignal.abort() }), { name: "AbortError" });
  const controller = new AbortController();
  let tries = 0;
  const silent = new Hmem({
    url: server.url,
    fetch: (_, init) => {
      tries += 1;
      return new Promise((_resolve, reject) =>
        init?.signal?.addEventListener("abort", () => reject(init.signal?.reason)),
      );
    },
  });
  const call = silent.memory("alice").stats({}, { signal: controller.signal });
  controller.abort(new Error("enough"));
  await assert.rejects(call, { message: "enough" });
  assert.equal(tries, 1);
});

test("a streamed answer that is aborted ends with its reason", async () => {
  const controller = new AbortController();
  await assert.rejects(
    async () => {
      for await (const { event } of memory.askStream({ question: "Who is Coco?" }, { signal: controller.signal })) {
        assert.ok(event);
        controller.abort(new Error("enough"));
      }
    },
    (error: Error) => error.message === "enough",
  );
});

test("every path is there with its types", async () => {
  const { data } = await hmem.http().GET("/v1/memories/{memory}/persona", {
    params: { path: { memory: "alice" }, query: { speaker: "Maria" } },
  });
  assert.equal(data?.speaker, "Maria");
  const health = await hmem.http().GET("/healthz");
  assert.equal(health.data?.status, "ok");
});

test("a key is sent, and its rights are told apart", async () => {
  const guarded = await Server.start();
  try {
    await new Hmem({ url: guarded.url }).open("alice");
    const key = guarded.key("--name", "ann", "--memory", "alice", "--scope", "read");
    const ann = new Hmem({ url: guarded.url, key }).memory("alice");
    assert.equal((await ann.stats()).turns, 0);
    await assert.rejects(ann.add({ text: "Hello", speaker: "Ann" }), NotAllowed);
  } finally {
    await guarded.stop();
  }
});
