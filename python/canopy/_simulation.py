"""Experiments that run entirely in C++, and the environments they run on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from . import _canopy
from ._optimizers import CLASSES, DEFAULT, RewardRange, check_takers, named, range_from, say_unused
from ._pandas import import_pandas
from ._progress import ProgressLine
from ._space import Space, space_from_tuples, whole

if TYPE_CHECKING:
    import pandas
    from typing_extensions import Unpack

    from ._classes import AnyOptimizer, DefaultOptimizer, OtherOptimizer
    from ._options import EnvironmentOptions, SimulateOptions
    from ._signatures import SimulateDefault, SimulateOther


class Estimate(NamedTuple):
    """A mean over runs with its 95 % interval; a single run has none."""

    mean: float
    lower: float | None
    upper: float | None


class Simulation:
    """The results of `simulate`.

    Estimates (mean, lower, upper: the 95 % interval) over all runs: `per_step_regret`, the mean of f* - f(x_t);
    `per_step_realised_regret`, of f* - r_t; `simple_regret`, f* - f(best arm); `nodes`, `depth`, `switches`,
    `refreshes`. For the intervals of the best arms at the end of the runs: `coverage`, the share of intervals that
    contain f; `median_width`, of the bounded intervals (None if there are none); `unbounded`, the share of the others.
    `ns_per_step` is the processor time of optimizer and environment together. `runs` has a dictionary
    for every run.
    """

    def __init__(self, environment: str, optimizer: str, steps: int, seed: int, measured: dict[str, Any]):
        self.environment = environment
        self.environment_options: dict[str, Any] = measured["environment_options"]
        self.optimizer = optimizer
        self.optimizer_options: dict[str, Any] = measured["optimizer_options"]
        self.steps = steps
        self.seed = seed
        self.per_step_regret = Estimate(*measured["per_step_regret"])
        self.per_step_realised_regret = Estimate(*measured["per_step_realised_regret"])
        self.simple_regret = Estimate(*measured["simple_regret"])
        self.coverage: float = measured["coverage"]
        self.median_width: float | None = measured["median_width"]
        self.unbounded: float = measured["unbounded"]
        self.nodes = Estimate(*measured["nodes"])
        self.depth = Estimate(*measured["depth"])
        self.switches = Estimate(*measured["switches"])
        self.refreshes = Estimate(*measured["refreshes"])
        self.ns_per_step: float = measured["ns_per_step"]
        self.runs: list[dict[str, Any]] = measured["runs"]

    def to_frame(self) -> pandas.DataFrame:
        """A pandas DataFrame with one row per run and checkpoint."""
        pandas = import_pandas()
        names = ["steps", "per_step_regret", "per_step_realised_regret", "nodes", "switches"]
        rows = [(number, *checkpoint) for number, run in enumerate(self.runs) for checkpoint in run["checkpoints"]]
        return pandas.DataFrame(rows, columns=["run", *names])

    def __repr__(self) -> str:
        regret = self.per_step_regret
        interval = "" if regret.lower is None else f" (95 %: {regret.lower:.4f} to {regret.upper:.4f})"
        return (
            f"<canopy.Simulation of {self.optimizer} on {self.environment}, "
            f"{len(self.runs)} runs of {self.steps} steps: "
            f"per-step regret {regret.mean:.4f}{interval}>"
        )


@overload
def simulate(environment: str, optimizer: DefaultOptimizer = ..., **options: Unpack[SimulateDefault]) -> Simulation: ...
@overload
def simulate(environment: str, optimizer: OtherOptimizer, **options: Unpack[SimulateOther]) -> Simulation: ...
def simulate(
    environment: str,
    optimizer: AnyOptimizer = DEFAULT,
    *,
    steps: int = 100_000,
    runs: int = 10,
    seed: int = 1,
    threads: int = 0,
    checkpoints: Sequence[int] | None = None,
    reward_range: RewardRange = (0, 1),
    partition: str = "cyclic",
    progress: bool = False,
    **options: Unpack[SimulateOptions],
) -> Simulation:
    """Runs one optimizer on one environment, many times, in C++; other Python threads keep running.

    The numbers are those of `canopy simulate` on the command line with the same options and seed, and do
    not depend on `threads` (0: one per core). `environments()` and `optimizers()` list the names; further
    arguments are options of either. `checkpoints` are the steps at which every run is recorded, for
    `canopy.plot.regret`; by default about 60, evenly spaced on a log scale. Optimizers are told that rewards
    are in about [0, 1], as those of the environments are, unless `reward_range` is given, two numbers or "auto".
    `partition` says how algorithms with a tree cut cells, "cyclic/3" for example. Ctrl-C stops it.

    >>> result = canopy.simulate("garland-mdp", "hct", steps=1000, runs=2, feedback="correlated")
    >>> 0 < result.per_step_regret.mean < 1
    True
    """
    steps = whole("steps", steps, 1, 10**12)
    runs = whole("runs", runs, 1, 10**6)
    seed = whole("seed", seed, 0, 2**64 - 1)
    threads = whole("threads", threads, 0, 1024)
    if checkpoints is None:
        checkpoints = _spread_checkpoints(steps)
    if not isinstance(checkpoints, Iterable):
        raise ValueError(f"checkpoints = {checkpoints!r}: must be numbers of steps")
    checkpoints = [whole("checkpoints", at, 1, steps) for at in checkpoints]
    if checkpoints != sorted(set(checkpoints)):
        raise ValueError("checkpoints: must increase")
    fixed_range = range_from(reward_range)
    given = dict(options)
    name = named(optimizer)
    if name in CLASSES:
        check_takers(name, given)
        say_unused(name, given)
    total = steps * runs
    with ProgressLine(progress) as line:
        show = (lambda done: line.show(done / total, lambda: f"{done} of {total} steps")) if progress else None
        measured = _canopy.simulate(
            environment, name, given, steps, runs, seed, threads, checkpoints, fixed_range, partition, show
        )
    return Simulation(environment, name, steps, seed, measured)


class Environment(_canopy.Environment):
    """A simulated system with a known optimum: garland, lqr, auction, ...; `environments()` lists them.

    >>> garland = canopy.Environment("garland", seed=1)
    >>> garland.space
    Space({'x': Real(low=0.0, high=1.0, log=False)})
    >>> round(garland.mean_reward(x=0.5), 3)
    0.752
    >>> garland.pull(x=0.5) == garland.pull(x=0.5)  # there is noise
    False
    """

    def __init__(self, name: str, *, seed: int = 1, **options: Unpack[EnvironmentOptions]):
        super().__init__(name, dict(options), whole("seed", seed, 0, 2**64 - 1))
        self.name = name
        self.space: Space = space_from_tuples(self._parameters())

    @property
    def options(self) -> dict[str, Any]:
        return self._options()

    def pull(self, **arm: Any) -> float:
        """Plays an arm once and returns a noisy reward; some environments also change their state."""
        return self._pull(arm)

    def mean_reward(self, **arm: Any) -> float:
        """f: the long-run average reward of an arm at the present step."""
        return self._mean_reward(arm)

    @property
    def best_arm(self) -> dict[str, Any]:
        return self._optimum()[0]

    @property
    def best_mean(self) -> float:
        """f*: the mean reward of the best arm."""
        return self._optimum()[1]

    def __repr__(self) -> str:
        return f"<canopy.Environment {self.name} of {list(self.space)}>"


def environments() -> dict[str, str]:
    """The names of all environments, with a one-line description of each.

    >>> canopy.environments()["garland"]
    "many local maxima; the paper's first experiment"
    """
    return _canopy.environments()


def optimizers() -> dict[str, str]:
    """The names of all optimizers, with a one-line description of each.

    >>> canopy.optimizers()["grid"]
    'a fixed grid of arms under UCB1, also sliding-window or discounted'
    """
    return _canopy.optimizers()


def _spread_checkpoints(steps: int) -> list[int]:
    count = 60
    return sorted({max(1, round(steps ** (i / count))) for i in range(1, count + 1)} | {steps})
