"""What all optimizers have in common. `_classes` has one class each."""

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
    """The reward_range that was given does not fit the rewards."""


class MemoryWarning(UserWarning):
    """Rewards seem to take some pulls to settle after a change of arm, and nobody has said so."""


#: what an interval assumes; see `Best`
Assumption = Literal["none", "about_normal", "noise_as_elsewhere", "two_values", "hard_range"]


class Best(NamedTuple):
    """The arm to recommend, in the user's units; `print` says it in a sentence.

    `mean` is that of all its rewards, and `pulls` their number. f of the arm lies from `lower` to `upper`: with
    probability `level`, the intervals of all arms hold, at all times at once, so this one holds although the arm was
    chosen by looking. Both are None while there is no interval. `assumes` says under which condition: "about_normal",
    the rewards of the arm are about normal, and none is more extreme than those seen at any arm;
    "noise_as_elsewhere", they vary about as much as those of other arms; "two_values"; "hard_range"; "none", there is
    no interval. `rare_extremes` warns that rewards have rare extreme values.

    `basis` says what the choice rests on: "interval", it has the largest lower bound, where variances are pooled
    upward; "repeats_few", too few arms were repeated to know the noise, so it is the algorithm's own choice;
    "no_noise", rewards of an arm never differ, so it has the best mean; "model", the algorithm's own model of f says
    so; "playoff", of `policy_search`: it earned most when the best ones were played again.
    `rivals` is the number of other arms whose intervals do not exclude that they are better, `unknown` that of
    other arms without an interval. `own` is what the algorithm itself would recommend where that is another arm, else
    None. `by_model` is where the algorithm's model has f at the arm, which also draws on the arms around: 95 % at this
    look, not at all looks. `since` is the last pull before an adaptive tree has seen the system
    change: rewards until then do not count; else None. While it sees the level of all rewards move (`level_moves`),
    there is no interval, and `mean` is what the model has for now. `limits` has a `LimitCheck` for every metric with a
    limit, by name. `text` says most of it in a sentence.
    """

    arm: dict[str, Any]
    mean: float
    lower: float | None
    upper: float | None
    pulls: int
    level: float
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
    """An arm beside the baseline, from pairs of calls in an order that was tossed; `print` says it in a sentence.

    With contexts, whole policies are compared: `arm` is None, and `policy_of` is the pull after which the policy that
    was compared was what is best in every context. It is played where it differs from the baseline.

    `verdict` is "better" or "worse" at the `level`, "open", or "too_few" before `fewest` pairs. `mean` is that of the
    differences, the arm's reward less the baseline's, over all `pairs`; the true one lies from `lower` to `upper` (None
    while there is no interval). All of this holds at all times, although the arm was chosen by looking, whatever the
    noise and the level of rewards do. `is_best` says whether `arm` is the one of `best`; `is_confirmed`, whether
    `canopy confirm` has compared it, whose pairs these are; `is_refuted`, whether it did and found it worse, failing or
    breaking a limit.

    The baseline earned `baseline_mean` on average over all `rounds`, which is known to lie from `baseline_lower` to
    `baseline_upper`. `level_moves` says whether the level of rewards moves beyond doubt, so that means of arms cannot
    be compared. `since` is the last pull before more than the level was seen to change: pairs until then do not count,
    and `was_proven` says whether they had proven an arm.
    """

    arm: dict[str, Any] | None
    policy_of: int | None
    verdict: Literal["too_few", "open", "better", "worse"]
    mean: float
    lower: float | None
    upper: float | None
    level: float
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
    """What tuning has cost beside the baseline, where `Baseline.max_loss` caps it; `print` says it in a sentence.

    `lost`, in rewards over all `pulls`, may be wrong by `margin`; negative is a gain. `allowed` is what the cap allows.
    `level` is what the baseline earns in a call. `waits_for` is an arm that may lose too much to be called now.
    """

    lost: float
    margin: float
    allowed: float
    level: float
    pulls: int
    waits_for: dict[str, Any] | None
    text: str

    def __str__(self) -> str:
        return self.text


class ArmEstimate(NamedTuple):
    """What is known of an arm, in the user's units; `lower` and `upper` are None while there is no interval."""

    mean: float
    lower: float | None
    upper: float | None
    pulls: int
    assumes: Assumption


class Change(NamedTuple):
    """Something about a system that has changed, as an optimizer noticed after the pull of that number.

    `kind`: "level", all settings earn more or less than before, by `size`; "shape", settings have changed differently,
    by about `size`; "memory", noise depends on the noise before it.
    """

    pull: int
    kind: Literal["level", "shape", "memory"]
    size: float


