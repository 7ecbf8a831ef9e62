import { spawn, type ChildProcess } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { canopy, closeBrowser, openPage, Server, TOOL } from "./harness";

// A real tuner runs a study on a server with tokens, and users steer it from the page.
const server = new Server();
let admin = "";
let reader = "";
let tuner: ChildProcess;

beforeAll(async () => {
  const token = async (name: string, role: string) => {
    const said = await canopy(["token", "new", "--name", name, "--role", role], server.folder);
    return /canopy_[0-9a-f]+/.exec(said)![0];
  };
  admin = await token("alice", "admin");
  reader = await token("bob", "read");
  await server.start(["--tokens", "canopy-tokens.toml"]);
  writeFileSync(
    join(server.folder, "tuned.toml"),
    `name = "tuned"
[[space]]
name = "x"
low = 0.0
high = 1.0
[system]
measure = "awk -v x={x} 'BEGIN {{ print 1 - (x - 0.3)^2 }}'"
[baseline]
setting = { x = 0.9 }
every = 50
`,
  );
  tuner = spawn(TOOL, ["tune", "tuned.toml", "--server", server.url], {
    cwd: server.folder,
    env: { ...process.env, CANOPY_TOKEN: admin },
    stdio: "ignore",
  });
});

afterAll(async () => {
  tuner.kill("SIGKILL");
  await closeBrowser();
  await server.stop();
});

const place = () => `${server.url}/#/studies/tuned`;

test("a user without a token is asked for one, and a wrong one is refused", async () => {
  const { page, context } = await openPage(place());
  await page.getByLabel("Token").fill("nonsense");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("there is no such token").waitFor();
  await page.getByLabel("Token").fill(admin);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { level: 1, name: "tuned" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { level: 1, name: "tuned" }).waitFor();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByLabel("Token").waitFor();
  await context.close();
});

test("a token for looking sees no buttons, and why", async () => {
  const { page, context } = await openPage(place(), { token: reader });
  await page.getByText("Your token is read-only.").waitFor();
  expect(await page.getByRole("button", { name: "Pause" }).count()).toBe(0);
  expect(await page.getByRole("link", { name: "New study" }).count()).toBe(0);
  await context.close();
});

test("a tuner can be paused, resumed, held, sent to the baseline, told to confirm, and ended", async () => {
  const { page, context, complaints } = await openPage(place(), { token: admin });
  const command = async (name: string) => {
    const button = page.getByRole("button", { name, exact: true });
    await page.waitForTimeout(1200); // until the buttons reflect the last command
    if (!(await button.isVisible())) {
      await page.locator(".menu > summary").click();
      await page.locator(".menu-item", { hasText: name }).click();
    } else {
      await button.click();
    }
  };
  const noted = (name: string) =>
    page.getByText(new RegExp(`${name}: accepted at .* as event \\d+`)).waitFor();
  await page.getByRole("button", { name: "Pause" }).waitFor();
  for (const name of [
    "Pause",
    "Resume",
    "Hold the current setting",
    "Resume",
    "Back to the baseline",
    "Resume",
  ]) {
    await command(name);
    await noted(name);
  }
  await command("Confirm");
  await page.getByLabel("Maximum pulls, both settings together").fill("40");
  await page.getByRole("button", { name: "Compare" }).click();
  await page.getByText(/accepted at/).waitFor();
  await command("End");
  await page.getByRole("button", { name: "End it" }).click();
  await page.getByText("finished").first().waitFor();
  const { events } = await server.ask<{ events: { by: string; command: string }[] }>(
    "GET",
    "/v1/studies/tuned/events?order=newest&kinds=command",
    undefined,
    reader,
  );
  expect(events.map((event) => event.command).reverse()).toEqual([
    "pause",
    "resume",
    "hold",
    "resume",
    "baseline",
    "resume",
    "confirm",
    "end",
  ]);
  expect(new Set(events.map((event) => event.by))).toEqual(new Set(["alice"]));
  await page.getByRole("button", { name: "Commands", exact: true }).click();
  await page.getByText("alice").first().waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test("a study is made from the form, checked as one types, forked, and deleted when its name is typed", async () => {
  const { page, context, complaints } = await openPage(`${server.url}/#/new`, { token: admin });
  await page.getByLabel("Name").first().fill("made here");
  const file = page.getByRole("textbox", { name: /study file/i });
  await file.fill('[[space]]\nname = "speed"\nlow = 3.0\nhigh = 2.0\n');
  await page.getByText(/high/).first().waitFor();
  await file.fill('[[space]]\nname = "speed"\nlow = 1.0\nhigh = 2.0\n');
  await page.getByRole("button", { name: /make|create/i }).click();
  await page.getByRole("heading", { level: 1, name: "made here" }).waitFor();

  await page.locator(".menu > summary").click();
  await page.locator(".menu-item", { hasText: "Fork" }).click();
  await page.getByLabel("Name").first().fill("forked here");
  await page.getByRole("button", { name: /fork|make|create/i }).click();
  await page.getByRole("heading", { level: 1, name: "forked here" }).waitFor();

  await page.locator(".menu > summary").click();
  await page.locator(".menu-item", { hasText: "Delete" }).click();
  const erase = page.getByRole("button", { name: "Delete it" });
  expect(await erase.isDisabled()).toBe(true);
  await page.getByLabel("Type its name to delete it").fill("forked here");
  await erase.click();
  await page.getByRole("heading", { level: 1, name: "Studies" }).waitFor();
  await page.getByRole("link", { name: "made here" }).waitFor();
  expect(await page.getByRole("link", { name: "forked here" }).count()).toBe(0);
  expect(complaints).toEqual([]);
  await context.close();
});
