// Pictures of the live page while `make demo` runs: docs/figures/demo.png, and the frames of an animation into the folder CANOPY_FRAMES.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, expect, test } from "vitest";
import { closeBrowser, openPage, pause, TOOL } from "./harness";

const ROOT = resolve(__dirname, "../../..");
const FRAMES = process.env.CANOPY_FRAMES;
const CARD_HEIGHT = 405;
const out = mkdtempSync(join(tmpdir(), "canopy-demo-"));

afterAll(async () => {
  await closeBrowser();
  rmSync(out, { recursive: true, force: true });
});

test("the pictures of the demo are taken while it runs", async () => {
  const demo = spawn("python3", [join(ROOT, "examples/demo/demo.py")], {
    env: { ...process.env, CANOPY: TOOL, OUT: out },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let story = "";
  demo.stdout.setEncoding("utf8").on("data", (piece: string) => (story += piece));
  const ended = new Promise((done) => demo.on("exit", done));
  const until = async (part: RegExp) => {
    while (!part.test(story)) {
      if (demo.exitCode !== null) throw new Error(`demo.py: ${story}`);
      await pause(50);
    }
    return story.match(part)![0];
  };

  const address = await until(/http\S+workers/);
  if (FRAMES) {
    mkdirSync(FRAMES, { recursive: true });
    const { page } = await openPage(address, { width: 1000, height: 2800, theme: "light" });
    const card = async (title: string, file: string) => {
      const box = await page
        .locator("section", { has: page.getByRole("heading", { name: title }) })
        .boundingBox();
      if (box) await page.screenshot({ path: join(FRAMES, file), clip: { ...box, height: CARD_HEIGHT } });
    };
    for (let i = 100; !/Thu 23:59/.test(story); ++i) {
      await card("What to set, and when", `${i}-a.png`);
      await card("How is it going?", `${i}-b.png`);
      await pause(700);
    }
  }
  await until(/Thu 23:59 {2}workers/);
  const { page, complaints } = await openPage(address, { width: 1280, height: 1080, theme: "light" });
  await page.waitForLoadState("load");
  await pause(2500); // until the answers are drawn
  await page.screenshot({ path: join(ROOT, "docs/figures/demo.png") });
  expect(complaints).toEqual([]);
  expect(await ended).toBe(0);
}, 200_000);
