import { expect, test } from "vitest";
import { SPARK_HEIGHT, sparkPath } from "../../src/charts/spark_path";

test("a small line runs from the least value at the bottom to the largest at the top", () => {
  expect(sparkPath([0, 1], null).line).toBe("M3.0 25.0L117.0 3.0");
});

test("the baseline is on the scale of the line", () => {
  expect(sparkPath([0, 1], 0.5).baseline).toBe(SPARK_HEIGHT / 2);
  expect(sparkPath([0, 1], null).baseline).toBeNull();
});

test("values that are all equal lie in the middle, and one is a point at the end", () => {
  expect(sparkPath([7, 7], null).line).toBe("M3.0 14.0L117.0 14.0");
  expect(sparkPath([7], null).last).toEqual({ x: 117, y: 14 });
});

test("what is not a number leaves a gap, and nothing at all is no line", () => {
  expect(sparkPath([0, null, 1, NaN, 2], null).line).toBe("M3.0 25.0M60.0 14.0M117.0 3.0");
  expect(sparkPath([], null)).toEqual({ line: "", last: null, baseline: null });
});
