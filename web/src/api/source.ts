import type { Problem } from "./types";

/** Where a page has its data from: a server, or the report that it is. */
export interface Source {
  /** Nothing changes any more, and nothing can be done. */
  readonly frozen: boolean;
  get<T>(path: string, signal?: AbortSignal): Promise<T>;
  send<T>(method: "POST" | "PUT" | "DELETE", path: string, body?: unknown, signal?: AbortSignal): Promise<T>;
  /** Server-sent events, until the signal; resolves when the connection ends. */
  follow(path: string, onEvent: (kind: string, data: unknown) => void, signal: AbortSignal): Promise<void>;
}

/** A refusal by the server, in its own words. */
export class Refusal extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail || problem.title);
  }
}

/** There was no answer. */
export class Unreachable extends Error {
  constructor() {
    super("The server does not answer.");
  }
}

/** Whether the same question may have an answer later: nobody answered, or somebody had no time. */
export function mayPass(error: Error | null): boolean {
  if (error instanceof Refusal) return error.problem.status === 429 || error.problem.status > 500;
  return error instanceof Unreachable;
}

/** Whether what was answered before is still better than nothing: the trouble is the server's. */
export function keepsOld(error: Error | null): boolean {
  return mayPass(error) || (error instanceof Refusal && error.problem.status === 500);
}

/** Whether the server does not know (any more) who asks. */
export function isUnknown(error: Error | null): error is Refusal {
  return error instanceof Refusal && error.problem.status === 401;
}

/** The same source; calls back when the server does not know any more who asks. */
export function watched(source: Source, onUnknown: () => void): Source {
  const watch = <T>(answer: Promise<T>) => {
    answer.catch((error: Error) => isUnknown(error) && onUnknown());
    return answer;
  };
  return {
    frozen: source.frozen,
    get: (path, signal) => watch(source.get(path, signal)),
    send: (method, path, body, signal) => watch(source.send(method, path, body, signal)),
    follow: (path, onEvent, signal) => watch(source.follow(path, onEvent, signal)),
  };
}

/** The path of a study, or of something about it. */
export function studyPath(name: string, what = "", query: Record<string, string | number | undefined> = {}) {
  const words = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${encoded(String(value))}`)
    .join("&");
  return `/v1/studies/${encoded(name)}${what && `/${what}`}${words && `?${words}`}`;
}

/** As RFC 3986 has it, and so the reports. */
export function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
