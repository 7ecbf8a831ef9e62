import { expect, test } from "vitest";
import { numberIn } from "../../src/views/new_study/number_field";

test("a number is read as it is written", () => {
  expect([" 1000 ", "-0.5", "1e-3", "0"].map(numberIn)).toEqual([1000, -0.5, 0.001, 0]);
});

test("what could mean two things, or nothing, is no number", () => {
  for (const text of ["1,000", "1,5", "", " ", "1 000", "ten", "1e999", "NaN"])
    expect(numberIn(text)).toBeUndefined();
});
