import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import axe from "axe-core";
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";

export const TOOL = process.env.CANOPY ?? resolve(__dirname, "../../../build/canopy");
const BROWSER = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** A free port below the range of ephemeral ports, which a page that reconnects could otherwise be given. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(10_000 * Math.random());
    const isFree = await new Promise<boolean>((done) => {
      const probe = createServer();
      probe.once("error", () => done(false));
      probe.listen(port, "127.0.0.1", () => probe.close(() => done(true)));
    });
    if (isFree) return port;
  }
}

/** Runs canopy until it exits and returns its output. */
export function canopy(words: string[], folder: string): Promise<string> {
  return new Promise((done, failed) => {
    const child = spawn(TOOL, words, { cwd: folder });
    let out = "";
    child.stdout.on("data", (piece) => (out += piece));
    child.stderr.on("data", (piece) => (out += piece));
    child.on("exit", (status) =>
      status === 0 ? done(out) : failed(new Error(`canopy ${words.join(" ")}: ${out}`)),
    );
  });
}

/** A real `canopy serve` with a store of its own. */
export class Server {
  readonly folder = mkdtempSync(join(tmpdir(), "canopy-page-"));
  private child: ChildProcess | null = null;
  private port = 0;

  get url() {
    return `http://127.0.0.1:${this.port}`;
  }

  async start(words: string[] = []) {
    this.port ||= await freePort();
    this.child = spawn(
      TOOL,
      ["serve", "--listen", `127.0.0.1:${this.port}`, "--store", "studies.db", ...words],
      {
        cwd: this.folder,
        stdio: "ignore",
      },
    );
    for (let i = 0; i < 200; ++i) {
      if (
        await fetch(`${this.url}/healthz`).then(
          (answer) => answer.ok,
          () => false,
        )
      )
        return this;
      await pause(50);
    }
    throw new Error("canopy serve does not answer");
  }

  /** Kills the server without warning, like a power cut. */
  async kill() {
    const child = this.child;
    this.child = null;
    if (!child || child.exitCode !== null) return;
    const gone = new Promise((done) => child.once("exit", done));
    child.kill("SIGKILL");
    await gone;
  }

  async stop() {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async ask<T>(method: string, path: string, body?: unknown, token?: string): Promise<T> {
    const headers: Record<string, string> = { "Content-Type": "application/json" };
    if (token) headers.Authorization = `Bearer ${token}`;
    const answer = await fetch(this.url + path, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
    return (answer.status === 204 ? null : await answer.json()) as T;
  }

  async make(name: string, specification: unknown) {
    await this.ask("POST", "/v1/studies", { name, specification });
  }

  /** Makes `pulls` pulls in the contexts of `contextOf`. */
  async playIn<Arm, Context>(
    name: string,
    pulls: number,
    contextOf: (i: number) => Context,
    reward: (arm: Arm, context: Context) => number,
  ) {
    const path = `/v1/studies/${encodeURIComponent(name)}`;
    for (let i = 0; i < pulls; ++i) {
      const context = contextOf(i);
      const { tickets } = await this.ask<{ tickets: { ticket: string; arm: Arm }[] }>(
        "POST",
        `${path}/asks`,
        { context, pulls: 1 },
      );
      const tells = tickets.map(({ ticket, arm }) => ({ ticket, reward: reward(arm, context) }));
      await this.ask("POST", `${path}/tells`, { tells });
    }
  }

  /** Makes `pulls` pulls with the rewards of a function; null is a failure. */
  async play<Arm>(name: string, pulls: number, reward: (arm: Arm, i: number) => number | null) {
    const path = `/v1/studies/${encodeURIComponent(name)}`;
    for (let i = 0; i < pulls;) {
      const count = Math.min(20, pulls - i);
      const { tickets } = await this.ask<{ tickets: { ticket: number; arm: Arm }[] }>(
        "POST",
        `${path}/asks`,
        { count, pulls: 1 },
      );
      const tells = tickets.map(({ ticket, arm }) => {
        const found = reward(arm, i++);
        return found === null ? { ticket, failed: true, reward: -1 } : { ticket, reward: found };
      });
      await this.ask("POST", `${path}/tells`, { tells });
    }
  }
}

export const pause = (milliseconds: number) => new Promise((done) => setTimeout(done, milliseconds));

/** Reproducible noise, uniform in -1 to 1. */
export function noise(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return state / 2 ** 31;
  };
}

let browser: Browser | null = null;

/** A page in a fresh browser context; its errors fail the test. */
export async function openPage(
  url: string,
  options: { width?: number; height?: number; theme?: "light" | "dark"; token?: string } = {},
): Promise<{ page: Page; context: BrowserContext; complaints: string[]; requests: string[] }> {
  browser ??= await chromium.launch({ executablePath: BROWSER, args: ["--no-sandbox"] });
  const context = await browser.newContext({
    viewport: { width: options.width ?? 1280, height: options.height ?? 900 },
    colorScheme: options.theme ?? "light",
    timezoneId: "UTC",
  });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000); // machines may be busy
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  page.on("dialog", (dialog) => {
    complaints.push(`A dialog says ${dialog.message()}`); // the page has no dialogs, so injected text was executed
    void dialog.dismiss();
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    // The page itself reports refused and unanswered requests.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
      complaints.push(message.text());
    }
  });
  if (options.token) {
    const token = options.token;
    await page.addInitScript((secret) => sessionStorage.setItem("canopy-token", secret), token);
  }
  await page.goto(url);
  return { page, context, complaints, requests };
}

export async function closeBrowser() {
  await browser?.close();
  browser = null;
}

/** The folder of screenshots. */
export function screenshotFolder(): string {
  const folder = process.env.CANOPY_SCREENSHOTS ?? resolve(__dirname, "../../screenshots");
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** The serious findings of axe, in short. */
export async function seriousFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => (window as unknown as { axe: typeof axe }).axe.run());
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 120)).join(" | ")}`);
}
