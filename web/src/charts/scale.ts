import { ticks as niceNumbers } from "d3-array";
import type { Knob, Value } from "../api/types";
import { axisTexts, logText } from "./axis_texts";

export interface Tick {
  /** The position, from 0 to 1. */
  at: number;
  text: string;
}

export interface Ticks {
  ticks: Tick[];
  /** The common factor of all numbers, or nothing. */
  power: string;
}

/** The scale of a knob: the positions of its values along an axis from 0 to 1. */
export interface KnobScale {
  /** Whether the values are discrete. */
  discrete: boolean;
  /** The number of values. */
  count: number;
  /** NaN for invalid values. */
  position(value: Value | undefined): number;
  value(position: number): Value;
  ticks(most: number): Ticks;
}

export function knobScale(knob: Knob): KnobScale {
  return knob.type === "choice" ? choiceScale(knob.choices ?? []) : numberScale(knob);
}

function choiceScale(choices: string[]): KnobScale {
  const index = new Map(choices.map((choice, i) => [choice, i]));
  const at = (i: number) => (i + 0.5) / choices.length;
  return {
    discrete: true,
    count: choices.length,
    position: (value) => at(index.get(String(value)) ?? NaN),
    value: (position) => choices[clamp(Math.floor(position * choices.length), 0, choices.length - 1)] ?? "",
    ticks(most) {
      const every = Math.max(1, Math.ceil(choices.length / Math.max(1, most)));
      const shown = choices.map((text, i) => ({ at: at(i), text })).filter((_, i) => i % every === 0);
      return { ticks: shown, power: "" };
    },
  };
}

/** The largest value of a knob, which is below `high` if the steps do not reach it. */
export function highestOf(knob: Knob): number {
  const { low = 0, high = 1, step = 1 } = knob;
  return knob.type === "integer" ? low + step * Math.floor((high - low) / step) : high;
}

function numberScale(knob: Knob): KnobScale {
  const { low = 0, step = 1 } = knob;
  const high = highestOf(knob);
  const isInteger = knob.type === "integer";
  const isLog = knob.scale === "log" && low > 0;
  // An integer covers half a step on either side, except at 0 on a logarithmic scale.
  const first = !isInteger ? low : isLog ? Math.max(low - step / 2, low / 2) : low - step / 2;
  const last = isInteger ? high + step / 2 : high;
  const along = (value: number) =>
    isLog ? Math.log(value / first) / Math.log(last / first) : (value - first) / (last - first);
  const back = (position: number) =>
    isLog ? first * (last / first) ** position : first + position * (last - first);
  const nearest = (value: number) => clamp(low + step * Math.round((value - low) / step), low, high);
  return {
    discrete: isInteger,
    count: isInteger ? (high - low) / step + 1 : Infinity,
    position: (value) => (last > first ? along(Number(value ?? NaN)) : 0.5),
    value: (position) => (isInteger ? nearest(back(position)) : clamp(back(position), low, high)),
    ticks(most) {
      const values = isLog ? logTicks(low, high, most) : linearTicks(low, high, most);
      const shown = isInteger ? [...new Set(values.map(nearest))] : values;
      const { texts, power } = isLog ? { texts: shown.map(logText), power: "" } : axisTexts(shown);
      return {
        ticks: shown.map((value, i) => ({ at: last > first ? along(value) : 0.5, text: texts[i] ?? "" })),
        power,
      };
    },
  };
}

export function linearTicks(low: number, high: number, most: number): number[] {
  if (!(high > low)) return [low];
  for (let count = Math.max(2, most); count >= 1; --count) {
    const found = niceNumbers(low, high, count);
    if (found.length > 0 && found.length <= Math.max(2, most)) return found;
  }
  return [low, high];
}

/** Ticks of plain numbers from `low` to `high`. */
export function numberTicks(low: number, high: number, most: number): Ticks {
  const values = linearTicks(low, high, most);
  const { texts, power } = axisTexts(values);
  return {
    ticks: values.map((value, i) => ({ at: (value - low) / (high - low), text: texts[i] ?? "" })),
    power,
  };
}

/** Powers of ten, with 2 and 5 between them if they fit. */
export function logTicks(low: number, high: number, most: number): number[] {
  const first = Math.floor(Math.log10(low));
  const last = Math.ceil(Math.log10(high));
  const within = (value: number) => value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9);
  const made = (factors: number[], every: number) => {
    const found: number[] = [];
    for (let exponent = first; exponent <= last; ++exponent) {
      if (exponent % every !== 0) continue;
      for (const factor of factors) {
        const value = Number(`${factor}e${exponent}`);
        if (within(value)) found.push(value);
      }
    }
    return found;
  };
  const fine = made([1, 2, 5], 1);
  if (fine.length < 3 && low > 0) return linearTicks(low, high, Math.min(most, 5));
  if (fine.length <= most) return fine;
  for (let every = 1; ; ++every) {
    const found = made([1], every);
    if (found.length <= Math.max(2, most)) return found.length >= 2 ? found : [low, high];
  }
}

/** The ends of the cells around values along an axis: half way to each neighbour, and the axis' own ends. */
export function cellEdges(positions: number[]): number[] {
  const edges = [0];
  for (let i = 1; i < positions.length; ++i) {
    edges.push(((positions[i - 1] ?? 0) + (positions[i] ?? 0)) / 2);
  }
  edges.push(1);
  return edges;
}

export function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}
