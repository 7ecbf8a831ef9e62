"""A real `canopy serve` for tests."""

import contextlib
import os
import pathlib
import pwd
import re
import signal
import socket
import subprocess
import tempfile
import time

import pytest

TOOL = pathlib.Path(os.environ.get("CANOPY_TOOL", pathlib.Path(__file__).parents[2] / "build" / "canopy"))


class Serving:
    """A server on a free port, whose store and log are in a folder; `with` stops it."""

    def __init__(self, folder, *arguments, port=0, store=None, environment=None, tool=TOOL):
        if not tool.exists():
            pytest.skip(f"{tool} is not built")
        self.tool = tool
        self.folder = folder
        self.store = store or folder / "canopy.db"
        self.arguments = arguments
        self.port = port
        self.environment = environment
        self.process = None

    def start(self):
        log = self.folder / "log"
        command = [self.tool, "serve", "--store", self.store, "--listen", f"127.0.0.1:{self.port}"]
        with log.open("a") as file:
            begin = file.tell()
            self.process = subprocess.Popen(
                [*command, *self.arguments], stderr=file, cwd=self.folder, env=self.environment
            )
        deadline = time.monotonic() + 30
        while not (found := re.search(r'listening url="(\S+)"', log.read_text()[begin:])):
            assert self.process.poll() is None and time.monotonic() < deadline, log.read_text()[begin:]
            time.sleep(0.02)
        self.url = found[1]
        self.port = int(self.url.rpartition(":")[2])  # stays the same after a restart

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        self.process.wait(30)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


class Database:
    """A private PostgreSQL in a folder, with a database for studies; `port`: 0 for only a socket in the folder."""

    def __init__(self, folder, log, port=0, environment=None):
        found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"))
        if not found:
            pytest.skip("PostgreSQL is not installed")
        self.programs = found[-1].parent
        self.folder = folder
        self.port = port
        self.log = log
        self.process = None
        self.user = {"env": environment} if environment else {}
        if os.geteuid() == 0:  # the server refuses to run as root
            nobody = pwd.getpwnam("nobody")
            self.user |= {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
            os.chown(folder, nobody.pw_uid, nobody.pw_gid)
        make = [
            "initdb",
            "-D",
            f"{folder}/data",
            "-U",
            "canopy",
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--locale=C",
            "--no-sync",
        ]
        self.run(*make, check=True, **self.user)
        self.start()
        self.run("createdb", "-h", folder, "-p", str(self.port or 5432), "-U", "canopy", "studies", check=True)

    def run(self, program, *arguments, **how):
        command = [self.programs / program, *arguments]
        return subprocess.run(command, cwd="/", stdout=self.log, stderr=self.log, **how)

    def start(self):
        listen = (
            ["-p", str(self.port), "-c", "listen_addresses=127.0.0.1"] if self.port else ["-c", "listen_addresses="]
        )
        serve = ["-D", f"{self.folder}/data", "-k", self.folder, *listen]
        command = [self.programs / "postgres", *serve]
        self.process = subprocess.Popen(command, cwd="/", stdout=self.log, stderr=self.log, **self.user)
        deadline = time.monotonic() + 60
        ready = ["pg_isready", "-q", "-h", self.folder, "-p", str(self.port or 5432), "-d", "postgres"]
        while self.run(*ready).returncode != 0:
            assert self.process.poll() is None and time.monotonic() < deadline, "PostgreSQL does not start"
            time.sleep(0.05)

    def stop(self):
        """Simulates a power cut: nothing more is written."""
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait(30)

    @property
    def address(self):
        return f"postgresql:///studies?user=canopy&host={self.folder}&port={self.port or 5432}"


@contextlib.contextmanager
def new_database(folder):
    """The address of a private PostgreSQL, with a database for studies."""
    # Not in pytest's folder, which other users cannot read; and the path of a socket must be short.
    with tempfile.TemporaryDirectory(prefix="canopy-") as name, (folder / "postgres.log").open("w") as log:
        database = Database(name, log)
        try:
            yield database.address
        finally:
            database.stop()


def new_token(folder, name, role, **more):
    """A new token in the folder's file."""
    flags = [part for key, value in more.items() for part in (f"--{key.replace('_', '-')}", str(value))]
    command = [TOOL, "token", "new", "--file", folder / "tokens.toml", "--name", name, "--role", role, *flags]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
