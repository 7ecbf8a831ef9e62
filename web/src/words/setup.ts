import type { Knob, Limit, Metric } from "../api/types";
import { plain } from "../format/numbers";

/** What the options of the optimizers are unless somebody says otherwise; docs/pipe.md has the same list. */
const OPTIMIZER_DEFAULTS: Record<string, Record<string, unknown>> = {
  adaptive: { partition: "cyclic", settle: 0, coverage: 0.06 },
  hct: {
    partition: "cyclic",
    feedback: "iid",
    mixing_time: 1.0,
    preset: "practical",
    nu1: 4.0,
    rho: 0.5,
    confidence_scale: 0.025,
    delta: 0.05,
    constants: "main",
  },
  vhct: {
    partition: "cyclic",
    preset: "practical",
    nu1: 4.0,
    rho: 0.5,
    confidence_scale: 0.05,
    delta: 0.05,
    bound: 1.0,
  },
  thoo: { partition: "cyclic", horizon: "doubling", nu1: 1.0, rho: null, confidence_scale: 0.2, seed: 1 },
  hoo: { partition: "cyclic", nu1: 1.0, rho: null, confidence_scale: 0.2, seed: 1 },
  poo: { partition: "cyclic", base: "hoo", nu_max: 1.0, rho_max: 0.9, confidence_scale: null, seed: 1 },
  gpo: {
    partition: "cyclic",
    horizon: 1000,
    base: "hct",
    nu_max: 1.0,
    rho_max: 0.9,
    confidence_scale: null,
    seed: 1,
  },
  pct: { partition: "cyclic", horizon: 1000, nu_max: 1.0, rho_max: 0.9, confidence_scale: null },
  vpct: { partition: "cyclic", horizon: 1000, nu_max: 1.0, rho_max: 0.9, confidence_scale: null },
  zooming: { partition: "cyclic", nu1: 1.0, rho: null, confidence_scale: 0.1 },
  doo: { partition: "cyclic", nu1: 1.0, rho: null },
  soo: { partition: "cyclic", depth_power: 0.5 },
  stosoo: { partition: "cyclic", horizon: 1000, cell_pulls: 4, depth_limit: 16, delta: 0.03162277660168379 },
  sequool: { partition: "cyclic", horizon: 1000 },
  stroquool: { partition: "cyclic", horizon: 1000, depth_limit: 4 },
  vroom: {
    partition: "cyclic",
    horizon: 1000,
    depth_limit: 9,
    delta: 0.12649110640673517,
    confidence_scale: 0.1,
    seed: 1,
  },
  power: { sigma: 0.1, window: 10, rollout_length: 10, seed: 1 },
  grid: { points: 32, confidence_scale: 0.1 },
  "kl-ucb": { points: 32, log_log_factor: 0.0, confidence_scale: 0.5 },
  thompson: { points: 32, confidence_scale: 0.25, seed: 1 },
  "successive-halving": { points: 32, horizon: 1000 },
  random: { seed: 1 },
};

const SYSTEM_DEFAULTS: Record<string, unknown> = {
  shell: false,
  reads_arm: false,
  keep_background: false,
  warmup_pulls: 0,
  timeout_seconds: 30,
  on_failure: "retry",
  outage_seconds: 600,
  max_failures: 25,
  max_crashes: 5,
  on_exit: "best",
  baseline_every: 0,
  baseline_pulls: 10,
  min_pulls_per_change: 1,
  floor_window: 20,
};

export interface Option {
  name: string;
  value: string;
  /** Somebody has said so; the default is another. */
  chosen: boolean;
}

export const OPTIMIZERS = Object.keys(OPTIMIZER_DEFAULTS);

/** The options of an optimizer, those that somebody has chosen first. */
export function optimizerOptions(optimizer: Record<string, unknown>, dimension: number): Option[] {
  const name = String(optimizer.name ?? "adaptive");
  const usual = OPTIMIZER_DEFAULTS[name] ?? {};
  const defaults = { ...usual };
  if (usual.rho === null) defaults.rho = Math.pow(name === "doo" ? 3 : 2, -1 / dimension);
  if (usual.points !== undefined) defaults.points = gridPoints(dimension);
  return options(optimizer, defaults, ["name", "revision"]);
}

/** Arms of a grid along each parameter: about a thousand in total. */
function gridPoints(dimension: number): number {
  return Math.min(32, Math.max(2, Math.floor(Math.pow(1024, 1 / dimension) + 1e-9)));
}

/** The same of the system; commands and the baseline are not among them. */
export function systemOptions(system: Record<string, unknown>): Option[] {
  return options(system, SYSTEM_DEFAULTS, ["apply", "measure", "process", "baseline"]);
}

function options(
  given: Record<string, unknown>,
  defaults: Record<string, unknown>,
  others: string[],
): Option[] {
  return Object.entries(given)
    .filter(([name]) => !others.includes(name))
    .map(([name, value]) => ({ name, value: optionText(value), chosen: !isSame(value, defaults[name]) }))
    .sort((a, b) => Number(b.chosen) - Number(a.chosen));
}

function isSame(value: unknown, usual: unknown): boolean {
  if (typeof value === "number" && typeof usual === "number")
    return Math.abs(value - usual) <= 1e-9 * Math.abs(usual);
  return value === usual;
}

export function optionText(value: unknown): string {
  if (typeof value === "number") return plain(value, 6);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string") return value;
  return JSON.stringify(value);
}

/** "1 to 3600, log scale" */
export function rangeText(knob: Knob): string {
  if (knob.type === "choice") return `${knob.choices?.length ?? 0} choices`;
  const parts = [`${plain(knob.low, 6)} to ${plain(knob.high, 6)}`];
  if (knob.step !== undefined && knob.step !== 1) parts.push(`in steps of ${plain(knob.step, 6)}`);
  if (knob.scale === "log") parts.push("log scale");
  return parts.join(", ");
}

/** How sure it is that a limit is kept, by the interval of what it is on. */
export function limitState(limit: Limit | undefined, metric: Metric): "kept" | "unsure" | "broken" {
  const { lower, upper } = metric;
  const isAbove = limit?.max !== undefined && lower !== null && lower > limit.max;
  const isBelow = limit?.min !== undefined && upper !== null && upper < limit.min;
  if (isAbove || isBelow) return "broken";
  return metric.may_break_limit ? "unsure" : "kept";
}

export function limitText(limit: Limit): string {
  const { min, max } = limit;
  if (min !== undefined && max !== undefined) return `from ${plain(min)} to ${plain(max)}`;
  return min !== undefined ? `at least ${plain(min)}` : `at most ${plain(max)}`;
}
