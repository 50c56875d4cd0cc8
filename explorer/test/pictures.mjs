// Makes the pictures of the documentation: `node test/pictures.mjs FOLDER`. A picture of each view, and a film of some.
import { Buffer } from "node:buffer";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { browser, LONG, opened, QUESTION, root, server, settled, to } from "./frame.mjs";

const folder = process.argv[2] ?? "pictures";
const SIZE = { width: 1120, height: 720 };
// Seconds of each frame of the film.
const SECONDS = 3;
const FILM = ["overview", "answer", "why", "notes", "graph", "timeline", "turns"];

const asked = `#/example/ask?q=${encodeURIComponent(QUESTION)}`;
const VIEWS = {
  overview: async (page) => to(page, "#/example/overview"),
  answer: async (page) => to(page, asked),
  compare: async (page) => to(page, `${asked}&compare=bm25&k=4`),
  why: async (page) => {
    await to(page, asked);
    await page.getByText("Why?").first().click();
    await page.getByText("In numbers").click();
    await page.mouse.wheel(0, 200);
    await page.locator(".waterfall").first().waitFor(LONG);
  },
  timeline: async (page) => to(page, "#/example/timeline"),
  topics: async (page) => to(page, "#/example/topics"),
  graph: async (page) => to(page, "#/example/graph"),
  notes: async (page) => {
    await to(page, "#/example/notes?subject=Nadia");
    await page.getByRole("button", { name: "History" }).first().click();
    await page.locator(".history").waitFor(LONG);
  },
  people: async (page) => to(page, "#/example/people"),
  turns: async (page) => {
    await to(page, "#/example/turns");
    await page.getByRole("button", { name: "What was formed" }).first().click();
    await page.locator(".formed").waitFor(LONG);
  },
  changes: async (page) => to(page, "#/example/changes"),
  health: async (page) => to(page, "#/example/health"),
};

/** Returns a picture in WebP, which the browser itself makes. */
async function webp(page) {
  const png = (await page.screenshot()).toString("base64");
  const painter = await browser.newPage();
  const made = await painter.evaluate(async (from) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${from}`)).blob());
    const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
    canvas.getContext("2d").drawImage(image, 0, 0);
    return canvas.toDataURL("image/webp", 0.82).split(",")[1];
  }, png);
  await painter.close();
  return Buffer.from(made, "base64");
}

/** Returns frames one after the other as one animated picture; who wants no motion sees the first. */
function film(frames) {
  const { width, height } = SIZE;
  const share = 100 / frames.length;
  const images = frames.map(
    (frame, at) => `<image width="${width}" height="${height}" class="f${at}" href="data:image/webp;base64,${frame.toString("base64")}"/>`,
  );
  const rules = frames.map((_, at) => `.f${at}{animation-delay:${at * SECONDS}s}${at ? `.f${at}{opacity:0}` : ""}`);
  const all = frames.length * SECONDS;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="The explorer of hmem: an overview, an answer, why it was found, notes, the graph, the timeline, the talk"><style>@keyframes s{0%,${share.toFixed(2)}%{opacity:1}${(share + 0.01).toFixed(2)}%,100%{opacity:0}}@media (prefers-reduced-motion:no-preference){image{animation:s ${all}s steps(1) infinite}}${rules.join("")}</style>${images.join("")}</svg>\n`;
}

mkdirSync(folder, { recursive: true });
const page = await opened("#/example/ask", { viewport: SIZE });
const made = {};
for (const [name, show] of Object.entries(VIEWS)) {
  await show(page);
  await settled(page);
  // The graph settles, and nothing is being pointed at.
  await page.mouse.move(0, 0);
  await page.waitForTimeout(name === "graph" ? 4000 : 800);
  made[name] = await webp(page);
  writeFileSync(join(folder, `${name}.webp`), made[name]);
  console.log(`${name}.webp  ${made[name].length.toLocaleString()} bytes`);
}
const moving = film(FILM.map((name) => made[name]));
writeFileSync(join(folder, "film.svg"), moving);
console.log(`film.svg  ${moving.length.toLocaleString()} bytes`);
await browser.close();
await server.stop();
rmSync(root, { recursive: true, force: true });
process.exit();
