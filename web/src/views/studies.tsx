import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Unreachable } from "../api/source";
import type { StudyItem } from "../api/types";
import { whole } from "../format/numbers";
import { addressOf, goToInstead } from "../router";
import { useMay } from "../ui/context";
import { CopyButton } from "../ui/copy";
import { useNow } from "../ui/hooks";
import { Empty, Failure, Loading } from "../ui/parts";
import type { Glances } from "./studies/glances";
import { useGlances, useStudies } from "./studies/list";
import { counts, matching, ordered, wordOf } from "./studies/order";
import { StudyRow } from "./studies/row";
import { type Column, queryOf, ROWS, sortedBy, STATES, type Wish, wishOf } from "./studies/wish";

const HEADS: { column: Column | null; label: string; number?: boolean }[] = [
  { column: "name", label: "Study" },
  { column: "state", label: "State" },
  { column: "pulls", label: "Pulls", number: true },
  { column: "best", label: "Best setting and its mean" },
  { column: "uplift", label: "Over the baseline" },
  { column: null, label: "Rewards" },
  { column: "last", label: "Last event", number: true },
];

/** The list of all studies with their state and results. */
export function StudiesView(props: { query: string }) {
  const { items, ahead, error, beat } = useStudies();
  const wish = useMemo(() => wishOf(props.query), [props.query]);
  const want = (changed: Partial<Wish>) =>
    goToInstead({ view: "studies", query: queryOf({ ...wish, ...changed }) });
  const mayMake = useMay("work");
  return (
    <div class="studies">
      <header class="studies-head">
        <h1>Studies</h1>
        {items && items.length > 0 && <Search wish={wish} want={want} />}
        {mayMake && (
          <a class="button main" href={addressOf({ view: "new" })}>
            New study
          </a>
        )}
      </header>
      {error && items && (
        <p class="banner" role="status">
          {error instanceof Unreachable
            ? "The server does not answer. The data shown is old; the page tries again automatically."
            : `The list could not be updated: ${error.message}`}
        </p>
      )}
      {items ? (
        items.length > 0 ? (
          <List items={items} ahead={ahead} beat={beat} wish={wish} want={want} />
        ) : (
          <NoStudies mayMake={mayMake} />
        )
      ) : error ? (
        <Failure error={error} />
      ) : (
        <Loading height={320} label="Loading the studies" />
      )}
    </div>
  );
}

type Want = (changed: Partial<Wish>) => void;

/** A search field that changes the address after a pause in typing. */
function Search(props: { wish: Wish; want: Want }) {
  const [text, setText] = useState(props.wish.search);
  const written = useRef(props.wish.search); // the last text that this field put into the address
  useEffect(() => {
    if (props.wish.search === written.current) return;
    written.current = props.wish.search;
    setText(props.wish.search);
  }, [props.wish.search]);
  useEffect(() => {
    if (text === props.wish.search) return;
    const timer = setTimeout(() => {
      written.current = text;
      props.want({ search: text, most: ROWS });
    }, 150);
    return () => clearTimeout(timer);
  });
  return (
    <input
      type="search"
      class="search"
      placeholder="Search by name"
      aria-label="Search studies by name"
      value={text}
      onInput={(event) => setText(event.currentTarget.value)}
    />
  );
}

