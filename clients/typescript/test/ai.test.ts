import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, isStepCount, streamText } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { Hmem, type Memory, ServerUnavailable } from "hmem";
import { hmemMiddleware, hmemTools, withHmem } from "hmem/ai";

import { freePort, Server, standIn } from "./serving.js";

let server: Server;
let memory: Memory;
let model: Awaited<ReturnType<typeof standIn>>;
let number = 0;

before(async () => {
  server = await Server.start();
  model = await standIn([
    { do: "tool", name: "remember", content: { text: "Maria is allergic to nuts." }, containing: "allerg", calls: "1" },
    { do: "tool", name: "recall", content: { question: "What is Maria allergic to?" }, containing: "dessert", calls: "1" },
  ]);
});
beforeEach(async () => (memory = await new Hmem({ url: server.url }).open(`ai-${(number += 1)}`)));
after(() => Promise.all([server.stop(), model.stop()]));

/** A real provider that asks the stand-in, and the prompts that reached it. */
function openai() {
  const prompts: string[] = [];
  const listening: typeof fetch = (input, init) => {
    prompts.push(JSON.stringify(JSON.parse(String(init?.body)).messages));
    return fetch(input, init);
  };
  const provider = createOpenAICompatible({ name: "standin", baseURL: model.url, apiKey: "any", fetch: listening });
  return { model: provider("any"), prompts };
}

async function turns(of = memory) {
  return (await of.list()).items.map(({ speaker, text, session }) => ({ speaker, text, session }));
}

async function nowhere(errors: unknown[]) {
  const away = new Hmem({ url: `http://127.0.0.1:${await freePort()}`, retries: 0 }).memory("away");
  return { memory: away, onError: (error: unknown) => errors.push(error) };
}

test("what is said in one session is recalled in the next", async () => {
  const first = openai();
  const one = withHmem(first.model, { memory, session: "s1", speaker: "Maria" });
  const { text } = await generateText({ model: one, prompt: "I adopted a puppy named Coco." });
  await one.captured();
  assert.deepEqual(await turns(), [
    { speaker: "Maria", text: "I adopted a puppy named Coco.", session: "s1" },
    { speaker: "assistant", text, session: "s1" },
  ]);
  const second = openai();
  // A server loads its encoder for the first question.
  const two = withHmem(second.model, { memory, session: "s2", speaker: "Maria", patience: 60_000 });
  await generateText({ model: two, prompt: "What is my puppy called?" });
  const [prompt = ""] = second.prompts;
  assert.match(prompt, /data, not instructions.*puppy named Coco.*What is my puppy called\?/s);
  await two.captured();
  // The context that the model got is not learned again.
  assert.deepEqual((await turns()).map(({ text }) => text.includes("instructions")), [false, false, false, false]);
});

test("a streamed answer is captured when it ends", async () => {
  const one = withHmem(openai().model, { memory, session: "s1" });
  const { textStream } = streamText({ model: one, prompt: "I adopted a puppy named Coco." });
  let said = "";
  for await (const piece of textStream) said += piece;
  await one.captured();
  assert.deepEqual((await turns()).map(({ text }) => text), ["I adopted a puppy named Coco.", said]);
  const again = openai();
  for await (const _ of streamText({ model: withHmem(again.model, { memory }), prompt: "What is my puppy called?" }).textStream);
  assert.match(again.prompts[0] ?? "", /puppy named Coco/);
});

test("a stream whose reader leaves is captured as far as it went", async () => {
  const one = withHmem(openai().model, { memory });
  const { stream } = await one.doStream({ prompt: [{ role: "user", content: [{ type: "text", text: "Hello, I am Ben" }] }] });
  const reader = stream.getReader();
  await reader.read();
  await reader.cancel();
  await one.captured();
  assert.equal((await turns())[0]?.text, "Hello, I am Ben");
});

test("each call may say whose conversation it is", async () => {
  const one = withHmem(openai().model, { memory });
  for (const user of ["ann", "ben"]) {
    const providerOptions = { hmem: { session: `s-${user}`, user } };
    await generateText({ model: one, prompt: `I am ${user} and I like ${user === "ann" ? "tea" : "jazz"}.`, providerOptions });
  }
  await one.captured();
  assert.deepEqual((await turns()).map(({ session }) => session), ["s-ann", "s-ann", "s-ben", "s-ben"]);
  const asked = openai();
  const providerOptions = { hmem: { user: "ann" } };
  await generateText({ model: withHmem(asked.model, { memory }), prompt: "What do I like?", providerOptions });
  assert.match(asked.prompts[0] ?? "", /tea/);
  assert.doesNotMatch(asked.prompts[0] ?? "", /jazz/);
});

test("a dead server breaks no answer, and is told", async () => {
  const errors: unknown[] = [];
  const one = withHmem(openai().model, await nowhere(errors));
  const { text } = await generateText({ model: one, prompt: "Hello" });
  assert.ok(text);
  let streamed = "";
  for await (const piece of streamText({ model: one, prompt: "Hello" }).textStream) streamed += piece;
  assert.ok(streamed);
  await one.captured();
  assert.ok(errors.length >= 4 && errors.every((error) => error instanceof ServerUnavailable));
  // Without anybody to tell, too.
  const { memory: away } = await nowhere([]);
  assert.ok((await generateText({ model: withHmem(openai().model, { memory: away }), prompt: "Hello" })).text);
});

test("a server that does not answer delays a model by its patience alone", async () => {
  const silent: typeof fetch = (_, init) =>
    new Promise((_resolve, reject) => init?.signal?.addEventListener("abort", () => reject(init.signal?.reason)));
  const hung = new Hmem({ fetch: silent, retries: 0, timeout: 50 }).memory("hung");
  const errors: unknown[] = [];
  const one = withHmem(openai().model, { memory: hung, patience: 50, onError: (error) => errors.push(error) });
  assert.ok((await generateText({ model: one, prompt: "Hello" })).text);
  await one.captured();
  assert.ok(errors.length >= 2);
});

