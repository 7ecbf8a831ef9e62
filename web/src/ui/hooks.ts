import { useEffect, useRef, useState } from "preact/hooks";
import { keepsOld, mayPass } from "../api/source";
import { oneAtATime } from "./asking";
import { usePage } from "./context";

export interface Answer<T> {
  value: T | null;
  error: Error | null;
  loading: boolean;
}

const TRY_AGAIN = 5000; // milliseconds

/**
 * The server's answer at a path, requested again whenever `beat` changes, one request at a time. The last answer is kept
 * until the next one arrives; answers for an earlier path are never shown.
 */
export function useAnswer<T>(path: string | null, beat: unknown = 0): Answer<T> {
  const { source } = usePage();
  const [answer, setAnswer] = useState<Answer<T>>({ value: null, error: null, loading: path !== null });
  const ask = useRef<() => void>(() => undefined);
  useEffect(() => {
    if (path === null) {
      setAnswer({ value: null, error: null, loading: false });
      return;
    }
    const { signal, stop, asking } = askingFor(async (again) => {
      setAnswer((last) => ({ ...last, loading: true }));
      try {
        const value = await source.get<T>(path, signal);
        if (!signal.aborted) setAnswer({ value, error: null, loading: false });
      } catch (problem) {
        if (signal.aborted) return;
        const error = problem as Error;
        setAnswer((last) => ({ value: keepsOld(error) ? last.value : null, error, loading: false }));
        if (mayPass(error)) again();
      }
    });
    ask.current = asking;
    return stop;
  }, [path, source]);
  useEffect(() => {
    if (path !== null) ask.current();
  }, [path, source, beat]);
  return answer;
}

/** Sends requests until it is stopped; `again` repeats one after a pause, while the page is visible. */
function askingFor(ask: (again: () => void) => Promise<void>) {
  const abort = new AbortController();
  const { signal } = abort;
  let timer = 0;
  const later = () => {
    timer = window.setTimeout(() => (document.hidden ? later() : asking()), TRY_AGAIN);
  };
  const asking = oneAtATime(async () => {
    clearTimeout(timer);
    if (!signal.aborted) await ask(later);
  });
  const stop = () => {
    clearTimeout(timer);
    abort.abort();
  };
  return { signal, stop, asking };
}

/** The time, updated periodically while the page is visible. */
export function useNow(everySeconds: number): number {
  const [now, setNow] = useState(() => Date.now() / 1000);
  useEffect(() => {
    const look = () => {
      if (!document.hidden) setNow(Date.now() / 1000);
    };
    const timer = setInterval(look, 1000 * everySeconds);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [everySeconds]);
  return now;
}

/** The current width of an element. */
export function useWidth<T extends HTMLElement>(): [{ current: T | null }, number] {
  const place = useRef<T>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (!place.current) return;
    const observer = new ResizeObserver(([entry]) => entry && setWidth(Math.floor(entry.contentRect.width)));
    observer.observe(place.current);
    return () => observer.disconnect();
  }, []);
  return [place, width];
}
