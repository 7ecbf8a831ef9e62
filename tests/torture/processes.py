"""Tuners and coprocesses that are killed and restarted at random."""

import collections
import contextlib
import json
import random
import subprocess
import threading
import time

from clients import STUDIES, Violation, running
from world import TOOL


class Coprocess(threading.Thread):
    """`canopy pipe --server`, killed at random: everything it has answered must be stored."""

    def __init__(self, folder, port, seed, log, stop):
        super().__init__(daemon=True)
        self.folder, self.port, self.log, self.stop = folder, port, log, stop
        self.random = random.Random(seed)
        self.file = folder / "piped.json"
        self.file.write_text(json.dumps(STUDIES["adaptive"]))
        self.sent = {}  # rewards by ticket
        self.acknowledged = {}
        self.process = None

    @running
    def run(self):
        while not self.stop.is_set():
            command = [TOOL, "pipe", self.file, "--study", "piped", "--server", f"http://127.0.0.1:{self.port}"]
            with (self.folder / "pipe.log").open("a") as log:
                self.process = subprocess.Popen(
                    command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True
                )
            with contextlib.suppress(OSError, EOFError):
                self.converse()
            with contextlib.suppress(OSError):
                self.process.stdin.close()
            self.process.wait()
            time.sleep(0.2)

    def call(self, **request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line.endswith("\n"):
            raise EOFError
        return json.loads(line)

    def converse(self):
        for each in self.call(op="in_flight").get("tickets", []):
            self.tell(each["ticket"])
        while not self.stop.is_set():
            asked = self.call(op="ask", pulls=1)
            if "ticket" in asked:
                self.tell(asked["ticket"])
            else:
                time.sleep(0.1)

    def tell(self, ticket):
        reward = self.random.random()
        self.sent.setdefault(ticket, []).append(reward)
        answer = self.call(op="tell", ticket=ticket, reward=reward)
        if answer.get("ok"):
            if ticket in self.acknowledged:
                raise Violation(f"the ticket {ticket} of pipe was told twice")
            self.acknowledged[ticket] = reward


MEASURE = """#!/bin/sh
reward=0.$(od -An -N7 -tu8 /dev/urandom | tr -d ' ')1
echo $reward >> "$1"
echo $reward
"""


class Tuner(threading.Thread):
    """`canopy tune`, killed at random; the system logs its measurements."""

    def __init__(self, name, folder, place, log, stop):
        super().__init__(daemon=True)
        self.study, self.folder, self.place, self.log, self.stop = name, folder, place, log, stop
        self.measured = folder / f"{name}.measured"
        self.measured.touch()
        script = folder / "measure.sh"
        script.write_text(MEASURE)
        script.chmod(0o755)
        self.file = folder / f"{name}.toml"
        self.file.write_text(
            f'name = "{name}"\n[[space]]\nname = "x"\nlow = 0.0\nhigh = 1.0\n'
            f'[system]\nmeasure = "{script} {self.measured} {{x}}"\nmax_crashes = 0\n'
            "[baseline]\nsetting = { x = 0.5 }\npulls = 2\n"
        )
        self.process = None
        self.ends = collections.Counter()

    @running
    def run(self):
        while not self.stop.is_set():
            with (self.folder / f"{self.study}.log").open("a") as log:
                self.process = subprocess.Popen([TOOL, "tune", self.file, *self.place], stdout=log, stderr=log)
            while self.process.poll() is None and not self.stop.is_set():
                time.sleep(0.05)
            if self.process.poll() is None:
                self.process.terminate()
                try:
                    self.process.wait(60)
                except subprocess.TimeoutExpired:
                    raise Violation(f"the tuner of {self.study} does not end within 60 s of SIGTERM") from None
            code = self.process.returncode
            if code < 0 and code not in (-9, -15):  # SIGTERM before its handler is installed
                raise Violation(f"the tuner of {self.study} was ended by signal {-code}; see {self.study}.log")
            self.ends[code] += 1
            time.sleep(0.2)
