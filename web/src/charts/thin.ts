import type { Arm, History } from "../api/types";

export type By = History["by"];

/** Rewards over time as columns, one entry per bucket. */
export interface Columns {
  pull: number[];
  at: number[];
  count: number[];
  mean: (number | null)[];
  deviation: (number | null)[];
  least: (number | null)[];
  largest: (number | null)[];
  changes: number[];
  failures: number[];
  /** Whether every bucket is a single reward. */
  arm?: (Arm | null)[];
}

/** The column of the x axis. */
export function xOf(columns: { pull: number[]; at: number[] }, by: By): number[] {
  return by === "pulls" ? columns.pull : columns.at;
}

/** The index of the first entry of an ascending column that is not less than a value. */
export function firstFrom(column: number[], value: number): number {
  let low = 0;
  let high = column.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((column[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The buckets from `from` to `to`, and one more on either side, merged so that at most `most` are in the range.
 * Extremes, failures and changes are kept. Returns the same columns if there is nothing to merge.
 */
export function thin(columns: Columns, by: By, from: number, to: number, most: number): Columns {
  const x = xOf(columns, by);
  const start = Math.max(0, firstFrom(x, from) - 1);
  const end = Math.min(x.length, firstFrom(x, to) + 2);
  if (end - start <= most + 2) return cut(columns, start, end);
  const merged: Columns = {
    pull: [],
    at: [],
    count: [],
    mean: [],
    deviation: [],
    least: [],
    largest: [],
    changes: [],
    failures: [],
  };
  const bucketOf = (i: number) => Math.floor((((x[i] ?? 0) - from) / (to - from)) * most);
  for (let i = start; i < end;) {
    let next = i + 1;
    while (next < end && bucketOf(next) === bucketOf(i)) ++next;
    push(merged, columns, i, next);
    i = next;
  }
  return merged;
}

function cut(columns: Columns, start: number, end: number): Columns {
  if (start === 0 && end > 0 && end === columns.pull.length) return columns;
  const part = <T>(column: T[]) => column.slice(start, end);
  return {
    pull: part(columns.pull),
    at: part(columns.at),
    count: part(columns.count),
    mean: part(columns.mean),
    deviation: part(columns.deviation),
    least: part(columns.least),
    largest: part(columns.largest),
    changes: part(columns.changes),
    failures: part(columns.failures),
    arm: columns.arm && part(columns.arm),
  };
}

/** Merges the buckets from `start` up to, but not including, `end`, and appends the result. */
function push(merged: Columns, from: Columns, start: number, end: number) {
  let count = 0;
  let mean = 0;
  let squares = 0; // sum of squared differences from the mean
  let least: number | null = null;
  let largest: number | null = null;
  let changes = 0;
  let failures = 0;
  for (let i = start; i < end; ++i) {
    changes += from.changes[i] ?? 0;
    failures += from.failures[i] ?? 0;
    const more = from.count[i] ?? 0;
    const itsMean = from.mean[i] ?? null;
    if (more === 0 || itsMean === null) continue;
    const difference = itsMean - mean;
    const all = count + more;
    squares += (more - 1) * (from.deviation[i] ?? 0) ** 2 + (difference * difference * count * more) / all;
    mean += (difference * more) / all;
    count = all;
    least = Math.min(least ?? Infinity, from.least[i] ?? itsMean);
    largest = Math.max(largest ?? -Infinity, from.largest[i] ?? itsMean);
  }
  const middle = (start + end - 1) >> 1;
  merged.pull.push(from.pull[middle] ?? 0);
  merged.at.push(from.at[middle] ?? 0);
  merged.count.push(count);
  merged.mean.push(count > 0 ? mean : null);
  merged.deviation.push(count > 0 ? Math.sqrt(squares / Math.max(1, count - 1)) : null);
  merged.least.push(least);
  merged.largest.push(largest);
  merged.changes.push(changes);
  merged.failures.push(failures);
}

const PAUSE = 0.03; // share of the visible range

/** Adds an empty bucket in the middle of each pause, so that no line is drawn through it. */
export function withPauses(columns: Columns, width: number): Columns {
  const steps = columns.at.slice(1).map((at, i) => at - (columns.at[i] ?? 0));
  const usual = [...steps].sort((a, b) => a - b)[Math.floor(steps.length / 2)] ?? 0;
  const isPause = (step: number) => step > PAUSE * width && step > 6 * usual;
  if (!steps.some(isPause)) return columns;
  const whole = cut(columns, 0, 0);
  columns.at.forEach((at, i) => {
    const step = i > 0 ? (steps[i - 1] ?? 0) : 0;
    if (isPause(step)) pushEmpty(whole, columns.pull[i] ?? 0, at - step / 2);
    pushOne(whole, columns, i);
  });
  return whole;
}

function pushEmpty(to: Columns, pull: number, at: number) {
  to.pull.push(pull);
  to.at.push(at);
  to.count.push(0);
  for (const column of [to.mean, to.deviation, to.least, to.largest]) column.push(null);
  to.changes.push(0);
  to.failures.push(0);
  to.arm?.push(null);
}

function pushOne(to: Columns, from: Columns, i: number) {
  push(to, from, i, i + 1);
  to.arm?.push(from.arm?.[i] ?? null);
}

/** The mean of the rewards around each entry: `reach` of them on either side, fewer at the ends. */
export function smoothed(columns: Pick<Columns, "mean" | "count">, reach: number): (number | null)[] {
  const sums = [0];
  const counts = [0];
  columns.mean.forEach((mean, i) => {
    const count = mean === null ? 0 : (columns.count[i] ?? 0);
    sums.push((sums[i] ?? 0) + count * (mean ?? 0));
    counts.push((counts[i] ?? 0) + count);
  });
  const between = (column: number[], start: number, end: number) => (column[end] ?? 0) - (column[start] ?? 0);
  return columns.mean.map((_, i) => {
    const start = Math.max(0, i - reach);
    const end = Math.min(columns.mean.length, i + reach + 1);
    const count = between(counts, start, end);
    return count > 0 ? between(sums, start, end) / count : null;
  });
}
