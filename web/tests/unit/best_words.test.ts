import { expect, test } from "vitest";
import type { Best } from "../../src/api/types";
import { adviceSentences, bestWords } from "../../src/words/best";
import { bars } from "../../src/views/study/intervals";

const BEST: Best = {
  arm: { ttl: 42.1 },
  mean: 0.877,
  lower: 0.851,
  upper: 0.902,
  level: 0.95,
  pulls: 12345,
  rivals: 0,
  basis: "interval",
};
const UPLIFT = {
  mean: 0.094,
  low: 0.063,
  high: 0.125,
  level: 0.95,
  arm_mean: 0.877,
  baseline_mean: 0.783,
  arm_pulls: 9,
  baseline_pulls: 9,
};
const CONTEXT = { direction: "maximize", baseline: { ttl: 60 } } as const;
const text = (best: Best, context: Parameters<typeof bestWords>[1] = CONTEXT) =>
  bestWords(best, context).sentences.join(" ");

test("an arm that beats the baseline is to be set, and how much it gains is said", () => {
  const words = bestWords({ ...BEST, uplift: UPLIFT }, CONTEXT);
  expect(words.advice).toBe("set");
  expect(words.sureness).toEqual({ text: "better than the baseline", tone: "good" });
  expect(words.sentences.join(" ")).toBe(
    "The mean reward is 0.877 (95\u202f% interval 0.851 to 0.902), from 12\u202f345 pulls of it. " +
      "That is +12\u202f% over the baseline: +0.094 (+0.063 to +0.125). No other setting that was tried may be better.",
  );
});

test("an uplift that may be none is not sure yet", () => {
  const best = { ...BEST, uplift: { ...UPLIFT, low: -0.02 }, rivals: 3 };
  expect(bestWords(best, CONTEXT).advice).toBe("so_far");
  expect(text(best)).toContain("Whether it beats the baseline is not sure yet: +12\u202f%");
  expect(text(best)).toContain("3 other settings may be as good or better.");
  expect(text({ ...best, rivals: 1 })).toContain("One other setting may be as good or better.");
});

test("an arm that is surely worse than the baseline is not recommended", () => {
  const words = bestWords({ ...BEST, uplift: { ...UPLIFT, mean: -0.1, low: -0.2, high: -0.01 } }, CONTEXT);
  expect(words.advice).toBe("keep");
  expect(words.sentences[0]).toMatch(
    /^The best setting that was tried, ttl 42.1, has a mean reward of 0.877 /,
  );
  expect(words.sentences.join(" ")).toContain("It is surely worse than the baseline: ");
});

test("when minimizing, less is more", () => {
  const best = { ...BEST, uplift: { ...UPLIFT, mean: -0.1, low: -0.2, high: -0.01 } };
  const words = bestWords(best, { ...CONTEXT, direction: "minimize" });
  expect(words.advice).toBe("set");
  expect(words.sentences.join(" ")).toContain("13\u202f% less than the baseline, which is better: ");
});

test("the baseline itself is kept", () => {
  const words = bestWords(BEST, { ...CONTEXT, baseline: { ttl: 42.1 } });
  expect(words.advice).toBe("keep");
  expect(words.sureness.text).toBe("the baseline is best");
});

test("without an interval it is said why there is none", () => {
  const few = bestWords({ ...BEST, lower: null, upper: null, basis: "repeats_few", pulls: 1 }, CONTEXT);
  expect(few.advice).toBe("so_far");
  expect(few.sentences[0]).toBe("The mean reward is 0.877, from 1 pull of it.");
  expect(few.sentences).toContain("The baseline was not measured yet, so nobody knows what this gains.");
  expect(few.details[0]).toContain("too few settings were tried more than once");
  const still = bestWords(
    { ...BEST, lower: null, upper: null, basis: "no_noise" },
    { ...CONTEXT, baseline: null },
  );
  expect(still.advice).toBe("set");
  expect(still.details[0]).toContain("never differ");
});

test("without a baseline, an arm is to be set only when no other may be better", () => {
  expect(bestWords(BEST, { ...CONTEXT, baseline: null }).advice).toBe("set");
  expect(bestWords({ ...BEST, rivals: 1 }, { ...CONTEXT, baseline: null }).advice).toBe("so_far");
});

test("a setting is not to be set when most of the others may be better, or there are none", () => {
  const best = { ...BEST, uplift: UPLIFT, rivals: 14 };
  expect(bestWords(best, { ...CONTEXT, settings: 27 }).advice).toBe("so_far");
  expect(bestWords(best, { ...CONTEXT, settings: 28 }).advice).toBe("set");
  const alone = bestWords(BEST, { ...CONTEXT, baseline: null, settings: 1 });
  expect(alone.advice).toBe("so_far");
  expect(alone.sentences).toContain("No other setting has a reward.");
  expect(text(BEST, { ...CONTEXT, baseline: { ttl: 42.1 }, settings: 1 })).toContain(
    "That is the baseline. No setting but the baseline has a reward.",
  );
});

test("where all settings give the same, none is to be set", () => {
  const words = bestWords(
    { ...BEST, lower: null, upper: null, basis: "no_noise", rivals: 25 },
    { ...CONTEXT, settings: 26, isAllSame: true },
  );
  expect(words.advice).toBe("same");
  expect(words.sureness).toEqual({ text: "no difference", tone: "plain" });
});

test("a limit that is broken beyond doubt is said", () => {
  expect(text(BEST, { ...CONTEXT, broken: ["lat must be at most 60"] })).toContain(
    "It breaks a limit beyond doubt: lat must be at most 60.",
  );
});

test("a comparison that has confirmed it is the last word", () => {
  const confirmed = { ...BEST, confirmed: true, verdict: "better than the baseline after 40 pulls of both" };
  expect(bestWords(confirmed, CONTEXT).sureness).toEqual({ text: "confirmed", tone: "good" });
  expect(text(confirmed)).toContain("has confirmed it: better than the baseline after 40 pulls of both.");
  expect(text({ ...confirmed, confirmed: false })).toContain("did not confirm it");
});

test("a study file that does not fit is advised upon", () => {
  expect(adviceSentences(null)).toEqual([]);
  const summary = { settling: 16, fitting_range: [0, 2.5] } as unknown as Parameters<
    typeof adviceSentences
  >[0];
  expect(adviceSentences(summary)).toHaveLength(2);
});

test("intervals are on one scale with room at its ends", () => {
  const { bars: placed } = bars([
    { label: "best", mean: 2, low: 1, high: 3, kind: "best" },
    { label: "baseline", mean: 0, low: null, high: null, kind: "baseline" },
  ]);
  expect(placed[0]!.from).toBeGreaterThan(placed[1]!.at);
  for (const { from, at, to } of placed) {
    expect(from).toBeGreaterThanOrEqual(0);
    expect(at).toBeGreaterThanOrEqual(from);
    expect(to).toBeLessThanOrEqual(100);
  }
  const [equal] = bars([{ label: "best", mean: 5, low: 5, high: 5, kind: "best" }]).bars;
  expect(equal!.at).toBeCloseTo(50);
});
