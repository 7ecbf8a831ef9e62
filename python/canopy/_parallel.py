"""`n_jobs`: parallel calls in processes, in threads, or by an executor of the user."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import pickle
import sys
from collections import deque
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from typing import Any

from ._elsewhere import call_elsewhere, this_process
from ._generators import find_generators, seed_all, seeded
from ._ledger import Ledger, Watch, ask_in, calls_of, drop_pull, unanswered_of
from ._processes import Outcome, Processes, outcome_of, tried
from ._result import Episode, Result
from ._workers import Jobs

Measured = Callable[[Callable[..., Any], dict[str, Any]], Any]


class Pool:
    """Calls a function in workers. Closing it kills running processes; threads finish their call.

    Processes have their own random generators. With a seed, their numbers depend only on it and on the number of the
    call. An executor of the user is not shut down.
    """

    def __init__(self, measure: Callable[..., Any], measured: Measured, jobs: Jobs, seed: int | None = None):
        self.size = jobs.calls
        calls = itertools.count(1)
        if jobs.executor is not None:
            executor = jobs.executor
            if isinstance(executor, ProcessPoolExecutor):
                _pickled(measure, measured)  # so that the error comes before anything is started
            about = (measure, measured, this_process(), seed)
            self._submit = lambda arguments: executor.submit(call_elsewhere, *about, next(calls), arguments)
            self._end: Callable[[bool], None] = lambda at_once: None
        elif jobs.workers == "processes":
            processes = _processes(measure, measured, jobs.calls, seed)
            self._submit = lambda arguments: processes.submit(next(calls), arguments)
            self._end = processes.end
        else:
            threads = ThreadPoolExecutor(jobs.calls, thread_name_prefix="canopy")
            self._submit = lambda arguments: threads.submit(tried, measured, measure, arguments)
            self._end = lambda at_once: threads.shutdown(wait=not at_once, cancel_futures=True)

    def submit(self, arguments: dict[str, Any]) -> Future[Outcome]:
        """Calls the function with these arguments."""
        return self._submit(arguments)

    def end(self, at_once: bool) -> None:
        """Closes the workers, optionally waiting for them."""
        self._end(at_once)


def _processes(measure: Callable[..., Any], measured: Measured, count: int, seed: int | None) -> Processes:
    """Checks that the function can be pickled, unless workers are forks. Closures and lambdas cannot be pickled."""
    try:
        payload = _pickled(measure, measured)
    except ValueError:
        if not (sys.platform == "linux" and "fork" in multiprocessing.get_all_start_methods()):
            raise
        return Processes(count, "fork", _calls_of, measure, measured, seed)
    return Processes(count, None, _make_call, payload, seed)


def _pickled(measure: Callable[..., Any], measured: Measured) -> bytes:
    try:
        return pickle.dumps((measure, measured))
    except Exception as error:
        raise ValueError(
            f"measure = {measure!r}: cannot be sent to other processes ({error}). Define it with def at the top level "
            'of a module, without lambda, or give workers="threads".'
        ) from None


def _make_call(payload: bytes, seed: int | None) -> Callable[[int, dict[str, Any]], Any]:
    measure, measured = pickle.loads(payload)
    return _calls_of(measure, measured, seed)


def _calls_of(
    measure: Callable[..., Any], measured: Measured, seed: int | None
) -> Callable[[int, dict[str, Any]], Any]:
    """Runs in the worker: calls the function with its own random numbers."""
    generators = find_generators()
    if seed is None:  # forks inherit the state of their parent and would all have the same numbers
        seed_all(os.urandom(16).hex(), generators)
        return lambda number, arguments: measured(measure, arguments)

    def call(number: int, arguments: dict[str, Any]) -> Any:
        with seeded(f"{seed} {number}", generators):
            return measured(measure, arguments)

    return call


def run_at_once(
    pool: Pool, ledger: Ledger, watch: Watch, first: deque[dict[str, Any]], callbacks: list[Callable[[Result], Any]]
) -> None:
    """The loop of a search with as many concurrent calls as the pool has workers."""
    result, optimizer = ledger.result, ledger.optimizer
    take_unanswered = unanswered_of(optimizer)
    flying: dict[Future[Outcome], tuple[Episode, Any, list[dict[str, Any]]]] = {}  # and the calls left in its pull
    open_pulls: deque[tuple[Any, list[dict[str, Any]]]] = deque()  # left open by an earlier process
    try:
        while flying or not result.stopped:
            while not result.stopped and len(flying) < pool.size and ledger.left(len(flying)) != 0:
                pull, context = None, None
                if open_pulls:  # pulls with a context have one call only
                    pull, calls = open_pulls.popleft()
                else:
                    context = watch.look(ledger.interrupts)
                    if first:
                        calls = [first.popleft()]
                    else:
                        pull = take_unanswered() or ask_in(optimizer, 1, context)
                        calls = calls_of(pull)
                ticket, depth = (pull.ticket, pull.depth) if pull else (0, -1)
                episode = Episode(ticket, calls[0], depth, 0, [], context)
                flying[pool.submit(watch.arguments(calls[0], context))] = (episode, pull, calls[1:])
            with ledger.interrupts.allowed():
                done, _ = wait(flying, return_when=FIRST_COMPLETED)
            for call in done:
                episode, pull, calls = flying[call]
                outcome = outcome_of(call)
                episode = episode._replace(first=result.pulls + 1)
                if outcome.failure is not None:
                    ledger.failure(episode, pull, outcome.failure)
                elif outcome.value is not None:
                    ledger.reward(episode, pull, outcome.value)
                    if calls:
                        open_pulls.append((pull, calls))
                del flying[call]  # it is answered
                with ledger.interrupts.allowed():
                    for callback in callbacks:
                        callback(result)
    except KeyboardInterrupt:
        result.stopped = "interrupted"
        ledger.note_time()
    finally:
        for call in flying:
            call.cancel()  # an executor of the user keeps running, but need not start this call
        for pull in [*(pull for _, pull, _ in flying.values()), *(pull for pull, _ in open_pulls)]:
            if pull is not None:
                drop_pull(optimizer, pull)
        pool.end(at_once=bool(flying))
