import type { Arm, Summary } from "../api/types";
import { plain, whole } from "../format/numbers";

export function pullsText(count: number): string {
  return `${whole(count)} ${count === 1 ? "pull" : "pulls"}`;
}

export function isSameArm(a: Arm, b: Arm): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}

/** Recommends changes of the study file if its settings do not fit the rewards. */
export function adviceSentences(summary: Summary | null): string[] {
  const sentences: string[] = [];
  if (summary?.fitting_range) {
    const [low, high] = summary.fitting_range;
    sentences.push(
      `The given range of rewards does not fit: so far they are from ${plain(low)} to ${plain(high)}.`,
    );
  }
  if (summary?.settling) {
    sentences.push(
      `Rewards seem to take about ${pullsText(summary.settling)} to settle after a change. A fork with settle = ${summary.settling} takes that into account.`,
    );
  }
  return sentences;
}
