import type { Phase } from "../api/types";

export type CommandName = "pause" | "resume" | "hold" | "baseline" | "confirm" | "end";

export interface CommandWords {
  command: CommandName;
  label: string;
  /** What will happen. */
  does: string;
}

const WORDS: Record<CommandName, Omit<CommandWords, "command">> = {
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

const REOPEN: CommandWords = {
  command: "resume",
  label: "Reopen",
  does: "Goes on trying settings, though it was ended.",
};

export const commandWords = (command: CommandName): CommandWords => ({ command, ...WORDS[command] });

export interface CommandState {
  order: string | null;
  phase: Phase;
  /** Whether there is a system that canopy sets, and a baseline of it. */
  hasSystem: boolean;
  hasBaseline: boolean;
  hasBest: boolean;
}

/** The commands that make sense now, the most likely one first. */
export function possibleCommands(state: CommandState): CommandWords[] {
  if (state.order === "end") return [REOPEN];
  const stopped = state.order !== null;
  if (!stopped && (state.phase === "finished" || state.phase === "failed")) return [];
  const commands: CommandName[] = [];
  if (stopped) commands.push("resume");
  if (state.order !== "pause") commands.push("pause");
  if (!stopped && state.hasBaseline && state.hasBest) commands.push("confirm");
  if (state.hasSystem && state.order !== "hold" && state.order !== "baseline") commands.push("hold");
  if (state.hasBaseline && state.order !== "baseline") commands.push("baseline");
  commands.push("end");
  return commands.map(commandWords);
}
