import { expect, test } from "vitest";
import { possibleCommands } from "../../src/words/commands";

const RUNNING = { order: null, phase: "running", hasSystem: true, hasBaseline: true, hasBest: true } as const;
const commands = (state: Partial<Parameters<typeof possibleCommands>[0]>) =>
  possibleCommands({ ...RUNNING, ...state }).map(({ command }) => command);

test("a study that runs can be paused first of all", () => {
  expect(commands({})).toEqual(["pause", "confirm", "hold", "baseline", "end"]);
  expect(commands({ hasBaseline: false })).toEqual(["pause", "hold", "end"]);
  expect(commands({ hasBest: false })).toEqual(["pause", "hold", "baseline", "end"]);
  expect(commands({ hasSystem: false, hasBaseline: false })).toEqual(["pause", "end"]);
});

test("one that waits for somebody can go on first of all", () => {
  expect(commands({ order: "pause", phase: "waiting" })).toEqual(["resume", "hold", "baseline", "end"]);
  expect(commands({ order: "baseline", phase: "waiting" })).toEqual(["resume", "pause", "end"]);
});

test("one that was ended can be reopened, and one that is over by itself leaves nothing to do", () => {
  expect(possibleCommands({ ...RUNNING, order: "end", phase: "finished" })[0]?.label).toBe("Reopen");
  expect(commands({ phase: "finished" })).toEqual([]);
  expect(commands({ phase: "failed" })).toEqual([]);
});
