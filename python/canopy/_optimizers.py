"""The base class of all optimizers. `_classes` has a class for each of them."""

from __future__ import annotations

import copy
import sys
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeVar

from . import _canopy
from ._limits import LimitCheck, checks_from
from ._partition import AnyPartition
from ._policy import Policy, policy_from
from ._space import (
    LOSS_FIELDS,
    AnyBaseline,
    AnyContexts,
    AnySpace,
    Baseline,
    Direction,
    Limit,
    Limits,
    RewardRange,
    contexts_from,
    number,
    space_from,
    whole,
)

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from ._options import MakeOptions

    _Bound = _canopy._Protocol
else:
    _Bound = object


class RangeWarning(UserWarning):
    """The given reward_range does not fit the rewards."""


class MemoryWarning(UserWarning):
    """Rewards seem to take some pulls to settle after a change of arm, but `settle` is 0."""


#: what an interval assumes; see `Best`
Assumption = Literal["none", "about_normal", "noise_as_elsewhere", "two_values", "hard_range"]


class Best(NamedTuple):
    """The arm to recommend, in the user's units; `print` shows it as a sentence.

    `mean` is the mean of its rewards, and `pulls` their number. `lower` and `upper` are the ends of the confidence
    interval of f at the arm, None if there is none. The intervals of all arms hold simultaneously at the level
    `confidence` and at all times, so this one is valid although the arm was selected by its rewards. `assumes` is
    the assumption: "about_normal", the rewards of the arm are about normal, and none is more extreme than those
    seen at any arm; "noise_as_elsewhere", they vary about as much as those of other arms; "two_values";
    "hard_range"; "none", there is no interval. `rare_extremes` warns that rewards have rare extreme values.

    `basis` is how the arm was selected: "interval", it has the largest lower bound, with variances pooled upward;
    "repeats_few", too few arms were repeated to estimate the noise, so it is the algorithm's own choice; "no_noise",
    rewards of an arm never differ, so it has the best mean; "model", it is best by the algorithm's own model of f;
    "playoff", it earned the most when `policy_search` played the best arms again.
    `rivals` is the number of other arms that cannot be ruled out yet by their intervals, `unknown` the number of other
    arms without an interval. `own` is the arm that the algorithm itself would recommend, None if it is the same.
    `by_model` is the model's 95 % interval of f at the arm, which also uses the arms around it and is valid for a
    single look, not for all looks. `since` is the last pull before a change of the system that an adaptive tree has
    detected (rewards up to it do not count), or None. While the level of all rewards moves (`level_moves`), there is
    no interval, and `mean` is the model's current estimate. `limits` has a `LimitCheck` for every metric with a limit,
    by name. `text` is the sentence that `print` shows.
    """

    arm: dict[str, Any]
    mean: float
    lower: float | None
    upper: float | None
    pulls: int
    confidence: float
    assumes: Assumption
    rare_extremes: bool
    rivals: int
    unknown: int
    basis: Literal["interval", "repeats_few", "no_noise", "model", "least_broken", "playoff"]
    own: dict[str, Any] | None
    by_model: tuple[float, float] | None
    since: int | None
    level_moves: bool
    limits: dict[str, LimitCheck]
    text: str

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        """What notebooks show."""
        from ._html import best_html

        return best_html(self)


class Uplift(NamedTuple):
    """An arm compared with the baseline by pairs of calls in random order; `print` shows it as a sentence.

    With contexts, whole policies are compared: `arm` is None, and `policy_of` is the number of pulls after which the
    compared policy was the best one. It is played in contexts in which it differs from the baseline.

    `verdict` is "better" or "worse" at the level `confidence`, "open", or "too_few" before `fewest` pairs. `mean`
    is the mean difference, the arm's reward minus the baseline's, over all `pairs`, with the confidence interval
    from `lower` to `upper` (None while there is none). The interval is valid at all times, although the arm was
    selected by its rewards, for any noise and any drift of the level. `is_best` says whether `arm` is the one of
    `best`; `is_confirmed`, whether the pairs are from `canopy confirm`; `is_refuted`, whether that command found
    that the arm is worse, fails or violates a limit.

    The baseline earned `baseline_mean` on average over all `rounds`, with the interval from `baseline_lower` to
    `baseline_upper`. `level_moves` says whether the level of rewards moves significantly, so that means of arms cannot
    be compared. `since` is the last pull before a detected change that affected more than the level: earlier pairs do
    not count, and `was_proven` says whether they had proven an arm better.
    """

    arm: dict[str, Any] | None
    policy_of: int | None
    verdict: Literal["too_few", "open", "better", "worse"]
    mean: float
    lower: float | None
    upper: float | None
    confidence: float
    pairs: int
    fewest: int
    is_best: bool
    is_confirmed: bool
    is_refuted: bool
    baseline_mean: float
    baseline_lower: float | None
    baseline_upper: float | None
    rounds: int
    level_moves: bool
    since: int | None
    was_proven: bool
    text: str

    def __str__(self) -> str:
        return self.text


