import { expect, test } from "vitest";
import { alike, axisTexts, logText, timeTexts } from "../../src/charts/axis_texts";

test("numbers along an axis have the same decimals", () => {
  expect(axisTexts([0, 0.25, 0.5]).texts).toEqual(["0.00", "0.25", "0.50"]);
  expect(axisTexts([-20, 0, 20]).texts).toEqual(["−20", "0", "20"]);
  expect(axisTexts([0.1 * 3, 0.4, 0.5]).texts).toEqual(["0.3", "0.4", "0.5"]);
});

test("what is very large or small shares a power of ten", () => {
  expect(axisTexts([1e12, 1.0005e12, 1.001e12])).toEqual({
    texts: ["1.0000", "1.0005", "1.0010"],
    power: "×10¹²",
  });
  expect(axisTexts([0, 5e-10, 1e-9])).toEqual({ texts: ["0.0", "0.5", "1.0"], power: "×10⁻⁹" });
});

test("one number by itself is written by itself", () => {
  expect(axisTexts([1.5])).toEqual({ texts: ["1.5"], power: "" });
  expect(axisTexts([])).toEqual({ texts: [], power: "" });
});

test("numbers beside each other have the digits that tell them apart", () => {
  const text = alike([1.0002e12, 1.0004e12]);
  expect([1.0002e12, 1.0004e12].map(text)).toEqual(["1.00020×10¹²", "1.00040×10¹²"]);
  expect(alike([0.801, 0.759])(0.801)).toBe("0.801");
  expect(alike([3, 3])(3)).toBe("3.0");
});

test("powers of ten are short", () => {
  expect([1e-6, 0.01, 1, 1000, 1e7].map(logText)).toEqual(["10⁻⁶", "0.01", "1", "1000", "10⁷"]);
});

test("times say the day where it is another one", () => {
  const at = (hour: number) => new Date(2026, 10, 16, hour).getTime() / 1000;
  expect(timeTexts([at(22), at(23), at(24)], 3600)).toEqual(["22:00\n16 Nov", "23:00", "00:00\n17 Nov"]);
  expect(timeTexts([at(0), at(24)], 86_400)).toEqual(["16 Nov\n2026", "17 Nov"]);
  expect(timeTexts([at(1)], 10)).toEqual(["01:00:00\n16 Nov"]);
});
