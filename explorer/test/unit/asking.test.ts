import { expect, test } from "vitest";

import { conditionsOf, numberOf } from "../../src/lib/asking.js";

test("an address has the conditions of a question, and others than those are no conditions", () => {
  const query = new URLSearchParams("q=Who?&speaker=Ann&since=2024-01-01&k=5&compare=bm25&until=&evil=1");
  expect(conditionsOf(query)).toEqual({ speaker: "Ann", since: "2024-01-01" });
  expect(conditionsOf(query, "flat")).toEqual({ speaker: "Ann", since: "2024-01-01", recipe: "flat" });
  expect(conditionsOf(new URLSearchParams("recipe=flat"), "bm25")).toEqual({ recipe: "bm25" });
});

test("a number that is none is the usual one", () => {
  expect(numberOf(new URLSearchParams("k=5"), "k")).toBe(5);
  for (const wrong of ["", "k=", "k=many", "k=0"]) expect(numberOf(new URLSearchParams(wrong), "k")).toBe(10);
});