class Loss(NamedTuple):
    """The cost of tuning compared with the baseline, if `Baseline.max_loss` limits it; `print` shows it as a sentence.

    `lost` is the sum of lost rewards over all `pulls`, with an error of up to `margin`; a negative sum is a gain.
    `allowed` is the maximum loss so far. `baseline_mean` is the mean reward of the baseline. `waits_for` is an arm that
    is not called yet, because it may lose too much.
    """

    lost: float
    margin: float
    allowed: float
    baseline_mean: float
    pulls: int
    waits_for: dict[str, Any] | None
    text: str

    def __str__(self) -> str:
        return self.text


class ArmEstimate(NamedTuple):
    """The estimate of an arm, in the user's units; `lower` and `upper` are None while there is no interval."""

    mean: float
    lower: float | None
    upper: float | None
    pulls: int
    assumes: Assumption


class Change(NamedTuple):
    """A change of the system, which an optimizer detected after pull number `pull`.

    `kind`: "level", the rewards of all arms have changed by `size`; "shape", the rewards of arms have changed by
    different amounts, about `size`; "memory", successive noise is correlated.
    """

    pull: int
    kind: Literal["level", "shape", "memory"]
    size: float


class Summary(NamedTuple):
    """The state of an optimizer.

    `t` is the index of the next pull: answers so far plus one. `nodes` and `depth` are those of the tree. Counts:
    `switches` of the arm (the first selection is one), `refreshes` (phases begun), `out_of_range` (single rewards
    outside reward_range), `in_flight` (open pulls), `observed` (rewards of arms that no ask returned), `passed_over`
    (pulls ignored because the system had not settled), `penalized` (failed pulls), `system_changes` that an
    adaptive tree has detected; `last_system_change` is the last one. `fitting_range` is the range of the rewards so far
    if the given reward_range does not fit, else None. `settling` is the number of pulls that rewards seem to take to
    settle if `settle` is 0, else None. While the level of all rewards moves, `followed_level` is its shift, which is
    subtracted from every reward.
    """

    t: int
    nodes: int
    depth: int
    switches: int
    refreshes: int
    out_of_range: int
    in_flight: int
    observed: int
    fitting_range: tuple[float, float] | None
    passed_over: int
    settling: int | None
    penalized: int
    system_changes: int
    last_system_change: Change | None
    followed_level: float | None


class Turn(NamedTuple):
    """The last choice of an optimizer with a model.

    `why`: "start", every initial cell is played once; "search", it has the highest bound of the model; "cover", its
    cell has the fewest pulls, and the model can be wrong; "sweep", it is the best of its depth; "least_broken", every
    arm seems to violate a limit, and this one the least; "probe", the system may have changed, and this pull shows
    whether the change is the same for all arms.
    It is played for `length` pulls and had `pulls` before. The model estimates f there as `estimate` with the standard
    `deviation`, and `bound` is its upper confidence bound.
    """

    why: Literal["start", "search", "cover", "sweep", "least_broken", "probe"]
    arm: dict[str, Any]
    pulls: int
    length: int
    estimate: float
    deviation: float
    bound: float


class Learnt(NamedTuple):
    """The parameters that the model of an optimizer has learnt, in the user's units.

    `noise` is the standard deviation of a reward, `correlation` that of successive rewards of an arm (0: not
    significant). f varies with distance to the power `smoothness`, from `lowest` to `highest`; `shares` has each
    parameter's share of the variation. `explorer_pulls` explored outside the model's favourites. `lost` is a lower
    bound of the loss of all pulls compared with the best arm.
    """

    noise: float
    correlation: float
    smoothness: float
    lowest: float
    highest: float
    shares: dict[str, float]
    explorer_pulls: int
    lost: float
    turn: Turn | None


