import { expect, test } from "vitest";

import { authorOf } from "../../src/lib/authors.js";

test("who made a change is told in words, and people and models by their names", () => {
  expect(["verbatim/76d91c82", "rules/2", "explorer", "Wanda", "openai:gpt-4o-mini/4"].map(authorOf)).toEqual(
    ["the rules", "the rules", "this page", "Wanda", "openai:gpt-4o-mini/4"],
  );
});
