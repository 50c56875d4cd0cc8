import { expect, test } from "vitest";

import { compared, traitsBetween, type Version } from "../../src/lib/people/versions.js";

const version = (undone = false): Version => ({ speaker: "Ann", text: "", traits: [], at: "2025-01-01", by: "rules", why: null, notes: [], change: null, undone });

test("traits are told apart without regard to their order", () => {
  expect(traitsBetween(["a", "b", "c"], ["c", "a", "d"])).toEqual({ taken: ["b"], added: ["d"], kept: ["c", "a"] });
});

test("the version in force is compared with the one before it, unless others are asked for", () => {
  const versions = [version(), version(), version(), version(true)];
  expect(compared(versions, null, null)).toEqual([1, 2]);
  expect(compared(versions, "1", "4")).toEqual([0, 3]);
  expect(compared(versions, null, "2")).toEqual([0, 1]);
  expect(compared(versions, "9", "none")).toEqual([1, 2]);
  expect(compared([version()], null, null)).toEqual([0, 0]);
  expect(compared([], null, null)).toEqual([0, 0]);
});
