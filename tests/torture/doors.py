#!/usr/bin/env python3
"""Fuzzes every interface: valid requests, events and journals, then modified ones.

    build/python/bin/python tests/torture/doors.py [--requests 20000] [--seed 1]

For any input, the server must answer, but never with 5xx, /healthz must answer, pipe must answer each line, and import
must end. Afterwards every study must verify, and its export must be importable.
"""

import argparse
import copy
import http.client
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import time
import urllib.parse

from clients import Violation
from spoil import spoiled, text_of
from world import TOOL, Serving, tool

SPACE = [
    {"name": "x", "low": 0.0, "high": 1.0},
    {"name": "n", "type": "integer", "low": 1, "high": 20},
    {"name": "c", "type": "choice", "choices": ["a", "b", "c"]},
]
ARM = {"x": 0.25, "n": 5, "c": "b"}
PLACE = {"coordinates": [0.25, 5.0, 1.0], "arm": ARM}
CONTEXTS = [
    {"name": "load", "low": 0.0, "high": 1.0},
    {"name": "tenant", "type": "choice", "choices": ["a", "b"]},
    {"name": "hour", "source": "clock.hour"},
]
CONTEXT = {"load": 0.5, "tenant": "b", "hour": 17.25}
SEEN = {"context_coordinates": [0.5, 1.0, 17.25], "context": CONTEXT}
REWARDS = {"count": 2, "sum": 0.75, "squared_deviations": 0.03125, "min": 0.25, "max": 0.5}

# One event of each kind.
EVENTS = [
    {"kind": "ask", "ticket": 1, **PLACE, "pulls": 1, "length": 1},
    {"kind": "ask", "ticket": 2, **PLACE, "pulls": 0, "length": 1, "lease_seconds": 5.0, "incarnation": "bdc5236269"},
    {"kind": "ask", "ticket": 3, **PLACE, "pulls": 1, "length": 1, **SEEN},
    {"kind": "tell", "ticket": 1, "reward": 0.5},
    {"kind": "tell", "ticket": 1, "rewards": [0.5, 0.25]},
    {"kind": "tell", "ticket": 1, **REWARDS, "passed_over": True},
    {"kind": "penalize", "ticket": 1, "reward": -0.5},
    {"kind": "penalize", "ticket": 1, "reward": -0.5, "barred": True},
    {"kind": "drop", "ticket": 1},
    {"kind": "observe", **PLACE, "reward": 0.5},
    {"kind": "observe", **PLACE, **REWARDS, "role": "baseline"},
    {"kind": "observe", **PLACE, "reward": 0.5, "role": "search", **SEEN},
    {"kind": "bar", "reward": 0.2, **PLACE},
    {"kind": "range", "range": [0.0, 1.0]},
    {"kind": "range", "range": None},
    {"kind": "finish"},
    {"kind": "start", "earlier_seconds": 0.0},
    {"kind": "stop", "why": "the budget is used", "at_limit": False},
    {"kind": "apply", "ticket": 0, **PLACE},
    {"kind": "hold", "ticket": 1, "reward": 0.5},
    {"kind": "failure", "ticket": 1, "what": "it printed nothing", "for_good": False},
    {"kind": "defer", "ticket": 1, **PLACE},
    {"kind": "metrics", "ticket": 1, "metrics": {"p99_ms": 31.5}, **PLACE},
    {"kind": "confirm", "pulls": 40, "visit": 1, **PLACE},
    {"kind": "compare", "is_baseline": True, "reward": 0.5},
    {"kind": "verdict", "confirmed": True, "verdict": "better"},
    {"kind": "verdict", "confirmed": False, "verdict": "worse", "refuted": True},
    {"kind": "command", "command_number": 1, "command": "pause", "pulls": 0, "by": "alice"},
    {"kind": "changed", "pull": 7, "change": "level", "size": -0.5},
    {"kind": "level", "reward": 0.5},
    {"kind": "system_commands", "changes": 'system.measure was "a" and is "b"'},
]


def specification(chance):
    return {
        "direction": chance.choice(["maximize", "minimize"]),
        "reward_range": chance.choice(["auto", [0.0, 1.0]]),
        "confidence": 0.9,
        "optimizer": chance.choice([{"name": "hct"}, {"name": "adaptive"}, {"name": "hct", "rho": 0.6, "nu1": 2.0}]),
        "space": SPACE,
        "system": {"measure": "true {x} {n} {c}", "baseline": ARM},
        "budget": {"pulls": 100, "confirm_pulls": 20},
        "limit": [{"metric": "p99_ms", "max": 50}],
    } | chance.choice([{}, {}, {"context": CONTEXTS}])


