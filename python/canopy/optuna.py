"""HCT as a sampler for Optuna."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Sequence
from typing import Any

import optuna
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    IntDistribution,
)
from optuna.samplers import BaseSampler, RandomSampler
from optuna.search_space import IntersectionSearchSpace
from optuna.trial import FrozenTrial, TrialState

from ._canopy import Pull
from ._optimizers import Direction, Hct
from ._space import Parameter, Space, choice, integer, real


class HctSampler(BaseSampler):
    """Suggests what the High Confidence Tree would try next; for float, int and categorical parameters.

    The space is what the first complete trial asked for; until there is one, and for parameters that only
    some trials have, suggestions are random. Give `search_space` (names to Optuna distributions) to do without
    random trials. `reward_range` is what values of the objective lie in. The other arguments are those of
    `canopy.Hct`; the direction is the study's.

    Trials may overlap (`n_jobs`, `ask` and `tell`); those that fail or are pruned are given back. A sampler
    serves one study in one process: to go on later, pickle it beside the study, as with Optuna's own.

    >>> import optuna
    >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
    >>> study = optuna.create_study(sampler=canopy.optuna.HctSampler(seed=1), direction="maximize")
    >>> study.optimize(lambda trial: 1 - abs(trial.suggest_float("x", 0, 1) - 0.3), n_trials=200)
    >>> round(study.best_params["x"], 1)
    0.3
    """

    def __init__(
        self,
        *,
        search_space: dict[str, BaseDistribution] | None = None,
        reward_range: Sequence[float] = (0.0, 1.0),
        seed: int | None = None,
        **options: Any,
    ):
        Hct({"x": real(0, 1)}, reward_range=reward_range, **options)  # complains at once
        self._reward_range = reward_range
        self._options = options
        self._search_space = None if search_space is None else _without_singles(search_space)
        self._intersection = IntersectionSearchSpace()
        self._random = RandomSampler(seed=seed)
        self._optimizer: Hct | None = None
        self._study_name: str | None = None
        self._pulls: dict[int, Pull] = {}  # of the trials that run, by number
        self._has_warned = False
        self._lock = threading.RLock()

    @property
    def optimizer(self) -> Hct | None:
        """The tree, for `canopy.plot`; None until the space is known."""
        return self._optimizer

    def infer_relative_search_space(self, study: optuna.Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        self._raise_error_if_multi_objective(study)
        with self._lock:
            if self._search_space is None:
                found = _without_singles(self._intersection.calculate(study))
                if not found:
                    return {}
                self._search_space = found
            return self._search_space

    def sample_relative(
        self, study: optuna.Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        if not search_space:
            return {}
        with self._lock:
            self._check_study(study)
            if self._optimizer is None:
                space = Space({name: _parameter_from(each) for name, each in search_space.items()})
                direction: Direction = (
                    "maximize" if study.direction == optuna.study.StudyDirection.MAXIMIZE else "minimize"
                )
                self._optimizer = Hct(space, direction=direction, reward_range=self._reward_range, **self._options)
            pull = self._optimizer.ask(1)
            self._pulls[trial.number] = pull
        return _values_from(pull, search_space)

    def sample_independent(
        self, study: optuna.Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        return self._random.sample_independent(study, trial, param_name, param_distribution)

    def after_trial(
        self, study: optuna.Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None
    ) -> None:
        with self._lock:
            pull = self._pulls.pop(trial.number, None)
            if pull is None or self._optimizer is None or self._search_space is None:
                return
            suggested = _values_from(pull, self._search_space)
            was_played = all(trial.params.get(name, value) == value for name, value in suggested.items())
            if state == TrialState.COMPLETE and values and was_played:  # enqueued trials have values of their own
                self._optimizer.tell(pull, float(values[0]))
                self._warn_of_range(self._optimizer)
            else:
                self._optimizer.drop(pull)

    def reseed_rng(self) -> None:
        self._random.reseed_rng()

    def _check_study(self, study: optuna.Study) -> None:
        if self._study_name is None:
            self._study_name = study.study_name
        if self._study_name != study.study_name:
            raise ValueError(
                f"this HctSampler serves the study {self._study_name}; make another one for {study.study_name}"
            )

    def _warn_of_range(self, optimizer: Hct) -> None:
        summary = optimizer.summary()
        if not self._has_warned and summary.t > 20 and summary.out_of_range > 0.5 * summary.t:
            self._has_warned = True
            low, high = optimizer.reward_range
            warnings.warn(
                f"most values of the objective are outside reward_range ({low:g}, {high:g}); give HctSampler one"
                " that holds them",
                stacklevel=2,
            )

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:
            state = self.__dict__.copy()
        del state["_lock"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.RLock()


def _without_singles(search_space: dict[str, BaseDistribution]) -> dict[str, BaseDistribution]:
    return {name: each for name, each in search_space.items() if not each.single()}


def _steps(distribution: Any) -> int:
    """How many steps there are from the lowest to the highest value."""
    return round((distribution.high - distribution.low) / distribution.step)


def _parameter_from(distribution: Any) -> Parameter:
    if isinstance(distribution, CategoricalDistribution):
        return choice(distribution.choices)
    if isinstance(distribution, IntDistribution) and distribution.log:
        return real(distribution.low - 0.5, distribution.high + 0.5, log=True)
    if isinstance(distribution, IntDistribution) and distribution.step == 1:
        return integer(distribution.low, distribution.high)
    if distribution.step is not None:
        return integer(0, _steps(distribution))
    return real(distribution.low, distribution.high, log=distribution.log)


def _value_from(distribution: Any, value: Any) -> Any:
    if isinstance(distribution, CategoricalDistribution):
        return value
    if isinstance(distribution, IntDistribution) and distribution.log:
        return min(max(round(value), distribution.low), distribution.high)
    if isinstance(distribution, IntDistribution) and distribution.step == 1:
        return value
    if distribution.step is not None:
        return min(distribution.low + value * distribution.step, distribution.high)
    return value


def _values_from(pull: Pull, search_space: dict[str, BaseDistribution]) -> dict[str, Any]:
    """The arm of a pull as Optuna knows it."""
    arm = pull.arm
    return {name: _value_from(distribution, arm[name]) for name, distribution in search_space.items()}
