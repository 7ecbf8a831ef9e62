"""Tries a wheel where nothing but it is installed: scripts/wheel.sh. Works in a folder of its own."""

import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.request

import canopy


def ask_and_tell():
    optimizer = canopy.Adaptive({"x": canopy.real(0, 1)})
    for _ in range(200):
        pull = optimizer.ask(1)
        optimizer.tell(pull, 1 - abs(pull.arm["x"] - 0.3))
    assert abs(optimizer.best().arm["x"] - 0.3) < 0.1, optimizer.best()


def study_that_is_closed_and_opened_again(folder):
    store = str(pathlib.Path(folder) / "canopy.db")
    for round in (1, 2):
        with canopy.Study.open("trial", store=store, space={"x": canopy.real(0, 1)}) as study:
            for _ in range(10):
                pull = study.ask(1)
                study.tell(pull, pull.arm["x"])
            assert study.summary().t - 1 == 10 * round, study


def store_in_postgresql_says_why_not():
    try:
        canopy.Study.open("trial", store="postgresql://127.0.0.1:1/nowhere", space={"x": canopy.real(0, 1)})
    except canopy.StoreError as error:
        return str(error).splitlines()[0]
    raise AssertionError("there is a database where none should be")


TOOL = pathlib.Path(sys.executable).parent / "canopy"


def command_line():
    version = subprocess.run([TOOL, "--version"], check=True, capture_output=True, text=True).stdout.strip()
    assert canopy.__version__ in version, version
    return version


def server_with_its_page(folder):
    with subprocess.Popen(
        [TOOL, "serve", "--listen", "127.0.0.1:0"], cwd=folder, stderr=subprocess.PIPE, text=True
    ) as server:
        try:
            (url,) = next(found for line in server.stderr if (found := re.findall(r'listening url="(\S+)"', line)))
            for path, part in {"/": "<title>canopy", "/openapi.json": '"openapi"'}.items():
                with urllib.request.urlopen(url + path, timeout=30) as answer:
                    assert part in answer.read().decode(), path
        finally:
            server.terminate()


if __name__ == "__main__":
    ask_and_tell()
    with tempfile.TemporaryDirectory() as folder:
        study_that_is_closed_and_opened_again(folder)
        server_with_its_page(folder)
    print(f"Python {sys.version.split()[0]}, canopy {canopy.__version__}: {command_line()}")
    print(f"PostgreSQL: {store_in_postgresql_says_why_not()}")
