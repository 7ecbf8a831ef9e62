import { useEffect, useRef, useState } from "preact/hooks";
import { keepsOld, mayPass, studyPath, type Source } from "../../api/source";
import type { Glance, History, StudyItem } from "../../api/types";
import { oneAtATime } from "../../ui/asking";
import { usePage } from "../../ui/context";
import { aheadOf } from "../../ui/feed";

export interface Compared {
  name: string;
  history: History | null;
  glance: Glance | null;
  error: Error | null;
  /** Offset of the server's clock from the local one. */
  ahead: number;
}

/** The data of each study, requested again, one study at a time, while it may change. */
export function useCompared(names: string[], now: number): Compared[] {
  const { source } = usePage();
  const [known, setKnown] = useState<Record<string, Compared>>({});
  const asking = useRef<(() => void)[]>([]);
  const key = names.join("\n");
  const of = (name: string) => known[`= ${name}`];
  const mayChange = names.some((name) => isUnsettled(of(name)));
  useEffect(() => {
    const abort = new AbortController();
    const ask = async (name: string) => {
      if (abort.signal.aborted) return;
      const next = await comparedWith(source, name, abort.signal);
      if (!abort.signal.aborted)
        setKnown((all) => ({ ...all, [`= ${name}`]: keptWith(all[`= ${name}`], next) }));
    };
    asking.current = names.map((name) => oneAtATime(() => ask(name)));
    return () => abort.abort();
  }, [source, key]);
  useEffect(() => {
    if (!document.hidden) asking.current.forEach((ask) => ask());
  }, [source, key, mayChange ? now : 0]);
  return names.map((name) => of(name) ?? { ...NOTHING, name });
}

const NOTHING = { history: null, glance: null, error: null, ahead: 0 };

function isUnsettled(study: Compared | undefined): boolean {
  return !study || study.glance?.phase === "running" || mayPass(study.error);
}

/** Keeps old data if there is no new data. */
export function keptWith(last: Compared | undefined, next: Compared): Compared {
  return last && keepsOld(next.error) ? { ...last, error: next.error } : next;
}

async function comparedWith(source: Source, name: string, signal: AbortSignal): Promise<Compared> {
  const ask = <T>(what: string, query = {}) => source.get<T>(studyPath(name, what, query), signal);
  try {
    const [history, glance] = await Promise.all([
      ask<History>("history", { by: "pulls", buckets: 1000 }),
      ask<Glance>("glance"),
    ]);
    return { name, history, glance, error: null, ahead: aheadOf(glance.now) };
  } catch (error) {
    return { ...NOTHING, name, error: error as Error };
  }
}

/** Describes the lines, and says which direction is better if that is known. */
export function noteOf(compared: Pick<Compared, "glance">[]): string {
  const what = "The mean of all rewards so far.";
  const directions = new Set(compared.flatMap((study) => (study.glance ? [study.glance.direction] : [])));
  if (directions.size === 0) return what;
  if (directions.size > 1)
    return `${what} Some of the studies maximize and some minimize, so the heights of their lines cannot be compared.`;
  return `${what} ${directions.has("minimize") ? "Lower" : "Higher"} is better.`;
}

/** Studies that are not selected yet and whose names contain this text. */
export function suggestions(studies: StudyItem[], taken: string[], text: string): StudyItem[] {
  const wanted = text.trim().toLowerCase();
  return studies.filter((study) => !taken.includes(study.name) && study.name.toLowerCase().includes(wanted));
}
