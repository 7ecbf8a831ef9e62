import { expect, test } from "vitest";
import {
  isUnknown,
  keepsOld,
  mayPass,
  Refusal,
  Unreachable,
  watched,
  type Source,
} from "../../src/api/source";

const refusal = (status: number) => new Refusal({ title: "", status, code: "", detail: "No." });

test("what may pass is asked again: no answer, too many questions, a server in trouble", () => {
  for (const error of [new Unreachable(), refusal(429), refusal(503)]) expect(mayPass(error)).toBe(true);
  const others = [refusal(400), refusal(401), refusal(403), refusal(404), refusal(500), new Error(), null];
  for (const error of others) expect(mayPass(error)).toBe(false);
});

test("what is known stays when the trouble is the server's, not when the answer is no", () => {
  for (const error of [new Unreachable(), refusal(429), refusal(500), refusal(503)])
    expect(keepsOld(error)).toBe(true);
  for (const error of [refusal(401), refusal(403), refusal(404), null]) expect(keepsOld(error)).toBe(false);
});

test("a watched source reports an unknown token, and refuses as before", async () => {
  let status = 401;
  const refuse = () => Promise.reject(refusal(status));
  const source: Source = { frozen: false, get: refuse, send: refuse, follow: refuse };
  let told = 0;
  const seen = watched(source, () => ++told);
  await expect(seen.get("/v1/studies")).rejects.toSatisfy(isUnknown);
  await expect(seen.send("POST", "/v1/studies")).rejects.toSatisfy(isUnknown);
  await expect(seen.follow("/", () => undefined, new AbortController().signal)).rejects.toSatisfy(isUnknown);
  expect(told).toBe(3);
  status = 403;
  await expect(seen.get("/v1/studies")).rejects.toThrow("No.");
  expect(told).toBe(3);
});
