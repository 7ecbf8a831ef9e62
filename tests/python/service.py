"""A real `canopy serve` for tests."""

import os
import pathlib
import re
import signal
import subprocess
import time

import pytest

TOOL = pathlib.Path(os.environ.get("CANOPY_TOOL", pathlib.Path(__file__).parents[2] / "build" / "canopy"))


class Serving:
    """A server on a port of its own, whose store and log are in a folder; `with` stops it."""

    def __init__(self, folder, *arguments, port=0):
        if not TOOL.exists():
            pytest.skip(f"{TOOL} is not built")
        self.folder = folder
        self.arguments = arguments
        self.port = port
        self.process = None

    def start(self):
        log = self.folder / "log"
        command = [TOOL, "serve", "--store", self.folder / "canopy.db", "--listen", f"127.0.0.1:{self.port}"]
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


def new_token(folder, name, role, **more):
    """A new token in the folder's file."""
    flags = [part for key, value in more.items() for part in (f"--{key.replace('_', '-')}", str(value))]
    command = [TOOL, "token", "new", "--file", folder / "tokens.toml", "--name", name, "--role", role, *flags]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
