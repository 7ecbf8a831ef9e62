import { expect, test } from "vitest";
import { Refusal } from "../../src/api/source";
import type { Glance, StudyItem } from "../../src/api/types";
import { addressOf, placeOf } from "../../src/router";
import { Glances } from "../../src/views/studies/glances";
import { pauseAfter } from "../../src/views/studies/list";
import { counts, matching, ordered } from "../../src/views/studies/order";
import { FIRST_WISH, queryOf, sortedBy, wishOf } from "../../src/views/studies/wish";

const item = (name: string, rest: Partial<StudyItem> = {}): StudyItem => ({
  name,
  state: "idle",
  phase: "waiting",
  is_over: false,
  direction: "maximize",
  optimizer: "adaptive",
  events: 0,
  pulls: 0,
  created: 0,
  updated: 0,
  last: null,
  ...rest,
});
const glance = (name: string, events = 1) => ({ name, events }) as Glance;
const soon = () => new Promise((resolve) => setTimeout(resolve, 1));

test("what is wanted of the list is kept in the address", () => {
  const wish = { search: "a&b ü?", state: "failed", sort: "uplift", down: false, most: 150 } as const;
  const address = addressOf({ view: "studies", query: queryOf(wish) });
  const place = placeOf(address);
  expect(place.view === "studies" && wishOf(place.query ?? "")).toEqual(wish);
  expect(queryOf(FIRST_WISH)).toBe("");
  expect(addressOf({ view: "studies", query: "" })).toBe("#/");
});

test("an address that makes no sense is as if it were not there", () => {
  expect(wishOf("state=odd&sort=-what&rows=-3")).toEqual(FIRST_WISH);
});

test("a column that is chosen again turns round", () => {
  expect(sortedBy(FIRST_WISH, "last").down).toBe(false);
  expect(sortedBy(FIRST_WISH, "name").down).toBe(false);
  expect(sortedBy(FIRST_WISH, "pulls").down).toBe(true);
});

test("studies are found by all words of a search, whatever their case", () => {
  const items = [item("Cache of Paris"), item("cache of Rome"), item("db")];
  expect(matching(items, "CACHE ro").map(({ name }) => name)).toEqual(["cache of Rome"]);
  expect(matching(items, "  ")).toBe(items);
});

test("studies that run and say nothing are counted as silent", () => {
  const items = [item("a", { phase: "running", updated: 1000 }), item("b", { phase: "running", updated: 0 })];
  expect(counts(items, 1010)).toEqual({ running: 1, silent: 1, waiting: 0, finished: 0, failed: 0 });
});

test("unknown values come last in either direction, and ties are sorted by name", () => {
  const items = [item("b10"), item("b9"), item("a", { last: { kind: "tell", at: 5 } })];
  const names = (wish: typeof FIRST_WISH) => ordered(items, () => null, wish, 0).map(({ name }) => name);
  expect(names(FIRST_WISH)).toEqual(["a", "b9", "b10"]);
  expect(names({ ...FIRST_WISH, down: false })).toEqual(["a", "b9", "b10"]);
  expect(names({ ...FIRST_WISH, sort: "name", down: true })).toEqual(["b10", "b9", "a"]);
});

test("many studies, and slow servers, are asked less often", () => {
  expect(pauseAfter(5, 1)).toBe(2000);
  expect(pauseAfter(5, 10)).toBe(20000);
  expect(pauseAfter(3000, 1)).toBe(15000);
});

test("at most four glances are asked for at once, and each again only when something has happened", async () => {
  let time = 0;
  const open = new Map<string, (glance: Glance) => void>();
  let count = 0;
  const glances = new Glances(
    (name) =>
      new Promise((resolve) => {
        ++count;
        open.set(name, resolve);
      }),
    () => time,
  );
  for (const name of ["a", "b", "c", "d", "e", "e"]) glances.want(name, 1);
  expect([...open.keys()]).toEqual(["a", "b", "c", "d"]);
  open.get("a")?.(glance("a"));
  await soon();
  expect(count).toBe(5);
  expect(glances.get("a")?.name).toBe("a");
  time = 100;
  glances.want("a", 1);
  expect(count).toBe(5);
  for (const name of ["b", "c", "d", "e"]) open.get(name)?.(glance(name));
  await soon();
  glances.want("a", 2);
  expect(count).toBe(6);
});

test("a glance that is refused is not asked for again until something happens", async () => {
  let count = 0;
  let time = 0;
  const problem = { title: "Broken", status: 500, code: "damaged_study", detail: "" };
  const glances = new Glances(
    () => {
      ++count;
      return Promise.reject(new Refusal(problem));
    },
    () => (time += 10),
  );
  glances.want("a", 1);
  await soon();
  glances.want("a", 1);
  await soon();
  expect(count).toBe(1);
  expect(glances.known("a")).toBeDefined();
  glances.want("a", 2);
  await soon();
  expect(count).toBe(2);
});

test("a glance that a busy server had no time for is asked for again, after a while", async () => {
  let count = 0;
  let time = 0;
  const problem = { title: "Busy", status: 429, code: "too_many_requests", detail: "" };
  const glances = new Glances(
    () => {
      ++count;
      return Promise.reject(new Refusal(problem));
    },
    () => time,
  );
  glances.want("a", 1);
  await soon();
  glances.want("a", 1);
  expect(count).toBe(1);
  time += 10;
  glances.want("a", 1);
  expect(count).toBe(2);
});
