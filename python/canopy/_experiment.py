"""`experiment`: tunes algorithms, compares them on environments and functions, and stores the results."""

from __future__ import annotations

import functools
import hashlib
import itertools
import math
import os
import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, wait
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from . import _canopy
from ._generators import find_generators, seeded
from ._optimizers import CLASSES, RewardRange, range_from
from ._pandas import import_pandas
from ._processes import Processes, outcome_of
from ._progress import ProgressLine
from ._simulation import Environment, Estimate
from ._space import Parameter, Space, number, space_from, whole
from ._tables import Spread, Statistic, check_statistic, latex_table, spread_of, text_table
from ._workers import jobs_from

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure


class AskTell(Protocol):
    """The interface of a user-defined algorithm for `experiment`.

    It is created as `MyAlgorithm(space, seed=seed, **options)`, once for every run. `ask()` returns the arm to play, a
    dictionary with a value for every parameter; `tell(arm, reward)` gets what `ask` returned, and its reward;
    `best()` returns the arm to recommend. Make random choices with a generator that is seeded with `seed`.

    >>> import random
    >>> class Greedy:
    ...     "Epsilon-greedy over some random arms."
    ...     def __init__(self, space, seed, arms=20, epsilon=0.1):
    ...         self.chance, self.epsilon = random.Random(seed), epsilon
    ...         self.arms = [self.chance.random() for _ in range(arms)]
    ...         self.sums, self.pulls = [0.0] * arms, [0] * arms
    ...     def mean(self, i):
    ...         return self.sums[i] / self.pulls[i] if self.pulls[i] else float("-inf")
    ...     def leader(self):
    ...         return max(range(len(self.arms)), key=self.mean)
    ...     def ask(self):
    ...         explores = self.chance.random() < self.epsilon
    ...         self.last = self.chance.randrange(len(self.arms)) if explores else self.leader()
    ...         return {"x": self.arms[self.last]}
    ...     def tell(self, arm, reward):
    ...         self.sums[self.last] += reward
    ...         self.pulls[self.last] += 1
    ...     def best(self):
    ...         return {"x": self.arms[self.leader()]}
    >>> result = canopy.experiment(["adaptive", Greedy], "garland", steps=2000, runs=4)
    >>> [row.algorithm for row in result.rows]
    ['adaptive', 'Greedy']
    """

    def ask(self) -> Any:
        """The arm to play, or an object with an `arm` and optionally a `length`, such as an optimizer's Pull."""

    def tell(self, asked: Any, reward: float, /) -> Any:
        """Learns the reward of what `ask` returned."""

    def best(self) -> Any:
        """The arm to recommend."""


class Algorithm:
    """An algorithm of an experiment, with its options; lists of values form a grid to tune over.

    `algorithm` is the name of an optimizer, or a class as described by `AskTell`. A class of canopy, such as
    `canopy.Hct`, stands for its name. `label` identifies it in tables and in the seeds of random numbers. Change
    `version` when the code of a class changes: stored runs are only reused if name, version and options are the same.

    >>> canopy.Algorithm("hct", rho=[0.5, 0.7], nu1=[0.3, 1, 3], label="HCT")
    Algorithm('hct', rho=[0.5, 0.7], nu1=[0.3, 1, 3], label='HCT')
    """

    def __init__(
        self,
        algorithm: str | Callable[..., AskTell],
        /,
        *,
        label: str | None = None,
        version: object = None,
        **options: Any,
    ):
        if not isinstance(algorithm, str) and not callable(algorithm):
            raise ValueError(f"algorithm = {algorithm!r}: must be the name of an optimizer, or a class")
        for method in ("ask", "tell", "best") if isinstance(algorithm, type) else ():
            if not callable(getattr(algorithm, method, None)):
                raise ValueError(f"algorithm = {algorithm!r}: has no method {method}")
        algorithm = next((name for name, each in CLASSES.items() if each is algorithm), algorithm)
        if "seed" in options:
            raise ValueError("seed: every run has its own; set the seed of the experiment instead")
        self.algorithm = algorithm
        self.label = label or (algorithm if isinstance(algorithm, str) else _name_of(algorithm, "algorithm"))
        self.version = version
        self.options = options

    def candidates(self) -> list[dict[str, Any]]:
        """The points of its grid, in the order of the command line's experiments."""
        grid = sorted(name for name, value in self.options.items() if isinstance(value, list))
        for name in grid:
            if not self.options[name]:
                raise ValueError(f"{self.label}: {name} = []: must have at least one value")
        points = itertools.product(*(self.options[name] for name in grid))
        return [self.options | dict(zip(grid, point)) for point in points]

    def _text(self, options: Mapping[str, Any]) -> str:
        """Identifies a candidate of a class."""
        named = [f"{name} {_text_of(value)}" for name, value in options.items()]
        return f"{_qualified(self.algorithm, self.version)} {', '.join(named)}".rstrip()

    def __repr__(self) -> str:
        made = repr(self.algorithm) if isinstance(self.algorithm, str) else _name_of(self.algorithm, "...")
        options = "".join(f", {name}={value!r}" for name, value in self.options.items())
        return f"Algorithm({made}{options}, label={self.label!r})"


