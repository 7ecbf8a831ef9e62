// Data and texts of the plot of rewards over time.
import type { Direction, History, Mark } from "../api/types";
import { plain, whole } from "../format/numbers";
import { alike } from "./axis_texts";
import { padded, robustRange, united, type Range } from "./fit";
import { firstFrom, smoothed, thin, withPauses, xOf, type By, type Columns } from "./thin";

export interface RewardsPicture {
  columns: Columns;
  /** Whether to draw dots with a smoothed line instead of a line with bands. */
  raw: boolean;
  /** The number of rewards that a point of the smoothed line averages. */
  around: number;
  /** x; line; upper and lower end of the band; largest and least; dots. */
  data: [number[], ...(number | null)[][]];
}

// With more buckets than this, a line is noise.
const PIXELS_A_BUCKET = 4;
const REWARDS_A_BUCKET = 8;
const FEW_BUCKETS = 60; // with fewer buckets than this, a line is not informative

/** The part of a history from `from` to `to`, with as much detail as the width in pixels can show. */
export function rewardsPicture(history: History, by: By, [from, to]: Range, pixels: number): RewardsPicture {
  const room = Math.floor(pixels / PIXELS_A_BUCKET);
  const x = xOf(history, by);
  const [start, end] = [firstFrom(x, from), firstFrom(x, to)];
  const seen = end - start;
  const raw = history.raw && seen <= 2 * room;
  const rewards = history.count.slice(start, end).reduce((sum, count) => sum + count, 0);
  const most = Math.min(room, Math.max(FEW_BUCKETS, Math.floor(rewards / REWARDS_A_BUCKET)));
  const thinned = thin(history, by, from, to, raw ? Infinity : most);
  const columns = by === "time" ? withPauses(thinned, to - from) : thinned;
  const nothing = columns.mean.map(() => null);
  const reach = Math.max(2, Math.round(seen / 30));
  const edge = (sign: number) =>
    columns.mean.map((mean, i) => (mean === null ? null : mean + sign * (columns.deviation[i] ?? 0)));
  return {
    columns,
    raw,
    around: 2 * reach + 1,
    data: raw
      ? [
          xOf(columns, by),
          seen > 6 ? smoothed(columns, reach) : nothing,
          nothing,
          nothing,
          nothing,
          nothing,
          columns.mean,
        ]
      : [xOf(columns, by), columns.mean, edge(1), edge(-1), columns.largest, columns.least, nothing],
  };
}

/** Points of a line without neighbours, which would not be visible. */
export function lonePoints(line: (number | null | undefined)[]): number[] {
  return line.flatMap((value, i) => (value != null && line[i - 1] == null && line[i + 1] == null ? [i] : []));
}

/** The baseline as a line, smoothed because its measurements are noisy. */
export function baselineLine(history: History): (number | null)[] {
  return smoothed(history.baseline, Math.max(1, Math.round(history.baseline.mean.length / 30)));
}

/** The level of rewards over time, with gaps in the line where it was not tracked. */
export function levelLine(x: number[], mean: (number | null)[]): [number, number][][] {
  const steps = x.slice(1).map((at, i) => at - (x[i] ?? at));
  const usual = [...steps].sort((a, b) => a - b)[Math.floor(steps.length / 2)] ?? 0;
  const parts: [number, number][][] = [];
  x.forEach((at, i) => {
    const level = mean[i] ?? null;
    if (level === null) return;
    if (i === 0 || (steps[i - 1] ?? 0) > 6 * usual) parts.push([]);
    parts[parts.length - 1]?.push([at, level]);
  });
  return parts;
}

/** The range of the y axis: means, the band, the baseline and the level, without outliers. */
export function rewardsFit(
  picture: RewardsPicture,
  history: History,
  by: By,
  [from, to]: Range,
  room: { below: number; above: number },
): Range {
  const x = picture.data[0];
  const start = firstFrom(x, from);
  const end = firstFrom(x, to) + 1;
  const part = (i: number) => picture.data[i]?.slice(start, end) ?? [];
  const rewards = picture.raw ? part(6) : [...part(1), ...part(2), ...part(3)];
  const baseline = xOf(history.baseline, by);
  const means = baselineLine(history).slice(firstFrom(baseline, from), firstFrom(baseline, to) + 1);
  const level = xOf(history.level, by);
  const levels = history.level.mean.slice(firstFrom(level, from), firstFrom(level, to) + 1);
  const ranges = united(united(robustRange(rewards), robustRange(means)), robustRange(levels));
  return padded(ranges, room.below, room.above);
}

