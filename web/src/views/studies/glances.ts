import { mayPass, Refusal } from "../../api/source";
import type { Glance } from "../../api/types";

const AT_ONCE = 4;
const SECONDS_BETWEEN = 4; // between two requests for one study

interface Known {
  glance: Glance | null; // null: the server has none
  events: number; // NaN: must be requested again
  at: number;
}

/** Summaries of studies for the list, requested a few at a time when a visible study has new events. */
export class Glances {
  private readonly all = new Map<string, Known>();
  private readonly waiting = new Map<string, number>();
  private readonly asked = new Set<string>();
  private readonly listeners = new Set<() => void>();

  constructor(
    private readonly ask: (name: string) => Promise<Glance>,
    private readonly clock: () => number = () => Date.now() / 1000,
  ) {}

  get(name: string): Glance | null {
    return this.all.get(name)?.glance ?? null;
  }

  /** The last answer, as a new object each time; undefined before the first. */
  known(name: string): Readonly<Known> | undefined {
    return this.all.get(name);
  }

  /** Requests the glance of a visible study, unless the known one is fresh: `events` is its number of events. */
  want(name: string, events: number) {
    const known = this.all.get(name);
    const isFresh = known && (known.events === events || this.clock() - known.at < SECONDS_BETWEEN);
    if (isFresh || this.asked.has(name)) return;
    this.waiting.set(name, events);
    this.next();
  }

  /** Drops requests that were not sent yet, because their studies are no longer visible. */
  forgetWishes() {
    this.waiting.clear();
  }

  /** Calls `listener` after each new answer. */
  listen(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  private next() {
    for (const [name, events] of this.waiting) {
      if (this.asked.size >= AT_ONCE) return;
      this.waiting.delete(name);
      this.asked.add(name);
      this.ask(name)
        .then(
          (glance) => this.take(name, glance, glance.events),
          (error) => {
            if (error instanceof Refusal) this.take(name, this.get(name), mayPass(error) ? NaN : events);
          },
        )
        .finally(() => {
          this.asked.delete(name);
          this.next();
        });
    }
  }

  private take(name: string, glance: Glance | null, events: number) {
    this.all.set(name, { glance, events, at: this.clock() });
    this.listeners.forEach((listener) => listener());
  }
}
