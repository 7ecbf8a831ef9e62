import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { mayPass, studyPath } from "../../api/source";
import type { Events, JournalEvent } from "../../api/types";
import { whole } from "../../format/numbers";
import { clockSeconds } from "../../format/times";
import { usePage } from "../../ui/context";
import { Card, Empty, Failure, Loading } from "../../ui/parts";
import { eventWords, type EventWords, type Filter, FILTERS } from "../../words/events";
import type { StudyParts } from "./parts";
import { NO_PAGES, type Pages, withNewest, withOlder } from "./journal_pages";

const PAGE = 100;
const MOST = 500;
const SECONDS_BETWEEN = 2;
const TRY_AGAIN = 5000; // milliseconds

/** The journal, the newest event first. */
export function JournalCard(props: StudyParts) {
  const [filter, setFilter] = useState<Filter>("all");
  const [search, setSearch] = useState("");
  return (
    <Card
      title="What happened?"
      tools={
        <>
          <div class="filters" role="group" aria-label="Filter events by kind">
            {FILTERS.map((each) => (
              <button
                key={each.filter}
                class="filter"
                aria-pressed={filter === each.filter}
                onClick={() => setFilter(each.filter)}
              >
                {each.label}
              </button>
            ))}
          </div>
          <input
            type="search"
            class="journal-search"
            placeholder="Search"
            aria-label="Search the events shown"
            value={search}
            onInput={(event) => setSearch(event.currentTarget.value)}
          />
        </>
      }
    >
      <Journal key={filter} filter={filter} search={search} {...props} />
    </Card>
  );
}

function Journal(props: StudyParts & { filter: Filter; search: string }) {
  const list = useRef<HTMLDivElement>(null);
  const [isAtTop, setAtTop] = useState(true);
  const journal = useJournal(props, isAtTop);
  const { pages, error } = journal;
  if (!pages) return error ? <Failure error={error} /> : <Loading height={200} label="Loading the journal" />;
  if (pages.events.length === 0)
    return (
      <Empty
        title={props.filter === "all" ? "Nothing has happened yet." : "Nothing of this kind has happened."}
      />
    );
  const rows = found(pages.events, props.search);
  return (
    <>
      {error && <Failure error={error} />}
      <div
        class="journal"
        ref={list}
        tabIndex={0}
        role="region"
        aria-label="Events, the newest first"
        onScroll={(event) => setAtTop(event.currentTarget.scrollTop < 8)}
      >
        <ol>
          {rows.map(({ event, words }) => (
            <EventRow key={event.number} event={event} words={words} />
          ))}
        </ol>
        {rows.length === 0 && <Empty title="No event shown here contains these words." />}
        {pages.next !== null && !journal.frozen && (
          <button class="journal-older" disabled={journal.isBusy} onClick={journal.showOlder}>
            Show older
          </button>
        )}
      </div>
      <p class="note journal-foot" role="status">
        {pages.hasNewest
          ? isAtTop || journal.frozen
            ? `${whole(rows.length)} ${rows.length === 1 ? "event" : "events"} shown`
            : "New events are shown when you scroll to the top."
          : `Only ${whole(MOST)} events are shown at a time; newer ones are hidden.`}
        {!(pages.hasNewest && (isAtTop || journal.frozen)) && (
          <button
            class="small"
            onClick={() => {
              journal.showNewest();
              if (list.current) list.current.scrollTop = 0;
            }}
          >
            Back to the newest events
          </button>
        )}
        {journal.frozen && pages.next !== null && " The report has only the newest 1000 events."}
      </p>
    </>
  );
}

/** Pages of the journal; new events are added while its top is visible. */
function useJournal(props: StudyParts & { filter: Filter }, isAtTop: boolean) {
  const { name, feed } = props;
  const { source } = usePage();
  const kinds: string[] | null = FILTERS.find((each) => each.filter === props.filter)?.kinds ?? null;
  const [pages, setPages] = useState<Pages | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const [isBusy, setBusy] = useState(false);
  const asked = useRef(0);

  const ask = useCallback(
    (before: number | undefined, take: (last: Pages | null, got: Events) => Pages) => {
      setBusy(true);
      return askEvents(before)
        .then(
          (got) => {
            setPages((last) => take(last, got));
            setError(null);
          },
          (problem: Error) => setError(problem),
        )
        .finally(() => setBusy(false));
    },
    [source, name, props.filter],
  );

  async function askEvents(before?: number): Promise<Events> {
    if (!source.frozen) {
      const query = { order: "newest", limit: PAGE, before, kinds: kinds?.join(",") };
      return source.get<Events>(studyPath(name, "events", query));
    }
    const all = await source.get<Events>(studyPath(name, "events", { order: "newest", limit: 1000 }));
    return kinds ? { ...all, events: all.events.filter((event) => kinds.includes(event.kind)) } : all;
  }

  // Failed requests are tried again if that may succeed.
  const [tries, setTries] = useState(0);
  useEffect(() => {
    if (!mayPass(error)) return;
    const timer = setTimeout(() => setTries((last) => last + 1), TRY_AGAIN);
    return () => clearTimeout(timer);
  }, [error]);

  // Requests new events, but not too often, and not while the reader has scrolled down.
  const isLive = isAtTop && (pages?.hasNewest ?? true);
  useEffect(() => {
    if (!isLive) return;
    const wait = Math.max(0, asked.current + 1000 * SECONDS_BETWEEN - Date.now());
    const timer = setTimeout(() => {
      asked.current = Date.now();
      void ask(undefined, (last, got) => withNewest(last ?? NO_PAGES, got, source.frozen ? Infinity : MOST));
    }, wait);
    return () => clearTimeout(timer);
  }, [ask, isLive, feed.summary?.events, tries]);

  return {
    pages,
    error,
    isBusy,
    frozen: source.frozen,
    showOlder: () => ask(pages?.next ?? undefined, (last, got) => withOlder(last ?? NO_PAGES, got, MOST)),
    showNewest: () => ask(undefined, (_, got) => withNewest(NO_PAGES, got, MOST)),
  };
}

function found(events: JournalEvent[], search: string): { event: JournalEvent; words: EventWords }[] {
  const sought = search.trim().toLowerCase();
  const all = events.map((event) => ({ event, words: eventWords(event) }));
  if (!sought) return all;
  return all.filter(({ event, words }) =>
    `${event.number} ${event.kind} ${words.text} ${words.printed ?? ""}`.toLowerCase().includes(sought),
  );
}

function EventRow(props: { event: JournalEvent; words: EventWords }) {
  const { event, words } = props;
  return (
    <li class={`event event-${words.tone}`}>
      <span class="event-number numbers">{whole(event.number)}</span>
      <time class="event-time numbers">{clockSeconds(event.at)}</time>
      <div class="event-words">
        {words.printed ? (
          <details>
            <summary>{words.text}</summary>
            <pre>{words.printed}</pre>
          </details>
        ) : (
          words.text
        )}
      </div>
      <span class="event-kind">{event.kind}</span>
    </li>
  );
}
