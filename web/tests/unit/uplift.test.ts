import { expect, test } from "vitest";
import type { Best, Uplift } from "../../src/api/types";
import { baselineInterval, upliftGain, upliftLines, upliftTone, upliftWords } from "../../src/words/uplift";

function uplift(mean: number, low: number | null, high: number | null, baseline: number): Uplift {
  return {
    mean,
    low,
    high,
    level: 0.95,
    arm_mean: baseline + mean,
    baseline_mean: baseline,
    arm_pulls: 9,
    baseline_pulls: 9,
  };
}

test("an uplift is good or bad only where its whole interval is, and which that is depends on the direction", () => {
  expect(upliftTone(uplift(1, 0.5, 1.5, 10), "maximize")).toBe("good");
  expect(upliftTone(uplift(1, 0.5, 1.5, 10), "minimize")).toBe("bad");
  expect(upliftTone(uplift(-1, -1.5, -0.5, 10), "minimize")).toBe("good");
  expect(upliftTone(uplift(1, -0.5, 2.5, 10), "maximize")).toBe("unsure");
  expect(upliftTone(uplift(1, null, null, 10), "maximize")).toBe("unsure");
  expect(upliftTone(uplift(0, 0, 0, 10), "maximize")).toBe("unsure");
});

test("it is a share of the baseline where that is above zero, and its interval is in the units of rewards", () => {
  expect(upliftWords(uplift(1.2, 0.8, 1.6, 10), "maximize")).toEqual({
    tone: "good",
    share: "+12\u202f%",
    units: "+1.20",
    range: "+0.80 to +1.60",
  });
  expect(upliftWords(uplift(1.2, null, null, 10), "maximize")).toEqual({
    tone: "unsure",
    share: "+12\u202f%",
    units: "+1.2",
    range: "",
  });
});

test("a large word has a small one below it", () => {
  const lines = (baseline: number) => upliftLines(upliftWords(uplift(1.2, 0.8, 1.6, baseline), "maximize"));
  expect(lines(10)).toEqual({ large: "+12\u202f%", small: "+1.20 (+0.80 to +1.60)" });
  expect(lines(-10)).toEqual({ large: "+1.20", small: "+0.80 to +1.60" });
});

test("it is in the units of rewards where a share says nothing", () => {
  expect(upliftWords(uplift(1.2, 0.8, 1.6, -10), "maximize")).toMatchObject({ share: "", units: "+1.20" });
  expect(upliftWords(uplift(1.2, 0.8, 1.6, 0), "maximize").range).toBe("+0.80 to +1.60");
  expect(upliftWords(uplift(1.2, 0.8, 1.6, 1e-9), "maximize").share).toBe("");
});

test("an end that is not zero does not read as zero", () => {
  expect(upliftWords(uplift(0.2, 0.002, 0.4, 10), "maximize").range).toBe("+0.002 to +0.400");
});

test("gains can be sorted whatever the direction", () => {
  expect(upliftGain(uplift(-2, -3, -1, 10), "minimize")).toBeCloseTo(0.2);
  expect(upliftGain(uplift(2, 1, 3, -10), "maximize")).toBeCloseTo(0.2);
  expect(upliftGain(uplift(2, 1, 3, 0), "maximize")).toBe(2);
});

test("the interval of the baseline follows from those of the arm and of the difference", () => {
  // arm 0.85 to 0.90, baseline 0.77 to 0.79: the difference is 0.06 to 0.13
  const best = { lower: 0.85, upper: 0.9, uplift: uplift(0.095, 0.06, 0.13, 0.78) } as Best;
  const known = baselineInterval(best);
  expect(known?.low).toBeCloseTo(0.77);
  expect(known?.high).toBeCloseTo(0.79);
  expect(baselineInterval({ ...best, lower: null })).toBeNull();
});
