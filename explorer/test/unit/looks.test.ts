import { expect, test } from "vitest";

import { lookedAgain, looksIn } from "../../src/lib/looks.js";

const HOUR = 3_600_000;

test("a look that goes on is compared with the one before, and a later one with it", () => {
  const first = lookedAgain([], { seen: 3, at: HOUR });
  expect(first).toEqual([{ seen: 3, at: HOUR }]);
  expect(lookedAgain(first, { seen: 5, at: HOUR + 60_000 })).toEqual([{ seen: 5, at: HOUR + 60_000 }]);
  const second = lookedAgain(first, { seen: 9, at: 3 * HOUR });
  expect(second).toEqual([{ seen: 3, at: HOUR }, { seen: 9, at: 3 * HOUR }]);
  expect(lookedAgain(second, { seen: 12, at: 3 * HOUR + 1 })).toEqual([{ seen: 3, at: HOUR }, { seen: 12, at: 3 * HOUR + 1 }]);
});

test("looks are read of their memory's cookie, and nothing of a damaged one", () => {
  const cookies = "other=1; hmem-look-memory_A=3.100.9.200; hmem-look-memory_B=7.5";
  expect(looksIn(cookies, "memory_A")).toEqual([{ seen: 3, at: 100 }, { seen: 9, at: 200 }]);
  expect(looksIn(cookies, "memory_B")).toEqual([{ seen: 7, at: 5 }]);
  for (const value of ["", "x.y", "1", "1.2.3", "-1.2", "1e9.x"]) expect(looksIn(`hmem-look-memory_A=${value}`, "memory_A")).toEqual([]);
  expect(looksIn("", "memory_A")).toEqual([]);
});
