// What one does with a memory: each view's main act, end to end, and what a key may not do.
import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { act, HARMFUL, LONG, hmem, opened, posted, QUESTION, root, serve, server, to, VIEWS } from "./frame.mjs";

const read = async (page, selector = ".text") => (await page.locator(selector).allInnerTexts()).join("\n");

test("two recipes answer side by side, and conditions hold for both", { timeout: 120_000 }, async () => {
  const page = await opened("#/example/ask");
  await page.getByLabel("Question").fill(QUESTION);
  await page.getByText("Options").click();
  await page.getByLabel("Compare with").selectOption("bm25");
  await page.getByLabel("Pieces of evidence").fill("3");
  await page.getByLabel("Said by").fill("Nadia");
  await page.getByRole("button", { name: "Ask", exact: true }).click();
  await page.waitForFunction(() => document.querySelectorAll(".answered .evidence li").length === 6, null, LONG);
  assert.match(page.url(), /compare=bm25/);
  assert.deepEqual(await page.locator("h2.recipe").allInnerTexts(), ["its own", "bm25"]);
  assert.deepEqual([...new Set(await page.locator(".evidence .speaker").allInnerTexts())], ["Nadia"]);
  await page.shut();
});

test("what the memory does not tell is no answer", LONG, async () => {
  const page = await opened("#/example/ask?q=What+is+the+boiling+point+of+xenon%3F");
  await page.getByText("The memory does not tell.").waitFor(LONG);
  assert.ok(await page.getByText("sure that it is not there").count());
  await page.shut();
});

test("why a turn was found is told, copied, and judged", { timeout: 120_000 }, async () => {
  const page = await opened("#/example/ask?q=Where+does+Nadia+live%3F", { permissions: ["clipboard-read", "clipboard-write"] });
  await page.getByText("Why?").first().click();
  await page.getByText("In numbers").click();
  await page.locator(".waterfall").first().waitFor(LONG);
  await page.getByText("Copy as JSON").click();
  await page.getByText("Copied.").waitFor();
  const copied = JSON.parse(await page.evaluate(() => navigator.clipboard.readText()));
  const sum = Object.values(copied.item.why.terms).reduce((all, { contribution }) => all + contribution, 0);
  assert.ok(Math.abs(sum - copied.item.score) < 0.01, `${sum} is not ${copied.item.score}`);
  await page.getByText("It was of use").click();
  await page.getByText("Noted.").waitFor(LONG);
  await to(page, "#/example/changes");
  await page.locator(".said", { hasText: "Judged" }).first().waitFor(LONG);
  await page.shut();
});

test("a turn is pinned, corrected with a reason, undone, and forgotten with a proof", { timeout: 240_000 }, async () => {
  await posted("memories", { name: "edited" });
  await posted("memories/edited/turns", { text: `I adopted a puppy ${HARMFUL}`, speaker: HARMFUL, session: HARMFUL });
  const page = await opened("#/edited/turns");
  assert.match(await read(page), /<script>/);
  await act(page, "Pin");
  await page.locator(".chip", { hasText: "pinned" }).waitFor(LONG);
  await page.getByText("What was formed").click();
  await page.locator(".formed, .empty").first().waitFor(LONG);
  await act(page, "Correct");
  await page.getByLabel("What is right").fill("I adopted a kitten named Coco");
  await page.getByLabel("Why (the log").fill("It was a kitten");
  // Another view, and back: what was typed is there.
  await to(page, "#/edited/notes");
  await to(page, "#/edited/turns");
  await act(page, "Correct");
  assert.equal(await page.getByLabel("What is right").inputValue(), "I adopted a kitten named Coco");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Corrected. Done.").waitFor(LONG);
  await to(page, "#/edited/changes");
  const entry = page.locator(".said", { hasText: "It was a kitten" });
  await entry.waitFor(LONG);
  await entry.getByText("Undo").click();
  await page.locator(".said.past").waitFor(LONG);
  await to(page, "#/edited/turns");
  const card = page.locator(".said", { hasText: "puppy" });
  await act(card, "Forget");
  await page.getByText("for good, with everything").waitFor(LONG);
  assert.equal(await card.count(), 1);
  await page.getByRole("button", { name: "Erase for good" }).click();
  await page.getByText(/(was|were) erased/).waitFor(LONG);
  await page.getByText("Proved: none of these words").waitFor(LONG);
  assert.equal(await card.count(), 0);
  await page.shut();
});

