import { Refusal, Unreachable, type Source } from "./source";
import type { Problem } from "./types";
import { eventsIn } from "./server_sent";

/** A stream that is silent for this long is considered dead: the server sends at least a comment every 15 seconds. */
export const SILENCE = 40_000; // milliseconds

/** A data source on a server, by default the one that served the page. The token is read for each request. */
export function liveSource(token: () => string | null, origin = ""): Source {
  async function ask(path: string, options: RequestInit): Promise<Response> {
    const headers: Record<string, string> = {};
    const secret = token();
    if (secret) headers.Authorization = `Bearer ${secret}`;
    if (options.body) headers["Content-Type"] = "application/json";
    let response: Response;
    try {
      response = await fetch(origin + path, { ...options, headers, cache: "no-store" });
    } catch (error) {
      if (options.signal?.aborted) throw error;
      throw new Unreachable();
    }
    if (response.type === "opaqueredirect") throw new Refusal(ELSEWHERE);
    if (!response.ok) throw new Refusal(await problemOf(response));
    return response;
  }

  return {
    frozen: false,
    async get<T>(path: string, signal?: AbortSignal) {
      return (await (await ask(path, { signal })).json()) as T;
    },
    async send<T>(method: string, path: string, body?: unknown, signal?: AbortSignal) {
      const response = await ask(path, {
        method,
        signal,
        body: body === undefined ? undefined : JSON.stringify(body),
        redirect: "manual", // another server may not accept the token or the origin
      });
      return (response.status === 204 ? null : await response.json()) as T;
    },
    async follow(path, onEvent, signal) {
      const abort = new AbortController();
      const stop = () => abort.abort();
      signal.addEventListener("abort", stop);
      if (signal.aborted) stop();
      let timer = setTimeout(stop, SILENCE);
      try {
        const response = await ask(path, { signal: abort.signal });
        const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
        const events = eventsIn(onEvent);
        for (;;) {
          const { value, done } = await reader.read();
          if (done) return;
          clearTimeout(timer);
          timer = setTimeout(stop, SILENCE);
          events(value);
        }
      } catch (error) {
        throw signal.aborted || error instanceof Refusal ? error : new Unreachable();
      } finally {
        clearTimeout(timer);
        signal.removeEventListener("abort", stop);
        stop(); // close the connection in any case
      }
    },
  };
}

const ELSEWHERE: Problem = {
  title: "Elsewhere",
  status: 307,
  code: "elsewhere",
  detail: "Another server holds this study. Use the page of that server.",
};

async function problemOf(response: Response): Promise<Problem> {
  try {
    return (await response.json()) as Problem;
  } catch {
    // not a problem document: for example, the answer of a proxy
    return {
      title: response.statusText,
      status: response.status,
      code: "failure",
      detail: `The server answered ${response.status} ${response.statusText}.`,
    };
  }
}
