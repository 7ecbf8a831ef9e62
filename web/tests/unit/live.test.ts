import { afterEach, expect, test, vi } from "vitest";
import { liveSource, SILENCE } from "../../src/api/live";
import { Refusal, Unreachable } from "../../src/api/source";

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** A server whose stream stays open. It records what it was sent and whether the connection was closed. */
function openStream() {
  const state = { isDropped: false, send: (_text: string) => {} };
  vi.stubGlobal("fetch", (_path: string, { signal }: RequestInit) => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        state.send = (text) => controller.enqueue(new TextEncoder().encode(text));
        signal?.addEventListener("abort", () => {
          state.isDropped = true;
          controller.error(new DOMException("aborted", "AbortError"));
        });
      },
    });
    return Promise.resolve(new Response(body));
  });
  return state;
}

test("a stream without a sign of life is given up, one with it is not", async () => {
  vi.useFakeTimers();
  const stream = openStream();
  const kinds: string[] = [];
  const source = liveSource(() => null);
  const end = source.follow("/", (kind) => kinds.push(kind), new AbortController().signal).catch((e) => e);
  await vi.advanceTimersByTimeAsync(SILENCE - 1000);
  stream.send(": alive\n\n");
  await vi.advanceTimersByTimeAsync(SILENCE - 1000);
  expect(stream.isDropped).toBe(false);
  stream.send("event: best\ndata: null\n\n");
  await vi.advanceTimersByTimeAsync(1000);
  expect(kinds).toEqual(["best"]);
  await vi.advanceTimersByTimeAsync(SILENCE);
  expect(stream.isDropped).toBe(true);
  expect(await end).toBeInstanceOf(Unreachable);
});

test("a stream that is not wanted any more, or that makes no sense, is dropped", async () => {
  const source = liveSource(() => null);
  const stream = openStream();
  const abort = new AbortController();
  const end = source.follow("/", () => undefined, abort.signal).catch((error) => error);
  await new Promise((resolve) => setTimeout(resolve, 5));
  abort.abort();
  expect((await end).name).toBe("AbortError");
  expect(stream.isDropped).toBe(true);

  const odd = openStream();
  const oddEnd = source.follow("/", () => undefined, new AbortController().signal).catch((error) => error);
  await new Promise((resolve) => setTimeout(resolve, 5));
  odd.send("event: best\ndata: {\n\n");
  expect(await oddEnd).toBeInstanceOf(Unreachable);
  expect(odd.isDropped).toBe(true);
});

test("what is to be done on another server is not done, and that is said", async () => {
  let redirect: unknown;
  vi.stubGlobal("fetch", (_path: string, options: RequestInit) => {
    redirect = options.redirect;
    return Promise.resolve({ type: "opaqueredirect", ok: false, status: 0 });
  });
  const answer = liveSource(() => null).send("DELETE", "/v1/studies/a");
  await expect(answer).rejects.toBeInstanceOf(Refusal);
  await expect(answer).rejects.toThrow("Another server holds this study");
  expect(redirect).toBe("manual");
});