class Node(NamedTuple):
    """A node of the tree, in the user's units.

    `path` is the path from the root, a digit for each level, 0 for the first part; `cell` has the ends of the cell for
    each parameter, and is empty for a user-defined partition; `upper` is U and `bound` is B, the algorithm's own
    optimistic bounds, both possibly infinite: when minimizing, they are below the mean. `mean` is undefined while
    `pulls` is 0. `leaf` says whether it has no children. `model` is the model's interval of f in the cell of an
    adaptive tree, three standard deviations to either side; None without a model. For studies on a server it is None
    as well: use their `copy()`.
    """

    path: str
    arm: dict[str, Any]
    cell: dict[str, tuple[Any, Any]]
    pulls: int
    mean: float
    upper: float
    bound: float
    leaf: bool
    model: tuple[float, float] | None = None

    @property
    def depth(self) -> int:
        return len(self.path)


class Looks(_Bound):
    """The read-only methods of optimizers and studies."""

    def best(self, context: dict[str, Any] | None = None) -> Best | None:
        """The arm to recommend; None before the first reward, and if no arm keeps its limits.

        With `contexts`, the arm for a `context`, {"hour": 13.5, "load": 0.7}. Its interval is for the mean over
        all contexts of the region that contains the context: see `policy`.
        """
        return _best_from(self._best(context))

    def policy(self) -> Policy:
        """The best arm in every context: `print` shows it as a table. Raises ValueError without `contexts`.

        >>> opt = canopy.Adaptive({"x": canopy.real(0, 1)}, contexts={"load": canopy.real(0, 1)})
        >>> print(opt.policy())
           load  pulls  x  mean  interval
        1  any   0
        """
        if self.contexts is None:
            raise ValueError("policy: needs contexts; create the optimizer with contexts={...}")
        policy = self._policy_or_none()
        if policy is None:
            raise ValueError(f"policy: {self.optimizer_name} has no policy; use best(context)")
        return policy

    def _policy_or_none(self) -> Policy | None:
        """The policy; None without contexts, and for an optimizer without policies."""
        found = self._policy() if self.contexts is not None else None
        return None if found is None else policy_from(self.space, self.contexts, found)

    def nearest(self) -> Best | None:
        """If no arm keeps its limits, the one that violates them least. None if there is a best arm."""
        return _best_from(self._nearest())

    def limit_checks(self, arm: dict[str, Any]) -> dict[str, LimitCheck]:
        """Checks an arm against the limits, by the names of the metrics; without metrics that were never measured."""
        return checks_from(self._limit_checks(arm))

    @property
    def limits(self) -> dict[str, Limit]:
        """The limits by the names of their metrics."""
        return {metric: Limit(*ends) for metric, *ends in self._limits}

    def uplift(self) -> Uplift | None:
        """The best arm compared with the baseline; None without a baseline, and before it was measured."""
        uplift = self._uplift()
        return Uplift(*uplift) if uplift else None

    def loss(self) -> Loss | None:
        """The cost of tuning; None unless it is limited, as by `Baseline(..., max_loss=0.02)`."""
        loss = self._loss()
        return Loss(*loss) if loss else None

    @property
    def baseline(self) -> Baseline | None:
        """The baseline, if there is one."""
        baseline = self._baseline
        return Baseline(*baseline) if baseline else None

    def estimate(self, arm: dict[str, Any]) -> ArmEstimate | None:
        """Estimates an arm from all its rewards; None if it has none.

        With contexts, only rewards in the region of the last context count.

        >>> opt = canopy.Hct({"x": canopy.real(0, 1)})
        >>> opt.observe({"x": 0.5}, [0.7, 0.9])
        >>> opt.estimate({"x": 0.5})
        ArmEstimate(mean=0.8, lower=None, upper=None, pulls=2, assumes='none')
        """
        known = self._estimate(arm)
        return None if known is None else ArmEstimate(*known)

    def set_reward_range(self, reward_range: RewardRange) -> None:
        """Changes the range of rewards (two numbers or "auto") from the next phase on. Nothing learnt is lost."""
        self._set_reward_range(range_from(reward_range))
        self._range_is_said = False

    _range_is_said = False
    _memory_is_said = False

    def _say_advice(self) -> None:
        """Warns, once each, if options do not fit the rewards."""
        if not self._memory_is_said and (pulls := self._settling()):
            self._memory_is_said = True
            warn_caller(
                f"rewards seem to take about {pulls} pulls to settle after a change of arm. Give settle={pulls}.",
                MemoryWarning,
            )
        if self._range_is_said:
            return
        given = self.reward_range
        fitting = None if given == "auto" else self.summary().fitting_range
        if fitting is None:
            return
        self._range_is_said = True
        least, most = rounded(fitting, 0.01 * (fitting[1] - fitting[0]))
        warn_caller(
            f"reward_range = ({given[0]:g}, {given[1]:g}) does not fit the rewards so far, which are from {least} to "
            f"{most}. Give reward_range=({least}, {most}) or leave it out; set_reward_range changes it later.",
            RangeWarning,
        )

    def learnt(self) -> Learnt | None:
        """The parameters of its model of f; None for an optimizer without a model, and before the model is fitted.

        With contexts, those of the region of the last context.

        >>> opt = canopy.Adaptive({"x": canopy.real(0, 1)})
        >>> canopy.maximize(lambda x: 1 - x, pulls=100, optimizer=opt).pulls
        100
        >>> opt.learnt().shares
        {'x': 1.0}
        """
        learnt = self._learnt()
        if learnt is None:
            return None
        *numbers, turn = learnt
        return Learnt._make([*numbers, turn and Turn(*turn)])

    def copy(self) -> Optimizer:
        """An optimizer in memory in the same state."""
        raise NotImplementedError

    def summary(self) -> Summary:
        """Its state: pulls, nodes, depth, switches and more."""
        summary = Summary(*self._summary())
        last = summary.last_system_change
        return summary._replace(last_system_change=Change(*last)) if last else summary

    def tree(self) -> list[Node]:
        """Every node by depth, then from left to right; empty if there is no tree.

        With contexts, the tree of the region of the last context: each region has its own tree.
        """
        return [Node(*node) for node in self._tree()]

    def _repr_html_(self) -> str | None:
        """The representation in notebooks; None: use the repr."""
        from ._html import escaped, optimizer_html

        try:
            return optimizer_html(self)
        except (_canopy.StudyError, _canopy.StoreError):  # the study may be closed
            return escaped(self)


