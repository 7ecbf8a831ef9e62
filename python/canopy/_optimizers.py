"""The optimizers: one class each, all with the same protocol."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from . import _canopy
from ._space import Parameter, Space, number, space_from

if TYPE_CHECKING:
    from typing_extensions import Self

Direction = Literal["maximize", "minimize"]
Partition = Literal["cyclic", "longest_side"]


class Best(NamedTuple):
    """The arm to recommend, in the user's units: lower <= mean <= upper.

    `lower` and `upper` are the mean minus and plus the algorithm's own confidence width, which its confidence_scale
    multiplies: they are not a 95 % interval. `pulls` is the number of rewards in the mean.
    """

    arm: dict[str, Any]
    mean: float
    lower: float
    upper: float
    pulls: int


class Summary(NamedTuple):
    """Where an optimizer is.

    `t` is the index of the next pull: answers so far plus one. `nodes` and `depth` are those of the tree, `switches`
    the changes of arm (the first selection is one), `refreshes` the phases begun, `out_of_range` single rewards
    outside reward_range, `in_flight` pulls without an answer, `observed` rewards of arms that nobody asked for.
    """

    t: int
    nodes: int
    depth: int
    switches: int
    refreshes: int
    out_of_range: int
    in_flight: int
    observed: int


class Node(NamedTuple):
    """A node of the tree. Means and bounds are in mapped units: 1 is the better end of reward_range.

    `path` leads down from the root, 0 left and 1 right; `cell` has the ends of what it covers, by parameter;
    `upper` is U and `bound` is B, both possibly infinite; `leaf` says whether it has no children.
    """

    path: str
    arm: dict[str, Any]
    cell: dict[str, tuple[Any, Any]]
    pulls: int
    mean: float
    upper: float
    bound: float
    leaf: bool

    @property
    def depth(self) -> int:
        return len(self.path)


_Bound: Any = _canopy._Protocol if TYPE_CHECKING else object  # type checkers only


class Looks(_Bound):
    """Ways to look at optimizers and studies."""

    def best(self) -> Best | None:
        """The arm to recommend; None before the first answer."""
        best = self._best()
        return best and Best(*best)

    def summary(self) -> Summary:
        """Where it is: pulls, nodes, depth, switches."""
        return Summary(*self._summary())

    def tree(self) -> list[Node]:
        """Every node, shallow ones first, from left to right; empty if there is no tree."""
        return [Node(*node) for node in self._tree()]


class Optimizer(Looks, _canopy.Optimizer):
    """An optimizer in memory: ask what to try, tell how it went.

    `ask(pulls=None)` returns a Pull: an `arm` to play up to `length` times; it learns nothing.
    `tell(pull, reward)` takes one reward, several in a list or an array, or `Rewards`. `observe(arm, reward)`
    tells rewards of an arm that nobody asked for. `drop(pull)` gives a pull back, `finish()` learns from the
    rewards of an unfinished episode, `in_flight()` lists the open pulls, `save()` returns everything it knows as
    bytes. It can be copied and pickled at any time.

    Calls are atomic, so several threads may share one.
    """

    name: str  #: as study files and the command line have it

    def __init__(
        self,
        space: Space | Mapping[str, Parameter],
        options: Mapping[str, Any],
        direction: Direction = "maximize",
        reward_range: Sequence[float] = (0.0, 1.0),
        partition: Partition = "cyclic",
    ):
        given = (self.name, space_from(space), dict(options), direction, _range_from(reward_range), partition)
        super().__init__(*given)

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
        given = (self.space, self.options, self.direction, self.reward_range, self.partition)
        return (_restored, (type(self), given, self.save()), self.__dict__)

    def __repr__(self) -> str:
        summary = self.summary()
        return f"<canopy.{type(self).__name__} of {list(self.space)}, {summary.t - 1} pulls, {summary.nodes} nodes>"


class Hct(Optimizer):
    """The High Confidence Tree.

    - feedback: "iid" if rewards of an arm are independent draws; "correlated" if they may depend on
      what was pulled before: an arm is then held for episodes that double in length.
    - mixing_time: correlated only: for how many steps, in sum, the rewards of an arm may be off its
      long-run mean after a switch. Raising it makes HCT wait longer.
    - preset: defaults of nu1, rho and confidence_scale: "practical", or "paper", which the theorems are
      about and which is far too cautious in practice.
    - nu1, rho: f varies by at most nu1 rho^h in a cell at depth h. Raising either explores more.
    - confidence_scale: multiplies all confidence bounds. Raising it explores more.
    - delta: the probability with which the bounds may fail.
    - constants: correlated only: "main" or "supplement", a factor 3 or 6.
    - partition: which parameter a cell is halved along: "cyclic", in turn, or "longest_side".
    - seed: ignored, since nothing in HCT is random; accepted so that optimizers are interchangeable.

    >>> opt = canopy.Hct({"x": canopy.real(0, 1)}, feedback="correlated", mixing_time=1.0, seed=1)
    >>> pull = opt.ask(1)
    >>> pull.arm
    {'x': 0.25}
    >>> opt.tell(pull, 0.7)
    >>> opt.best().mean
    0.7
    """

    name = "hct"

    def __init__(
        self,
        space: Space | Mapping[str, Parameter],
        *,
        feedback: Literal["iid", "correlated"] = "iid",
        mixing_time: float = 1.0,
        preset: Literal["practical", "paper"] = "practical",
        nu1: float | None = None,
        rho: float | None = None,
        confidence_scale: float | None = None,
        delta: float = 0.05,
        constants: Literal["main", "supplement"] = "main",
        partition: Partition = "cyclic",
        direction: Direction = "maximize",
        reward_range: Sequence[float] = (0.0, 1.0),
        seed: int | None = None,
    ):
        options = {
            "feedback": feedback,
            "mixing_time": mixing_time,
            "preset": preset,
            "nu1": nu1,
            "rho": rho,
            "confidence_scale": confidence_scale,
            "delta": delta,
            "constants": constants,
        }
        super().__init__(space, options, direction, reward_range, partition)


class Thoo(Optimizer):
    """Truncated HOO: for a known number of pulls, or in periods that double.

    - horizon: the total number of pulls, or "doubling": it starts over with periods of 2, 4, 8, ... pulls.
    - nu1, rho: f varies by at most nu1 rho^h in a cell at depth h; rho is 2^(-1/dimension) unless given.
    - confidence_scale: multiplies the confidence term; 1 is what the theorems are about. Raising it explores more.
    - seed: of the coin that breaks ties.

    >>> canopy.Thoo({"x": canopy.real(0, 1)}, horizon=1000).options["horizon"]
    1000
    """

    name = "thoo"

    def __init__(
        self,
        space: Space | Mapping[str, Parameter],
        *,
        horizon: int | Literal["doubling"] = "doubling",
        nu1: float = 1.0,
        rho: float | None = None,
        confidence_scale: float = 0.2,
        seed: int = 1,
        partition: Partition = "cyclic",
        direction: Direction = "maximize",
        reward_range: Sequence[float] = (0.0, 1.0),
    ):
        options = {"horizon": horizon, "nu1": nu1, "rho": rho, "confidence_scale": confidence_scale, "seed": seed}
        super().__init__(space, options, direction, reward_range, partition)


class Hoo(Optimizer):
    """Hierarchical optimistic optimization as published: a step costs O(tree). Options as in Thoo."""

    name = "hoo"

    def __init__(
        self,
        space: Space | Mapping[str, Parameter],
        *,
        nu1: float = 1.0,
        rho: float | None = None,
        confidence_scale: float = 0.2,
        seed: int = 1,
        partition: Partition = "cyclic",
        direction: Direction = "maximize",
        reward_range: Sequence[float] = (0.0, 1.0),
    ):
        options = {"nu1": nu1, "rho": rho, "confidence_scale": confidence_scale, "seed": seed}
        super().__init__(space, options, direction, reward_range, partition)


class Power(Optimizer):
    """PoWER: local policy search by weighted exploration.

    - sigma: the standard deviation of the exploration, in units of a parameter's range.
    - window: how many of the best rollouts are averaged.
    - rollout_length: pulls in a rollout.
    - seed: of the starting point and the exploration.
    """

    name = "power"

    def __init__(
        self,
        space: Space | Mapping[str, Parameter],
        *,
        sigma: float = 0.1,
        window: int = 10,
        rollout_length: int = 10,
        seed: int = 1,
        direction: Direction = "maximize",
        reward_range: Sequence[float] = (0.0, 1.0),
    ):
        options = {"sigma": sigma, "window": window, "rollout_length": rollout_length, "seed": seed}
        super().__init__(space, options, direction, reward_range)


class Grid(Optimizer):
    """A fixed grid of arms under UCB1.

    - points: arms along each parameter, so points^dimension in total, at most 100 000. Each is first tried once.
    - confidence_scale: multiplies the confidence term; 1 is UCB1. Raising it explores more.
    """

    name = "grid"

    def __init__(
        self,
        space: Space | Mapping[str, Parameter],
        *,
        points: int = 32,
        confidence_scale: float = 0.1,
        direction: Direction = "maximize",
        reward_range: Sequence[float] = (0.0, 1.0),
        seed: int | None = None,
    ):
        options = {"points": points, "confidence_scale": confidence_scale}
        super().__init__(space, options, direction, reward_range)


class RandomSearch(Optimizer):
    """Arms drawn uniformly: the floor that everything else should beat."""

    name = "random"

    def __init__(
        self,
        space: Space | Mapping[str, Parameter],
        *,
        seed: int = 1,
        direction: Direction = "maximize",
        reward_range: Sequence[float] = (0.0, 1.0),
    ):
        super().__init__(space, {"seed": seed}, direction, reward_range)


CLASSES: dict[str, type[Optimizer]] = {each.name: each for each in (Hct, Thoo, Hoo, Power, Grid, RandomSearch)}


def make_optimizer(name: str, space: Space | Mapping[str, Parameter], **options: Any) -> Optimizer:
    """The optimizer of that name: hct, thoo, hoo, power, grid or random.

    >>> canopy.make_optimizer("thoo", {"x": canopy.real(0, 1)}, horizon=1000)
    <canopy.Thoo of ['x'], 0 pulls, 3 nodes>
    """
    if name not in CLASSES:
        raise ValueError(f"optimizer = {name!r}: must be one of {', '.join(CLASSES)}")
    check_options(name, options)
    return CLASSES[name](space, **options)


def check_options(name: str, options: Mapping[str, Any], others: Sequence[str] = ()) -> None:
    """Complains about options that the optimizer of that name does not have; `others` may also have been meant."""
    known = CLASSES[name].__init__.__kwdefaults__ or {}
    for option in options:
        if option not in known:
            import difflib

            near = difflib.get_close_matches(option, [*known, *others], n=1)
            hint = f', did you mean "{near[0]}"?' if near else f"; it has {', '.join(known)}"
            raise ValueError(f"{option}: {name} has no such option{hint}")


_Kind = TypeVar("_Kind", bound=Optimizer)


def copied(cls: type[_Kind], other: _canopy.Optimizer) -> _Kind:
    """An optimizer of that class in the state of another one."""
    optimizer = cls.__new__(cls)
    _canopy.Optimizer.__init__(optimizer, other)
    return optimizer


def _restored(cls: type[Optimizer], given: tuple[Any, ...], saved: bytes) -> Optimizer:
    """An optimizer of that class with these options, in the state of another one when that was saved."""
    optimizer = cls.__new__(cls)
    Optimizer.__init__(optimizer, *given)
    optimizer._restore(saved)
    return optimizer


def _range_from(reward_range: Sequence[float]) -> tuple[float, float]:
    try:
        low, high = (number("reward_range", end) for end in reward_range)
        return (low, high)
    except (TypeError, ValueError):
        raise ValueError(f"reward_range = {reward_range!r}: must be two numbers") from None
