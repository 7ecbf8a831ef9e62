"""Measures how many clients `canopy serve` can have, on SQLite and PostgreSQL, compared with Optuna's storage.

    make bench-service

Clients, server and database share this machine. Figures that are compared are measured in one run.
"""

from __future__ import annotations

import argparse
import http.client
import json
import multiprocessing
import os
import pathlib
import pwd
import resource
import selectors
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager

ROOT = pathlib.Path(__file__).resolve().parents[2]
CANOPY = ROOT / "build" / "canopy"
LOAD = ROOT / "build" / "bench" / "service_load"
STUDY = '[optimizer]\nname = "{optimizer}"\n[[space]]\nname = "x"\nlow = 0.0\nhigh = 1.0\n'


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Server:
    """`canopy serve` in a separate process."""

    def __init__(self, store: str, *more: str) -> None:
        self.port = free_port()
        self.process = subprocess.Popen(
            [str(CANOPY), "serve", "--listen", f"127.0.0.1:{self.port}", "--store", store, *more],
            stderr=subprocess.DEVNULL,
        )
        for _ in range(500):
            try:
                self.get("/healthz")
                return
            except OSError:
                time.sleep(0.02)
        raise RuntimeError("the server does not start")

    def get(self, path: str) -> dict[str, object]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        connection.request("GET", path)
        return json.loads(connection.getresponse().read())  # type: ignore[no-any-return]

    def post(self, path: str, body: object) -> dict[str, object]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        return json.loads(connection.getresponse().read())  # type: ignore[no-any-return]

    def make_study(self, name: str, optimizer: str = "adaptive") -> None:
        self.post("/v1/studies", {"name": name, "toml": STUDY.format(optimizer=optimizer)})

    def megabytes(self) -> float:
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1]) / 1024
        raise RuntimeError("no VmRSS")

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


@contextmanager
def serving(store: str, *more: str) -> Iterator[Server]:
    server = Server(store, *more)
    try:
        yield server
    finally:
        server.stop()


def load(server: Server, study: str, connections: int, seconds: float, rate: float = 0.0) -> tuple[float, float, float]:
    """Tells per second, and the median and 99th percentile of latencies in ms."""
    words = [str(LOAD), str(server.port), study, str(connections), str(seconds)]
    if rate > 0:
        words.append(str(rate))
    out = subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()
    if int(out[3]) != 0:
        raise RuntimeError(f"{out[3]} answers were errors")
    return float(out[0]), float(out[1]), float(out[2])


def throughput(name: str, store: str, seconds: float) -> float:
    print(f"\n{name}: tells a second, each of them on the disk before it is answered")
    best = 0.0
    with serving(store) as server:
        for optimizer in ("hct", "adaptive"):
            study = f"load-{optimizer}"
            server.make_study(study, optimizer)
            one, one_median, _ = load(server, study, 1, seconds)
            many, median, p99 = load(server, study, 256, seconds)
            _, half_median, half_p99 = load(server, study, 256, seconds, many / 2)
            print(f"  {optimizer:9} 256 connections {many:7.0f}  ({median:.1f} ms, p99 {p99:.1f} ms)")
            print(f"  {'':9} at half of that load        median {half_median:.1f} ms, p99 {half_p99:.1f} ms")
            print(f"  {'':9}   1 connection  {one:7.0f}  ({one_median:.2f} ms): ratio {many / one:.1f}")
            best = max(best, many)
        metrics = http.client.HTTPConnection("127.0.0.1", server.port)
        metrics.request("GET", "/metrics")
        text = metrics.getresponse().read().decode()
        events = float(text.split("\ncanopy_events_total ")[1].split()[0])
        commits = float(text.split("\ncanopy_commits_total ")[1].split()[0])
        print(f"  {events / commits:.0f} events in a commit on average")
    return best


def optuna_rate(url: str, seconds: float) -> float:
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(storage=optuna.storages.RDBStorage(url), sampler=optuna.samplers.RandomSampler(seed=1))
    distributions = {"x": optuna.distributions.FloatDistribution(0.0, 1.0)}
    told, start = 0, time.monotonic()
    while time.monotonic() - start < seconds:
        trial = study.ask(distributions)
        study.tell(trial, trial.params["x"])
        told += 1
    return told / (time.monotonic() - start)


