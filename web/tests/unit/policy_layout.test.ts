import { expect, test } from "vitest";
import type { PolicyRow, Specification } from "../../src/api/types";
import {
  areaAt,
  areaBeside,
  areasOf,
  contextVariables,
  drawnKnobs,
  partSpan,
  spansAlong,
  type Variable,
} from "../../src/charts/policy_layout";

const hour: Variable = { name: "hour", type: "real", low: 0, high: 24, period: 24 };
const load: Variable = { name: "load", type: "real", low: 0, high: 1 };
const size: Variable = { name: "size", type: "integer", low: 1, high: 4 };
const tenant: Variable = { name: "tenant", type: "choice", choices: ["a", "b", "c", "d"] };

const row = (where: PolicyRow["where"], arm?: PolicyRow["arm"]): PolicyRow => ({
  where,
  arm,
  pulls: 10,
  arm_pulls: 5,
  mean: 1,
});

test("what a study file need not say of a context is known", () => {
  const context = [
    { name: "hour", period: 24 },
    { name: "now", source: "clock.hour" },
    { name: "day", source: "clock.weekday" },
    { name: "load", type: "real", low: 0, high: 1 },
  ] as Specification["context"];
  expect(contextVariables({ context })).toMatchObject([
    { type: "real", low: 0, high: 24 },
    { type: "real", low: 0, high: 24, period: 24 },
    { type: "integer", low: 0, high: 6 },
    { type: "real", low: 0, high: 1 },
  ]);
  expect(contextVariables({})).toEqual([]);
});

test("a region of numbers is one part of the axis", () => {
  expect(spansAlong(load, { from: 0.25, to: 1 })).toEqual([[0.25, 1]]);
  expect(spansAlong(load, undefined)).toEqual([[0, 1]]);
});

test("a region that goes through the end of the period is two parts", () => {
  expect(spansAlong(hour, { from: 18, to: 6 })).toEqual([
    [0.75, 1],
    [0, 0.25],
  ]);
  expect(spansAlong(hour, { from: 18, to: 0 })).toEqual([[0.75, 1]]);
});

test("whole numbers belong to their region with the room around them", () => {
  expect(spansAlong(size, { from: 1, to: 2 })).toEqual([[0, 0.5]]);
  expect(spansAlong(size, { from: 3, to: 4 })).toEqual([[0.5, 1]]);
  expect(partSpan(size, { value: 3, effect: 0 })).toEqual([0.5, 0.75]);
  const log: Variable = { name: "log", type: "integer", low: 1, high: 1000, scale: "log" };
  const [[, end] = [0, 0]] = spansAlong(log, { from: 1, to: 31 });
  const [[begin] = [0, 0]] = spansAlong(log, { from: 32, to: 1000 });
  expect(begin).toBeCloseTo(end, 12);
});

test("a choice has one part for each value", () => {
  expect(spansAlong(tenant, ["a", "c"])).toEqual([
    [0, 0.25],
    [0.5, 0.75],
  ]);
  expect(spansAlong(tenant, undefined)).toHaveLength(4);
  expect(partSpan(tenant, { value: "d", effect: 0 })).toEqual([0.75, 1]);
});

test("areas of two variables are found by their place, and beside each other", () => {
  const rows = [
    row({ load: { from: 0, to: 0.5 }, hour: { from: 18, to: 6 } }),
    row({ load: { from: 0, to: 0.5 }, hour: { from: 6, to: 18 } }),
    row({ load: { from: 0.5, to: 1 } }),
  ];
  const areas = areasOf(rows, load, hour);
  expect(areas.map((area) => area.row)).toEqual([0, 0, 1, 2]);
  expect(areaAt(areas, 0.1, 0.5)?.row).toBe(1);
  expect(areaAt(areas, 0.9, 0.1)?.row).toBe(2);
  expect(areaAt(areas, 1.2, 0.1)).toBeNull();
  const middle = areas[2]!;
  expect(areaBeside(areas, middle, 1, 0).row).toBe(2);
  expect(areaBeside(areas, middle, 0, 1)).toBe(areas[0]);
  expect(areaBeside(areas, middle, 0, -1)).toBe(areas[1]);
  expect(areaBeside(areas, middle, -1, 0)).toBe(middle);
});

test("the knobs that differ most between regions are drawn, in the order of the space", () => {
  const knob = (name: string) => ({ name, type: "real", low: 0, high: 1 }) as Variable;
  const rows = [row({}, { x: 0, y: 0.5, z: 0.2 }), row({}, { x: 1, y: 0.5, z: 0.6 }), row({})];
  const space = [knob("z"), knob("y"), knob("x")];
  expect(drawnKnobs(space, rows, 2).map(({ name }) => name)).toEqual(["z", "x"]);
  expect(drawnKnobs(space, [row({})], 1)).toHaveLength(1);
});
