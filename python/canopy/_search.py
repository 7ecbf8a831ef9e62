"""`maximize` and `minimize`: the ask-and-tell loop around a function."""

from __future__ import annotations

import contextlib
import math
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from . import _canopy
from ._optimizers import (
    CLASSES,
    DEFAULT,
    Best,
    Direction,
    Optimizer,
    Summary,
    arm_text,
    check_default,
    check_options,
    make_optimizer,
)
from ._progress import ProgressLine
from ._space import Parameter, Space, whole
from ._workers import jobs_from

if TYPE_CHECKING:
    import pandas
    from typing_extensions import Unpack

    from ._classes import OptimizerOptions
    from ._remote import RemoteStudy
    from ._studies import Study


class Episode(NamedTuple):
    """One arm and the rewards it earned in a row.

    `depth` is that of its node in the tree (-1: not known), `first` the index of its first pull, from 1.
    """

    ticket: int | str
    arm: dict[str, Any]
    depth: int  #: of its node in the tree
    first: int  #: index of its first pull, from 1
    rewards: list[float]


class Result:
    """The result of a search, so far.

    `episodes` are arms with the rewards they earned in a row, `rewards` all rewards in order, `pulls` how many calls
    there were. Of these `failed` have no reward; `last_failure` says which arm the last of them had, and why.
    `stopped` says why it ended: "pulls", "timeout", "stop", "interrupted" or "failures". `optimizer` is what searched;
    once it has ended, a copy in memory if that was a study, which may then be closed.
    """

    def __init__(self, optimizer: Optimizer | Study | RemoteStudy):
        self.optimizer = optimizer
        self.episodes: list[Episode] = []
        self.rewards: list[float] = []
        self.pulls = 0
        self.failed = 0
        self.last_failure: str | None = None
        self.seconds = 0.0
        self.stopped = ""
        self._at_end: tuple[Best | None, Summary] | None = None

    @property
    def space(self) -> Space:
        return self.optimizer.space

    @property
    def best(self) -> Best:
        """The arm to recommend; once the search has ended, as of then. Raises ValueError while there is no reward."""
        best = self.best_or_none()
        if best is None:
            raise ValueError("there is no best arm yet, since nothing has a reward; best_or_none() returns None then")
        return best

    def best_or_none(self) -> Best | None:
        """The same; None while there is no reward: in a callback after failures, or of a study without any."""
        return self._at_end[0] if self._at_end else self.optimizer.best()

    @property
    def summary(self) -> Summary:
        """Pulls, nodes, depth, switches of the optimizer; once the search has ended, as of then."""
        return self._at_end[1] if self._at_end else self.optimizer.summary()

    def _end(self) -> None:
        """Keeps things as they are now, whatever happens to the optimizer."""
        if not isinstance(self.optimizer, Optimizer):
            self.optimizer = self.optimizer.copy()
        self._at_end = (self.optimizer.best(), self.optimizer.summary())

    def to_frame(self) -> pandas.DataFrame:
        """A pandas DataFrame with one row per episode: its arm, how many pulls, their mean."""
        pandas = import_pandas()
        others = ("ticket", "first", "depth", "pulls", "mean")
        columns: dict[str, list[Any]] = {f"arm.{name}" if name in others else name: [] for name in self.space}
        rows: dict[str, list[Any]] = {"ticket": [], "first": [], **columns, "depth": [], "pulls": [], "mean": []}
        for episode in self.episodes:
            rows["ticket"].append(episode.ticket)
            rows["first"].append(episode.first)
            for column, value in zip(columns.values(), episode.arm.values()):
                column.append(value)
            rows["depth"].append(episode.depth)
            rows["pulls"].append(len(episode.rewards))
            rows["mean"].append(sum(episode.rewards) / len(episode.rewards))
        return pandas.DataFrame(rows)

    def __repr__(self) -> str:
        failed = f", {self.failed} failed, the last at {self.last_failure}" if self.failed else ""
        ending = f", stopped: {self.stopped}" if self.stopped else ""
        counts = f"{self.pulls} pulls in {len(self.episodes)} episodes"
        return f"<canopy.Result of {counts}{failed}{ending}; best {self.best_or_none()}>"


class FailuresError(RuntimeError):
    """Too many pulls of a search have failed; `result` is what it had found until then."""

    def __init__(self, message: str, result: Result):
        super().__init__(message)
        self.result = result


def import_pandas() -> Any:
    """pandas, if it is installed."""
    try:
        import pandas
    except ImportError:
        raise ImportError("to_frame needs pandas: pip install pandas") from None
    return pandas


OnFailure = Literal["penalize", "raise"]
Workers = Literal["processes", "threads"]


