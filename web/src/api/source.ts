import type { Problem } from "./types";

/** The source of the page's data: a server, or an embedded report. */
export interface Source {
  /** True for a report, which does not change and is read-only. */
  readonly frozen: boolean;
  get<T>(path: string, signal?: AbortSignal): Promise<T>;
  send<T>(method: "POST" | "PUT" | "DELETE", path: string, body?: unknown, signal?: AbortSignal): Promise<T>;
  /** Follows server-sent events until the signal; resolves when the connection ends. */
  follow(path: string, onEvent: (kind: string, data: unknown) => void, signal: AbortSignal): Promise<void>;
}

/** An error answer of the server. */
export class Refusal extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail || problem.title);
  }
}

/** The server did not answer. */
export class Unreachable extends Error {
  constructor() {
    super("The server does not answer.");
  }
}

/** Whether a repeated request may succeed: the server did not answer, or was overloaded. */
export function mayPass(error: Error | null): boolean {
  if (error instanceof Refusal) return error.problem.status === 429 || error.problem.status > 500;
  return error instanceof Unreachable;
}

/** Whether to keep showing earlier answers: the error is on the server's side. */
export function keepsOld(error: Error | null): boolean {
  return mayPass(error) || (error instanceof Refusal && error.problem.status === 500);
}

/** Whether the token is missing, unknown or expired. */
export function isUnknown(error: Error | null): error is Refusal {
  return error instanceof Refusal && error.problem.status === 401;
}

/** Wraps a source; calls back when the token is no longer accepted. */
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

/** The path of a study, or of one of its routes. */
export function studyPath(name: string, what = "", query: Record<string, string | number | undefined> = {}) {
  const words = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${encoded(String(value))}`)
    .join("&");
  return `/v1/studies/${encoded(name)}${what && `/${what}`}${words && `?${words}`}`;
}

/** Percent-encoding by RFC 3986, as in reports. */
export function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
