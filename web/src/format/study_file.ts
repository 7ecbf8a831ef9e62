import type { Direction, Knob } from "../api/types";
import { readValue, tomlReal, tomlString, tomlStrings, tomlWhole } from "./toml";
import { lineOf, NotToml, outline, type Pair, type Table } from "./toml_outline";

/** A knob of a file that somebody is still writing. */
export interface DraftKnob {
  name: string;
  type: Knob["type"];
  low?: number;
  high?: number;
  scale?: "linear" | "log";
  step?: number;
  choices?: string[];
}

/** Of a study file what the form shows. */
export interface Draft {
  direction: Direction;
  optimizer: string;
  knobs: DraftKnob[];
}

export type DraftOrWhy = { draft: Draft; why: null } | { draft: null; why: string };

/** What a new study begins with. */
export const FIRST_FILE = `direction = "maximize"

[[space]]
name = "x"
type = "real"
low = 0.0
high = 1.0
`;

/** Reads a study file for the form; or says why the form cannot write such a file without doing harm. */
export function readDraft(text: string): DraftOrWhy {
  try {
    return { draft: draftIn(text), why: null };
  } catch (problem) {
    if (problem instanceof NotToml) return { draft: null, why: `The form waits: ${problem.message}.` };
    if (problem instanceof NotPlain) return { draft: null, why: problem.message };
    throw problem;
  }
}

class NotPlain extends Error {}

function notPlain(text: string, at: number, what: string): NotPlain {
  return new NotPlain(
    `The form shows and does not edit this file: line ${lineOf(text, at)} has ${what}, which it would have to rewrite.`,
  );
}

function draftIn(text: string): Draft {
  const tables = outline(text);
  for (const table of tables) {
    const [first] = table.path;
    const isPlain = table.path.length === 1 && table.isList === (first === "space");
    if ((first === "space" || first === "optimizer") && !isPlain)
      throw notPlain(text, table.start, `a table ${table.path.join(".")}`);
  }
  for (const pair of tables[0]?.pairs ?? []) {
    if (pair.path[0] === "space" || pair.path[0] === "optimizer")
      throw notPlain(text, pair.start, `${pair.path[0]} in a line of its own`);
  }
  const top = valuesOf(text, tables[0]);
  const optimizer = valuesOf(
    text,
    tables.find((table) => table.path[0] === "optimizer"),
  );
  return {
    direction: top.direction === "minimize" ? "minimize" : "maximize",
    optimizer: typeof optimizer.name === "string" ? optimizer.name : "adaptive",
    knobs: spaceTables(tables).map((table) => knobOf(text, table)),
  };
}

function spaceTables(tables: Table[]): Table[] {
  return tables.filter((table) => table.path[0] === "space");
}

function valuesOf(text: string, table: Table | undefined): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const { path, valueStart, valueEnd } of table?.pairs ?? [])
    if (path.length === 1 && path[0] !== undefined)
      values[path[0]] = readValue(text.slice(valueStart, valueEnd));
  return values;
}

const TYPES: unknown[] = ["real", "integer", "choice"];
const KEYS = ["name", "type", "low", "high", "scale", "step", "choices"];

function knobOf(text: string, table: Table): DraftKnob {
  for (const pair of table.pairs) {
    const [key = ""] = pair.path;
    if (pair.path.length > 1) throw notPlain(text, pair.start, "a key with a dot");
    if (KEYS.includes(key) && readValue(text.slice(pair.valueStart, pair.valueEnd)) === undefined)
      throw notPlain(text, pair.start, `a value of ${key} of another kind`);
  }
  const values = valuesOf(text, table);
  const number = (value: unknown) => (typeof value === "number" ? value : undefined);
  return {
    name: typeof values.name === "string" ? values.name : "",
    type: TYPES.includes(values.type) ? (values.type as Knob["type"]) : "real",
    low: number(values.low),
    high: number(values.high),
    scale: values.scale === "log" || values.scale === "linear" ? values.scale : undefined,
    step: number(values.step),
    choices: Array.isArray(values.choices) ? (values.choices as string[]) : undefined,
  };
}

// --- changes; each takes a text that readDraft has understood, and changes nothing else in it ---

export function setDirection(text: string, direction: Direction): string {
  return setValue(text, outline(text)[0], "direction", tomlString(direction));
}

export function setOptimizer(text: string, name: string): string {
  const tables = outline(text);
  const table = tables.find((each) => each.path[0] === "optimizer");
  if (table) return setValue(text, table, "name", tomlString(name));
  const before = tables[1]?.start ?? text.length; // it may stand before all others
  return insert(text, before, `[optimizer]\nname = ${tomlString(name)}\n\n`);
}

