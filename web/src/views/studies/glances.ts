import { mayPass, Refusal } from "../../api/source";
import type { Glance } from "../../api/types";

const AT_ONCE = 4;
const SECONDS_BETWEEN = 4; // of one study

interface Known {
  glance: Glance | null; // null: the server had none
  events: number; // NaN: to be asked again
  at: number;
}

/** Glances at studies: asked for when something has happened in a study that somebody looks at, a few at a time. */
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

  /** Another object whenever there was another answer; undefined before the first one. */
  known(name: string): Readonly<Known> | undefined {
    return this.all.get(name);
  }

  /** Somebody looks at a study that has so many events. */
  want(name: string, events: number) {
    const known = this.all.get(name);
    const isFresh = known && (known.events === events || this.clock() - known.at < SECONDS_BETWEEN);
    if (isFresh || this.asked.has(name)) return;
    this.waiting.set(name, events);
    this.next();
  }

  /** Nobody looks any more at what was not asked for yet. */
  forgetWishes() {
    this.waiting.clear();
  }

  /** Calls back whenever there is another one. */
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
