import { expect, test } from "vitest";
import { actionLines, limitText, rangeText } from "../../src/words/setup";

test("ranges and limits are said in words", () => {
  expect(rangeText({ name: "x", type: "integer", low: 1, high: 64, step: 3, scale: "log" })).toBe(
    "1 to 64, in steps of 3, log scale",
  );
  expect(limitText({ metric: "p99", max: 50, factor: 2 })).toBe("at most 50");
  expect(limitText({ metric: "p99", min: 1, max: 50, factor: 2 })).toBe("from 1 to 50");
});

test("commands, requests and queries are shown a line each", () => {
  expect(actionLines("./set.sh {x}")).toEqual(["./set.sh {x}"]);
  expect(actionLines({ put: "http://a/config" })).toEqual(["PUT http://a/config"]);
  expect(actionLines({ post: "http://a", body: "[{x}]" })).toEqual(["POST http://a", "[{x}]"]);
  expect(
    actionLines({
      prometheus: "http://p:9090",
      query: "rate(a[{over}])",
      over: "60s",
      metrics: { p99_ms: "b" },
    }),
  ).toEqual(["http://p:9090 after 60s: rate(a[{over}])", "p99_ms: b"]);
  expect(actionLines({ prometheus: "http://p:9090", query: "load" })).toEqual(["http://p:9090: load"]);
});
