"""Clients that retry until they get an answer, and a log of what was acknowledged to them."""

import collections
import contextlib
import dataclasses
import http.client
import json
import queue
import random
import threading
import time
import urllib.parse

ROUND_TRIP = 4.0  # seconds that a client waits for an answer before it sends the request again
LONGEST_LEASE = 3  # seconds, of a ticket
NO_ANSWER = 150.0  # seconds without an answer that count as a violation; disturbances only last for some seconds


class Violation(AssertionError):
    """A violated guarantee."""


def parameter(name, **rest):
    return {"name": name} | rest


# The studies of a campaign, by name: two algorithms, every kind of parameter, both directions.
STUDIES = {
    "mixed": {
        "optimizer": {"name": "hct"},
        "space": [
            parameter("x", low=0.0, high=1.0),
            parameter("mode", type="choice", choices=["fast", "small", 'od"d']),
            parameter("n", type="integer", low=1, high=9),
        ],
    },
    "correlated": {
        "direction": "minimize",
        "optimizer": {"name": "hct", "feedback": "correlated", "mixing_time": 2.0},
        "reward_range": [0.0, 1.0],
        "space": [parameter("x", low=1.0, high=1e6, scale="log")],
    },
    # The rewards of arms are computed from the whole journal; detecting a change of the system would reset them.
    "adaptive": {
        "optimizer": {"name": "adaptive", "drift": "none"},
        "space": [parameter("x", low=-1.0, high=1.0), parameter("y", low=1.0, high=3600.0, scale="log")],
    },
    "steered": {
        "direction": "minimize",
        "optimizer": {"name": "adaptive", "drift": "none"},
        "space": [
            parameter("n", type="integer", low=0, high=1000, step=50),
            parameter("c", type="choice", choices=["a", "b"]),
        ],
    },
}


def coordinates(space, arm):
    """An arm in the form of the journal."""
    return tuple(
        float(each["choices"].index(arm[each["name"]])) if each.get("type") == "choice" else float(arm[each["name"]])
        for each in space
    )


@dataclasses.dataclass
class Call:
    """A request and its answer."""

    study: str
    what: str  # asks, tells, drops, observations, bars, commands
    key: str
    body: dict
    status: int
    answer: bytes

    def results(self):
        """Each element of the request with its result."""
        (elements,) = (value for value in self.body.values() if isinstance(value, list))
        answer = json.loads(self.answer)
        if self.status == 200:
            return list(zip(elements, answer["results"]))
        return [(each, {"error": {"code": answer["code"]}}) for each in elements]


class Log:
    """What was acknowledged, and the minimum that any later read must show."""

    def __init__(self):
        self.lock = threading.Lock()
        self.calls = []
        self.least = collections.defaultdict(collections.Counter)  # by study: events, steps, observed, rewards of arms
        self.retries = 0
        self.reads = 0
        self.violations = queue.Queue()

    def add(self, call):
        found = collections.Counter()
        if call.what == "asks" and call.status == 200:
            found["events"] += len(json.loads(call.answer)["tickets"])
        elif call.what in ("tells", "observations", "drops", "bars"):
            for element, result in call.results():
                if "error" in result:
                    continue
                found["events"] += 1
                if call.what == "tells":
                    found["steps"] += len(rewards_of(element))
                    found["rewards"] += 0 if element.get("failed") else len(rewards_of(element))
                elif call.what == "observations":
                    found["observed"] += len(rewards_of(element))
                    found["rewards"] += len(rewards_of(element))
        with self.lock:
            self.calls.append(call)
            self.least[call.study].update(found)

    def least_of(self, study):
        with self.lock:
            return self.least[study].copy()


def rewards_of(element):
    return element["rewards"] if "rewards" in element else [element["reward"]]


class Caller:
    """A connection to one of several servers; if it does not answer, another one is tried."""

    def __init__(self, ports, seed, log):
        self.ports = ports
        self.random = random.Random(seed)
        self.log = log
        self.port = self.random.choice(ports)
        self.connection = None

    def send(self, method, path, body=None, key=None, patience=ROUND_TRIP):
        """Makes one attempt; returns status and answer. Raises OSError or HTTPException if there is none."""
        if self.connection is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=patience)
        headers = {"Content-Type": "application/json"} | ({"Idempotency-Key": key} if key else {})
        try:
            self.connection.request(method, path, None if body is None else json.dumps(body), headers)
            response = self.connection.getresponse()
            answer = response.read()
        except (OSError, http.client.HTTPException):
            self.leave()
            raise
        if response.status == 307:
            self.go_to(urllib.parse.urlsplit(response.headers["Location"]).port)
        return response.status, answer

    def go_to(self, port):
        self.leave()
        self.port = port

    def leave(self):
        if self.connection:
            self.connection.close()
        self.connection = None

    def insist(self, method, path, body=None, key=None):
        """Retries a request until it is answered."""
        deadline = time.monotonic() + NO_ANSWER
        while True:
            try:
                status, answer = self.send(method, path, body, key, self.random.uniform(0.5, ROUND_TRIP))
                if status == 500 or status == 501:
                    raise Violation(f"{method} {path} was answered with {status}: {answer[:500]!r}")
                code = json.loads(answer).get("code") if status >= 300 and answer else None
                if status not in (307, 429, 503) and code not in ("open_elsewhere", "paused"):
                    return status, answer
                last = f"{status} {code}"
                if status == 503 and self.random.random() < 0.3:
                    self.go_to(self.random.choice(self.ports))
            except (OSError, http.client.HTTPException) as error:
                last = repr(error)
                self.go_to(self.random.choice(self.ports))
            with self.log.lock:
                self.log.retries += 1
            if time.monotonic() > deadline:
                raise Violation(f"{method} {path} with key {key} has no answer for {NO_ANSWER} s; the last was {last}")
            time.sleep(self.random.uniform(0.005, 0.1))


