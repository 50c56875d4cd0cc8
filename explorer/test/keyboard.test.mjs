// Each action of the page, by the keyboard alone; and the talk: its words, its days, and its pages both ways.
import assert from "node:assert/strict";
import { test } from "node:test";

import { clean, LONG, opened, posted, server, settled, to } from "./frame.mjs";

const MOST_TABS = 300;
const text = (page) => page.evaluate(() => (document.activeElement.getAttribute("aria-label") ?? document.activeElement.labels?.[0]?.textContent ?? document.activeElement.textContent).trim());

/** Presses Tab until something of a name has the focus. */
async function reach(page, name) {
  for (let tabs = 0; tabs < MOST_TABS; tabs += 1) {
    await page.keyboard.press("Tab");
    if (name.test(await text(page))) return;
  }
  assert.fail(`Tab does not lead to ${name}`);
}

const press = async (page, name) => {
  await reach(page, name);
  await page.keyboard.press("Enter");
};

/** Opens the menu that Tab leads to, and goes down to an action. */
async function choose(page, name) {
  await press(page, /^Actions/);
  for (let steps = 0; steps < 8 && !name.test(await text(page)); steps += 1) await page.keyboard.press("ArrowDown");
  assert.match(await text(page), name);
  await page.keyboard.press("Enter");
}

const told = (page, words) => page.getByText(words).first().waitFor(LONG);

test("turns and notes are changed by the keyboard alone", { timeout: 240_000 }, async () => {
  await posted("memories", { name: "keys" });
  await fetch(`${server.address}/v1/memories/keys/conflicts/rules`, {
    method: "PUT", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ slot: "home", rule: "ask" }),
  });
  for (const [at, city] of ["Porto", "Lisbon"].entries()) {
    await posted("memories/keys/turns", { text: `I live in ${city}.`, speaker: "Ann", at: `2024-0${at + 1}-01`, session: `s${at}` });
  }
  await posted("memories/keys/turns", { text: "Rain again, all over the quay.", speaker: "Ben", at: "2024-03-01", session: "s2" });
  const page = await opened("#/keys/turns");
  await page.locator(".said").first().waitFor(LONG);
  await page.keyboard.press("j");
  await press(page, /What was formed/);
  await page.locator(".formed").waitFor(LONG);
  await choose(page, /^Pin$/);
  await page.locator(".chip", { hasText: "pinned" }).waitFor(LONG);
  await page.keyboard.press("j");
  await choose(page, /^Correct$/);
  await page.getByLabel("What is right").waitFor(LONG);
  await page.keyboard.press("Control+A");
  await page.keyboard.type("I live in Faro.");
  await press(page, /^Save$/);
  await told(page, "Corrected. Done.");
  await press(page, /^Undo$/);
  await page.waitForFunction(() => !document.querySelector(".done"), null, LONG);
  await page.keyboard.press("j");
  await choose(page, /^Set aside$/);
  await told(page, "Set aside. Done.");
  await press(page, /^Undo$/);
  await page.waitForFunction(() => !document.querySelector(".done"), null, LONG);
  await page.keyboard.press("j");
  await choose(page, /^Forget$/);
  await told(page, "for good, with everything");
  await press(page, /^Cancel$/);
  await page.locator(".said", { hasText: "Rain" }).focus();
  await choose(page, /^Forget$/);
  await told(page, "for good, with everything");
  await press(page, /^Erase for good$/);
  await told(page, "Proved: none of these words");
  await page.keyboard.press("6");
  await page.locator(".conflicts").waitFor(LONG);
  await page.keyboard.press("j");
  await press(page, /^History$/);
  await page.locator(".history").first().waitFor(LONG);
  await press(page, /^Retire$/);
  await told(page, "Decided. Done.");
  await press(page, /^Undo$/);
  await page.waitForFunction(() => !document.querySelector(".done") && document.querySelector(".conflicts"), null, LONG);
  await page.keyboard.press("j");
  await press(page, /^Keep$/);
  await told(page, "Decided. Done.");
  await page.waitForFunction(() => !document.querySelector(".conflicts"), null, LONG);
  await page.keyboard.press("j");
  await choose(page, /^Correct$/);
  await page.getByLabel("What is right").waitFor(LONG);
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !document.querySelector(".edit"), null, LONG);
  await page.keyboard.press("j");
  await choose(page, /^Set aside$/);
  await told(page, "Set aside. Done.");
  await press(page, /^Undo$/);
  await page.waitForFunction(() => !document.querySelector(".done"), null, LONG);
  await page.keyboard.press("9");
  await page.locator(".said .chip").first().waitFor(LONG);
  await page.keyboard.press("j");
  await press(page, /^Undo$/);
  await page.locator(".said.past").first().waitFor(LONG);
  await page.keyboard.press("0");
  await page.getByRole("button", { name: "Verify" }).waitFor(LONG);
  await press(page, /^Verify$/);
  await told(page, "no fault");
  await press(page, /^Consolidate$/);
  await told(page, "written");
  await press(page, /^Rebuild$/);
  await press(page, /^Yes, rebuild$/);
  await page.getByText("Done.", { exact: true }).waitFor(LONG);
  const [file] = await Promise.all([page.waitForEvent("download", LONG), press(page, /^Export$/)]);
  assert.equal(file.suggestedFilename(), "keys.jsonl");
  await page.shut();
});

