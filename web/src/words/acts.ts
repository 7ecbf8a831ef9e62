import type { Phase } from "../api/types";

export type ActName = "pause" | "resume" | "hold" | "baseline" | "confirm" | "end";

export interface ActWords {
  act: ActName;
  label: string;
  /** What will happen. */
  does: string;
}

const WORDS: Record<ActName, Omit<ActWords, "act">> = {
  pause: {
    label: "Pause",
    does: "Waits at the best setting that is known. Nothing more is tried until you resume.",
  },
  resume: { label: "Resume", does: "Goes on trying settings." },
  hold: { label: "Hold the present setting", does: "Waits where the system is now, and changes nothing." },
  baseline: { label: "Back to the baseline", does: "Sets the system to the baseline, and waits there." },
  confirm: {
    label: "Confirm the best setting",
    does: "Compares the best setting with the baseline now, in turns, then goes on.",
  },
  end: { label: "End", does: "Tries nothing more, and leaves the system as the study file says." },
};

const REOPEN: ActWords = {
  act: "resume",
  label: "Reopen",
  does: "Goes on trying settings, though it was ended.",
};

export const actWords = (act: ActName): ActWords => ({ act, ...WORDS[act] });

export interface ActState {
  order: string | null;
  phase: Phase;
  /** Whether there is a system that canopy sets, and a baseline of it. */
  hasSystem: boolean;
  hasBaseline: boolean;
  hasBest: boolean;
}

/** The acts that make sense now, the most likely one first. */
export function possibleActs(state: ActState): ActWords[] {
  if (state.order === "end") return [REOPEN];
  const stopped = state.order !== null;
  if (!stopped && (state.phase === "finished" || state.phase === "failed")) return [];
  const acts: ActName[] = [];
  if (stopped) acts.push("resume");
  if (state.order !== "pause") acts.push("pause");
  if (!stopped && state.hasBaseline && state.hasBest) acts.push("confirm");
  if (state.hasSystem && state.order !== "hold" && state.order !== "baseline") acts.push("hold");
  if (state.hasBaseline && state.order !== "baseline") acts.push("baseline");
  acts.push("end");
  return acts.map(actWords);
}
