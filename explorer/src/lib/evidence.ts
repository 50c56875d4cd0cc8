// What points from an answer to its evidence: the sentence that it rests on, and the reasons in words why a piece was found.
import type { Schemas } from "hmem";

import { TEXTS } from "./texts.js";

type Item = Schemas["Evidence"];
/** Start and end of a part of a text, in units of JavaScript's strings. */
export type Span = readonly [start: number, end: number];

const QUOTED = /“(.*)”$/su;
const WORD = /[\p{L}\p{N}]+/gu;
const WORDS_ALIKE = 4;
const sentences = new Intl.Segmenter(undefined, { granularity: "sentence" });

/** Returns the words that a line of an answer quotes; undefined for one that quotes nothing. */
export const quotedIn = (line: string): string | undefined => QUOTED.exec(line)?.[1];

/** Returns where a quotation stands in a text, however its words are set apart there. */
export function spanOf(text: string, quotation: string): Span | undefined {
  const words = quotation.trim().split(/\s+/u).map((word) => word.replace(/[.*+?^${}()|[\]\\/-]/gu, "\\$&"));
  const match = words[0] ? new RegExp(words.join("\\s+"), "u").exec(text) : null;
  return match ? [match.index, match.index + match[0].length] : undefined;
}

const wordsOf = (text: string) => (text.toLocaleLowerCase().match(WORD) ?? []).filter((word) => word.length > 1);
/** Forms of a word begin alike. */
const alike = (one: string, other: string) =>
  one === other || (Math.min(one.length, other.length) >= WORDS_ALIKE && (one.startsWith(other.slice(0, -1)) || other.startsWith(one.slice(0, -1))));

/** Returns the sentence within a span that has most of some words, the first of several; undefined if none has any. */
export function sentenceWith(text: string, words: readonly string[], [start, end]: Span = [0, text.length]): Span | undefined {
  const wanted = words.flatMap(wordsOf);
  let best: Span | undefined;
  let most = 0;
  for (const { segment, index } of sentences.segment(text.slice(start, end))) {
    const own = wordsOf(segment);
    const count = wanted.filter((word) => own.some((other) => alike(word, other))).length;
    if (count > most) [best, most] = [[start + index, start + index + segment.trimEnd().length], count];
  }
  return best;
}

/** Returns for each piece of evidence, by id, the sentence that an answer rests on. */
export function marksOf(answer: Schemas["Answer"]): Map<string, Span> {
  if (answer.abstained) return new Map();
  const quotations = answer.text.split("\n").flatMap((line) => quotedIn(line) ?? []);
  return new Map(
    answer.evidence.flatMap((item): [string, Span][] => {
      const quoted = quotations.map((quotation) => spanOf(item.text, quotation)).find((span) => span !== undefined);
      // A short turn is quoted whole, so the words that met tell the sentence. A model answers in words of its own.
      const words = [...item.why.words, answer.value ?? "", ...(quoted ? [] : [answer.text])];
      const span = sentenceWith(item.text, words, quoted) ?? quoted;
      return span ? [[item.id, span]] : [];
    }),
  );
}

/** Returns a text in parts, of which the one within the span is marked. */
export function parted(text: string, span: Span | undefined): { text: string; marked: boolean }[] {
  if (!span) return [{ text, marked: false }];
  const [start, end] = span;
  const parts = [[0, start, false], [start, end, true], [end, text.length, false]] as const;
  return parts.flatMap(([from, to, marked]) => (from < to ? [{ text: text.slice(from, to), marked }] : []));
}

/** Returns why a piece was found, in words; `quoted` are those that the answer quotes, among which it may be the newest. */
export function reasonsOf(item: Item, quoted: readonly Item[] = []): string[] {
  const reasons = TEXTS.ask.reasons;
  const has = (name: string) => (item.why.terms[name]?.contribution ?? 0) > 0;
  const newest = quoted.reduce<Item | undefined>((last, each) => (last && last.when >= each.when ? last : each), undefined);
  return [
    item.speaker && has("speaker") ? reasons.speaker(item.speaker) : "",
    item.why.words.length ? reasons.words(item.why.words.slice(0, 5)) : "",
    ["semantic.turn", "semantic.window"].some(has) ? reasons.meaning : "",
    has("answer_type") ? reasons.kind : "",
    has("follows_question") ? reasons.reply : "",
    has("time") ? reasons.time : "",
    item.why.strategies.includes("slot") ? reasons.slot : "",
    item.why.strategies.includes("newer") ? reasons.later : "",
    item.why.echoes.length ? reasons.repeats : "",
    !item.why.outdated && quoted.length > 1 && newest?.id === item.id ? reasons.newest(quoted.length) : "",
  ].filter(Boolean);
}
