import { expect, test } from "vitest";
import { NotToml, outline } from "../../src/format/toml_outline";

const values = (text: string) =>
  outline(text).map(({ path, pairs }) => [
    path.join("/"),
    ...pairs.map((pair) => `${pair.path.join("/")}=${text.slice(pair.valueStart, pair.valueEnd)}`),
  ]);

test("tables and keys are found where they stand", () => {
  const text = 'a = 1 # one\n\n[b.c]\n"d e".f = "x # y" # z\n[[g]]\nh = [\n  "[i]", # ]\n  "j",\n]\n';
  expect(values(text)).toEqual([
    ["", "a=1"],
    ["b/c", 'd e/f="x # y"'],
    ["g", 'h=[\n  "[i]", # ]\n  "j",\n]'],
  ]);
});

test("headers in long strings are no headers", () => {
  expect(values("a = \"\"\"\n[b]\n\"\"\"\nc = '''\n[[d]]'''\n")).toEqual([
    ["", 'a="""\n[b]\n"""', "c='''\n[[d]]'''"],
  ]);
});

test("an empty text has one table without a name", () => {
  expect(values("")).toEqual([[""]]);
  expect(values("# nothing\r\n\r\n")).toEqual([[""]]);
});

test("what is not TOML is refused with its line", () => {
  const lineOf = (text: string) => {
    try {
      outline(text);
    } catch (error) {
      return error instanceof NotToml ? error.line : -1;
    }
    return 0;
  };
  expect(lineOf("a = 1\nb\n")).toBe(2);
  expect(lineOf("a = \n")).toBe(1);
  expect(lineOf('a = "open\n')).toBe(1);
  expect(lineOf("a = 1\n[b\n")).toBe(2);
  expect(lineOf("a = [1\n")).toBe(1);
  expect(lineOf("a = 1\n\n[b] c\n")).toBe(3);
  expect(lineOf("a = 1}\n")).toBe(1);
});
