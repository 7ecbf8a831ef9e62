import { expect, test } from "vitest";
import { ramp, rgbText } from "../../src/charts/colours";
import { isBright, mixed, rgbOf } from "../../src/charts/icicle_paint";

test("the ramp gets brighter all the way, also without colour", () => {
  const grey = (share: number) => {
    const [red, green, blue] = ramp(share);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  for (let share = 0.05; share <= 1; share += 0.05) expect(grey(share)).toBeGreaterThan(grey(share - 0.05));
  expect(ramp(-1)).toEqual(ramp(0));
  expect(ramp(2)).toEqual(ramp(1));
});

test("colours are mixed and written", () => {
  expect(mixed([0, 0, 0], [200, 100, 50], 0.5)).toEqual([100, 50, 25]);
  expect(rgbText([1, 2, 3])).toBe("rgb(1 2 3)");
  expect(rgbOf("#18201d")).toEqual([24, 32, 29]);
  expect(rgbOf("")).toEqual([255, 255, 255]);
});

test("letters are dark on what is bright", () => {
  expect(isBright([253, 231, 37])).toBe(true);
  expect(isBright([68, 1, 84])).toBe(false);
});
