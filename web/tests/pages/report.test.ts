import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { canopy, closeBrowser, noise, openPage, pause, seriousFaults, Server } from "./harness";

const server = new Server();
const NAME = "three knobs";
const file = join(server.folder, "a.html");

beforeAll(async () => {
  await server.start();
  const random = noise(3);
  await server.make(NAME, {
    space: [
      { name: "x", type: "real", low: 0, high: 1 },
      { name: "size", type: "integer", low: 1, high: 10, step: 4 },
      { name: "word", type: "choice", choices: ["lru", "lfu", "fifo"] },
    ],
  });
  await server.play(NAME, 300, ({ x }: { x: number }, i) =>
    i % 50 === 7 ? null : 1 - (x - 0.3) ** 2 + 0.1 * random(),
  );
  await server.ask("POST", `/v1/studies/${encodeURIComponent(NAME)}/commands`, { command: "end" });
  await server.kill();
  await canopy(["report", NAME, "--store", "studies.db", "--out", file], server.folder);
});

afterAll(async () => {
  await closeBrowser();
  await server.stop();
});

/** Checks that the page shows no error and no missing data. */
async function isWhole(page: Page, where: string) {
  await pause(150);
  const text = await page.evaluate(() => document.body.innerText);
  expect(text, where).not.toMatch(/does not include|could not be displayed|request failed/i);
  expect(text, where).not.toMatch(/NaN|undefined|\[object/);
}

/** Chooses every value of every menu, one after the other. */
async function goThroughMenus(page: Page, where: string) {
  for (const menu of await page.locator("select.knob-menu").all()) {
    const values = await menu
      .locator("option")
      .evaluateAll((all) => all.map((each) => each.textContent ?? ""));
    for (const value of values) {
      await menu.selectOption(value);
      await isWhole(page, `${where}, ${value}`);
    }
  }
}

test("a report has all data that its page can request, and sends no requests", async () => {
  const { page, context, complaints, requests } = await openPage(pathToFileURL(file).href);
  await page.getByRole("heading", { level: 1, name: NAME }).waitFor();
  await pause(1000);
  await isWhole(page, "at first");
  for (const words of ["Time", "Pulls", "Two knobs"]) {
    await page.getByRole("button", { name: words, exact: true }).click();
    await isWhole(page, words);
  }
  await goThroughMenus(page, "two knobs");
  await page.getByRole("button", { name: "One knob", exact: true }).click();
  await isWhole(page, "one knob");
  await goThroughMenus(page, "one knob");
  for (const words of ["Failures", "Commands", "Tuner", "Settings", "All"]) {
    await page
      .getByRole("group", { name: "Filter events by kind" })
      .getByText(words, { exact: true })
      .click();
    await isWhole(page, words);
  }
  for (const part of await page.locator("details > summary").all())
    if (await part.isVisible()) await part.click();
  await isWhole(page, "everything open");
  expect(await seriousFaults(page)).toEqual([]);
  expect(requests.filter((url) => !/^(file|data|blob):/.test(url))).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});

test("a report of a study without rewards says so", async () => {
  await server.start();
  await server.make("nothing yet", { space: [{ name: "x", type: "real", low: 0, high: 1 }] });
  await server.kill();
  const empty = join(server.folder, "b.html");
  await canopy(["report", "nothing yet", "--store", "studies.db", "--out", empty], server.folder);
  const { page, context, complaints } = await openPage(pathToFileURL(empty).href);
  await page.getByRole("heading", { level: 1, name: "nothing yet" }).waitFor();
  await pause(1000);
  await isWhole(page, "nothing yet");
  expect(complaints).toEqual([]);
  await context.close();
});
