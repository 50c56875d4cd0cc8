import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";

import * as hmemModule from "hmem";
import {
  ERRORS,
  Hmem,
  HmemError,
  InputError,
  InvalidName,
  InvalidQuery,
  InvalidRequest,
  InvalidTime,
  InvalidTurn,
  KeyRefused,
  MemoryExists,
  MemoryNotFound,
  MessageConflict,
  NotAllowed,
  RepeatConflict,
  ServerError,
  ServerFault,
  ServerUnavailable,
  TooManyRequests,
  UnknownId,
  UnknownName,
} from "hmem";

import { freePort, Server } from "./serving.js";

interface Told {
  name: string;
  base: string;
}

// As the server's own code has them.
const TOLD: Told[] = JSON.parse(readFileSync(process.env["HMEM_ERRORS"] ?? "", "utf8"));

let server: Server;

before(async () => (server = await Server.start()));
after(() => server.stop());

function answering(status: number, body: string, headers: Record<string, string> = {}): typeof fetch {
  return async () => new Response(body, { status, headers });
}

test("each error of the server is a class of the same name under the same base", async () => {
  assert.ok(TOLD.length > 30);
  assert.deepEqual(Object.keys(ERRORS).sort(), TOLD.map(({ name }) => name).sort());
  for (const { name, base } of TOLD) {
    const problem = { type: "urn:hmem:error:x", title: "x", status: 422, detail: "what - and how", name };
    const fetch = answering(422, JSON.stringify(problem), { "X-Request-Id": "r1" });
    const error: unknown = await new Hmem({ fetch }).memory("a").stats().catch((error: unknown) => error);
    const kind = ERRORS[name as keyof typeof ERRORS];
    assert.equal((hmemModule as Record<string, unknown>)[name], kind);
    assert.ok(error instanceof kind && error instanceof HmemError && error instanceof Error);
    assert.equal(error.constructor, kind);
    assert.equal(error.name, name);
    assert.equal(error.message, "what - and how");
    assert.equal(error.requestId, "r1");
    assert.deepEqual(error.problem, problem);
    if (name !== "HmemError") assert.equal(Object.getPrototypeOf(kind).name, base);
  }
});

test("a server names what is wrong", async () => {
  const hmem = new Hmem({ url: server.url, retries: 0 });
  const memory = await hmem.open("alice");
  const cases: [() => Promise<unknown>, typeof HmemError, number][] = [
    [() => memory.add({ text: "  ", speaker: "Maria" }), InvalidTurn, 422],
    [() => memory.add({ text: "x", speaker: "Maria", at: "yesterweek" }), InvalidTime, 422],
    [() => memory.search({ question: "" }), InvalidQuery, 422],
    [() => memory.get({ id: "turn_01JX4M3Z6H0000000000000000" }), UnknownId, 404],
    [() => hmem.memory("nobody").stats(), MemoryNotFound, 404],
    [() => hmem.memory("con").stats(), InvalidName, 422],
    [() => hmem.createMemory({ name: "alice" }), MemoryExists, 409],
    [() => hmem.createMemory({ name: "bob", recipe: "soup" }), UnknownName, 422],
  ];
  for (const [call, kind, status] of cases) {
    await assert.rejects(call, (error) => {
      assert.ok(error instanceof HmemError);
      assert.equal(error.constructor, kind);
      assert.equal(error.status, status);
      assert.match(error.message, / - /);
      return true;
    });
  }
  await assert.rejects(hmem.memory("nobody").stats(), MemoryNotFound);
});

test("a malformed request tells where it is wrong", async () => {
  const memory = await new Hmem({ url: server.url }).open("alice");
  const wrong = { question: "x", k: "ten" } as unknown as { question: string };
  await assert.rejects(memory.search(wrong), (error) => {
    assert.ok(error instanceof InvalidRequest && error instanceof InputError);
    assert.equal(error.problem?.errors?.[0]?.where, "body.k");
    return true;
  });
});

test("ids and keys that were used for something else are conflicts", async () => {
  const memory = await new Hmem({ url: server.url }).open("alice");
  await memory.add({ text: "one", speaker: "Maria", message_id: "m1" });
  await assert.rejects(memory.add({ text: "two", speaker: "Maria", message_id: "m1" }), MessageConflict);
  await memory.add({ text: "three", speaker: "Maria" }, { idempotencyKey: "k1" });
  const again = memory.add({ text: "four", speaker: "Maria" }, { idempotencyKey: "k1" });
  await assert.rejects(again, RepeatConflict);
});

test("keys are refused by name, and too many requests are told with the time to wait", async () => {
  const guarded = await Server.start();
  try {
    await new Hmem({ url: guarded.url }).open("alice");
    const slow = guarded.key("--name", "slow", "--memory", "alice", "--scope", "read", "--rate", "0.01");
    const calls = { retries: 0 };
    await assert.rejects(new Hmem({ url: guarded.url, ...calls }).memory("alice").stats(), KeyRefused);
    await assert.rejects(new Hmem({ url: guarded.url, key: "no", ...calls }).memory("alice").stats(), KeyRefused);
    const memory = new Hmem({ url: guarded.url, key: slow }).memory("alice");
    await assert.rejects(new Hmem({ url: guarded.url, key: slow, ...calls }).memory("bob").stats(), NotAllowed);
    // It asks for more patience than the client has, so that is told at once.
    await assert.rejects(memory.stats(), (error) => {
      assert.ok(error instanceof TooManyRequests && error instanceof ServerError);
      assert.ok((error.retryAfter ?? 0) > 30);
      return true;
    });
  } finally {
    await guarded.stop();
  }
});

test("a server that is away, and what is no answer of hmem's, are told apart", async () => {
  const nowhere = new Hmem({ url: `http://127.0.0.1:${await freePort()}`, retries: 0 });
  await assert.rejects(nowhere.memory("a").stats(), (error) => {
    assert.ok(error instanceof ServerUnavailable && error instanceof ServerError);
    assert.equal(error.status, undefined);
    assert.ok(error.cause instanceof Error);
    return true;
  });
  const asked = (fetch: typeof globalThis.fetch) => new Hmem({ fetch, retries: 0 }).memory("a").stats();
  await assert.rejects(asked(answering(404, "<html>")), ServerFault);
  await assert.rejects(asked(answering(502, "<html>")), ServerUnavailable);
  await assert.rejects(asked(answering(200, "<html>")), ServerFault);
  await assert.rejects(asked(answering(500, JSON.stringify({ name: "constructor", detail: "x" }))), ServerFault);
  assert.throws(() => new Hmem({ url: "localhost:8765" }), InputError);
});

test("a stream that breaks, or tells a problem, ends with an error", async () => {
  const streaming = (text: string) =>
    new Hmem({ fetch: answering(200, text, { "Content-Type": "text/event-stream" }) }).memory("a");
  const read = async (memory: ReturnType<Hmem["memory"]>) => {
    const said = [];
    for await (const { event } of memory.askStream({ question: "x" })) said.push(event);
    return said;
  };
  await assert.rejects(read(streaming('event: piece\ndata: "a"\n\n')), ServerFault);
  await assert.rejects(read(streaming("event: piece\ndata: a\n\n")), ServerFault);
  const problem = JSON.stringify({ name: "ModelUnavailable", detail: "away - wait", status: 503 });
  await assert.rejects(read(streaming(`event: problem\ndata: ${problem}\n\n`)), ERRORS.ModelUnavailable);
  const memory = new Hmem({ url: server.url }).memory("nobody");
  await assert.rejects(read(memory), MemoryNotFound);
});
