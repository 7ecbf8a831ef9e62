import { expect, test } from "vitest";
import { measured, percent, plain, short, whole } from "../../src/format/numbers";

test("whole numbers of five digits and more are grouped", () => {
  expect(whole(1234)).toBe("1234");
  expect(whole(1234567)).toBe("1\u202f234\u202f567");
  expect(whole(-12345)).toBe("\u221212\u202f345");
});

test("a number by itself has four significant digits and no zeros at the end", () => {
  expect(plain(0.123456)).toBe("0.1235");
  expect(plain(1200)).toBe("1200");
  expect(plain(2.5)).toBe("2.5");
  expect(plain(0)).toBe("0");
  expect(plain(-0.00001)).toBe("\u22120.00001");
  expect(plain(null)).toBe("–");
  expect(plain(Infinity)).toBe("∞");
  expect(plain(1.5e-9)).toBe("1.5×10⁻⁹".replace("1.5", "1.50"));
});

test("a mean has the decimals that its interval deserves", () => {
  expect(measured(0.87654, 0.851, 0.902)).toEqual({ mean: "0.877", range: "0.851 to 0.902" });
  expect(measured(123456.7, 120000, 127000)).toEqual({
    mean: "123\u202f457",
    range: "120\u202f000 to 127\u202f000",
  });
  expect(measured(0.5, null, null)).toEqual({ mean: "0.5", range: "" });
});

test("shares are per cent, with a decimal where they are small", () => {
  expect(percent(0.5)).toBe("50\u202f%");
  expect(percent(0.0123)).toBe("1.2\u202f%");
  expect(percent(0)).toBe("0\u202f%");
});

test("axes have few characters", () => {
  expect(short(1_250_000)).toBe("1.25M");
  expect(short(54_000)).toBe("54k");
  expect(short(5400)).toBe("5400");
});
