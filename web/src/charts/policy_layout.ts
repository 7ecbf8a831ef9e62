// The layout of the regions of a policy.
import type { ContextPart, ContextRange, Knob, PolicyRow, Specification, Value } from "../api/types";
import { clamp, highestOf, knobScale } from "./scale";
import { valueIn } from "./words";

/** A variable of the context, which has an axis like a knob. */
export type Variable = Knob & { period?: number; source?: string | object };

/** A part of an axis, as shares of it. */
export type Span = [from: number, to: number];

const REAL: Omit<Variable, "name"> = { type: "real" };
const CLOCKS: Record<string, Omit<Variable, "name">> = {
  "clock.hour": { type: "real", low: 0, high: 24, period: 24 },
  "clock.weekday": { type: "integer", low: 0, high: 6 },
};

/** The context variables of a study, with defaults. */
export function contextVariables(specification: Pick<Specification, "context">): Variable[] {
  return (specification.context ?? []).map((variable: Variable) => ({
    ...REAL,
    ...(variable.period === undefined ? {} : { low: 0, high: variable.period }),
    ...(typeof variable.source === "string" ? CLOCKS[variable.source] : {}),
    ...variable,
  }));
}

/** The parts of an axis that a region covers: two if it wraps around a period, one for each value of a choice. */
export function spansAlong(variable: Variable, range: ContextRange | undefined): Span[] {
  if (variable.type === "choice") {
    const values = Array.isArray(range) ? range : (variable.choices ?? []);
    return values.map((value) => roomOf(variable, value));
  }
  if (range === undefined || Array.isArray(range)) return [[0, 1]];
  const from = edge(variable, range.from, -1);
  const to = edge(variable, range.to, 1);
  const isAround = range.from > range.to;
  const spans: Span[] = isAround
    ? [
        [from, 1],
        [0, to],
      ]
    : [[from, to]];
  return spans.filter(([begin, end]) => end > begin);
}

/** The part of an axis that a bin of an effect covers. */
export function partSpan(variable: Variable, part: ContextPart): Span {
  const { from, to, value } = part;
  if (value !== undefined) return roomOf(variable, value);
  return [edge(variable, from ?? NaN, -1), edge(variable, to ?? NaN, 1)];
}

function roomOf(variable: Variable, value: Value): Span {
  if (variable.type !== "choice")
    return [edge(variable, Number(value), -1), edge(variable, Number(value), 1)];
  const scale = knobScale(variable);
  const middle = scale.position(value);
  return [middle - 0.5 / scale.count, middle + 0.5 / scale.count];
}

/** The end of a range on the axis: whole numbers are included, with half a step on either side. */
function edge(variable: Variable, end: number, side: -1 | 1): number {
  const { low = 0, step = 1, type } = variable;
  const scale = knobScale(variable);
  if (type !== "integer" || !Number.isInteger(end)) return clamp(scale.position(end), 0, 1);
  if (side < 0 && end <= low) return 0;
  if (side > 0 && end >= highestOf(variable)) return 1;
  return clamp(scale.position(end + (side * step) / 2), 0, 1);
}

/** An area of the plot that belongs to a row of the policy. */
export interface Area {
  row: number;
  x: Span;
  y: Span;
}

/** The areas of all rows, over one variable or two. */
export function areasOf(rows: PolicyRow[], x: Variable, y: Variable | null): Area[] {
  const spans = (row: PolicyRow, along: Variable) =>
    spansAlong(along, Object.hasOwn(row.where, along.name) ? row.where[along.name] : undefined);
  return rows.flatMap((row, i) =>
    spans(row, x).flatMap((across) =>
      (y ? spans(row, y) : [[0, 1] as Span]).map((up) => ({ row: i, x: across, y: up })),
    ),
  );
}

const isIn = (at: number, [from, to]: Span) => at >= from && at <= to;

/** The area at a position, in shares of both axes. */
export function areaAt(areas: Area[], x: number, y: number): Area | null {
  return areas.find((area) => isIn(x, area.x) && isIn(y, area.y)) ?? null;
}

export const middleOf = ([from, to]: Span) => (from + to) / 2;

/** The neighbour of an area, or the area itself if there is none. */
export function areaBeside(areas: Area[], area: Area, right: number, up: number): Area {
  const beyond = ([from, to]: Span, way: number) =>
    way === 0 ? (from + to) / 2 : way > 0 ? to + 1e-6 : from - 1e-6;
  return areaAt(areas, beyond(area.x, right), beyond(area.y, up)) ?? area;
}

/** The value of a knob that a row sets. */
export function settingIn(row: PolicyRow, knob: Knob): Value | undefined {
  return row.arm && valueIn(row.arm, knob.name);
}

/** The knobs to draw: the ones that differ most between regions, in the order of the search space. */
export function drawnKnobs(space: Knob[], rows: PolicyRow[], most: number): Knob[] {
  const spread = (knob: Knob) => {
    const places = rows.map((row) => knobScale(knob).position(settingIn(row, knob))).filter(Number.isFinite);
    return places.length === 0 ? 0 : Math.max(...places) - Math.min(...places);
  };
  const chosen = space
    .map((knob) => ({ knob, spread: spread(knob) }))
    .sort((a, b) => b.spread - a.spread)
    .slice(0, most)
    .map(({ knob }) => knob);
  return space.filter((knob) => chosen.includes(knob));
}