class Doors:
    """Requests to a server: each is created valid and then modified."""

    def __init__(self, port, seed):
        self.random = random.Random(seed)
        self.port = port
        self.connection = None
        self.tickets = ["1-bdc5236269"]
        self.answers = {}
        self.journal = []

    def exchange(self, method, path, body=None, headers=None):
        """Checks that a request in valid HTTP is answered, and not with 5xx."""
        if self.connection is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            self.connection.request(method, path, body, headers or {})
            response = self.connection.getresponse()
            answer = response.read()
        except (OSError, http.client.HTTPException) as error:
            raise Violation(f"{method} {path} has no answer: {error!r}; its body was {body!r}") from error
        if response.status >= 500:
            raise Violation(f"{method} {path}: {response.status} {answer[:1000]!r}; its body was {body!r}")
        if response.headers.get("Connection") == "close":
            self.connection.close()
            self.connection = None
        self.answers[response.status] = self.answers.get(response.status, 0) + 1
        return response.status, json.loads(answer) if answer and "json" in response.headers["Content-Type"] else None

    def send(self, method, path, value):
        headers = {"Content-Type": "application/json"}
        if self.random.random() < 0.3:
            headers["Idempotency-Key"] = self.random.choice(["1", "2", "é", "k" * 200, "k" * 201, " ", "", "3" * 10])
        return self.exchange(method, path, spoiled(value, self.random), headers)

    def prepare(self):
        """A study for workers, one for a tuner, and a journal with all events that a study records by itself."""
        for name in ("open", "tuned"):
            made = {"name": name, "specification": {"optimizer": {"name": "hct"}, "space": SPACE}}
            assert self.exchange("POST", "/v1/studies", text_of(made), {"Content-Type": "application/json"})[0] < 300
        made = {"name": "loaded", "specification": {"space": SPACE, "context": CONTEXTS}}
        assert self.exchange("POST", "/v1/studies", text_of(made), {"Content-Type": "application/json"})[0] < 300
        self.take_tuner()

    def take_tuner(self):
        body = text_of({"tuner": "5f0c9a17e2b84d36", "holder": "pid 1 on fuzz"})
        self.exchange("PUT", "/v1/studies/tuned/tuner", body, {"Content-Type": "application/json"})

    def some_events(self):
        return [copy.deepcopy(self.random.choice(EVENTS)) for _ in range(self.random.randint(1, 4))]

    def whole(self):
        """A study with a journal: an existing or a generated one."""
        journal = self.journal if self.random.random() < 0.5 else self.some_events()
        journal = [
            {"number": number, "at": 1.7e9 + number} | {k: v for k, v in each.items() if k not in ("number", "at")}
            for number, each in enumerate(copy.deepcopy(journal), 1)
        ]
        return {
            "name": f"whole-{self.random.randrange(20)}",
            "whole": True,
            "created": 1.7e9,
            "specification": {"optimizer": {"name": "hct"}, "space": SPACE},
            "journal": journal,
            "pulls": sum(each["kind"] in ("tell", "penalize") for each in journal),
        }

    def result(self):
        ticket = self.random.choice(self.tickets[-20:])
        form = self.random.choice([
            {"reward": 0.5}, {"rewards": [0.5]}, {"count": 1, "sum": 0.4, "sum_squares": 0.16}, {"failed": True},
            {"failed": True, "reward": -1.0}, {"reward": 0.5, "metrics": {"p99_ms": 31.5}},
        ])  # fmt: skip
        return {"ticket": ticket} | form

    def observation(self):
        form = self.random.choice(
            [{"reward": 0.5}, {"rewards": [0.5, 0.6]}, {"count": 2, "sum": 1.0, "sum_squares": 0.6}]
        )
        role = self.random.choice([{}, {"role": "baseline"}, {"role": "warm_up"}])
        return {"arm": ARM | {"x": self.random.random()}} | form | role | self.context()

    def context(self):
        """A context for a request, sometimes outside the range of a variable."""
        load = self.random.choice([0.0, 0.25, 0.75, 7.0])
        return self.random.choice([{}, {"context": CONTEXT | {"load": load, "tenant": self.random.choice("ab")}}])

    def step(self):
        chance = self.random
        study = f"/v1/studies/{chance.choice(['open', 'open', 'loaded', 'tuned', 'none', 'whole-1'])}"
        door = chance.randrange(14)
        if door == 0:
            ask = {"count": 2, "pulls": 1, "lease_seconds": 60} | self.context()
            status, answer = self.send("POST", study + "/asks", ask)
            if status == 200:
                self.tickets += [each["ticket"] for each in answer["tickets"]]
        elif door <= 2:
            self.send("POST", study + "/tells", {"tells": [self.result() for _ in range(chance.randint(1, 3))]})
        elif door == 3:
            self.send("POST", study + "/drops", {"tickets": [chance.choice(self.tickets)]})
        elif door == 4:
            self.send("POST", study + "/observations", {"observations": [self.observation()]})
        elif door == 5:
            self.send("POST", study + "/bars", {"bars": [{"arm": ARM | {"n": chance.randint(1, 20)}, "reward": 0.1}]})
        elif door == 6:
            command = chance.choice(["pause", "resume", "resume", "hold", "baseline", "confirm"])
            self.send("POST", study + "/commands", {"command": command, "pulls": 20})
            self.exchange(
                "POST", "/v1/studies/open/commands", b'{"command":"resume"}', {"Content-Type": "application/json"}
            )
        elif door <= 8:
            self.tuner_events()
        elif door == 9:
            method = chance.choice(["PUT", "DELETE"])
            self.send(method, "/v1/studies/tuned/tuner", {"tuner": "5f0c9a17e2b84d36", "holder": "pid 1"})
            self.exchange(chance.choice(["PUT", "GET"]), study + "/snapshot")
            self.take_tuner()
        elif door == 10:
            self.send("POST", "/v1/studies", self.whole())
        elif door == 11:
            new = {"name": f"new-{chance.randrange(10)}", "specification": specification(chance)}
            self.send("POST", "/v1/studies", new | chance.choice([{}, {}, {"fork_of": "open"}]))
            self.send("POST", "/v1/studies", {"name": new["name"]} | self.draft())
            self.send("PUT", study + "/specification", {"specification": specification(chance)})
        elif door == 12:
            self.send("POST", "/v1/checks", self.draft())
            self.exchange("DELETE", f"/v1/studies/{chance.choice(['new', 'whole'])}-{chance.randrange(20)}")
        else:
            self.look(study)

    def draft(self):
        """A random specification, which may have mutually exclusive keys."""
        chance = self.random
        keys = {
            "specification": specification(chance),
            "toml": '[[space]]\nname = "x"\nlow = 0.0\nhigh = 1.0\n',
            "name": chance.choice(["new-1", "open", "", "a/b"]),
            "fork_of": chance.choice(["open", "tuned", "", "none"]),
            "": 0,
        }
        return {key: keys[key] for key in chance.sample(list(keys), chance.randrange(1, 4))}

    def tuner_events(self):
        status, answer = self.exchange("GET", "/v1/studies/tuned")
        after = answer["events"] if status == 200 else 0
        body = {"tuner": "5f0c9a17e2b84d36", "after": after, "events": self.some_events()}
        self.send("POST", "/v1/studies/tuned/tuner-events", body)

    def look(self, study):
        chance = self.random
        routes = ["best", "policy", "summary", "tree", "arms", "knobs", "estimate", "history", "events", "asks", ""]
        route = chance.choice(routes)
        names = ["cells", "points", "x", "y", "by", "from", "to", "buckets", "after", "limit", "order", "kinds"]
        names.append("context")
        values = [
            json.dumps(CONTEXT),
            "1",
            "0",
            "-1",
            "5",
            "true",
            "x",
            "c",
            "nan",
            "inf",
            "1e400",
            "pulls",
            "time",
            "newest",
            "tell,ask",
            "%",
        ]
        query = {chance.choice(names): chance.choice([*values, str(2**64)]) for _ in range(chance.randrange(4))}
        status, answer = self.exchange("GET", f"{study}/{route}".rstrip("/") + "?" + urllib.parse.urlencode(query))
        if route == "events" and status == 200 and study.endswith("open") and len(answer["events"]) > 20:
            self.journal = answer["events"][:200] if answer["events"][0]["number"] == 1 else self.journal