def running(work):
    """A thread whose violations are collected."""

    def run(self):
        try:
            work(self)
        except Exception as error:
            self.log.violations.put(error)

    return run


class Worker(threading.Thread):
    """Asks, tells, fails, drops, observes and bars, and sometimes repeats an answered request."""

    def __init__(self, name, study, ports, seed, log, stop):
        super().__init__(daemon=True)
        self.label = name
        self.study = study
        self.space = STUDIES[study]["space"]
        self.log = log
        self.stop = stop
        self.random = random.Random(seed)
        self.caller = Caller(ports, seed + 1, log)
        self.tickets = {}  # rewards that may still be told, by open ticket
        self.closed = []
        self.sent = 0
        self.mine = []

    def request(self, what, body):
        self.sent += 1
        key = f"{self.label}-{self.sent}"
        status, answer = self.caller.insist("POST", f"/v1/studies/{self.study}/{what}", body, key)
        if status not in (200, 201, 409, 410):
            raise Violation(f"{what} of {self.study} with key {key} was refused with {status}: {answer[:500]!r}")
        call = Call(self.study, what, key, body, status, answer)
        self.log.add(call)
        self.mine.append(call)
        return call

    @running
    def run(self):
        while not self.stop.is_set():
            draw = self.random.random()
            if not self.tickets or (draw < 0.4 and len(self.tickets) < 8):
                self.ask()
            elif draw < 0.85:
                self.tell()
            elif draw < 0.90:
                self.drop()
            elif draw < 0.95:
                self.observe()
            elif draw < 0.96 and self.mine:
                self.repeat()
            elif draw < 0.98 and self.closed:
                self.tell_again()
            elif draw < 0.981:
                self.bar()

    def ask(self):
        body = {"count": self.random.randint(1, 3), "pulls": self.random.randint(1, 3)}
        if self.random.random() < 0.2:
            body["lease_seconds"] = self.random.choice([1, LONGEST_LEASE])
        call = self.request("asks", body)
        if call.status == 200:
            for each in json.loads(call.answer)["tickets"]:
                self.tickets[each["ticket"]] = each["length"]
        else:
            raise Violation(f"an ask of {self.study} was refused: {call.answer[:500]!r}")

    def tell(self):
        tells = []
        for ticket in self.random.sample(list(self.tickets), min(len(self.tickets), self.random.randint(1, 3))):
            left = self.tickets[ticket]
            if self.random.random() < 0.05:
                tells.append({"ticket": ticket, "failed": True, "reward": -self.random.random()})
                self.tickets[ticket] = 0
                continue
            rewards = [self.random.random() for _ in range(self.random.randint(1, left))]
            tells.append({"ticket": ticket} | ({"reward": rewards[0]} if len(rewards) == 1 else {"rewards": rewards}))
            if self.random.random() < 0.1:
                tells[-1]["metrics"] = {"p99_ms": self.random.random()}
            self.tickets[ticket] = left - len(rewards)
        call = self.request("tells", {"tells": tells})
        for element, result in call.results():
            code = result.get("error", {}).get("code")
            if code not in (None, "closed_ticket", "gone"):
                raise Violation(f"a tell of {self.study} was refused: {element} {result}")
            if code or self.tickets[element["ticket"]] == 0:
                self.tickets.pop(element["ticket"], None)
                self.closed.append(element["ticket"])

    def drop(self):
        ticket = self.random.choice(list(self.tickets))
        del self.tickets[ticket]
        self.request("drops", {"tickets": [ticket]})
        self.closed.append(ticket)

    def random_arm(self):
        arm = {}
        for each in self.space:
            if each.get("type") == "choice":
                arm[each["name"]] = self.random.choice(each["choices"])
            elif each.get("type") == "integer":
                arm[each["name"]] = self.random.randrange(each["low"], each["high"] + 1, each.get("step", 1))
            else:
                arm[each["name"]] = self.random.uniform(each["low"], each["high"])
        return arm

    def observe(self):
        rewards = [self.random.random() for _ in range(self.random.randint(1, 4))]
        self.request("observations", {"observations": [{"arm": self.random_arm(), "rewards": rewards}]})

    def bar(self):
        self.request("bars", {"bars": [{"arm": self.random_arm(), "reward": -self.random.random()}]})

    def repeat(self):
        call = self.random.choice(self.mine[-50:])
        status, answer = self.caller.insist("POST", f"/v1/studies/{self.study}/{call.what}", call.body, call.key)
        if call.status == 200 and (status, answer) != (call.status, call.answer):
            raise Violation(
                f"the key {call.key} of {call.what} in {self.study} had the answer {call.status} {call.answer!r} "
                f"and later {status} {answer!r}"
            )

    def tell_again(self):
        ticket = self.random.choice(self.closed[-50:])
        call = self.request("tells", {"tells": [{"ticket": ticket, "reward": self.random.random()}]})
        if call.status == 200:
            raise Violation(f"the closed ticket {ticket} of {self.study} was told again: {call.answer!r}")


