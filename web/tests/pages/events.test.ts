import { afterAll, beforeAll, expect, test } from "vitest";
import { KINDS } from "../../src/words/events";
import { Server } from "./harness";

const server = new Server();
beforeAll(() => server.start());
afterAll(() => server.stop());

interface Description {
  components: { schemas: { Event: { discriminator: { mapping: Record<string, string> } } } };
}

test("every kind of event that a server has is told in words, and no other", async () => {
  const { components } = await server.ask<Description>("GET", "/openapi.json");
  const kinds = Object.keys(components.schemas.Event.discriminator.mapping);
  expect([...KINDS].sort()).toEqual(kinds.sort());
});
