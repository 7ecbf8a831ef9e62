import { expect, test } from "vitest";
import type { Estimate, Knob, KnownArm } from "../../src/api/types";
import {
  colourRange,
  curveRange,
  dotRadius,
  firstPair,
  goodness,
  pullsAlong,
  transposed,
} from "../../src/charts/knowledge";
import { knobScale } from "../../src/charts/scale";
import { cellWords, intervalWords, pullText, rowsText, shortened, shownText } from "../../src/charts/words";

const knob = (name: string): Knob => ({ name, type: "real", low: 0, high: 1, scale: "linear" });
const arm = (x: number, pulls: number, mean = 0): KnownArm => ({
  arm: { x },
  pulls,
  mean,
  lower: null,
  upper: null,
});

test("better is always nearer to 1", () => {
  expect(goodness(3, [0, 4], "maximize")).toBe(0.75);
  expect(goodness(3, [0, 4], "minimize")).toBe(0.25);
  expect(goodness(9, [0, 4], "maximize")).toBe(1);
  expect(goodness(3, [3, 3], "minimize")).toBe(0.5);
});

test("colours stand for the estimate, or for the arms where there is none", () => {
  expect(colourRange([1, null, 2], [arm(0, 1, 9)])).toEqual([1, 2]);
  expect(colourRange([null], [arm(0, 1, 9), arm(0, 1, 7)])).toEqual([7, 9]);
  expect(colourRange([], [])).toEqual([0, 1]);
});

test("the bounds of the search never stretch the axis", () => {
  const estimate: Estimate = {
    x: { name: "x", values: [0, 1] },
    through: {},
    mean: [0, 1],
    lower: [null, null],
    upper: [null, null],
    bound: [1000, 1000],
    pulls: [1, 1],
  };
  const known = {
    direction: "maximize" as const,
    space: [knob("x")],
    arms: [],
    level: 0.95,
    best: null,
    baseline: null,
  };
  expect(curveRange(estimate, known)[1]).toBeLessThan(2);
});

test("pulls are counted where their arms are", () => {
  const scale = knobScale(knob("x"));
  expect(pullsAlong([arm(0, 1), arm(0.3, 2), arm(1, 4), arm(7, 8)], "x", scale, 4)).toEqual([1, 2, 0, 4]);
});

test("pulls are counted for each value of an integer whose step misses the high end", () => {
  const scale = knobScale({ name: "x", type: "integer", low: 1, high: 10, step: 4 });
  expect(pullsAlong([arm(1, 1), arm(5, 2), arm(9, 4)], "x", scale, scale.count)).toEqual([1, 2, 4]);
});

test("the dot of an arm that was hardly pulled can be seen", () => {
  expect(dotRadius(0, 1000, 9)).toBe(2.5);
  expect(dotRadius(1000, 1000, 9)).toBe(9);
});

test("a map can be turned", () => {
  const estimate: Estimate = {
    x: { name: "a", values: [1, 2, 3] },
    y: { name: "b", values: [10, 20] },
    through: {},
    mean: [1, 2, 3, 4, 5, 6],
    lower: [],
    upper: [],
    bound: [],
    pulls: [],
  };
  const turned = transposed(estimate);
  expect(turned.x.name).toBe("b");
  expect(turned.mean).toEqual([1, 4, 2, 5, 3, 6]);
  expect(transposed(turned).mean).toEqual(estimate.mean);
});

test("the first pair are the two knobs that matter most, in the order of the space", () => {
  const space = ["a", "b", "c"].map(knob);
  expect(firstPair(space, [{ name: "c" }, { name: "a" }])).toEqual(["a", "c"]);
  expect(firstPair(space, [{ name: "gone" }, { name: "c" }])).toEqual(["a", "c"]);
  expect(firstPair(space, [])).toEqual(["a", "b"]);
});

test("a cell says only what it restricts", () => {
  const choice: Knob = { name: "policy", type: "choice", choices: ["a", "b", "c", "d", "e", "f"] };
  expect(intervalWords(knob("x"), [0, 1])).toBeNull();
  expect(intervalWords(knob("x"), [0, 0.9999999999999998])).toBeNull();
  expect(intervalWords(knob("x"), [0, 0.5])).toBe("0 to 0.5");
  expect(intervalWords({ name: "n", type: "integer", low: 1, high: 9 }, [3, 3])).toBe("3");
  expect(intervalWords({ name: "n", type: "integer", low: 1, high: 10, step: 4 }, [1, 9])).toBeNull();
  expect(intervalWords(choice, ["a", "b"])).toBe("a or b");
  expect(intervalWords(choice, ["a", "b", "c", "d", "e"])).toBe("a and 4 more of 6");
  expect(intervalWords(choice, choice.choices)).toBeNull();
  expect(cellWords([knob("x"), choice], { x: [0.5, 1], policy: ["a"] })).toEqual([
    ["x", "0.5 to 1"],
    ["policy", "a"],
  ]);
  expect(cellWords([knob("constructor")], {})).toEqual([]);
});

test("a long name is cut between letters", () => {
  expect(shortened("🦊🦊🦊🦊", 3)).toBe("🦊🦊…");
  expect(shortened("abc", 3)).toBe("abc");
});

test("what the keys have done is said in words", () => {
  expect(
    rowsText([
      ["x", "3"],
      ["estimate", "0.5"],
    ]),
  ).toBe("x 3, estimate 0.5");
  expect(shownText(null, pullText)).toBe("Everything");
  expect(shownText([-2.5, 120.4], pullText)).toBe("From pull 0 to pull 120");
});