class Summary(NamedTuple):
    """Where an optimizer is.

    `t` is the index of the next pull: answers so far plus one. `nodes` and `depth` are those of the tree, `switches`
    the changes of arm (the first selection is one), `refreshes` the phases begun, `out_of_range` single rewards
    outside reward_range, `in_flight` pulls without an answer, `observed` rewards of arms that nobody asked for.
    `fitting_range` is None unless the reward_range that was given does not fit: then it is that of the rewards so far.
    `passed_over` counts pulls that were not learnt from, since the system had not settled. `settling` is None unless
    rewards seem to take that many pulls to settle and `settle` is 0. `penalized` counts pulls that failed. `changes`
    counts those of the system that an adaptive tree has noticed, `last_change` is the last of them;
    while the level of all rewards moves, `followed_level` is what is taken off every reward for it.
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
    changes: int
    last_change: Change | None
    followed_level: float | None


class Turn(NamedTuple):
    """The arm that an optimizer with a model chose last.

    `why`: "start", the first cells are played once each; "search", nowhere may f be better, as far as the model
    tells; "cover", nobody has looked there and the model can be wrong; "sweep", it is the best of its depth;
    "least_broken", everything seems to be beyond a limit, and this by least; "probe", something may have changed, and
    this shows whether it is the same for all arms.
    It is played for `length` pulls and had `pulls` before. f is about `level` there, with the standard `deviation`,
    and may be `bound`.
    """

    why: Literal["start", "search", "cover", "sweep", "least_broken", "probe"]
    arm: dict[str, Any]
    pulls: int
    length: int
    level: float
    deviation: float
    bound: float


class Learnt(NamedTuple):
    """What the model of an optimizer has learnt, in the user's units.

    `noise` is the standard deviation of a reward, `correlation` that of rewards of an arm that follow each other (0:
    none for sure). f varies as a distance to the power `smoothness`, from `lowest` to `highest`; `shares` has the part
    of the variation that each parameter causes. `explorer_pulls` went where the model sees nothing, since it can be
    wrong; all pulls together have `lost` that much beyond doubt, against the best arm.
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

    `path` leads down from the root, a digit per level, 0 for the first part; `cell` has the ends of what it covers, by
    parameter; `upper` is U and `bound` is B, the algorithm's own bounds, both possibly infinite: they are the better
    ends, so when minimizing, they are below the mean. `cell` is empty if the partition is one of your own. `mean` says
    nothing while `pulls` is 0. `leaf` says whether it has no children. `model` is where the model of an adaptive tree
    sees f in the cell: its level there, three standard deviations to either side; None without a model, and of studies
    on a server, whose `copy()` has it.
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
    """Ways to look at optimizers and studies."""

    def best(self, context: dict[str, Any] | None = None) -> Best | None:
        """The arm to recommend; None before the first answer, and where no arm keeps its limits.

        With `contexts`, that of a `context`, {"hour": 13.5, "load": 0.7}. Its interval is about the mean over the
        contexts that come in the region where that is: see `policy`.
        """
        return _best_from(self._best(context))

    def policy(self) -> Policy:
        """What to set in every context: `print` shows it as a table. Raises ValueError without `contexts`.

        >>> opt = canopy.Adaptive({"x": canopy.real(0, 1)}, contexts={"load": canopy.real(0, 1)})
        >>> print(opt.policy())
           load  pulls  x  mean  interval
        1  any   0
        """
        if self.contexts is None:
            raise ValueError("policy: there is none, since nothing is observed here; contexts={...} says what is")
        policy = self._policy_or_none()
        if policy is None:
            raise ValueError(f"policy: {self.optimizer_name} has none; best(context) says what to set in a context")
        return policy

    def _policy_or_none(self) -> Policy | None:
        """The same; None without contexts, and of an optimizer that has none."""
        found = self._policy() if self.contexts is not None else None
        return None if found is None else policy_from(self.space, self.contexts, found)

    def nearest(self) -> Best | None:
        """Where no arm keeps its limits: the one that is beyond them least. None if there is a best arm."""
        return _best_from(self._nearest())

    def limit_checks(self, arm: dict[str, Any]) -> dict[str, LimitCheck]:
        """How an arm does beside the limits, by the names of their metrics; without those never measured."""
        return checks_from(self._limit_checks(arm))

    @property
    def limits(self) -> dict[str, Limit]:
        """What metrics must be, by their names."""
        return {metric: Limit(*ends) for metric, *ends in self._limits}

    def uplift(self) -> Uplift | None:
        """The best arm beside the baseline; None without one, and before it was measured."""
        uplift = self._uplift()
        return Uplift(*uplift) if uplift else None

    def loss(self) -> Loss | None:
        """What tuning has cost; None unless it is capped, as by `Baseline(..., max_loss=0.02)`."""
        loss = self._loss()
        return Loss(*loss) if loss else None

    @property
    def baseline(self) -> Baseline | None:
        """What the best arm is compared with; None: nothing."""
        baseline = self._baseline
        return Baseline(*baseline) if baseline else None

    def estimate(self, arm: dict[str, Any]) -> ArmEstimate | None:
        """What is known of an arm, from all its rewards; None if it has none.

        With contexts, from those in the region of the context that came last.

        >>> opt = canopy.Hct({"x": canopy.real(0, 1)})
        >>> opt.observe({"x": 0.5}, [0.7, 0.9])
        >>> opt.estimate({"x": 0.5})
        ArmEstimate(mean=0.8, lower=None, upper=None, pulls=2, assumes='none')
        """
        known = self._estimate(arm)
        return None if known is None else ArmEstimate(*known)

    def set_reward_range(self, reward_range: RewardRange) -> None:
        """Another range of rewards, or "auto"; in force from the next phase on. Nothing that was learnt is lost."""
        self._set_reward_range(range_from(reward_range))
        self._range_is_said = False

    _range_is_said = False
    _memory_is_said = False

    def _say_advice(self) -> None:
        """Warns, once each, if settings do not fit what was seen."""
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
            f"{most}. Give reward_range=({least}, {most}) or leave it out; set_reward_range changes it on the way.",
            RangeWarning,
        )

    def learnt(self) -> Learnt | None:
        """What its model of f has learnt; None of an optimizer that has no model, or not yet.

        With contexts, that of the region of the context that came last.

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
        """An optimizer in memory that is in the same state."""
        raise NotImplementedError

    def summary(self) -> Summary:
        """Where it is: pulls, nodes, depth, switches."""
        summary = Summary(*self._summary())
        return summary._replace(last_change=Change(*summary.last_change)) if summary.last_change else summary

    def tree(self) -> list[Node]:
        """Every node, shallow ones first, from left to right; empty if there is no tree.

        With contexts, those of the region of the context that came last: each has a tree of its own.
        """
        return [Node(*node) for node in self._tree()]

    def _repr_html_(self) -> str | None:
        """What notebooks show; None: the line that Python shows."""
        from ._html import escaped, optimizer_html

        try:
            return optimizer_html(self)
        except (_canopy.StudyError, _canopy.StoreError):  # a study that was closed
            return escaped(self)


def _best_from(best: tuple[Any, ...] | None) -> Best | None:
    if best is None:
        return None
    *others, limits, text = best
    return Best._make([*others, checks_from(limits), text])


class Optimizer(Looks, _canopy.Optimizer):
    """An optimizer in memory: ask what to try, tell how it went.

    `ask(pulls=None)` returns a Pull: an `arm` to play up to `length` times; it learns nothing.
    `tell(pull, reward)` takes one reward, several in a list or an array, or `Rewards`. `observe(arm, reward)`
    tells rewards of an arm that nobody asked for; `remember(arm, reward)` those that count for `best` and `estimate`
    alone. `penalize(pull)` tells that a pull has failed, so that the search leaves its arm; `bar(arm)` puts an arm out
    of the question. `drop(pull)` gives a pull back, `finish()` learns from the
    rewards of an unfinished episode, `in_flight()` lists the open pulls, `save()` returns everything it knows as
    bytes. It can be copied and pickled at any time.

    All optimizers take these:

    - direction: "maximize" or "minimize".
    - reward_range: about how far rewards range, two numbers; "auto" (or None) learns it from the rewards. Nothing is
      clipped. `set_reward_range` changes it later.
    - confidence: the level of the intervals of `best` and `estimate`.
    - hard_range: whether no reward can be outside of `reward_range`; the intervals then hold for rewards of any
      distribution.
    - baseline: an arm, or a `Baseline`. The best arm is then compared with it: some pulls have the `purpose` "baseline"
      or "duel"; of a duel, `arm` is played first and `then` right after it, and the rewards of both are told in this
      order. `uplift()` says what came of it.
    - limits: what metrics must be, {"p99_ms": canopy.at_most(60)}, where `tell(pull, reward, metrics)` has them. The
      adaptive tree searches among what may keep them; `best` names only what probably does.

    The adaptive tree also takes

    - contexts: what is observed before each pull and decides on the best arm, {"hour": canopy.periodic(24), "load":
      canopy.real(0, 1)}. Then `ask(context={"hour": 13.5, "load": 0.7})` asks for one pull in that context,
      `observe(arm, reward, context=...)` and `best(context)` say which they are about, and `policy()` is what was
      learnt.

    Calls are atomic, so several threads may share one.
    """

    name: str  #: as study files and the command line have it

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
        """A copy in the same state, including pulls in flight; the two share nothing.

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