def _best_from(best: tuple[Any, ...] | None) -> Best | None:
    if best is None:
        return None
    *others, limits, text = best
    return Best._make([*others, checks_from(limits), text])


class Optimizer(Looks, _canopy.Optimizer):
    """An optimizer in memory: ask for arms to try, tell their rewards.

    `ask(pulls=None)` returns a Pull: an `arm` to play up to `length` times.
    `tell(pull, reward)` takes one reward, several in a list or an array, or `Rewards`. `observe(arm, reward)`
    tells rewards of an arm that no ask returned; `remember(arm, reward)` tells rewards that count for `best` and
    `estimate` only. `penalize(pull)` reports a failed pull, so that the search avoids its arm; `bar(arm)` excludes an
    arm. `drop(pull)` returns a pull without a reward, `finish()` learns from the rewards of an unfinished episode,
    `in_flight()` lists the open pulls, `save()` returns the whole state as bytes. It can be copied and pickled at any
    time.

    Arguments of all optimizers:

    - direction: "maximize" or "minimize".
    - reward_range: the approximate range of rewards, two numbers; "auto" (or None) learns it from the rewards. Rewards
      are not clipped. `set_reward_range` changes it later.
    - confidence: the level of the intervals of `best` and `estimate`.
    - hard_range: True if no reward can be outside `reward_range`; the intervals then hold for rewards of any
      distribution.
    - baseline: an arm, or a `Baseline`. The best arm is then compared with it: some pulls have the `purpose` "baseline"
      or "duel". In a duel, play `arm` first and `then` directly after it, and tell the rewards of both in this order.
      `uplift()` returns the result of the comparison.
    - limits: limits of metrics, {"p99_ms": canopy.at_most(60)}, whose values `tell(pull, reward, metrics)` takes. The
      adaptive tree searches among arms that may keep them; `best` returns only an arm that probably does.

    Further argument of the adaptive tree:

    - contexts: variables that are observed before each pull and on which the best arm may depend,
      {"hour": canopy.periodic(24), "load": canopy.real(0, 1)}. Then `ask(context={"hour": 13.5, "load": 0.7})` asks
      for one pull in that context, `observe` and `best` also take a context, and `policy()` returns the best arm for
      each context.

    Calls are atomic, so several threads may share an optimizer.
    """

    name: str  #: its name in study files and on the command line

    def __init__(
        self,
        space: AnySpace,
        options: Mapping[str, Any],
        direction: Direction = "maximize",
        reward_range: RewardRange = "auto",
        confidence: float = 0.95,
        hard_range: bool = False,
        partition: AnyPartition = "cyclic",
        baseline: AnyBaseline = None,
        limits: Limits = None,
        contexts: AnyContexts = None,
    ):
        say_unused(self.name, options)
        about = (direction, reward_range, confidence, hard_range, partition, baseline, limits, contexts)
        self._make(space, options, *about)

    def _make(
        self,
        space: AnySpace,
        options: Mapping[str, Any],
        direction: Direction,
        reward_range: RewardRange,
        confidence: float,
        hard_range: bool,
        partition: AnyPartition,
        baseline: AnyBaseline,
        limits: Limits,
        contexts: AnyContexts,
    ) -> None:
        if not isinstance(hard_range, bool):
            raise ValueError(f"hard_range = {hard_range!r}: must be True or False")
        about = (range_from(reward_range), number("confidence", confidence), hard_range)
        more = (partition, baseline_from(baseline), limits_from(limits))
        observed = contexts_from(contexts)
        super().__init__(self.name, space_from(space), dict(options), direction, *about, *more, observed)

    def copy(self) -> Self:
        """An independent copy in the same state, including pulls in flight.

        >>> opt = canopy.Hct({"x": canopy.real(0, 1)})
        >>> other = opt.copy()
        >>> other.tell(other.ask(1), 0.7)
        >>> opt.summary().t, other.summary().t
        (1, 2)
        """
        other = copied(type(self), self)
        other.__dict__.update(self.__dict__)
        return other

    def __copy__(self) -> Self:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        other = copied(type(self), self)
        other.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return other

    def __reduce__(self) -> tuple[Any, ...]:
        objective = (self.direction, self.reward_range, self.confidence, self.hard_range)
        given = (self.space, self.options, *objective, self.partition, self.baseline, self.limits, self.contexts)
        return (_restored, (type(self), given, self.save()), self.__dict__)

    def __repr__(self) -> str:
        summary = self.summary()
        return f"<canopy.{type(self).__name__} of {list(self.space)}, {summary.t - 1} pulls, {summary.nodes} nodes>"


