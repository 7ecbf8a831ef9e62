import { expect, test } from "vitest";
import { Refusal, Unreachable } from "../../src/api/source";
import type { Summary } from "../../src/api/types";
import { aheadOf, connectionAfter, connectionWords, NO_FEED, withEvent } from "../../src/ui/feed";

const refusal = (status: number) =>
  new Refusal({ title: "", status, code: "", detail: "Your token may not see this study." });
const summary = (events: number, now?: number) => ({ events, now }) as Summary;

test("the feed beats when something has happened, not when a summary is only said again", () => {
  const once = withEvent(NO_FEED, "summary", summary(3));
  expect(once).toMatchObject({ connection: "live", beat: 1 });
  expect(withEvent(once, "summary", summary(3)).beat).toBe(1);
  expect(withEvent(once, "summary", summary(4)).beat).toBe(2);
});

test("a best arm can go again", () => {
  const found = withEvent(NO_FEED, "best", { mean: 1 });
  expect(found.best).toEqual({ mean: 1 });
  expect(withEvent(found, "best", null).best).toBeNull();
});

test("an event of an unknown kind changes nothing", () => {
  expect(withEvent(NO_FEED, "something", {})).toBe(NO_FEED);
});

test("the server's clock counts, where it is known", () => {
  expect(aheadOf(1000, 400)).toBe(600);
  expect(aheadOf(undefined, 400)).toBe(0);
  expect(withEvent(NO_FEED, "summary", summary(1, Date.now() / 1000 + 3600)).ahead).toBeCloseTo(3600, 0);
});

test("only what may pass is tried again", () => {
  expect([null, new Unreachable(), refusal(429), refusal(503)].map(connectionAfter)).toEqual(
    Array(4).fill("lost"),
  );
  expect(connectionAfter(refusal(404))).toBe("gone");
  expect([400, 401, 403].map((status) => connectionAfter(refusal(status)))).toEqual(Array(3).fill("refused"));
});

test("a connection that is not there says why", () => {
  expect(connectionWords({ connection: "live", error: null })).toBeNull();
  expect(connectionWords({ connection: "lost", error: null })).toMatch(
    /^The server does not answer\. .*again/,
  );
  expect(connectionWords({ connection: "lost", error: refusal(429) })).toMatch(/^Your token .*again/);
  expect(connectionWords({ connection: "refused", error: refusal(403) })).toBe(
    "Your token may not see this study. The data shown is old.",
  );
});
