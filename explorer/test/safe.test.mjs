// Nothing that a memory says is markup, nothing of it stays in the browser, and no other page is answered.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";

import { faults, LONG, opened, posted, root, server, settled, started, to, VIEWS } from "./frame.mjs";

const ATTACKS = [
  `<script>document.title='harmed'</script>`,
  `<img src=x onerror="document.title='harmed'">`,
  `<svg/onload=document.title='harmed'>`,
  `"><iframe srcdoc="<script>parent.document.title='harmed'</script>">`,
  `' autofocus onfocus=document.title='harmed' x='`,
  `javascript:document.title='harmed'//`,
  `[a](javascript:document.title='harmed')`,
  `{@html "<b>harmed</b>"} {{constructor.constructor("document.title='harmed'")()}}`,
  `</style><style>body{display:none}</style>`,
  `\u202e<b>harmed</b>\u2066`,
  `<a href="#" onclick="document.title='harmed'">Ann</a>`,
  `%3Cscript%3E&lt;script&gt;\u0000\ud7ff`,
];
const SCRIPTS = ["مرحبا بك في البستان", "שלום, אני גרה בחיפה", "我住在上海，养了一只猫", "Привет, я живу в Киеве", "नमस्ते", "👩‍👩‍👧‍👦 e\u0301"];

test("an attack in every field is text in every view", { timeout: 400_000 }, async () => {
  await posted("memories", { name: "attacked" });
  const turns = [];
  for (const [at, text] of [...ATTACKS, ...SCRIPTS].entries()) {
    const said = text.replace("\u0000", "");
    const receipt = await posted("memories/attacked/turns", {
      text: `My sister Mia ${said} lives in Porto`, speaker: said.slice(0, 200), session: said.slice(0, 200), caption: said,
      at: `2024-0${1 + (at % 9)}-01T10:00:00Z`, metadata: { field: said },
    });
    turns.push(receipt.id);
  }
  await posted("memories/attacked/correct", { id: turns[0], text: `Mia lives in Lisbon ${ATTACKS[1]}`, why: ATTACKS[0], by: ATTACKS[1] });
  await posted("memories/attacked/pin", { id: turns[1], why: ATTACKS[2] });
  const page = await opened("#/attacked/ask");
  page.on("dialog", () => faults.push("a dialog"));
  const places = VIEWS.flatMap((view) => [`#/attacked/${view}`]);
  places.push(
    `#/attacked/ask?q=${encodeURIComponent(`Where does Mia live? ${ATTACKS[0]}`)}`,
    `#/attacked/turns?session=${encodeURIComponent(ATTACKS[1])}`,
    `#/attacked/notes?subject=${encodeURIComponent(ATTACKS[2])}`,
    `#/${encodeURIComponent(ATTACKS[0])}/ask`,
  );
  for (const place of places) {
    await to(page, place);
    assert.doesNotMatch(await page.title(), /^harmed/);
    const foreign = await page.evaluate(() => document.querySelectorAll("main script, main img, main iframe, main svg[onload], main style, main b[onclick]").length);
    assert.equal(foreign, 0, place);
    assert.ok(await page.locator("header").isVisible(), place);
  }
  await to(page, "#/attacked/turns");
  assert.match(await page.locator(".text").first().innerText(), /<script>/);
  assert.deepEqual(faults, []);
  await page.shut();
});

test("nothing of a memory stays in the browser", { timeout: 120_000 }, async () => {
  const page = await opened("#/example/ask?q=Where+does+Nadia+live%3F");
  await to(page, "#/example/turns");
  await to(page, "#/example/overview");
  await page.goto("about:blank");
  await page.goto(`${server.address}/explore`);
  const held = await page.evaluate(async () => [
    localStorage.length, sessionStorage.length, document.cookie.replace(/hmem-look-memory_\w{26}=[\d.]+/, ""), (await indexedDB.databases()).length, (await caches?.keys?.())?.length ?? 0,
    (await navigator.serviceWorker?.getRegistrations?.())?.length ?? 0,
  ]);
  assert.deepEqual(held, [0, 0, "", 0, 0, 0]);
  await page.shut();
});

test("the link of a local page holds once, for one browser, and for no other site", { timeout: 240_000 }, async () => {
  const local = await started("explore", join(root, "example.hmem"), "--no-browser", "--json");
  const token = new URL(local.link).hash;
  const page = await opened(token, { at: local.address });
  await page.waitForFunction(() => location.hash === "#/example/overview");
  assert.doesNotMatch(page.url(), /token/);
  await to(page, "#/example/turns");
  await page.locator(".said").first().waitFor(LONG);
  // Loaded anew, it is still that of this browser.
  await page.reload();
  await page.locator(".said").first().waitFor(LONG);
  await page.getByRole("button", { name: "Actions" }).first().waitFor(LONG);
  assert.doesNotMatch(await page.evaluate(() => document.cookie), /hmem-[^l]/);
  for (const hash of [token, "#/example/turns"]) {
    const other = await opened(hash, { at: local.address });
    await other.getByText("This link was used").waitFor(LONG);
    await other.shut();
  }
  // Another site in the same browser: it can neither read nor write, whatever it sends along.
  const elsewhere = createServer((_, answer) => answer.setHeader("Content-Type", "text/html").end("<title>elsewhere</title>"));
  elsewhere.listen(0, "127.0.0.1");
  await once(elsewhere, "listening");
  const foreign = await page.context().newPage();
  await foreign.goto(`http://localhost:${elsewhere.address().port}/`);
  const tried = await foreign.evaluate(async (address) => {
    const ways = [
      [`${address}/v1/memories/example/turns`, { credentials: "include" }],
      [`${address}/explore/session`, { method: "POST", credentials: "include", body: "{}", headers: { "Content-Type": "application/json" } }],
      [`${address}/explore/session`, { method: "POST", credentials: "include", body: "{}", mode: "no-cors" }],
      [`${address}/v1/memories/example/turns`, { method: "POST", credentials: "include", body: '{"text":"forged"}', mode: "no-cors" }],
    ];
    return Promise.all(ways.map(([url, init]) => fetch(url, init).then((answer) => `${answer.type}`, () => "refused")));
  }, local.address);
  assert.deepEqual(tried, ["refused", "refused", "opaque", "opaque"]);
  await to(page, "#/example/changes");
  await to(page, "#/example/turns");
  assert.equal(await page.locator(".said", { hasText: "forged" }).count(), 0);
  elsewhere.close();
  await page.shut();
  await local.stop("SIGINT");
});

test("the keys of the keyboard lead everywhere", { timeout: 120_000 }, async () => {
  const page = await opened("#/example/turns");
  await page.locator(".said").first().waitFor(LONG);
  await page.keyboard.press("?");
  await page.getByRole("dialog").waitFor();
  assert.match(await page.getByRole("dialog").innerText(), /To the next item/);
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  assert.equal(await page.evaluate(() => [...document.querySelectorAll("[data-item]")].indexOf(document.activeElement)), 1);
  await page.keyboard.press("6");
  await page.waitForFunction(() => location.hash === "#/example/notes");
  await page.getByLabel("Subject").waitFor(LONG);
  await page.keyboard.press("/");
  await page.keyboard.type("1 Coco");
  assert.equal(await page.getByLabel("Subject").inputValue(), "1 Coco");
  await page.goBack();
  await page.waitForFunction(() => location.hash === "#/example/turns");
  await page.shut();
});

