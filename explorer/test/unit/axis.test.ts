import { describe, expect, test } from "vitest";

import {
  density, LEAST, lengthOf, levelled, nextOf, panned, placeOf, secondsOf, startOf, stretched, timeOf, UNITS, unitOf, wholeOf, within, zoomed,
} from "../../src/lib/timeline/axis.js";

const DAY = 86_400;
const whole = { from: 0, to: 1000 * DAY };

describe("a window of time", () => {
  test("stays inside the whole, and never gets shorter than an hour", () => {
    expect(within({ from: -50, to: 2000 * DAY }, whole)).toEqual(whole);
    expect(within({ from: -10 * DAY, to: 10 * DAY }, whole)).toEqual({ from: 0, to: 20 * DAY });
    expect(lengthOf(within({ from: 10, to: 20 }, whole))).toBe(LEAST);
  });

  test("keeps the time under the wheel in its place", () => {
    const window = { from: 100 * DAY, to: 200 * DAY };
    const nearer = zoomed(window, 0.5, 120 * DAY, whole);
    expect(lengthOf(nearer)).toBe(50 * DAY);
    expect(placeOf(120 * DAY, nearer)).toBeCloseTo(placeOf(120 * DAY, window));
    expect(zoomed(window, 100, 120 * DAY, whole)).toEqual(whole);
  });

  test("moves by a share of its length, up to the end", () => {
    expect(panned({ from: 0, to: 100 * DAY }, 0.2, whole)).toEqual({ from: 20 * DAY, to: 120 * DAY });
    expect(panned({ from: 900 * DAY, to: 1000 * DAY }, 1, whole)).toEqual({ from: 900 * DAY, to: 1000 * DAY });
  });

  test("is as long as a unit around its middle", () => {
    const week = levelled(whole, "week", whole);
    expect(lengthOf(week)).toBe(7 * DAY);
    expect((week.from + week.to) / 2).toBe(500 * DAY);
  });

  test("of a single moment has room", () => {
    const [moment] = [{ start: "2025-03-01T10:00:00+01:00", end: "2025-03-01T10:00:00+01:00" }];
    expect(lengthOf(wholeOf([moment]))).toBeGreaterThanOrEqual(2 * LEAST);
  });
});

test("bars get coarser as the window gets longer", () => {
  const units = [DAY, 40 * DAY, 400 * DAY, 4_000 * DAY, 40_000 * DAY].map((to) => unitOf({ from: 0, to }, 1000));
  expect(units).toEqual([...units].sort((one, other) => UNITS.indexOf(one) - UNITS.indexOf(other)));
  expect(units[0]).toBe("hour");
  expect(units.at(-1)).toBe("year");
});

test.each(UNITS)("each %s begins where the one before ends", (unit) => {
  // The clocks change within these days in most places that change them.
  for (let day = Date.parse("2025-03-25T12:30:00") / 1000; day < Date.parse("2025-04-02") / 1000; day += DAY / 4) {
    const [begun, next] = [startOf(day, unit), nextOf(day, unit)];
    expect(begun).toBeLessThanOrEqual(day);
    expect(next).toBeGreaterThan(day);
    expect(startOf(next, unit)).toBe(next);
    expect(startOf(next - 1, unit)).toBe(begun);
  }
});

test("turns are counted in the unit in which their session began", () => {
  const sessions = [
    { start: "2025-03-01T10:00:00", turns: 3 },
    { start: "2025-03-01T23:00:00", turns: 4 },
    { start: "2025-02-01T10:00:00", turns: 1 },
  ];
  const [starts, counts] = density(sessions, "day");
  expect(counts).toEqual([1, 7]);
  expect(starts.map((start) => new Date(1000 * start).getDate())).toEqual([1, 1]);
});

test("a marked span grows and shrinks by units, and is never empty", () => {
  const begun = startOf(secondsOf("2025-03-10T12:00:00"), "day");
  const window = { from: begun - DAY, to: begun + 2 * DAY };
  const one = stretched(undefined, "later", window, "day");
  expect(lengthOf(one)).toBe(DAY);
  const two = stretched(one, "later", window, "day");
  expect(two).toEqual({ from: one.from, to: one.to + DAY });
  expect(stretched(two, "earlier", window, "day")).toEqual(one);
  const before = stretched(one, "earlier", window, "day");
  expect(before).toEqual({ from: one.from - DAY, to: one.to });
});

test("times go to text and back", () => expect(secondsOf(timeOf(1_700_000_000))).toBe(1_700_000_000));
