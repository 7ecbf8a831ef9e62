"""Compares PyXAB's HCT and T_HOO with canopy's: the same garland function, noise, horizon and parameters.

First canopy in C++ and PyXAB, each in a separate process: regret per step, time per step and peak memory. Then both
from Python in one process, pull by pull, without the time of the function itself.
usage: peers.py CANOPY   (the path of the canopy tool)
"""

import json
import math
import multiprocessing
import os
import random
import resource
import subprocess
import sys
import time

MAXIMUM = 2 * math.pi / 3 * (1 - math.pi / 6)
NU1, RHO, SCALE, DELTA = 1.0, 0.7071, 0.05, 0.05
SEEDS = 3


def garland(x):
    return x * (1 - x) * (4 - math.sqrt(abs(math.sin(60 * x))))


def pyxab(name, n, seed):
    """One run of PyXAB: (regret per step, seconds, peak memory in MiB)."""
    make_pyxab(name, n)  # imports do not count as memory of the run
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    regret, seconds = play(make_pyxab, name, n, seed)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return regret, seconds, (after - before) / 1024


def apart(name, n, seed):
    """The same in a separate process, to measure its memory."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(pyxab, (name, n, seed))


def canopy(tool, name, n):
    """canopy's mean over the same number of runs: (regret per step, seconds, peak memory of the process in MiB)."""
    words = [
        tool,
        "simulate",
        "--json",
        "--steps",
        str(n),
        "--runs",
        str(SEEDS),
        "--threads",
        "1",
        "--nu1",
        str(NU1),
        "--rho",
        str(RHO),
    ]
    if name == "hct":
        words += ["--confidence-scale", str(SCALE), "--delta", str(DELTA)]
    else:
        words += ["--optimizer", "thoo", "--horizon", str(n), "--confidence-scale", "1"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    result = json.loads(process.stdout.read())
    _, _, usage = os.wait4(process.pid, 0)  # of this process only
    return result["per_step_regret"]["mean"], result["ns_per_step"] * 1e-9 * n, usage.ru_maxrss / 1024


def make_pyxab(name, n):
    """PyXAB's algorithm as two functions: one returns the point for step t, one takes its reward."""
    from PyXAB.algos.HCT import HCT
    from PyXAB.algos.HOO import T_HOO

    if name == "hct":  # its c is the whole constant, with the scale
        algorithm = HCT(nu=NU1, rho=RHO, c=SCALE * 2 * math.sqrt(1 / (1 - RHO)), delta=DELTA, domain=[[0, 1]])
    else:
        algorithm = T_HOO(nu=NU1, rho=RHO, rounds=n, domain=[[0, 1]])
    return lambda t: algorithm.pull(t)[0], algorithm.receive_reward


def make_canopy(name, n):
    """The same for canopy, through ask and tell."""
    import canopy as package

    options = {"confidence_scale": SCALE, "delta": DELTA} if name == "hct" else {"horizon": n, "confidence_scale": 1.0}
    opt = package.make_optimizer(name, {"x": package.real(0, 1)}, nu1=NU1, rho=RHO, **options)
    last = None

    def pull(_):
        nonlocal last
        last = opt.ask(1)
        return last.arm["x"]

    return pull, lambda _, reward: opt.tell(last, reward)


def make_nothing(_name, _n):
    return lambda t: 0.5, lambda t, reward: None


def play(make, name, n, seed):
    """One run: (regret per step, seconds)."""
    pull, receive = make(name, n)
    noise = random.Random(seed)
    regret = 0.0
    started = time.perf_counter()
    for t in range(1, n + 1):
        value = garland(pull(t))
        regret += MAXIMUM - value
        receive(t, value + noise.random() - 0.5)
    return regret / n, time.perf_counter() - started


def in_one_process():
    print("in one process, through ask and tell, without the time of the function itself")
    print("(T-HOO at n = 10000 takes PyXAB eleven minutes, once was enough)\n")
    print(f"{'':<26}{'regret/step':>12}{'us/step':>12}")
    for name, title, n in (("hct", "HCT", 1_000), ("hct", "HCT", 10_000), ("thoo", "T-HOO", 1_000)):
        columns = {}
        for label, make in (("PyXAB", make_pyxab), ("canopy", make_canopy), ("nothing", make_nothing)):
            runs = [play(make, name, n, seed) for seed in range(SEEDS)]
            columns[label] = [sum(column) / SEEDS for column in zip(*runs)]
        itself = columns.pop("nothing")[1]
        for label, (regret, seconds) in columns.items():
            print(f"{f'{label} {title}, n = {n}':<26}{regret:>12.4f}{1e6 * (seconds - itself) / n:>12.4g}")
        ratio = (columns["PyXAB"][1] - itself) / (columns["canopy"][1] - itself)
        print(f"{'  PyXAB / canopy':<38}{ratio:>12.0f}   (goal: at least 200)\n", flush=True)


def main(tool):
    print(
        f"garland, noise width 1, nu1 {NU1:g}, rho {RHO}, HCT's confidence_scale {SCALE} (T-HOO: 1); "
        f"means of {SEEDS} runs\n"
    )
    print(f"{'':<26}{'regret/step':>12}{'us/step':>12}{'MiB':>8}")

    def row(label, n, regret, seconds, memory):
        print(f"{label:<26}{regret:>12.4f}{1e6 * seconds / n:>12.4g}{memory:>8.1f}", flush=True)

    for name, title in (("hct", "HCT"), ("thoo", "T-HOO")):
        for n in (1_000, 10_000):
            ours = canopy(tool, name, n)
            row(f"canopy {title}, n = {n}", n, *ours)
            runs = [apart(name, n, seed) for seed in range(SEEDS if n < 10_000 or name == "hct" else 1)]
            theirs = [sum(column) / len(runs) for column in zip(*runs)]
            row(f"PyXAB {title}, n = {n}", n, *theirs)
            print(f"{'  PyXAB / canopy':<26}{theirs[0] / ours[0]:>12.2f}{theirs[1] / ours[1]:>12.0f}\n")
        row(f"canopy {title}, n = 1000000", 1_000_000, *canopy(tool, name, 1_000_000))
        print()


if __name__ == "__main__":
    main(sys.argv[1])
    in_one_process()
