#!/usr/bin/env python3
"""A service that stores events in SQLite, in transactions of a given size.

    writer.py begin FOLDER SEED    a new database, and the traffic of SEED from its start
    writer.py serve FOLDER         plays a tenth of a second of traffic for every line it is sent:
                                   {"arm": {"batch": 8}}; prints {"reward": .., "latency_ms": ..}

FOLDER/rate always has the events per second of the coming traffic, as a load balancer would report.
"""

import json
import math
import os
import random
import sqlite3
import sys
import time
from pathlib import Path

WINDOW = 0.1  # seconds
BODY = json.dumps({"event": "page", "path": "/index.html", "note": "x" * 150})


def rate_of(seed: str, window: int) -> float:
    """Events per second: rises and falls as over a day, with bursts."""
    noise = random.Random(f"rate {seed} {window}").gauss(0.0, 0.3)
    return round(min(max(10.0 ** (2.7 + 1.0 * math.sin(window / 9.0) + noise), 20.0), 20_000.0), 1)


def arrivals_of(seed: str, window: int) -> list[float]:
    """The arrival times of events, in seconds from the start of a window."""
    chance = random.Random(f"arrivals {seed} {window}")
    rate = rate_of(seed, window)
    times: list[float] = []
    at = chance.expovariate(rate)
    while at < WINDOW:
        times.append(at)
        at += chance.expovariate(rate)
    return times or [WINDOW * chance.random()]


def open_database(folder: Path) -> sqlite3.Connection:
    database = sqlite3.connect(folder / "events.db", isolation_level=None)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")  # a commit is on the disk
    database.execute("CREATE TABLE IF NOT EXISTS events (at REAL, body TEXT)")
    return database


def play(database: sqlite3.Connection, seed: str, window: int, batch: int) -> float:
    """Stores the events of a window as they come, `batch` to a transaction. What is left at its end
    is stored at once. Returns the mean time from the arrival of an event until it was on the disk,
    in seconds."""
    arrivals = arrivals_of(seed, window)
    waited = 0.0
    done = 0
    start = time.perf_counter()
    while done < len(arrivals):
        end = min(done + batch, len(arrivals))
        if time.perf_counter() - start >= WINDOW:
            end = len(arrivals)
        full_at = arrivals[end - 1] if end - done >= batch else WINDOW
        time.sleep(max(0.0, start + full_at - time.perf_counter()))
        database.execute("BEGIN")
        database.executemany("INSERT INTO events VALUES (?, ?)", [(at, BODY) for at in arrivals[done:end]])
        database.execute("COMMIT")
        now = time.perf_counter() - start
        waited += sum(now - at for at in arrivals[done:end])
        done = end
    return waited / len(arrivals)


def replace(path: Path, text: str) -> None:
    part = path.with_suffix(".part")
    part.write_text(text)
    os.replace(part, path)


def announce(folder: Path, seed: str, window: int) -> None:
    replace(folder / "window", f"{seed} {window}\n")
    replace(folder / "rate", f"{rate_of(seed, window)}\n")


def serve(folder: Path) -> None:
    database = open_database(folder)
    for line in sys.stdin:
        batch = json.loads(line)["arm"]["batch"]
        seed, window = (folder / "window").read_text().split()
        latency = play(database, seed, int(window), batch)
        announce(folder, seed, int(window) + 1)
        # The logarithm, so that twice as long is equally bad at any rate.
        print(
            json.dumps({"reward": math.log10(1e3 * latency), "latency_ms": 1e3 * latency}),
            flush=True,
        )


if __name__ == "__main__":
    command, folder_name = sys.argv[1:3]
    if command == "begin":
        for name in ("events.db", "events.db-wal", "events.db-shm"):
            (Path(folder_name) / name).unlink(missing_ok=True)
        announce(Path(folder_name), sys.argv[3], 0)
    else:
        serve(Path(folder_name))
