"""The trees as samplers for Optuna."""

from __future__ import annotations

import contextlib
import copy
import math
import threading
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import optuna
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.samplers import BaseSampler, RandomSampler
from optuna.search_space import IntersectionSearchSpace
from optuna.trial import FrozenTrial, TrialState

from ._canopy import Pull
from ._ledger import single_reward
from ._optimizers import Best, Direction, Optimizer, RewardRange, check_options, make_optimizer
from ._options import AdaptiveOptions, HctOptions
from ._space import Parameter, Space, choice, integer, real

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._partition import AnyPartition

__all__ = ["HctSampler", "Sampler"]

FailureValue = float | Literal["worst", "drop"]


class AdaptiveSamplerOptions(AdaptiveOptions, total=False):
    """The options of the tree of `Sampler`."""

    partition: AnyPartition
    confidence: float


class HctSamplerOptions(HctOptions, total=False):
    """The options of the tree of `HctSampler`."""

    partition: AnyPartition
    confidence: float


class _TreeSampler(BaseSampler):
    """The base class of the samplers."""

    _name: ClassVar[str]  # name of the optimizer
    _observes: ClassVar[bool]  # whether it learns from trials that it has not suggested

    def __init__(
        self,
        search_space: dict[str, BaseDistribution] | None,
        reward_range: RewardRange,
        failure_value: FailureValue,
        seed: int | None,
        options: dict[str, Any],
    ):
        if "direction" in options:
            raise ValueError("direction: is taken from the study")
        check_options(self._name, options)
        make_optimizer(self._name, {"x": real(0, 1)}, reward_range=reward_range, **options)  # raises at once
        if failure_value not in ("worst", "drop"):
            failure_value = single_reward(failure_value)
        if search_space is not None and not (
            isinstance(search_space, dict) and all(isinstance(each, BaseDistribution) for each in search_space.values())
        ):
            raise ValueError(f"search_space = {search_space!r}: must be a dictionary of names and Optuna distributions")
        self._failure_value = failure_value
        self._reward_range = reward_range
        self._options = options
        self._search_space = None if search_space is None else _without_singles(search_space)
        self._is_space_given = search_space is not None
        self._has_shrunk = False  # some trials lack parameters that others have
        self._intersection = IntersectionSearchSpace()
        self._random = RandomSampler(seed=seed)
        self._optimizer: Optimizer | None = None
        self._study_name: str | None = None
        self._pulls: dict[int, Pull] = {}  # of running trials, by number
        self._put_off: list[Pull] = []  # of trials that failed before the first value
        self._learnt: set[int] = set()  # numbers of trials that were processed
        self._values: tuple[float, float] | None = None  # the smallest and the largest value so far
        self._warned_of: set[str] = set()
        self._lock = threading.RLock()

    @property
    def optimizer(self) -> Optimizer | None:
        """The tree, for `canopy.plot`; None until the space is known. Floats with a step are whole numbers of steps."""
        return self._optimizer

    def best(self) -> Best | None:
        """The arm to recommend, like `Optimizer.best`, in Optuna's units; None before the tree has a value.

        `arm` has the parameters that the tree searches, in the form of `study.best_params`. `mean` is the mean of all
        values of the arm, and its interval is from `lower` to `upper`.

        >>> import optuna
        >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
        >>> sampler = canopy.optuna.Sampler(seed=1)
        >>> study = optuna.create_study(sampler=sampler, direction="maximize")
        >>> study.optimize(lambda trial: 1 - abs(trial.suggest_float("x", 0, 1, step=0.25) - 0.3), n_trials=50)
        >>> sampler.best().arm
        {'x': 0.25}
        """
        with self._lock:
            best = self._optimizer.best() if self._optimizer is not None else None
            if best is None or self._search_space is None:
                return None
            own = None if best.own is None else _params_from(best.own, self._search_space)
            return best._replace(arm=_params_from(best.arm, self._search_space), own=own)

    def before_trial(self, study: optuna.Study, trial: FrozenTrial) -> None:
        with self._lock:
            self._note_study(study)

    def infer_relative_search_space(self, study: optuna.Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        self._raise_error_if_multi_objective(study)
        with self._lock:
            if self._search_space is None or (self._observes and not self._is_space_given):
                found = _without_singles(self._intersection.calculate(study))
                if self._search_space is not None and found != self._search_space:
                    self._begin_again()
                self._search_space = found or None
            return self._search_space or {}

    def _begin_again(self) -> None:
        """Drops the tree, because not all trials have its space; a new one will observe them."""
        self._has_shrunk = True
        self._optimizer = None
        self._pulls.clear()
        self._put_off.clear()
        self._learnt.clear()

    def sample_relative(
        self, study: optuna.Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        if not search_space:
            return {}
        with self._lock:
            self._check_study(study)
            if search_space != self._search_space:
                return {}  # the space has shrunk since
            if self._optimizer is None:
                space = Space({name: _parameter_from(each) for name, each in search_space.items()})
                direction: Direction = (
                    "maximize" if study.direction == optuna.study.StudyDirection.MAXIMIZE else "minimize"
                )
                self._optimizer = make_optimizer(
                    self._name, space, direction=direction, reward_range=self._reward_range, **self._options
                )
            if self._observes:
                self._observe_others(study, search_space)
                self._penalize_put_off()
            if self._put_off:
                return {}  # the tree would suggest the failed arm again
            pull = self._optimizer.ask(1)
            self._pulls[trial.number] = pull
        return _values_from(pull, search_space)

    def sample_independent(
        self, study: optuna.Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        with self._lock:
            is_searched = self._has_shrunk or trial.number in self._pulls  # otherwise it is too early
            if is_searched and param_name not in (self._search_space or {}):
                self._warn(
                    "conditional",
                    f"{param_name}: some trials lack it or have another range for it, so the tree cannot search it. "
                    "Such parameters are sampled independently at random.",
                )
        return self._random.sample_independent(study, trial, param_name, param_distribution)

    def after_trial(
        self, study: optuna.Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None
    ) -> None:
        with self._lock:
            value = _value_of(trial, state, values)
            if value is not None:
                self._note_value(value)
            pull = self._pulls.pop(trial.number, None)
            if pull is None or self._optimizer is None:
                pass
            elif "fixed_params" in trial.system_attrs:  # it was enqueued with its own arm
                self._optimizer.drop(pull)
            elif value is None:
                self._learnt.add(trial.number)
                self._fail(pull)
            else:
                self._learnt.add(trial.number)
                try:
                    self._optimizer.tell(pull, value)
                except ValueError as error:
                    self._fail(pull)
                    self._warn("value", f"trial {trial.number}: {error}; it counts as a failed trial")
                self._optimizer._say_advice()
            self._penalize_put_off()

    def _observe_others(self, study: optuna.Study, search_space: dict[str, BaseDistribution]) -> None:
        """Learns from each trial that it has not suggested, once."""
        assert self._optimizer is not None
        for trial in study.get_trials(deepcopy=False, states=(TrialState.COMPLETE, TrialState.PRUNED)):
            if trial.number in self._learnt:
                continue
            self._learnt.add(trial.number)
            value = _value_of(trial, trial.state, trial.values)
            if value is None or not _is_of(trial, search_space):
                continue
            with contextlib.suppress(ValueError):  # enqueued arms may be outside the space, and values infinite
                self._optimizer.observe(_arm_from(trial, search_space), value)
                self._note_value(value)

    def _note_value(self, value: float) -> None:
        if math.isfinite(value):
            least, most = self._values or (value, value)
            self._values = (min(least, value), max(most, value))

    def _fail(self, pull: Pull) -> None:
        """Penalizes the pull of a trial without a value, or defers the penalty until there is a value."""
        assert self._optimizer is not None
        if self._failure_value == "drop":
            self._optimizer.drop(pull)
        elif self._failure_value == "worst":
            self._put_off.append(pull)
        else:
            self._optimizer.penalize(pull, float(self._failure_value))

    def _penalize_put_off(self) -> None:
        worth = self._worth() if self._put_off else None
        if worth is not None and self._optimizer is not None:
            while self._put_off:
                self._optimizer.penalize(self._put_off.pop(0), worth)

    def _worth(self) -> float | None:
        """The value of a failed trial; None while no trial has a value."""
        assert self._optimizer is not None
        worth = self._optimizer.failure_reward()
        if worth is not None or self._values is None:
            return worth
        # The tree has no reward yet, but other trials have values: apply the same rule.
        least, most = self._values
        maximizes = self._optimizer.direction == "maximize"
        worst = least if maximizes else most
        spread = most - least or abs(worst) or 1.0
        return worst - 0.1 * spread if maximizes else worst + 0.1 * spread

    def reseed_rng(self) -> None:
        self._random.reseed_rng()

    def _check_study(self, study: optuna.Study) -> None:
        if self._study_name != study.study_name:
            raise ValueError(
                f"this {type(self).__name__} belongs to the study {self._study_name}; "
                f"create another one for {study.study_name}"
            )

    def _warn(self, kind: str, message: str) -> None:
        """Issues each kind of warning only once."""
        if kind not in self._warned_of:
            self._warned_of.add(kind)
            warnings.warn(message, stacklevel=3)

    def _note_study(self, study: optuna.Study) -> None:
        """Binds the sampler to a study, and warns about earlier trials that it cannot learn from."""
        if self._study_name is not None:
            return
        self._study_name = study.study_name
        if not self._observes:
            others = len(study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,)))
            if others:
                self._warn(
                    "others", f"{type(self).__name__} cannot learn from the {others} trials that the study already has"
                )

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:  # trials may be running
            copied = ("_pulls", "_put_off", "_learnt", "_optimizer")
            state = {**self.__dict__, **{name: copy.copy(self.__dict__[name]) for name in copied}}
        del state["_lock"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.RLock()


class Sampler(_TreeSampler):
    """A sampler that uses the adaptive tree, for float, int and categorical parameters.

    The space has the parameters that all complete trials share; until there is one, suggestions are random. Parameters
    that only some trials have, or whose range varies between trials, are sampled independently at random, and the tree
    searches the rest; a warning says so once. Give `search_space` (a dictionary from names to Optuna distributions) to
    avoid random trials. `reward_range` is the approximate range of the objective's values; "auto" learns it. The other
    arguments are those of `canopy.Adaptive`; the direction is that of the study.

    It learns from all trials of the study that have its space, including enqueued trials and trials of other samplers:
    a new sampler can continue an old study. Trials may overlap (`n_jobs`, `ask` and `tell`), and then have different
    arms.

    A pruned trial counts with its last intermediate value. A suggested trial that failed, or was pruned without a
    value, is a penalty (`Optimizer.penalize`): the tree avoids its arm, as if its value were worse than the worst
    value so far by a tenth of the spread of values. Before the first value, the penalty is deferred, and suggestions
    are random. `failure_value` sets another value; with "drop", the pull is dropped, and the same arm is suggested
    again. A sampler can be used for one study in one process.

    >>> import optuna
    >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
    >>> study = optuna.create_study(sampler=canopy.optuna.Sampler(seed=1), direction="maximize")
    >>> study.optimize(lambda trial: 1 - abs(trial.suggest_float("x", 0, 1) - 0.3), n_trials=100)
    >>> round(study.best_params["x"], 2)
    0.3
    """

    _name = "adaptive"
    _observes = True

    def __init__(
        self,
        *,
        search_space: dict[str, BaseDistribution] | None = None,
        reward_range: RewardRange = "auto",
        failure_value: FailureValue = "worst",
        seed: int | None = None,
        **options: Unpack[AdaptiveSamplerOptions],
    ):
        super().__init__(search_space, reward_range, failure_value, seed, dict(options))


class HctSampler(_TreeSampler):
    """A sampler that uses the High Confidence Tree.

    It is like `Sampler`, with the arguments of `canopy.Hct`, but with three differences. Its space is that of the first
    complete trial. Overlapping trials share an arm until it has enough values. It learns only from trials that it
    suggested: to continue later, pickle it along with the study, as with Optuna's own samplers.

    >>> import optuna
    >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
    >>> study = optuna.create_study(sampler=canopy.optuna.HctSampler(seed=1), direction="maximize")
    >>> study.optimize(lambda trial: 1 - abs(trial.suggest_float("x", 0, 1) - 0.3), n_trials=200)
    >>> round(study.best_params["x"], 1)
    0.3
    """

    _name = "hct"
    _observes = False

    def __init__(
        self,
        *,
        search_space: dict[str, BaseDistribution] | None = None,
        reward_range: RewardRange = "auto",
        failure_value: FailureValue = "worst",
        seed: int | None = None,
        **options: Unpack[HctSamplerOptions],
    ):
        super().__init__(search_space, reward_range, failure_value, seed, dict(options))


def _value_of(trial: FrozenTrial, state: TrialState, values: Sequence[float] | None) -> float | None:
    """The value of a trial; None if it has failed."""
    if values and state == TrialState.COMPLETE:
        return float(values[0])
    if state == TrialState.PRUNED and trial.intermediate_values:
        return float(trial.intermediate_values[max(trial.intermediate_values)])
    return None


def _without_singles(search_space: dict[str, BaseDistribution]) -> dict[str, BaseDistribution]:
    return {name: each for name, each in search_space.items() if not each.single()}


def _steps(distribution: Any) -> int:
    """The number of steps from the lowest to the highest value."""
    return round((distribution.high - distribution.low) / distribution.step)


def _parameter_from(distribution: Any) -> Parameter:
    if isinstance(distribution, CategoricalDistribution):
        return choice(distribution.choices)
    if isinstance(distribution, IntDistribution):
        return integer(distribution.low, distribution.high, log=distribution.log, step=distribution.step)
    if distribution.step is not None:
        return integer(0, _steps(distribution))
    return real(distribution.low, distribution.high, log=distribution.log)


def _value_from(distribution: Any, value: Any) -> Any:
    if isinstance(distribution, (CategoricalDistribution, IntDistribution)):
        return value
    if distribution.step is not None:
        return min(distribution.low + value * distribution.step, distribution.high)
    return value


def _is_of(trial: FrozenTrial, search_space: dict[str, BaseDistribution]) -> bool:
    """Whether a trial has all parameters of a space. Its ranges may differ if its values are in the space."""
    return all(
        name in trial.params
        and isinstance(trial.distributions[name], type(each))
        and _value_from(each, _level_of(each, trial.params[name])) == trial.params[name]
        for name, each in search_space.items()
    )


def _arm_from(trial: FrozenTrial, search_space: dict[str, BaseDistribution]) -> dict[str, Any]:
    """The arm of a trial in the coordinates of the tree."""
    return {name: _level_of(distribution, trial.params[name]) for name, distribution in search_space.items()}


def _level_of(distribution: Any, value: Any) -> Any:
    """The inverse of `_value_from`."""
    if isinstance(distribution, FloatDistribution) and distribution.step is not None:
        return round((value - distribution.low) / distribution.step)
    return value


def _values_from(pull: Pull, search_space: dict[str, BaseDistribution]) -> dict[str, Any]:
    """The arm of a pull in Optuna's units."""
    return _params_from(pull.arm, search_space)


def _params_from(arm: dict[str, Any], search_space: dict[str, BaseDistribution]) -> dict[str, Any]:
    """An arm in Optuna's units."""
    return {name: _value_from(distribution, arm[name]) for name, distribution in search_space.items()}