class Failures:
    """What becomes of calls that fail, and the failures among the last ones."""

    def __init__(self, on_failure: str, reward: Any, most: Any):
        if on_failure not in ("penalize", "raise"):
            raise ValueError(f'on_failure = {on_failure!r}: must be "penalize" or "raise"')
        self._penalizes = on_failure == "penalize"
        self._reward = None if reward is None else usable_reward("failure_reward", reward)
        self._most = whole("max_failures", most, 1)
        self._recent = _canopy.RecentFailures()

    def are_penalized(self, optimizer: Optimizer | Study | RemoteStudy) -> bool:
        """Whether the call that has failed is; else the exception goes to the user."""
        return self._penalizes and (self._reward is not None or optimizer.failure_reward() is not None)

    def penalize(self, optimizer: Optimizer | Study | RemoteStudy, pull: Any) -> None:
        optimizer.penalize(pull, self._reward)

    def bar(self, optimizer: Optimizer | Study | RemoteStudy, arm: dict[str, Any]) -> None:
        """The same for an arm that was not asked for."""
        optimizer.bar(arm, self._reward)

    def advise(self, error: Exception) -> None:
        """Notes in an exception that goes to the user why it does."""
        if self._penalizes and hasattr(error, "add_note"):  # from Python 3.11 on
            error.add_note(
                "canopy: it came before the first reward. If arms may fail, give failure_reward, which is what a "
                "failure is worth: something worse than all rewards."
            )

    def note(self, failed: bool) -> None:
        self._recent.add(failed)

    def are_too_many(self) -> bool:
        return self._recent.are_too_many(self._most)

    def error(self, result: Result) -> FailuresError:
        recent = f"{self._recent.count} of the last {self._recent.pulls} pulls have failed"
        return FailuresError(f"{recent}, the last at {result.last_failure}", result)


def maximize(
    measure: Callable[..., float],
    space: Space | Mapping[str, Parameter] | None = None,
    *,
    pulls: int | None = None,
    timeout: float | None = None,
    optimizer: str | Optimizer | Study | RemoteStudy = DEFAULT,
    callbacks: Callable[[Result], Any] | Iterable[Callable[[Result], Any]] = (),
    stop: Callable[[Result], bool] | None = None,
    progress: bool = False,
    n_jobs: int = 1,
    workers: Workers = "processes",
    enqueue: Iterable[Mapping[str, Any]] = (),
    observe: Iterable[tuple[Mapping[str, Any], Any]] = (),
    on_failure: OnFailure = "penalize",
    failure_reward: float | None = None,
    max_failures: int = 25,
    **options: Unpack[OptimizerOptions],
) -> Result:
    """Calls measure(**arm) again and again, and finds the arm whose rewards are largest on average.

    - pulls, timeout: end after this many calls or seconds, whichever comes first.
    - optimizer: its name, with its options as further arguments (settle, reward_range, ...); or an
      optimizer or a study, to continue with it. The adaptive tree, unless another one is named. One that is for a
      number of pulls which is known (`horizon`: stosoo, sequool, ...) is told `pulls`, unless a horizon is given.
    - callbacks: called with the Result so far after every episode. An exception passes through.
    - stop: asked after every pull, with the Result so far; True ends the search.
    - progress: shows a progress line on stderr.
    - n_jobs: so many calls at a time (-1: one per core), in processes of their own, to which `measure` is sent, or in
      threads: workers="threads". They have different arms where the optimizer can do that, as the adaptive tree can.
      Calls that are under way when the search ends count. Processes have random generators of their own (those of
      `random`, of numpy, and those that `measure` uses), which with `seed` depend on that and on the number of the
      call; and they end with this one, however it ends.
    - enqueue: arms to try first, one call each. They count as calls, and the optimizer observes their rewards.
    - observe: arms with the rewards that are known of them, [({"x": 0.3}, 0.8), ...], to begin with.

    - on_failure: a call that raises an exception, or returns None, NaN or an infinity, has failed: "penalize" takes it
      for a bad reward and leaves the arm, which `best` never names. "raise" raises, and so does a failure before the
      first reward, which is more likely a mistake in `measure`: an optimizer that was given is then as if that last
      pull had not been asked for.
    - failure_reward: what a failure is worth. By default `optimizer.failure_reward()`: a little less than the worst
      reward so far. If it is given, failures may come before the first reward.
    - max_failures: so many of the last 50 calls, or all of the first 10, raise `FailuresError`.

    Ctrl-C ends it with the result so far, and ends the processes.

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
        jobs=_workers_from(n_jobs, workers),
    )


def minimize(
    measure: Callable[..., float],
    space: Space | Mapping[str, Parameter] | None = None,
    *,
    pulls: int | None = None,
    timeout: float | None = None,
    optimizer: str | Optimizer | Study | RemoteStudy = DEFAULT,
    callbacks: Callable[[Result], Any] | Iterable[Callable[[Result], Any]] = (),
    stop: Callable[[Result], bool] | None = None,
    progress: bool = False,
    n_jobs: int = 1,
    workers: Workers = "processes",
    enqueue: Iterable[Mapping[str, Any]] = (),
    observe: Iterable[tuple[Mapping[str, Any], Any]] = (),
    on_failure: OnFailure = "penalize",
    failure_reward: float | None = None,
    max_failures: int = 25,
    **options: Unpack[OptimizerOptions],
) -> Result:
    """The same as `maximize`, for costs: a failure is worth a little more than the worst.

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
        jobs=_workers_from(n_jobs, workers),
    )


