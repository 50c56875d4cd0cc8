// What the tests of the page share: a real server over the example of ten months, and a real Chromium.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";

import { AxeBuilder } from "@axe-core/playwright";
import bundled from "@sparticuz/chromium";
import { chromium } from "playwright-core";

const DEBIAN = "/usr/bin/chromium";
const PYTHON = process.env.HMEM_PYTHON ?? "python";
export const LONG = { timeout: 60_000 };
export const VIEWS = ["overview", "ask", "timeline", "topics", "graph", "notes", "people", "turns", "changes", "health"];
export const HARMFUL = `<img src=x onerror="document.title='harmed'"><script>document.title='harmed'</script>`;
export const QUESTION = "Where does Nadia live?";

/** What a page did that it must not: uncaught errors, and what its policy refused. */
export const faults = [];

/** The folder of the memories; it is deleted after the tests. HMEM_EXAMPLE is the example, imported before. */
export const root = mkdtempSync(join(tmpdir(), "hmem-explorer-"));
if (process.env.HMEM_EXAMPLE) copyFileSync(process.env.HMEM_EXAMPLE, join(root, "example.hmem"));
else hmem("import", "--memory", join(root, "example.hmem"), new URL("../../examples/ten_months.jsonl", import.meta.url).pathname);

export const server = await serve(root);
const executablePath = existsSync(DEBIAN) ? DEBIAN : await bundled.executablePath();
// In a container there are no rights for the sandbox.
export const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--no-zygote", "--disable-gpu"] });

after(async () => {
  await browser.close();
  await server.stop();
  rmSync(root, { recursive: true, force: true });
});

/** Runs a command of hmem, and returns what it says. */
export function hmem(...command) {
  const done = spawnSync(PYTHON, ["-m", "hmem", ...command], { encoding: "utf8" });
  assert.equal(done.status, 0, done.stderr);
  return done.stdout;
}

/** Starts `hmem serve` in a process of its own. */
export function serve(folder, ...options) {
  return started("serve", "--root", folder, "--workers", "0", "--json", ...(options.includes("--port") ? [] : ["--port", "0"]), ...options);
}

/** Starts a command of hmem that tells its address as JSON. */
export async function started(...command) {
  const child = spawn(PYTHON, ["-m", "hmem", ...command], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const told = await new Promise((resolve, reject) => {
    let said = "";
    child.stdout.on("data", (piece) => {
      said += piece;
      if (said.includes("\n")) resolve(JSON.parse(said));
    });
    void ended.then(() => reject(new Error(`hmem ${command[0]} ended: ${said}`)));
  });
  const stop = async (signal = "SIGTERM") => {
    child.kill(signal);
    await ended;
  };
  return { ...told, stop };
}

/** Opens an address of the page in a new context, as another browser would. */
export async function opened(hash, { at = server.address, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: "en-US", ...options });
  const page = await context.newPage();
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (said) => {
    if (/Content.Security.Policy/i.test(said.text())) faults.push(said.text());
  });
  page.shut = () => context.close();
  await page.goto(`${at}/explore${hash}`);
  await settled(page);
  return page;
}

/** Goes to another address of the page. */
export async function to(page, hash) {
  // The page hears of it a moment later.
  await page.evaluate((next) => new Promise((heard) => {
    if (location.hash === next) return heard();
    addEventListener("hashchange", () => setTimeout(heard), { once: true });
    location.hash = next;
  }), hash);
  await settled(page);
}

/** Does what the menu of an item has, the first within something. */
export async function act(within, name) {
  await within.getByRole("button", { name: "Actions" }).first().click();
  await within.getByRole("menuitem", { name, exact: true }).and(within.locator(":visible")).first().click();
}

/** Waits until a page has what it shows. */
export async function settled(page) {
  await page.waitForFunction(() => document.querySelector("h1") && !document.querySelector("progress, [data-loading]"), null, LONG);
}

/** Sends something to the server, as another program would. */
export async function posted(path, body, { at = server.address, key, method = "POST" } = {}) {
  const headers = { "Content-Type": "application/json", ...(key && { Authorization: `Bearer ${key}` }) };
  const response = await fetch(`${at}/v1/${path}`, { method, headers, body: JSON.stringify(body) });
  assert.ok(response.ok, await response.clone().text());
  return response.json();
}

/** Finds no fault with a page that a reader by ear, or by keyboard, would meet; nor one that scrolls sideways. */
export async function clean(page, what) {
  const sideways = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  assert.equal(sideways, false, `${what} is wider than its window`);
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
  assert.deepEqual(violations.map(({ id, nodes }) => [what, id, nodes[0].html]), []);
}
