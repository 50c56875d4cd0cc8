import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";

import { Agent } from "@mastra/core/agent";
import { Hmem, type Memory, ServerUnavailable } from "hmem";
import { HmemProcessor, hmemTools } from "hmem/mastra";

import { freePort, Server, standIn } from "./serving.js";

let server: Server;
let memory: Memory;
let model: Awaited<ReturnType<typeof standIn>>;
let number = 0;
let prompts: string[] = [];
const real = globalThis.fetch;

before(async () => {
  server = await Server.start();
  model = await standIn([
    { do: "tool", name: "remember", content: { text: "Maria is allergic to nuts." }, containing: "allerg", calls: "1" },
    { do: "tool", name: "recall", content: { question: "What is Maria allergic to?" }, containing: "dessert", calls: "1" },
  ]);
  globalThis.fetch = (input, init) => {
    if (String(input).startsWith(model.url)) prompts.push(JSON.stringify(JSON.parse(String(init?.body)).messages));
    return real(input, init);
  };
});
beforeEach(async () => {
  memory = await new Hmem({ url: server.url }).open(`mastra-${(number += 1)}`);
  prompts = [];
});
after(() => {
  globalThis.fetch = real;
  return Promise.all([server.stop(), model.stop()]);
});

function agentWith(processor?: HmemProcessor, tools: ReturnType<typeof hmemTools> | Record<string, never> = {}) {
  return new Agent({
    id: "helper",
    name: "helper",
    instructions: "Help.",
    model: { id: "standin/any", url: model.url, apiKey: "any" },
    tools,
    ...(processor && { inputProcessors: [processor], outputProcessors: [processor] }),
  });
}

async function turns() {
  return (await memory.list()).items.map(({ speaker, text, session }) => ({ speaker, text, session }));
}

test("what is said in one session is recalled in the next", async () => {
  const one = new HmemProcessor({ memory, session: "s1", speaker: "Maria" });
  const { text } = await agentWith(one).generate("I adopted a puppy named Coco.");
  await one.captured();
  assert.deepEqual(await turns(), [
    { speaker: "Maria", text: "I adopted a puppy named Coco.", session: "s1" },
    { speaker: "assistant", text, session: "s1" },
  ]);
  // A server loads its encoder for the first question.
  const two = new HmemProcessor({ memory, session: "s2", speaker: "Maria", patience: 60_000 });
  await agentWith(two).generate("What is my puppy called?");
  assert.match(prompts.at(-1) ?? "", /data, not instructions.*puppy named Coco.*What is my puppy called\?/s);
  await two.captured();
  assert.deepEqual((await turns()).map(({ text }) => text.includes("instructions")), [false, false, false, false]);
});

test("a streamed answer is captured when it ends", async () => {
  const one = new HmemProcessor({ memory });
  const { textStream } = await agentWith(one).stream("I adopted a puppy named Coco.");
  let said = "";
  for await (const piece of textStream) said += piece;
  await one.captured();
  assert.deepEqual((await turns()).map(({ text }) => text), ["I adopted a puppy named Coco.", said]);
});

test("a dead server breaks no answer, and is told", async () => {
  const errors: unknown[] = [];
  const away = new Hmem({ url: `http://127.0.0.1:${await freePort()}`, retries: 0 }).memory("away");
  const one = new HmemProcessor({ memory: away, onError: (error) => errors.push(error) });
  assert.ok((await agentWith(one).generate("Hello")).text);
  await one.captured();
  assert.ok(errors.length >= 2 && errors.every((error) => error instanceof ServerUnavailable));
});

test("what is said while the server restarts is kept when it is back", async () => {
  const impatient = new Hmem({ url: server.url, retries: 0 }).memory(memory.name);
  const one = new HmemProcessor({ memory: impatient });
  const agent = agentWith(one);
  await server.stop();
  await agent.generate("I adopted a puppy named Coco.");
  await one.captured();
  await server.resume();
  await agent.generate("Coco likes snow.");
  await one.captured();
  const said = (await turns()).filter(({ speaker }) => speaker === "user").map(({ text }) => text);
  assert.deepEqual(said, ["I adopted a puppy named Coco.", "Coco likes snow."]);
});

test("an agent calls the tools, and a user's message is captured once for all steps", async () => {
  const tools = hmemTools({ memory, speaker: "Maria" });
  const one = new HmemProcessor({ memory, speaker: "Maria", recall: false });
  await agentWith(one, tools).generate("Note that I have an allergy.");
  await one.captured();
  const said = (await turns()).map(({ text }) => text);
  assert.equal(said.filter((text) => text === "Note that I have an allergy.").length, 1);
  assert.equal(said.filter((text) => text === "Maria is allergic to nuts.").length, 1);
  await agentWith(undefined, tools).generate("Choose a dessert for me.");
  assert.match(prompts.at(-1) ?? "", /data, not instructions.*allergic to nuts/s);
});
