import type { Glance, StudyItem } from "../../api/types";
import { stateOf } from "../../ui/parts";
import { upliftGain } from "../../words/uplift";
import { type State, type Wish } from "./wish";

export function wordOf(item: StudyItem, now: number): State {
  return stateOf(item, now).word as State;
}

/** The number of studies in each state. */
export function counts(items: StudyItem[], now: number): Record<State, number> {
  const found = { running: 0, silent: 0, waiting: 0, finished: 0, failed: 0 };
  for (const item of items) ++found[wordOf(item, now)];
  return found;
}

/** Studies whose names contain every word of the search. */
export function matching(items: StudyItem[], search: string): StudyItem[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return items;
  return items.filter(({ name }) => {
    const lower = name.toLowerCase();
    return words.every((word) => lower.includes(word));
  });
}

const names = new Intl.Collator("en", { numeric: true });
const URGENCY: State[] = ["failed", "silent", "running", "waiting", "finished"];

type Key = number | null;

function keyOf(item: StudyItem, glance: Glance | null, wish: Wish, now: number): Key {
  switch (wish.sort) {
    case "name":
      return 0;
    case "state":
      return URGENCY.indexOf(wordOf(item, now));
    case "pulls":
      return item.pulls;
    case "best":
      return glance?.best?.mean ?? null;
    case "uplift":
      return glance?.best?.uplift ? upliftGain(glance.best.uplift, glance.direction) : null;
    case "last":
      return item.last?.at ?? null;
  }
}

/** Sorts studies; unknown values come last, and ties are sorted by name. */
export function ordered(
  items: StudyItem[],
  glanceOf: (name: string) => Glance | null,
  wish: Wish,
  now: number,
): StudyItem[] {
  const sign = wish.down ? -1 : 1;
  const byName = wish.sort === "name" ? sign : 1;
  return items
    .map((item) => ({ item, key: keyOf(item, glanceOf(item.name), wish, now) }))
    .sort((a, b) => {
      if (a.key !== b.key) {
        if (a.key === null) return 1;
        if (b.key === null) return -1;
        return sign * (a.key - b.key);
      }
      return byName * names.compare(a.item.name, b.item.name);
    })
    .map(({ item }) => item);
}
