#!/usr/bin/env python3
"""compare.py FOLDER BATCH [WINDOWS]: compares the policy in FOLDER/policy.py with one batch for all.

Both store the same events of WINDOWS (120) tenths of a second that neither was tuned on, one right
after the other, in random order.
"""

import math
import random
import statistics
import sys
from pathlib import Path

from writer import open_database, play, rate_of

SEED = "held-out"
RESAMPLES = 5000


def geometric(latencies: list[float]) -> float:
    return 1e3 * math.exp(statistics.fmean(math.log(each) for each in latencies))


def interval(ratios: list[float]) -> tuple[float, float]:
    """The 95 % bootstrap interval of the mean of logarithms, by resampling windows."""
    chance = random.Random("resamples")
    means = sorted(statistics.fmean(chance.choices(ratios, k=len(ratios))) for _ in range(RESAMPLES))
    return math.exp(means[RESAMPLES // 40]), math.exp(means[-RESAMPLES // 40])


def main() -> None:
    folder, fixed = Path(sys.argv[1]), int(sys.argv[2])
    windows = int(sys.argv[3]) if len(sys.argv) > 3 else 120
    sys.path.insert(0, str(folder))
    from policy import setting

    database = open_database(folder)
    coin = random.Random("order")
    by_policy: list[float] = []
    by_fixed: list[float] = []
    batches: list[int] = []
    for window in range(windows):
        batches.append(setting(rate_of(SEED, window))["batch"])
        sides = [(by_policy, batches[-1]), (by_fixed, fixed)]
        if coin.random() < 0.5:
            sides.reverse()
        for latencies, batch in sides:
            latencies.append(play(database, SEED, window, batch))
    logs = [math.log(one / other) for one, other in zip(by_policy, by_fixed, strict=True)]
    low, high = interval(logs)
    better = sum(1 for each in logs if each < 0.0)
    chosen = f"{min(batches)} to {max(batches)}"
    print(f"held out: {windows} windows, each stored by both, in random order")
    print(f"  one batch for all, {fixed}: {geometric(by_fixed):.1f} ms")
    print(f"  the policy, {chosen}: {geometric(by_policy):.1f} ms")
    print(
        f"  ratio {math.exp(statistics.fmean(logs)):.2f} ({low:.2f} to {high:.2f} at 95 %); the policy "
        f"was faster in {better} of {windows} windows"
    )


main()
