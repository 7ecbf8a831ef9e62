import { afterAll, beforeAll, expect, test } from "vitest";
import { closeBrowser, openPage, seriousFaults, Server } from "./harness";

// The form and the text of a study file. The server converts each into the other.
const server = new Server();

beforeAll(async () => {
  await server.start();
  await server.make("taken", { space: [{ name: "x", type: "real", low: 0, high: 1 }] });
});

afterAll(async () => {
  await closeBrowser();
  await server.stop();
});

async function openForm(address = "new") {
  const opened = await openPage(`${server.url}/#/${address}`);
  const { page } = opened;
  const file = page.getByRole("textbox", { name: /study file/i });
  await file.waitFor();
  const knob = (name: string) => page.getByRole("group", { name, exact: true });
  const untilFileHas = (text: string) =>
    page.waitForFunction(
      (wanted) => document.querySelector<HTMLTextAreaElement>("#study-file")!.value.includes(wanted),
      text,
    );
  return { ...opened, file, knob, untilFileHas };
}

test("what is typed in the form is written into the file, and the other way round", async () => {
  const { page, context, complaints, file, knob, untilFileHas } = await openForm();
  await untilFileHas('name = "x"\ntype = "real"\nlow = 0.0\nhigh = 1.0');
  await knob("x").getByLabel("To").fill("250");
  await untilFileHas("high = 250.0");
  await page.getByLabel("Goal").selectOption("minimize");
  await untilFileHas('direction = "minimize"');
  await page.getByLabel("Optimizer").selectOption("hct");
  await untilFileHas('[optimizer]\nname = "hct"');
  await page.getByRole("button", { name: "Add a knob" }).click();
  await knob("knob_2").getByLabel("Kind").selectOption("choice");
  await untilFileHas('choices = ["a", "b"]');
  await knob("knob_2").getByRole("button", { name: /up/ }).click();
  await page.waitForFunction(() =>
    /knob_2[^]*name = "x"/.test(document.querySelector<HTMLTextAreaElement>("#study-file")!.value),
  );

  await file.fill('# ours\nspace = [{ name = "ttl", low = 1, high = 60, scale = "log" }]\n');
  await knob("ttl").waitFor();
  expect(await knob("ttl").getByLabel("To").inputValue()).toBe("60");
  expect(await knob("ttl").getByLabel("Scale").inputValue()).toBe("log");
  expect(await page.getByLabel("Optimizer").inputValue()).toBe("adaptive");
  await page.getByText("removes the comments").waitFor();
  expect(await seriousFaults(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});

test("a mistake stands at its line and at its knob, and what is not TOML leaves the form as it was", async () => {
  const { page, context, file, knob } = await openForm();
  await knob("x").getByLabel("From").fill("7");
  await knob("x")
    .getByText(/must be below/)
    .waitFor();
  await page.getByRole("button", { name: "Line 4" }).click();
  await file.fill("[[space]\n");
  await page.getByText("The form is disabled until").waitFor();
  expect(await knob("x").getByLabel("From").isDisabled()).toBe(true);
  await context.close();
});

test("a name that is taken is refused while it is typed", async () => {
  const { page, context } = await openForm();
  const button = page.getByRole("button", { name: "Create the study" });
  await page.getByLabel("Name").first().fill("taken");
  await page.getByText("there already is a study taken").waitFor();
  expect(await button.isDisabled()).toBe(true);
  await page.getByLabel("Name").first().fill("free");
  await button.and(page.locator(":enabled")).click();
  await page.getByRole("heading", { level: 1, name: "free" }).waitFor();
  await context.close();
});

test("a fork says what it begins with, as it is edited", async () => {
  const { page, context, knob } = await openForm("new?fork=taken");
  await page.getByText("begins with the whole journal").waitFor();
  await knob("x").getByLabel("To").fill("2");
  await page.getByText("begins with the rewards of every setting").waitFor();
  await knob("x").getByLabel("Name").fill("y");
  await page.getByText("begins with nothing").waitFor();
  await context.close();
});

test("of many quick edits the last one counts, and a server that was away is asked again", async () => {
  const { page, context, complaints, file, knob, untilFileHas } = await openForm();
  await untilFileHas("high = 1.0");
  await page.route("**/v1/checks", async (route) => {
    const { specification } = route.request().postDataJSON() as {
      specification?: { space: { high: number }[] };
    };
    if (specification?.space[0]?.high === 2) await new Promise((done) => setTimeout(done, 1500));
    await route.continue().catch(() => undefined); // the page has cancelled the request
  });
  await knob("x").getByLabel("To").fill("2");
  await page.waitForTimeout(400); // the request is on its way
  await knob("x").getByLabel("To").fill("3");
  await untilFileHas("high = 3.0");
  await page.waitForTimeout(1600);
  expect(await file.inputValue()).toContain("high = 3.0");
  await page.unroute("**/v1/checks");

  await server.kill();
  await knob("x").getByLabel("To").fill("4");
  await page.getByText("The file could not be checked").waitFor();
  expect(await knob("x").getByLabel("To").inputValue()).toBe("4");
  await server.start();
  await untilFileHas("high = 4.0");
  expect(await page.getByText("The file could not be checked").count()).toBe(0);
  expect(complaints).toEqual([]);
  await context.close();
});