class Function(_canopy.Function):
    """A user-defined function as an environment of an experiment.

    - function: called as `function(**arm)`, once for each pull. If it is declared free of noise, it is called twice at
      the first arm of a run to check that.
    - space: its parameters.
    - optimum: f*, the largest mean: a number, or the arm that has it; it is an error if a run sees a larger mean. If
      it is not known, regret is relative to the best arm that any run has played.
    - noise: "gaussian", "uniform" or "bernoulli": canopy adds noise to a function that has none. `noise_width` is the
      standard deviation, the width, or 1 for a success with probability f. "own": the function itself is noisy.
    - mean: the function without its noise, if it is noisy itself. Without `mean`, only realised regret is known.
    - start: called with a seed before every run, to reset its system or to seed generators other than Python's and
      numpy's, which are seeded anyway.
    - name: used in tables and in the seeds of random numbers; by default the name of the function.
    - version: change it when the code of the function changes: stored runs are only reused if name and version are the
      same.
    - reward_range: the range of rewards that the optimizers are given.
    - common: whether runs of the same number have the same random numbers for all algorithms: `start` is called with
      the same seed, and the generators of Python and numpy start in the same state. If `start` draws the problem of a
      run, all algorithms then have the same problems, and `Experiment.differences` are narrower if some problems are
      harder for all of them. Noise added by canopy is not shared.

    >>> hill = canopy.Function(lambda x: 1 - (x - 0.3) ** 2, {"x": canopy.real(0, 1)}, optimum=1, noise="gaussian",
    ...                        noise_width=0.1, name="hill")
    >>> canopy.experiment("adaptive", hill, steps=500, runs=3).rows[0].simple_regret.mean < 0.05
    True
    """

    def __init__(
        self,
        function: Callable[..., float],
        space: Space | Mapping[str, Parameter],
        *,
        optimum: float | Mapping[str, Any] | None = None,
        noise: Literal["gaussian", "uniform", "bernoulli", "own"] | None = None,
        noise_width: float = 1.0,
        mean: Callable[..., float] | None = None,
        start: Callable[[int], Any] | None = None,
        name: str | None = None,
        version: object = None,
        reward_range: RewardRange = "auto",
        common: bool = False,
    ):
        for what, given in {"function": function, "mean": mean, "start": start}.items():
            if not callable(given) and (given is not None or what == "function"):
                raise ValueError(f"{what} = {given!r}: must be a function")
        if mean is not None and noise not in (None, "own"):
            raise ValueError(f"noise = {noise!r}: a function with mean= is noisy itself")
        noisy = mean is not None or noise == "own"
        width = number("noise_width", noise_width)
        if not 0 <= width < math.inf:
            raise ValueError(f"noise_width = {noise_width!r}: must be a number, 0 or more")
        exact = mean if noisy else function
        self.space = space_from(space)
        if isinstance(optimum, Mapping):
            if exact is None:
                raise ValueError("optimum: must be a number, since the mean of the function is not known")
            if set(optimum) != set(self.space):
                names = ", ".join(self.space)
                raise ValueError(f"optimum = {dict(optimum)!r}: must have a value for every parameter: {names}")
            optimum = exact(**optimum)
        self.function = function
        self.name = name or _name_of(function, "f")
        self.optimum = None if optimum is None else number("optimum", optimum)
        self.reward_range = range_from(reward_range)
        self.mean_is_known = exact is not None
        self.common = bool(common)
        self._start = start
        functions = {"function": function, "mean": mean, "start": start}
        self._text = ", ".join(
            [
                *(f"{role} {_qualified(each, version)}" for role, each in functions.items() if each is not None),
                *(f"{parameter} {domain!r}" for parameter, domain in self.space.items()),
                f"noise {'own' if noisy else noise} {width}, optimum {self.optimum}, reward_range {self.reward_range}",
            ]
        )
        if self.common:
            self._text += ", common"
        added = None if noisy else noise
        begin = self._begin if self.common and start is not None else start
        super().__init__(function, self.space, self.name, mean, begin, noisy, added, width, self.optimum)

    def _begin(self, seed: int) -> None:
        """Called before a run; uses the seed that all runs of the same number share."""
        assert self._start is not None
        self._start(seed if _common_seed is None else _common_seed)

    def __call__(self, **arm: Any) -> float:
        """The function itself."""
        return self.function(**arm)

    def __repr__(self) -> str:
        return f"<canopy.Function {self.name} of {list(self.space)}>"


