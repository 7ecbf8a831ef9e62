"""The keyword arguments of the functions that take an optimizer by its name, for their overloads.

The options of such a function depend on the optimizer. Type checkers learn this from overloads: one for the default
optimizer, with its own options; one for all others, with the union of their options; and one for an existing
optimizer, without options. An overload for each optimizer would be exact, but then mypy lists two dozen signatures
below every error. `canopy.Hct(space, ...)` is exact.

The options come from the catalogue in C++ (`_options`). To keep overloads short, the other keyword arguments of a
function are a TypedDict here; mypy checks that they match the function. This module is not imported at run time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from ._ledger import Observe, OnFailure
from ._options import AdaptiveOptions, EnvironmentOptions, OtherOptions, StudyOptions
from ._partition import AnyPartition
from ._result import Result
from ._space import AnyBaseline, AnyContexts, Context, Direction, Limits, RewardRange
from ._workers import Workers

if TYPE_CHECKING:
    from concurrent.futures import Executor


class CommonOptions(TypedDict, total=False):
    """Arguments of optimizers besides their own options; some have no tree, or no contexts."""

    seed: int | None
    partition: AnyPartition
    hard_range: bool
    baseline: AnyBaseline
    limits: Limits
    contexts: AnyContexts


class RangeArguments(TypedDict, total=False):
    reward_range: RewardRange
    confidence: float


class LoopArguments(TypedDict, total=False):
    timeout: float | None
    callbacks: Callable[[Result], Any] | Iterable[Callable[[Result], Any]]
    stop: Callable[[Result], bool] | None
    progress: bool
    on_failure: OnFailure
    failure_reward: float | None
    max_failures: int


class SearchArguments(LoopArguments, total=False):
    """Arguments of `maximize` and `minimize`."""

    pulls: int | None
    context: Observe | None
    n_jobs: int | None
    workers: Workers
    executor: Executor | None
    enqueue: Iterable[Mapping[str, Any]]
    observe: Iterable[tuple[Mapping[str, Any], Any] | tuple[Mapping[str, Any], Any, Context]]


class SearchDefault(AdaptiveOptions, CommonOptions, RangeArguments, SearchArguments, total=False): ...


class SearchOther(OtherOptions, CommonOptions, RangeArguments, SearchArguments, total=False): ...


class PolicyArguments(LoopArguments, total=False):
    """Arguments of `policy_search`."""

    reward: Literal["auto", "step", "return"]
    end_reward: float | None
    context: Callable[[Any, Any], Context] | None


class PolicyDefault(AdaptiveOptions, CommonOptions, RangeArguments, PolicyArguments, total=False): ...


class PolicyOther(OtherOptions, CommonOptions, RangeArguments, PolicyArguments, total=False): ...


class SimulateArguments(TypedDict, total=False):
    """Arguments of `simulate`."""

    steps: int
    runs: int
    seed: int
    threads: int
    checkpoints: Sequence[int] | None
    reward_range: RewardRange
    partition: str
    progress: bool


class SimulateDefault(AdaptiveOptions, EnvironmentOptions, SimulateArguments, total=False): ...


class SimulateOther(OtherOptions, EnvironmentOptions, SimulateArguments, total=False): ...


class MakeArguments(CommonOptions, RangeArguments, total=False):
    """Arguments of `make_optimizer`."""

    direction: Direction


class MakeDefault(AdaptiveOptions, MakeArguments, total=False): ...


class MakeOther(OtherOptions, MakeArguments, total=False): ...


class StudyArguments(TypedDict, total=False):
    """Arguments of `Study.open` and `Server.create`."""

    direction: Direction | None
    reward_range: RewardRange
    confidence: float | None


class OpenArguments(StudyArguments, total=False):
    fork: str | None


class OpenAny(StudyOptions, OpenArguments, total=False): ...


class OpenDefault(AdaptiveOptions, CommonOptions, OpenArguments, total=False): ...


class OpenOther(OtherOptions, CommonOptions, OpenArguments, total=False): ...


class CreateArguments(StudyArguments, total=False):
    fork_of: str | None
    lease_seconds: float | None


class CreateAny(StudyOptions, CreateArguments, total=False): ...


class CreateDefault(AdaptiveOptions, CommonOptions, CreateArguments, total=False): ...


class CreateOther(OtherOptions, CommonOptions, CreateArguments, total=False): ...
