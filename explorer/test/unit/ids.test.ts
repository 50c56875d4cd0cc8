import { expect, test } from "vitest";

import { absent, timeIn, wasATurn } from "../../src/lib/ids.js";

const TURN = "turn_01ARZ3NDEKTSV4RRFFQ69G5FAV";
const MOMENT = 1_469_922_850_259;

test("an id tells when it was given out", () => {
  expect(timeIn("turn", TURN)).toBe(MOMENT);
  for (const id of ["gone", "turn_", "turn_01ARZ3NDEKTSV4RRFFQ69G5FA", "turn_91ARZ3NDEKTSV4RRFFQ69G5FAV", "note_01ARZ3NDEKTSV4RRFFQ69G5FAV", "turn_01arz3ndektsv4rrffq69g5fav"]) {
    expect(timeIn("turn", id)).toBeUndefined();
  }
});

test("a turn that a memory may have had is told apart from one that it never had", () => {
  const memory = TURN.replace("turn", "memory");
  expect(wasATurn(TURN, memory, MOMENT + 1)).toBe(true);
  expect(wasATurn("gone", memory, MOMENT + 1)).toBe(false);
  expect(wasATurn("turn_01AAAANDEKTSV4RRFFQ69G5FAV", memory, MOMENT + 1)).toBe(false);
  expect(wasATurn("turn_7ZZZZZZZZZTSV4RRFFQ69G5FAV", memory, MOMENT + 1)).toBe(false);
});

test("what was forgotten is told apart from what never was", () => {
  const told = (kind: "turn" | "note" | "entity" | "node", id: string) => absent(kind, id, TURN.replace("turn", "memory"), MOMENT);
  expect(told("turn", TURN)).toContain("it was forgotten");
  expect(told("turn", "gone")).toContain("There never was such a turn");
  expect(told("note", "note_01HNNFP1W00000000000000800")).toContain("it was forgotten");
  expect(told("note", "note_01ARZ3NDEKTSV4RRFFQ69G5FAV")).toContain("There never was such a note");
  expect(told("node", "node_01HNNFP1W00020000000000800")).toContain("it was forgotten");
  expect(told("node", "gone")).toContain("There never was such a node");
  expect(told("entity", "note_01ARZ3NDEKTSV4RRFFQ69G5FAV")).toContain("There never was such an entity");
});