#: seed of the current run, if its environment shares random numbers among all algorithms
_common_seed: int | None = None


AnyAlgorithm = str | Callable[..., AskTell] | Algorithm
AnyEnvironment = str | Environment | Function | Callable[..., float]
Regret = Literal["pseudo", "realised"]
#: the kinds of regret of a run: "regret" is the compared one
Measure = Literal["regret", "pseudo", "realised", "simple", "us_per_step"]


class Difference(NamedTuple):
    """An algorithm compared with a baseline, run by run; `print` shows it as a sentence.

    `mean` is the mean of its regret minus the baseline's regret in the run of the same number: negative means better.
    `lower` and `upper` are the ends of its 95 % interval (Student's t over the `runs`), None for a single run. `wins`
    is the number of runs in which it was better.
    """

    environment: str
    algorithm: str
    baseline: str
    mean: float
    lower: float | None
    upper: float | None
    wins: int
    runs: int

    @property
    def verdict(self) -> Literal["better", "worse", "open"]:
        """Whether the interval shows a difference."""
        if self.lower is None or self.upper is None:
            return "open"
        return "better" if self.upper < 0 else "worse" if self.lower > 0 else "open"

    def __str__(self) -> str:
        interval = "" if self.lower is None else f" ({self.lower:.4g} to {self.upper:.4g} at 95 %)"
        wins = f"better in {self.wins} of {self.runs} runs"
        mean = f"{self.mean:+.4g}{interval} compared with {self.baseline}"
        return f"{self.algorithm} on {self.environment}: {mean}, {wins}"


class Row(NamedTuple):
    """The results of an algorithm in an environment: estimates over the measured runs.

    `options` are the options chosen among `candidates` points of the grid. `regret` is the mean of f* - f(x_t) over the
    steps t, `realised_regret` that of f* - r_t, with the rewards r_t; `simple_regret` is f* - f(best arm), at the end.
    If the mean of a function is not known, `regret` and `simple_regret` are None; if f* is not known either,
    `realised_regret` is minus the mean reward. `us_per_step` is processor time in microseconds, of algorithm and
    environment together. `spread` has the quartiles of the compared regret over the runs.
    """

    environment: str
    algorithm: str
    options: dict[str, Any]
    candidates: int
    regret: Estimate | None
    realised_regret: Estimate
    simple_regret: Estimate | None
    us_per_step: float
    spread: Spread


class Curve(NamedTuple):
    """Regret per step at the checkpoints: the mean over the runs, and the ends of its 95 % interval; or median and
    quartiles.
    """

    steps: list[int]
    means: list[float]
    lows: list[float]
    highs: list[float]