#: of `search`, which may be misspelt
_ARGUMENTS = (
    "pulls", "timeout", "callbacks", "stop", "progress", "n_jobs", "workers", "enqueue", "observe",
    "on_failure", "failure_reward", "max_failures",
)  # fmt: skip


def search(
    measure: Callable[..., float],
    space: Space | Mapping[str, Parameter] | None,
    *,
    direction: Direction,
    pulls: int | None,
    timeout: float | None,
    optimizer: str | Optimizer | Study | RemoteStudy,
    callbacks: Callable[[Result], Any] | Iterable[Callable[[Result], Any]],
    stop: Callable[[Result], bool] | None,
    progress: bool,
    options: dict[str, Any],
    failures: Failures,
    known: Known | None = None,
    jobs: tuple[int, Workers] = (1, "threads"),
) -> Result:
    """The loop that maximize, minimize and policy_search share."""
    if not callable(measure):
        raise ValueError(f"measure = {measure!r}: must be a function of the parameters")
    if pulls is not None:
        pulls = whole("pulls", pulls, 1)
    _check_ends(pulls, timeout, stop)
    known = known or Known((), ())
    all_callbacks = _callbacks_from(callbacks)
    if "direction" in options:
        raise ValueError("direction: call canopy.maximize or canopy.minimize instead")
    if isinstance(optimizer, str):
        if space is None:
            raise ValueError('space: is missing, for example {"x": canopy.real(0, 1)}')
        check_default(optimizer, options)
        if optimizer in CLASSES:
            check_options(optimizer, options, _ARGUMENTS)
            if pulls is not None and _canopy.optimizer_traits(optimizer)["needs_horizon"]:
                options = {"horizon": max(1, pulls - len(known.arms)), **options}
        result = Result(make_optimizer(optimizer, space, direction=direction, **options))
    else:
        _check_given(optimizer, space, direction, options)
        result = Result(optimizer)

    known.check(result.optimizer)
    pool = None
    if jobs[0] > 1:
        from ._parallel import Pool, run_at_once  # what it imports takes a while

        pool = Pool(measure, measured, *jobs, options.get("seed"))
    known.tell(result.optimizer)
    line = _SearchLine(pulls, timeout, progress)
    try:
        with line.line, _Interrupts() as interrupts:
            ledger = Ledger(result, pulls, timeout, stop, line, interrupts, failures)
            if pool is None:
                _run(measure, ledger, known.arms, all_callbacks)
            else:
                run_at_once(pool, ledger, known.arms, all_callbacks)
            line.show(result, at_once=True)
    except FailuresError:
        result._end()
        raise
    if isinstance(optimizer, str):
        result.optimizer.finish()
    result._end()
    return result


class Known:
    """Arms to try first, and arms whose rewards are known."""

    def __init__(self, enqueue: Any, observe: Any):
        self.arms = deque(_arm_from("enqueue", arm) for arm in _several("enqueue", enqueue))
        self._pairs = [_pair_from(pair) for pair in _several("observe", observe)]

    def check(self, optimizer: Any) -> None:
        """Complains about arms that are not in the space, before anything is played or told."""
        observed = [arm for arm, _ in self._pairs]
        for name, arms in (("enqueue", self.arms), ("observe", observed)):
            for number, arm in enumerate(arms):
                try:
                    optimizer.estimate(arm)
                except ValueError as error:
                    raise ValueError(f"{name}[{number}]: {error}") from None

    def tell(self, optimizer: Any) -> None:
        for arm, reward in self._pairs:
            optimizer.observe(arm, reward)


def _several(name: str, given: Any) -> list[Any]:
    if isinstance(given, (Mapping, str)) or not isinstance(given, Iterable):
        raise ValueError(f"{name} = {given!r}: must be a list")
    return list(given)


