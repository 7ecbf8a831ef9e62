import { useEffect, useState } from "preact/hooks";
import { mayPass, Refusal, studyPath, type Source } from "../api/source";
import type { Best, Summary } from "../api/types";
import { usePage } from "./context";

export type Connection = "connecting" | "live" | "lost" | "gone" | "refused";

export interface Feed {
  summary: Summary | null;
  best: Best | null;
  connection: Connection;
  /** The reason why it is not live. */
  error: Error | null;
  /** Offset of the server's clock from the local one. */
  ahead: number;
  /** Increases after new events of the study, at most twice a second. */
  beat: number;
}

export const NO_FEED: Feed = {
  summary: null,
  best: null,
  connection: "connecting",
  error: null,
  ahead: 0,
  beat: 0,
};

/** The offset of a server clock that shows `now`; 0 if the server does not send its time. */
export function aheadOf(now: number | undefined, clock = Date.now() / 1000): number {
  return now === undefined ? 0 : now - clock;
}

/** The feed with one more event of the stream. */
export function withEvent(feed: Feed, kind: string, data: unknown): Feed {
  const live = { ...feed, connection: "live" as const, error: null };
  if (kind === "best") return { ...live, best: data as Best | null };
  if (kind !== "summary") return feed;
  const summary = data as Summary;
  const isNews = summary.events !== feed.summary?.events;
  return { ...live, summary, ahead: aheadOf(summary.now), beat: feed.beat + (isNews ? 1 : 0) };
}

/** The state of the connection after a stream ended, with or without an error. Only a lost connection is retried. */
export function connectionAfter(error: Error | null): Connection {
  if (!(error instanceof Refusal) || mayPass(error)) return "lost";
  return error.problem.status === 404 ? "gone" : "refused";
}

/** Describes the error of the connection. */
export function connectionWords({ connection, error }: Pick<Feed, "connection" | "error">): string | null {
  const old = "The data shown is old";
  if (connection === "refused") return `${error?.message ?? "The server refused the connection."} ${old}.`;
  if (connection !== "lost") return null;
  const why = error instanceof Refusal ? error.message : "The server does not answer.";
  return `${why} ${old}; the page tries again automatically.`;
}

const PATIENCE = [500, 1000, 2000, 4000, 8000]; // milliseconds between retries

/**
 * The live feed of a study; reconnects when the connection is lost. A hidden page closes its connection, because a
 * browser has only a few for each server.
 */
export function useFeed(name: string): Feed {
  const { source } = usePage();
  const [feed, setFeed] = useState<Feed>(NO_FEED);
  useEffect(() => {
    setFeed(NO_FEED);
    if (source.frozen) {
      void frozenFeed(source, name).then(setFeed);
      return;
    }
    const path = studyPath(name, "stream", { journal: "false" });
    let abort = new AbortController();
    let timer = 0;
    let tries = 0;
    const take = (kind: string, data: unknown) => {
      tries = 0;
      setFeed((last) => withEvent(last, kind, data));
    };
    const follow = async () => {
      const { signal } = abort;
      const error = await source.follow(path, take, signal).then(
        () => null,
        (problem: Error) => problem,
      );
      if (signal.aborted) return;
      const connection = connectionAfter(error);
      setFeed((last) => ({ ...last, connection, error }));
      if (connection !== "lost") return;
      timer = window.setTimeout(follow, PATIENCE[Math.min(tries++, PATIENCE.length - 1)]);
    };
    const stop = () => {
      abort.abort();
      clearTimeout(timer);
    };
    const lookOrStop = () => {
      stop();
      if (document.hidden) return;
      abort = new AbortController();
      void follow();
    };
    lookOrStop();
    document.addEventListener("visibilitychange", lookOrStop);
    return () => {
      stop();
      document.removeEventListener("visibilitychange", lookOrStop);
    };
  }, [name, source]);
  return feed;
}

async function frozenFeed(source: Source, name: string): Promise<Feed> {
  const ask = <T>(what: string) => source.get<T>(studyPath(name, what)).catch(() => null);
  return { ...NO_FEED, summary: await ask("summary"), best: await ask("best"), connection: "live" };
}
