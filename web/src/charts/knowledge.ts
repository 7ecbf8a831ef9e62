// Data of the plots of the estimated reward.
import type { Arm, Best, Direction, Estimate, Knob, KnownArm, Specification } from "../api/types";
import { padded, robustRange, united, type Range } from "./fit";
import type { KnobScale } from "./scale";
import { valueIn } from "./words";

/** Data that all plots of the estimate share. */
export interface Known {
  direction: Direction;
  space: Knob[];
  arms: KnownArm[];
  /** Level of the intervals of settings. */
  level: number;
  best: Best | null;
  baseline: { arm: Arm; mean: number | null } | null;
}

export function knownFrom(specification: Specification, arms: KnownArm[], best: Best | null): Known {
  const baseline = specification.baseline?.setting;
  return {
    direction: specification.direction,
    space: specification.space,
    arms,
    level: specification.confidence,
    best,
    baseline: baseline ? { arm: baseline, mean: best?.uplift?.baseline_mean ?? null } : null,
  };
}

/** From 0 (worst) to 1 (best) within a range. */
export function goodness(mean: number, [low, high]: Range, direction: Direction): number {
  const share = high > low ? (mean - low) / (high - low) : 0.5;
  return Math.min(1, Math.max(0, direction === "minimize" ? 1 - share : share));
}

/** The range of a map's colours: that of the estimated means, or of the settings' means if there is no estimate. */
export function colourRange(means: (number | null)[], arms: KnownArm[]): Range {
  return robustRange(means) ?? robustRange(arms.map((arm) => arm.mean)) ?? [0, 1];
}

/** The range of a curve's axis: the estimate and its band, the best setting and the baseline, but not the bounds. */
export function curveRange(estimate: Estimate, known: Known): Range {
  const { mean, lower, upper } = estimate;
  const fitted = robustRange([...mean, ...lower, ...upper]) ?? robustRange(known.arms.map((arm) => arm.mean));
  const marked = robustRange([known.best?.mean, known.best?.lower, known.best?.upper, known.baseline?.mean]);
  return padded(united(fitted, marked), 0.08, 0.12);
}

/** The number of pulls in each part of an axis. */
export function pullsAlong(arms: KnownArm[], name: string, scale: KnobScale, parts: number): number[] {
  const pulls = new Array<number>(parts).fill(0);
  for (const arm of arms) {
    const at = scale.position(valueIn(arm.arm, name));
    if (!(at >= 0 && at <= 1)) continue;
    const part = Math.min(parts - 1, Math.floor(at * parts));
    pulls[part] = (pulls[part] ?? 0) + arm.pulls;
  }
  return pulls;
}

/** A map with its axes exchanged. */
export function transposed(estimate: Estimate): Estimate {
  const { x, y } = estimate;
  if (!y) return estimate;
  const turn = <T>(column: T[]): T[] =>
    x.values.flatMap((_, i) => y.values.map((__, j) => column[j * x.values.length + i] as T));
  return {
    ...estimate,
    x: y,
    y: x,
    mean: turn(estimate.mean),
    lower: turn(estimate.lower),
    upper: turn(estimate.upper),
    bound: turn(estimate.bound),
    pulls: turn(estimate.pulls),
  };
}

/** The two most important knobs, in the order of the search space. */
export function firstPair(space: Knob[], ranked: { name: string }[]): [string, string] {
  const names = space.map((knob) => knob.name);
  const first = ranked
    .map((knob) => knob.name)
    .filter((name) => names.includes(name))
    .slice(0, 2);
  const pair = [...first, ...names.filter((name) => !first.includes(name))].slice(0, 2);
  pair.sort((a, b) => names.indexOf(a) - names.indexOf(b));
  return [pair[0] ?? "", pair[1] ?? ""];
}

const LEAST_RADIUS = 2.5; // smaller dots would be invisible

/** The radius of a dot: its area is proportional to the pulls. */
export function dotRadius(pulls: number, most: number, largest: number): number {
  return LEAST_RADIUS + (largest - LEAST_RADIUS) * Math.sqrt(Math.max(0, pulls) / Math.max(1, most));
}