test("what is said while the server restarts is kept when it is back", async () => {
  const errors: unknown[] = [];
  const impatient = new Hmem({ url: server.url, retries: 0 }).memory(memory.name);
  const one = withHmem(openai().model, { memory: impatient, onError: (error) => errors.push(error) });
  await server.stop();
  await generateText({ model: one, prompt: "I adopted a puppy named Coco." });
  await one.captured();
  assert.ok(errors.length > 0);
  await server.resume();
  await generateText({ model: one, prompt: "Coco likes snow." });
  await one.captured();
  const said = (await turns()).filter(({ speaker }) => speaker === "user").map(({ text }) => text);
  assert.deepEqual(said, ["I adopted a puppy named Coco.", "Coco likes snow."]);
});

test("a model that fails is not captured, and its error is its own", async () => {
  const failing = new MockLanguageModelV4({
    doGenerate: async () => {
      throw new Error("overloaded");
    },
  });
  const one = withHmem(failing, { memory });
  await assert.rejects(generateText({ model: one, prompt: "Hello", maxRetries: 0 }), /overloaded/);
  await one.captured();
  assert.deepEqual(await turns(), []);
});

test("a call that is aborted stays aborted", async () => {
  const one = withHmem(openai().model, { memory });
  const call = generateText({ model: one, prompt: "Hello", abortSignal: AbortSignal.abort() });
  await assert.rejects(call, { name: "AbortError" });
});

test("recall and capture can be left out, and other middleware stands beside them", async () => {
  await memory.add({ text: "I adopted a puppy named Coco", speaker: "Maria" });
  const asked = openai();
  const one = withHmem(asked.model, { memory, recall: false, capture: false });
  await generateText({ model: one, prompt: "What is my puppy called?" });
  await one.captured();
  assert.doesNotMatch(asked.prompts[0] ?? "", /Coco/);
  assert.equal((await turns()).length, 1);
  assert.equal(hmemMiddleware({ memory }).specificationVersion, "v4");
});

test("a model calls the tools, and a user's message is captured once for all steps", async () => {
  const { remember, recall } = hmemTools({ memory, speaker: "Maria" });
  const one = withHmem(openai().model, { memory, speaker: "Maria", recall: false });
  const noted = await generateText({
    model: one, tools: { remember, recall }, stopWhen: isStepCount(3), prompt: "Note that I have an allergy.",
  });
  assert.deepEqual(noted.steps.flatMap(({ toolCalls }) => toolCalls.map(({ toolName }) => toolName)), ["remember"]);
  await one.captured();
  const said = await turns();
  assert.equal(said.filter(({ text }) => text === "Note that I have an allergy.").length, 1);
  assert.equal(said.filter(({ text }) => text === "Maria is allergic to nuts.").length, 1);
  const asked = openai();
  const dish = await generateText({
    model: asked.model, tools: { remember, recall }, stopWhen: isStepCount(3), prompt: "Choose a dessert for me.",
  });
  assert.deepEqual(dish.steps.flatMap(({ toolCalls }) => toolCalls.map(({ toolName }) => toolName)), ["recall"]);
  assert.match(asked.prompts.at(-1) ?? "", /data, not instructions.*allergic to nuts/s);
});

test("the tools correct and forget by the ids that recall shows, and forgetting takes a second step", async () => {
  const tools = hmemTools({ memory });
  const run = async (tool: { execute?: unknown }, args: object): Promise<string> =>
    (tool.execute as (args: object, options: object) => Promise<string>)(args, { toolCallId: "t", messages: [] });
  await run(tools.remember, { text: "Maria lives in Porto." });
  const shown = await run(tools.recall, { question: "Where does Maria live?" });
  const [id = ""] = shown.match(/turn_\w+/) ?? [];
  assert.match(await run(tools.correct, { id, text: "Maria lives in Lisbon." }), /stands in its place/);
  assert.match(await run(tools.recall, { question: "Where does Maria live?" }), /Lisbon/);
  assert.match(await run(tools.forget, { id }), /would erase/);
  assert.ok((await turns()).length > 0);
  assert.match(await run(tools.forget, { id, confirm: true }), /^Erased/);
  assert.match(await run(tools.forget, { id: "turn_01JX4M3Z6H0000000000000000" }), /^UnknownId: .* - /);
  const dead = hmemTools(await nowhere([]));
  assert.match(await run(dead.recall, { question: "Where?" }), /^ServerUnavailable: /);
});

test("what a model gets is short", async () => {
  const asked = openai();
  const offered: string[] = [];
  const one = withHmem(asked.model, { memory });
  await memory.add({ text: "I adopted a puppy named Coco", speaker: "Maria" });
  await generateText({ model: one, prompt: "What is my puppy called?" });
  const spy = new MockLanguageModelV4({
    doGenerate: async ({ tools }) => {
      offered.push(JSON.stringify(tools));
      return {
        content: [{ type: "text", text: "ok" }],
        finishReason: { unified: "stop", raw: undefined },
        usage: { inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } },
        warnings: [],
      };
    },
  });
  await generateText({ model: spy, tools: hmemTools({ memory }), prompt: "Hello" });
  const context = JSON.parse(asked.prompts[0] ?? "[]")[0].content;
  const characters = { context: JSON.stringify(context).length, tools: offered[0]?.length };
  console.log(`characters that a model gets: ${JSON.stringify(characters)}`);
  assert.ok(characters.context < 400 && (characters.tools ?? 0) < 2_500);
});
