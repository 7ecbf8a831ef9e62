import { expect, test } from "vitest";
import type { JournalEvent } from "../../src/api/types";
import { eventWords, FILTERS, KINDS } from "../../src/words/events";

const say = (event: Partial<JournalEvent>) => eventWords({ number: 1, at: 0, kind: "tell", ...event }).text;

test("every kind of event has words", () => {
  expect(say({ kind: "tell", reward: 0.25 })).toBe("Reward 0.25");
  expect(say({ kind: "tell", rewards: Array(10).fill(1) })).toBe(
    "10 rewards: 1, 1, 1, 1, 1, 1, 1, 1 and 2 more",
  );
  expect(say({ kind: "tell", count: 4, sum: 2 })).toBe("4 rewards, 0.5 on average");
  expect(say({ kind: "ask", length: 3, arm: { x: 1, y: "a" } })).toBe(
    "To be tried, for up to 3 pulls: x 1, y a",
  );
  expect(say({ kind: "ask", length: 1, arm: { x: 1 }, context: { load: 0.5, tenant: "a" } })).toBe(
    "To be tried: x 1 (load 0.5, tenant a)",
  );
  expect(say({ kind: "observe", arm: { x: 1 }, context: { load: 0.5 }, reward: 2 })).toBe(
    "Observed at x 1 (load 0.5): Reward 2",
  );
  expect(say({ kind: "apply", ticket: 0, arm: { x: 1 } })).toBe(
    "The system was set to x 1, outside the search",
  );
  expect(say({ kind: "command", command: "confirm", by: "alice", pulls: 40 })).toBe(
    "alice asked to compare the best setting with the baseline, with at most 40 pulls",
  );
  expect(say({ kind: "start", earlier_seconds: 0 })).toBe("The tuner started");
  expect(say({ kind: "range", range: null })).toBe("The range of rewards is now learnt from the rewards");
  expect(say({ kind: "verdict", confirmed: true, verdict: "better" })).toBe("Confirmed: better");
  expect(say({ kind: "changed", pull: 424, change: "shape", size: 0.512 })).toBe(
    "The system has changed: rewards of settings changed by different amounts, about 0.51",
  );
  expect(say({ kind: "changed", pull: 424, change: "level", size: -2 })).toBe(
    "The system has changed: the level of all rewards fell by about 2",
  );
  expect(say({ kind: "level", reward: 0.75 })).toBe(
    "The level of all rewards moves: the best setting now earns 0.75 according to the model",
  );
  expect(say({ kind: "something_new" })).toBe("Event of kind something_new");
});

test("an event that lacks what it should have has words all the same", () => {
  for (const kind of KINDS) expect(say({ kind })).not.toMatch(/undefined|NaN|kind/);
});

test("filters are by kinds that there are", () => {
  for (const { kinds } of FILTERS) expect(KINDS).toEqual(expect.arrayContaining(kinds ?? []));
});

test("a failure shows its first line, and all that was printed where there is more", () => {
  const short = eventWords({
    number: 1,
    at: 0,
    kind: "failure",
    what: "took longer than 30 s",
    for_good: false,
  });
  expect(short).toEqual({
    text: "Failed, and is tried again: took longer than 30 s",
    tone: "bad",
    printed: undefined,
  });
  const long = eventWords({ number: 1, at: 0, kind: "failure", what: "one\ntwo", for_good: true });
  expect(long.text).toBe("Failed for good: one");
  expect(long.printed).toBe("one\ntwo");
});
