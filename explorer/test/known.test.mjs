// The main acts of the graph, people, the timeline and the trees, in a real Chromium against a real server.
import assert from "node:assert/strict";
import { test } from "node:test";

import { clean, faults, HARMFUL, LONG, opened, posted, settled, to } from "./frame.mjs";

/** Opens a page whose key may read and nothing else. */
async function openedToRead(hash) {
  const page = await opened("#/");
  await page.route("**/v1/key**", async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { ...(await answer.json()), scopes: ["read"] } });
  });
  await to(page, hash);
  return page;
}

const wide = (page) => page.locator(".broad");

test("an entity is found, looked at, merged with another one and parted again", async () => {
  const page = await opened("#/example/graph");
  await page.waitForSelector(".canvas canvas", LONG);
  const field = page.getByRole("combobox").first();
  await page.keyboard.press("/");
  assert.ok(await field.evaluate((each) => each === document.activeElement));
  await page.keyboard.type("anya");
  await page.getByRole("option", { name: "Anya" }).first().waitFor(LONG);
  await page.keyboard.press("Enter");
  const panel = page.locator(".entity");
  await panel.getByRole("heading", { name: "Anya" }).waitFor(LONG);
  assert.match(page.url(), /entity=entity_/);
  await clean(page, "an entity");

  await panel.locator(".tie").first().click();
  await panel.locator(".over-time .said").first().waitFor(LONG);
  assert.match(page.url(), /relation=relation_/);
  await page.reload();
  await panel.locator(".over-time .said").first().waitFor(LONG);

  await panel.getByRole("button", { name: "It is the same as" }).click();
  await panel.getByRole("combobox").fill("declan");
  await panel.getByRole("option", { name: "Declan" }).first().waitFor(LONG);
  await page.keyboard.press("Enter");
  await panel.getByText("Done.").waitFor(LONG);
  await settled(page);
  await panel.locator(".names").getByText("Declan").waitFor(LONG);
  await panel.locator(".names li", { hasText: "Declan" }).getByRole("button").click();
  await page.waitForFunction(() => ![...document.querySelectorAll(".names bdi")].some((each) => each.textContent === "Declan"), null, LONG);
  await panel.getByText("Done.").waitFor(LONG);
  await panel.getByRole("button", { name: "Undo" }).click();
  await panel.locator(".names").getByText("Declan").waitFor(LONG);
  await page.shut();
});

test("types are hidden, neighbours come with an entity, and the way back leads through both", async () => {
  const page = await opened("#/example/graph");
  const drawn = page.getByText(/\d+ entities, \d+ relations/);
  const before = await drawn.innerText();
  await page.getByRole("switch", { name: "Place" }).click();
  await page.waitForFunction((text) => !document.body.innerText.includes(text), before, LONG);
  assert.equal(await page.getByRole("switch", { name: "Place" }).getAttribute("aria-checked"), "false");
  await page.getByText("As a list").click();
  await page.locator(".entities a").first().click();
  const panel = page.locator(".entity");
  await panel.getByRole("heading").first().waitFor(LONG);
  await panel.getByRole("button", { name: "Expand" }).click();
  await page.waitForFunction(() => location.hash.includes("open=entity_"), null, LONG);
  await page.goBack();
  await page.goBack();
  await page.waitForFunction(() => !document.querySelector(".entity"), null, LONG);
  await page.goBack();
  await drawn.getByText(before).waitFor(LONG);
  await page.shut();
});

test("a persona is edited, both versions stand side by side, and the edit is undone", async () => {
  const page = await opened("#/example/people");
  const person = page.locator(".person");
  const was = await person.locator(".now").innerText();
  await person.getByRole("button", { name: "Edit" }).click();
  await page.getByLabel("What is known", { exact: true }).fill(`${was} She sings in a choir.`);
  await page.getByLabel("Traits, one on each line").fill("sings in a choir");
  await page.getByLabel("Why (the history tells it)").fill("she told me");
  await person.getByRole("button", { name: "Save" }).click();
  await person.locator("ins", { hasText: "choir" }).first().waitFor(LONG);
  await person.locator(".chips .added", { hasText: "choir" }).waitFor(LONG);
  await person.getByText("she told me").waitFor();
  await clean(page, "two versions");
  await person.locator(".versions a").last().click();
  await page.waitForFunction(() => location.hash.includes("to=1"), null, LONG);
  await page.goBack();
  await person.getByRole("status").getByRole("button", { name: "Undo" }).click();
  await person.getByText("taken back").waitFor(LONG);
  await page.waitForFunction((text) => document.querySelector(".now")?.innerText === text, was, LONG);
  assert.ok(await person.locator("table tbody tr").count());
  await page.shut();
});

test("time is zoomed by keys and wheel, a span marked by the mouse and asked about", async () => {
  const page = await opened("#/example/timeline");
  const picture = page.locator(".picture");
  await page.waitForSelector(".u-over", LONG);
  const period = page.locator(".period");
  const whole = await period.innerText();
  await page.keyboard.press("/");
  await page.keyboard.press("+");
  assert.notEqual(await period.innerText(), whole);
  assert.match(page.url(), /at=/);
  await page.keyboard.press("Home");
  assert.equal(await period.innerText(), whole);
  const box = await page.locator(".u-over").boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + 50);
  await page.mouse.wheel(0, -400);
  await page.waitForFunction((text) => document.querySelector(".period").innerText !== text, whole, LONG);
  await picture.press("Home");

  await picture.press("Shift+ArrowRight");
  await page.getByText(/^Marked: /).waitFor();
  await picture.press("Escape");
  await page.mouse.move(box.x + 10, box.y + 50);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 4, box.y + 60, { steps: 5 });
  await page.mouse.up();
  await page.getByText(/^Marked: Jan/).waitFor(LONG);
  await page.getByLabel("Ask about this time").fill("Where does Nadia live?");
  await page.keyboard.press("Enter");
  await page.locator(".answer").waitFor(LONG);
  await settled(page);
  const times = await page.locator(".evidence time").evaluateAll((all) => all.map((each) => each.getAttribute("datetime")));
  assert.ok(times.length && times.every((time) => time < "2025-05"), times.join());
  await clean(page, "an asked time");
  await page.reload();
  await page.locator(".answer").waitFor(LONG);
  await page.getByText(/^Marked: Jan/).waitFor(LONG);
  await page.shut();
});

