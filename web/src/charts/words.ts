import type { Arm, Knob, Value } from "../api/types";
import { valueText } from "../format/arms";
import { whole } from "../format/numbers";
import { highestOf } from "./scale";
import type { View } from "./zoom";

/** Truncates a text to a number of letters. */
export function shortened(text: string, most: number): string {
  const letters = [...text];
  return letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : text;
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return count === 1 ? `1 ${one}` : `${whole(count)} ${many}`;
}

/** Names and values in one sentence, for screen readers. */
export function rowsText(rows: [name: string, value: string][]): string {
  return rows.map(([name, value]) => `${name} ${value}`).join(", ");
}

/** The visible part of an axis, for screen readers. */
export function shownText(view: View, textOf: (value: number) => string): string {
  return view ? `From ${textOf(view[0])} to ${textOf(view[1])}` : "Everything";
}

export const pullText = (pull: number) => `pull ${whole(Math.max(0, Math.round(pull)))}`;

/** The part of a knob that a cell covers: "1 to 60", "lru or lfu", "3 of 20 values". Empty if it covers all values. */
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

/** Equality up to rounding. */
function isSame(a: Value | undefined, b: number | undefined): boolean {
  const [x, y] = [Number(a), Number(b)];
  return Math.abs(x - y) <= 1e-9 * Math.max(Math.abs(x), Math.abs(y));
}

/** Describes a cell by the knobs that it restricts. */
export function cellWords(space: Knob[], cell: Record<string, Value[]>): [name: string, words: string][] {
  return space.flatMap((knob): [string, string][] => {
    const words = intervalWords(knob, Object.hasOwn(cell, knob.name) ? cell[knob.name] : undefined);
    return words === null ? [] : [[knob.name, words]];
  });
}

/** The value of a knob in a setting; also safe for names such as "constructor". */
export function valueIn(arm: Arm, name: string): Value | undefined {
  return Object.hasOwn(arm, name) ? arm[name] : undefined;
}
