"""The environment of a campaign: servers, their store, the network between them, and faults of disks and clocks."""

import contextlib
import json
import mmap
import os
import pathlib
import random
import signal
import socket
import sqlite3
import struct
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "python"))
from service import TOOL, Database, Serving, free_port, new_token

__all__ = ["TOOL", "Serving", "World", "free_port", "new_token", "tool"]
HERE = pathlib.Path(__file__).parent


def build_faults(folder):
    """Builds the library that is preloaded into servers."""
    library = folder / "faults.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", library, HERE / "faults.c", "-ldl"], check=True)
    library.chmod(0o755)
    return library


class Faults:
    """The simulated disk and clock of a process, which can be changed while it runs."""

    def __init__(self, path, library):
        path.write_bytes(struct.pack("qqq", 0, 0, -1))
        path.chmod(0o666)
        with path.open("r+b") as file:
            self.memory = mmap.mmap(file.fileno(), 24)
        self.environment = os.environ | {"CANOPY_FAULTS": str(path), "LD_PRELOAD": str(library)}

    def clock(self, seconds):
        self.memory[0:8] = struct.pack("q", seconds)

    def slow_disk(self, milliseconds):
        self.memory[8:16] = struct.pack("q", milliseconds * 1000)

    def disk(self, bytes_left):
        """A negative number means no limit."""
        self.memory[16:24] = struct.pack("q", bytes_left)

    def heal(self):
        self.clock(0)
        self.slow_disk(0)
        self.disk(-1)


class Proxy:
    """A link that can be cut. Every connection looks up the mode again whenever data arrives.

    pass: forwards everything. refuse: closes connections. request: closes instead of forwarding a request.
    answer: forwards requests, and closes instead of returning the answer. hang: forwards nothing.
    flaky: any of the first four, at random.
    """

    MODES = ("refuse", "request", "answer", "hang", "flaky")

    def __init__(self, target_port, seed):
        self.target_port = target_port
        self.mode = "pass"
        self.cuts = 0
        self.random = random.Random(seed)
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=200)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.connect, args=[client], daemon=True).start()

    def connect(self, client):
        if self.present_mode() == "refuse":
            self.cuts += 1
            client.close()
            return
        try:
            server = socket.create_connection(("127.0.0.1", self.target_port), timeout=10)
        except OSError:
            client.close()
            return
        for each in (client, server):
            each.settimeout(None)
            each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        back = threading.Thread(target=self.carry, args=[server, client, "answer"], daemon=True)
        back.start()
        self.carry(client, server, "request")
        back.join()
        client.close()
        server.close()

    def present_mode(self):
        if self.mode == "flaky":
            return self.random.choice(["pass"] * 12 + ["refuse", "request", "answer"])
        return self.mode

    def is_cut(self, what, data):
        return self.present_mode() in ("refuse", what)

    def carry(self, source, sink, what):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                while self.mode == "hang":
                    time.sleep(0.02)
                if self.is_cut(what, data):
                    self.cuts += 1
                    break
                sink.sendall(data)
        for each in (source, sink):  # close the other direction, too
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def close(self):
        self.mode = "refuse"
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


