import { expect, test } from "vitest";
import type { Events } from "../../src/api/types";
import { NO_PAGES, type Pages, withNewest, withOlder } from "../../src/views/study/journal_pages";

const page = (from: number, to: number, next: number | null): Events => ({
  events: Array.from({ length: from - to + 1 }, (_, i) => ({ number: from - i, at: 0, kind: "tell" })),
  next,
  last: from,
});
const numbers = (pages: Pages) => pages.events.map((event) => event.number);

test("new events come on top, and those at the bottom make room", () => {
  let pages = withNewest(NO_PAGES, page(5, 3, 3), 5);
  expect(numbers(pages)).toEqual([5, 4, 3]);
  pages = withNewest(pages, page(8, 5, 5), 5);
  expect(numbers(pages)).toEqual([8, 7, 6, 5, 4]);
  expect(pages.next).toBe(4);
  expect(withNewest(pages, page(8, 6, 6), 5)).toBe(pages);
});

test("what new events do not reach any more goes", () => {
  const pages = withNewest(withNewest(NO_PAGES, page(5, 3, 3), 5), page(99, 97, 97), 5);
  expect(numbers(pages)).toEqual([99, 98, 97]);
  expect(pages.next).toBe(97);
});

test("older events come at the bottom, and those on top make room", () => {
  let pages = withNewest(NO_PAGES, page(9, 7, 7), 5);
  pages = withOlder(pages, page(6, 4, 4), 5);
  expect(numbers(pages)).toEqual([8, 7, 6, 5, 4]);
  expect(pages.hasNewest).toBe(false);
  pages = withOlder(pages, page(3, 1, null), 8);
  expect(pages.next).toBeNull();
});
