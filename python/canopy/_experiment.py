"""`experiment`: algorithms compared on environments and functions, tuned, measured and kept."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from . import _canopy
from ._fingerprint import fingerprint_of, text_of_value
from ._optimizers import CLASSES, RewardRange, range_from, warn_caller
from ._runs import Log, Plan, ProgressLine, Record, Unit, finish_units
from ._search import import_pandas
from ._simulation import Environment, Estimate
from ._space import Parameter, Space, number, space_from, whole
from ._workers import jobs_from

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure


class AskTell(Protocol):
    """An algorithm of one's own: what `experiment` needs of it.

    It is made as `MyAlgorithm(space, seed=seed, **options)`, once for every run. `ask()` returns the arm to play, a
    dictionary with a value for every parameter; `tell(arm, reward)` gets what `ask` returned, and its reward;
    `best()` returns the arm to recommend. Take random choices from a generator made with `seed`.

    >>> import random
    >>> class Greedy:
    ...     "The best of some random arms so far; now and then any of them."
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
        """The arm to play; or something that has an `arm`, and may have a `length`: the pull of another optimizer."""

    def tell(self, asked: Any, reward: float, /) -> Any:
        """What it earned, with what `ask` returned."""

    def best(self) -> Any:
        """The arm to recommend."""


class Algorithm:
    """An algorithm of an experiment, with its options; a list of values is a grid to choose from.

    `algorithm` is the name of an optimizer, or makes one: a class such as `AskTell` describes. A class of canopy, such
    as `canopy.Hct`, stands for its name. `label` is what tables and random numbers know it by.

    >>> canopy.Algorithm("hct", rho=[0.5, 0.7], nu1=[0.3, 1, 3], label="HCT")
    Algorithm('hct', rho=[0.5, 0.7], nu1=[0.3, 1, 3], label='HCT')
    """

    def __init__(self, algorithm: str | Callable[..., AskTell], /, *, label: str | None = None, **options: Any):
        if not isinstance(algorithm, str) and not callable(algorithm):
            raise ValueError(f"algorithm = {algorithm!r}: must be the name of an optimizer, or a class")
        for method in ("ask", "tell", "best") if isinstance(algorithm, type) else ():
            if not callable(getattr(algorithm, method, None)):
                raise ValueError(f"algorithm = {algorithm!r}: has no method {method}")
        algorithm = next((name for name, each in CLASSES.items() if each is algorithm), algorithm)
        if "seed" in options:
            raise ValueError("seed: every run has one of its own; the seed of the experiment decides which")
        self.algorithm = algorithm
        self.label = label or (algorithm if isinstance(algorithm, str) else _name_of(algorithm, "algorithm"))
        self.options = options

    def grid(self) -> list[str]:
        """The options that have several values, sorted."""
        return sorted(name for name, value in self.options.items() if isinstance(value, list))

    def candidates(self) -> list[dict[str, Any]]:
        """The points of its grid, in the order of the command line's experiments."""
        grid = self.grid()
        for name in grid:
            if not self.options[name]:
                raise ValueError(f"{self.label}: {name} = []: must hold one value or more")
        points = itertools.product(*(self.options[name] for name in grid))
        return [self.options | dict(zip(grid, point)) for point in points]

    def __repr__(self) -> str:
        made = repr(self.algorithm) if isinstance(self.algorithm, str) else _name_of(self.algorithm, "...")
        options = "".join(f", {name}={value!r}" for name, value in self.options.items())
        return f"Algorithm({made}{options}, label={self.label!r})"


