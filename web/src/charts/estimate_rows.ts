import type { Arm, Estimate, KnownArm, Value } from "../api/types";
import { valueText } from "../format/arms";
import { measured, percent, plain, whole } from "../format/numbers";
import type { Known } from "./knowledge";
import { shortened, valueIn } from "./words";

/** The name of the band around an estimate. */
export function bandWords(estimate: Pick<Estimate, "by">, level: number): string {
  return estimate.by === "arms" ? `${percent(level)} interval` : "model's interval";
}

/** The estimate at a position, and the results of the setting there if it was tried, as pairs of name and value. */
export function rowsAt(
  estimate: Estimate,
  i: number,
  known: Pick<Known, "arms" | "level">,
): [string, string][] {
  const place = placeAt(estimate, i);
  const rows = Object.entries(place.shown).map(([name, value]): [string, string] => [
    shortened(name, 24),
    shortened(valueText(value), 60),
  ]);
  const mean = estimate.mean[i] ?? null;
  const tried = triedAt(place.arm, known.arms);
  if (mean === null) rows.push(["estimate", "unknown"]);
  else {
    const { mean: text, range } = measured(mean, estimate.lower[i] ?? null, estimate.upper[i] ?? null);
    rows.push(["estimate", text]);
    if (range) rows.push([bandWords(estimate, known.level), range]);
    if (!tried) rows.push(["pulls", whole(estimate.pulls[i] ?? 0)]);
  }
  if (tried && tried.pulls > 0) {
    const { mean: text, range } = measured(tried.mean, tried.lower, tried.upper);
    rows.push(["mean of its rewards", text]);
    if (range && estimate.by !== "arms") rows.push([`${percent(known.level)} interval`, range]);
    rows.push(["its pulls", whole(tried.pulls)]);
  }
  const bound = estimate.bound[i] ?? null;
  if (mean !== null && bound !== null) rows.push([BOUND_WORDS, plain(bound)]);
  return rows;
}

/** Explains the bound in a tooltip. */
export const BOUND_WORDS = "bound: the optimistic bound of the reward that the search uses";

function placeAt(estimate: Estimate, i: number): { shown: Arm; arm: Arm } {
  const columns = estimate.x.values.length;
  const shown: Arm = { [estimate.x.name]: estimate.x.values[i % columns] ?? "" };
  if (estimate.y) shown[estimate.y.name] = estimate.y.values[Math.floor(i / columns)] ?? "";
  return { shown, arm: { ...estimate.through, ...shown } };
}

/** The setting that was tried at a position. */
export function triedAt(place: Arm, arms: KnownArm[]): KnownArm | null {
  const names = Object.keys(place);
  return arms.find(({ arm }) => names.every((name) => isSame(place[name], valueIn(arm, name)))) ?? null;
}

function isSame(a: Value | undefined, b: Value | undefined): boolean {
  if (typeof a !== "number" || typeof b !== "number") return a === b;
  return Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b));
}
