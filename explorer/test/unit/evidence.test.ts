import type { Schemas } from "hmem";
import { expect, test } from "vitest";

import { marksOf, parted, quotedIn, reasonsOf, sentenceWith, spanOf } from "../../src/lib/evidence.js";

const item = (id: string, text: string, words: string[] = [], more: object = {}) =>
  ({ id, kind: "turn", text, when: `2024-0${id}-01T10:00:00Z`, speaker: "Nadia", why: { words, strategies: ["fusion"], terms: {}, echoes: [], outdated: null, ...more } }) as unknown as Schemas["Evidence"];
const answer = (text: string, evidence: Schemas["Evidence"][], more: object = {}) =>
  ({ text, evidence, abstained: false, value: null, made_by: "verbatim", ...more }) as unknown as Schemas["Answer"];
const cut = (text: string, span: readonly [number, number] | undefined) => span && text.slice(...span);

test("a quotation is found in its turn, however lines are broken", () => {
  expect(quotedIn("Nadia, 6 March 2025: “I live in Graça (fourth floor).”")).toBe("I live in Graça (fourth floor).");
  expect(quotedIn("No quotation.")).toBeUndefined();
  const text = "Hello.\nI live\n in Graça (fourth floor).";
  expect(cut(text, spanOf(text, "I live in Graça (fourth floor)."))).toBe("I live\n in Graça (fourth floor).");
  expect(spanOf(text, "I live in Porto.")).toBeUndefined();
  expect(spanOf(text, "")).toBeUndefined();
});

test("of a turn that is quoted whole the sentence with the words that met is marked", () => {
  const text = "Wednesdays at eight. Anya lives two doors down from me. See you.";
  expect(cut(text, sentenceWith(text, ["live"]))).toBe("Anya lives two doors down from me.");
  expect(sentenceWith(text, ["xenon"])).toBeUndefined();
  const marks = marksOf(answer(`Nadia, 1 January 2024: “${text}”`, [item("1", text, ["live"])]));
  expect(cut(text, marks.get("1"))).toBe("Anya lives two doors down from me.");
  const longer = `${"Well. ".repeat(3)}I adopted Coco. She is a cat.`;
  expect(cut(longer, marksOf(answer("Ann: “I adopted Coco.”", [item("2", longer)])).get("2"))).toBe("I adopted Coco.");
  expect(marksOf(answer("The memory does not tell.", [item("1", text)], { abstained: true })).size).toBe(0);
});

test("a model's answer marks the sentence that tells it", () => {
  const text = "It rained. Coco is a kitten of six weeks.";
  expect(cut(text, marksOf(answer("Coco is Ann's kitten.", [item("1", text)])).get("1"))).toBe("Coco is a kitten of six weeks.");
});

test("a text is parted around its mark", () => {
  expect(parted("abc", [1, 2])).toEqual([{ text: "a", marked: false }, { text: "b", marked: true }, { text: "c", marked: false }]);
  expect(parted("abc", [0, 9])).toEqual([{ text: "abc", marked: true }]);
  expect(parted("abc", undefined)).toEqual([{ text: "abc", marked: false }]);
});

test("reasons are told in words", () => {
  const terms = { speaker: { value: 1, weight: 1, contribution: 1 }, "semantic.turn": { value: 1, weight: -1, contribution: -1 } };
  const newest = item("3", "b", ["live"], { terms });
  expect(reasonsOf(newest, [item("1", "a"), newest, item("2", "c")])).toEqual(["said by Nadia", "shares ‘live’", "newest of three"]);
  expect(reasonsOf(item("1", "a"), [newest, item("1", "a")])).toEqual([]);
  const outdated = item("1", "a", [], { outdated: { since: null, by: null } });
  expect(reasonsOf(outdated, [outdated, item("0", "b", [])])).toEqual([]);
});