class Steerer(Worker):
    """Pauses and resumes a study."""

    @running
    def run(self):
        while not self.stop.wait(self.random.uniform(0.5, 3)):
            self.request("commands", {"command": self.random.choice(["pause", "hold"])})
            self.request("commands", {"command": "resume"})


class Churner(Worker):
    """Creates, uses, deletes and recreates studies: tickets of the earlier one must be refused."""

    @running
    def run(self):
        self.old = None
        while not self.stop.wait(0.2):
            made = {"name": self.label, "specification": STUDIES[self.study]}
            status, answer = self.caller.insist("POST", "/v1/studies", made)
            if status not in (200, 201):
                raise Violation(f"creating {self.label} was refused with {status}: {answer[:500]!r}")
            path = f"/v1/studies/{self.label}"
            self.sent += 1
            status, answer = self.caller.insist("POST", f"{path}/asks", {"count": 2}, f"{self.label}-{self.sent}")
            if status != 200:
                raise Violation(f"an ask of {self.label} was refused with {status}: {answer[:500]!r}")
            ticket = json.loads(answer)["tickets"][0]["ticket"]
            if self.old:
                status, answer = self.caller.insist(
                    "POST", f"{path}/tells", {"tells": [{"ticket": self.old, "reward": 0.5}]}, f"old-{self.sent}"
                )
                if status not in (409, 410):
                    raise Violation(f"a ticket of a deleted study was told: {status} {answer[:500]!r}")
            self.old = ticket
            status, answer = self.caller.insist("DELETE", path)
            if status not in (204, 404):
                raise Violation(f"deleting {self.label} was refused with {status}: {answer[:500]!r}")
            status, answer = self.caller.insist("GET", path)
            if status != 404:
                raise Violation(f"{self.label} was deleted but still exists: {status} {answer[:500]!r}")


def shown(route, answer):
    """The counts in an answer about a study: events, steps, observed rewards, rewards of arms."""
    if route == "summary":
        return {"events": answer["events"], "steps": answer["t"] - 1, "observed": answer["observed"]}
    if route in ("", "glance"):
        return {"events": answer["events"]}
    if route.startswith("arms"):
        return {"rewards": sum(each["pulls"] for each in answer["arms"])}
    return {"events": answer["last"]}


ROUTES = ("summary", "", "glance", "arms?limit=100000", "events?order=newest&limit=1")


def look(caller, log, study, route):
    """Compares a read with what was acknowledged before it began."""
    least = log.least_of(study)
    status, text = caller.send("GET", f"/v1/studies/{study}" + (f"/{route}" if route else ""))
    if status in (503, 307, 409, 429):
        return False
    if status != 200:
        raise Violation(f"GET {route} of {study} was answered with {status}: {text[:500]!r}")
    for name, value in shown(route, json.loads(text)).items():
        if value < least[name]:
            raise Violation(
                f"a stale read: GET {route or 'the study'} of {study} at port {caller.port} shows {value} {name}, "
                f"but {least[name]} were acknowledged before"
            )
    with log.lock:
        log.reads += 1
    return True


class Reader(threading.Thread):
    """Reads random studies from random servers; the result must include everything acknowledged before."""

    def __init__(self, ports, seed, log, stop):
        super().__init__(daemon=True)
        self.ports = ports
        self.random = random.Random(seed)
        self.log = log
        self.stop = stop

    @running
    def run(self):
        caller = Caller(self.ports, self.random.random(), self.log)
        while not self.stop.wait(self.random.uniform(0, 0.05)):
            caller.go_to(self.random.choice(self.ports))
            study = self.random.choice(list(STUDIES))
            with contextlib.suppress(OSError, http.client.HTTPException):
                look(caller, self.log, study, self.random.choice(ROUTES))
