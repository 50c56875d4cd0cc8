import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { TEXTS } from "../../src/lib/texts.js";

const SOURCE = join(import.meta.dirname, "..", "..", "src");

/** Yields the texts that numbers make, each with where it stands. */
function* counted(texts: object, count: number, path: string[] = []): Generator<[string, string]> {
  for (const [name, value] of Object.entries(texts)) {
    const here = [...path, name];
    if (typeof value === "object") yield* counted(value, count, here);
    if (typeof value !== "function") continue;
    try {
      yield [here.join("."), String(value(count, count))];
    } catch {
      // It takes a text or a list.
    }
  }
}

test("one of a thing is not many, in any text of the page", () => {
  const texts = [...counted(TEXTS, 1)];
  expect(texts.length).toBeGreaterThan(40);
  expect(texts.filter(([, text]) => /\b1 (?:smaller |new |other )?[a-z]{2,}s\b/u.test(text))).toEqual([]);
  expect(TEXTS.counts.entities(1)).toBe("1 entity");
  expect(TEXTS.counts.entities(2000)).toBe("2,000 entities");
});

test("no view puts a plural behind a number by itself", () => {
  const nouns = [...readFileSync(join(SOURCE, "lib", "texts.ts"), "utf8").matchAll(/(?:some|noun)\("(\w+)(?: \w+)*"(?:, "(\w+))?/gu)].map(([, one, many]) => many ?? `${one}s`).filter((noun) => noun.endsWith("s"));
  expect(nouns).toContain("turns");
  const plural = new RegExp(`\\}(?: |&nbsp;)(?:${nouns.join("|")})\\b(?!=)`, "u");
  const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter((file) => /\.(svelte|ts)$/u.test(file));
  expect(files.filter((file) => readFileSync(join(SOURCE, file), "utf8").split("\n").some((line) => !/^\s*import /u.test(line) && plural.test(line)))).toEqual([]);
});
