"""`maximize` and `minimize`: an ask-and-tell loop around a function."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, overload

from . import _canopy
from ._ledger import (
    Failures,
    FailuresError,
    Interrupts,
    Ledger,
    Observe,
    OnFailure,
    SearchLine,
    Watch,
    ask_in,
    calls_of,
    drop_pull,
    measured,
    unanswered_of,
)
from ._optimizers import (
    CLASSES,
    DEFAULT,
    Direction,
    Optimizer,
    baseline_from,
    check_options,
    make_optimizer,
    named,
)
from ._result import Episode, Result
from ._space import Context, Parameter, Space, whole
from ._workers import Jobs, Workers, workers_from

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from typing_extensions import Unpack

    from ._classes import AnyOptimizer, DefaultOptimizer, OtherOptimizer
    from ._options import OptimizerOptions
    from ._remote import RemoteStudy
    from ._signatures import SearchArguments, SearchDefault, SearchOther
    from ._space import AnySpace
    from ._studies import Study


@overload
def maximize(
    measure: Callable[..., Any],
    space: AnySpace,
    *,
    optimizer: DefaultOptimizer = ...,
    **options: Unpack[SearchDefault],
) -> Result: ...
@overload
def maximize(
    measure: Callable[..., Any], space: AnySpace, *, optimizer: OtherOptimizer, **options: Unpack[SearchOther]
) -> Result: ...
@overload
def maximize(
    measure: Callable[..., Any],
    space: AnySpace | None = None,
    *,
    optimizer: Optimizer | Study | RemoteStudy,
    **options: Unpack[SearchArguments],
) -> Result: ...
def maximize(
    measure: Callable[..., Any],
    space: Space | Mapping[str, Parameter] | None = None,
    *,
    pulls: int | None = None,
    timeout: float | None = None,
    optimizer: AnyOptimizer | Optimizer | Study | RemoteStudy = DEFAULT,
    callbacks: Callable[[Result], Any] | Iterable[Callable[[Result], Any]] = (),
    stop: Callable[[Result], bool] | None = None,
    progress: bool = False,
    context: Observe | None = None,
    n_jobs: int | None = None,
    workers: Workers = "processes",
    executor: Executor | None = None,
    enqueue: Iterable[Mapping[str, Any]] = (),
    observe: Iterable[tuple[Mapping[str, Any], Any] | tuple[Mapping[str, Any], Any, Context]] = (),
    on_failure: OnFailure = "penalize",
    failure_reward: float | None = None,
    max_failures: int = 25,
    **options: Unpack[OptimizerOptions],
) -> Result:
    """Calls measure(**arm) repeatedly, and finds the arm whose rewards are largest on average.

    `measure` returns the reward, or a dictionary with the "reward" and other numbers (metrics), which may have limits:
    limits={"p99_ms": canopy.at_most(60)}. It may be `async def`: all calls of a process are awaited in one event loop,
    on a separate thread.

    - pulls, timeout: end after this many calls or seconds, whichever comes first.
    - optimizer: its name or its class, with its options as further arguments (settle, reward_range, ...); or an
      optimizer or a study, to continue with it. The default is the adaptive tree. The `horizon` of algorithms that
      need one (stosoo, sequool, ...) is `pulls` by default.
    - callbacks: called with the Result so far after every episode. An exception passes through.
    - stop: called after every pull with the Result so far; True ends the search.
    - progress: shows a progress line on stderr.
    - contexts, context: for a best arm that depends on observed variables, contexts={"load": canopy.real(0, 1)} lists
      them, and `context` is a function that returns their current values, {"load": 0.7}. It is called before each call
      of `measure`, which also gets them if it has an argument `context`. The result has a `policy`: the best arm in
      every context.
    - n_jobs: number of parallel calls (default 1; -1: one per core), in processes, or with workers="threads" in
      threads. Parallel calls have different arms if the optimizer supports that, as the adaptive tree does. Calls that
      are running when the search ends count. Processes have their own random generators (of `random`, numpy, torch, and
      any that `measure` uses); with `seed`, their numbers depend only on it and on the number of the call. Processes
      always end with this process. On systems other than Linux, `measure` must be defined with def at the top level of
      a module, because it is pickled.
    - executor: makes the calls instead: an executor with the interface of concurrent.futures, such as those of Dask,
      Ray or MPI. It is not shut down. n_jobs is the number of parallel calls, by default the number of its workers.
    - enqueue: arms to try first, one call each. They count as pulls, and the optimizer observes their rewards.
    - observe: arms with known rewards, [({"x": 0.3}, 0.8), ...], to start with. With contexts, the third item is the
      context: ({"x": 0.3}, 0.8, {"load": 0.7}).

    - on_failure: a call that raises an exception, or returns None, NaN or an infinity, has failed: "penalize" counts it
      as a bad reward and avoids the arm, which `best` never returns. "raise" drops the pull and raises the
      exception. So does a failure before the first reward, because it is probably a mistake in `measure`.
    - failure_reward: the value of a failure. By default `optimizer.failure_reward()`: a little less than the worst
      reward so far. If it is given, calls may also fail before the first reward.
    - max_failures: `FailuresError` is raised if this many of the last 50 calls have failed, or all of the first 10.

    Ctrl-C ends the search and its processes, and returns the result so far.

    >>> result = canopy.maximize(lambda x: 1 - abs(x - 0.7), {"x": canopy.real(0, 1)}, pulls=500)
    >>> round(result.best.arm["x"], 1)
    0.7
    """
    return search(
        measure,
        space,
        direction="maximize",
        pulls=pulls,
        timeout=timeout,
        optimizer=optimizer,
        callbacks=callbacks,
        stop=stop,
        progress=progress,
        options=dict(options),
        failures=Failures(on_failure, failure_reward, max_failures),
        known=Known(enqueue, observe),
        context=context,
        jobs=workers_from(n_jobs, workers, executor),
    )


@overload
def minimize(
    measure: Callable[..., Any],
    space: AnySpace,
    *,
    optimizer: DefaultOptimizer = ...,
    **options: Unpack[SearchDefault],
) -> Result: ...
@overload
def minimize(
    measure: Callable[..., Any], space: AnySpace, *, optimizer: OtherOptimizer, **options: Unpack[SearchOther]
) -> Result: ...
@overload
def minimize(
    measure: Callable[..., Any],
    space: AnySpace | None = None,
    *,
    optimizer: Optimizer | Study | RemoteStudy,
    **options: Unpack[SearchArguments],
) -> Result: ...
def minimize(
    measure: Callable[..., Any],
    space: Space | Mapping[str, Parameter] | None = None,
    *,
    pulls: int | None = None,
    timeout: float | None = None,
    optimizer: AnyOptimizer | Optimizer | Study | RemoteStudy = DEFAULT,
    callbacks: Callable[[Result], Any] | Iterable[Callable[[Result], Any]] = (),
    stop: Callable[[Result], bool] | None = None,
    progress: bool = False,
    context: Observe | None = None,
    n_jobs: int | None = None,
    workers: Workers = "processes",
    executor: Executor | None = None,
    enqueue: Iterable[Mapping[str, Any]] = (),
    observe: Iterable[tuple[Mapping[str, Any], Any] | tuple[Mapping[str, Any], Any, Context]] = (),
    on_failure: OnFailure = "penalize",
    failure_reward: float | None = None,
    max_failures: int = 25,
    **options: Unpack[OptimizerOptions],
) -> Result:
    """Like `maximize`, but for costs: a failure counts as a little more than the worst cost.

    >>> result = canopy.minimize(lambda x: abs(x - 0.7), {"x": canopy.real(0, 1)}, pulls=500)
    >>> round(result.best.arm["x"], 1)
    0.7
    """
    return search(
        measure,
        space,
        direction="minimize",
        pulls=pulls,
        timeout=timeout,
        optimizer=optimizer,
        callbacks=callbacks,
        stop=stop,
        progress=progress,
        options=dict(options),
        failures=Failures(on_failure, failure_reward, max_failures),
        known=Known(enqueue, observe),
        context=context,
        jobs=workers_from(n_jobs, workers, executor),
    )


#: arguments of `search`, for suggestions when a name is misspelt
_ARGUMENTS = (
    "pulls", "timeout", "callbacks", "stop", "progress", "context", "n_jobs", "workers", "executor", "enqueue",
    "observe", "on_failure", "failure_reward", "max_failures",
)  # fmt: skip


def search(
    measure: Callable[..., Any],
    space: Space | Mapping[str, Parameter] | None,
    *,
    direction: Direction,
    pulls: int | None,
    timeout: float | None,
    optimizer: Any,
    callbacks: Callable[[Result], Any] | Iterable[Callable[[Result], Any]],
    stop: Callable[[Result], bool] | None,
    progress: bool,
    options: dict[str, Any],
    failures: Failures,
    known: Known | None = None,
    context: Observe | None = None,
    jobs: Jobs | None = None,
) -> Result:
    """The loop that maximize, minimize and policy_search share."""
    if not callable(measure):
        raise ValueError(f"measure = {measure!r}: must be a function of the parameters")
    if pulls is not None:
        pulls = whole("pulls", pulls, 1)
    _check_ends(pulls, timeout, stop)
    known, jobs = known or Known((), ()), jobs or Jobs()
    all_callbacks = _callbacks_from(callbacks)
    if "direction" in options:
        raise ValueError("direction: call canopy.maximize or canopy.minimize instead")
    optimizer = named(optimizer)
    if isinstance(optimizer, str):
        if space is None:
            raise ValueError('space: is missing, for example {"x": canopy.real(0, 1)}')
        if optimizer in CLASSES:
            check_options(optimizer, options, _ARGUMENTS)
            if pulls is not None and _canopy.optimizer_traits(optimizer)["needs_horizon"]:
                options = {"horizon": max(1, pulls - len(known.arms)), **options}
            if options.get("baseline") is not None and pulls is not None:
                options["baseline"] = baseline_from(options["baseline"], pulls)
        result = Result(make_optimizer(optimizer, space, direction=direction, **options))
    else:
        _check_given(optimizer, space, direction, options)
        result = Result(optimizer)

    watch = Watch(context, result.optimizer.contexts, measure, result.space)
    known.check(result.optimizer)
    pool = None
    if jobs.calls > 1 or jobs.executor is not None:
        from ._parallel import Pool, run_at_once  # slow to import

        pool = Pool(measure, measured, jobs, options.get("seed"))
    known.tell(result.optimizer)
    line = SearchLine(pulls, timeout, progress)
    try:
        with line.line, Interrupts() as interrupts:
            ledger = Ledger(result, pulls, timeout, stop, line, interrupts, failures)
            if pool is None:
                _run(measure, ledger, watch, known.arms, all_callbacks)
            else:
                run_at_once(pool, ledger, watch, known.arms, all_callbacks)
            line.show(result, at_once=True)
    except FailuresError:
        result._end()
        raise
    if isinstance(optimizer, str):
        result.optimizer.finish()
    result._end()
    return result


class Known:
    """The arms of `enqueue` and `observe`."""

    def __init__(self, enqueue: Any, observe: Any):
        self.arms = deque(_arm_from("enqueue", arm) for arm in _several("enqueue", enqueue))
        self._told = [_told_from(each) for each in _several("observe", observe)]

    def check(self, optimizer: Any) -> None:
        """Raises ValueError for arms or contexts that are not in the space, before anything is played or told."""
        observed = [arm for arm, *_ in self._told]
        for name, arms in (("enqueue", self.arms), ("observe", observed)):
            for number, arm in enumerate(arms):
                try:
                    optimizer.estimate(arm)
                except ValueError as error:
                    raise ValueError(f"{name}[{number}]: {error}") from None
        for number, (_, _, context) in enumerate(self._told):
            try:
                optimizer._check_context(context)
            except ValueError as error:
                raise ValueError(f"observe[{number}]: {error}") from None

    def tell(self, optimizer: Any) -> None:
        for arm, reward, context in self._told:
            if context is None:
                optimizer.observe(arm, reward)
            else:
                optimizer.observe(arm, reward, context=context)


def _several(name: str, given: Any) -> list[Any]:
    if isinstance(given, (Mapping, str)) or not isinstance(given, Iterable):
        raise ValueError(f"{name} = {given!r}: must be a list")
    return list(given)


def _arm_from(name: str, arm: Any) -> dict[str, Any]:
    if not isinstance(arm, Mapping):
        raise ValueError(f'{name}: {arm!r} must be an arm, such as {{"x": 0.5}}')
    return dict(arm)


def _told_from(given: Any) -> tuple[dict[str, Any], Any, dict[str, Any] | None]:
    """An arm, its reward, and the context in which it was measured."""
    if not isinstance(given, (tuple, list)) or len(given) not in (2, 3):
        raise ValueError(f'observe: {given!r} must be an arm and its reward, such as ({{"x": 0.5}}, 0.8)')
    context = given[2] if len(given) == 3 else None
    return _arm_from("observe", given[0]), given[1], dict(context) if isinstance(context, Mapping) else context


def _run(
    measure: Callable[..., Any],
    ledger: Ledger,
    watch: Watch,
    first: deque[dict[str, Any]],
    callbacks: list[Callable[[Result], Any]],
) -> None:
    result, optimizer, interrupts = ledger.result, ledger.optimizer, ledger.interrupts
    take_unanswered = unanswered_of(optimizer)
    pull = None
    try:
        while not result.stopped:
            context = watch.look(interrupts)
            if first:
                calls = [first.popleft()]
            else:
                pull = take_unanswered() or ask_in(optimizer, ledger.left(), context)
                calls = calls_of(pull)
            ticket, depth = (pull.ticket, pull.depth) if pull else (0, -1)
            episode = Episode(ticket, calls[0], depth, result.pulls + 1, [], context)
            answered = 0
            for arm in calls:
                if arm is not episode.arm:  # the other arm of a duel
                    episode = Episode(ticket, arm, depth, result.pulls + 1, [], context)
                try:
                    with interrupts.allowed():
                        outcome = measured(measure, watch.arguments(arm, context))
                except Exception as error:
                    ledger.failure(episode, pull, error)
                    pull = None  # closed
                    break
                ledger.reward(episode, pull, outcome)
                answered += 1
                if result.stopped:
                    break
            if pull is not None and answered == len(calls):
                pull = None
            with interrupts.allowed():
                for callback in callbacks:
                    callback(result)
    except KeyboardInterrupt:
        result.stopped = "interrupted"
        ledger.note_time()
    finally:
        if pull is not None:
            drop_pull(optimizer, pull)


def _callbacks_from(callbacks: Any) -> list[Callable[[Result], Any]]:
    if callable(callbacks):
        return [callbacks]
    several: list[Any] = list(callbacks) if isinstance(callbacks, Iterable) else [None]
    if not all(callable(each) for each in several):
        raise ValueError(f"callbacks = {callbacks!r}: must be a function of the result, or several")
    return several


def _check_ends(pulls: Any, timeout: Any, stop: Any) -> None:
    if pulls is None and timeout is None and stop is None:
        raise ValueError("pulls: is missing; give a number of pulls, a timeout in seconds, or stop")
    if stop is not None and not callable(stop):
        raise ValueError(f"stop = {stop!r}: must be a function of the result")
    if timeout is not None and not (isinstance(timeout, (int, float)) and timeout >= 0):
        raise ValueError(f"timeout = {timeout!r}: must be a number of seconds")


def _check_given(optimizer: Any, space: Any, direction: str, options: dict[str, Any]) -> None:
    if not hasattr(optimizer, "ask") or isinstance(optimizer, type):
        raise ValueError(f"optimizer = {optimizer!r}: must be a name, a class of canopy, an optimizer or a study")
    if optimizer.direction != direction:
        raise ValueError(
            f"the optimizer's direction is {optimizer.direction}; call canopy.{optimizer.direction} instead"
        )
    if space is not None and list(space.items()) != list(optimizer.space.items()):
        raise ValueError("space: differs from the optimizer's; leave it out")
    if options:
        raise ValueError(f"{', '.join(options)}: the given optimizer already has its options")
