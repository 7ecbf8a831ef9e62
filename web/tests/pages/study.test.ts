import { afterAll, beforeAll, expect, test } from "vitest";
import { closeBrowser, noise, openPage, pause, seriousFaults, Server } from "./harness";

const server = new Server();
const QUESTIONS = [
  "What is the best setting, and how sure are we?",
  "How is it going?",
  "What do we know?",
  "Where has it looked?",
  "What happened?",
  "How is it set up?",
];

beforeAll(async () => {
  await server.start();
  const random = noise(1);
  await server.make("one knob", { space: [{ name: "x", type: "real", low: 0.1, high: 100, scale: "log" }] });
  await server.play(
    "one knob",
    400,
    ({ x }: { x: number }) => 1 - Math.log10(x / 3) ** 2 / 4 + 0.3 * random(),
  );
});

afterAll(async () => {
  await closeBrowser();
  await server.stop();
});

const study = (name: string) => `${server.url}/#/studies/${encodeURIComponent(name)}`;

test("a study answers every question, in both themes, and axe finds nothing serious", async () => {
  for (const theme of ["light", "dark"] as const) {
    const { page, context, complaints } = await openPage(study("one knob"), { theme });
    for (const question of QUESTIONS) await page.getByRole("heading", { name: question }).waitFor();
    await page.getByText("95").first().waitFor();
    await pause(1000);
    expect(await seriousFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  }
});

test("nothing is wider than the screen, from 360 pixels on", async () => {
  for (const width of [360, 768, 2560]) {
    const { page, context } = await openPage(study("one knob"), { width });
    await page.getByRole("heading", { name: QUESTIONS[0] }).waitFor();
    await pause(1000);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow, `at ${width} pixels`).toBeLessThanOrEqual(0);
    await context.close();
  }
});

test("the page lives: what is told is seen without a reload", async () => {
  const { pulls } = await server.ask<{ pulls: number }>("GET", "/v1/studies/one%20knob");
  const { page, context, complaints } = await openPage(study("one knob"));
  const tile = page.locator(".tile", { hasText: "Its pulls" });
  await tile.getByText(`of ${pulls}`, { exact: true }).waitFor();
  await server.play("one knob", 40, () => 0.5);
  await tile.getByText(`of ${pulls + 40}`, { exact: true }).waitFor({ timeout: 10_000 });
  expect(complaints).toEqual([]);
  await context.close();
});

test("a page whose server was killed says so, and goes on when it is back", async () => {
  const { page, context, complaints } = await openPage(study("one knob"));
  await page.getByRole("heading", { name: QUESTIONS[0] }).waitFor();
  await server.kill();
  await page.locator(".banner", { hasText: "The server does not answer" }).waitFor();
  expect(await page.getByRole("heading", { name: QUESTIONS[1] }).isVisible()).toBe(true);
  await server.start();
  await page
    .locator(".banner", { hasText: "The server does not answer" })
    .waitFor({ state: "hidden", timeout: 20_000 });
  await expect.poll(() => page.locator(".failure").count(), { timeout: 30_000 }).toBe(0); // every part is there again
  expect(complaints).toEqual([]);
  await context.close();
});

test("a study that is not there is said to be so", async () => {
  const { page, context } = await openPage(study("nowhere"));
  await page.getByText("There is no study nowhere.").waitFor();
  await context.close();
});

const HOSTILE = "<img src=x onerror=alert(1)> \"'& 🌲";

test("a study with hostile names is shown as it is called, and runs nothing", async () => {
  await server.make(HOSTILE, {
    space: [
      { name: "<img src=x onerror=alert(2)>", type: "real", low: 0, high: 1 },
      { name: "b", type: "choice", choices: ["</script><script>alert(3)</script>", "2"] },
    ],
  });
  await server.play(HOSTILE, 60, () => 0.5);
  const { page, context, complaints } = await openPage(study(HOSTILE));
  await page.getByRole("heading", { level: 1, name: HOSTILE }).waitFor();
  await pause(2000);
  expect(complaints).toEqual([]);
  await context.close();
});

const many = (count: number) => Array.from({ length: count }, (_, i) => i);

test.each([
  ["no events", { space: [{ name: "x", type: "real", low: 0, high: 1 }] }, 0, () => 0],
  ["one event", { space: [{ name: "x", type: "real", low: 0, high: 1 }] }, 1, () => 0.5],
  ["rewards that never differ", { space: [{ name: "x", type: "real", low: 0, high: 1 }] }, 60, () => 3],
  [
    "tiny rewards",
    { space: [{ name: "x", type: "real", low: 0, high: 1 }] },
    60,
    (i: number) => 1e-9 * (i % 7),
  ],
  [
    "huge rewards",
    { space: [{ name: "x", type: "real", low: 0, high: 1 }] },
    60,
    (i: number) => -1e12 * (i % 7),
  ],
  [
    "thirty knobs",
    { space: many(30).map((i) => ({ name: `knob_${i}`, type: "real", low: 0, high: 1 })) },
    200,
    (i: number) => i % 3,
  ],
  [
    "a choice of 200 values",
    { space: [{ name: "word", type: "choice", choices: many(200).map((i) => `value ${i}`) }] },
    300,
    (i: number) => i % 5,
  ],
  [
    "no tree",
    { optimizer: { name: "random" }, space: [{ name: "x", type: "integer", low: 1, high: 9 }] },
    30,
    (i: number) => i,
  ],
  [
    "rewards to minimize",
    { direction: "minimize", space: [{ name: "x", type: "real", low: 0, high: 1 }] },
    60,
    (i: number) => i % 7,
  ],
  [
    "a step that misses the high end",
    { space: [{ name: "x", type: "integer", low: 1, high: 10, step: 4 }] },
    60,
    (i: number) => i % 7,
  ],
  [
    "failures",
    { space: [{ name: "x", type: "real", low: 0, high: 1 }] },
    60,
    (i: number) => (i % 5 === 2 ? null : i % 7),
  ],
  ["failures alone", { space: [{ name: "x", type: "real", low: 0, high: 1 }] }, 5, () => null],
] as [name: string, specification: object, pulls: number, reward: (i: number) => number | null][])(
  "a study with %s has every part, and nothing goes wrong",
  async (name, specification, pulls, reward) => {
    await server.make(name, specification);
    await server.play(name, pulls, (_arm: unknown, i) => reward(i));
    const { page, context, complaints } = await openPage(study(name));
    for (const question of QUESTIONS) await page.getByRole("heading", { name: question }).waitFor();
    await pause(1500);
    const text = await page.evaluate(() => document.body.innerText);
    expect(text).not.toMatch(/NaN|undefined|\[object|could not be displayed/);
    expect(complaints).toEqual([]);
    await context.close();
  },
);
