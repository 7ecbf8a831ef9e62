#!/usr/bin/env python3
"""Checks that the memory of a server stays flat under mixed requests, and the cost of an ask with many open tickets.

build/python/bin/python tests/torture/memory.py [--requests 1000000] [--tickets 100000] [--seed 1]
"""

import argparse
import contextlib
import http.client
import json
import pathlib
import random
import socket
import statistics
import sys
import tempfile
import threading
import time

from clients import STUDIES, Violation
from world import Serving, new_token

MOST_ASKS = 40  # per study, before it is deleted: the data of existing studies is not a leak
SAMPLES = 20


def resident(process):
    """Megabytes."""
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def processor_seconds(process):
    """CPU time of all threads."""
    tasks = pathlib.Path(f"/proc/{process.pid}/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9


class User:
    """Repeatedly creates, uses, reads, streams and deletes a study."""

    def __init__(self, port, number, seed, tokens):
        self.port, self.tokens = port, tokens
        self.random = random.Random(seed)
        self.study = f"memory-{number}"
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.asks = MOST_ASKS
        self.tickets = []
        self.sent = 0

    def send(self, method, path, body=None, role="admin"):
        headers = {"Authorization": f"Bearer {self.tokens[role]}", "Content-Type": "application/json"}
        if method == "POST":
            headers["Idempotency-Key"] = f"{self.study}-{self.sent}"
        self.connection.request(method, path, body and json.dumps(body), headers)
        response = self.connection.getresponse()
        answer = response.read()
        self.sent += 1
        if response.status >= 500:
            raise Violation(f"{method} {path}: {response.status} {answer!r}")
        return answer

    def step(self):
        path = f"/v1/studies/{self.study}"
        if self.asks == MOST_ASKS:
            self.send("DELETE", path)
            self.send(
                "POST", "/v1/studies", {"name": self.study, "specification": self.random.choice([*STUDIES.values()])}
            )
            self.asks, self.tickets = 0, []
        draw = self.random.random()
        if draw < 0.2 or not self.tickets:
            self.asks += 1
            answer = json.loads(self.send("POST", path + "/asks", {"count": 3, "pulls": 1, "lease_seconds": 60}))
            self.tickets += [each["ticket"] for each in answer.get("tickets", [])]
        elif draw < 0.4:
            self.send(
                "POST", path + "/tells", {"tells": [{"ticket": self.tickets.pop(), "reward": self.random.random()}]}
            )
        elif draw < 0.41:
            self.follow(path)
        else:
            self.look(path)

    def look(self, path):
        number = self.random.randint(2, 5000)
        route = self.random.choice([
            f"tree?limit={number}", f"arms?limit={number}", f"estimate?points={number % 100 + 2}", "best", "summary",
            f"history?buckets={number}&from={number % 7}", f"events?after={number % 50}&limit={number}",
            "knobs", "glance", "",
        ])  # fmt: skip
        self.send("GET", f"{path}/{route}".rstrip("/"), role="read")

    def follow(self, path):
        """Opens a stream and cuts it off."""
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=10) as stream:
            head = (
                f"GET {path}/stream?after=0 HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {self.tokens['read']}"
            )
            stream.sendall(head.encode() + b"\r\n\r\n")
            stream.recv(1000)
        self.sent += 1


def mixed_requests(folder, requests, seed, users=4):
    """The resident memory of the server in megabytes after each twentieth of the requests."""
    tokens = {role: new_token(folder, role, role) for role in ("admin", "read")}
    with Serving(folder, "--tokens", "tokens.toml", "--close-after", "2") as serving:
        curve, errors = [], []
        all_users = [User(serving.port, number, seed + number, tokens) for number in range(users)]

        def run(user, until):
            try:
                while user.sent < until:
                    user.step()
            except Exception as error:
                errors.append(error)

        for sample in range(1, SAMPLES + 1):
            threads = [
                threading.Thread(target=run, args=[user, sample * requests // SAMPLES // users]) for user in all_users
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            if errors:
                raise errors[0]
            curve.append(resident(serving.process))
    return curve


def check_flat(curve):
    """Checks that memory grows by at most one eighth plus 4 MB after the first fifth of the requests."""
    settled, last = max(curve[: SAMPLES // 5]), statistics.median(curve[-3:])
    if last > settled * 1.125 + 4:
        raise Violation(f"the server's memory grows: {' '.join(f'{each:.1f}' for each in curve)} MB")


def asks_in_flight(folder, tickets):
    """CPU seconds and response time of an ask, and megabytes of the server, by number of tickets in flight."""
    found = {}
    with Serving(folder) as serving:
        connection = http.client.HTTPConnection("127.0.0.1", serving.port, timeout=600)

        def send(path, body):
            connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
            response = connection.getresponse()
            answer = json.loads(response.read())
            if response.status >= 300:
                raise Violation(f"POST {path}: {response.status} {answer}")
            return answer

        def ask(count=1):
            return [each["ticket"] for each in send("/v1/studies/a/asks", {"pulls": 1, "count": count})["tickets"]]

        send("/v1/studies", {"name": "a", "specification": STUDIES["adaptive"]})
        for _ in range(200):
            send("/v1/studies/a/tells", {"tells": [{"ticket": ask()[0], "reward": random.random()}]})
        in_flight = 0
        for level in (0, tickets // 100, tickets // 10, tickets):
            while in_flight < level:
                in_flight += len(ask(min(1000, level - in_flight)))
            used, times, asked = processor_seconds(serving.process), [], []
            for _ in range(100):
                begin = time.perf_counter()
                asked += ask()
                times.append(time.perf_counter() - begin)
            used = (processor_seconds(serving.process) - used) / len(times)
            send("/v1/studies/a/drops", {"tickets": asked})
            found[level] = used, statistics.median(times), resident(serving.process)
    return found


def check_quick(found):
    """Checks that many tickets in flight add at most 5 ms of CPU time to an ask; the goal is 1 ms."""
    least = min(used for used, _, _ in found.values())
    for level, (used, _, _) in found.items():
        if used > least + 0.005:
            raise Violation(
                f"with {level} tickets in flight an ask takes {used * 1e3:.2f} ms of the server's processor"
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=1_000_000)
    parser.add_argument("--tickets", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        curve = mixed_requests(folder, arguments.requests, arguments.seed)
        print(f"{arguments.requests} requests, resident MB: {' '.join(f'{each:.1f}' for each in curve)}", flush=True)
        check_flat(curve)
        (folder / "flight").mkdir()
        found = asks_in_flight(folder / "flight", arguments.tickets)
        for level, (used, seconds, megabytes) in found.items():
            print(
                f"{level:>7} tickets in flight: an ask takes {used * 1e3:.2f} ms of the processor, "
                f"is answered after {seconds * 1e3:.2f} ms, {megabytes:.0f} MB"
            )
        check_quick(found)


if __name__ == "__main__":
    sys.exit(main())
