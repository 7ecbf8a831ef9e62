import { expect, test } from "vitest";
import { limitState, limitText, rangeText } from "../../src/words/setup";

test("a limit is broken beyond doubt when the whole interval is beyond it", () => {
  const metric = { mean: 100, lower: 99, upper: 101, pulls: 9, may_break_limit: true };
  expect(limitState({ metric: "lat", max: 60 }, metric)).toBe("broken");
  expect(limitState({ metric: "lat", min: 110 }, metric)).toBe("broken");
  expect(limitState({ metric: "lat", max: 100 }, metric)).toBe("unsure");
  expect(limitState({ metric: "lat", max: 110 }, { ...metric, may_break_limit: false })).toBe("kept");
  expect(limitState({ metric: "lat", max: 60 }, { ...metric, lower: null, upper: null })).toBe("unsure");
});

test("ranges and limits are said in words", () => {
  expect(rangeText({ name: "x", type: "integer", low: 1, high: 64, step: 3, scale: "log" })).toBe(
    "1 to 64, in steps of 3, log scale",
  );
  expect(limitText({ metric: "p99", max: 50 })).toBe("at most 50");
  expect(limitText({ metric: "p99", min: 1, max: 50 })).toBe("from 1 to 50");
});