def _arm_from(name: str, arm: Any) -> dict[str, Any]:
    if not isinstance(arm, Mapping):
        raise ValueError(f'{name}: {arm!r} must be an arm, such as {{"x": 0.5}}')
    return dict(arm)


def _pair_from(pair: Any) -> tuple[dict[str, Any], Any]:
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        raise ValueError(f'observe: {pair!r} must be an arm and its reward, such as ({{"x": 0.5}}, 0.8)')
    return _arm_from("observe", pair[0]), pair[1]


class Ledger:
    """Notes what every call has brought, tells the optimizer, and knows when the search is over."""

    def __init__(
        self,
        result: Result,
        pulls: int | None,
        timeout: float | None,
        stop: Callable[[Result], bool] | None,
        line: _SearchLine,
        interrupts: _Interrupts,
        failures: Failures,
    ):
        self.result = result
        self.optimizer = result.optimizer
        self.interrupts = interrupts
        self.pulls = pulls
        self._timeout = timeout
        self._stop = stop
        self._line = line
        self._failures = failures
        self._started = time.monotonic()

    def left(self, flying: int = 0) -> int | None:
        """How many calls may still be begun."""
        return None if self.pulls is None else self.pulls - self.result.pulls - flying

    def reward(self, episode: Episode, pull: Any, reward: float) -> None:
        """A reward of a pull, or of an arm that was enqueued."""
        if pull is None:
            self.optimizer.observe(episode.arm, reward)
        else:
            self.optimizer.tell(pull, reward)
        if isinstance(self.optimizer, Optimizer):  # a study does it itself
            self.optimizer._say_advice()
        episode.rewards.append(reward)
        self.result.rewards.append(reward)
        if len(episode.rewards) == 1:
            self.result.episodes.append(episode)
        self._close(None)

    def failure(self, episode: Episode, pull: Any, error: Exception) -> None:
        """A call that has failed. Raises what it raised, unless failures are penalized."""
        if isinstance(error, _NoReward):
            raise ValueError(*error.args) from None
        if not self._failures.are_penalized(self.optimizer):
            shown = ValueError(*error.args) if isinstance(error, _BadReward) else error
            self._failures.advise(shown)
            if shown is error:
                raise shown
            raise shown from None
        if pull is None:
            self._failures.bar(self.optimizer, episode.arm)
        else:
            self._failures.penalize(self.optimizer, pull)
        self.result.failed += 1
        self.result.last_failure = f"{arm_text(episode.arm)}: {_text_of(error)}"
        self._close(error)

    def _close(self, failure: Exception | None) -> None:
        result = self.result
        result.pulls += 1
        self._failures.note(failure is not None)
        self.note_time()
        if result.stopped:  # by a call before, while this one was under way
            pass
        elif self.pulls is not None and result.pulls >= self.pulls:
            result.stopped = "pulls"
        elif self._timeout is not None and result.seconds >= self._timeout:
            result.stopped = "timeout"
        elif self._stop is not None:
            with self.interrupts.allowed():
                result.stopped = "stop" if self._stop(result) else ""
        self._line.show(result)
        if failure is not None and not result.stopped and self._failures.are_too_many():
            result.stopped = "failures"
            raise self._failures.error(result) from failure

    def note_time(self) -> None:
        self.result.seconds = time.monotonic() - self._started


def _run(
    measure: Callable[..., float],
    ledger: Ledger,
    first: deque[dict[str, Any]],
    callbacks: list[Callable[[Result], Any]],
) -> None:
    result, optimizer, interrupts = ledger.result, ledger.optimizer, ledger.interrupts
    take_unanswered = getattr(optimizer, "_take_unanswered", lambda: None)
    pull = None
    try:
        while not result.stopped:
            if first:
                episode, length = Episode(0, first.popleft(), -1, result.pulls + 1, []), 1
            else:
                pull = take_unanswered() or optimizer.ask(ledger.left())
                episode, length = Episode(pull.ticket, dict(pull.arm), pull.depth, result.pulls + 1, []), pull.length
            for _ in range(length):
                try:
                    with interrupts.allowed():
                        reward = measured(measure, episode.arm)
                except Exception as error:
                    ledger.failure(episode, pull, error)
                    pull = None  # closed
                    break
                ledger.reward(episode, pull, reward)
                if result.stopped:
                    break
            if pull is not None and len(episode.rewards) == length:
                pull = None  # answered
            with interrupts.allowed():
                for callback in callbacks:
                    callback(result)
    except KeyboardInterrupt:
        result.stopped = "interrupted"
        ledger.note_time()
    finally:
        if pull is not None:
            drop_pull(optimizer, pull)


