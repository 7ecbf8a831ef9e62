import { expect, test } from "vitest";
import { padded, robustRange, united } from "../../src/charts/fit";

const usual = Array.from({ length: 100 }, (_, i) => i / 100);

test("an axis shows all values when none lies far out", () => {
  expect(robustRange(usual)).toEqual([0, 0.99]);
});

test("a few extremes do not squash the others", () => {
  const [low, high] = robustRange([...usual, 1e6, -1e6]) ?? [0, 0];
  expect(low).toBeGreaterThan(-2);
  expect(high).toBeLessThan(3);
});

test("values that are almost all equal are seen with those that are not", () => {
  expect(robustRange([...new Array<number>(99).fill(0), 1])).toEqual([0, 1]);
});

test("what is not a number does not count", () => {
  expect(robustRange([null, NaN, undefined, Infinity, 2])).toEqual([2, 2]);
  expect(robustRange([null])).toBeNull();
});

test("a range without width gets some, in its own size", () => {
  expect(padded([3, 3])).toEqual([2.7, 3.3]);
  expect(padded([0, 0])).toEqual([-0.5, 0.5]);
  expect(padded([1e-9, 1e-9])[1]).toBeCloseTo(1.1e-9, 12);
  expect(padded(null)).toEqual([0, 1]);
  expect(padded([0, 10], 0.1)).toEqual([-1, 11]);
});

test("ranges unite, and one may be missing", () => {
  expect(united([0, 1], [3, 4])).toEqual([0, 4]);
  expect(united(null, [3, 4])).toEqual([3, 4]);
});
