#!/usr/bin/env python3
"""Runs clang-tidy over all source files; exits with 1 if there is a warning.

usage: lint.py [WORD...]     With words, only reads batches whose names contain one: lint.py canopy_core tool_test

Our builds compile files in batches that include them, and clang-tidy reads the same batches, so that it reads the
headers, which take much of its time, only once for eight files. All batches of a target are merged into one, except
for tests, whose names are not unique enough for that. The path-sensitive analyzer only looks into included sources if
the batch is called UnifiedSource.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor, as_completed

ROOT = pathlib.Path(__file__).resolve().parent.parent
BATCHES = ROOT / "build/lint"


def commands(build: str, folders: list[str]) -> list[dict]:
    """The compile commands of the sources in these folders, with the batches of each target merged."""
    found = {}
    for entry in json.loads((ROOT / build / "compile_commands.json").read_text()):
        source = pathlib.Path(entry["file"])
        place = source.relative_to(ROOT / build if source.is_relative_to(ROOT / build) else ROOT)
        ours = any(place.is_relative_to(folder) for folder in folders)
        if not ours or "cmake_pch" in place.name or "nanobind-static.dir" in place.parts:
            continue
        # clang cannot read the precompiled headers of gcc
        entry["command"] = re.sub(r"-include \S+/cmake_pch\.hxx", "", entry["command"]).removeprefix("ccache ")
        if "Unity" in place.parts:
            target = place.parts[-3].removesuffix(".dir")
            if place.parts[0] == "tests":
                target += "_" + place.stem
            batch = BATCHES / f"UnifiedSource_{target}.cpp"
            before = batch.read_text() if target in found else ""
            batch.write_text(before + source.read_text())
            entry |= {"file": str(batch), "command": entry["command"].replace(str(source), str(batch))}
            found[target] = entry
        else:
            found[str(source)] = entry
    return list(found.values())


def size_of(entry: dict) -> int:
    """The number of files in a batch: the largest batches start first, to keep all cores busy until the end."""
    return pathlib.Path(entry["file"]).read_text().count("#include")


def tidy(file: str, options: list[str]) -> str:
    """The warnings of clang-tidy about a file."""
    words = ["clang-tidy", "-p", str(BATCHES), "--quiet", "--warnings-as-errors=*", *options]
    words += ["--checks=-bugprone-suspicious-include"]  # a batch includes sources
    done = subprocess.run([*words, file], capture_output=True, text=True, check=False)
    return f"{file}\n{done.stdout}{done.stderr}" if done.returncode else ""


def main() -> int:
    BATCHES.mkdir(parents=True, exist_ok=True)
    sources = commands("build", ["src", "bench", "tools", "examples"])
    sources += commands("build/python/cmake", ["src/python"])
    tests = commands("build", ["tests"])
    (BATCHES / "compile_commands.json").write_text(json.dumps(sources + tests))
    tests.sort(key=size_of, reverse=True)
    sources.sort(key=size_of, reverse=True)
    words = sys.argv[1:]
    sources, tests = (
        [each for each in entries if not words or any(word in each["file"] for word in words)]
        for entries in (sources, tests)
    )
    failed = False
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        of_tests = [f"--config-file={ROOT}/tests/.clang-tidy"]
        work = [pool.submit(tidy, entry["file"], []) for entry in sources]
        work += [pool.submit(tidy, entry["file"], of_tests) for entry in tests]
        for done, each in enumerate(as_completed(work), start=1):
            if each.result():
                failed = True
                print(each.result(), flush=True)
            if sys.stderr.isatty():
                print(f"\rclang-tidy: {done} of {len(work)}", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    return 1 if failed else 0


sys.exit(main())