class _NoReward(ValueError):
    """What was returned is no number at all: a mistake, not a failure."""


class _BadReward(ValueError):
    """What was returned says that it has failed."""


def measured(measure: Callable[..., float], arm: dict[str, Any]) -> float:
    returned = measure(**arm)
    if returned is None:
        raise _BadReward("reward = None: must be a finite number")
    try:
        reward = single_reward(returned)
    except ValueError as error:
        raise _NoReward(*error.args) from None
    if not is_usable(reward):
        raise _BadReward(f"reward = {reward!r}: must be a finite number, at most 1e100")
    return reward


def _text_of(failure: Exception) -> str:
    if isinstance(failure, _BadReward):
        return str(failure).partition(":")[0]
    return f"{type(failure).__name__}: {failure}" if str(failure) else type(failure).__name__


def is_usable(reward: float) -> bool:
    """Whether a number may be a reward."""
    return math.isfinite(reward) and abs(reward) <= 1e100


def usable_reward(name: str, value: Any) -> float:
    """One number that may be a reward. Raises ValueError."""
    try:
        reward = single_reward(value)
    except ValueError:
        reward = math.nan
    if not is_usable(reward):
        raise ValueError(f"{name} = {value!r}: must be a finite number")
    return reward


def drop_pull(optimizer: Optimizer | Study | RemoteStudy, pull: Any) -> None:
    with contextlib.suppress(ValueError):  # it may have been answered in full when the exception came
        optimizer.drop(pull)


def single_reward(reward: Any) -> float:
    """One number; booleans, and arrays and tensors of one element count as such."""
    if isinstance(reward, float):
        return reward
    if isinstance(reward, (str, bytes)) or reward is None:
        raise ValueError(f"reward = {reward!r}: must be a finite number")
    try:
        return float(reward.item() if hasattr(reward, "item") else reward)
    except (TypeError, ValueError):
        raise ValueError(f"reward = {reward!r}: must be a finite number") from None


def _workers_from(n_jobs: Any, workers: Any) -> tuple[int, Workers]:
    """How many calls at a time, and where they are made. Raises ValueError."""
    if workers not in ("processes", "threads"):
        raise ValueError(f'workers = {workers!r}: must be "processes" or "threads"')
    return jobs_from(n_jobs), workers


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
        raise ValueError(f"optimizer = {optimizer!r}: must be a name, an optimizer or a study")
    if optimizer.direction != direction:
        raise ValueError(
            f"the optimizer's direction is {optimizer.direction}; call canopy.{optimizer.direction} instead"
        )
    if space is not None and list(space.items()) != list(optimizer.space.items()):
        raise ValueError("space: differs from the optimizer's; leave it out")
    if options:
        raise ValueError(f"{', '.join(options)}: the given optimizer already has its options")


class _Interrupts:
    """Ctrl-C where it may come: an ask or a tell is done and noted, or it has not been begun.

    In the main thread of a program that has no handler of its own; elsewhere Python has no Ctrl-C.
    """

    def __init__(self) -> None:
        self._may_raise = False
        self._pending = False
        self._is_ours = False

    def __enter__(self) -> _Interrupts:
        is_main = threading.current_thread() is threading.main_thread()
        if is_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._handle)
            self._is_ours = True
        return self

    def __exit__(self, *_: object) -> None:
        if self._is_ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def _handle(self, *_: object) -> None:
        self._pending = True
        if self._may_raise:
            raise KeyboardInterrupt

    @contextlib.contextmanager
    def allowed(self) -> Iterator[None]:
        """A block that may be interrupted; what came before it is raised first."""
        self._may_raise = True
        try:
            if self._pending:
                raise KeyboardInterrupt
            yield
        finally:
            self._may_raise = False


class _SearchLine:
    """The progress of a search."""

    def __init__(self, pulls: int | None, timeout: float | None, wanted: bool):
        self._pulls, self._timeout, self._wanted = pulls, timeout, wanted
        self.line = ProgressLine(wanted)

    def show(self, result: Result, at_once: bool = False) -> None:
        if not self._wanted:
            return
        shares = [result.pulls / self._pulls] if self._pulls else []
        if self._timeout:
            shares.append(result.seconds / self._timeout)
        self.line.show(max(shares, default=None), lambda: self._text(result), at_once)

    def _text(self, result: Result) -> str:
        best = result.best_or_none()
        found = f"  best so far: {arm_text(best.arm)} ({best.mean:.4g})" if best else ""
        failed = f", {result.failed} failed" if result.failed else ""
        return f"{result.pulls} pulls{failed}{found}"
