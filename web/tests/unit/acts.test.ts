import { expect, test } from "vitest";
import { possibleActs } from "../../src/words/acts";

const RUNNING = { order: null, phase: "running", hasSystem: true, hasBaseline: true, hasBest: true } as const;
const acts = (state: Partial<Parameters<typeof possibleActs>[0]>) =>
  possibleActs({ ...RUNNING, ...state }).map(({ act }) => act);

test("a study that runs can be paused first of all", () => {
  expect(acts({})).toEqual(["pause", "confirm", "hold", "baseline", "end"]);
  expect(acts({ hasBaseline: false })).toEqual(["pause", "hold", "end"]);
  expect(acts({ hasBest: false })).toEqual(["pause", "hold", "baseline", "end"]);
  expect(acts({ hasSystem: false, hasBaseline: false })).toEqual(["pause", "end"]);
});

test("one that waits for somebody can go on first of all", () => {
  expect(acts({ order: "pause", phase: "waiting" })).toEqual(["resume", "hold", "baseline", "end"]);
  expect(acts({ order: "baseline", phase: "waiting" })).toEqual(["resume", "pause", "end"]);
});

test("one that was ended can be reopened, and one that is over by itself leaves nothing to do", () => {
  expect(possibleActs({ ...RUNNING, order: "end", phase: "finished" })[0]?.label).toBe("Reopen");
  expect(acts({ phase: "finished" })).toEqual([]);
  expect(acts({ phase: "failed" })).toEqual([]);
});