#: the keys of a run by measure
_KEYS = {"pseudo": "per_step_regret", "realised": "per_step_realised_regret", "simple": "simple_regret"}
_KEYS["us_per_step"] = "ns_per_step"


def _value_of(run: Mapping[str, Any], measure: str) -> Any:
    if measure not in _KEYS:
        raise ValueError(f"measure = {measure!r}: must be one of regret, {', '.join(_KEYS)}")
    value = run[_KEYS[measure]]
    return value / 1000 if measure == "us_per_step" else value


class Experiment:
    """The results of `experiment`.

    `rows` has a `Row` for every environment and algorithm, `runs` a dictionary for every measured run, `tuning` one for
    every run that chose among the points of a grid. `optima` has f* of the environments. If it was not given, it is the
    largest mean of any run, and the environment is listed in `guessed_optima`; None if no mean is known. `print`
    shows the table.
    """

    def __init__(self, plan: _Plan, measured: list[dict[str, Any]]):
        self.steps = plan.steps
        self.environments = list(plan.environments)
        self.algorithms = list(plan.algorithms)
        self.regrets: dict[str, Regret] = {name: plan.regret_of(name) for name in plan.environments}
        known = {name: _optimum_of(each) for name, each in plan.environments.items()}
        self.guessed_optima = [name for name, optimum in known.items() if optimum is None]
        self.optima: dict[str, float | None] = {
            name: result["best_mean_seen"] if known[name] is None else known[name]
            for name, result in zip(known, measured)
        }
        self.rows: list[Row] = []
        self.runs: list[dict[str, Any]] = []
        self.tuning: list[dict[str, Any]] = []
        self._tables = [result["table"] for result in measured]
        for environment, result in zip(plan.environments, measured):
            for algorithm, one in zip(plan.algorithms, result["algorithms"]):
                self._add(environment, algorithm, plan.options[environment, algorithm], one)

    def _add(self, environment: str, algorithm: str, candidates: list[dict[str, Any]], one: dict[str, Any]) -> None:
        chosen = candidates[one["candidate"]]
        regret, realised, simple = (one[name] and Estimate(*one[name]) for name in Row._fields[4:7])
        estimates = (regret, realised, simple, one["us_per_step"])
        spread = spread_of([run[_KEYS[self.regrets[environment]]] for run in one["runs"]])
        self.rows.append(Row(environment, algorithm, chosen, len(candidates), *estimates, spread))

        def records(phase: str, options: dict[str, Any], runs: list[dict[str, Any]]) -> list[dict[str, Any]]:
            names = {"phase": phase, "environment": environment, "algorithm": algorithm, "options": options}
            return [{**names, "run": number, **run} for number, run in enumerate(runs)]

        self.runs += records("measure", chosen, one["runs"])
        for options, runs in zip(candidates, one["tuning"]):
            self.tuning += records("tune", options, runs)

    def _runs_of(self, environment: str, algorithm: str) -> list[dict[str, Any]]:
        return [run for run in self.runs if (run["environment"], run["algorithm"]) == (environment, algorithm)]

    def values(self, environment: str, algorithm: str, measure: Measure = "regret") -> list[float]:
        """One number for every measured run. `measure` is "regret" (the compared kind), "pseudo", "realised" or
        "simple" (regret of that kind), or "us_per_step".
        """
        runs = self._runs_of(environment, algorithm)
        if not runs:
            known = ", ".join(f"{algorithm} on {name}" for name in self.environments for algorithm in self.algorithms)
            raise ValueError(f"{algorithm} on {environment}: is not in the results, which have: {known}")
        values = [_value_of(run, self.regrets[environment] if measure == "regret" else measure) for run in runs]
        if any(value is None for value in values):
            raise ValueError(f"{measure}: needs the mean of {environment}, which is not known; use realised regret")
        return values

    def differences(self, baseline: str, *, measure: Measure = "regret") -> list[Difference]:
        """Compares the other algorithms with one of them, run by run, in every environment.

        An interval of the difference is more informative than two overlapping intervals. It is narrower if runs of the
        same number have the same problem: `Function(..., common=True)`.

        >>> result = canopy.experiment(["adaptive", "random"], "garland", steps=500, runs=3)
        >>> [(each.algorithm, each.verdict) for each in result.differences("adaptive")]
        [('random', 'worse')]
        """
        if baseline not in self.algorithms:
            raise ValueError(f"baseline = {baseline!r}: must be one of {', '.join(self.algorithms)}")
        found = []
        for environment in self.environments:
            theirs = self.values(environment, baseline, measure)
            for algorithm in self.algorithms:
                if algorithm == baseline:
                    continue
                pairs = [ours - other for ours, other in zip(self.values(environment, algorithm, measure), theirs)]
                wins = sum(pair < 0 for pair in pairs)
                estimate = _canopy.estimate(pairs)
                found.append(Difference(environment, algorithm, baseline, *estimate, wins, len(pairs)))
        return found

    def tidy(self) -> pandas.DataFrame:
        """A pandas DataFrame with a row for every environment, algorithm, run and measure, as plotting libraries and
        statistical packages expect it. `phase` distinguishes measured runs from tuning runs.
        """
        pandas = import_pandas()
        rows = [
            (run["phase"], run["environment"], run["algorithm"], run["run"], measure, _value_of(run, measure))
            for run in [*self.runs, *self.tuning]
            for measure in _KEYS
        ]
        return pandas.DataFrame(rows, columns=["phase", "environment", "algorithm", "run", "measure", "value"])

    def to_latex(
        self,
        *,
        measure: Measure = "regret",
        statistic: Statistic = "mean",
        baseline: str | None = None,
        digits: int = 3,
        caption: str | None = None,
        label: str | None = None,
    ) -> str:
        """A table for LaTeX (booktabs): a row for every algorithm, a column for every environment, the least in bold.

        Means are followed by half the width of their 95 % intervals, medians by their quartiles. With a `baseline`,
        the other rows have their difference from it, in bold if the interval excludes 0. Numbers have `digits` digits
        after the point. With a `caption` or a `label` the result is a floating `table`.
        """
        return latex_table(self, measure, statistic, baseline, digits, caption, label)

    def curve(
        self, environment: str, algorithm: str, *, realised: bool | None = None, statistic: Statistic = "mean"
    ) -> Curve:
        """Regret at the checkpoints, of the compared kind unless `realised` is given.

        With statistic="median", medians over the runs, between their quartiles.
        """
        check_statistic(statistic)
        if realised is None:
            realised = self.regrets[environment] == "realised"
        curves = [run["checkpoints"] for run in self._runs_of(environment, algorithm)]
        steps = [point[0] for point in curves[0]]
        if statistic == "median":
            spreads = [spread_of([point[2 if realised else 1] for point in points]) for points in zip(*curves)]
            return Curve(steps, *([each[i] for each in spreads] for i in (2, 1, 3)))
        estimates = [_canopy.estimate([point[2 if realised else 1] for point in points]) for points in zip(*curves)]
        means = [mean for mean, _, _ in estimates]
        lows = [mean if low is None else low for mean, low, _ in estimates]
        highs = [mean if high is None else high for mean, _, high in estimates]
        return Curve(steps, means, lows, highs)

    def to_frame(self) -> pandas.DataFrame:
        """A pandas DataFrame with a row for every environment, algorithm, run and checkpoint."""
        pandas = import_pandas()
        names = ["environment", "algorithm", "run", "steps", "per_step_regret", "per_step_realised_regret"]
        rows = [(*(run[name] for name in names[:3]), *point) for run in self.runs for point in run["checkpoints"]]
        return pandas.DataFrame(rows, columns=names)

    def table(self, *, measure: Measure = "regret", statistic: Statistic = "mean", baseline: str | None = None) -> str:
        """The results as text: a block for every environment, a row for every algorithm.

        With statistic="median", medians and quartiles over the runs. With a `baseline`, the differences of the other
        algorithms from it, run by run, with 95 % intervals.
        """
        check_statistic(statistic)
        if (measure, statistic, baseline) == ("regret", "mean", None):
            return "\n".join(self._tables).rstrip("\n")
        return text_table(self, measure, statistic, baseline)

    def plot(
        self, *, realised: bool | None = None, ax: Axes | None = None, figure: Figure | SubFigure | None = None
    ) -> Figure:
        """Regret per step over steps, with 95 % bands, in a panel for every environment; returns the matplotlib Figure.

        The kind of regret is the compared one unless `realised` is given; the axes name it. Draws into `figure` or a
        new one; with a single environment, also into `ax`.
        """
        from . import plot

        return plot.experiment(self, realised=realised, ax=ax, figure=figure)

    def _repr_html_(self) -> str:
        """The representation in notebooks."""
        from ._html import experiment_html

        return experiment_html(self)

    def __str__(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        runs = f"{len(self.runs)} runs of {self.steps} steps"
        return f"<canopy.Experiment of {', '.join(self.algorithms)} on {', '.join(self.environments)}: {runs}>"


def experiment(
    algorithms: AnyAlgorithm | Sequence[AnyAlgorithm] | Mapping[str, AnyAlgorithm],
    environments: AnyEnvironment | Sequence[AnyEnvironment] | Mapping[str, AnyEnvironment],
    space: Space | Mapping[str, Parameter] | None = None,
    *,
    steps: int = 10_000,
    runs: int = 10,
    tuning_runs: int = 10,
    seed: int = 1,
    checkpoints: int = 30,
    regret: Regret = "pseudo",
    folder: str | os.PathLike[str] | None = None,
    resume: bool = True,
    n_jobs: int = -1,
    progress: bool | None = None,
) -> Experiment:
    """Compares algorithms: tunes those with a grid, and measures the best candidate of each with new random numbers.

    - algorithms: one or more: names of optimizers, your own classes (`AskTell`), or `Algorithm` with options. The keys
      of a dictionary are their labels.
    - environments: one or more: names, `Environment` with options, `Function`, or plain functions of the parameters
      of `space`, which have no noise.
    - steps, runs: the length and the number of measured runs.
    - tuning_runs: number of runs for every point of a grid; the point with the least mean regret is measured.
    - checkpoints: number of points of a curve, evenly spaced on a log scale.
    - regret: the kind of regret to minimize by tuning and to compare: "pseudo" (of the arms) or "realised" (of the
      rewards).
    - folder: where each run is stored as soon as it is finished, and where the report of `canopy experiment` is
      written. A later call continues from there, with more runs if necessary; runs of another experiment are refused.
      Functions and classes are identified by name and `version`: if their code changes, change the version or use
      `resume=False`.
    - resume: whether runs stored in the folder are reused; if not, they are discarded.
    - n_jobs: number of parallel runs; -1: one per core that this process may use. Runs that call Python are in
      forked processes, others in threads. Results do not depend on it.
    - progress: shows a progress line on stderr; by default if that is a terminal.

    Random numbers depend only on seed, environment, label and run, as in `canopy experiment` on the command line,
    which gives the same results. Ctrl-C ends the experiment; finished runs are in the folder.

    >>> result = canopy.experiment(["adaptive", "random"], lambda x: 1 - abs(x - 0.7), {"x": canopy.real(0, 1)},
    ...                            steps=200, runs=3)
    >>> [row.algorithm for row in sorted(result.rows, key=lambda row: row.regret.mean)]
    ['adaptive', 'random']
    """
    if regret not in ("pseudo", "realised"):
        raise ValueError(f'regret = {regret!r}: must be "pseudo" or "realised"')
    steps = whole("steps", steps, 1, 10**12)
    runs, tuning_runs = whole("runs", runs, 1, 10**6), whole("tuning_runs", tuning_runs, 1, 10**6)
    seed, jobs = whole("seed", seed, 0, 2**63 - 1), jobs_from(n_jobs)
    plan = _Plan(_environments_from(environments, space), _algorithms_from(algorithms), steps, seed, regret)
    tuned = sum(len(several) for several in plan.options.values() if len(several) > 1)
    total = steps * (tuning_runs * tuned + runs * len(plan.options))
    with ProgressLine(progress, patience=1.0) as line:
        measured = _canopy.run_experiment(
            comparisons=plan.comparisons(),
            algorithms=[(label, *each) for label, each in plan.candidates.items()],
            make=plan.make,
            steps=steps,
            runs=runs,
            tuning_runs=tuning_runs,
            seed=seed,
            checkpoints=whole("checkpoints", checkpoints, 1, 1000),
            folder="" if folder is None else os.fspath(folder),
            resume=bool(resume),
            threads=jobs,
            interpreted=functools.partial(_run_interpreted, plan, jobs, line),
            progress=lambda done: line.show(done / total, lambda: f"{done} of {total} steps"),
        )
    return Experiment(plan, measured)


class _Plan:
    """The environments and algorithms to compare, and the candidates of each algorithm."""

    def __init__(
        self,
        environments: dict[str, Environment | Function],
        algorithms: dict[str, Algorithm],
        steps: int,
        seed: int,
        regret: Regret,
    ):
        self.environments, self.algorithms, self.steps = environments, algorithms, steps
        self._seed, self._regret = seed, regret
        points = {label: algorithm.candidates() for label, algorithm in algorithms.items()}
        # For the runner: the name of an optimizer and its options, or texts of the candidates of a class.
        self.candidates = {
            label: (each.algorithm, points[label])
            if isinstance(each.algorithm, str)
            else (None, [each._text(options) for options in points[label]])
            for label, each in algorithms.items()
        }
        self.options = {
            (name, label): [_checked(algorithm, options, environment, steps) for options in points[label]]
            for name, environment in environments.items()
            for label, algorithm in algorithms.items()
        }

    def comparisons(self) -> list[tuple[Any, ...]]:
        """The comparisons for the runner. Their names become file names."""
        several: dict[str, tuple[Any, ...]] = {}
        for label, environment in self.environments.items():
            name = re.sub("[^A-Za-z0-9_-]+", "-", label) or "environment"
            while name in several:
                name += "-"
            about = (environment._text, environment.reward_range) if isinstance(environment, Function) else ("", None)
            several[name] = (name, label, environment, about[0], self.regret_of(label), about[1])
        return list(several.values())

    def make(self, label: str, comparison: int, candidate: int, seed: int) -> Any:
        """Makes a user-defined algorithm for one run."""
        name = list(self.environments)[comparison]
        options = self.options[name, label][candidate]
        return self.algorithms[label].algorithm(self.environments[name].space, seed=seed, **options)  # type: ignore[operator]

    def regret_of(self, name: str) -> Regret:
        environment = self.environments[name]
        known = not isinstance(environment, Function) or environment.mean_is_known
        return self._regret if known else "realised"

    def name_of(self, key: str) -> tuple[str, str]:
        """A text that seeds the random numbers of a run, and a readable name of the run."""
        phase, comparison, algorithm, _, run = key.split(",")
        environment = list(self.environments)[int(comparison)]
        label = list(self.algorithms)[int(algorithm)]
        named = f"{self._seed} {phase} {environment} {label} {run}"
        return self._common_name_of(key) or named, f"run {run} of {label} on {environment}"

    def _common_name_of(self, key: str) -> str | None:
        """A seed text shared by all algorithms; None if they have their own random numbers."""
        phase, comparison, _, _, run = key.split(",")
        name = list(self.environments)[int(comparison)]
        environment = self.environments[name]
        is_common = isinstance(environment, Function) and environment.common
        return f"{self._seed} {phase} {name} {run} of all" if is_common else None

    def common_seed_of(self, key: str) -> int | None:
        """The seed for the `start` of a function, the same for all algorithms."""
        name = self._common_name_of(key)
        return None if name is None else int.from_bytes(hashlib.sha256(name.encode()).digest()[:6], "big")


def _run_interpreted(
    plan: _Plan,
    jobs: int,
    line: ProgressLine,
    keys: list[str],
    work: Callable[[str], str],
    take: Callable[[str], None],
    advance: Callable[[int], None],
) -> None:
    """Performs the runs that call Python, here or in parallel in forked processes."""
    generators = find_generators()

    def do(key: str) -> str:
        global _common_seed
        name, text = plan.name_of(key)
        with seeded(name, generators):
            try:
                _common_seed = plan.common_seed_of(key)
                return work(key)
            except Exception as error:
                if hasattr(error, "add_note"):  # from Python 3.11 on
                    error.add_note(f"canopy: in {text}")
                raise

    def begin() -> Callable[[str], str]:
        line.silence()
        return do

    jobs = min(jobs, len(keys))
    if jobs == 1:
        for key in keys:
            take(do(key))
        return
    processes = Processes(jobs, "fork", begin)
    running = {processes.submit(key) for key in keys}
    try:
        while running:
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for outcome in map(outcome_of, done):
                if outcome.failure is not None:
                    raise outcome.failure
                take(outcome.value)
                advance(plan.steps)
    except BaseException:
        processes.end(at_once=True)
        raise
    processes.end(at_once=False)


# --- arguments --------------------------------------------------------------------------------


def _listed(given: Any, kind: str) -> list[tuple[str | None, Any]]:
    """Normalizes one or several values, with labels if there are some."""
    if isinstance(given, Mapping):
        several = list(given.items())
    elif isinstance(given, Sequence) and not isinstance(given, str):
        several = [(None, each) for each in given]
    else:
        several = [(None, given)]
    if not several:
        raise ValueError(f"{kind}: must be one or more")
    return several


def _by_label(labelled: Sequence[tuple[str, Any]], kind: str) -> dict[str, Any]:
    for label, _ in labelled:
        if [each for each, _ in labelled].count(label) > 1:
            raise ValueError(f'{kind}: "{label}" occurs twice; give a dictionary with labels')
    return dict(labelled)


def _algorithms_from(given: Any) -> dict[str, Algorithm]:
    several = []
    for label, each in _listed(given, "algorithms"):
        algorithm = each if isinstance(each, Algorithm) else Algorithm(each)
        several.append((label or algorithm.label, algorithm))
    return _by_label(several, "algorithms")


def _environments_from(given: Any, space: Any) -> dict[str, Environment | Function]:
    several = []
    for label, each in _listed(given, "environments"):
        if isinstance(each, str):
            each = Environment(each)
        elif not isinstance(each, (Environment, Function)):
            if space is None and callable(each):
                raise ValueError('space: is missing, for example {"x": canopy.real(0, 1)}')
            each = Function(each, space or {}, name=label)
        several.append((label or each.name, each))
    return _by_label(several, "environments")


def _checked(
    algorithm: Algorithm, options: dict[str, Any], environment: Environment | Function, steps: int
) -> dict[str, Any]:
    """All options of one of canopy's optimizers in an environment; for other algorithms, the given options."""
    if not isinstance(algorithm.algorithm, str):
        return options
    full = _canopy.checked_options(algorithm.algorithm, options, environment.space, steps)
    return {name: value for name, value in full.items() if name != "seed"}


def _name_of(thing: Any, otherwise: str) -> str:
    name = getattr(thing, "__name__", "")
    return name if name and name != "<lambda>" else otherwise


def _qualified(thing: Any, version: object) -> str:
    """Identifies a function or a class: its qualified name and a version.

    Other callable objects are identified by their repr, which shows the function and arguments of a `partial`; a
    lambda by its line.
    """
    name = f"{thing.__module__}.{thing.__qualname__}" if hasattr(thing, "__qualname__") else _text_of(thing)
    if name.endswith("<lambda>"):
        name += f" in line {thing.__code__.co_firstlineno}"
    return name if version is None else f"{name} version {version}"


def _text_of(value: Any) -> str:
    """The value of an option as text, without memory addresses, which differ between processes."""
    return re.sub(" at 0x[0-9a-fA-F]+", "", repr(value))


def _optimum_of(environment: Environment | Function) -> float | None:
    return environment.optimum if isinstance(environment, Function) else environment.best_mean
