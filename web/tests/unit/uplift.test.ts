import { expect, test } from "vitest";
import type { Uplift } from "../../src/api/types";
import { upliftGain, upliftLines, upliftWords } from "../../src/words/uplift";

function uplift(mean: number, lower: number | null, upper: number | null, baseline: number): Uplift {
  return {
    arm: { ttl: 42 },
    is_best: true,
    best_is_baseline: false,
    is_confirmed: false,
    is_refuted: false,
    verdict: "open",
    mean,
    lower,
    upper,
    confidence: 0.95,
    pairs: 41,
    fewest: 9,
    best_pairs: 41,
    best_verdict: "open",
    baseline_mean: baseline,
    baseline_lower: null,
    baseline_upper: null,
    rounds: 11,
    baseline_pulls: 45,
  };
}

test("it is a share of the baseline where that is above zero, and its interval is in the units of rewards", () => {
  expect(upliftWords(uplift(1.2, 0.8, 1.6, 10))).toEqual({
    share: "+12\u202f%",
    units: "+1.20",
    range: "+0.80 to +1.60",
  });
  expect(upliftWords(uplift(1.2, null, null, 10))).toEqual({
    share: "+12\u202f%",
    units: "+1.2",
    range: "",
  });
});

test("without a pair there is no number", () => {
  expect(upliftWords({ ...uplift(0, null, null, 10), pairs: 0 })).toEqual({
    share: "",
    units: "–",
    range: "",
  });
});

test("a large word has a small one below it", () => {
  const lines = (baseline: number) => upliftLines(upliftWords(uplift(1.2, 0.8, 1.6, baseline)));
  expect(lines(10)).toEqual({ large: "+12\u202f%", small: "+1.20 (+0.80 to +1.60)" });
  expect(lines(-10)).toEqual({ large: "+1.20", small: "+0.80 to +1.60" });
});

test("it is in the units of rewards where a share says nothing", () => {
  expect(upliftWords(uplift(1.2, 0.8, 1.6, -10))).toMatchObject({ share: "", units: "+1.20" });
  expect(upliftWords(uplift(1.2, 0.8, 1.6, 0)).range).toBe("+0.80 to +1.60");
  expect(upliftWords(uplift(1.2, 0.8, 1.6, 1e-9)).share).toBe("");
});

test("an end that is not zero does not read as zero", () => {
  expect(upliftWords(uplift(0.2, 0.002, 0.4, 10)).range).toBe("+0.002 to +0.400");
});

test("gains can be sorted whatever the direction", () => {
  expect(upliftGain(uplift(-2, -3, -1, 10), "minimize")).toBeCloseTo(0.2);
  expect(upliftGain(uplift(2, 1, 3, -10), "maximize")).toBeCloseTo(0.2);
  expect(upliftGain(uplift(2, 1, 3, 0), "maximize")).toBe(2);
});
