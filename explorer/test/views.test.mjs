// Each view's main act, in a real Chromium against a real server. HMEM_URL has the memory `example`.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";

import { AxeBuilder } from "@axe-core/playwright";
import bundled from "@sparticuz/chromium";
import { chromium } from "playwright-core";

const URL_OF = process.env.HMEM_URL ?? "";
const DEBIAN = "/usr/bin/chromium";
const VIEWS = ["ask", "timeline", "topics", "turns", "notes", "changes", "health"];
const HARMFUL = `<img src=x onerror="document.title='harmed'"><script>document.title='harmed'</script>`;

let browser;
const faults = [];

before(async () => {
  const executablePath = existsSync(DEBIAN) ? DEBIAN : await bundled.executablePath();
  // In a container there are no rights for the sandbox.
  const args = ["--no-sandbox", "--no-zygote", "--disable-gpu"];
  browser = await chromium.launch({ executablePath, args, headless: true });
});
after(() => browser.close());

async function opened(hash, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (said) => {
    if (/Content.Security.Policy/i.test(said.text())) faults.push(said.text());
  });
  await page.goto(`${URL_OF}/explore${hash}`);
  await settled(page);
  return page;
}

async function settled(page) {
  await page.waitForFunction(() => document.querySelector("h1") && !document.querySelector("progress"), null, { timeout: 60_000 });
}

async function posted(path, body) {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(`${URL_OF}/v1/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  assert.ok(response.ok, await response.text());
}

test("every view, in light and dark, narrow and wide, is clean", { timeout: 400_000 }, async () => {
  const page = await opened("#/");
  for (const [colorScheme, width] of [["light", 1280], ["dark", 360], ["light", 2560]]) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    for (const view of VIEWS) {
      const query = view === "ask" ? "?q=Where+does+Nadia+live" : "";
      await page.goto(`${URL_OF}/explore#/example/${view}${query}`);
      await settled(page);
      if (process.env.HMEM_SHOTS) await page.screenshot({ path: `${process.env.HMEM_SHOTS}/${view}-${width}.png` });
      const sideways = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
      assert.equal(sideways, false, `${view} at ${width}`);
      if (width === 2560) continue;
      const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
      assert.deepEqual(violations.map(({ id, nodes }) => [view, id, nodes[0].html]), []);
    }
  }
  await page.close();
});

test("a question is answered, its evidence explained, and its address leads back", async () => {
  const page = await opened("#/example/ask");
  await page.getByLabel("Question").fill("Where does Nadia live?");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".evidence li", { timeout: 60_000 });
  assert.match(page.url(), /q=Where/);
  await page.getByText("Why?").first().click();
  await page.waitForSelector(".waterfall", { timeout: 60_000 });
  await page.getByText("It was of use").click();
  await page.getByText("Noted.").waitFor();
  await page.goBack();
  await page.waitForSelector(".evidence li");
  assert.equal(await page.getByLabel("Question").inputValue(), "Where does Nadia live?");
  await page.close();
});

test("a tree leads down to what was said", async () => {
  const page = await opened("#/example/timeline");
  for (let depth = 0; depth < 6 && !(await page.locator(".evidence li").count()); depth += 1) {
    await page.locator(".bars a").first().click();
    await settled(page);
  }
  assert.ok(await page.locator(".evidence li").count());
  await page.close();
});

test("a turn is corrected, undone and forgotten, and what it says is text", async () => {
  await posted("memories", { name: "edited" });
  await posted("memories/edited/turns", { text: `I adopted a puppy ${HARMFUL}`, speaker: HARMFUL, session: HARMFUL });
  const page = await opened("#/edited/turns");
  assert.match(await page.locator(".text").first().innerText(), /<script>/);
  await page.getByText("Correct", { exact: true }).click();
  await page.getByLabel("What is right").fill("I adopted a kitten named Coco");
  await page.getByText("Save").click();
  await page.getByText("Done.").waitFor({ timeout: 60_000 });
  await page.goto(`${URL_OF}/explore#/edited/changes`);
  await page.getByText("kitten").waitFor();
  await page.getByText("Undo").first().click();
  await page.getByText("undone").waitFor({ timeout: 60_000 });
  await page.goto(`${URL_OF}/explore#/edited/turns`);
  await settled(page);
  const shown = await page.locator(".said").count();
  await page.getByText("Forget", { exact: true }).first().click();
  await page.getByText("for good, with everything").waitFor();
  assert.equal(await page.locator(".said").count(), shown);
  await page.getByText("Erase for good").click();
  await page.waitForFunction((count) => document.querySelectorAll(".said").length < count, shown, { timeout: 60_000 });
  for (const view of VIEWS) {
    await page.goto(`${URL_OF}/explore#/edited/${view}`);
    await settled(page);
    assert.doesNotMatch(await page.title(), /harmed/);
  }
  assert.deepEqual(await page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie]), [0, 0, ""]);
  await page.close();
});

test("a server that is lost is told, and what was typed stays", async () => {
  const page = await opened("#/example/ask");
  await page.getByLabel("Question").fill("Where does Nadia live?");
  await page.route("**/v1/**", (route) => route.abort());
  await page.keyboard.press("Enter");
  await page.getByText("The server does not answer").waitFor({ timeout: 60_000 });
  assert.equal(await page.getByLabel("Question").inputValue(), "Where does Nadia live?");
  await page.unroute("**/v1/**");
  await page.getByText("Try again").click();
  await page.waitForSelector(".evidence li", { timeout: 60_000 });
  await page.close();
});

test("the first view is small, and no page did anything that it must not", async () => {
  const page = await (await fetch(`${URL_OF}/explore`)).text();
  const assets = [...page.matchAll(/\/explore\/assets\/[\w.-]+/g)].map(([path]) => path);
  const parts = await Promise.all(assets.map(async (path) => (await fetch(`${URL_OF}${path}`)).text()));
  const bytes = [page, ...parts].reduce((sum, part) => sum + gzipSync(part).length, 0);
  console.log(`first view: ${bytes.toLocaleString()} bytes compressed`);
  assert.ok(assets.length >= 2 && bytes < 300_000);
  assert.deepEqual(faults, []);
});