/** What a key of a knob is worth in a file; null: it does not stand there. */
function knobValues(knob: DraftKnob): Record<string, string | null> {
  const number = (value: number | undefined) =>
    value === undefined ? null : knob.type === "integer" ? tomlWhole(value) : tomlReal(value);
  const isChoice = knob.type === "choice";
  return {
    name: tomlString(knob.name),
    type: tomlString(knob.type),
    low: isChoice ? null : number(knob.low),
    high: isChoice ? null : number(knob.high),
    scale: isChoice || !knob.scale ? null : tomlString(knob.scale),
    step: knob.type === "integer" ? number(knob.step) : null,
    choices: isChoice ? tomlStrings(knob.choices ?? []) : null,
  };
}

/** Writes what differs. */
export function setKnob(text: string, index: number, knob: DraftKnob): string {
  const before = knobValues(readKnob(text, index));
  let changed = text;
  for (const [key, value] of Object.entries(knobValues(knob)))
    if (value !== before[key]) changed = setValue(changed, spaceTables(outline(changed))[index], key, value);
  return changed;
}

function readKnob(text: string, index: number): DraftKnob {
  const table = spaceTables(outline(text))[index];
  return table ? knobOf(text, table) : { name: "", type: "real" };
}

export function addKnob(text: string, knob: DraftKnob): string {
  const lines = Object.entries(knobValues(knob)).map(([key, value]) =>
    value === null ? "" : `${key} = ${value}\n`,
  );
  const block = `[[space]]\n${lines.join("")}`;
  const last = spaceTables(outline(text)).pop();
  const at = last ? endOf(last) : text.length;
  const isAfterLine = at === 0 || text[at - 1] === "\n";
  return insert(text, at, `${isAfterLine ? "" : "\n"}${at > 0 ? "\n" : ""}${block}`);
}

export function removeKnob(text: string, index: number): string {
  const table = spaceTables(outline(text))[index];
  if (!table) return text;
  const rest = text.slice(endOf(table)).replace(/^([ \t]*\r?\n)+/, "");
  return text.slice(0, table.start) + rest;
}

/** Changes places with the next one. */
export function swapKnobs(text: string, index: number): string {
  const [a, b] = spaceTables(outline(text)).slice(index, index + 2);
  if (!a || !b) return text;
  const whole = (table: Table) => text.slice(table.start, endOf(table)).replace(/\n?$/, "\n");
  return text.slice(0, a.start) + whole(b) + text.slice(endOf(a), b.start) + whole(a) + text.slice(endOf(b));
}

/** Leaves out what belongs to one study alone: a fork has a name of its own, and the present revision. */
export function withoutIdentity(text: string): string {
  try {
    let changed = text;
    for (const key of ["format", "name"]) changed = setValue(changed, outline(changed)[0], key, null);
    const optimizer = outline(changed).find((table) => table.path[0] === "optimizer");
    return optimizer ? setValue(changed, optimizer, "revision", null) : changed;
  } catch {
    return text;
  }
}

/** Which knob, if any, a line belongs to. */
export function knobAtLine(text: string, line: number): number | null {
  try {
    const index = spaceTables(outline(text)).findIndex(
      (table) =>
        lineOf(text, table.start) <= line &&
        line < lineOf(text, endOf(table)) + (text.endsWith("\n") ? 0 : 1),
    );
    return index < 0 ? null : index;
  } catch {
    return null;
  }
}

/** After the last line that says something. */
function endOf(table: Table): number {
  return table.pairs[table.pairs.length - 1]?.end ?? table.headerEnd;
}

function insert(text: string, at: number, piece: string): string {
  return text.slice(0, at) + piece + text.slice(at);
}

function setValue(text: string, table: Table | undefined, key: string, value: string | null): string {
  if (!table) return text;
  const pair = table.pairs.find(({ path }) => path.length === 1 && path[0] === key);
  if (pair)
    return value === null
      ? cut(text, pair)
      : text.slice(0, pair.valueStart) + value + text.slice(pair.valueEnd);
  if (value === null) return text;
  const isFirst = table.path.length === 0 && table.pairs.length === 0;
  const at = endOf(table);
  const isAfterLine = at === 0 || text[at - 1] === "\n";
  return insert(
    text,
    at,
    `${isAfterLine ? "" : "\n"}${key} = ${value}\n${isFirst && text !== "" ? "\n" : ""}`,
  );
}

function cut(text: string, pair: Pair): string {
  return text.slice(0, pair.start) + text.slice(pair.end);
}
