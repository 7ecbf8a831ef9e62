import { afterAll, beforeAll, expect, test } from "vitest";
import { closeBrowser, openPage, seriousFaults, Server } from "./harness";

const server = new Server();
const SPACE = [{ name: "x", type: "real", low: 0, high: 1 }];

beforeAll(async () => {
  await server.start();
});

afterAll(async () => {
  await closeBrowser();
  await server.stop();
});

test("a server without studies says how to make the first one", async () => {
  const { page, context, complaints } = await openPage(server.url);
  await page.getByText("There are no studies yet.").waitFor();
  await page.getByText("canopy tune STUDY.toml --server").waitFor();
  expect(await seriousFaults(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});

test("studies are found, filtered and sorted, and the address remembers how", async () => {
  for (let i = 0; i < 120; ++i) await server.make(`study ${String(i).padStart(3, "0")}`, { space: SPACE });
  await server.make("cache", { space: SPACE });
  await server.play("cache", 200, ({ x }: { x: number }) => 1 - (x - 0.3) ** 2);
  await server.ask("POST", "/v1/studies/cache/commands", { command: "end" });
  const { page, context, complaints } = await openPage(server.url);
  const rows = page.locator("tbody tr");
  await page.getByText("50 of 121 studies").waitFor();
  expect(await rows.count()).toBe(50);
  await page.getByRole("button", { name: "Show 50 more" }).click();
  await page.getByText("100 of 121 studies").waitFor();

  await page.getByLabel("Search studies by name").fill("study 11");
  await page.getByText("11 studies").waitFor();
  await page.getByRole("button", { name: "Study", exact: true }).click();
  await expect.poll(() => rows.first().innerText()).toContain("study 011");
  await page.reload();
  await page.getByText("11 studies").waitFor();

  await page.getByLabel("Search studies by name").fill("");
  await page.getByRole("button", { name: /^finished/ }).click();
  await page.getByText("1 study", { exact: true }).waitFor();
  await expect.poll(() => rows.first().innerText()).toContain("cache");
  await expect.poll(() => rows.first().innerText()).toContain("200");
  expect(await seriousFaults(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});

test("a study that is made appears without a reload", async () => {
  const { page, context } = await openPage(`${server.url}/#/?q=newcomer`);
  await page.getByText("No study matches.").waitFor();
  await server.make("newcomer", { space: SPACE });
  await page.getByRole("link", { name: "newcomer" }).waitFor({ timeout: 10_000 });
  await context.close();
});

test("two studies that are chosen are drawn over each other, in pulls and in hours", async () => {
  await server.make("rival", { space: SPACE });
  await server.play("rival", 100, ({ x }: { x: number }) => 1 - (x - 0.6) ** 2);
  const { page, context, complaints } = await openPage(server.url);
  for (const name of ["cache", "rival"]) {
    await page
      .getByRole("row", { name: new RegExp(`^.*${name}`) })
      .getByRole("checkbox")
      .check();
  }
  await page.getByRole("link", { name: "Compare", exact: true }).last().click();
  await page.locator(".uplot canvas").first().waitFor();
  expect(decodeURIComponent(page.url())).toContain("study=cache&study=rival");
  await page
    .getByRole("button", { name: /hours/i })
    .or(page.getByRole("radio", { name: /hours/i }))
    .first()
    .click();
  await page.locator(".uplot canvas").first().waitFor();
  expect(await seriousFaults(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});

test("a list whose server was killed stays, says so, and goes on when it is back", async () => {
  const { page, context } = await openPage(`${server.url}/#/?q=cache`);
  await page.getByRole("link", { name: "cache" }).waitFor();
  await server.kill();
  await page.locator(".banner", { hasText: "The server does not answer" }).waitFor({ timeout: 15_000 });
  expect(await page.getByRole("link", { name: "cache" }).isVisible()).toBe(true);
  await server.start();
  await page
    .locator(".banner", { hasText: "The server does not answer" })
    .waitFor({ state: "hidden", timeout: 20_000 });
  await context.close();
});
