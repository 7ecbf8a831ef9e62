import { expect, test } from "vitest";
import type { Knob } from "../../src/api/types";
import { cellEdges, knobScale, linearTicks, logTicks, numberTicks } from "../../src/charts/scale";

const real: Knob = { name: "x", type: "real", low: -10, high: 40, scale: "linear" };
const log: Knob = { name: "x", type: "real", low: 1e-3, high: 1000, scale: "log" };
const integer: Knob = { name: "x", type: "integer", low: 1, high: 4 };
const stepped: Knob = { name: "x", type: "integer", low: 0, high: 100, step: 25 };
const choice: Knob = { name: "x", type: "choice", choices: ["lru", "lfu", "constructor", "fifo"] };

test("a linear knob goes from end to end", () => {
  const scale = knobScale(real);
  expect(scale.position(-10)).toBe(0);
  expect(scale.position(40)).toBe(1);
  expect(scale.value(0.5)).toBe(15);
  expect(scale.ticks(6).ticks.map((tick) => tick.text)).toEqual(["−10", "0", "10", "20", "30", "40"]);
});

test("a logarithmic knob has powers of ten", () => {
  const scale = knobScale(log);
  expect(scale.position(1)).toBeCloseTo(0.5);
  expect(scale.value(0.5)).toBeCloseTo(1);
  expect(scale.ticks(7).ticks.map((tick) => tick.text)).toEqual([
    "0.001",
    "0.01",
    "0.1",
    "1",
    "10",
    "100",
    "1000",
  ]);
  expect(scale.ticks(4).ticks.length).toBeLessThanOrEqual(4);
});

test("position and value are each other's inverse", () => {
  for (const knob of [real, log]) {
    const scale = knobScale(knob);
    for (const at of [0, 0.1, 0.37, 0.9, 1]) expect(scale.position(scale.value(at))).toBeCloseTo(at, 9);
  }
});

test("integers have room of their own and ticks on themselves", () => {
  const scale = knobScale(integer);
  expect([1, 2, 3, 4].map(scale.position)).toEqual([0.125, 0.375, 0.625, 0.875]);
  expect(scale.value(0.3)).toBe(2);
  expect(scale.value(1)).toBe(4);
  expect(scale.ticks(10).ticks.map((tick) => tick.text)).toEqual(["1", "2", "3", "4"]);
  expect(knobScale(stepped).value(0.34)).toBe(25);
  expect(
    knobScale(stepped)
      .ticks(3)
      .ticks.map((tick) => tick.text),
  ).toEqual(["0", "50", "100"]);
});

test("a step that misses the high end stops before it", () => {
  const scale = knobScale({ name: "x", type: "integer", low: 1, high: 10, step: 4 });
  expect(scale.count).toBe(3);
  expect([1, 5, 9].map((value) => scale.position(value).toFixed(3))).toEqual(["0.167", "0.500", "0.833"]);
  expect(scale.value(1)).toBe(9);
  expect(
    scale
      .ticks(9)
      .ticks.map((tick) => tick.text)
      .every((text) => ["1", "5", "9"].includes(text)),
  ).toBe(true);
});

test("a step larger than the low end has its place on a logarithmic axis, too", () => {
  const scale = knobScale({ name: "x", type: "integer", low: 1, high: 100, step: 4, scale: "log" });
  for (const value of [1, 5, 97]) {
    expect(scale.position(value)).toBeGreaterThan(0);
    expect(scale.position(value)).toBeLessThan(1);
  }
});

test("values are counted", () => {
  expect(knobScale(integer).count).toBe(4);
  expect(knobScale(stepped).count).toBe(5);
  expect(knobScale(choice).count).toBe(4);
  expect(knobScale(real).count).toBe(Infinity);
});

test("choices are categories, whatever their names", () => {
  const scale = knobScale(choice);
  expect(scale.position("lru")).toBe(0.125);
  expect(scale.position("constructor")).toBe(0.625);
  expect(scale.position("toString")).toBeNaN();
  expect(scale.position(undefined)).toBeNaN();
  expect(scale.value(0.99)).toBe("fifo");
  expect(scale.ticks(2).ticks.map((tick) => tick.text)).toEqual(["lru", "constructor"]);
});

test("a knob with one value has a place, too", () => {
  const scale = knobScale({ name: "x", type: "real", low: 3, high: 3, scale: "linear" });
  expect(scale.position(3)).toBe(0.5);
  expect(scale.ticks(5).ticks).toHaveLength(1);
});

test("there are never more ticks than asked for, nor none", () => {
  for (const [low, high] of [
    [0, 1],
    [1e-9, 3e-9],
    [1e12, 1.0007e12],
    [-5, 7e5],
  ] as const) {
    for (const most of [2, 3, 5, 9]) {
      const found = linearTicks(low, high, most);
      expect(found.length).toBeGreaterThan(0);
      expect(found.length).toBeLessThanOrEqual(most);
    }
  }
  expect(logTicks(2, 3, 5).length).toBeGreaterThan(1);
});

test("very large and very small numbers share a power of ten", () => {
  expect(numberTicks(0, 3e-9, 4)).toMatchObject({
    power: "×10⁻⁹",
    ticks: [{ text: "0" }, { text: "1" }, {}, {}],
  });
  expect(numberTicks(1e12, 1.001e12, 3).ticks.map((tick) => tick.text)).toEqual([
    "1.0000",
    "1.0005",
    "1.0010",
  ]);
});

test("cells meet half way between their values", () => {
  expect(cellEdges([0, 0.5, 1])).toEqual([0, 0.25, 0.75, 1]);
  expect(cellEdges([0.5])).toEqual([0, 1]);
});
