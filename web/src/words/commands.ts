import type { PossibleCommand } from "../api/types";

type CommandName = PossibleCommand["command"];

export interface CommandWords {
  label: string;
  /** The effect of the command. */
  does: string;
}

const WORDS: Record<CommandName, CommandWords> = {
  pause: {
    label: "Pause",
    does: "Waits at the best setting so far. Nothing else is tried until you resume.",
  },
  resume: { label: "Resume", does: "Continues to try settings." },
  hold: { label: "Hold the present setting", does: "Waits at the present setting, and changes nothing." },
  baseline: { label: "Back to the baseline", does: "Sets the system to the baseline, and waits there." },
  confirm: {
    label: "Confirm the best setting",
    does: "Compares the best setting with the baseline now, in turn, then continues.",
  },
  end: { label: "End", does: "Stops trying settings, and leaves the system as the study file says." },
};

const REOPEN: CommandWords = {
  label: "Reopen",
  does: "Continues to try settings after the end.",
};

/** The words of a command, which depend on the command `order` that is in force. */
export function commandWords(command: CommandName, order: string | null): CommandWords {
  return command === "resume" && order === "end" ? REOPEN : WORDS[command];
}
