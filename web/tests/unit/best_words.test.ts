import { expect, test } from "vitest";
import { adviceSentences } from "../../src/words/best";
import { bars } from "../../src/views/study/intervals";

test("a study file that does not fit is advised upon", () => {
  expect(adviceSentences(null)).toEqual([]);
  const summary = { settling: 16, fitting_range: [0, 2.5] } as unknown as Parameters<
    typeof adviceSentences
  >[0];
  expect(adviceSentences(summary)).toHaveLength(2);
});

test("intervals are on one scale with room at its ends", () => {
  const { bars: placed } = bars([
    { label: "best", mean: 2, low: 1, high: 3, kind: "best" },
    { label: "baseline", mean: 0, low: null, high: null, kind: "baseline" },
  ]);
  expect(placed[0]!.from).toBeGreaterThan(placed[1]!.at);
  for (const { from, at, to } of placed) {
    expect(from).toBeGreaterThanOrEqual(0);
    expect(at).toBeGreaterThanOrEqual(from);
    expect(to).toBeLessThanOrEqual(100);
  }
  const [equal] = bars([{ label: "best", mean: 5, low: 5, high: 5, kind: "best" }]).bars;
  expect(equal!.at).toBeCloseTo(50);
});
