// Makes the pictures of the documentation: `node test/pictures.mjs FOLDER`. A picture of each view, and a film of some.
import { Buffer } from "node:buffer";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { browser, LONG, opened, posted, root, server, settled, to } from "./frame.mjs";

const folder = process.argv[2] ?? "pictures";
const SIZE = { width: 1120, height: 1000 };
// Seconds of each frame of the film.
const SECONDS = 3;
const FILM = ["overview", "answer", "why", "notes", "graph", "timeline", "turns"];

// They are of the story of two friends, with which no rule was made; it goes on, and people do something with it.
for (const [minute, speaker, text] of [[2, "Oriel", "where do I send the parcel"], [5, "Wanda", "I live in Odense now, two streets from Kasper"]]) {
  await posted("memories/example/turns", { text, speaker, at: `2026-01-18T19:0${minute}:00Z`, session: "2026-01-18" });
}
const talk = await (await fetch(`${server.address}/v1/memories/example/turns?limit=500`)).json();
const turnOf = (words) => talk.items.find(({ text }) => text.includes(words)).id;
const change = (verb, what) => posted(`memories/example/${verb}`, { by: "Wanda", ...what });
await change("pin", { id: turnOf("Bent is allergic"), why: "before anybody bakes for the choir" });
await change("feedback", { ids: [turnOf("Kasper has sold the piano")], verdict: "approve", why: "this is what I asked for" });
const { id: aside } = await change("retract", { id: turnOf("thrown up on danish soil"), why: "enough of that" });
await change("undo", { change: aside, why: "it was funny" });
const home = "I live in Aarhus now";

const asked = `#/example/ask?q=${encodeURIComponent("What happened to Wanda's piano?")}`;
const VIEWS = {
  overview: async (page) => to(page, "#/example/overview"),
  answer: async (page) => to(page, asked),
  compare: async (page) => {
    await to(page, `${asked}&compare=bm25&k=4`);
    await page.locator(".beside").evaluate((each) => each.scrollIntoView());
    await page.evaluate(() => scrollBy(0, -64));
  },
  why: async (page) => {
    await to(page, asked);
    await page.getByText("Why?").first().click();
    await page.getByText("In numbers").click();
    await page.locator(".waterfall").first().waitFor(LONG);
  },
  timeline: async (page) => to(page, "#/example/timeline"),
  topics: async (page) => to(page, "#/example/topics"),
  graph: async (page) => to(page, "#/example/graph"),
  notes: async (page) => {
    await to(page, "#/example/notes?subject=Wanda");
    await page.getByRole("button", { name: "History" }).first().click();
    await page.locator(".history").waitFor(LONG);
  },
  people: async (page) => to(page, "#/example/people"),
  turns: async (page) => {
    const { id, text } = talk.items.find((turn) => turn.text.includes(home));
    await to(page, `#/example/turns?id=${id}&mark=${text.indexOf(home)}-${text.indexOf(home) + home.length}`);
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