test("people, trees and the graph are changed by the keyboard alone", { timeout: 240_000 }, async () => {
  const page = await opened("#/example/people");
  await page.locator(".person .now").waitFor(LONG);
  await press(page, /^Edit$/);
  await reach(page, /^What is known/);
  await page.keyboard.type("She sings. ");
  await press(page, /^Save$/);
  await told(page, "Done.");
  await press(page, /^Undo$/);
  await told(page, "taken back");
  await page.keyboard.press("4");
  await page.locator(".icicle a").first().waitFor(LONG);
  await page.locator(".icicle a").first().focus();
  await page.keyboard.press("Enter");
  await page.locator(".way").waitFor(LONG);
  await settled(page);
  await press(page, /^Rename$/);
  await page.keyboard.press("Control+A");
  await page.keyboard.type("By the keyboard");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "By the keyboard" }).waitFor(LONG);
  await press(page, /^Undo$/);
  await page.waitForFunction(() => !document.querySelector(".done"), null, LONG);
  await page.keyboard.press("5");
  await page.getByRole("combobox").waitFor(LONG);
  await page.keyboard.press("/");
  await page.keyboard.type("anya");
  await page.getByRole("option").first().waitFor(LONG);
  await page.keyboard.press("Enter");
  await page.locator(".entity h2").waitFor(LONG);
  await page.locator(".entity .tie").first().waitFor(LONG);
  await page.locator(".entity").evaluate((each) => (each.tabIndex = -1, each.focus()));
  await press(page, /same as/);
  await reach(page, /same as/);
  await page.keyboard.type("declan");
  await page.locator(".entity").getByRole("option", { name: "Declan" }).first().waitFor(LONG);
  await page.keyboard.press("Enter");
  await page.locator(".entity .names").getByText("Declan").waitFor(LONG);
  await settled(page);
  await press(page, /^Undo$/);
  await page.waitForFunction(() => ![...document.querySelectorAll(".names bdi")].some((each) => each.textContent === "Declan"), null, LONG);
  await page.shut();
});

test("names without a link are folded", { timeout: 120_000 }, async () => {
  const page = await opened("#/example/graph");
  await page.getByRole("switch", { name: "Person" }).click();
  await page.getByText(/^\d+ names? without a link$/).waitFor(LONG);
  await page.getByText(/^\d+ names? without a link$/).click();
  await page.locator(".loose a").first().waitFor(LONG);
  await clean(page, "a graph with loose names");
  for (const type of ["Other", "Place"]) await page.getByRole("switch", { name: type }).click();
  await page.shut();
});

