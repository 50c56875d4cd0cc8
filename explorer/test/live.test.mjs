// What happens beside the page: other processes, a server that dies, a memory that goes, many turns.
import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { act, LONG, hmem, opened, posted, root, serve, server, settled, to } from "./frame.mjs";

test("what another process adds appears by itself", { timeout: 120_000 }, async () => {
  await posted("memories", { name: "shared" });
  await posted("memories/shared/turns", { text: "I adopted a kitten named Coco", speaker: "Ann" });
  const page = await opened("#/shared/turns");
  await page.locator(".said", { hasText: "Coco" }).waitFor(LONG);
  await act(page, "Correct");
  await page.getByLabel("What is right").fill("I adopted a puppy");
  hmem("add", "--memory", join(root, "shared.hmem"), "--speaker", "Ben", "We sail to the island tomorrow");
  await page.locator(".said", { hasText: "island" }).waitFor(LONG);
  // A form that is open stays so, with what was typed.
  assert.equal(await page.getByLabel("What is right").inputValue(), "I adopted a puppy");
  await page.shut();
});

test("a server that dies is told, comes back, and what was typed is sent", { timeout: 240_000 }, async () => {
  const folder = mkdtempSync(join(root, "dying-"));
  hmem("add", "--memory", join(folder, "dying.hmem"), "--speaker", "Ann", "I adopted a kitten named Coco");
  const first = await serve(folder);
  const page = await opened("#/dying/turns", { at: first.address });
  await act(page, "Correct");
  await page.getByLabel("What is right").fill("I adopted a puppy named Coco");
  await first.stop("SIGKILL");
  await page.locator(".banner").waitFor(LONG);
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator(".notice", { hasText: "does not answer" }).first().waitFor(LONG);
  const second = await serve(folder, "--port", new URL(first.address).port);
  await page.locator(".banner").waitFor({ state: "detached", ...LONG });
  assert.equal(await page.getByLabel("What is right").inputValue(), "I adopted a puppy named Coco");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Corrected. Done.").waitFor(LONG);
  await page.locator(".said", { hasText: "puppy" }).first().waitFor(LONG);
  await page.shut();
  await second.stop();
});

test("a memory that is deleted while it is shown is told", { timeout: 120_000 }, async () => {
  await posted("memories", { name: "fleeting" });
  const page = await opened("#/fleeting/turns");
  await page.getByText("Nothing was said yet").waitFor(LONG);
  const gone = await fetch(`${server.address}/v1/memories/fleeting`, { method: "DELETE" });
  assert.ok(gone.ok);
  await page.getByText("not there any more").waitFor(LONG);
  await page.getByRole("link", { name: "Memories" }).click();
  await settled(page);
  assert.equal(await page.getByRole("link", { name: "fleeting" }).count(), 0);
  await page.shut();
});

test("a search that takes long has a bar, and can be cancelled", { timeout: 120_000 }, async () => {
  const page = await opened("#/example/ask");
  let answer;
  const waiting = new Promise((resolve) => (answer = resolve));
  await page.route("**/search*", async (route) => {
    await waiting;
    await route.abort();
  });
  await page.getByLabel("Question").fill("Who is Coco?");
  await page.keyboard.press("Enter");
  await page.getByRole("progressbar").waitFor(LONG);
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.waitForFunction(() => !document.querySelector("progress"), null, LONG);
  assert.equal(await page.getByLabel("Question").inputValue(), "Who is Coco?");
  answer();
  await page.shut();
});

test("of many turns only those that are seen are in the page", { timeout: 240_000 }, async () => {
  await posted("memories", { name: "many", recipe: "flat" });
  for (let batch = 0; batch < 3; batch += 1) {
    const messages = Array.from({ length: 1000 }, (_, at) => ({ text: `Turn ${batch * 1000 + at}`, speaker: "Ann" }));
    await posted("memories/many/turns/batch", { messages });
  }
  const page = await opened("#/many/turns");
  for (let at = 0; at < 40; at += 1) {
    await page.mouse.wheel(0, 8000);
    await page.waitForTimeout(60);
  }
  await page.waitForTimeout(1000);
  const shown = await page.locator(".said").allInnerTexts();
  assert.ok(shown.length < 100, `${shown.length} turns are in the page`);
  assert.ok(Number(/Turn (\d+)/.exec(shown.at(-1))?.[1]) > 1000, shown.at(-1));
  await to(page, "#/many/health");
  assert.ok(await page.getByText("3,000").count());
  await page.shut();
});