function List(props: { items: StudyItem[]; ahead: number; beat: number; wish: Wish; want: Want }) {
  const { items, wish, want } = props;
  const glances = useGlances();
  const now = useNow(wish.most > 4 * ROWS ? 10 : 1) + props.ahead;
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const found = useMemo(() => matching(items, wish.search), [items, wish.search]);
  const rows = useRows(found, wish, now, glances, props.beat);
  const shown = rows.slice(0, wish.most);
  const choose = (name: string, isChosen: boolean) =>
    setChosen((last) => {
      const next = new Set(last);
      if (isChosen) next.add(name);
      else next.delete(name);
      return next;
    });
  return (
    <>
      <div class="studies-tools">
        <StateFilter found={found} now={now} wish={wish} want={want} />
        <SortChoice wish={wish} want={want} />
      </div>
      {chosen.size > 0 && <Chosen names={[...chosen]} clear={() => setChosen(new Set())} />}
      {shown.length === 0 ? (
        <Empty title="No study matches.">
          <button onClick={() => want({ search: "", state: null })}>Show all {whole(items.length)}</button>
        </Empty>
      ) : (
        <div class="card table-card">
          <table class="studies-table" role="table" aria-label="Studies">
            <Head wish={wish} want={want} />
            <tbody role="rowgroup">
              {shown.map((item) => (
                <StudyRow
                  key={item.name}
                  item={item}
                  now={now}
                  beat={props.beat}
                  glances={glances}
                  chosen={chosen.has(item.name)}
                  choose={choose}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      <p class="note studies-count" role="status">
        {shown.length < rows.length
          ? `${whole(shown.length)} of ${whole(rows.length)} studies`
          : `${whole(rows.length)} ${rows.length === 1 ? "study" : "studies"}`}
        {needsGlances(wish) &&
          rows.length > MOST_GLANCES &&
          `. Only the ${MOST_GLANCES} studies with the newest events are sorted by this column; narrow the search.`}
        {shown.length < rows.length && (
          <button onClick={() => want({ most: wish.most + ROWS })}>Show {ROWS} more</button>
        )}
      </p>
    </>
  );
}

const MOST_GLANCES = 500;
const needsGlances = (wish: Wish) => wish.sort === "best" || wish.sort === "uplift";

/** The matching studies, sorted. Sorting by results needs their glances. */
function useRows(found: StudyItem[], wish: Wish, now: number, glances: Glances, beat: number): StudyItem[] {
  const isByGlances = needsGlances(wish);
  const [version, setVersion] = useState(0);
  const tick = Math.floor(now / 10); // often enough to detect silent studies
  const inState = useMemo(
    () => (wish.state ? found.filter((item) => wordOf(item, now) === wish.state) : found),
    [found, wish.state, tick],
  );
  useEffect(() => {
    if (!isByGlances) return;
    [...inState]
      .sort((a, b) => b.updated - a.updated)
      .slice(0, MOST_GLANCES)
      .forEach((item) => glances.want(item.name, item.events));
    let timer = 0;
    const stop = glances.listen(() => {
      timer ||= window.setTimeout(() => {
        timer = 0;
        setVersion((last) => last + 1);
      }, 500);
    });
    return () => {
      stop();
      clearTimeout(timer);
      glances.forgetWishes();
    };
  }, [isByGlances, inState, glances, beat]);
  return useMemo(
    () => ordered(inState, (name) => glances.get(name), wish, now),
    [inState, wish.sort, wish.down, glances, isByGlances ? version : 0],
  );
}

function Head(props: { wish: Wish; want: Want }) {
  const { wish, want } = props;
  return (
    <thead role="rowgroup">
      <tr role="row">
        <th role="columnheader" scope="col" class="choose">
          <span class="hidden">Chosen</span>
        </th>
        {HEADS.map(({ column, label, number }) => (
          <th
            key={label}
            role="columnheader"
            scope="col"
            class={number ? "number" : undefined}
            aria-sort={column === wish.sort ? (wish.down ? "descending" : "ascending") : undefined}
          >
            {column ? (
              <button class="sort" onClick={() => want(sortedBy(wish, column))}>
                {label}
                <span class="arrow" aria-hidden="true">
                  {column === wish.sort ? (wish.down ? "↓" : "↑") : ""}
                </span>
              </button>
            ) : (
              label
            )}
          </th>
        ))}
      </tr>
    </thead>
  );
}

/** Sorting on narrow screens, which have no column headings. */
function SortChoice(props: { wish: Wish; want: Want }) {
  const { wish, want } = props;
  return (
    <div class="sort-choice">
      <label>
        <span class="hidden">Sort by</span>
        <select
          value={wish.sort}
          onChange={(event) => want(sortedBy(wish, event.currentTarget.value as Column))}
        >
          {HEADS.map(({ column, label }) => column && <option value={column}>{label}</option>)}
        </select>
      </label>
      <button
        aria-label={wish.down ? "Sorted downwards; sort upwards" : "Sorted upwards; sort downwards"}
        onClick={() => want({ down: !wish.down })}
      >
        {wish.down ? "↓" : "↑"}
      </button>
    </div>
  );
}

function StateFilter(props: { found: StudyItem[]; now: number; wish: Wish; want: Want }) {
  const { found, wish, want } = props;
  const count = counts(found, props.now);
  return (
    <div class="filters" role="group" aria-label="Filter studies by state">
      <button
        class="filter"
        aria-pressed={wish.state === null}
        onClick={() => want({ state: null, most: ROWS })}
      >
        All <span class="count">{whole(found.length)}</span>
      </button>
      {STATES.filter((state) => count[state] > 0 || state === wish.state).map((state) => (
        <button
          key={state}
          class="filter"
          aria-pressed={wish.state === state}
          onClick={() => want({ state: wish.state === state ? null : state, most: ROWS })}
        >
          <span class={`dot dot-${state}`} aria-hidden="true" />
          {state} <span class="count">{whole(count[state])}</span>
        </button>
      ))}
    </div>
  );
}

function Chosen(props: { names: string[]; clear: () => void }) {
  const enough = props.names.length > 1;
  return (
    <div class="chosen-bar" role="status">
      <span>
        {enough ? `${props.names.length} studies selected` : "One study selected. Select another to compare."}
      </span>
      {enough && (
        <a class="button main" href={addressOf({ view: "compare", names: props.names })}>
          Compare
        </a>
      )}
      <button onClick={props.clear}>Clear</button>
    </div>
  );
}

function NoStudies(props: { mayMake: boolean }) {
  const command = `canopy tune STUDY.toml --server ${location.origin}`;
  return (
    <div class="card">
      <Empty title="There are no studies yet.">
        <p>A study is a search for the best setting of a system. A study file describes its knobs:</p>
        <p class="command">
          <code>{command}</code>
          <CopyButton text={command} />
        </p>
        {props.mayMake && (
          <p>
            Or <a href={addressOf({ view: "new" })}>create one here</a>, for workers that ask the server what
            to try.
          </p>
        )}
      </Empty>
    </div>
  );
}
