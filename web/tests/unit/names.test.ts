import { expect, test } from "vitest";
import { nameMistake } from "../../src/words/names";

test("names of studies are printable, have no slash, and 200 bytes at most", () => {
  expect(nameMistake("web cache 🌲")).toBeNull();
  expect(nameMistake("")).toBeNull();
  expect(nameMistake("a/b")).toBe("A name has no slash.");
  expect(nameMistake("a\tb")).toBe("A name is printable text.");
  expect(nameMistake("é".repeat(100))).toBeNull();
  expect(nameMistake("é".repeat(101))).toBe("A name has at most 200 bytes; this one has 202.");
});
