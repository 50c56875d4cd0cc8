import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Hmem, Recorder, ServerUnavailable } from "hmem";

import { Server } from "./serving.js";

let server: Server;

before(async () => (server = await Server.start()));
after(() => server.stop());

test("a call survives a restart of the server", async () => {
  const memory = await new Hmem({ url: server.url, retries: 8 }).open("restart");
  await memory.add({ text: "I adopted a puppy named Coco", speaker: "Maria" });
  await server.stop("SIGKILL");
  const added = memory.add({ text: "Coco likes snow", speaker: "Maria" });
  const [receipt] = await Promise.all([added, server.resume()]);
  assert.equal(receipt.fate, "stored");
  const { evidence } = await memory.search({ question: "What does Coco like?" });
  assert.equal(evidence[0]?.text, "Coco likes snow");
  assert.equal((await memory.stats()).turns, 2);
});

test("a write whose answer was lost is done once", async () => {
  await new Hmem({ url: server.url }).open("once");
  const keys: (string | null)[] = [];
  const losing: typeof fetch = async (input, init) => {
    keys.push(new Headers(init?.headers).get("Idempotency-Key"));
    const response = await fetch(input, init);
    if (keys.length === 1) throw new TypeError("the connection was lost");
    return response;
  };
  const memory = new Hmem({ url: server.url, fetch: losing }).memory("once");
  const { fate } = await memory.add({ text: "Hello", speaker: "Maria" });
  assert.equal(fate, "stored");
  assert.equal(keys.length, 2);
  assert.ok(keys[0] && keys[0] === keys[1]);
  assert.equal((await memory.stats()).turns, 1);
  const twice = new Hmem({ url: server.url }).memory("once");
  await twice.add({ text: "Again", speaker: "Maria" });
  await twice.add({ text: "Again", speaker: "Maria" });
  assert.equal((await memory.stats()).turns, 3);
});

test("a busy server is asked again when it said", async () => {
  const times: number[] = [];
  const busy: typeof fetch = async (input, init) => {
    times.push(Date.now());
    const problem = { type: "x", title: "x", status: 429, detail: "x - wait", name: "TooManyRequests" };
    if (times.length > 1) return fetch(input, init);
    return new Response(JSON.stringify(problem), { status: 429, headers: { "Retry-After": "1" } });
  };
  const hmem = new Hmem({ url: server.url, fetch: busy });
  await hmem.listMemories();
  assert.equal(times.length, 2);
  assert.ok((times[1] ?? 0) - (times[0] ?? 0) >= 990);
});

test("an answer that is cut in its middle is asked for again", async () => {
  let tries = 0;
  const cutting: typeof fetch = async (input, init) => {
    tries += 1;
    if (tries > 1) return fetch(input, init);
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"items": ['));
        controller.error(new TypeError("terminated"));
      },
    });
    return new Response(body);
  };
  const { items } = await new Hmem({ url: server.url, fetch: cutting }).listMemories();
  assert.ok(items.includes("once"));
  assert.equal(tries, 2);
});

test("no answer in time is a server that is away", async () => {
  const silent: typeof fetch = (_, init) =>
    new Promise((_resolve, reject) => init?.signal?.addEventListener("abort", () => reject(init.signal?.reason)));
  const hmem = new Hmem({ url: server.url, fetch: silent, timeout: 20, retries: 1 });
  await assert.rejects(hmem.listMemories(), (error) => {
    assert.ok(error instanceof ServerUnavailable);
    assert.equal((error.cause as Error).name, "TimeoutError");
    return true;
  });
});

test("what is recorded while the server is away is kept when it is back, once and in order", async () => {
  const memory = await new Hmem({ url: server.url, retries: 0 }).open("recorded");
  const errors: unknown[] = [];
  const sent: Promise<void>[] = [];
  const recorder = new Recorder(memory, { onError: (e) => errors.push(e), waitUntil: (p) => sent.push(p) });
  const say = (text: string) => recorder.record([{ text, speaker: "Maria", session: "s1" }]);
  say("one");
  await recorder.flush();
  await server.stop();
  say("two");
  say("three");
  await recorder.flush();
  assert.ok(errors.length > 0 && errors.every((error) => error instanceof ServerUnavailable));
  await server.resume();
  say("four");
  say("five");
  await Promise.all(sent);
  await recorder.flush();
  const { items } = await memory.list();
  assert.deepEqual(items.map(({ text }) => text), ["one", "two", "three", "four", "five"]);
});

test("a message that no memory keeps is told, and does not hold up the others", async () => {
  const memory = await new Hmem({ url: server.url }).open("rejected");
  const errors: unknown[] = [];
  const recorder = new Recorder(memory, {
    onError: (error) => {
      errors.push(error);
      throw new Error("whoever is told may fail");
    },
    limit: 3,
  });
  recorder.record(["", "two", "three", "four"].map((text) => ({ text, speaker: "Maria" })));
  await recorder.flush();
  assert.equal(errors.length, 1);
  assert.deepEqual((await memory.list()).items.map(({ text }) => text), ["two", "three", "four"]);
  recorder.record([{ text: " ", speaker: "Maria" }, { text: "five", speaker: "Maria" }]);
  await recorder.flush();
  assert.equal(errors.length, 2);
  assert.equal((errors[1] as Error).name, "InvalidTurn");
  assert.equal((await memory.list()).items.at(-1)?.text, "five");
});
