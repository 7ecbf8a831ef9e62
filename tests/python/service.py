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
    """A server on a port of its own, whose store and log are in a folder; `with` stops it."""

    def __init__(self, folder, *arguments, port=0, store=None):
        if not TOOL.exists():
            pytest.skip(f"{TOOL} is not built")
        self.folder = folder
        self.store = store or folder / "canopy.db"
        self.arguments = arguments
        self.port = port
        self.process = None

    def start(self):
        log = self.folder / "log"
        command = [TOOL, "serve", "--store", self.store, "--listen", f"127.0.0.1:{self.port}"]
        with log.open("w") as file:
            self.process = subprocess.Popen([*command, *self.arguments], stderr=file, cwd=self.folder)
        deadline = time.monotonic() + 30
        while not (found := re.search(r'listening url="(\S+)"', log.read_text())):
            assert self.process.poll() is None and time.monotonic() < deadline, log.read_text()
            time.sleep(0.02)
        self.url = found[1]
        self.port = int(self.url.rpartition(":")[2])  # it stays the same when it starts again

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


@contextlib.contextmanager
def new_database(folder):
    """The address of a PostgreSQL of its own, with a database for studies."""
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not found:
        pytest.skip("PostgreSQL is not installed")
    programs = found[-1].parent
    user = {}
    if os.geteuid() == 0:  # the server refuses to be root
        nobody = pwd.getpwnam("nobody")
        user = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
    # Not under pytest's folder, where nobody else may look; and the name of a socket must be short.
    with tempfile.TemporaryDirectory(prefix="canopy-") as name, (folder / "postgres.log").open("w") as log:
        if user:
            os.chown(name, user["user"], user["group"])
        make = ["initdb", "-D", f"{name}/data", "-U", "canopy", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
        subprocess.run([programs / make[0], *make[1:]], cwd="/", stdout=log, stderr=log, check=True, **user)
        serve = ["-D", f"{name}/data", "-k", name, "-c", "listen_addresses="]
        process = subprocess.Popen([programs / "postgres", *serve], cwd="/", stdout=log, stderr=log, **user)
        try:
            deadline = time.monotonic() + 60
            create = [programs / "createdb", "-h", name, "-U", "canopy", "studies"]
            while subprocess.run(create, cwd="/", stdout=log, stderr=log).returncode != 0:
                assert time.monotonic() < deadline, (folder / "postgres.log").read_text()
                time.sleep(0.1)
            yield f"postgresql:///studies?user=canopy&host={name}"
        finally:
            process.send_signal(signal.SIGQUIT)
            process.wait(30)


def new_token(folder, name, role, **more):
    """A new token in the folder's file."""
    flags = [part for key, value in more.items() for part in (f"--{key.replace('_', '-')}", str(value))]
    command = [TOOL, "token", "new", "--file", folder / "tokens.toml", "--name", name, "--role", role, *flags]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
