import { useEffect, useState } from "preact/hooks";
import { studyPath, type Source } from "../../api/source";
import type { Glance, StudyItem, StudyList } from "../../api/types";
import { usePage } from "../../ui/context";
import { Glances } from "./glances";

export interface Studies {
  items: StudyItem[] | null;
  /** Offset of the server's clock from the local one. */
  ahead: number;
  error: Error | null;
  /** Increases with each answer. */
  beat: number;
}

const EVERY = 2000; // milliseconds
const PAGE = 1000;

/** Requests all studies periodically while the page is visible. */
export function useStudies(): Studies {
  const { source } = usePage();
  const [list, setList] = useState<Studies>({ items: null, ahead: 0, error: null, beat: 0 });
  useEffect(() => {
    const abort = new AbortController();
    let timer = 0;
    let isBusy = false;
    const round = async () => {
      clearTimeout(timer);
      if (document.hidden || isBusy) return;
      isBusy = true;
      const begun = Date.now();
      let pages = 1;
      try {
        const { items, now, count } = await allStudies(source, abort.signal);
        pages = count;
        setList(({ beat }) => ({ items, ahead: now - Date.now() / 1000, error: null, beat: beat + 1 }));
      } catch (problem) {
        if (abort.signal.aborted) return;
        setList((last) => ({ ...last, error: problem as Error }));
      }
      isBusy = false;
      timer = window.setTimeout(round, pauseAfter(Date.now() - begun, pages));
    };
    void round();
    document.addEventListener("visibilitychange", round);
    return () => {
      abort.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", round);
    };
  }, [source]);
  return list;
}

/** The pause between requests: longer with many studies or a slow server. */
export function pauseAfter(took: number, pages: number): number {
  return Math.max(EVERY * pages, 5 * took);
}

async function allStudies(source: Source, signal: AbortSignal) {
  const items: StudyItem[] = [];
  let count = 0;
  let after: string | null = null;
  let now = 0;
  do {
    const next: string = after === null ? "" : `&after=${encodeURIComponent(after)}`;
    const page: StudyList = await source.get<StudyList>(`/v1/studies?limit=${PAGE}${next}`, signal);
    items.push(...page.studies);
    after = page.next;
    now = page.now;
    ++count;
  } while (after !== null);
  return { items, now, count };
}

/** The glances of the server's studies. */
export function useGlances(): Glances {
  const { source } = usePage();
  const [glances] = useState(() => new Glances((name) => source.get<Glance>(studyPath(name, "glance"))));
  return glances;
}
