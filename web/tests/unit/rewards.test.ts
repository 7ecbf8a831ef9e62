import { expect, test } from "vitest";
import type { History } from "../../src/api/types";
import {
  isFailure,
  levelLine,
  lonePoints,
  markWords,
  noRewardsWords,
  rewardsFit,
  rewardsPicture,
  rewardsWords,
} from "../../src/charts/rewards";
import { heightAt, runningMean, together } from "../../src/charts/running";

function historyOf(rewards: number[], raw = false, baseline: number[] = []): History {
  const zeros = rewards.map(() => 0);
  return {
    by: "pulls",
    extent: { pulls: [0, rewards.length], time: [1000, 1000 + 3600 * rewards.length] },
    range: [0, rewards.length],
    raw,
    number: rewards.map((_, i) => i + 1),
    pull: rewards.map((_, i) => i),
    at: rewards.map((_, i) => 1000 + 3600 * i),
    count: rewards.map(() => 1),
    mean: rewards,
    deviation: zeros,
    least: rewards,
    largest: rewards,
    changes: zeros,
    failures: zeros,
    baseline: {
      pull: baseline.map((_, i) => i),
      at: baseline.map((_, i) => 1000 + i),
      count: baseline.map(() => 1),
      mean: baseline,
      deviation: baseline.map(() => 0),
      least: baseline,
      largest: baseline,
    },
    level: { pull: [], at: [], count: [], mean: [], deviation: [], least: [], largest: [] },
    marks: [],
    marks_left_out: 0,
  };
}

const rising = Array.from({ length: 1000 }, (_, i) => i / 1000);

test("few rewards are dots, many are a line with a band", () => {
  expect(rewardsPicture(historyOf([1, 2, 3], true), "pulls", [0, 3], 800).raw).toBe(true);
  const many = rewardsPicture(historyOf(rising, true), "pulls", [0, 1000], 800);
  expect(many.raw).toBe(false);
  expect(many.data[0].length).toBeLessThan(210);
});

test("all columns of a picture have the same length", () => {
  for (const raw of [true, false]) {
    const { data } = rewardsPicture(historyOf([1, 2, 3], raw), "time", [1000, 9000], 800);
    expect(new Set(data.map((column) => column.length)).size).toBe(1);
  }
});

test("points without neighbours are found, so that they can be drawn as dots", () => {
  expect(lonePoints([1, null, 2, 3, null, 4])).toEqual([0, 5]);
  expect(lonePoints([])).toEqual([]);
});

test("the axis has room for the baseline, but not for what is far out", () => {
  const history = historyOf([...rising, 1e6], false, [3, 3, 3]);
  const picture = rewardsPicture(history, "pulls", [0, 1001], 4000);
  const [low, high] = rewardsFit(picture, history, "pulls", [0, 1001], { below: 0, above: 0 });
  expect(low).toBeGreaterThan(-1);
  expect(high).toBeGreaterThanOrEqual(3);
  expect(high).toBeLessThan(10);
});

test("the axis has room for a level that is followed", () => {
  const history = historyOf(rising);
  history.level = { ...history.baseline, pull: [500, 564], at: [5, 6], mean: [4, 4.5], count: [1, 1] };
  const picture = rewardsPicture(history, "pulls", [0, 1000], 4000);
  const [, high] = rewardsFit(picture, history, "pulls", [0, 1000], { below: 0, above: 0 });
  expect(high).toBeGreaterThanOrEqual(4.5);
});

test("a level that was not followed for a while has a gap", () => {
  const x = [64, 128, 192, 2000, 2064];
  expect(levelLine(x, [1, 2, 3, 4, 5])).toEqual([
    [
      [64, 1],
      [128, 2],
      [192, 3],
    ],
    [
      [2000, 4],
      [2064, 5],
    ],
  ]);
  expect(levelLine([], [])).toEqual([]);
  expect(levelLine([7], [2])).toEqual([[[7, 2]]]);
});

test("how it goes is said in words", () => {
  expect(rewardsWords(historyOf([]), "maximize")).toBe("There are no rewards yet.");
  expect(rewardsWords(historyOf([5]), "maximize")).toBe("The mean of one reward is 5.");
  expect(rewardsWords(historyOf([1, 2, 6]), "maximize")).toBe("The mean of 3 rewards is 3.");
  expect(rewardsWords(historyOf(rising, false, [0.2, 0.2]), "maximize")).toBe(
    "The last 100 rewards are 0.95 on average, the first 100 were 0.05. The baseline gives 0.20, which is worse.",
  );
  expect(rewardsWords(historyOf(rising, false, [0.2]), "minimize")).toContain("0.20, which is better");
});

test("why there are no rewards is said", () => {
  const state = { pulls: 50, failures: 50, isOver: true };
  expect(noRewardsWords(historyOf([], true, [2, 4]), state)).toBe(
    "All 50 pulls failed. The baseline gives 3 on average.",
  );
  const nothing = { pulls: 0, failures: 0, isOver: false };
  expect(noRewardsWords(historyOf([]), nothing)).toBe("There are no rewards yet.");
  expect(noRewardsWords(historyOf([]), { ...nothing, isOver: true })).toBe(
    "The study ended without a reward.",
  );
  expect(noRewardsWords(historyOf([], true, [2]), nothing)).toContain(
    "Only the baseline has rewards so far.",
  );
  const marks = [{ number: 1, pull: 0, at: 1, kind: "failure", text: "no" }];
  expect(noRewardsWords({ ...historyOf([]), marks }, nothing)).toBe("There are failures, but no rewards.");
});

test("marks are said in words and in numbers that can be read", () => {
  const mark = { number: 1, pull: 1, at: 1, kind: "penalize", text: "counts as 0.20320541304431683" };
  expect(markWords(mark)).toBe("Failed: counts as 0.2032");
  expect(isFailure(mark)).toBe(true);
  expect(markWords({ ...mark, kind: "start", text: "" })).toBe("start");
});

test("a running mean is that of all rewards so far, and hours count from the first", () => {
  const line = runningMean(historyOf([1, 3, 5]), "pulls");
  expect(line).toEqual({ x: [0, 1, 2], y: [1, 2, 3] });
  expect(runningMean(historyOf([1, 3, 5]), "time").x).toEqual([0, 1, 2]);
});

test("lines are read between their points, and not beyond their ends", () => {
  const line = { x: [0, 2], y: [0, 4] };
  expect(heightAt(line, 0.5)).toBe(1);
  expect(heightAt(line, 2)).toBe(4);
  expect(heightAt(line, 2.1)).toBeNull();
  expect(heightAt({ x: [], y: [] }, 0)).toBeNull();
  expect(together([line], 0, 4, 3)).toEqual([
    [0, 2, 4],
    [0, 4, null],
  ]);
});
