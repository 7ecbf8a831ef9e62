import { expect, test } from "vitest";
import {
  addKnob,
  type Draft,
  FIRST_FILE,
  knobAtLine,
  readDraft,
  removeKnob,
  setDirection,
  setKnob,
  setOptimizer,
  swapKnobs,
  withoutIdentity,
} from "../../src/format/study_file";

const FILE = `# my study
direction = "minimize" # fewer is better

[[space]]
name = "ttl" # of entries
low = 1.0
high = 3600.0
scale = "log"

# how to choose what goes
[[space]]
name = "policy"
type = "choice"
choices = ["lru", "it's \\"x\\" 🙂"]

[system]
measure = "./hit_rate.sh" # prints [[space]]
`;

function draftOf(text: string): Draft {
  const { draft, why } = readDraft(text);
  if (!draft) throw new Error(why);
  return draft;
}

test("a study file is read for the form", () => {
  expect(draftOf(FILE)).toEqual({
    direction: "minimize",
    optimizer: "adaptive",
    knobs: [
      { name: "ttl", type: "real", low: 1, high: 3600, scale: "log" },
      { name: "policy", type: "choice", choices: ["lru", 'it\'s "x" 🙂'] },
    ],
  });
  expect(draftOf(FIRST_FILE).knobs).toHaveLength(1);
  expect(draftOf("")).toEqual({ direction: "maximize", optimizer: "adaptive", knobs: [] });
});

test("a change of the form changes that and nothing else", () => {
  expect(setDirection(FILE, "maximize")).toBe(FILE.replace('"minimize"', '"maximize"'));
  const [ttl] = draftOf(FILE).knobs;
  expect(setKnob(FILE, 0, { ...ttl!, low: 0.001 })).toBe(FILE.replace("low = 1.0", "low = 0.001"));
  expect(setKnob(FILE, 0, { ...ttl!, name: 'a"b' })).toBe(FILE.replace('"ttl"', '"a\\"b"'));
  expect(setKnob(FILE, 0, { ...ttl!, high: undefined })).toBe(FILE.replace("high = 3600.0\n", ""));
  expect(setKnob(FILE, 0, { ...ttl! })).toBe(FILE);
});

test("a knob that becomes whole has whole numbers, and a type", () => {
  const text = setKnob(FILE, 0, { name: "ttl", type: "integer", low: 1, high: 3600, scale: "log", step: 5 });
  expect(text).toContain("low = 1\nhigh = 3600\n");
  expect(draftOf(text).knobs[0]).toEqual({
    name: "ttl",
    type: "integer",
    low: 1,
    high: 3600,
    scale: "log",
    step: 5,
  });
  expect(text).toContain("[system]\nmeasure");
});

test("a knob that becomes a choice loses its ends", () => {
  const text = setKnob(FILE, 0, { name: "ttl", type: "choice", choices: ["short", "long"] });
  expect(draftOf(text).knobs[0]).toEqual({ name: "ttl", type: "choice", choices: ["short", "long"] });
  expect(text).not.toContain("3600");
});

test("knobs are added after the others, taken away and moved with their lines", () => {
  const more = addKnob(FILE, { name: "z", type: "real", low: 0, high: 1 });
  expect(draftOf(more).knobs.map(({ name }) => name)).toEqual(["ttl", "policy", "z"]);
  expect(more.indexOf('"z"')).toBeLessThan(more.indexOf("[system]"));
  expect(removeKnob(more, 2)).toBe(FILE);
  const swapped = swapKnobs(FILE, 0);
  expect(draftOf(swapped).knobs.map(({ name }) => name)).toEqual(["policy", "ttl"]);
  expect(swapped).toContain('name = "ttl" # of entries\nlow = 1.0\n');
  expect(swapKnobs(swapped, 0)).toBe(FILE);
  expect(draftOf(removeKnob(FILE, 0)).knobs.map(({ name }) => name)).toEqual(["policy"]);
});

test("a file without an end of line, or without anything, takes knobs as well", () => {
  const knob = { name: "a", type: "real", low: 0, high: 1 } as const;
  expect(draftOf(addKnob("", knob)).knobs).toHaveLength(1);
  expect(draftOf(addKnob('direction = "minimize"', knob))).toMatchObject({ direction: "minimize" });
  expect(draftOf(addKnob('[[space]]\nname = "b"', knob)).knobs).toHaveLength(2);
  expect(
    draftOf(setKnob('[[space]]\nname = "b"', 0, { name: "b", type: "integer", low: 1 })).knobs[0]?.low,
  ).toBe(1);
});

test("the optimizer is named in its table, which is made if need be", () => {
  const text = setOptimizer(FILE, "hct");
  expect(draftOf(text).optimizer).toBe("hct");
  expect(text.indexOf("[optimizer]")).toBeLessThan(text.indexOf("[[space]]"));
  expect(setOptimizer(text, "grid")).toBe(text.replace('"hct"', '"grid"'));
  expect(draftOf(setOptimizer("[optimizer]\nsettle = 3\n", "hct")).optimizer).toBe("hct");
  expect(draftOf(setDirection(setOptimizer("", "hct"), "minimize"))).toMatchObject({ direction: "minimize" });
});

test("a file that the form would have to rewrite is not edited, and it says why", () => {
  for (const text of [
    'space = [{ name = "x", low = 0.0, high = 1.0 }]\n',
    'optimizer.name = "hct"\n',
    'optimizer = { name = "hct" }\n',
    '[[space]]\nname = "x"\nlow = [1]\n',
    "[space.x]\nlow = 1\n",
    "[[space]]\nname = '''x'''\n",
  ])
    expect(readDraft(text).why).toMatch(/line \d+ has/);
  expect(readDraft("a = \n").why).toBe("The form waits: line 1 is not TOML.");
});

test("a fork has neither the name nor the revision of what it was", () => {
  const text =
    'format = 2\nname = "cache"\ndirection = "minimize"\n\n[optimizer]\nname = "hct"\nrevision = 2\n';
  expect(withoutIdentity(text)).toBe('direction = "minimize"\n\n[optimizer]\nname = "hct"\n');
});

test("a mistake belongs to the knob whose lines it is in", () => {
  expect(knobAtLine(FILE, 2)).toBeNull();
  expect(knobAtLine(FILE, 4)).toBe(0);
  expect(knobAtLine(FILE, 8)).toBe(0);
  expect(knobAtLine(FILE, 9)).toBeNull();
  expect(knobAtLine(FILE, 14)).toBe(1);
  expect(knobAtLine(FILE, 17)).toBeNull();
});
