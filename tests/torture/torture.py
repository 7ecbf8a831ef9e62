#!/usr/bin/env python3
"""Clients, servers and stores under kills, pauses, cut links, crashes, full and slow disks and wrong clocks.

    build/python/bin/python tests/torture/torture.py [--seconds 1200] [--seed 1] [--store sqlite|postgres]

It runs in rounds. Each has a new store, clients that retry unanswered requests, and a nemesis that injects faults;
then comes an independent check. The first violation ends the run with status 1, and the folder of that round, with all
logs, is kept.
"""

import argparse
import collections
import contextlib
import json
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback

from checker import audit, check_world
from clients import (
    LONGEST_LEASE,
    ROUTES,
    STUDIES,
    Caller,
    Churner,
    Log,
    Reader,
    Steerer,
    Violation,
    Worker,
    look,
)
from processes import Coprocess, Tuner
from world import Proxy, World


class Nemesis:
    """Injects faults one after the other and counts them."""

    def __init__(self, world, seed, log, processes, counts):
        self.world = world
        self.random = random.Random(seed)
        self.log = log
        self.processes = processes  # tuners and the pipe
        self.counts = counts
        self.actions = [self.kill, self.kill, self.stop, self.end, self.cut_clients, self.cut_clients]
        self.actions += [self.slow_disk, self.step_clock, self.fill_disk, self.kill_process]
        if world.database:
            self.actions += [self.crash_database, self.cut_database, self.cut_database]

    def disturb(self, seconds, script=()):
        """Injects the faults of the script, or random ones until the time is over."""
        end = time.monotonic() + seconds
        script = iter([getattr(self, name) for name in script])
        try:
            while self.log.violations.empty():
                time.sleep(self.random.uniform(0.1, 1.5))
                action = next(script, self.random.choice(self.actions) if time.monotonic() < end else None)
                if action is None:
                    return
                action()
                raise_violations(self.log, self.world)
        except Exception as error:
            self.log.violations.put(error)

    def node(self):
        return self.random.choice(self.world.nodes)

    def kill(self):
        node = self.node()
        node.restart(signal.SIGKILL, self.random.choice([0, 0, 0.5, 7]) if self.world.database else 0)
        self.counts["kills of servers"] += 1

    def end(self):
        self.node().restart(signal.SIGTERM)
        self.counts["servers stopped cleanly"] += 1

    def stop(self):
        """Stops a server for longer than its lease, and reads from it as it wakes up."""
        node = self.node()
        node.signal(signal.SIGSTOP)
        time.sleep(self.random.choice([0.5, 2, 8, 10]) if self.world.database else self.random.choice([0.5, 3, 6]))
        callers = [Caller([node.serving.port], number, self.log) for number in range(len(STUDIES) * len(ROUTES))]
        threads = [
            threading.Thread(target=self.look_at, args=[caller, study, route])
            for caller, (study, route) in zip(callers, ((s, r) for s in STUDIES for r in ROUTES))
        ]
        for thread in threads:
            thread.start()
        time.sleep(0.2)  # so that requests are waiting in its sockets
        node.signal(signal.SIGCONT)
        for thread in threads:
            thread.join()
        self.counts["stops of servers"] += 1

    def look_at(self, caller, study, route):
        try:
            with contextlib.suppress(OSError):
                look(caller, self.log, study, route)
        except Violation as error:
            self.log.violations.put(error)

    def cut(self, proxy, longest, what):
        before = proxy.cuts
        proxy.mode = self.random.choice(Proxy.MODES)
        time.sleep(self.random.uniform(0.2, longest))
        proxy.mode = "pass"
        self.counts[what] += 1
        self.counts["connections cut"] += proxy.cuts - before

    def cut_clients(self):
        self.cut(self.node().proxy, 3, "cuts between clients and servers")

    def cut_database(self):
        self.cut(self.random.choice(self.world.links), 9, "cuts between servers and the database")

    def crash_database(self):
        self.world.crash_database(self.random.choice([0, 0.5, 3]))
        self.counts["crashes of the database"] += 1

    def faults(self):
        return self.world.database_faults if self.world.database else self.world.nodes[0].faults

    def fill_disk(self):
        faults = self.faults()
        faults.disk(self.random.choice([0, 3000, 50000]))
        time.sleep(self.random.uniform(0.5, 3))
        faults.disk(-1)
        self.counts["full disks"] += 1

    def slow_disk(self):
        faults = self.faults()
        faults.slow_disk(self.random.choice([20, 100, 500]))
        time.sleep(self.random.uniform(1, 4))
        faults.slow_disk(0)
        self.counts["slow disks"] += 1

    def step_clock(self):
        """The clock stays wrong until the next step; studies opened meanwhile use it."""
        self.node().faults.clock(self.random.choice([-7200, -60, -1, 0, 1, 60, 7200]))
        self.counts["steps of clocks"] += 1

    def kill_process(self):
        running = [each.process for each in self.processes if each.process and each.process.poll() is None]
        if running:
            self.random.choice(running).kill()
            self.counts["kills of tuners and pipes"] += 1


def wait_for(threads, log, seconds):
    """Waits until all clients have ended, or a client has found a violation."""
    deadline = time.monotonic() + seconds
    while any(each.is_alive() for each in threads):
        if not log.violations.empty():
            return
        if time.monotonic() > deadline:
            raise Violation(f"{sum(each.is_alive() for each in threads)} clients have not ended")
        time.sleep(0.1)


