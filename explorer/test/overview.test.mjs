// The first page: who is in a memory, what is new, what changed, what waits for a decision; and the keys that hold everywhere.
import assert from "node:assert/strict";
import { test } from "node:test";

import { clean, LONG, opened, posted, server, settled, to } from "./frame.mjs";

const said = (memory, speaker, month, text) => posted(`memories/${memory}/turns`, { text, speaker, at: `2024-0${month}-01T10:00:00Z`, session: `${speaker}${month}` });

test("a memory at a glance: people, changes side by side, disputes", { timeout: 120_000 }, async () => {
  await posted("memories", { name: "glance" });
  await fetch(`${server.address}/v1/memories/glance/conflicts/rules`, {
    method: "PUT", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ slot: "employer", rule: "ask" }),
  });
  await said("glance", "Ann", 1, "I live in Porto.");
  await said("glance", "Ann", 2, "I live in Lisbon.");
  await said("glance", "Ben", 3, "I work at Acme.");
  await said("glance", "Ben", 4, "I work at Initech.");
  const page = await opened("#/glance");
  await page.getByRole("heading", { name: "Latest" }).waitFor(LONG);
  assert.deepEqual(await page.locator("article.card h3 a bdi").allInnerTexts(), ["Ann", "Ben"]);
  assert.match(await page.locator("article.card", { hasText: "Ann" }).innerText(), /home\s+Lisbon\s+I live in Lisbon\./);
  const change = page.locator(".change");
  assert.match((await change.allInnerTexts()).join("|"), /Ann · home\s+Porto[^|]*Jan 1, 2024[^|]*Lisbon[^|]*Feb 1, 2024/);
  await page.locator("article.open", { hasText: "Initech" }).waitFor(LONG);
  await clean(page, "the overview");
  await page.locator("article.open").getByText("Decide").click();
  await page.locator(".conflicts .said", { hasText: "Initech" }).waitFor(LONG);
  await page.shut();
});

test("what came since the last look is new", { timeout: 120_000 }, async () => {
  await posted("memories", { name: "again" });
  await said("again", "Ann", 1, "I live in Porto.");
  const page = await opened("#/again");
  await page.getByRole("heading", { name: "Latest" }).waitFor(LONG);
  // An hour goes by.
  await page.evaluate(() => {
    const [, name, seen, at] = /(hmem-look-memory_\w+)=(\d+)\.(\d+)$/.exec(document.cookie);
    document.cookie = `${name}=${seen}.${at - 3_600_000}; path=/explore; SameSite=Strict`;
  });
  await page.reload();
  await page.getByText("Nothing was said since.").waitFor(LONG);
  await said("again", "Ann", 2, "I adopted a kitten named Coco.");
  await page.getByText("1 new turn", { exact: true }).waitFor(LONG);
  await page.locator(".names .chip", { hasText: "Coco" }).waitFor(LONG);
  // It stays new as long as one looks.
  await page.reload();
  await page.getByText("1 new turn", { exact: true }).waitFor(LONG);
  await page.getByRole("link", { name: "Everything" }).click();
  await page.getByRole("heading", { name: "Latest" }).waitFor(LONG);
  await page.shut();
});

test("turns that wait to be formed are counted by a bar", { timeout: 120_000 }, async () => {
  const page = await opened("#/");
  const state = { turns: 9, changes: 0, formed: 5, stored: 813, unformed: 488 };
  await page.route("**/live*", (route) => route.fulfill({ contentType: "text/event-stream", body: `event: progress\ndata: ${JSON.stringify(state)}\n\n` }));
  let answer;
  const waiting = new Promise((resolve) => (answer = resolve));
  await page.route("**/overview*", async (route) => {
    await waiting;
    await route.continue();
  });
  await page.evaluate(() => (location.hash = "#/example/overview"));
  await page.getByText("Forming 488 turns, 39 %").waitFor(LONG);
  await page.locator("dd", { hasText: "321 turns" }).waitFor(LONG);
  answer();
  await page.unroute("**/live*");
  await settled(page);
  await page.shut();
});

test("keys hold in every view, and Escape gives them back", { timeout: 120_000 }, async () => {
  const page = await opened("#/example/overview");
  await page.keyboard.press("/");
  await page.keyboard.type("2 kittens?");
  assert.equal(await page.getByLabel("Question").inputValue(), "2 kittens?");
  await page.keyboard.press("Escape");
  await page.keyboard.press("8");
  await page.waitForFunction(() => location.hash === "#/example/turns");
  await settled(page);
  await page.keyboard.press("0");
  await page.waitForFunction(() => location.hash === "#/example/health");
  await page.keyboard.press("1");
  await page.waitForFunction(() => location.hash === "#/example/overview");
  await settled(page);
  assert.equal(await page.getByLabel("Question").inputValue(), "2 kittens?");
  const here = () => page.evaluate(() => document.activeElement.textContent.trim());
  // Up and down the items of a view, and along the bar of views.
  await page.keyboard.press("j");
  const first = await here();
  await page.keyboard.press("ArrowDown");
  assert.notEqual(await here(), first);
  await page.keyboard.press("ArrowUp");
  assert.equal(await here(), first);
  await page.locator("header nav a").first().focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await here(), "Ask");
  await page.keyboard.press("?");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await to(page, "#/example/topics?tree=calendar");
  await page.locator(".tabs a").first().focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await here(), "Layers");
  await page.shut();
});

test("an answer points to its sentence, in the list and in the talk, and tells reasons in words", { timeout: 120_000 }, async () => {
  const page = await opened(`#/example/ask?q=${encodeURIComponent("Where does Nadia live?")}`);
  const first = page.locator(".evidence li.quoted").first();
  await first.waitFor(LONG);
  const sentence = await page.locator(".quoted mark", { hasText: "Graça" }).innerText();
  assert.equal(sentence, "I live in Graça, on the fourth floor, with no lift.");
  assert.match(await page.locator(".quoted", { hasText: "Graça" }).locator(".reasons").innerText(), /said by Nadia.*shares ‘live’/s);
  assert.equal(await page.getByText("newest of two").count(), 1);
  await page.locator(".answer .to").first().click();
  assert.ok(await first.evaluate((each) => each === document.activeElement));
  await page.getByText("Left out as not relevant").click();
  await page.locator(".left li").first().waitFor(LONG);
  assert.ok(await page.locator(".left li.said").count());
  await clean(page, "an answer with what was left out");
  await page.locator(".quoted", { hasText: "Graça" }).getByText("In the talk").click();
  await page.getByRole("heading", { name: "What was said" }).waitFor(LONG);
  await page.locator(".said mark").waitFor(LONG);
  assert.equal(await page.locator(".said[aria-current] mark").innerText(), sentence);
  await page.goBack();
  await page.locator(".quoted", { hasText: "Graça" }).getByText("Why?").click();
  await page.getByRole("heading", { name: "In words" }).waitFor(LONG);
  assert.equal(await page.locator(".waterfall").first().isVisible(), false);
  await page.getByText("In numbers").click();
  await page.locator(".waterfall").first().waitFor(LONG);
  await clean(page, "why, in words and numbers");
  await page.shut();
});
