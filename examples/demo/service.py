#!/usr/bin/env python3
"""A simulated shop with two knobs, as a coprocess of `canopy tune`.

    service.py workers|pages

For every line {"arm": {...}} it simulates the next minutes of a working week with that setting, and prints the
measurement. Its files are in the folder in which it is started. world.json has the speed of the week. PART.load has the
coming requests per second. PART.clock has the current minute of the week, so that the service continues there after a
crash. PART.log has every measurement together with the truth, which canopy does not see.
"""

import functools
import json
import math
import os
import random
import sys
import time
from pathlib import Path
from typing import NamedTuple

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri")
DAY = 24 * 60  # minutes
WEEK = len(DAYS) * DAY
DEPLOYMENT = 2 * DAY + 12 * 60  # from Wednesday noon on the backend is slower
OUTAGE = 3 * DAY + 10 * 60  # on Thursday at 10:00 the database is down
REPAIRED = OUTAGE + 45
P99_LIMIT = 300.0  # ms, as in workers.toml
MOST_WORKERS = 48  # more workers need more memory than the machine has


class World(NamedTuple):
    seed: int
    step: float  # simulated minutes a measurement
    pace: float  # seconds a measurement
    outage: float  # seconds


def read_world(folder: Path) -> World:
    return World(**json.loads((folder / "world.json").read_text()))


def clock(minute: float) -> str:
    day, rest = divmod(int(minute), DAY)
    return f"{DAYS[day % len(DAYS)]} {rest // 60:02}:{rest % 60:02}"


def load_of(seed: int, minute: float) -> float:
    """Requests per second: few at night, many in the afternoon, with bursts."""
    day = 0.5 - 0.5 * math.cos(2 * math.pi * (minute / 60 - 3) / 24)
    burst = random.Random(f"load {seed} {minute:.2f}").gauss(0.0, 0.18)
    return round((50 + 450 * day**1.3) * math.exp(burst), 1)


def workers_truth(load: float, workers: int) -> tuple[float, float]:
    """The earnings in dollars an hour, and the p99 of the response time in ms. A worker costs 4 dollars an hour and can
    answer 40 requests per second. The busier it is, the longer its queue, and visitors who wait do not buy."""
    busy = load / (40 * workers)
    p99 = 60 + min(90 * busy**2 / max(1 - busy, 0.02), 1940)
    return 0.5 * load * (1 - p99 / 2000) - 4 * workers, p99


@functools.cache
def best_workers(load: float) -> int:
    """The number of workers that earns most among those that keep the limit."""
    kept = [each for each in range(1, MOST_WORKERS + 1) if workers_truth(load, each)[1] <= P99_LIMIT]
    return max(kept, key=lambda each: workers_truth(load, each)[0])


def pages_truth(minute: float, ttl_seconds: float) -> float:
    """Orders per 1000 visits. A page that is not in the cache waits for the backend; a page that stays there for long
    shows old prices."""
    backend_ms = 400 if minute >= DEPLOYMENT else 80
    waiting = backend_ms * 60 / (ttl_seconds + 60)
    stale = 1 - 1 / (1 + (ttl_seconds / 900) ** 1.2)
    return 26 - 0.03 * waiting - 14 * stale


@functools.cache
def best_ttl(is_deployed: bool) -> float:
    minute = DEPLOYMENT if is_deployed else 0
    return max((math.exp(i / 100) for i in range(819)), key=lambda ttl: pages_truth(minute, ttl))


def replace(path: Path, text: str) -> None:
    part = path.with_name(path.name + ".part")
    part.write_text(text)
    os.replace(part, path)


class Service:
    def __init__(self, part: str, folder: Path) -> None:
        self.part, self.folder = part, folder
        self.world = read_world(folder)
        self.log = (folder / f"{part}.log").open("a", buffering=1)
        clock_file = folder / f"{part}.clock"
        self.minute = float(clock_file.read_text()) if clock_file.exists() else 0.0
        self.due = time.monotonic()

    def measure(self, arm: dict[str, float]) -> dict[str, float]:
        self.due = max(self.due + self.world.pace, time.monotonic())
        measured = self.measure_workers(arm) if self.part == "workers" else self.measure_pages(arm)
        time.sleep(max(0.0, self.due - time.monotonic()) + (2 * self.world.pace if self.is_ahead() else 0.0))
        self.go_to(self.minute + self.world.step)
        return measured

    def measure_workers(self, arm: dict[str, float]) -> dict[str, float]:
        if OUTAGE <= self.minute < REPAIRED:
            self.wait_for_repair()
        load, workers = load_of(self.world.seed, self.minute), int(arm["workers"])
        if workers > MOST_WORKERS:
            self.note("crash", load=load, workers=workers)
            self.go_to(self.minute + self.world.step)
            self.fail(f"out of memory with {workers} workers")
        earned, p99 = workers_truth(load, workers)
        self.note("measured", load=load, workers=workers, earned=earned, p99=p99)
        noise = self.noise()
        return {
            "reward": earned + noise.gauss(0, 4 + 0.02 * load),
            "p99_ms": p99 * math.exp(noise.gauss(0, 0.1)),
        }

    def measure_pages(self, arm: dict[str, float]) -> dict[str, float]:
        ttl = arm["ttl_seconds"]
        earned = pages_truth(self.minute, ttl)
        self.note("measured", ttl_seconds=ttl, earned=earned)
        return {"reward": earned + self.noise().gauss(0, 1)}

    def is_ahead(self) -> bool:
        """Whether this part is more than an hour ahead of the other one, which may be slower on a busy machine."""
        other = self.folder / f"{'pages' if self.part == 'workers' else 'workers'}.clock"
        return other.exists() and self.minute > float(other.read_text()) + 60

    def noise(self) -> random.Random:
        return random.Random(f"noise {self.world.seed} {self.part} {self.minute:.2f}")

    def wait_for_repair(self) -> None:
        """The outage lasts some real seconds, in which every start fails; then 45 simulated minutes have passed."""
        end = self.folder / "outage"
        if not end.exists():
            replace(end, str(time.time() + self.world.outage))
            self.note("outage")
        if time.time() < float(end.read_text()):
            self.fail("cannot connect to the database")
        self.go_to(REPAIRED)
        self.note("repaired")

    def fail(self, why: str) -> None:
        print(f"{self.part}: {why}", file=sys.stderr)
        sys.exit(1)

    def go_to(self, minute: float) -> None:
        self.minute = minute
        replace(self.folder / f"{self.part}.clock", f"{minute}\n")
        replace(self.folder / f"{self.part}.load", f"{load_of(self.world.seed, minute)}\n")

    def note(self, event: str, **what: float) -> None:
        self.log.write(json.dumps({"minute": round(self.minute, 2), "event": event, **what}) + "\n")


def main() -> None:
    service = Service(sys.argv[1], Path.cwd())
    for line in sys.stdin:
        print(json.dumps(service.measure(json.loads(line)["arm"])), flush=True)


if __name__ == "__main__":
    main()
