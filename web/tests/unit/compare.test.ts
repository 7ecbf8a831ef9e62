import { expect, test } from "vitest";
import { Refusal, Unreachable } from "../../src/api/source";
import type { Glance, History } from "../../src/api/types";
import { type Compared, keptWith, noteOf } from "../../src/views/compare/compared";

const known: Compared = {
  name: "a",
  history: { by: "pulls" } as History,
  glance: { pulls: 3 } as Glance,
  error: null,
  ahead: 2,
};
const failed = (error: Error): Compared => ({ name: "a", history: null, glance: null, error, ahead: 0 });

test("what is known of a study stays while the server is away, and goes with the study", () => {
  const away = new Unreachable();
  expect(keptWith(known, failed(away))).toEqual({ ...known, error: away });
  expect(keptWith(undefined, failed(away)).history).toBeNull();
  const gone = new Refusal({ title: "", status: 404, code: "no_study", detail: "" });
  expect(keptWith(known, failed(gone))).toEqual(failed(gone));
  expect(keptWith(failed(gone), known)).toBe(known);
});

test("nothing is said about what is better before it is known", () => {
  const glance = (direction: Glance["direction"]) => ({ glance: { direction } as Glance });
  expect(noteOf([{ glance: null }])).toBe("The mean of all rewards so far.");
  expect(noteOf([{ glance: null }, glance("maximize")])).toMatch(/Higher is better/);
  expect(noteOf([glance("minimize")])).toMatch(/Lower is better/);
  expect(noteOf([glance("minimize"), glance("maximize")])).toMatch(/cannot be compared/);
});
