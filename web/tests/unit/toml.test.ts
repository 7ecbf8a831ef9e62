import { expect, test } from "vitest";
import { readValue, tomlReal, tomlString, tomlStrings, tomlWhole } from "../../src/format/toml";

test("strings are quoted so that they are read back as they were", () => {
  const hard = [
    "",
    "plain",
    'a "b" c',
    "it's",
    "back\\slash",
    "tab\tline\nend\r",
    "🙂 é 漢字",
    "\u0000\u007f\u0085\u2028",
    "]]>",
  ];
  for (const text of hard) expect(readValue(tomlString(text))).toBe(text);
  expect(tomlString('say "hi"')).toBe('"say \\"hi\\""');
  expect(tomlString("\u0001")).toBe('"\\u0001"');
});

test("half a character becomes a sign of that, since TOML has no word for it", () => {
  expect(tomlString("a\ud83d")).toBe('"a\ufffd"');
});

test("real numbers have a point or an exponent, whole numbers neither", () => {
  expect(tomlReal(1)).toBe("1.0");
  expect(tomlReal(-0.5)).toBe("-0.5");
  expect(tomlReal(1e-9)).toBe("1e-9");
  expect(tomlReal(1e21)).toBe("1e+21");
  expect(tomlWhole(12)).toBe("12");
  for (const value of [0, 1, -3.25, 1e-9, 1e21, 123456.789]) expect(readValue(tomlReal(value))).toBe(value);
});

test("long lists have a line for each value", () => {
  expect(tomlStrings(["a", 'b"'])).toBe('["a", "b\\""]');
  const long = Array.from({ length: 40 }, (_, i) => `choice ${i}`);
  expect(tomlStrings(long).split("\n")).toHaveLength(42);
  expect(readValue(tomlStrings(long))).toEqual(long);
});

test("lists with comments, commas at the end and both kinds of quotes are read", () => {
  expect(readValue('[ "a", # first, of "two"\n  \'b\',\n]')).toEqual(["a", "b"]);
  expect(readValue("[]")).toEqual([]);
});

test("what the form does not know is not read", () => {
  for (const text of ["[1, 2]", "{ a = 1 }", '"""long"""', "1979-05-27", "inf", '"\\x"', '["a" "b"]'])
    expect(readValue(text)).toBeUndefined();
});
