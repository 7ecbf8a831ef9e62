import type { Knob, Limit } from "../api/types";
import { plain } from "../format/numbers";

export function optionText(value: unknown): string {
  if (typeof value === "number") return plain(value, 6);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string") return value;
  return JSON.stringify(value);
}

/** How a system is set, measured or observed, line by line: a command or a request. */
export function actionLines(action: unknown): string[] {
  if (typeof action !== "object" || action === null) return [String(action)];
  const table = action as Record<string, unknown>;
  for (const method of ["put", "post", "patch"]) {
    if (typeof table[method] !== "string") continue;
    return [`${method.toUpperCase()} ${table[method]}`, ...(table.body ? [String(table.body)] : [])];
  }
  if (typeof table.query !== "string") return [JSON.stringify(action)];
  const over = typeof table.over === "string" ? ` after ${table.over}` : "";
  const metrics = Object.entries((table.metrics ?? {}) as Record<string, unknown>);
  return [
    `${table.prometheus}${over}: ${table.query}`,
    ...metrics.map(([name, query]) => `${name}: ${query}`),
  ];
}

/** "1 to 3600, log scale" */
export function rangeText(knob: Knob): string {
  if (knob.type === "choice") return `${knob.choices?.length ?? 0} choices`;
  const parts = [`${plain(knob.low, 6)} to ${plain(knob.high, 6)}`];
  if (knob.step !== undefined && knob.step !== 1) parts.push(`in steps of ${plain(knob.step, 6)}`);
  if (knob.scale === "log") parts.push("log scale");
  return parts.join(", ");
}

export function limitText(limit: Limit): string {
  const { min, max } = limit;
  if (min !== undefined && max !== undefined) return `from ${plain(min)} to ${plain(max)}`;
  return min !== undefined ? `at least ${plain(min)}` : `at most ${plain(max)}`;
}
