import type { PossibleCommand } from "../api/types";

type CommandName = PossibleCommand["command"];

export interface CommandWords {
  label: string;
  /** What will happen. */
  does: string;
}

const WORDS: Record<CommandName, CommandWords> = {
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
  label: "Reopen",
  does: "Goes on trying settings, though it was ended.",
};

/** How a command reads in a study that people have stopped by `order`, or not. */
export function commandWords(command: CommandName, order: string | null): CommandWords {
  return command === "resume" && order === "end" ? REOPEN : WORDS[command];
}
