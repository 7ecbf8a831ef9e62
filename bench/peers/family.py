"""Compares every algorithm that both PyXAB and canopy have: the same garland function, noise and horizon.

PyXAB is used through pull and receive_reward, canopy through ask and tell, both in this process; the time of the
function itself is subtracted. Then canopy runs inside `simulate`. Where PyXAB departs from the papers
(docs/comparison.md), regrets need not agree. usage: family.py [RUNS]
"""

import importlib
import random
import sys
import time

import canopy
import numpy
from peers import MAXIMUM, garland, make_nothing

STEPS = 1_000
WIDTH = 0.5  # width of the uniform noise
HORIZON = {"horizon": STEPS}
WIDTHS = {"confidence_scale": 0.1 / 8**0.5, "delta": 0.01}  # c is 0.1, as in PyXAB, where it does not depend on rho

#: PyXAB's class and arguments, and canopy's name and options
FAMILY = [
    ("HCT", {"nu": 1, "rho": 0.5}, "hct", {"nu1": 1, "rho": 0.5, **WIDTHS}),
    ("VHCT", {"nu": 1, "rho": 0.5}, "vhct", {"nu1": 1, "rho": 0.5, **WIDTHS}),
    ("T_HOO", {"nu": 1, "rho": 0.5, "rounds": STEPS}, "thoo", {"nu1": 1, "rho": 0.5, "confidence_scale": 1, **HORIZON}),
    ("POO", {"numax": 1, "rhomax": 0.9, "rounds": STEPS, "algo": "T_HOO"}, "poo", {"base": "thoo"}),
    ("GPO", {"numax": 1, "rhomax": 0.9, "rounds": STEPS, "algo": "T_HOO"}, "gpo", {"base": "thoo", **HORIZON}),
    ("PCT", {"numax": 1, "rhomax": 0.9, "rounds": STEPS}, "pct", HORIZON),
    ("VPCT", {"numax": 1, "rhomax": 0.9, "rounds": STEPS}, "vpct", HORIZON),
    ("Zooming", {"nu": 1, "rho": 0.5}, "zooming", {"nu1": 1, "rho": 0.5}),
    ("DOO", {"n": STEPS}, "doo", {}),
    ("SOO", {"n": STEPS}, "soo", {}),
    ("StoSOO", {"n": STEPS}, "stosoo", HORIZON),
    ("SequOOL", {"n": STEPS}, "sequool", HORIZON),
    ("StroquOOL", {"n": STEPS}, "stroquool", HORIZON),
    ("VROOM", {"n": STEPS, "b": 1, "f_max": 1}, "vroom", HORIZON),
]

#: for PyXAB classes whose runs take 15 seconds
FEW_RUNS = {"VROOM": 2}


def pyxab_class(name):
    module = {"T_HOO": "HOO"}.get(name, name)
    return getattr(importlib.import_module(f"PyXAB.algos.{module}"), name)


def make_pyxab(name, arguments):
    given = dict(arguments)
    if "algo" in given:
        given["algo"] = pyxab_class(given["algo"])
    algorithm = pyxab_class(name)(domain=[[0, 1]], **given)
    return lambda t: algorithm.pull(t)[0], algorithm.receive_reward


def make_canopy(name, options):
    optimizer = canopy.make_optimizer(name, {"x": canopy.real(0, 1)}, reward_range=(0, 1), **options)
    last = None

    def pull(_):
        nonlocal last
        last = optimizer.ask(1)
        return last.arm["x"]

    return pull, lambda _, reward: optimizer.tell(last, reward)


def play(make, name, options, seed):
    """One run: (regret per step, seconds)."""
    numpy.random.seed(seed)  # PyXAB's VROOM uses it
    pull, receive = make(name, options)
    noise = random.Random(seed)
    regret = 0.0
    started = time.perf_counter()
    for t in range(1, STEPS + 1):
        value = garland(pull(t))
        regret += MAXIMUM - value
        receive(t, value + WIDTH * (noise.random() - 0.5))
    return regret / STEPS, time.perf_counter() - started


def mean_of(make, name, options, runs):
    """The mean regret, and the least time, because other load on the machine only makes runs longer."""
    results = [play(make, name, options, seed) for seed in range(runs)]
    return sum(regret for regret, _ in results) / runs, min(seconds for _, seconds in results)


def main(runs):
    print(f"garland, uniform noise of width {WIDTH}, n = {STEPS}")
    few = ", ".join(f"PyXAB's {name} {fewer}" for name, fewer in FEW_RUNS.items() if fewer < runs)
    print(f"regret per step: the mean of {runs} runs{few and f' ({few})'}; us per step: the least of them")
    print(f"{'':<12}{'regret':>9}{'regret':>9}{'us':>10}{'us':>10}{'us in':>10}{'PyXAB /':>10}{'PyXAB /':>10}")
    heads = ("PyXAB", "canopy", "PyXAB", "canopy", "simulate", "canopy", "simulate")
    print(f"{'':<12}{heads[0]:>9}{heads[1]:>9}" + "".join(f"{head:>10}" for head in heads[2:]))
    _, itself = mean_of(make_nothing, "", 0, 20)
    for theirs, arguments, ours, options in FAMILY:
        their_regret, their_time = mean_of(make_pyxab, theirs, arguments, min(runs, FEW_RUNS.get(theirs, runs)))
        our_regret, our_time = mean_of(make_canopy, ours, options, runs)
        inside = min(
            canopy.simulate("garland", ours, steps=STEPS, runs=50, threads=1, noise_width=WIDTH, **options).ns_per_step
            for _ in range(3)
        )
        their_us, our_us = (1e6 * (seconds - itself) / STEPS for seconds in (their_time, our_time))
        print(
            f"{theirs:<12}{their_regret:>9.4f}{our_regret:>9.4f}{their_us:>10.4g}{our_us:>10.3g}{inside / 1000:>10.3g}"
            f"{their_us / our_us:>10.0f}{1000 * their_us / inside:>10.0f}",
            flush=True,
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
