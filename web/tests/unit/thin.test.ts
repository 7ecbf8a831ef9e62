import { expect, test } from "vitest";
import { firstFrom, smoothed, thin, withPauses, type Columns } from "../../src/charts/thin";

/** One reward per bucket, a second apart. */
function single(rewards: (number | null)[]): Columns {
  const ones = rewards.map((reward) => (reward === null ? 0 : 1));
  return {
    pull: rewards.map((_, i) => i),
    at: rewards.map((_, i) => 1000 + i),
    count: ones,
    mean: rewards,
    deviation: rewards.map((reward) => (reward === null ? null : 0)),
    least: rewards,
    largest: rewards,
    changes: rewards.map(() => 1),
    failures: rewards.map((reward) => (reward === null ? 1 : 0)),
  };
}

const sum = (values: number[]) => values.reduce((all, value) => all + value, 0);

test("what fits is not touched", () => {
  const columns = single([1, 2, 3]);
  expect(thin(columns, "pulls", 0, 2, 10)).toBe(columns);
});

test("merged buckets keep the extremes, the counts, the failures and the changes", () => {
  const rewards = Array.from({ length: 5000 }, (_, i) => (i % 97 === 5 ? null : Math.sin(i)));
  rewards[1234] = 99;
  rewards[3456] = -99;
  const columns = single(rewards);
  const merged = thin(columns, "pulls", 0, 5000, 100);
  expect(merged.pull.length).toBeLessThanOrEqual(102);
  expect(Math.max(...merged.largest.map(Number))).toBe(99);
  expect(Math.min(...merged.least.map(Number))).toBe(-99);
  expect(sum(merged.count)).toBe(sum(columns.count));
  expect(sum(merged.failures)).toBe(sum(columns.failures));
  expect(sum(merged.changes)).toBe(5000);
});

test("mean and deviation of a merged bucket are those of its rewards, also when they are large", () => {
  for (const offset of [0, 1e12]) {
    const merged = thin(single([1, 3, 5, 7].map((value) => value + offset)), "pulls", 0, 8, 1);
    expect(merged.mean).toEqual([4 + offset]);
    expect(merged.deviation[0]).toBeCloseTo(Math.sqrt(20 / 3), 3);
  }
});

test("buckets of several rewards merge to what all of their rewards would have", () => {
  const parts = [[1, 2, 6], [4], [3, 3.5, 9, 12], [-2, 0]];
  const mean = (values: number[]) => sum(values) / values.length;
  const deviation = (values: number[]) =>
    values.length > 1
      ? Math.sqrt(sum(values.map((value) => (value - mean(values)) ** 2)) / (values.length - 1))
      : 0;
  const columns: Columns = {
    ...single(parts.map(mean)),
    count: parts.map((values) => values.length),
    deviation: parts.map(deviation),
    least: parts.map((values) => Math.min(...values)),
    largest: parts.map((values) => Math.max(...values)),
  };
  const merged = thin(columns, "pulls", 0, 8, 1);
  expect(merged.count).toEqual([10]);
  expect(merged.mean[0]).toBeCloseTo(mean(parts.flat()), 12);
  expect(merged.deviation[0]).toBeCloseTo(deviation(parts.flat()), 12);
});

test("a part has one bucket more on either side, so that lines go on to the edges", () => {
  const part = thin(single([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]), "time", 1004, 1006, 100);
  expect(part.pull).toEqual([3, 4, 5, 6, 7]);
});

test("a bucket of failures alone has no mean", () => {
  const merged = thin(single([null, null, null, 1, 1, 1]), "pulls", 0, 6, 2);
  expect(merged.mean).toEqual([null, 1]);
  expect(merged.failures).toEqual([3, 0]);
});

test("nothing at all can be thinned", () => {
  expect(thin(single([]), "pulls", 0, 1, 10).pull).toEqual([]);
});

test("the first entry from a value on is found", () => {
  expect(firstFrom([1, 3, 3, 5], 3)).toBe(1);
  expect(firstFrom([1, 3, 3, 5], 6)).toBe(4);
  expect(firstFrom([], 6)).toBe(0);
});

test("a smoothed line is the mean of those around, fewer of them at the ends", () => {
  expect(smoothed(single([0, 3, 6, 3, 0]), 1)).toEqual([1.5, 3, 4, 3, 1.5]);
  expect(smoothed(single([null, 2, null]), 1)).toEqual([2, 2, 2]);
  expect(smoothed(single([null, null, 2]), 1)).toEqual([null, 2, 2]);
});

test("a long pause is an empty bucket", () => {
  const columns = single([1, 2, 3, 4, 5, 6]);
  columns.at = [0, 1, 2, 100, 101, 102];
  const paused = withPauses(columns, 102);
  expect(paused.at).toEqual([0, 1, 2, 51, 100, 101, 102]);
  expect(paused.mean).toEqual([1, 2, 3, null, 4, 5, 6]);
  expect(withPauses(single([1, 2, 3]), 2).at).toHaveLength(3);
});