CLASSES: dict[str, type[Optimizer]] = {}  #: by the names of their algorithms; filled by `_classes`
DEFAULT: Final = "adaptive"  #: the default optimizer


def named(optimizer: Any) -> Any:
    """Replaces a class of optimizers by its name; returns other values unchanged. Raises ValueError."""
    if not (isinstance(optimizer, type) and issubclass(optimizer, Optimizer)):
        return optimizer
    for name, each in CLASSES.items():
        if each is optimizer:
            return name
    raise ValueError(
        f"optimizer = {optimizer!r}: is not a class of canopy; give an instance instead: {optimizer.__name__}(space)"
    )


def make_optimizer(name: str | type[Optimizer], space: AnySpace, **options: Unpack[MakeOptions]) -> Optimizer:
    """Makes an optimizer by its name or class."""
    known = named(name)
    if not isinstance(known, str) or known not in CLASSES:
        raise ValueError(f"optimizer = {name!r}: must be one of {', '.join(CLASSES)}")
    check_options(known, options)
    make: Any = CLASSES[known]  # each has its own options
    made: Optimizer = make(space, **options)
    return made


def options_of(name: str) -> Mapping[str, Any]:
    """The keyword arguments of an optimizer, with their defaults."""
    return CLASSES[name].__init__.__kwdefaults__ or {}


def check_options(name: str, options: Mapping[str, Any], others: Sequence[str] = ()) -> None:
    """Raises ValueError for options that the optimizer does not have; suggestions also include `others`."""
    known = options_of(name)
    check_takers(name, options)
    for option in options:
        if option not in known:
            import difflib

            near = difflib.get_close_matches(option, [*known, *others], n=1)
            hint = f', did you mean "{near[0]}"?' if near else f"; it has {', '.join(known)}"
            raise ValueError(f"{option}: {name} has no such option{hint}")


def check_takers(name: str, options: Mapping[str, Any]) -> None:
    """Raises ValueError for options that only other optimizers have, and names those optimizers."""
    known = options_of(name)
    for option in options:
        takers = [] if option in known else [each for each in CLASSES if option in options_of(each)]
        if takers and option == "contexts":
            raise ValueError(f'contexts: {name} does not take contexts; optimizer="{DEFAULT}" does')
        if takers:
            raise ValueError(f"{option}: {name} has no such option; it belongs to {', '.join(takers)}")


