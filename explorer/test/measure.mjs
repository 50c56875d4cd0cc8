// Measures the page: `node test/measure.mjs [TURNS]`. Sizes, the time until one can ask, frames while scrolling.
import { rmSync } from "node:fs";
import { gzipSync } from "node:zlib";

import { browser, opened, posted, root, server, settled } from "./frame.mjs";

const TURNS = Number(process.argv[2] ?? 100_000);
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const told = {};

const index = await (await fetch(`${server.address}/explore`)).text();
const assets = [...index.matchAll(/\/explore\/assets\/[\w.-]+/g)].map(([path]) => path);
const parts = await Promise.all(assets.map(async (path) => (await fetch(`${server.address}${path}`)).text()));
told["first view, bytes compressed"] = [index, ...parts].reduce((sum, part) => sum + gzipSync(part).length, 0);

const ready = [];
for (let at = 0; at < 5; at += 1) {
  const page = await (await browser.newContext()).newPage();
  const began = performance.now();
  await page.goto(`${server.address}/explore#/example/ask`, { waitUntil: "commit" });
  await page.locator("input.question").waitFor();
  ready.push(performance.now() - began);
  await page.context().close();
}
told["until one can ask, ms (median of 5, cold)"] = Math.round(median(ready));

await posted("memories", { name: "many", recipe: "flat" });
for (let done = 0; done < TURNS; done += 1000) {
  const messages = Array.from({ length: Math.min(1000, TURNS - done) }, (_, at) => ({
    text: `Turn ${done + at}: ${"we met at the harbour and talked about boats ".repeat(1 + (at % 4))}`, speaker: at % 2 ? "Ann" : "Ben",
  }));
  await posted("memories/many/turns/batch", { messages });
}
const page = await opened("#/many/turns");
await page.mouse.move(600, 500);
/** Scrolls for some seconds, and returns the milliseconds of each frame. */
async function frames(seconds, step) {
  await page.evaluate(() => {
    window.frames_ = [];
    let last = performance.now();
    const each = (now) => {
      window.frames_.push(now - last);
      last = now;
      window.raf_ = requestAnimationFrame(each);
    };
    window.raf_ = requestAnimationFrame(each);
  });
  for (const end = performance.now() + 1000 * seconds; performance.now() < end; ) {
    await page.mouse.wheel(0, step);
    await page.waitForTimeout(16);
  }
  return page.evaluate(() => (cancelAnimationFrame(window.raf_), window.frames_.slice(1)));
}
for (const [name, step] of [["wheel", 120], ["fast", 4000]]) {
  const times = await frames(6, step);
  told[`scrolling ${TURNS.toLocaleString()} turns, ${name}: frames a second (median)`] = Math.round(1000 / median(times));
  told[`… share of frames within 20 ms`] = (times.filter((time) => time <= 20).length / times.length).toFixed(2);
  told[`… ${name}: longest frame, ms`] = Math.round(Math.max(...times));
}
told["turns in the page then"] = await page.locator(".said").count();
await settled(page);
console.table(told);
await browser.close();
await server.stop();
rmSync(root, { recursive: true, force: true });
process.exit();
