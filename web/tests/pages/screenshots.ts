// Pictures of every view, in both themes and at three widths, while a simulated system is tuned:
//   npm run screenshots            the pictures of README and docs, into docs/figures
//   CANOPY_SCREENSHOTS=FOLDER npm run screenshots    all of them, into that folder
import { cpSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { canopy, closeBrowser, noise, openPage, pause, Server } from "./harness";

const FIGURES = resolve(__dirname, "../../../docs/figures");
const FOLDER = process.env.CANOPY_SCREENSHOTS;
const server = new Server();

interface Mail {
  route: "east" | "west" | "north";
  share: number;
  workers: number;
  backoff_ms: number;
}

beforeAll(async () => {
  cpSync(resolve(__dirname, "../../../examples/page"), server.folder, { recursive: true });
  await canopy(["tune", "web-cache.toml", "--store", "studies.db"], server.folder);
  await server.start();
  const random = noise(5);
  await server.make("reserve-price", {
    space: [{ name: "price", type: "real", low: 0.05, high: 20, scale: "log" }],
  });
  await server.play(
    "reserve-price",
    900,
    ({ price }: { price: number }) => Math.exp(-((Math.log(price / 2.4) / 0.9) ** 2)) + 0.3 * random(),
  );
  await server.make("mail-routing", {
    direction: "minimize",
    space: [
      { name: "route", type: "choice", choices: ["east", "west", "north"] },
      { name: "share", type: "real", low: 0, high: 1 },
      { name: "workers", type: "integer", low: 1, high: 32 },
      { name: "backoff_ms", type: "real", low: 1, high: 5000, scale: "log" },
    ],
  });
  await server.play("mail-routing", 1500, ({ route, share, workers, backoff_ms }: Mail) => {
    const at = { east: 30, west: 12, north: 45 }[route];
    return (
      60 +
      at +
      120 * (share - 0.35) ** 2 +
      0.05 * (workers - 14) ** 2 +
      Math.abs(Math.log10(backoff_ms / 90)) +
      8 * random()
    );
  });
  await server.make("cache-by-hour", {
    space: [{ name: "ttl", type: "real", low: 1, high: 3600, scale: "log" }],
    context: [{ name: "hour", type: "real", period: 24 }],
  });
  await server.playIn(
    "cache-by-hour",
    1500,
    () => ({ hour: 12 + 12 * random() }),
    ({ ttl }: { ttl: number }, { hour }: { hour: number }) => {
      const best = hour < 7 || hour >= 22 ? 1200 : hour < 17 ? 40 : 8;
      const load = Math.sin((2 * Math.PI * (hour - 8)) / 24);
      return 0.85 - 0.1 * load - 0.12 * Math.log10(ttl / best) ** 2 + 0.04 * random();
    },
  );
  await server.make("untouched", { space: [{ name: "x", type: "real", low: 0, high: 1 }] });
}, 300_000);

afterAll(async () => {
  await closeBrowser();
  await server.stop();
});

async function picture(
  hash: string,
  file: string,
  options: { width: number; height?: number; theme: "light" | "dark"; whole?: boolean },
) {
  const { page, context, complaints } = await openPage(`${server.url}/${hash}`, options);
  await page.waitForLoadState("load");
  await pause(2500); // until the answers are drawn
  await page.screenshot({ path: file, fullPage: options.whole ?? true });
  await context.close();
  expect(complaints).toEqual([]);
}

test("the pictures of README and docs are taken", async () => {
  mkdirSync(FIGURES, { recursive: true });
  await picture("#/studies/web-cache", join(FIGURES, "page.png"), {
    width: 1280,
    height: 1690,
    theme: "light",
    whole: false,
  });
  await picture("#/studies/cache-by-hour", join(FIGURES, "page_policy.png"), {
    width: 1280,
    height: 1660,
    theme: "light",
    whole: false,
  });
  await picture("#/", join(FIGURES, "page_studies.png"), {
    width: 1280,
    height: 560,
    theme: "light",
    whole: false,
  });
  await picture("#/studies/mail-routing", join(FIGURES, "page_dark.png"), {
    width: 1280,
    height: 1500,
    theme: "dark",
    whole: false,
  });
}, 120_000);

test.runIf(FOLDER)(
  "every view is taken in both themes and at three widths",
  async () => {
    mkdirSync(FOLDER!, { recursive: true });
    const views: [string, string][] = [
      ["studies", "#/"],
      ["web-cache", "#/studies/web-cache"],
      ["reserve-price", "#/studies/reserve-price"],
      ["mail-routing", "#/studies/mail-routing"],
      ["cache-by-hour", "#/studies/cache-by-hour"],
      ["untouched", "#/studies/untouched"],
      ["nowhere", "#/studies/nowhere"],
      ["compare", "#/compare?study=reserve-price&study=mail-routing"],
      ["new", "#/new"],
      ["fork", "#/new?fork=web-cache"],
    ];
    for (const [name, hash] of views) {
      for (const theme of ["light", "dark"] as const) {
        for (const width of [360, 1280, 2560]) {
          await picture(hash, join(FOLDER!, `${name}-${theme}-${width}.png`), { width, theme });
        }
      }
    }
  },
  600_000,
);