test("notes are told with their history, corrected, set aside, and decided", { timeout: 240_000 }, async () => {
  await posted("memories", { name: "noted" });
  await fetch(`${server.address}/v1/memories/noted/conflicts/rules`, {
    method: "PUT", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ slot: "home", rule: "ask" }),
  });
  const days = ["2024-01-01", "2024-03-01"];
  for (const [at, city] of ["Porto", "Lisbon"].entries()) {
    await posted("memories/noted/turns", { text: `I live in ${city}.`, speaker: "Ann", at: days[at], session: `s${at}` });
  }
  const page = await opened("#/noted/notes");
  await page.locator(".conflicts").waitFor(LONG);
  await page.locator(".conflicts .said", { hasText: "Lisbon" }).getByRole("button", { name: "Keep" }).click();
  await page.getByText("Decided. Done.").waitFor(LONG);
  await page.waitForFunction(() => !document.querySelector(".conflicts"), null, LONG);
  await page.locator(".said", { hasText: "Lisbon" }).first().getByRole("button", { name: "History" }).click();
  await page.locator(".history li", { hasText: "Porto" }).waitFor(LONG);
  await page.locator(".history").getByText("its turn").first().click();
  await page.locator(".said", { hasText: "I live in" }).first().waitFor(LONG);
  await page.goBack();
  await act(page.locator(".said", { hasText: "Lisbon" }).first(), "Set aside");
  await page.getByText("Set aside. Done.").waitFor(LONG);
  await page.locator(".done").getByRole("button", { name: "Undo" }).click();
  await page.locator(".said", { hasText: "Lisbon" }).locator(".chip.current").first().waitFor(LONG);
  await page.shut();
});

test("a memory is exported, verified, consolidated and rebuilt", { timeout: 240_000 }, async () => {
  await posted("memories", { name: "kept" });
  await posted("memories/kept/turns", { text: "I adopted a kitten named Coco", speaker: "Ann" });
  const page = await opened("#/kept/health");
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Export" }).click()]);
  assert.match(await readFile(await file.path(), "utf8"), /kitten named Coco/);
  assert.equal(file.suggestedFilename(), "kept.jsonl");
  await page.getByRole("button", { name: "Verify" }).click();
  await page.getByText("no fault").waitFor(LONG);
  await page.getByRole("button", { name: "Consolidate" }).click();
  await page.getByText("texts written").waitFor(LONG);
  await page.getByRole("button", { name: "Rebuild" }).click();
  await page.getByRole("button", { name: "Yes, rebuild" }).click();
  await page.getByText("Done.").waitFor(LONG);
  await page.shut();
});

test("a key that may only read sees no button that writes, and a revoked one is told", { timeout: 240_000 }, async () => {
  const folder = mkdtempSync(join(root, "keys-"));
  copyFileSync(join(root, "example.hmem"), join(folder, "example.hmem"));
  const made = JSON.parse(hmem("keys", "create", "--root", folder, "--scope", "read", "--memory", "example", "--json"));
  const admin = JSON.parse(hmem("keys", "create", "--root", folder, "--scope", "admin", "--memory", "*", "--json"));
  const site = await serve(folder);
  const page = await opened("#/example/turns", { at: site.address });
  await page.getByLabel("Key", { exact: true }).fill("hmem_wrong_key");
  await page.getByText("Use it").click();
  await page.getByText("The key was refused").waitFor(LONG);
  await page.getByLabel("Key", { exact: true }).fill(made.key);
  await page.getByText("Use it").click();
  await page.locator(".said").first().waitFor(LONG);
  for (const view of VIEWS) {
    await to(page, `#/example/${view}`);
    const names = await page.getByRole("button").allInnerTexts();
    assert.deepEqual(names.filter((name) => /Actions|Correct|Set aside|Forget|Pin|Undo|Rebuild|Verify|Consolidate|Edit|Merge|Rename/.test(name)), [], view);
  }
  hmem("keys", "revoke", made.id, "--root", folder);
  await to(page, "#/example/notes");
  await page.getByText("The key was refused").waitFor(LONG);
  await page.getByLabel("Key", { exact: true }).fill(admin.key);
  await page.getByText("Use it").click();
  await page.getByRole("button", { name: "Actions" }).first().waitFor(LONG);
  await to(page, "#/example/health");
  await page.getByText("Keys of the server").waitFor(LONG);
  assert.equal(await page.locator(".rows tbody tr").count(), 2);
  await page.shut();
  await site.stop();
});