def idle_connections(folder: pathlib.Path, count: int) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, count + 1000), hard))
    with serving(str(folder / "idle.db")) as server:
        server.make_study("a", "hct")
        before_rate, before_ms, _ = load(server, "a", 1, 2.0)
        before = server.megabytes()
        sockets = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(count)]
        for each in sockets:
            each.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        for each in sockets:
            each.recv(4096)
        time.sleep(1.0)
        after = server.megabytes()
        after_rate, after_ms, _ = load(server, "a", 1, 2.0)
        print(f"\n{count} idle connections: {after:.0f} MB (before: {before:.0f} MB)")
        print(f"  another client: {before_rate:.0f} tells a second before, {after_rate:.0f} with them")
        print(f"  ({before_ms:.2f} and {after_ms:.2f} ms)")
        for each in sockets:
            each.close()
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def read_all(sockets: list[socket.socket]) -> None:
    """Reads everything that arrives, until it is killed."""
    selector = selectors.DefaultSelector()
    for each in sockets:
        selector.register(each, selectors.EVENT_READ)
    while True:
        for key, _ in selector.select():
            if not key.fileobj.recv(1 << 20):  # type: ignore[union-attr]
                selector.unregister(key.fileobj)


def followers(folder: pathlib.Path, count: int) -> None:
    """The cost of streams for a writer: half of the followers read, in a separate process, and half never do."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, count + 1000), hard))
    with serving(str(folder / "followed.db")) as server:
        server.make_study("a", "hct")
        alone = [load(server, "a", 1, 2.0)[0] for _ in range(3)]
        sockets = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(count)]
        for each in sockets:
            each.sendall(b"GET /v1/studies/a/stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
        reader = multiprocessing.get_context("fork").Process(target=read_all, args=(sockets[: count // 2],))
        reader.start()
        time.sleep(1.0)
        followed = [load(server, "a", 1, 2.0)[0] for _ in range(3)]
        megabytes = server.megabytes()
        reader.kill()
        reader.join()
        before, after = statistics.median(alone), statistics.median(followed)
        print(f"\n{count} streams of a study, half of them never read: {megabytes:.0f} MB")
        fewer = 100 * (1 - after / before)
        print(f"  a writer: {before:.0f} tells a second alone, {after:.0f} with them: {fewer:.0f} % fewer")
        for each in sockets:
            each.close()
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def many_studies(folder: pathlib.Path, count: int) -> None:
    with serving(str(folder / "many.db")) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port)
        for i in range(count):
            body = json.dumps({"name": f"study-{i:05}", "toml": STUDY.format(optimizer="hct")})
            connection.request("POST", "/v1/studies", body, {"Content-Type": "application/json"})
            connection.getresponse().read()
        after, seen, times = "", 0, []
        while True:
            start = time.perf_counter()
            connection.request("GET", f"/v1/studies?limit=100&after={after}")
            page = json.loads(connection.getresponse().read())
            times.append(1000 * (time.perf_counter() - start))
            seen += len(page["studies"])
            if page["next"] is None:
                break
            after = page["next"]
        print(
            f"\n{seen} studies in pages of 100: {statistics.median(times):.1f} ms a page, at most {max(times):.1f} ms"
        )


def long_studies(folder: pathlib.Path, events: int, count: int) -> None:
    """Memory of open studies, and the time to open one again."""
    store = str(folder / "long.db")
    with serving(store) as server:
        server.make_study("long", "hct")
        connection = http.client.HTTPConnection("127.0.0.1", server.port)
        headers = {"Content-Type": "application/json"}
        left = events // 2
        while left > 0:
            size = min(left, 1000)
            connection.request("POST", "/v1/studies/long/asks", json.dumps({"count": size, "pulls": 1}), headers)
            tickets = json.loads(connection.getresponse().read())["tickets"]
            tells = [{"ticket": each["ticket"], "reward": each["arm"]["x"] % 0.37} for each in tickets]
            connection.request("POST", "/v1/studies/long/tells", json.dumps({"tells": tells}), headers)
            summary = json.loads(connection.getresponse().read())
            left -= size
        assert summary["t"] > events // 2
        for i in range(count):
            specification = server.get("/v1/studies/long")["specification"]
            server.post("/v1/studies", {"name": f"copy-{i}", "specification": specification, "fork_of": "long"})
            server.post(f"/v1/studies/copy-{i}/asks", {})  # a study is closed with a snapshot
    with serving(store) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port)
        connection.request("GET", "/healthz")
        connection.getresponse().read()
        times = []
        memory = server.megabytes()
        nodes = 0
        for i in range(count):
            start = time.perf_counter()
            connection.request("POST", f"/v1/studies/copy-{i}/asks", "{}", {"Content-Type": "application/json"})
            connection.getresponse().read()
            times.append(1000 * (time.perf_counter() - start))
            connection.request("GET", f"/v1/studies/copy-{i}/summary")
            nodes = json.loads(connection.getresponse().read())["nodes"]
        per_study = 1024 * (server.megabytes() - memory) / count
        print(f"\nstudies with {events} events: opened in {statistics.median(times):.1f} ms")
        print(f"  {per_study:.0f} kB for an open one, {nodes} nodes included")


@contextmanager
def postgresql() -> Iterator[str | None]:
    """Starts a private server on a socket in its own folder, and yields its address."""
    programs = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    if not programs:
        yield None
        return
    folder = pathlib.Path(tempfile.mkdtemp(prefix="canopy-bench-"))
    become: dict[str, object] = {}
    if os.getuid() == 0:
        user = pwd.getpwnam("nobody")
        os.chown(folder, user.pw_uid, user.pw_gid)
        become = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    data = folder / "data"
    initdb = [str(programs[-1].parent / "initdb"), "-D", str(data), "-U", "canopy", "-A", "trust", "-E", "UTF8"]
    subprocess.run(initdb, check=True, stdout=subprocess.DEVNULL, cwd=folder, **become)  # type: ignore[call-overload]
    server = subprocess.Popen(  # type: ignore[call-overload]
        [str(programs[-1]), "-D", str(data), "-k", str(folder), "-c", "listen_addresses="],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        **become,
    )
    try:
        ready = [str(programs[-1].parent / "pg_isready"), "-h", str(folder), "-q"]
        while subprocess.run(ready, check=False).returncode != 0:
            time.sleep(0.1)
        for name in ("canopy", "optuna"):
            create = [str(programs[-1].parent / "createdb"), "-h", str(folder), "-U", "canopy", name]
            subprocess.run(create, check=True)
        yield str(folder)
    finally:
        server.send_signal(signal.SIGINT)
        server.wait()
        shutil.rmtree(folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=5.0, help="of each measurement")
    parser.add_argument("--events", type=int, default=1_000_000, help="of the long study")
    parser.add_argument("--without-optuna", action="store_true")
    arguments = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="canopy-bench-"))
    try:
        rates = {"SQLite": throughput("SQLite", str(folder / "a.db"), arguments.seconds)}
        if not arguments.without_optuna:
            rate = optuna_rate(f"sqlite:///{folder}/optuna.db", arguments.seconds)
            print(f"  Optuna {rate:.0f}: ratio {rates['SQLite'] / rate:.0f}")
        with postgresql() as place:
            if place is None:
                print("\nPostgreSQL is not installed")
            else:
                address = f"postgresql:///canopy?user=canopy&host={place}"
                rates["PostgreSQL"] = throughput("PostgreSQL", address, arguments.seconds)
                if not arguments.without_optuna:
                    url = f"postgresql+psycopg2://canopy@/optuna?host={place}"
                    rate = optuna_rate(url, arguments.seconds)
                    print(f"  Optuna {rate:.0f}: ratio {rates['PostgreSQL'] / rate:.0f}")
        idle_connections(folder, 10_000)
        followers(folder, 1000)
        many_studies(folder, 10_000)
        long_studies(folder, arguments.events, 20)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
