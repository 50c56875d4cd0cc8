import { expect, test } from "vitest";

import { joined, linesOf, linked, type Part, resembling, tiesOf, typesOf, without } from "../../src/lib/graph/model.js";

const entity = (id: string, type: Part["entities"][number]["type"] = "person") => ({ id, name: id.toUpperCase(), type, aliases: [], mentions: 1, user: null });
const relation = (source: string, target: string, label = "knows", at = "2025-01-01T00:00:00+00:00") => ({
  id: `${source} ${label} ${target}`, source, target, label, evidence: ["turn_1"], confidence: 0.9, at, past: false,
});
const graph = (ids: string[], relations: Part["relations"] = [], overlaps: Part["overlaps"] = []): Part => ({
  entities: ids.map((id) => entity(id)), relations, overlaps, profiles: ids.map((id) => ({ id: `p${id}`, entity: id, persistent: "", recent: "", sources: [], made_by: "rules" })),
});

test("a neighbourhood joins what is there, each once", () => {
  const both = joined(graph(["a", "b"], [relation("a", "b")]), graph(["b", "c"], [relation("b", "c"), relation("a", "b")]));
  expect(both.entities.map(({ id }) => id)).toEqual(["a", "b", "c"]);
  expect(both.relations.length).toBe(2);
});

test("no more is drawn than there is room for, and nothing that leads out of it", () => {
  const most = joined(graph(["a", "b"]), graph(["b", "c", "d"], [relation("b", "c"), relation("c", "d")], [["a", "d"]]), 3);
  expect(most.entities.map(({ id }) => id)).toEqual(["a", "b", "c"]);
  expect(most.relations.map(({ id }) => id)).toEqual(["b knows c"]);
  expect(most.overlaps).toEqual([]);
  expect(most.profiles.length).toBe(3);
  expect(joined(undefined, graph(["a", "b"]), 1).entities.length).toBe(1);
});

test("hidden types go with their relations, and the one that is looked at stays", () => {
  const place = entity("x", "location");
  const part = { ...graph(["a"], [relation("a", "x")]), entities: [entity("a"), place] };
  expect(without(part, new Set(["location"])).relations).toEqual([]);
  expect(without(part, new Set(["location"]), "x").entities).toContain(place);
  expect(without(part, new Set())).toBe(part);
  expect(typesOf(part)).toEqual([["person", 1], ["location", 1]]);
});

test("relations of an entity come latest first, with their direction", () => {
  const part = graph(["a", "b", "c"], [relation("a", "b", "knows", "2024-01-01"), relation("c", "a", "sees", "2025-01-01"), relation("b", "c")]);
  expect(tiesOf(part, "a").map(({ other, inwards }) => [other.id, inwards])).toEqual([["c", true], ["b", false]]);
});

test("names that resemble each other are offered both ways", () => {
  const part = graph(["a", "b", "c"], [], [["a", "b"]]);
  expect(resembling(part, "b").map(({ id }) => id)).toEqual(["a"]);
  expect(resembling(part, "c")).toEqual([]);
});

test("relations of the same two are one line, with all their labels", () => {
  const lines = linesOf([relation("a", "b", "works_for"), relation("a", "b", "likes"), relation("b", "a", "likes"), relation("b", "c")]);
  expect(lines.map(({ label, mutual }) => [label, mutual])).toEqual([["works for, likes", true], ["knows", false]]);
});

test("names without a link are told apart, but for those that are looked at", () => {
  const whole = graph(["a", "b", "c", "d"], [relation("a", "b")]);
  const { part, loose } = linked(whole, new Set(["d"]));
  expect(part.entities.map(({ id }) => id)).toEqual(["a", "b", "d"]);
  expect(part.relations.length).toBe(1);
  expect(loose.map(({ id }) => id)).toEqual(["c"]);
});