CLASSES: dict[str, type[Optimizer]] = {}  #: by the names of their algorithms; `_classes` has them all
DEFAULT: Final = "adaptive"  #: where no optimizer is named


def named(optimizer: Any) -> Any:
    """The name of the optimizer that a class of canopy is; anything else as it is. Raises ValueError."""
    if not (isinstance(optimizer, type) and issubclass(optimizer, Optimizer)):
        return optimizer
    for name, each in CLASSES.items():
        if each is optimizer:
            return name
    raise ValueError(
        f"optimizer = {optimizer!r}: is no class of canopy; make one, and give that: {optimizer.__name__}(space)"
    )


def make_optimizer(name: str | type[Optimizer], space: AnySpace, **options: Unpack[MakeOptions]) -> Optimizer:
    """The optimizer of that name, or of that class."""
    known = named(name)
    if not isinstance(known, str) or known not in CLASSES:
        raise ValueError(f"optimizer = {name!r}: must be one of {', '.join(CLASSES)}")
    check_options(known, options)
    make: Any = CLASSES[known]  # each has options of its own
    made: Optimizer = make(space, **options)
    return made


def options_of(name: str) -> Mapping[str, Any]:
    """What the optimizer of that name can be made with, and the defaults."""
    return CLASSES[name].__init__.__kwdefaults__ or {}


