import type { ContextPart, ContextRange, Policy, PolicyRow, Specification } from "../api/types";
import type { Variable } from "../charts/policy_layout";
import { counted, shortened } from "../charts/words";
import { armText, valueText } from "../format/arms";
import { decimalsFor, measured, plain, signed, whole } from "../format/numbers";

/** "hour, load and tenant" */
export function namesText(names: string[], joint = "and"): string {
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} ${joint} ${last}`;
}

const MOST_VALUES = 4;

function rangeText(range: ContextRange): string {
  if (!Array.isArray(range)) {
    const [from, to] = [valueText(range.from), valueText(range.to)];
    return from === to ? from : `${from} to ${to}`;
  }
  const shown = range.slice(0, MOST_VALUES).map((value) => shortened(value, 24));
  const more = range.length - shown.length;
  return more > 0 ? `${shown.join(", ")} and ${more} more` : shown.join(" or ");
}

/** Describes a region: "hour 8 to 17.25, tenant a or b". */
export function whereText(variables: Variable[], row: PolicyRow): string {
  const parts = variables.flatMap(({ name }) => {
    const range = Object.hasOwn(row.where, name) ? row.where[name] : undefined;
    return range === undefined ? [] : [`${shortened(name, 40)} ${rangeText(range)}`];
  });
  return parts.join(", ") || "all contexts";
}

/** The texts of a row of the policy. */
export function rowTexts(row: PolicyRow): { setting: string; mean: string; interval: string; pulls: string } {
  const { lower = null, upper = null } = row.interval ?? {};
  const { mean, range } = measured(row.mean, lower, upper);
  return {
    setting: row.arm ? armText(row.arm) : "none yet",
    mean: row.arm_pulls > 0 ? mean : "–",
    interval: row.arm_pulls > 0 ? range : "",
    pulls: `${whole(row.arm_pulls)} of ${whole(row.pulls)}`,
  };
}

/** Names and values for the tooltip of a region. */
export function rowRows(variables: Variable[], row: PolicyRow): [name: string, value: string][] {
  const { setting, mean, interval, pulls } = rowTexts(row);
  return [
    ["where", whereText(variables, row)],
    ["setting", shortened(setting, 160)],
    ["mean", mean],
    ["interval", interval || "none yet"],
    ["pulls of this setting", pulls],
    ...(row.limits ? [["limits", limitsText(row)] as [string, string]] : []),
  ];
}

/** Whether a setting keeps the limits, in the least favourable context of its region: "p99 57 (at most 60): probably kept". */
export function limitsText(row: PolicyRow): string {
  const texts = (row.limits ?? []).map(
    ({ metric, estimate, limit, state }) =>
      `${shortened(metric, 40)} ${plain(estimate, 3)} (${limit}): ${state.replace("_", " ")}`,
  );
  return (row.breaks_limits ? ["no setting keeps the limits here", ...texts] : texts).join("; ");
}

/** The numbers, from 1, of rows whose setting may be equally good: "2, 3". */
export function neighboursText(row: PolicyRow): string {
  return (row.may_share ?? []).map((place) => String(place + 1)).join(", ") || "–";
}

/** Says on which variables the best setting depends. */
export function dependsSentence(variables: Variable[], policy: Policy): string {
  if (policy.rows.length < 2) return "So far the best setting is the same in all contexts.";
  const splitsOf = (name: string) => policy.weights[name]?.splits ?? 0;
  const evidenceOf = (name: string) => policy.weights[name]?.evidence ?? 0;
  const names = variables.map((variable) => variable.name);
  const matters = names.filter((name) => splitsOf(name) > 0).sort((a, b) => evidenceOf(b) - evidenceOf(a));
  const others = names.filter((name) => splitsOf(name) === 0);
  const texts = matters.map(
    (name) =>
      `${shortened(name, 40)} (${counted(splitsOf(name), "split")}, evidence ${plain(evidenceOf(name), 3)} nats)`,
  );
  const not = others.length > 0 ? `, and not on ${namesText(others, "or")}` : "";
  return `So far the best setting depends on ${namesText(texts)}${not}.`;
}

/** Says how many contexts were out of range; empty if there were none. */
export function movedSentence(moved: number): string {
  if (moved === 0) return "";
  return moved === 1
    ? "One context was outside the range of its variable and was moved to the nearest end."
    : `${whole(moved)} contexts were outside the range of their variable and were moved to the nearest end.`;
}

/** The range of the effect of a variable on all rewards. */
export function effectSentence(variable: Variable, parts: ContextPart[]): string {
  const ordered = [...parts].sort((a, b) => a.effect - b.effect);
  const [least, most] = [ordered[0], ordered.at(-1)];
  if (!least || !most) return "";
  const decimals = decimalsFor(most.effect - least.effect || most.effect, 2);
  const text = (part: ContextPart) => {
    const { from, to, value } = part;
    const place = value !== undefined ? valueText(value) : rangeText({ from: from ?? NaN, to: to ?? NaN });
    return `${signed(part.effect, decimals)} (${shortened(variable.name, 40)} ${place})`;
  };
  return `From ${text(least)} to ${text(most)}.`;
}

/** Says which context the plots are for; empty in a study without contexts. */
export function regionNote({ context }: Pick<Specification, "context">): string {
  return context ? "For the region of the last context." : "";
}
