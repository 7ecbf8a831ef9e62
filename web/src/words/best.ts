import type { Arm, Best, Direction, Summary } from "../api/types";
import { armText } from "../format/arms";
import { measured, percent, plain, whole } from "../format/numbers";
import { readable } from "./readable";
import { type Tone, upliftSentence, upliftTone } from "./uplift";

export interface BestContext {
  direction: Direction;
  /** The setting that the system had before; null: nobody has said. */
  baseline: Arm | null;
  /** How many settings have rewards, the best one among them; null: not known yet. */
  settings?: number | null;
  /** Whether all of them have the same mean. */
  isAllSame?: boolean;
  /** Limits that it breaks beyond doubt: "lat must be at most 60". */
  broken?: string[];
}

export interface BestWords {
  /** set: do it; so_far: it may still change; keep: the baseline is at least as good; same: it does not matter. */
  advice: "set" | "so_far" | "keep" | "same";
  /** In a word or two, and how certain that is. */
  sureness: { text: string; tone: Tone | "plain" };
  /** For everybody. */
  sentences: string[];
  /** For whoever wants to know more. */
  details: string[];
}

export function pullsText(count: number): string {
  return `${whole(count)} ${count === 1 ? "pull" : "pulls"}`;
}

export function isSameArm(a: Arm, b: Arm): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}

/** What to do, how sure that is, and why: in words. */
export function bestWords(best: Best, context: BestContext): BestWords {
  const isBaseline = context.baseline !== null && isSameArm(best.arm, context.baseline);
  const tone = best.uplift ? upliftTone(best.uplift, context.direction) : null;
  return {
    advice: adviceOf(best, context, isBaseline, tone),
    sureness: surenessOf(best, context, isBaseline, tone),
    sentences: [
      meanSentence(best, tone === "bad" && !best.confirmed),
      ...upliftSentences(best, context, isBaseline),
      ...rivalSentences(best, context, isBaseline),
      ...(context.broken ?? []).map((limit) => `It breaks a limit beyond doubt: ${limit}.`),
      ...verdictSentences(best, isBaseline),
    ],
    details: [...basisSentences(best)],
  };
}

function hasInterval(best: Best): boolean {
  return best.lower !== null && best.upper !== null;
}

/** Whether nothing else was measured, so that there is nothing to choose between. */
const isAlone = (context: BestContext) => context.settings === 1;

/** Whether more than half of what was tried may be better. */
function isOneOfMany(best: Best, context: BestContext): boolean {
  return hasInterval(best) && best.rivals > (context.settings ?? Infinity) / 2;
}

function adviceOf(
  best: Best,
  context: BestContext,
  isBaseline: boolean,
  tone: Tone | null,
): BestWords["advice"] {
  if (context.isAllSame) return "same";
  if (isBaseline || (tone === "bad" && !best.confirmed)) return "keep";
  if (isAlone(context) || isOneOfMany(best, context)) return "so_far";
  if (best.confirmed || tone === "good") return "set";
  const isCertain = best.basis === "no_noise" || (hasInterval(best) && best.rivals === 0);
  return tone === null && isCertain ? "set" : "so_far";
}

function surenessOf(
  best: Best,
  context: BestContext,
  isBaseline: boolean,
  tone: Tone | null,
): BestWords["sureness"] {
  if (context.isAllSame) return { text: "no difference", tone: "plain" };
  if (best.confirmed) return { text: "confirmed", tone: "good" };
  if (isAlone(context))
    return { text: isBaseline ? "only the baseline has rewards" : "nothing to compare with", tone: "plain" };
  if (isBaseline) return { text: "the baseline is best", tone: "plain" };
  if (tone === "good") return { text: "better than the baseline", tone };
  if (tone === "bad") return { text: "worse than the baseline", tone };
  if (tone === "unsure") return { text: "not sure yet", tone };
  if (best.basis === "no_noise") return { text: "rewards do not vary", tone: "plain" };
  if (!hasInterval(best)) return { text: "not sure yet", tone: "unsure" };
  return best.rivals > 0
    ? { text: "others may be as good", tone: "unsure" }
    : { text: "the best of all tried", tone: "good" };
}

/** Where something else is recommended, it must be clear what the mean is of. */
function meanSentence(best: Best, isNotAdvised: boolean): string {
  const { mean, range } = measured(best.mean, best.lower, best.upper);
  const reach = range && ` (${percent(best.level)} interval ${range})`;
  const what = isNotAdvised
    ? `The best setting that was tried, ${armText(best.arm)}, has a mean reward of`
    : "The mean reward is";
  return `${what} ${mean}${reach}, from ${pullsText(best.pulls)} of it.`;
}

function upliftSentences(best: Best, context: BestContext, isBaseline: boolean): string[] {
  if (isBaseline)
    return [
      isAlone(context)
        ? "That is the baseline."
        : "That is the baseline: nothing that was tried is better for sure.",
    ];
  if (!context.baseline) return [];
  if (!best.uplift) return ["The baseline was not measured yet, so nobody knows what this gains."];
  return [upliftSentence(best.uplift, context.direction)];
}

function rivalSentences(best: Best, context: BestContext, isBaseline: boolean): string[] {
  if (isAlone(context))
    return [isBaseline ? "No setting but the baseline has a reward." : "No other setting has a reward."];
  if (context.isAllSame) return [];
  if (best.basis === "repeats_few" || best.basis === "no_noise" || !hasInterval(best)) return [];
  if (best.rivals === 0) return ["No other setting that was tried may be better."];
  return [
    best.rivals === 1
      ? "One other setting may be as good or better."
      : `${whole(best.rivals)} other settings may be as good or better.`,
  ];
}

function verdictSentences(best: Best, isBaseline: boolean): string[] {
  if (!best.verdict || isBaseline) return [];
  return [
    best.confirmed
      ? `A comparison with the baseline has confirmed it: ${readable(best.verdict)}.`
      : `The last comparison with the baseline did not confirm it: ${readable(best.verdict)}.`,
  ];
}

function basisSentences(best: Best): string[] {
  const sentences: string[] = [];
  if (best.basis === "repeats_few")
    sentences.push(
      "There is no interval yet: too few settings were tried more than once, so nobody knows how much rewards vary.",
    );
  else if (best.basis === "no_noise")
    sentences.push("There is no interval: rewards of one setting never differ.");
  else if (!hasInterval(best)) sentences.push("There is no interval yet.");
  if (best.by_model) {
    const { range } = measured(best.mean, best.by_model.lower, best.by_model.upper);
    sentences.push(`The model, which also draws on settings around it, has it at ${range}.`);
  }
  return sentences;
}

/** What the study file should say otherwise, as far as the rewards tell. */
export function adviceSentences(summary: Summary | null): string[] {
  const sentences: string[] = [];
  if (summary?.fitting_range) {
    const [low, high] = summary.fitting_range;
    sentences.push(
      `The range of rewards that was given does not fit: so far they are from ${plain(low)} to ${plain(high)}.`,
    );
  }
  if (summary?.settling) {
    sentences.push(
      `Rewards seem to take about ${pullsText(summary.settling)} to settle after a change. A fork with settle = ${summary.settling} takes that into account.`,
    );
  }
  return sentences;
}