def check_seed(seed: Any) -> None:
    """Raises ValueError for an invalid seed, even if the optimizer ignores it."""
    if seed is not None:
        whole("seed", seed, 0, 2**53)


def say_unused(name: str, options: Mapping[str, Any]) -> None:
    """Warns about options that only apply to correlated feedback, if feedback is iid."""
    defaults = _canopy.optimizer_defaults(name)
    if {**defaults, **options}.get("feedback") != "iid":
        return
    for option in ("mixing_time", "constants"):
        given = options.get(option)
        if given is not None and given != defaults.get(option):
            warn_caller(f'{option} = {given!r}: has no effect on iid feedback. Give feedback="correlated" as well.')


_Kind = TypeVar("_Kind", bound=Optimizer)


def copied(cls: type[_Kind], other: _canopy.Optimizer) -> _Kind:
    """An optimizer of a class in the state of another optimizer."""
    optimizer = cls.__new__(cls)
    _canopy.Optimizer.__init__(optimizer, other)
    return optimizer


def _restored(cls: type[Optimizer], given: tuple[Any, ...], saved: bytes) -> Optimizer:
    """An optimizer of a class with these options, in the saved state of another optimizer."""
    optimizer = cls.__new__(cls)
    optimizer._make(*given)
    optimizer._restore(saved)
    return optimizer


def range_from(reward_range: RewardRange) -> tuple[float, float] | None:
    """Two numbers; None for "auto". Raises ValueError."""
    if reward_range is None or (isinstance(reward_range, str) and reward_range == "auto"):
        return None
    try:
        low, high = (number("reward_range", end) for end in reward_range)
        return (low, high)
    except (TypeError, ValueError):
        raise ValueError(f'reward_range = {reward_range!r}: must be "auto" or two numbers') from None


def baseline_from(baseline: AnyBaseline, horizon: int | None = None) -> Baseline | None:
    """Checks the numbers of a baseline. Raises ValueError."""
    if baseline is None:
        return None
    if not isinstance(baseline, Baseline):
        if not isinstance(baseline, Mapping):
            raise ValueError(f'baseline = {baseline!r}: must be an arm, such as {{"x": 0.5}}, or a Baseline')
        baseline = Baseline(dict(baseline))
    every = whole("baseline.every", baseline.every, 0)
    pulls = whole("baseline.pulls", baseline.pulls, 1)
    if every > 1_000_000 or pulls > 1000:
        raise ValueError("baseline: `every` must be 1000000 or less, and `pulls` 1000 or less")
    seed = None if baseline.seed is None else whole("baseline.seed", baseline.seed, 0)
    losses = [_loss_from(name, getattr(baseline, name)) for name in LOSS_FIELDS]
    return Baseline(dict(baseline.setting), every, pulls, seed, baseline.horizon or horizon, *losses)


def _loss_from(name: str, given: Any) -> float | None:
    if given is None:
        return None
    loss = number(f"baseline.{name}", given)
    most = 1.0 if name == "max_loss" else 1e100
    if not 0.0 < loss <= most:
        raise ValueError(f"baseline.{name} = {given!r}: must be above 0" + (" and at most 1" if most == 1.0 else ""))
    return loss


def limits_from(limits: Limits) -> list[tuple[Any, ...]]:
    """Converts limits to tuples (metric, min, max, factor). Raises ValueError."""
    if limits is None:
        return []
    if not isinstance(limits, Mapping):
        raise ValueError(f'limits = {limits!r}: must be {{"p99_ms": canopy.at_most(60)}} or the like')
    for metric, limit in limits.items():
        if not isinstance(metric, str):
            raise ValueError(f"limits: {metric!r} must be the name of a metric")
        if not isinstance(limit, Limit):
            raise ValueError(f"limits[{metric!r}] = {limit!r}: must be canopy.at_most(60), at_least or between")
    return [(metric, *limit) for metric, limit in limits.items()]


def arm_text(arm: Mapping[str, Any]) -> str:
    """An arm as readable text: x = 0.25, mode = fast."""
    return ", ".join(f"{k} = {v:.4g}" if isinstance(v, float) else f"{k} = {v}" for k, v in arm.items())


def rounded(values: Sequence[float], resolution: float) -> list[str]:
    """Numbers as text, rounded to a resolution."""
    return [_canopy.rounded_text(value, resolution) for value in values]


def warn_caller(message: str, category: type[Warning] = UserWarning) -> None:
    """Warns, and names the line outside this package that made the call."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] == "canopy":
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
