"""Measures the speed of the Python package, and each alternative in the same run.

usage: bench.py CANOPY   (the path of the canopy tool)
"""

import json
import statistics
import subprocess
import sys
import time

import canopy
from canopy_empty_calls import EmptyOptimizer

PULLS = 200_000
ROUNDS = 9


def loop(opt):
    """Seconds per pull, for ask and tell."""
    ask, tell = opt.ask, opt.tell
    started = time.perf_counter()
    for _ in range(PULLS):
        pull = ask(1)
        tell(pull, 0.5)
    return (time.perf_counter() - started) / PULLS


def loop_with_arm(opt):
    ask, tell = opt.ask, opt.tell
    started = time.perf_counter()
    for _ in range(PULLS):
        pull = ask(1)
        _ = pull.arm
        tell(pull, 0.5)
    return (time.perf_counter() - started) / PULLS


def side_by_side(*measures):
    """The medians of some measurements that take turns."""
    rounds = [[measure() for measure in measures] for _ in range(ROUNDS)]
    return [statistics.median(column) for column in zip(*rounds)]


def row(what, value, unit, goal=""):
    print(f"{what:<58}{value:>10.3g} {unit:<6}{goal}", flush=True)


def calls():
    space = {"x": canopy.real(0, 1)}
    iid, correlated = canopy.Hct(space), canopy.Hct(space, feedback="correlated")
    adaptive, empty = canopy.Adaptive(space), EmptyOptimizer()
    times = side_by_side(
        lambda: loop(iid),
        lambda: loop(correlated),
        lambda: loop_with_arm(iid),
        lambda: loop(empty),
        lambda: loop(adaptive),
    )
    row("ask + tell, HCT-iid", 1e6 * times[0], "us", "at most 1.0")
    row("ask + tell, HCT-correlated", 1e6 * times[1], "us", "at most 1.0")
    row("ask + tell, adaptive", 1e6 * times[4], "us", "at most 0.5")
    row("ask + arm + tell, HCT-iid", 1e6 * times[2], "us")
    row("an empty pair of calls", 1e6 * times[3], "us")
    row("ask + tell / empty pair, HCT-iid", times[0] / times[3], "x", "at most 4")
    row("ask + tell / empty pair, HCT-correlated", times[1] / times[3], "x", "at most 4")


def simulation(tool):
    """Processor time per step, with one thread, from Python and from the command line."""
    words = [tool, "simulate", "--json", "--optimizer", "hct", "--steps", "20000000", "--runs", "1", "--threads", "1"]

    def theirs():
        return json.loads(subprocess.run(words, check=True, capture_output=True).stdout)["ns_per_step"]

    ours, tools = side_by_side(
        lambda: canopy.simulate("garland", "hct", steps=20_000_000, runs=1, threads=1).ns_per_step, theirs
    )
    row("simulate, garland, from Python", ours, "ns")
    row("the same from the command line", tools, "ns")
    row("Python / command line", ours / tools, "x", "at most 1.03")


def importing():
    def seconds(code):
        started = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        return time.perf_counter() - started

    with_canopy, without = side_by_side(lambda: seconds("import canopy"), lambda: seconds("pass"))
    row("import canopy", 1e3 * (with_canopy - without), "ms", "below 100")


if __name__ == "__main__":
    print(f"\nPython {sys.version.split()[0]}; medians of {ROUNDS} rounds\n")
    calls()
    simulation(sys.argv[1])
    importing()
