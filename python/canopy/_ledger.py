"""Records the outcomes of the calls of a search, and decides when it is over."""

from __future__ import annotations

import contextlib
import inspect
import math
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

from . import _canopy
from ._optimizers import Looks, Optimizer, arm_text, warn_caller
from ._progress import ProgressLine
from ._result import Episode, Result
from ._space import Context, Contexts, Space, whole

OnFailure = Literal["penalize", "raise"]


class FailuresError(RuntimeError):
    """Too many pulls of a search have failed; `result` is the result so far."""

    def __init__(self, message: str, result: Result):
        super().__init__(message)
        self.result = result


class Failures:
    """Handles failed calls, and counts the failures among the last calls."""

    def __init__(self, on_failure: str, reward: Any, most: Any):
        if on_failure not in ("penalize", "raise"):
            raise ValueError(f'on_failure = {on_failure!r}: must be "penalize" or "raise"')
        self._penalizes = on_failure == "penalize"
        self._reward = None if reward is None else usable_reward("failure_reward", reward)
        self._most = whole("max_failures", most, 1)
        self._recent = _canopy.RecentFailures()

    def are_penalized(self, optimizer: Looks) -> bool:
        """Penalizes the pull of a failed call. Returns False if the exception is to be raised instead."""
        return self._penalizes and (self._reward is not None or optimizer.failure_reward() is not None)

    def penalize(self, optimizer: Looks, pull: Any) -> None:
        optimizer.penalize(pull, self._reward)

    def bar(self, optimizer: Looks, arm: dict[str, Any]) -> None:
        """Excludes an enqueued arm whose call failed."""
        optimizer.bar(arm, self._reward)

    def advise(self, error: Exception) -> None:
        """Adds a note to an exception that explains why it is raised."""
        if self._penalizes and hasattr(error, "add_note"):  # from Python 3.11 on
            error.add_note(
                "canopy: this call failed before the first reward. If calls may fail, give failure_reward, the value"
                " of a failure: a number worse than all rewards."
            )

    def note(self, failed: bool) -> None:
        self._recent.add(failed)

    def are_too_many(self) -> bool:
        return self._recent.are_too_many(self._most)

    def error(self, result: Result) -> FailuresError:
        recent = f"{self._recent.count} of the last {self._recent.pulls} pulls have failed"
        return FailuresError(f"{recent}, the last at {result.last_failure}", result)


def calls_of(pull: Any) -> list[dict[str, Any]]:
    """The arms to call the function with, in order: two for a duel."""
    first, then = dict(pull.arm), pull.then
    return [first] * (pull.length - pull.then_length) + [dict(then or {})] * pull.then_length


#: returns the context before each call
Observe = Callable[[], Context]


def check_observe(observe: Any, contexts: Contexts | None) -> None:
    """Checks that there is a function to observe the context if and only if there are contexts. Raises ValueError."""
    if contexts is None and observe is not None:
        raise ValueError('context: needs the variables that it observes: contexts={"load": canopy.real(0, 1)}')
    if contexts is not None and observe is None:
        names = ", ".join(contexts)
        raise ValueError(f"context: is missing; give a function that returns the values of {names}")
    if observe is not None and not callable(observe):
        raise ValueError(f"context = {observe!r}: must be a function that returns the context")


class Watch:
    """Observes the context before each call, and passes it to the function."""

    def __init__(self, observe: Observe | None, contexts: Contexts | None, measure: Callable[..., Any], space: Space):
        check_observe(observe, contexts)
        self._observe = observe
        self._is_handed_on = observe is not None and "context" not in space and _takes_context(measure)

    def look(self, interrupts: Interrupts) -> dict[str, Any] | None:
        """The present context; None without contexts."""
        if self._observe is None:
            return None
        with interrupts.allowed():
            seen = self._observe()
        if not isinstance(seen, Mapping):
            raise ValueError(f"context: the function returned {seen!r}; it must return a dictionary")
        return dict(seen)

    def arguments(self, arm: dict[str, Any], context: dict[str, Any] | None) -> dict[str, Any]:
        """The arguments of the function: the arm, and the context if it has such an argument."""
        return {**arm, "context": dict(context)} if context is not None and self._is_handed_on else arm