def check_options(name: str, options: Mapping[str, Any], others: Sequence[str] = ()) -> None:
    """Complains about options that the optimizer of that name does not have; `others` may also have been meant."""
    known = options_of(name)
    check_takers(name, options)
    for option in options:
        if option not in known:
            import difflib

            near = difflib.get_close_matches(option, [*known, *others], n=1)
            hint = f', did you mean "{near[0]}"?' if near else f"; it has {', '.join(known)}"
            raise ValueError(f"{option}: {name} has no such option{hint}")


def check_takers(name: str, options: Mapping[str, Any]) -> None:
    """Complains about options that the optimizer of that name does not have, but others do, and says which."""
    known = options_of(name)
    for option in options:
        takers = [] if option in known else [each for each in CLASSES if option in options_of(each)]
        if takers and option == "contexts":
            raise ValueError(f'contexts: {name} takes none; optimizer="{DEFAULT}" does')
        if takers:
            raise ValueError(f"{option}: {name} has no such option; it belongs to {', '.join(takers)}")


def check_seed(seed: Any) -> None:
    """Complains about a seed that is no whole number, where it would be ignored."""
    if seed is not None:
        whole("seed", seed, 0, 2**53)


def say_unused(name: str, options: Mapping[str, Any]) -> None:
    """Warns of options that count for correlated feedback alone, where feedback is iid."""
    defaults = _canopy.optimizer_defaults(name)
    if {**defaults, **options}.get("feedback") != "iid":
        return
    for option in ("mixing_time", "constants"):
        given = options.get(option)
        if given is not None and given != defaults.get(option):
            warn_caller(f'{option} = {given!r}: has no effect on iid feedback. Give feedback="correlated" as well.')


_Kind = TypeVar("_Kind", bound=Optimizer)


def copied(cls: type[_Kind], other: _canopy.Optimizer) -> _Kind:
    """An optimizer of that class in the state of another one."""
    optimizer = cls.__new__(cls)
    _canopy.Optimizer.__init__(optimizer, other)
    return optimizer


def _restored(cls: type[Optimizer], given: tuple[Any, ...], saved: bytes) -> Optimizer:
    """An optimizer of that class with these options, in the state of another one when that was saved."""
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
    """With numbers that are checked. Raises ValueError."""
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
    """(metric, min, max, factor) each. Raises ValueError."""
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
    """An arm for people: x = 0.25, mode = fast."""
    return ", ".join(f"{k} = {v:.4g}" if isinstance(v, float) else f"{k} = {v}" for k, v in arm.items())


def rounded(values: Sequence[float], resolution: float) -> list[str]:
    """Numbers for people, no more exact than that."""
    return [_canopy.rounded_text(value, resolution) for value in values]


def warn_caller(message: str, category: type[Warning] = UserWarning) -> None:
    """Warns, at the line outside of this package that has led here."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] == "canopy":
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