test("the talk is searched, goes to a day, and has pages both ways", { timeout: 240_000 }, async () => {
  await posted("memories", { name: "talk", recipe: "flat" });
  for (let batch = 0; batch < 2; batch += 1) {
    const messages = Array.from({ length: 700 }, (_, at) => {
      const number = batch * 700 + at;
      const day = new Date(Date.UTC(2024, 0, 1) + number * 3_600_000).toISOString();
      return { text: `Turn ${number}${number % 100 ? "" : " about harbours"}`, speaker: number % 2 ? "Ann" : "Ben", at: day };
    });
    await posted("memories/talk/turns/batch", { messages });
  }
  const page = await opened("#/talk/turns");
  const turn = (number) => page.locator(".said .text").getByText(`Turn ${number}`, { exact: true });
  const texts = () => page.locator(".said .text").allInnerTexts();
  await page.keyboard.press("/");
  await page.keyboard.type("harbour");
  await page.keyboard.press("Enter");
  await page.locator(".said mark").first().waitFor(LONG);
  assert.deepEqual((await texts()).slice(0, 2), ["Turn 0 about harbours", "Turn 100 about harbours"]);
  await clean(page, "turns with a word");
  await to(page, "#/talk/turns");
  await page.getByLabel("Go to a day").fill("2024-02-11");
  await page.keyboard.press("Enter");
  await turn(984).waitFor(LONG);
  assert.equal((await texts())[0], "Turn 984");
  await page.getByRole("button", { name: "Earlier turns" }).click();
  // What is seen stays where it is, and what was before it is above.
  await page.waitForFunction(() => scrollY > 1000, null, LONG);
  assert.ok(await turn(984).isVisible());
  await page.keyboard.press("Control+Home");
  await turn(484).waitFor(LONG);
  await page.getByRole("button", { name: "Earlier turns" }).click();
  await page.waitForFunction(() => !document.body.innerText.includes("Earlier turns"), null, LONG);
  await page.keyboard.press("Control+Home");
  await page.locator(".said", { hasText: /Turn 0 about/ }).waitFor(LONG);
  await page.getByRole("button", { name: "To the end" }).click();
  await turn(1399).waitFor(LONG);
  await page.getByLabel("Go to a day").fill("2030-01-01");
  await page.keyboard.press("Enter");
  await page.getByText("Nothing was said on that day or later.").waitFor(LONG);
  await page.shut();
});

test("what never was is told apart from what was deleted", { timeout: 120_000 }, async () => {
  await posted("memories", { name: "gone" });
  const { id } = await posted("memories/gone/turns", { text: "I adopted a kitten named Coco. I live in Lisbon.", speaker: "Ann" });
  const formed = await (await fetch(`${server.address}/v1/memories/gone/items/formed?id=${id}`)).json();
  await posted("memories/gone/forget", { ids: [id] });
  const page = await opened(`#/gone/turns?id=${id}`);
  await page.getByText("it was forgotten").waitFor(LONG);
  for (const never of ["turn_01ARZ3NDEKTSV4RRFFQ69G5FAV", "gone"]) {
    await to(page, `#/gone/turns?id=${never}`);
    await page.getByText("There never was such a turn").waitFor(LONG);
  }
  for (const [view, kind, [item]] of [["notes?id=", "note", formed.notes], ["graph?entity=", "entity", formed.entities]]) {
    await to(page, `#/gone/${view}${item.id}`);
    await page.getByText(`This ${kind} is not there any more`).waitFor(LONG);
    for (const never of [`${kind}_01ARZ3NDEKTSV4RRFFQ69G5FAV`, "nobody"]) {
      await to(page, `#/gone/${view}${never}`);
      await page.getByText(`There never was such a${kind === "entity" ? "n" : ""} ${kind}`).waitFor(LONG);
    }
  }
  for (const [address, kind] of [["node=nowhere", "node"], ["turn=turn_01ARZ3NDEKTSV4RRFFQ69G5FAV", "turn"]]) {
    await to(page, `#/gone/topics?${address}`);
    await page.getByText(`There never was such a ${kind}`).waitFor(LONG);
  }
  await to(page, "#/gone/nowhere");
  await page.getByRole("heading", { name: "There is no such page" }).waitFor(LONG);
  await to(page, "#/nobody/turns");
  await page.getByRole("heading", { name: "There is no such memory" }).waitFor(LONG);
  await page.shut();
});