def fuzz_server(folder, requests, seed):
    with Serving(folder) as serving:
        doors = Doors(serving.port, seed)
        doors.prepare()
        for number in range(requests):
            doors.step()
            if number % 100 == 0 and Doors(serving.port, 0).exchange("GET", "/healthz")[0] != 200:
                raise Violation("/healthz does not answer")
        if serving.process.poll() is not None:
            raise Violation(f"the server has ended with status {serving.process.returncode}")
    if serving.process.returncode != 0:
        raise Violation(f"the server ended with status {serving.process.returncode} after SIGTERM")
    check_store(serving.store, folder)
    return doors.answers


def check_store(store, folder):
    """Checks that every study verifies, and can be exported and imported."""
    for command in (
        ["verify", "--store", store],
        ["export", "--format", "study", "--out", folder / "all.jsonl", "--store", store],
        ["import", folder / "all.jsonl", "--store", folder / "again.db"],
        ["verify", "--store", folder / "again.db"],
    ):
        done = tool("studies", *command)
        if done.returncode != 0:
            raise Violation(f"studies {command[0]} after fuzzing: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    (folder / "again.db").unlink()


PIPE = [
    {"op": "ask", "pulls": 1},
    {"op": "tell", "ticket": 1, "reward": 0.5},
    {"op": "tell", "ticket": 1, "rewards": [0.5, 0.6], "metrics": {"p99_ms": 3.5}},
    {"op": "tell", "ticket": 1, "count": 1, "sum": 0.4, "sum_squares": 0.16, "min": 0.4, "max": 0.4},
    {"op": "observe", "arm": ARM, "reward": 0.3, "role": "baseline"},
    {"op": "fail", "ticket": 1, "reward": -5},
    {"op": "bar", "arm": ARM, "reward": 0.1},
    {"op": "drop", "ticket": 1},
    {"op": "best"},
    {"op": "summary"},
    {"op": "tree"},
    {"op": "in_flight"},
]
PIPE_IN_CONTEXTS = [
    *PIPE,
    {"op": "ask", "pulls": 1, "context": CONTEXT},
    {"op": "observe", "arm": ARM, "context": CONTEXT, "reward": 0.3},
    {"op": "best", "context": CONTEXT},
    {"op": "policy"},
]


def fuzz_pipe(folder, lines, seed):
    """Checks that each line, valid or not, gets one answer."""
    converse(folder, lines, seed, {"optimizer": {"name": "hct"}, "space": SPACE}, PIPE)
    converse(folder, lines, seed, {"space": SPACE, "context": CONTEXTS}, PIPE_IN_CONTEXTS)
    check_store(folder / "pipe.db", folder)


def converse(folder, lines, seed, study, requests):
    chance = random.Random(seed)
    (folder / "pipe.json").write_text(json.dumps(study))
    where = ["--study", f"of {len(requests)}", "--store", folder / "pipe.db"]
    with subprocess.Popen(
        [TOOL, "pipe", folder / "pipe.json", *where], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        ticket = 1
        for _ in range(lines):
            request = copy.deepcopy(chance.choice(requests))
            if "ticket" in request:
                request["ticket"] = max(1, ticket - chance.randrange(3))
            line = spoiled(request, chance).replace(b"\n", b" ")
            process.stdin.write(line + b"\n")
            process.stdin.flush()
            answer = process.stdout.readline()
            try:
                ticket = json.loads(answer).get("ticket", ticket)
            except ValueError as error:
                raise Violation(f"pipe answered {line!r} with {answer!r}") from error
        process.stdin.close()
        process.wait(60)
    if process.returncode != 0:
        raise Violation(f"pipe ended with status {process.returncode}")


def fuzz_import(folder, files, seed, source):
    """Checks that a modified export is imported, or rejected with one line."""
    chance = random.Random(seed)
    tool("studies", "export", "--format", "study", "--out", folder / "good.jsonl", "--store", source)
    lines = (folder / "good.jsonl").read_text().splitlines()
    begins = [number for number, line in enumerate(lines) if "canopy_study" in line] + [len(lines)]
    taken = 0
    for number in range(files):
        first = chance.randrange(len(begins) - 1)
        study = lines[begins[first] : begins[first + 1]][:60]
        head = json.loads(study[0]) | {"name": f"s{number}", "events": len(study) - 1}
        study[0] = json.dumps(head)
        changes = [chance.randrange(len(study)) for _ in range(chance.choice([0, 1, 1, 2]))]
        parts = [
            spoiled(json.loads(line), chance) if index in changes else line.encode() for index, line in enumerate(study)
        ]
        if chance.random() < 0.2:
            parts[1:] = chance.sample(parts[1:], len(parts) - 1)
        (folder / "bad.jsonl").write_bytes(b"\n".join(parts) + b"\n")
        done = tool("studies", "import", folder / "bad.jsonl", "--store", folder / "imported.db")
        if done.returncode not in (0, 1, 2):
            raise Violation(f"import ended with status {done.returncode}: {done.stderr}; see {folder}/bad.jsonl")
        taken += done.returncode == 0
    if taken:
        check_store(folder / "imported.db", folder)
    return taken


def fuzz(folder, requests, seed):
    """Fuzzes all interfaces, with a quarter as many lines of pipe and a hundredth as many imports."""
    answers = fuzz_server(folder, requests, seed)
    fuzz_pipe(folder, requests // 4, seed)
    taken = fuzz_import(folder, requests // 100, seed, folder / "canopy.db")
    return answers, taken


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    arguments = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="canopy-doors-"))
    print(f"seed {arguments.seed}, {folder}", flush=True)
    try:
        answers, taken = fuzz(folder, arguments.requests, arguments.seed)
    except Violation as error:
        raise SystemExit(f"VIOLATION (seed {arguments.seed}): {error}\nSee {folder}") from error
    print(f"{arguments.requests} steps; answers by status: {dict(sorted(answers.items()))}; {taken} imports taken")


if __name__ == "__main__":
    sys.exit(main())
