"""Measures the time that canopy.experiment adds to a call of a Python function."""

import statistics
import time

import canopy

PULLS = 200_000
ROUNDS = 7
SPACE = {"x": canopy.real(0, 1)}


def work(x):
    """About a microsecond of arithmetic."""
    for _ in range(5):
        x = 0.5 * (x + 0.3 * x * (1.0 - x))
    return x


def work_2d(x, y):
    return work(0.5 * (x + y))


def alone():
    """Seconds of processor time per call, in a loop in Python."""
    started = time.process_time()
    for _ in range(PULLS):
        work(x=0.5)
    return (time.process_time() - started) / PULLS


def alone_2d():
    started = time.process_time()
    for _ in range(PULLS):
        work_2d(x=0.5, y=0.5)
    return (time.process_time() - started) / PULLS


def inside(algorithm, environment):
    """Seconds of processor time per pull, including everything around it."""
    started = time.process_time()
    canopy.experiment(algorithm, environment, steps=PULLS, runs=1, n_jobs=1, progress=False)
    return (time.process_time() - started) / PULLS


def row(what, seconds, bare):
    more = 1e6 * (seconds - bare)
    print(
        f"{what:<46}{1e6 * seconds:>8.3f} us{more:>9.3f} us more{seconds / bare:>8.2f} x  at most 2 us more", flush=True
    )


def main():
    line = canopy.Function(work, SPACE, noise="uniform", noise_width=0.1)
    noisy = canopy.Function(work, SPACE, noise="own")
    square = canopy.Function(work_2d, SPACE | {"y": canopy.real(0, 1)}, noise="gaussian", noise_width=0.1)
    cases = {
        "hct": ("hct", line),
        "adaptive": ("adaptive", line),
        "random": ("random", line),
        "adaptive, a function with noise of its own": ("adaptive", noisy),
        "adaptive, two parameters": ("adaptive", square),
    }
    rounds = [[alone(), alone_2d(), *(inside(*case) for case in cases.values())] for _ in range(ROUNDS)]
    bare, bare_2d, *times = (statistics.median(column) for column in zip(*rounds))
    print(f"\nA Python function in canopy.experiment, a pull; medians of {ROUNDS} rounds of {PULLS} pulls\n")
    print(f"{'the function alone':<46}{1e6 * bare:>8.3f} us")
    for (what, (_, environment)), seconds in zip(cases.items(), times):
        row(what, seconds, bare_2d if environment is square else bare)


if __name__ == "__main__":
    main()