test("a tree leads down to what was said, and a turn to its place in all trees", async () => {
  const page = await opened("#/example/topics");
  await page.locator(".icicle a").first().focus();
  const first = await page.evaluate(() => document.activeElement.title);
  await page.keyboard.press("ArrowRight");
  assert.notEqual(await page.evaluate(() => document.activeElement.title), first);
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowDown");
  const name = await page.evaluate(() => document.activeElement.title);
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelectorAll(".way li").length === 3, null, LONG);
  await settled(page);
  // A topic without a name is called by the first words of what is in it.
  const heading = await page.locator(".node h2").innerText();
  const said = (await page.locator(".summary, .evidence .text").allInnerTexts()).join(" ");
  assert.ok(name.startsWith(heading) || said.includes(/^“(.+?)(?: …)?”$/.exec(heading)?.[1]), `${name}: ${heading}`);
  assert.equal(await page.locator(".way li").count(), 3);
  assert.ok(await page.locator(".evidence li").count());
  await clean(page, "a topic");
  await page.getByRole("button", { name: "Rename" }).click();
  await page.getByLabel("New name").fill(HARMFUL);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "<script>" }).waitFor(LONG);
  await page.getByRole("status").getByRole("button", { name: "Undo" }).click();
  await page.waitForFunction((label) => document.querySelector(".node h2")?.innerText === label, heading, LONG);
  await page.keyboard.press("Backspace");
  await page.waitForFunction(() => document.querySelectorAll(".way li").length === 2, null, LONG);
  await settled(page);
  await page.getByText("Where it stands").first().click();
  await page.getByRole("heading", { name: "Where does it stand?" }).waitFor(LONG);
  await settled(page);
  assert.equal(await page.locator("section h2").count(), 4);
  await clean(page, "a turn in all trees");
  await page.locator("section", { hasText: "Calendar" }).locator(".way a").last().click();
  await settled(page);
  await page.locator(".node h2", { hasText: "2025" }).waitFor(LONG);
  for (const tree of ["layers", "evolution", "calendar"]) {
    await to(page, `#/example/topics?tree=${tree}`);
    assert.ok(await page.locator(".icicle a").count(), tree);
    assert.match(await page.locator(".node .aside").innerText(), tree === "calendar" ? /^\d+ turns/ : /^\d+ events/);
    await clean(page, tree);
  }
  await page.shut();
});

test("a key that may only read is shown nothing that writes", async () => {
  const page = await openedToRead("#/example/people");
  await page.locator(".person .now").waitFor(LONG);
  assert.equal(await page.getByRole("button", { name: /Edit|Undo/ }).count(), 0);
  await to(page, "#/example/graph?entity=Nadia+Okafor");
  await page.locator(".entity h2").waitFor(LONG);
  assert.equal(await page.getByRole("button", { name: /Merge|Part|same as|Undo/ }).count(), 0);
  await to(page, "#/example/topics");
  await page.locator(".nodes a").first().click();
  await page.waitForFunction(() => location.hash.includes("node="), null, LONG);
  await settled(page);
  assert.equal(await page.getByRole("button", { name: /Rename/ }).count(), 0);
  await page.shut();
});

test("a memory of nothing says what to do, and one of harm shows it as text, in every script", { timeout: 300_000 }, async () => {
  await posted("memories", { name: "nothing" });
  await posted("memories", { name: "harm" });
  const names = ["محمد الأحمد", "שרה כהן", "王小明", "Ἀλέξανδρος", "नेहा शर्मा", HARMFUL];
  for (const [place, name] of names.entries()) {
    const at = `2025-0${place + 1}-01T10:00:00Z`;
    await posted("memories/harm/turns", { text: `I am ${name} and I live in Lisbon with ${HARMFUL}. My sister Ann works at Acme.`, speaker: name, session: `${name} ${place}`, at });
  }
  await posted("memories/harm/persona", { speaker: HARMFUL, text: HARMFUL, traits: [HARMFUL], why: HARMFUL, by: HARMFUL }, { method: "PATCH" });
  const page = await opened("#/nothing/graph");
  for (const memory of ["nothing", "harm"]) {
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 900 });
      for (const view of ["graph", "people", "timeline", "topics", "topics?tree=layers", "topics?tree=calendar"]) {
        await to(page, `#/${memory}/${view}`);
        if (memory === "nothing") assert.ok((await wide(page).locator(".empty").first().innerText()).length > 20, view);
        await clean(page, `${memory} ${view} ${width}`);
        assert.doesNotMatch(await page.title(), /harmed/);
      }
    }
  }
  await to(page, `#/harm/people?who=${encodeURIComponent(HARMFUL)}`);
  assert.match(await page.locator(".now").innerText(), /<script>/);
  for (const hash of ["people?who=gone", "graph?entity=gone", "topics?node=gone", "topics?turn=gone", "timeline?at=gone~x&span=1~2"]) {
    await to(page, `#/harm/${hash}`);
    assert.ok((await wide(page).innerText()).length > 40, hash);
  }
  assert.deepEqual(faults, []);
  await page.shut();
});
