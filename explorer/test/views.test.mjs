// Each view's main act, in a real Chromium against a real server.
import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

import { clean, faults, LONG, opened, QUESTION, server, settled, to, VIEWS } from "./frame.mjs";

test("every view, in light and dark, narrow and wide, is clean", { timeout: 400_000 }, async () => {
  const page = await opened("#/");
  for (const [colorScheme, width] of ["light", "dark"].flatMap((scheme) => [360, 768, 1280, 1920, 2560].map((width) => [scheme, width]))) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    for (const view of VIEWS) {
      await to(page, `#/example/${view}${view === "ask" ? "?q=Where+does+Nadia+live" : ""}`);
      if (process.env.HMEM_SHOTS) await page.screenshot({ path: `${process.env.HMEM_SHOTS}/${view}-${width}-${colorScheme}.png` });
      await clean(page, `${view} at ${width}, ${colorScheme}`);
    }
  }
  await page.shut();
});

test("a question is answered, its evidence explained, and its address leads back", async () => {
  const page = await opened("#/example/ask");
  await page.getByLabel("Question").fill(QUESTION);
  await page.keyboard.press("Enter");
  await page.waitForSelector(".evidence li", LONG);
  assert.match(page.url(), /q=Where/);
  await page.getByText("Why?").first().click();
  await page.getByText("In numbers").click();
  await page.waitForSelector(".waterfall", LONG);
  await page.getByText("It was of use").click();
  await page.getByText("Noted.").waitFor();
  await page.goBack();
  await page.waitForSelector(".evidence li");
  assert.equal(await page.getByLabel("Question").inputValue(), QUESTION);
  await page.shut();
});

test("a server that is lost is told, and what was typed stays", async () => {
  const page = await opened("#/example/ask");
  await page.getByLabel("Question").fill(QUESTION);
  await page.route("**/v1/**", (route) => route.abort());
  await page.keyboard.press("Enter");
  await page.getByText("The server does not answer").waitFor(LONG);
  assert.equal(await page.getByLabel("Question").inputValue(), QUESTION);
  await page.unroute("**/v1/**");
  await page.getByText("Try again").click();
  await page.waitForSelector(".evidence li", LONG);
  await page.shut();
});

test("the first view is small, and no page did anything that it must not", async () => {
  const page = await (await fetch(`${server.address}/explore`)).text();
  const assets = [...page.matchAll(/\/explore\/assets\/[\w.-]+/g)].map(([path]) => path);
  const parts = await Promise.all(assets.map(async (path) => (await fetch(`${server.address}${path}`)).text()));
  const bytes = [page, ...parts].reduce((sum, part) => sum + gzipSync(part).length, 0);
  console.log(`first view: ${bytes.toLocaleString()} bytes compressed`);
  assert.ok(assets.length >= 2 && bytes < 300_000);
  assert.deepEqual(faults, []);
});
