import type { Knob, Specification } from "../api/types";

export type Kept = "journal" | "rewards" | "nothing";

/** What a fork begins with, by what differs; docs/tune.md has the same rule. */
export function forkKeeps(before: Specification, after: Specification): Kept {
  const alike = (a: Knob, b: Knob | undefined) =>
    b !== undefined &&
    a.name === b.name &&
    a.type === b.type &&
    (a.type !== "choice" || JSON.stringify(a.choices) === JSON.stringify(b.choices));
  const haveSameKnobs =
    before.space.length === after.space.length &&
    before.space.every((knob, i) => alike(knob, after.space[i]));
  if (!haveSameKnobs) return "nothing";
  return learning(before) === learning(after) ? "journal" : "rewards";
}

/** All that learning depends on. */
function learning({ direction, optimizer, space }: Specification): string {
  const options = Object.entries(optimizer).sort(([a], [b]) => (a < b ? -1 : 1));
  const knobs = space.map(({ name, type, low, high, scale, step, choices }) => [
    name,
    type,
    low,
    high,
    scale ?? "linear",
    step ?? 1,
    choices,
  ]);
  return JSON.stringify([direction, options, knobs]);
}

export const KEPT_SENTENCES: Record<Kept, string> = {
  journal: "As it is now, the fork begins with the whole journal: nothing that learning depends on differs.",
  rewards:
    "As it is now, the fork begins with the rewards of every setting that is still in the space: the optimizer, the direction, or the bounds of a knob differ.",
  nothing:
    "As it is now, the fork begins with nothing: the names, the types or the choices of the knobs differ.",
};
