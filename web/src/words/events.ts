import type { Arm, EventKind, JournalEvent } from "../api/types";
import { armText } from "../format/arms";
import { plain, whole } from "../format/numbers";
import { duration } from "../format/times";
import { pullsText } from "./best";
import { readable } from "./readable";

export interface EventWords {
  text: string;
  tone: "plain" | "good" | "bad" | "command" | "quiet";
  /** The output of a program, unchanged. */
  printed?: string;
}

/** Which events to show. */
export type Filter = "all" | "failures" | "commands" | "tuner" | "system" | "settings";

export const FILTERS: { filter: Filter; label: string; kinds: EventKind[] | null }[] = [
  { filter: "all", label: "All", kinds: null },
  { filter: "failures", label: "Failures", kinds: ["failure", "penalize", "defer", "bar"] },
  { filter: "commands", label: "Commands", kinds: ["command"] },
  {
    filter: "tuner",
    label: "Tuner",
    kinds: ["start", "stop", "confirm", "verdict", "range", "finish", "system_commands"],
  },
  { filter: "system", label: "Changes detected", kinds: ["changed"] },
  { filter: "settings", label: "Settings", kinds: ["apply"] },
];

const COMMAND_PHRASES: Record<string, string> = {
  pause: "to pause at the best setting so far",
  resume: "to resume",
  hold: "to hold the current setting",
  baseline: "to go back to the baseline",
  confirm: "to compare the best setting with the baseline",
  end: "to end the study",
};

// A journal of another version may have missing or additional fields.
const number = (event: JournalEvent, field: string) => {
  const value = event[field];
  return typeof value === "number" ? value : null;
};
const text = (event: JournalEvent, field: string) => {
  const value = event[field];
  return typeof value === "string" ? value : "";
};
const arm = (event: JournalEvent) =>
  event.arm ? armText(event.arm as Arm) : "a setting outside the search space";
/** The setting, and the context of the pull in a study with contexts. */
function armInContext(event: JournalEvent): string {
  const { context } = event;
  const isKnown = typeof context === "object" && context !== null;
  return isKnown ? `${arm(event)} (${armText(context as Arm)})` : arm(event);
}
const reward = (event: JournalEvent) => plain(number(event, "reward"));

function sums(event: JournalEvent): string {
  const count = number(event, "count") ?? 0;
  const mean = plain((number(event, "sum") ?? NaN) / count);
  return `${whole(count)} ${count === 1 ? "reward" : "rewards"}, ${mean} on average`;
}

/** The rewards of an event: one, several, or a summary of them. */
function rewards(event: JournalEvent): string {
  if (number(event, "reward") !== null) return `Reward ${reward(event)}`;
  if (!Array.isArray(event.rewards)) return sums(event);
  const all = event.rewards as number[];
  const more = all.length > 8 ? ` and ${whole(all.length - 8)} more` : "";
  const shown = all.slice(0, 8).map((each) => plain(each));
  return `${whole(all.length)} rewards: ${shown.join(", ")}${more}`;
}

/** Describes an event of a journal. */
export function eventWords(event: JournalEvent): EventWords {
  const describe = WORDS[event.kind as EventKind] as (typeof WORDS)[EventKind] | undefined;
  return describe ? describe(event) : { text: `Event of kind ${event.kind}`, tone: "quiet" };
}

const plainly = (text: string): EventWords => ({ text, tone: "plain" });
const quietly = (text: string): EventWords => ({ text, tone: "quiet" });