def wait_until_quiet(world):
    """Waits until all leases of tickets have expired and all commands were accepted, so that nothing is written."""
    time.sleep(LONGEST_LEASE)
    deadline = time.monotonic() + 60
    last, since = None, 0.0
    while last is None or time.monotonic() < since + 2.5:
        now = world.query("SELECT SUM(events) FROM studies")
        if now != last:
            last, since = now, time.monotonic()
        if time.monotonic() > deadline:
            raise Violation("servers still write, although all clients have ended")
        time.sleep(0.3)


def raise_violations(log, world):
    if not log.violations.empty():
        raise log.violations.get()
    for node in world.nodes:
        if node.has_crashed():
            code = node.serving.process.returncode
            raise Violation(f"a server ended unexpectedly with status {code}; see {node.serving.folder}/log")


def audit_often(world, log, stop, counts):
    """Runs `canopy studies verify` concurrently."""
    while not stop.wait(3):
        try:
            counts["verifications while servers write"] += audit(world)
        except (Violation, subprocess.SubprocessError) as error:
            log.violations.put(error)
            return


def make_studies(world, log):
    caller = Caller([world.nodes[0].proxy.port], 0, log)
    for study, specification in STUDIES.items():
        status, answer = caller.insist("POST", "/v1/studies", {"name": study, "specification": specification})
        assert status == 201, answer


def run_round(folder, kind, seed, seconds=0.0, script=(), workers=3, tuners=True):
    """Runs one round in an empty folder and returns its counts. Raises Violation if a check fails.

    `script`: the faults, by name, instead of random ones for `seconds`.
    """
    log = Log()
    chance = random.Random(seed)
    world = World(folder, kind, seed)
    stop, stop_tuners = threading.Event(), threading.Event()
    processes = []
    counts = collections.Counter()
    try:
        make_studies(world, log)
        ports = [node.proxy.port for node in world.nodes]
        threads = [Steerer("steer", "steered", ports, chance.random(), log, stop)]
        threads += [Churner("churn", "mixed", ports, chance.random(), log, stop)]
        threads += [Reader(ports, chance.random(), log, stop) for _ in range(4)]
        for study in STUDIES:
            for number in range(workers):
                threads.append(Worker(f"{study}-{number}", study, ports, chance.random(), log, stop))
        if tuners:
            processes = [
                Tuner("tuned", folder, ["--store", str(world.store)], log, stop_tuners),
                Tuner("remote", folder, ["--server", f"http://127.0.0.1:{ports[-1]}"], log, stop_tuners),
                Coprocess(folder, ports[0], chance.random(), log, stop_tuners),
            ]
            threads.append(threading.Thread(target=audit_often, args=[world, log, stop, counts], daemon=True))
        for thread in [*threads, *processes]:
            thread.start()
        nemeses = [Nemesis(world, chance.random(), log, processes, counts) for _ in range(1 if script else 2)]
        threads = [threading.Thread(target=each.disturb, args=[seconds, script], daemon=True) for each in nemeses]
        for thread in threads:
            thread.start()
        wait_for(threads, log, seconds + 240)
        raise_violations(log, world)
        world.heal()
        stop_tuners.set()
        stop.set()
        wait_for([*threads, *processes], log, 240)
        raise_violations(log, world)
        wait_until_quiet(world)
        counts["events"] += check_world(world, log, processes[:2], processes[2] if tuners else None)
        raise_violations(log, world)
        counts["acknowledged answers"] += len(log.calls) + (len(processes[2].acknowledged) if tuners else 0)
        counts["repeated requests"] += log.retries
        counts["reads compared"] += log.reads
        return counts
    except BaseException:
        with (folder / "acknowledged.jsonl").open("w") as file:
            for call in log.calls:
                file.write(
                    json.dumps([call.study, call.what, call.key, call.body, call.status, call.answer.decode()]) + "\n"
                )
        raise
    finally:
        stop.set()
        stop_tuners.set()
        for each in processes:
            if each.process and each.process.poll() is None:
                each.process.kill()
        world.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=1200, help="duration of the campaign in seconds")
    parser.add_argument("--round", type=float, default=60, help="seconds of disturbance in each round")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--store", choices=["sqlite", "postgres"], help="only this kind of store")
    arguments = parser.parse_args()
    kinds = [arguments.store] if arguments.store else ["sqlite", "postgres"]
    total = collections.Counter()
    end = time.monotonic() + arguments.seconds
    number = 0
    while time.monotonic() < end:
        for kind in kinds:
            seed = arguments.seed + number
            number += 1
            folder = pathlib.Path(tempfile.mkdtemp(prefix="canopy-torture-"))
            print(f"round {number}: {kind}, seed {seed}, {folder}", flush=True)
            try:
                counts = run_round(folder, kind, seed, arguments.round)
            except Exception as error:
                if not isinstance(error, Violation):
                    traceback.print_exc()
                print(
                    f"VIOLATION in round {number} ({kind}, seed {seed}): {str(error)[:3000]}\nSee {folder}", flush=True
                )
                raise SystemExit(1) from error
            shutil.rmtree(folder)
            total.update(counts)
            print("  " + ", ".join(f"{value} {name}" for name, value in counts.items()), flush=True)
    print(f"{number} rounds, 0 violations")
    for name, value in sorted(total.items()):
        print(f"  {value:>9} {name}")


if __name__ == "__main__":
    sys.exit(main())
