"""A cache whose time to live is tuned while requests come in.

    python examples/python/cache.py [FIGURE.png]

Objects have very different popularity, and their contents change at the origin now and then. A long time to live
serves stale objects, a short one causes too many requests to the origin. The knob is tuned on a log scale, on live
traffic: when the knob moves, the cache still holds what it was filled with before. It takes some minutes (a few
thousand requests) to refill it, and `settle` tells the optimizer.
"""

import random
import sys

import canopy
import matplotlib.pyplot as plt


class Cache:
    """A cache in front of an origin, with twenty requests per second."""

    OBJECTS = 2000
    CHANGES_AFTER = 600.0  # seconds, on average

    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.now = 0.0
        self.fetched = {}  # when each object was fetched
        self.changed = [0.0] * self.OBJECTS  # when each object was last changed at the origin
        self.next_change = [self.chance.expovariate(1 / self.CHANGES_AFTER) for _ in range(self.OBJECTS)]
        weights = [1 / (rank + 1) for rank in range(self.OBJECTS)]  # popularity by rank: Zipf's law
        self.requests = iter(lambda: self.chance.choices(range(self.OBJECTS), weights, k=10_000), None)
        self.queue = []

    def serve(self, ttl):
        """Serves a request and returns its worth: 1 for a fresh hit, 0.3 for a fetch, 0 for a stale answer."""
        self.queue = self.queue or next(self.requests)
        wanted = self.queue.pop()
        self.now += 0.05
        while self.next_change[wanted] <= self.now:
            self.changed[wanted] = self.next_change[wanted]
            self.next_change[wanted] += self.chance.expovariate(1 / self.CHANGES_AFTER)
        fetched = self.fetched.get(wanted)
        if fetched is None or self.now - fetched > ttl:
            self.fetched[wanted] = self.now
            return 0.3
        return 1.0 if self.changed[wanted] <= fetched else 0.0


def long_run(ttl, seed):
    """The average worth of a time to live that is never changed."""
    cache = Cache(seed)
    return sum(cache.serve(ttl) for _ in range(30_000)) / 30_000


space = {"ttl": canopy.real(1, 10_000, log=True)}
cache = Cache(seed=1)
result = canopy.maximize(cache.serve, space, pulls=400_000, settle=5000)
best = result.best
print(f"best time to live: {best.arm['ttl']:.0f} s, worth {best.mean:.3f} a request over {best.pulls} requests")

grid = [10 ** (i / 5) for i in range(21)]
truth = [long_run(ttl, seed=2) for ttl in grid]
print(
    f"held from the start, on other traffic: {long_run(best.arm['ttl'], seed=2):.3f}; "
    f"the best of a grid of {len(grid)}: {max(truth):.3f} at {grid[truth.index(max(truth))]:.0f} s"
)

figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.6), layout="constrained")
canopy.plot.estimate(result, truth=(grid, truth), ax=left)
left.set_ylabel("worth of a request")
canopy.plot.pulls(result, ax=right)
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "cache.png", dpi=120)
