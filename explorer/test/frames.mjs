// Measures how smoothly a graph of 500 entities is dragged: `node --test test/frames.mjs`. What it prints depends on the machine.
import { test } from "node:test";

import { opened, server } from "./frame.mjs";

const ENTITIES = 500;
const RELATIONS = 1000;
const TYPES = ["person", "location", "organization", "event", "product", "other"];
const FRAMES = 240;

const id = (number) => `entity_${String(number).padStart(26, "0")}`;
const graph = {
  entities: Array.from({ length: ENTITIES }, (_, number) => ({
    id: id(number), name: `Name ${number}`, type: TYPES[number % TYPES.length], aliases: [], mentions: 1 + ((number * 7) % 40), user: null,
  })),
  relations: Array.from({ length: RELATIONS }, (_, number) => ({
    id: `relation_${number}`, source: id(number % ENTITIES), target: id((number * 31 + Math.trunc(number / ENTITIES)) % ENTITIES), label: "knows",
    evidence: ["turn_1"], confidence: 0.9, at: "2025-01-01T00:00:00+00:00",
  })),
  overlaps: [],
  profiles: [],
};

/** Moves the mouse in each frame, with a button down, from a node or from between the nodes; returns when the frames were. */
const dragged = (page, node, count) =>
  page.evaluate(async ({ node, count }) => {
    const stage = document.querySelector(".stage");
    const mouse = stage.querySelector(".sigma-mouse");
    const box = stage.getBoundingClientRect();
    const send = (type, x, y) =>
      mouse.dispatchEvent(new MouseEvent(type, { bubbles: true, cancelable: true, clientX: box.left + x, clientY: box.top + y, buttons: type === "mouseup" ? 0 : 1 }));
    const frame = () => new Promise(requestAnimationFrame);
    let [x, y] = [box.width / 2, box.height / 2];
    search: for (let place = 0; place < 4000; place += 1) {
      [x, y] = [((place * 37) % 900) / 900 * box.width, ((place * 53) % 700) / 700 * box.height];
      send("mousemove", x, y);
      if ((stage.style.cursor === "grab") === node) break search;
    }
    await frame();
    send("mousedown", x, y);
    const times = [];
    for (let number = 0; number < count; number += 1) {
      times.push(await frame());
      send("mousemove", x + 80 * Math.sin(number / 12), y + 60 * Math.cos(number / 9));
    }
    send("mouseup", x, y);
    return times;
  }, { node, count });

test("dragging", { timeout: 300_000 }, async () => {
  const page = await opened("#/");
  await page.route("**/graph?*", (route) => route.fulfill({ json: graph }));
  await page.goto(`${server.address}/explore#/example/graph`);
  await page.waitForSelector(".canvas canvas");
  await page.waitForFunction(() => document.body.innerText.includes("500 entities"));
  const cdp = await page.context().newCDPSession(page);
  // Of the processor's time, not of the clock: other work on the machine does not count.
  await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
  const busy = async () => {
    const { metrics } = await cdp.send("Performance.getMetrics");
    return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
  };
  // The nodes come to rest first.
  await page.waitForTimeout(15_000);

  for (const [what, node] of [["a node", true], ["the whole picture", false]]) {
    const before = await busy();
    const times = await dragged(page, node, FRAMES);
    const after = await busy();
    const gaps = times.slice(1).map((time, place) => time - times[place]).sort((one, other) => one - other);
    const share = (part) => gaps[Math.floor(part * (gaps.length - 1))].toFixed(1);
    const own = (name) => ((1000 * (after[name] - before[name])) / FRAMES).toFixed(1);
    console.log(
      `dragging ${what}: ${(1000 * gaps.length / (times.at(-1) - times[0])).toFixed(0)} frames a second; ` +
        `median ${share(0.5)} ms, 95 % ${share(0.95)} ms; processor time of the page's thread ${own("TaskDuration")} ms a frame, of it script ${own("ScriptDuration")} ms`,
    );
  }
  await page.shut();
});
