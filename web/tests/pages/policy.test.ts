import { afterAll, beforeAll, expect, test } from "vitest";
import { closeBrowser, noise, openPage, pause, seriousFaults, Server } from "./harness";

const server = new Server();
const TITLE = "What to set, and when";
const space = [{ name: "ttl", type: "real", low: 1, high: 1000, scale: "log" }];
const hour = { name: "hour", type: "real", period: 24 };
const load = { name: "load", type: "real", low: 0, high: 1 };
const tenant = { name: "tenant", type: "choice", choices: ["a", "b"] };

interface Seen {
  hour: number;
  load: number;
  tenant: string;
}

beforeAll(async () => {
  await server.start();
  const random = noise(2);
  const reward = ({ ttl }: { ttl: number }, context: Partial<Seen>) => {
    const isDay = Math.abs((context.hour ?? 12) - 12) < 6;
    const best = isDay ? ((context.load ?? 0) > 0.5 ? 0.5 : 0.2) : 0.9;
    return 1 - 2 * Math.abs(Math.log10(ttl) / 3 - best) + 0.05 * random();
  };
  for (const [name, context] of [
    ["one", [hour]],
    ["two", [hour, load]],
    ["three", [hour, load, tenant]],
  ] as const) {
    await server.make(name, { space, context });
    const names = context.map((variable) => variable.name);
    const draw = () => {
      const all = { hour: 12 + 12 * random(), load: (1 + random()) / 2, tenant: random() > 0 ? "a" : "b" };
      return Object.fromEntries(Object.entries(all).filter(([key]) => names.includes(key))) as Partial<Seen>;
    };
    await server.playIn(name, 300, draw, reward);
  }
  await server.make("untouched", { space, context: [hour] });
  await server.make("without", { space });
  await server.play("without", 20, () => 0.5);
});

afterAll(async () => {
  await closeBrowser();
  await server.stop();
});

const study = (name: string) => `${server.url}/#/studies/${name}`;
const card = "section.card:has(#policy)";

test.each(["one", "two", "three"])(
  "the policy of %s contexts is a table, and a picture of up to two",
  async (name) => {
    for (const theme of ["light", "dark"] as const) {
      const { page, context, complaints } = await openPage(study(name), { theme });
      const policy = page.locator(card);
      await policy.locator("tbody tr").nth(1).waitFor();
      expect(await policy.locator(".policy-bar").count()).toBeGreaterThanOrEqual(name === "one" ? 3 : 0);
      expect((await policy.locator(".policy-tile").count()) > 1).toBe(name === "two");
      await pause(1000);
      expect(await page.evaluate(() => document.body.innerText)).not.toMatch(
        /NaN|undefined|\[object|could not be displayed/,
      );
      expect(await seriousFaults(page)).toEqual([]);
      expect(complaints).toEqual([]);
      await context.close();
    }
  },
);

test("the best setting says for which context it is, and leads to the policy", async () => {
  const { page, context } = await openPage(study("one"));
  const note = page.getByRole("note").filter({ hasText: "This is for the last observed context" });
  await note.getByRole("link", { name: TITLE }).click();
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(TITLE);
  expect(page.url()).toBe(study("one"));
  await context.close();
});

test("the arrows move between regions and say what is there", async () => {
  const { page, context } = await openPage(study("two"));
  const picture = page.locator(card).getByRole("application");
  await picture.focus();
  await picture.press("ArrowRight");
  await page.locator(card).locator(".tip", { hasText: "ttl" }).waitFor();
  await page
    .locator(card)
    .getByRole("status")
    .filter({ hasText: "setting ttl" })
    .waitFor({ state: "attached" });
  await context.close();
});

test("nothing is wider than a telephone's screen", async () => {
  const { page, context } = await openPage(study("two"), { width: 360 });
  await page.locator(card).locator("tbody tr").first().waitFor();
  await pause(500);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  await context.close();
});

test("a study that has learnt nothing says so, and one without contexts has no policy", async () => {
  const first = await openPage(study("untouched"));
  await first.page.locator(card).getByText("There is no reward yet.").waitFor();
  expect(first.complaints).toEqual([]);
  await first.context.close();
  const second = await openPage(study("without"));
  await second.page.getByRole("heading", { name: "What do we know?" }).waitFor();
  await pause(500);
  expect(await second.page.locator(card).count()).toBe(0);
  expect(second.requests.filter((url) => url.endsWith("/policy"))).toEqual([]);
  await second.context.close();
});
