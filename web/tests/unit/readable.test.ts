import { expect, test } from "vitest";
import { readable } from "../../src/words/readable";

test("a setting is said without braces and quotes", () => {
  expect(readable('the system is down: {"x":0.5,"mode":"b"} no longer works')).toBe(
    "the system is down: x 0.5, mode b no longer works",
  );
  expect(readable('it printed {"x" and stopped}')).toBe('it printed {"x" and stopped}');
});

test("there is one kind of minus, and hyphens stay", () => {
  expect(readable("-41.12 (-45.5 to -36.7 at 95 %)")).toBe("\u221241.12 (\u221245.5 to \u221236.7 at 95 %)");
  expect(readable("on 2026-11-16, p-99")).toBe("on 2026-11-16, p-99");
});
