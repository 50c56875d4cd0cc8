import { expect, test } from "vitest";

import { compared, traitsBetween, type Version } from "../../src/lib/people/versions.js";

const version = (number: number, undone = false): Version => ({ number, speaker: "Ann", text: "", traits: [], at: "2025-01-01", by: "rules", why: null, notes: [], change: null, undone });

test("traits are told apart without regard to their order", () => {
  expect(traitsBetween(["a", "b", "c"], ["c", "a", "d"])).toEqual({ taken: ["b"], added: ["d"], kept: ["c", "a"] });
});

test("the version in force is compared with the one before it, unless others are asked for", () => {
  // The older ones are not read yet.
  const versions = [version(4), version(5), version(6), version(7, true)];
  expect(compared(versions, null, null)).toEqual([1, 2]);
  expect(compared(versions, "4", "7")).toEqual([0, 3]);
  expect(compared(versions, null, "5")).toEqual([0, 1]);
  expect(compared(versions, "9", "none")).toEqual([1, 2]);
  expect(compared([version(1)], null, null)).toEqual([0, 0]);
  expect(compared([], null, null)).toEqual([0, 0]);
});
