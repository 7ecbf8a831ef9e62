import type { Arm, Knob, Value } from "../api/types";
import { valueText } from "../format/arms";
import { whole } from "../format/numbers";
import { highestOf } from "./scale";
import type { View } from "./zoom";

/** At most so many letters. */
export function shortened(text: string, most: number): string {
  const letters = [...text];
  return letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : text;
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return count === 1 ? `1 ${one}` : `${whole(count)} ${many}`;
}

/** Names and values in one sentence, to be read out. */
export function rowsText(rows: [name: string, value: string][]): string {
  return rows.map(([name, value]) => `${name} ${value}`).join(", ");
}

/** Which part of an axis is seen, to be read out. */
export function shownText(view: View, textOf: (value: number) => string): string {
  return view ? `From ${textOf(view[0])} to ${textOf(view[1])}` : "All of it";
}

export const pullText = (pull: number) => `pull ${whole(Math.max(0, Math.round(pull)))}`;

/** The part of a knob that a cell has: "1 to 60", "lru or lfu", "3 of 20 values". Nothing if it is all of it. */
export function intervalWords(knob: Knob, part: Value[] | undefined): string | null {
  if (!part || part.length === 0) return null;
  if (knob.type === "choice") {
    const all = knob.choices?.length ?? part.length;
    if (part.length === all) return null;
    if (part.length <= 3) return part.map((value) => shortened(String(value), 24)).join(" or ");
    return `${shortened(String(part[0]), 24)} and ${part.length - 1} more of ${all}`;
  }
  const [low, high = low] = part;
  if (isSame(low, knob.low) && isSame(high, highestOf(knob))) return null;
  return low === high ? valueText(low) : `${valueText(low)} to ${valueText(high)}`;
}

/** The same but for rounding. */
function isSame(a: Value | undefined, b: number | undefined): boolean {
  const [x, y] = [Number(a), Number(b)];
  return Math.abs(x - y) <= 1e-9 * Math.max(Math.abs(x), Math.abs(y));
}

/** A cell in words, the knobs that it restricts only. */
export function cellWords(space: Knob[], cell: Record<string, Value[]>): [name: string, words: string][] {
  return space.flatMap((knob): [string, string][] => {
    const words = intervalWords(knob, Object.hasOwn(cell, knob.name) ? cell[knob.name] : undefined);
    return words === null ? [] : [[knob.name, words]];
  });
}

/** The value of a knob in an arm; names like "constructor" are names like any other. */
export function valueIn(arm: Arm, name: string): Value | undefined {
  return Object.hasOwn(arm, name) ? arm[name] : undefined;
}
