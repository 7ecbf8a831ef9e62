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
    does: "Stays at the best setting so far and tries nothing else until you resume.",
  },
  resume: { label: "Resume", does: "Tries settings again." },
  hold: { label: "Hold the current setting", does: "Stays at the current setting and changes nothing." },
  baseline: { label: "Back to the baseline", does: "Sets the system to the baseline and stays there." },
  confirm: {
    label: "Confirm the best setting",
    does: "Compares the best setting with the baseline now, alternating between them, then continues.",
  },
  end: { label: "End", does: "Stops trying settings and leaves the system as the study file says." },
};

const REOPEN: CommandWords = {
  label: "Reopen",
  does: "Continues the study after its end.",
};

/** The words of a command. They depend on `order`, the command in force. */
export function commandWords(command: CommandName, order: string | null): CommandWords {
  return command === "resume" && order === "end" ? REOPEN : WORDS[command];
}
