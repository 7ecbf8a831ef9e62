import { expect, test } from "vitest";
import type { Estimate } from "../../src/api/types";
import { bandWords, rowsAt, triedAt } from "../../src/charts/estimate_rows";

const ESTIMATE: Estimate = {
  by: "model",
  x: { name: "x", values: [1, 2] },
  through: { x: 2, mode: "b" },
  mean: [5, 6],
  lower: [4, 5.5],
  upper: [6, 6.5],
  bound: [null, 7],
  pulls: [0, 9],
};
const ARMS = [{ arm: { x: 2, mode: "b" }, pulls: 9, mean: 6.1, lower: 5.1, upper: 7.1 }];

test("a band is an interval only where it comes from the rewards of arms", () => {
  expect(bandWords({ by: "arms" }, 0.95)).toBe("95\u202f% interval");
  expect(bandWords({ by: "model" }, 0.95)).toBe("model's interval");
});

test("a place that was not tried has the estimate only", () => {
  expect(rowsAt(ESTIMATE, 0, { arms: ARMS, level: 0.95 })).toEqual([
    ["x", "1"],
    ["estimate", "5.0"],
    ["model's interval", "4.0 to 6.0"],
    ["pulls", "0"],
  ]);
});

test("a setting that was tried has mean of its rewards, interval and pulls", () => {
  const rows = rowsAt(ESTIMATE, 1, { arms: ARMS, level: 0.95 });
  expect(rows).toContainEqual(["mean of its rewards", "6.1"]);
  expect(rows).toContainEqual(["95\u202f% interval", "5.1 to 7.1"]);
  expect(rows).toContainEqual(["its pulls", "9"]);
  expect(triedAt({ x: 2 * (1 + 1e-12), mode: "b" }, ARMS)).toBe(ARMS[0]);
  expect(triedAt({ x: 2, mode: "a" }, ARMS)).toBeNull();
});
