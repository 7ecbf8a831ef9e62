import { expect, test } from "vitest";
import { contourLines } from "../../src/charts/contours";

const places = (count: number) => Array.from({ length: count }, (_, i) => (i + 0.5) / count);
const grid = (count: number, f: (x: number, y: number) => number | null) =>
  places(count).flatMap((y) => places(count).map((x) => f(x, y)));
const middles = { x: places(41), y: places(41) };

test("lines of a slope run straight across it", () => {
  const lines = contourLines(
    grid(41, (x) => 100 * x),
    middles,
  );
  expect(lines.length).toBeGreaterThan(4);
  for (const line of lines) {
    const rights = line.map(([right]) => right);
    expect(Math.max(...rights) - Math.min(...rights)).toBeLessThan(0.02);
  }
});

test("lines around a hill are round", () => {
  const hill = (x: number, y: number) => 1 - (x - 0.5) ** 2 - (y - 0.5) ** 2;
  for (const line of contourLines(grid(41, hill), middles)) {
    const distances = line.map(([right, up]) => Math.hypot(right - 0.5, up - 0.5));
    expect(Math.max(...distances) - Math.min(...distances)).toBeLessThan(0.06);
  }
});

test("no line runs where nothing is known, nor along its edge", () => {
  const half = (x: number, y: number) => (x < 0.5 ? null : y);
  for (const line of contourLines(grid(41, half), middles)) {
    for (const [right] of line) expect(right).toBeGreaterThan(0.49);
  }
});

test("where all is the same there are no lines", () => {
  expect(
    contourLines(
      grid(41, () => 3),
      middles,
    ),
  ).toEqual([]);
  expect(
    contourLines(
      grid(41, () => null),
      middles,
    ),
  ).toEqual([]);
  expect(contourLines([1, 2], { x: [0.2, 0.8], y: [0.5] })).toEqual([]);
});