const FAILURES = ["failure", "penalize", "bar"];

/** A failure, or an action of a user or the tuner. */
export const isFailure = (mark: Mark) => FAILURES.includes(mark.kind);

/** A detected change of the system. */
export const isOfSystem = (mark: Mark) => mark.kind === "changed";

/** Describes a mark, with readable numbers. */
export function markWords(mark: Mark): string {
  const text = mark.text.replace(/\d+\.\d{5,}/g, (digits) => plain(Number(digits))) || mark.kind;
  if (mark.kind === "penalize") return `Failed: ${text}`;
  if (mark.kind === "bar") return `Excluded: ${text}`;
  return text;
}

interface Part {
  mean: number;
  count: number;
}

/** The mean of the first or the last rewards: about the given share of all rewards. */
function partOf(columns: Columns, share: number, fromEnd: boolean): Part | null {
  const all = columns.count.reduce((sum, count) => sum + count, 0);
  let count = 0;
  let sum = 0;
  const size = columns.count.length;
  for (let step = 0; step < size && count < all * share; ++step) {
    const i = fromEnd ? size - 1 - step : step;
    const mean = columns.mean[i] ?? null;
    if (mean === null) continue;
    count += columns.count[i] ?? 0;
    sum += (columns.count[i] ?? 0) * mean;
  }
  return count > 0 ? { mean: sum / count, count } : null;
}

export function baselineMean(history: History): number | null {
  let count = 0;
  let sum = 0;
  history.baseline.mean.forEach((mean, i) => {
    if (mean === null) return;
    count += history.baseline.count[i] ?? 0;
    sum += (history.baseline.count[i] ?? 0) * mean;
  });
  return count > 0 ? sum / count : null;
}

/** Says why there are no rewards to draw. */
export function noRewardsWords(
  history: History,
  state: { pulls: number; failures: number; isOver: boolean },
): string {
  const base = baselineMean(history);
  const ofBaseline = base === null ? "" : ` The baseline gives ${plain(base)} on average.`;
  const failed = Math.max(
    state.failures,
    history.failures.reduce((sum, count) => sum + count, 0),
  );
  if (failed > 0 && failed >= state.pulls)
    return (failed === 1 ? "The only pull failed." : `All ${whole(failed)} pulls failed.`) + ofBaseline;
  if (history.marks.some(isFailure)) return `There are failures, but no rewards.${ofBaseline}`;
  if (base !== null) return `Only the baseline has rewards${state.isOver ? "" : " so far"}.${ofBaseline}`;
  return state.isOver ? "The study ended without a reward." : "There are no rewards yet.";
}

/** Summarizes the plot in words. */
export function rewardsWords(history: History, direction: Direction): string {
  const all = partOf(history, 1, false);
  const early = partOf(history, 0.1, false);
  const late = partOf(history, 0.1, true);
  if (!all || !early || !late) return "There are no rewards yet.";
  const base = baselineMean(history);
  const text = alike([early.mean, late.mean, base ?? late.mean]);
  if (all.count < 20) {
    return `The mean of ${all.count === 1 ? "one reward" : `${whole(all.count)} rewards`} is ${plain(all.mean)}.`;
  }
  const sentences = [
    `The last ${whole(late.count)} rewards are ${text(late.mean)} on average, the first ${whole(early.count)} were ${text(early.mean)}.`,
  ];
  if (base !== null) {
    const isBetter = direction === "maximize" ? late.mean > base : late.mean < base;
    const word = late.mean === base ? "the same" : isBetter ? "which is worse" : "which is better";
    sentences.push(`The baseline gives ${text(base)}, ${word}.`);
  }
  return sentences.join(" ");
}