const WORDS: Record<EventKind, (event: JournalEvent) => EventWords> = {
  ask: (event) => {
    const length = number(event, "length") ?? 1;
    if (event.again === true) return quietly(`To be tried again: ${armInContext(event)}`);
    return quietly(
      `To be tried${length > 1 ? `, for up to ${pullsText(length)}` : ""}: ${armInContext(event)}`,
    );
  },
  tell: (event) =>
    event.passed_over === true
      ? quietly(`${rewards(event)}, ignored: the system had not settled`)
      : plainly(rewards(event)),
  drop: (event) => quietly(`Ticket ${number(event, "ticket") ?? "?"} was returned without a reward`),
  finish: () => plainly("An unfinished episode was ended"),
  start: (event) => {
    const earlier = number(event, "earlier_seconds") ?? 0;
    return plainly(
      earlier >= 1 ? `The tuner continued; it had run for ${duration(earlier)} before` : "The tuner started",
    );
  },
  stop: (event) => ({
    text: `The tuner stopped: ${readable(text(event, "why")) || "for an unknown reason"}`,
    tone: event.at_limit === true ? "bad" : "plain",
  }),
  apply: (event) =>
    plainly(
      `The system was set to ${arm(event)}${number(event, "ticket") === 0 ? ", outside the search" : ""}`,
    ),
  hold: (event) => quietly(`Reward ${reward(event)}, held back until the setting may change`),
  failure: (event) => failureWords(event),
  observe: (event) => {
    if (event.role === "baseline") return plainly(`The baseline, ${arm(event)}: ${rewards(event)}`);
    if (event.role === "warm_up") return quietly(`${rewards(event)} while the system warmed up; ignored`);
    return plainly(`Observed at ${armInContext(event)}: ${rewards(event)}`);
  },
  range: (event) => {
    const range = Array.isArray(event.range) ? (event.range as number[]) : null;
    return plainly(
      range
        ? `The range of rewards is now ${plain(range[0])} to ${plain(range[1])}`
        : "The range of rewards is now learnt from the rewards",
    );
  },
  penalize: (event) =>
    event.barred === true
      ? quietly(`Not tried again, since it is excluded; it counts as ${reward(event)}`)
      : { text: `The failed pull counts as ${reward(event)}`, tone: "bad" },
  bar: (event) => ({ text: `Excluded from now on: ${arm(event)}`, tone: "bad" }),
  defer: (event) => ({
    text: `Failed before the first reward, so it will count once there is one: ${arm(event)}`,
    tone: "bad",
  }),
  metrics: (event) => {
    const metrics = (event.metrics ?? {}) as Record<string, number>;
    const list = Object.entries(metrics).map(([name, value]) => `${name} ${plain(value)}`);
    return quietly(`Also measured: ${list.join(", ")}`);
  },
  confirm: (event) => {
    const pulls = number(event, "pulls");
    const most = pulls ? ` (at most ${pullsText(pulls)} for both)` : "";
    const challenger =
      event.coordinates === undefined ? "the policy, the best setting for each context" : arm(event);
    return plainly(`A comparison with the baseline begins${most}: ${challenger}`);
  },
  compare: (event) =>
    quietly(`Compared: ${event.is_baseline === true ? "the baseline" : "the setting"} gave ${reward(event)}`),
  verdict: (event) => {
    const confirmed = event.confirmed === true;
    return {
      text: `${confirmed ? "Confirmed" : "Not confirmed"}: ${readable(text(event, "verdict"))}`,
      tone: confirmed ? "good" : "plain",
    };
  },
  changed: (event) => {
    const size = number(event, "size") ?? 0;
    if (event.change === "memory") return plainly("The system has changed: successive noise is correlated");
    if (event.change === "shape")
      return plainly(
        `The system has changed: rewards of settings changed by different amounts, about ${plain(Math.abs(size), 2)}`,
      );
    if (size === 0) return plainly("The level of all rewards is steady again");
    return plainly(
      `The system has changed: the level of all rewards ${size < 0 ? "fell" : "rose"} by about ${plain(Math.abs(size), 2)}`,
    );
  },
  level: (event) =>
    quietly(
      `The level of all rewards moves: the best setting now earns ${reward(event)} according to the model`,
    ),
  system_commands: (event) => plainly(`Other commands were accepted: ${text(event, "changes")}`),
  command: (event) => {
    const pulls = number(event, "pulls") ?? 0;
    const phrase = COMMAND_PHRASES[text(event, "command")] ?? `for ${text(event, "command")}`;
    return {
      text: `${text(event, "by") || "A user"} asked ${phrase}${pulls ? `, with at most ${pullsText(pulls)}` : ""}`,
      tone: "command",
    };
  },
};

/** The kinds of events with a description. */
export const KINDS = Object.keys(WORDS);

/** The first line of a failure, and the full output if there is more. */
function failureWords(event: JournalEvent): EventWords {
  const what = text(event, "what");
  const [first = ""] = what.split("\n");
  const after = event.for_good === true ? "Failed for good" : "Failed, and is tried again";
  const isLong = what.length > first.length || first.length > 160;
  return {
    text: `${after}: ${first.length > 160 ? `${first.slice(0, 160)}…` : first}`,
    tone: "bad",
    printed: isLong ? what : undefined,
  };
}
