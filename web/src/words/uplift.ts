import type { Direction, Uplift } from "../api/types";
import { armText } from "../format/arms";
import { decimalsFor, plain, signed } from "../format/numbers";

export interface UpliftWords {
  /** "+12 %" of the baseline; empty if a share is not meaningful. */
  share: string;
  /** "+1.20", in the units of rewards. */
  units: string;
  /** "+0.80 to +1.60", in the units of rewards; empty without an interval. */
  range: string;
}

/** The setting that was compared with the baseline or, with contexts, the policy. */
export function upliftSubject(uplift: Uplift): string {
  if (uplift.arm) return armText(uplift.arm);
  if (uplift.is_best) return "the policy";
  return uplift.policy_of === undefined
    ? "the policy at that time"
    : `the policy of pull ${uplift.policy_of}`;
}

const TONE_WORDS = { good: "better", bad: "worse", unsure: "not sure yet", plain: "" };

export const toneWord = (tone: keyof typeof TONE_WORDS) => TONE_WORDS[tone];

/** The gain relative to the baseline, as a number to sort by; larger is better. */
export function upliftGain(uplift: Uplift, direction: Direction): number {
  const size = uplift.mean / (Math.abs(uplift.baseline_mean) || 1);
  return direction === "maximize" ? size : -size;
}

/** The interval is in units of rewards: as a share, it would treat the baseline as known exactly. */
export function upliftWords(uplift: Uplift): UpliftWords {
  if (uplift.pairs === 0) return { share: "", units: "–", range: "" };
  const { mean, lower, upper } = uplift;
  const share = isShare(uplift) ? shareText(mean / uplift.baseline_mean) : "";
  const sign = mean > 0 ? "+" : "";
  if (lower === null || upper === null) return { share, units: sign + plain(mean), range: "" };
  const decimals = decimalsOf(lower, upper);
  const text = (value: number) => signed(value, decimals);
  return { share, units: text(mean), range: `${text(lower)} to ${text(upper)}` };
}

/** "+1.20 (+0.80 to +1.60)" */
export function sizeText(words: UpliftWords): string {
  return words.units + (words.range && ` (${words.range})`);
}

/** A large line and a small line below it. */
export function upliftLines(words: UpliftWords): { large: string; small: string } {
  return words.share
    ? { large: words.share, small: sizeText(words) }
    : { large: words.units, small: words.range };
}

/** A share of the baseline is only meaningful if the baseline is clearly above zero. */
function isShare(uplift: Uplift): boolean {
  return uplift.baseline_mean > 0 && Math.abs(uplift.mean) <= 10 * uplift.baseline_mean;
}

function shareText(share: number): string {
  return `${share > 0 ? "+" : ""}${plain(100 * share, 2)}\u202f%`;
}

/** Adds digits so that a nonzero end is not rounded to zero. */
function decimalsOf(low: number, high: number): number {
  let decimals = decimalsFor((high - low) / 2, 2);
  const readsAsZero = (value: number) => value !== 0 && Number(value.toFixed(decimals)) === 0;
  while (decimals < 6 && (readsAsZero(low) || readsAsZero(high))) ++decimals;
  return decimals;
}