class Function(_canopy.Function):
    """A function of one's own as an environment of an experiment.

    - function: called as `function(**arm)`, once a pull, as `maximize` does it; without noise of its own, once more at
      the first arm of a run, to see that it has none.
    - space: of its parameters.
    - optimum: f*, the largest mean: a number, or the arm that has it; it is an error if a run sees a larger mean. Where
      it is not known, regret is against the best arm that any run has played.
    - noise: "gaussian", "uniform" or "bernoulli" has canopy add noise to a function that has none, with `noise_width`:
      the standard deviation, the width, or 1 for a success with probability f. "own": the function is noisy itself.
    - mean: the function without its noise, if it is noisy itself. Where that is not known, only realised regret is.
    - start: called with a seed before every run, to reset its system or to seed generators that canopy does not find:
      `random`, `numpy.random`, and generators of theirs that the code names or carries along are seeded anyway.
    - name: in tables and random numbers; by default that of the function.
    - reward_range: what optimizers are told.

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
        reward_range: RewardRange = "auto",
    ):
        for what, given in {"function": function, "mean": mean, "start": start}.items():
            if not callable(given) and (given is not None or what == "function"):
                raise ValueError(f"{what} = {given!r}: must be a function")
        if mean is not None and noise not in (None, "own"):
            raise ValueError(f"noise = {noise!r}: a function that has a mean of its own is noisy itself")
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
        self._users = [each for each in (function, mean, start) if each is not None]
        self._noise = {"noise": "own" if noisy else noise, "noise_width": width}
        self._called = {"": function, "mean.": mean, "start.": getattr(start, "__func__", start)}  # not what it seeds
        added = None if noisy else noise
        super().__init__(function, self.space, self.name, mean, start, noisy, added, width, self.optimum)

    def __call__(self, **arm: Any) -> float:
        """The function itself."""
        return self.function(**arm)

    def __repr__(self) -> str:
        return f"<canopy.Function {self.name} of {list(self.space)}>"


AnyAlgorithm = str | Callable[..., AskTell] | Algorithm
AnyEnvironment = str | Environment | Function | Callable[..., float]
Regret = Literal["pseudo", "realised"]


class Row(NamedTuple):
    """How an algorithm did in an environment: estimates over the measured runs.

    `options` are those that were chosen, of so many `candidates`. `regret` is the mean of f* - f(x_t) over the steps
    t, `realised_regret` that of f* - r_t, with the rewards r_t; `simple_regret` is f* - f(best arm), at the end. Where
    the mean of a function is not known, `regret` and `simple_regret` are None; if f* is not known either,
    `realised_regret` is minus the mean reward. `us_per_step` is processor time in microseconds, of algorithm and
    environment together.
    """

    environment: str
    algorithm: str
    options: dict[str, Any]
    candidates: int
    regret: Estimate | None
    realised_regret: Estimate
    simple_regret: Estimate | None
    us_per_step: float


class Curve(NamedTuple):
    """Regret per step at the checkpoints: the mean over the runs, and the ends of its 95 % interval."""

    steps: list[int]
    means: list[float]
    lows: list[float]
    highs: list[float]


class Experiment:
    """What `experiment` has measured.

    `rows` has a `Row` for every environment and algorithm, `runs` a dictionary for every measured run, `tuning` one for
    every run that chose among the points of a grid. `optima` has f* of the environments; where nobody has said it, the
    largest mean that any run has seen, and then the name is in `guessed_optima`; None if no mean is known. `print`
    shows the table.
    """

    def __init__(self, plan: Plan, chosen: dict[tuple[str, str], tuple[dict[str, Any], int]], records: list[Record]):
        self.steps = plan.steps
        self.environments = list(plan.environments)
        self.algorithms = list(plan.algorithms)
        self._grids = {name: each.grid() for name, each in plan.algorithms.items()}
        self.regrets: dict[str, Regret] = {name: _regret_of(plan, name) for name in plan.environments}
        self.guessed_optima = [name for name, each in plan.environments.items() if _optimum_of(each) is None]
        self.optima = {name: _optimum_in(plan, name, records) for name in plan.environments}
        shifted = [_shifted(record, self._shift(record["environment"])) for record in records]
        self.runs = [record for record in shifted if record["phase"] == "measure"]
        self.tuning = [record for record in shifted if record["phase"] == "tune"]
        self.rows = [self._row(*names, *about) for names, about in chosen.items()]

    def _shift(self, environment: str) -> float:
        return (self.optima[environment] or 0.0) if environment in self.guessed_optima else 0.0

    def _runs_of(self, environment: str, algorithm: str) -> list[Record]:
        return [run for run in self.runs if (run["environment"], run["algorithm"]) == (environment, algorithm)]

    def _row(self, environment: str, algorithm: str, options: dict[str, Any], candidates: int) -> Row:
        runs = self._runs_of(environment, algorithm)

        def over(name: str) -> Any:
            values = [run[name] for run in runs]
            return None if None in values else Estimate(*_canopy.estimate(values))

        us_per_step = sum(run["ns_per_step"] for run in runs) / len(runs) / 1e3
        regrets = (over("per_step_regret"), over("per_step_realised_regret"), over("simple_regret"))
        return Row(environment, algorithm, options, candidates, *regrets, us_per_step)

    def curve(self, environment: str, algorithm: str, *, realised: bool | None = None) -> Curve:
        """How regret went on, of the kind that was compared, unless `realised` says which."""
        if realised is None:
            realised = self.regrets[environment] == "realised"
        curves = [run["checkpoints"] for run in self._runs_of(environment, algorithm)]
        steps = [point[0] for point in curves[0]]
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

    def table(self) -> str:
        """The results as text: a block for every environment, a row for every algorithm."""
        return "\n\n".join("\n".join(self._block(environment)) for environment in self.environments)

    def _block(self, environment: str) -> Iterator[str]:
        kind, guessed = self.regrets[environment], environment in self.guessed_optima
        optimum = self.optima[environment]
        seen = ", the best that was seen" if guessed else ""
        against = "f* unknown" if optimum is None else f"f* = {optimum:.4g}{seen}"
        runs = len({run["run"] for run in self.runs})
        yield f"{environment}: {runs} run{'' if runs == 1 else 's'} of {self.steps} steps; {against}"
        rows = [row for row in self.rows if row.environment == environment]
        width = max(len(row.algorithm) for row in rows)
        compared = f"{kind} regret per step" if optimum is not None else "minus the mean reward"
        regrets = _column(compared, [row.regret if kind == "pseudo" else row.realised_regret for row in rows])
        simple = _column("simple regret", [row.simple_regret for row in rows])
        yield f"  {'':{width}}  {regrets[0]} {simple[0]} {'us/step':>8}"
        for row, *cells in zip(rows, regrets[1:], simple[1:]):
            tuned = {name: row.options[name] for name in self._grids[row.algorithm]}
            chosen = f"  {_options_text(tuned)}, of {row.candidates}" if row.candidates > 1 else ""
            yield f"  {row.algorithm:{width}}  {' '.join(cells)} {row.us_per_step:>8.3g}{chosen}"

    def plot(self, *, realised: bool | None = None) -> Figure:
        """Regret per step over steps, with 95 % bands, in a panel for every environment; a matplotlib figure.

        Of the kind that was compared, unless `realised` says which; the axes say it.
        """
        from . import plot

        return plot.experiment(self, realised=realised)

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
    n_jobs: int = -1,
    progress: bool | None = None,
) -> Experiment:
    """Compares algorithms: tunes those that have a grid, and measures the best of each with fresh random numbers.

    - algorithms: one or more: names of optimizers, classes of one's own (`AskTell`), or `Algorithm` with options.
      In a dictionary, the keys are their labels.
    - environments: one or more: names, `Environment` with options, `Function`, or plain functions of the parameters
      of `space`, which have no noise.
    - steps, runs: the length of every run, and how many are measured.
    - tuning_runs: for every point of a grid; the one with the least mean regret is measured.
    - checkpoints: points of a curve, evenly spaced on a log scale.
    - regret: "pseudo", of the arms, or "realised", of the rewards: what is tuned for and compared.
    - folder: where finished runs are kept, at once; called again, it continues from there, with more runs, algorithms,
      grid points and environments if need be. Other settings are refused.
    - n_jobs: how many runs at a time; -1: one per core that this process may use. Runs that call Python are in
      processes of their own (forks), others in threads. Results do not depend on it.
    - progress: shows a progress line on stderr; by default if that is a terminal.

    A random number depends on seed, environment, label and run alone, as in `canopy experiment` on the command line,
    which gives the same results. Ctrl-C ends it; what was finished is in the folder.

    >>> result = canopy.experiment(["adaptive", "random"], lambda x: 1 - abs(x - 0.7), {"x": canopy.real(0, 1)},
    ...                            steps=200, runs=3)
    >>> [row.algorithm for row in sorted(result.rows, key=lambda row: row.regret.mean)]
    ['adaptive', 'random']
    """
    if regret not in ("pseudo", "realised"):
        raise ValueError(f'regret = {regret!r}: must be "pseudo" or "realised"')
    steps = whole("steps", steps, 1, 10**12)
    plan = Plan(
        environments=_environments_from(environments, space),
        algorithms=_algorithms_from(algorithms),
        steps=steps,
        seed=whole("seed", seed, 0, 2**63 - 1),
        checkpoints=_canopy.checkpoint_steps(steps, whole("checkpoints", checkpoints, 1, 1000)),
        regret=regret,
    )
    runs, tuning_runs = whole("runs", runs, 1, 10**6), whole("tuning_runs", tuning_runs, 1, 10**6)
    jobs = jobs_from(n_jobs)
    candidates = {
        (place, label): [_checked(algorithm, options, environment, steps) for options in algorithm.candidates()]
        for place, environment in plan.environments.items()
        for label, algorithm in plan.algorithms.items()
    }
    tuning = [
        Unit("tune", *names, options, run)
        for names, several in candidates.items()
        for options in (several if len(several) > 1 else ())
        for run in range(tuning_runs)
    ]
    with Log(folder, {} if folder is None else _settings_of(plan)) as log:
        line = ProgressLine(progress, steps, len(tuning) + len(candidates) * runs)
        with line:
            finish_units(plan, tuning, log, jobs, line)
            chosen = {names: _chosen(plan, names, several, tuning, log) for names, several in candidates.items()}
            measuring = [Unit("measure", *names, chosen[names], run) for names in candidates for run in range(runs)]
            finish_units(plan, measuring, log, jobs, line)
        records = [log.record(unit) for unit in tuning + measuring]
    return Experiment(plan, {names: (chosen[names], len(candidates[names])) for names in candidates}, records)


# --- what is given --------------------------------------------------------------------------------


def _listed(given: Any, kind: str) -> list[tuple[str | None, Any]]:
    """What was given, one or several, with labels where there are some."""
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
            raise ValueError(f'{kind}: "{label}" is there twice; give a dictionary with labels')
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
    """Every option of an optimizer that canopy has, on that environment; of others those that are given."""
    if not isinstance(algorithm.algorithm, str):
        return options
    full = _canopy.checked_options(algorithm.algorithm, options, environment.space, steps)
    return {name: value for name, value in full.items() if name != "seed"}


def _name_of(thing: Any, otherwise: str) -> str:
    name = getattr(thing, "__name__", "")
    return name if name and name != "<lambda>" else otherwise


# --- what makes results comparable ----------------------------------------------------------------


def _settings_of(plan: Plan) -> dict[str, Any]:
    """What runs depend on beside their labels, options and numbers. Raises ValueError if options cannot be compared."""
    left_out: list[str] = []
    environments = {name: _about_environment(each, left_out) for name, each in plan.environments.items()}
    algorithms = {name: _about_algorithm(each, left_out) for name, each in plan.algorithms.items()}
    if left_out:
        named = ", ".join(left_out[:5]) + (f" and {len(left_out) - 5} others" if len(left_out) > 5 else "")
        warn_caller(
            f"folder: {named} cannot be compared with what other calls have, since nothing but an "
            "address is shown of it. Use another folder when it changes, or give it a __repr__ that shows its values."
        )
    return {
        "steps": plan.steps,
        "seed": plan.seed,
        "checkpoints": len(plan.checkpoints),
        "environments": environments,
        "algorithms": algorithms,
    }


def _about_environment(environment: Environment | Function, left_out: list[str]) -> dict[str, Any]:
    if isinstance(environment, Environment):
        return {"name": environment.name, **environment.options}
    return {
        "name": environment.name,
        "space": {name: repr(parameter) for name, parameter in environment.space.items()},
        "optimum": environment.optimum,
        "reward_range": environment.reward_range,
        **environment._noise,
        **_about_code(environment.name, environment._called, left_out),
    }


def _about_algorithm(algorithm: Algorithm, left_out: list[str]) -> dict[str, Any]:
    if isinstance(algorithm.algorithm, str):
        traits = _canopy.optimizer_traits(algorithm.algorithm)
        return {"name": algorithm.algorithm, "revision": traits["revision"]}
    for name, value in algorithm.options.items():
        if text_of_value(value) is None:
            raise ValueError(
                f"{algorithm.label}: {name} = {value!r}: cannot be told from others, so runs with it cannot be kept in "
                "a folder; give it a __repr__ that shows its values"
            )
    name = _name_of(algorithm.algorithm, "algorithm")
    return {"name": name, **_about_code(name, {"": algorithm.algorithm}, left_out)}


def _about_code(owner: str, things: Mapping[str, Any], left_out: list[str]) -> dict[str, Any]:
    """The code of all these, and the values that it carries along."""
    prints = {prefix: fingerprint_of(thing) for prefix, thing in things.items()}
    left_out += [f"{owner}.{prefix}{name}" for prefix, each in prints.items() for name in each.left_out]
    values = {prefix + name: text for prefix, each in prints.items() for name, text in each.values.items()}
    return {"code": " ".join(each.code for each in prints.values()), "values": values}


# --- what comes out -------------------------------------------------------------------------------


def _optimum_of(environment: Environment | Function) -> float | None:
    return environment.optimum if isinstance(environment, Function) else environment.best_mean


def _optimum_in(plan: Plan, name: str, records: Sequence[Record]) -> float | None:
    """f*, or the largest mean that was seen; None if none was."""
    known = _optimum_of(plan.environments[name])
    seen = [record["highest"] for record in records if record["environment"] == name]
    return known if known is not None else max((each for each in seen if each is not None), default=None)


def _regret_of(plan: Plan, name: str) -> Regret:
    environment = plan.environments[name]
    known = not isinstance(environment, Function) or environment.mean_is_known
    return plan.regret if known else "realised"


def _chosen(
    plan: Plan, names: tuple[str, str], candidates: Sequence[dict[str, Any]], tuning: Sequence[Unit], log: Log
) -> dict[str, Any]:
    """The candidate with the least mean regret in tuning; the first of those."""
    if len(candidates) == 1:
        return candidates[0]
    field = "per_step_regret" if _regret_of(plan, names[0]) == "pseudo" else "per_step_realised_regret"

    def mean(options: dict[str, Any]) -> float:
        units = [unit for unit in tuning if (unit.environment, unit.algorithm) == names and unit.options is options]
        return float(_canopy.estimate([log.record(unit)[field] for unit in units])[0])

    return min(candidates, key=mean)


def _shifted(record: Record, by: float) -> Record:
    """The same with regret against another f*."""

    def add(value: float | None) -> float | None:
        return None if value is None else value + by

    names = ("per_step_regret", "per_step_realised_regret", "simple_regret")
    checkpoints = [(steps, add(pseudo), add(realised)) for steps, pseudo, realised in record["checkpoints"]]
    return record | {name: add(record[name]) for name in names} | {"checkpoints": checkpoints}


def _column(title: str, estimates: Sequence[Estimate | None]) -> list[str]:
    """A column of a table: the title and the estimates, numbers below numbers."""
    numbers = [[f"{value:.4f}" for value in each or () if value is not None] for each in estimates]
    wide = [max(map(len, texts)) for texts in itertools.zip_longest(*numbers, fillvalue="")]

    def text(cells: Sequence[str]) -> str:
        mean, *ends = (f"{cell:>{width}}" for cell, width in zip(cells, wide))
        return f"{mean} ({' to '.join(ends)})" if ends else mean

    column = [title, *(text(cells) if cells else "not known" for cells in numbers)]
    width = max(27, *map(len, column))
    return [f"{cell:<{width}}" for cell in column]


def _options_text(options: Mapping[str, Any]) -> str:
    shown = (
        f"{name} {value:.4g}" if isinstance(value, float) else f"{name} {value}" for name, value in options.items()
    )
    return ", ".join(shown)