class Node:
    """A server behind a proxy, with its own simulated disk and clock."""

    def __init__(self, folder, library, seed, store=None):
        folder.mkdir()
        self.faults = Faults(folder / "faults", library)
        port = free_port()
        self.proxy = Proxy(port, seed)
        advertised = f"http://127.0.0.1:{self.proxy.port}"
        arguments = ["--advertise", advertised, "--close-after", "3"] if store else ["--close-after", "3"]
        self.serving = Serving(folder, *arguments, port=port, store=store, environment=self.faults.environment)
        self.lock = threading.Lock()  # one change at a time
        self.serving.start()

    def signal(self, number):
        self.serving.process.send_signal(number)

    def restart(self, how, pause=0.0):
        with self.lock:
            if how == signal.SIGTERM:
                self.signal(how)
                try:
                    self.serving.process.wait(60)
                except subprocess.TimeoutExpired:
                    raise AssertionError("the server does not stop within 60 s of SIGTERM") from None
                code = self.serving.process.returncode
                assert code == 0, f"the server ended with status {code} after SIGTERM; see {self.serving.folder}/log"
            else:
                self.serving.stop(how)
            time.sleep(pause)
            self.start()

    def start(self):
        """Starts the server, and retries like systemd, because it does not start without its database."""
        deadline = time.monotonic() + 90
        while True:
            try:
                return self.serving.start()
            except AssertionError:
                if time.monotonic() > deadline:
                    raise
                with contextlib.suppress(ProcessLookupError):
                    self.serving.process.kill()
                self.serving.process.wait()
                time.sleep(0.5)

    def has_crashed(self):
        return not self.lock.locked() and self.serving.process.poll() is not None

    def close(self):
        self.faults.heal()
        for number in (signal.SIGCONT, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                self.signal(number)
        self.serving.process.wait()
        self.proxy.close()


class World:
    """SQLite with one server, or two servers that share a PostgreSQL."""

    def __init__(self, folder, kind, seed):
        self.folder = folder
        self.kind = kind
        self.database = None
        folder.chmod(0o755)
        library = build_faults(folder)
        if kind == "sqlite":
            self.nodes = [Node(folder / "server-1", library, seed)]
            self.store = self.nodes[0].serving.store
            return
        place = folder / "pg"
        place.mkdir()
        self.database_faults = Faults(folder / "pg-faults", library)
        self.database_log = (folder / "postgres.log").open("w")
        self.database = Database(place, self.database_log, free_port(), self.database_faults.environment)
        self.links = [Proxy(self.database.port, seed + number) for number in range(2)]
        self.nodes = [
            Node(folder / f"server-{number}", library, seed + 10 + number, self.address(link.port))
            for number, link in enumerate(self.links, 1)
        ]
        self.store = self.address(self.database.port)
        self.database_lock = threading.Lock()
        self.is_closed = False
        threading.Thread(target=self.keep_database, daemon=True).start()

    @staticmethod
    def address(port):
        return f"postgresql://canopy@127.0.0.1:{port}/studies"

    def crash_database(self, pause):
        """Kills all its processes at once."""
        with self.database_lock:
            main = self.database.process
            if main.poll() is None:
                main.send_signal(signal.SIGSTOP)
                children = pathlib.Path(f"/proc/{main.pid}/task/{main.pid}/children").read_text().split()
                for process in [*map(int, children), main.pid]:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(process, signal.SIGKILL)
            main.wait()
            time.sleep(pause)
            self.start_database()

    def keep_database(self):
        """Restarts a server that has ended because its disk was full."""
        while not self.is_closed:
            time.sleep(0.3)
            with self.database_lock:
                if not self.is_closed and self.database.process.poll() is not None:
                    self.start_database()

    def start_database(self):
        deadline = time.monotonic() + 60
        while True:
            try:
                return self.database.start()
            except AssertionError:  # processes of the previous one still exist
                if time.monotonic() > deadline:
                    raise
                with contextlib.suppress(ProcessLookupError):
                    self.database.process.kill()
                self.database.process.wait()
                time.sleep(0.5)

    def heal(self):
        for node in self.nodes:
            node.proxy.mode = "pass"
            node.faults.heal()
            with contextlib.suppress(ProcessLookupError):
                node.signal(signal.SIGCONT)
        if self.database:
            self.database_faults.heal()
            for link in self.links:
                link.mode = "pass"

    def query(self, sql):
        """Reads rows from the tables, without canopy."""
        if self.database:
            command = ["psql", "-X", "-q", "-A", "-t", "-d", self.store, "-c", f"SELECT row_to_json(r) FROM ({sql}) r"]
            lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
            return [tuple(json.loads(line).values()) for line in lines]
        with contextlib.closing(sqlite3.connect(self.store)) as file:
            return file.execute(sql).fetchall()

    def close(self):
        for node in self.nodes:
            node.close()
        if self.database:
            self.is_closed = True
            self.database_faults.heal()
            with self.database_lock:
                self.database.stop()
            for link in self.links:
                link.close()
            self.database_log.close()


def tool(*arguments, timeout=120, **how):
    return subprocess.run(
        [TOOL, *map(str, arguments)], capture_output=True, text=True, timeout=timeout, errors="replace", **how
    )
