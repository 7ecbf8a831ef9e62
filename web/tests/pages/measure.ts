// Measures how fast the page is and how much memory it takes: `npm run measure`. Prints figures and asserts nothing, since machines differ.
// MINUTES: how long the page is left open (5).
import type { CDPSession, Page } from "playwright-core";
import { afterAll, beforeAll, test } from "vitest";
import { closeBrowser, noise, openPage, pause, Server } from "./harness";

const EVENTS = 1_000_000;
const MINUTES = Number(process.env.MINUTES ?? 5);
const server = new Server();
const random = noise(1);
const reward = ({ x }: { x: number }) => 1 - (x - 0.3) ** 2 + 0.3 * random();
const line = (name: string, value: string) => console.log(`${name.padEnd(64)} ${value}`);

/** Like `play`, but with many pulls in each request. */
async function fill(name: string, events: number) {
  const count = 1000;
  for (let done = 0; done < events; done += 2 * count) {
    const { tickets } = await server.ask<{ tickets: { ticket: number; arm: { x: number } }[] }>(
      "POST",
      `/v1/studies/${name}/asks`,
      { count, pulls: 1 },
    );
    const tells = tickets.map(({ ticket, arm }) => ({ ticket, reward: reward(arm) }));
    await server.ask("POST", `/v1/studies/${name}/tells`, { tells });
  }
}

beforeAll(async () => {
  await server.start();
  const space = [{ name: "x", type: "real", low: 0, high: 1 }];
  await server.make("million", { optimizer: { name: "hct" }, space });
  await fill("million", EVENTS);
  await server.make("small", { space });
  await server.play("small", 10_000, reward);
}, 600_000);

afterAll(async () => {
  await closeBrowser();
  await server.stop();
});

async function paints(page: Page): Promise<number> {
  return page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN);
}

test("first paint with a million events", async () => {
  for (const turn of ["the first time", "again"]) {
    const start = Date.now();
    const { page, context } = await openPage(`${server.url}/#/studies/million`);
    await page.getByRole("heading", { name: "How is it going?" }).waitFor();
    const cards = Date.now() - start;
    await page.locator(".uplot canvas").first().waitFor();
    await pause(50);
    const drawn = Date.now() - start;
    line(`1e6 events, ${turn}: first contentful paint`, `${(await paints(page)).toFixed(0)} ms`);
    line(`1e6 events, ${turn}: all questions there`, `${cards} ms`);
    line(`1e6 events, ${turn}: rewards drawn`, `${drawn} ms`);
    await context.close();
  }
}, 120_000);

test("a zoom into a million events", async () => {
  const last = EVENTS / 2;
  const times: number[] = [];
  for (let i = 0; i < 50; ++i) {
    const width = last * 0.7 ** (i % 30);
    const from = Math.floor((last - width) * ((i * 0.37) % 1));
    const start = performance.now();
    await server.ask(
      "GET",
      `/v1/studies/million/history?by=pulls&from=${from}&to=${Math.ceil(from + width)}&buckets=1200`,
    );
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  line("a zoom, 1200 buckets of 1e6 events: median of 50", `${times[25]?.toFixed(1)} ms`);
  line("a zoom, 1200 buckets of 1e6 events: the slowest of 50", `${times[49]?.toFixed(1)} ms`);
}, 60_000);

test("frames while a study of 1e4 points is panned", async () => {
  const { page, context } = await openPage(`${server.url}/#/studies/small`);
  const canvas = page.locator(".uplot").first();
  await canvas.waitFor();
  await pause(1000);
  await canvas.scrollIntoViewIfNeeded();
  const box = (await canvas.boundingBox())!;
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  await page.mouse.move(middle.x, middle.y);
  await page.mouse.wheel(0, -400);
  await pause(800);
  await page.evaluate(() => {
    const frames: number[] = [];
    (window as unknown as { frames: number[] }).frames = frames;
    const note = (at: number) => {
      frames.push(at);
      requestAnimationFrame(note);
    };
    requestAnimationFrame(note);
  });
  await page.keyboard.down("Shift");
  await page.mouse.down();
  for (let i = 0; i < 240; ++i) {
    await page.mouse.move(middle.x + 150 * Math.sin(i / 20), middle.y);
    await pause(8);
  }
  await page.mouse.up();
  await page.keyboard.up("Shift");
  const gaps = await page.evaluate(() => {
    const { frames } = window as unknown as { frames: number[] };
    return frames
      .slice(1)
      .map((at, i) => at - (frames[i] ?? at))
      .sort((a, b) => a - b);
  });
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
  line("panning 1e4 points: frames a second", (1000 / mean).toFixed(1));
  line("panning 1e4 points: 99 % of frames within", `${gaps[Math.floor(0.99 * gaps.length)]?.toFixed(1)} ms`);
  await context.close();
}, 60_000);

async function heap(session: CDPSession): Promise<number> {
  await session.send("HeapProfiler.collectGarbage");
  const { metrics } = await session.send("Performance.getMetrics");
  return (metrics.find(({ name }) => name === "JSHeapUsedSize")?.value ?? NaN) / 1e6;
}

test(
  "memory of a page that is left open",
  async () => {
    await server.make("busy", {
      optimizer: { name: "hct" },
      space: [{ name: "x", type: "real", low: 0, high: 1 }],
    });
    await server.play("busy", 2000, reward);
    const { page, context } = await openPage(`${server.url}/#/studies/busy`);
    const session = await context.newCDPSession(page);
    await session.send("Performance.enable");
    await pause(5000);
    const before = await heap(session);
    line("memory at the beginning", `${before.toFixed(1)} MB`);
    const end = Date.now() + 60_000 * MINUTES;
    let pulls = 0;
    for (let next = Date.now(); Date.now() < end; next += 1000) {
      await server.play("busy", 60, reward); // 120 events
      pulls += 60;
      await pause(Math.max(0, next + 1000 - Date.now()));
    }
    const after = await heap(session);
    line(
      `after ${MINUTES} minutes and ${2 * pulls} events`,
      `${after.toFixed(1)} MB, ${(after - before).toFixed(1)} more`,
    );
    await context.close();
  },
  60_000 * (MINUTES + 2),
);
