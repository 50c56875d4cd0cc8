import { describe, expect, test } from "vitest";

import { type Branch, icicle, stepFrom, waysOf, wayTo } from "../../src/lib/trees/icicle.js";

let made = 0;
const node = (size: number, ...children: Branch[]): Branch => ({ id: `n${(made += 1)}`, label: `of ${size}`, size, children });

describe("an icicle", () => {
  const [small, large] = [node(10, node(4), node(6)), node(30, node(30))];
  const root = node(40, small, large);

  test("gives each node its share of what is above it, the largest first", () => {
    const cells = icicle(root, 3, 0);
    const told = cells.map(({ node, row, left, width }) => [node?.size, row, left, width]);
    expect(told).toEqual([
      [30, 0, 0, 0.75], [10, 0, 0.75, 0.25],
      [30, 1, 0, 0.75], [6, 1, 0.75, 0.15], [4, 1, 0.9, 0.1].map((value) => expect.closeTo(value as number, 10)),
    ]);
  });

  test("keeps the order of time where it is asked to", () => {
    expect(icicle(root, 1, 0, true).map(({ node }) => node?.size)).toEqual([10, 30]);
  });

  test("has the smaller ones that are not told as one cell behind the others", () => {
    const cells = icicle({ ...node(100, node(60), node(20)), folded: 7 }, 1, 0);
    expect(cells.map(({ node, width, count }) => [node?.size, width, count])).toEqual([[60, 0.6, 1], [20, 0.2, 1], [undefined, 0.2, 7]]);
  });

  test("has no more rows than wanted, and none of an empty tree", () => {
    expect(Math.max(...icicle(root, 1, 0).map(({ row }) => row))).toBe(0);
    expect(icicle(node(0), 3, 0)).toEqual([]);
    expect(icicle(node(0, node(0)), 3, 0)).toEqual([]);
  });

  test("puts siblings that are too narrow into one cell, which leads to what is above them", () => {
    const broad = node(100, node(90), ...Array.from({ length: 10 }, () => node(1)));
    const cells = icicle(broad, 2, 0.05);
    expect(cells.map(({ node, count, parent }) => [node?.size, count, parent])).toEqual([[90, 1, broad], [undefined, 10, broad]]);
    expect(cells[1]?.width).toBeCloseTo(0.1);
    // An only child is its parent again, however narrow.
    expect(icicle(node(100, node(1, node(1))), 2, 5).length).toBe(2);
  });

  test("colours by the branch where the tree first parts", () => {
    const alone = node(40, root);
    expect(icicle(alone, 3, 0).map(({ branch }) => branch)).toEqual([0, 1, 0, 1, 0, 0]);
  });

  test("leads the arrow keys to neighbours, up and down, and nowhere at an edge", () => {
    const cells = icicle(root, 3, 0);
    const [first, second, below] = cells;
    expect(stepFrom(cells, first!, "ArrowRight")).toBe(second);
    expect(stepFrom(cells, second!, "ArrowLeft")).toBe(first);
    expect(stepFrom(cells, first!, "ArrowLeft")).toBe(first);
    expect(stepFrom(cells, first!, "ArrowDown")).toBe(below);
    expect(stepFrom(cells, below!, "ArrowUp")).toBe(first);
    expect(stepFrom(cells, first!, "ArrowUp")).toBe(first);
    expect(stepFrom(cells, below!, "ArrowDown")).toBe(below);
  });
});

test("the way to a node follows only children", () => {
  const last = node(1);
  const root = node(1, node(1, last));
  expect(wayTo(root, last.id).at(-1)).toBe(last);
  expect(wayTo(root, undefined)).toEqual([root]);
  expect(wayTo(root, "gone")).toEqual([root]);
});

test("the ways of a turn are as many as the lowest nodes that hold it", () => {
  const [one, other] = [node(1), node(1)];
  const middle = node(2, one, other);
  expect(waysOf(node(2, middle))).toEqual([[middle, one], [middle, other]]);
  expect(waysOf(node(0))).toEqual([]);
});
