import { expect, test } from "vitest";
import { limitText, rangeText } from "../../src/words/setup";

test("ranges and limits are said in words", () => {
  expect(rangeText({ name: "x", type: "integer", low: 1, high: 64, step: 3, scale: "log" })).toBe(
    "1 to 64, in steps of 3, log scale",
  );
  expect(limitText({ metric: "p99", max: 50, factor: 2 })).toBe("at most 50");
  expect(limitText({ metric: "p99", min: 1, max: 50, factor: 2 })).toBe("from 1 to 50");
});