def _takes_context(measure: Callable[..., Any]) -> bool:
    try:
        argument = inspect.signature(measure).parameters.get("context")
    except (TypeError, ValueError):  # some functions written in C have no signature
        return False
    return argument is not None and argument.kind in (argument.POSITIONAL_OR_KEYWORD, argument.KEYWORD_ONLY)


def ask_in(optimizer: Any, pulls: int | None, context: dict[str, Any] | None) -> Any:
    """Asks for a pull, in the given context if there is one."""
    return optimizer.ask(pulls) if context is None else optimizer.ask(pulls, context=context)


def unanswered_of(optimizer: Any) -> Callable[[], Any]:
    """Returns a function that returns each pull that an earlier process left open, once each, and then None.

    Pulls with a context are dropped instead, because the context has changed since.
    """
    take: Callable[[], Any] = getattr(optimizer, "_take_unanswered", lambda: None)
    if optimizer.contexts is not None:
        while (pull := take()) is not None:
            drop_pull(optimizer, pull)
    return take


class Ledger:
    """Records the outcome of every call, tells the optimizer, and decides when the search is over."""

    def __init__(
        self,
        result: Result,
        pulls: int | None,
        timeout: float | None,
        stop: Callable[[Result], bool] | None,
        line: SearchLine,
        interrupts: Interrupts,
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
        baseline = self.optimizer.baseline
        self._baseline = baseline.setting if baseline else None
        self._unsaid = list(self.optimizer.limits)

    def left(self, flying: int = 0) -> int | None:
        """The number of calls that may still be started."""
        return None if self.pulls is None else self.pulls - self.result.pulls - flying

    def reward(self, episode: Episode, pull: Any, outcome: Outcome) -> None:
        """A reward of a pull, or of an enqueued arm. Calls with the baseline do not count as pulls of the search."""
        reward, metrics = outcome
        if pull is None:
            self.optimizer.observe(episode.arm, reward, metrics or None, **_in(episode.context))
        else:
            self.optimizer.tell(pull, reward, metrics or None)
        self._say_missing(metrics)
        if isinstance(self.optimizer, Optimizer):  # a study warns itself
            self.optimizer._say_advice()
        is_pull = not self._is_of_baseline(episode, pull)
        if is_pull:
            episode.rewards.append(reward)
            self.result.rewards.append(reward)
            if len(episode.rewards) == 1:
                self.result.episodes.append(episode)
        self._close(None, is_pull)

    def _say_missing(self, metrics: dict[str, float]) -> None:
        """Warns, once each, about metrics with a limit that were not measured."""
        for metric in [each for each in self._unsaid if each not in metrics]:
            self._unsaid.remove(metric)
            warn_caller(
                f"{metric} has a limit, but a call has not measured it: let the function return "
                f'{{"reward": ..., "{metric}": ...}}'
            )

    def failure(self, episode: Episode, pull: Any, error: Exception) -> None:
        """Handles a failed call. Raises its exception unless failures are penalized."""
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
        self._close(error, not self._is_of_baseline(episode, pull))

    def _is_of_baseline(self, episode: Episode, pull: Any) -> bool:
        """Whether a call measures the baseline for a comparison, and so does not count as a pull."""
        return pull is not None and pull.purpose in ("baseline", "duel") and episode.arm == self._baseline

    def _close(self, failure: Exception | None, is_pull: bool) -> None:
        """Called after each call, of the search or of the baseline."""
        result = self.result
        result.pulls += is_pull
        if is_pull or failure is not None:
            self._failures.note(failure is not None)
        self.note_time()
        if result.stopped:  # by another call while this one was running
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


def _in(context: dict[str, Any] | None) -> dict[str, Any]:
    """The keyword argument with the context, if there is one."""
    return {} if context is None else {"context": context}


class _NoReward(ValueError):
    """The returned value is not a number: a programming error, not a failed call."""


class _BadReward(ValueError):
    """The returned value says that the call has failed."""


#: a reward and the metrics measured with it
Outcome = tuple[float, dict[str, float]]


def measured(measure: Callable[..., Any], arguments: dict[str, Any]) -> Outcome:
    """The outcome of a call, which returns a reward or a dictionary with reward and metrics, and may be `async`."""
    returned = measure(**arguments)
    if hasattr(returned, "__await__"):
        from ._coroutines import awaited  # slow to import

        returned = awaited(returned)
    metrics: dict[str, float] = {}
    if isinstance(returned, Mapping):
        if "reward" not in returned:
            raise _NoReward(f'the function returned {dict(returned)!r}: a dictionary must have a "reward"')
        metrics = _metrics_from(returned)
        returned = returned["reward"]
    if returned is None:
        raise _BadReward("reward = None: must be a finite number")
    try:
        reward = single_reward(returned)
    except ValueError as error:
        raise _NoReward(*error.args) from None
    if not is_usable(reward):
        raise _BadReward(f"reward = {reward!r}: must be a finite number, at most 1e100")
    return reward, metrics


def _metrics_from(returned: Mapping[Any, Any]) -> dict[str, float]:
    """All numbers except the reward. None, NaN and infinities count as not measured."""
    metrics = {}
    for name, value in returned.items():
        if name == "reward" or value is None:
            continue
        if not isinstance(name, str):
            raise _NoReward(f"{name!r}: the name of a metric must be a string")
        try:
            number = single_reward(value)
        except ValueError:
            raise _NoReward(f"{name} = {value!r}: a metric must be a number") from None
        if is_usable(number):
            metrics[name] = number
    return metrics


def _text_of(failure: Exception) -> str:
    if isinstance(failure, _BadReward):
        return str(failure).partition(":")[0]
    return f"{type(failure).__name__}: {failure}" if str(failure) else type(failure).__name__


def is_usable(reward: float) -> bool:
    """Whether a number may be a reward."""
    return math.isfinite(reward) and abs(reward) <= 1e100


def usable_reward(name: str, value: Any) -> float:
    """Returns a number that may be a reward. Raises ValueError."""
    try:
        reward = single_reward(value)
    except ValueError:
        reward = math.nan
    if not is_usable(reward):
        raise ValueError(f"{name} = {value!r}: must be a finite number")
    return reward


def single_reward(reward: Any) -> float:
    """Converts to a float: numbers, booleans, and arrays and tensors of one element."""
    if isinstance(reward, float):
        return reward
    if isinstance(reward, (str, bytes)) or reward is None:
        raise ValueError(f"reward = {reward!r}: must be a finite number")
    try:
        return float(reward.item() if hasattr(reward, "item") else reward)
    except (TypeError, ValueError):
        raise ValueError(f"reward = {reward!r}: must be a finite number") from None


def drop_pull(optimizer: Looks, pull: Any) -> None:
    with contextlib.suppress(ValueError):  # it may have been answered already
        optimizer.drop(pull)


class Interrupts:
    """Defers Ctrl-C so that an ask or a tell is either complete and recorded, or not begun.

    Only in the main thread of a program without a handler of its own; other threads do not receive Ctrl-C.
    """

    def __init__(self) -> None:
        self._may_raise = False
        self._pending = False
        self._is_ours = False

    def __enter__(self) -> Interrupts:
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
        """A block that may be interrupted. A deferred interrupt is raised first."""
        self._may_raise = True
        try:
            if self._pending:
                raise KeyboardInterrupt
            yield
        finally:
            self._may_raise = False


class SearchLine:
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
