import { expect, test } from "vitest";
import type { Checked } from "../../src/api/types";
import { asType } from "../../src/views/new_study/knobs";
import { type Known, withAnswer } from "../../src/views/new_study/study_file";

const KNOWN: Known = { text: "old", given: { name: "old" }, checked: null, error: new Error() };
const CHECKED: Checked = { ok: true, toml: "new", given: { name: "new" }, errors: [], warnings: [] };

test("an answer replaces what was not edited itself", () => {
  const { text, given, error } = withAnswer(KNOWN, { toml: "old" }, CHECKED);
  expect([text, given, error]).toEqual(["old", { name: "new" }, null]);
  const ofForm = withAnswer(KNOWN, { specification: { name: "old" } }, CHECKED);
  expect([ofForm.text, ofForm.given]).toEqual(["new", { name: "old" }]);
  const ofFork = withAnswer(KNOWN, {}, CHECKED);
  expect([ofFork.text, ofFork.given]).toEqual(["new", { name: "new" }]);
});

test("the form keeps what it shows while the text is not TOML", () => {
  const broken: Checked = { ok: false, toml: "[", errors: [], warnings: [] };
  expect(withAnswer(KNOWN, { toml: "[" }, broken).given).toEqual({ name: "old" });
});

test("a knob of another kind keeps what still means something", () => {
  const knob = { name: "x", type: "real", low: 0.4, high: 0.6, scale: "log" };
  expect(asType(knob, "integer")).toEqual({ name: "x", type: "integer", low: 0, high: 1, scale: "log" });
  expect(asType(knob, "choice")).toEqual({ name: "x", type: "choice", choices: ["a", "b"] });
  expect(asType({ name: "x", type: "choice", choices: ["b"] }, "real")).toMatchObject({ low: 0, high: 1 });
});
