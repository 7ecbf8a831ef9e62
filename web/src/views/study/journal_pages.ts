import type { Events, JournalEvent } from "../../api/types";

/** The part of a journal that is kept in the page, the newest first. */
export interface Pages {
  events: JournalEvent[];
  /** Older events have numbers below this; null: there are no older events. */
  next: number | null;
  /** Whether `events` includes the newest event. */
  hasNewest: boolean;
}

export const NO_PAGES: Pages = { events: [], next: null, hasNewest: true };

/** Adds the newest page. Earlier pages are dropped if there is a gap between them. */
export function withNewest(pages: Pages, newest: Events, most: number): Pages {
  const last = newest.events[newest.events.length - 1];
  const first = pages.events[0];
  if (!first || (newest.next !== null && last && last.number > first.number))
    return { events: newest.events, next: newest.next, hasNewest: true };
  const added = newest.events.filter((event) => event.number > first.number);
  if (added.length === 0) return pages.hasNewest ? pages : { ...pages, hasNewest: true };
  const events = [...added, ...pages.events];
  const kept = events.slice(0, most);
  const oldest = kept[kept.length - 1];
  return { events: kept, next: events.length > most && oldest ? oldest.number : pages.next, hasNewest: true };
}

/** Adds the next older page. The newest events are dropped if there are too many. */
export function withOlder(pages: Pages, older: Events, most: number): Pages {
  const last = pages.events[pages.events.length - 1];
  const added = older.events.filter((event) => !last || event.number < last.number);
  const events = [...pages.events, ...added];
  return {
    events: events.slice(-most),
    next: older.next,
    hasNewest: pages.hasNewest && events.length <= most,
  };
}
