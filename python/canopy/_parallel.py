"""`n_jobs`: several calls at a time, in processes or in threads."""

from __future__ import annotations

import itertools
import os
import pickle
from collections import deque
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any

from ._generators import find_generators, seed_all, seeded
from ._ledger import Ledger, Watch, ask_in, calls_of, drop_pull, unanswered_of
from ._processes import Outcome, Processes, outcome_of, tried
from ._result import Episode, Result

Measured = Callable[[Callable[..., Any], dict[str, Any]], Any]


class Pool:
    """Calls a function elsewhere. Its end kills processes that are at work; threads run to the end of their call.

    Processes have random generators of their own. With a seed, what those give depends on it and on the number of the
    call alone.
    """

    def __init__(
        self, measure: Callable[..., Any], measured: Measured, n_jobs: int, workers: str, seed: int | None = None
    ):
        self.size = n_jobs
        self._calls = itertools.count(1)
        self._processes: Processes | None = None
        if workers == "processes":
            self._processes = Processes(n_jobs, None, _make_call, _pickled(measure, measured), seed)
        else:
            self._threads = ThreadPoolExecutor(n_jobs, thread_name_prefix="canopy")
            self._call = lambda arguments: tried(measured, measure, arguments)

    def submit(self, arguments: dict[str, Any]) -> Future[Outcome]:
        """Calls the function with these arguments."""
        if self._processes:
            return self._processes.submit(next(self._calls), arguments)
        return self._threads.submit(self._call, arguments)

    def end(self, at_once: bool) -> None:
        """Waits for the workers, or does not."""
        if self._processes:
            self._processes.end(at_once)
        else:
            self._threads.shutdown(wait=not at_once, cancel_futures=True)


def _pickled(measure: Callable[..., Any], measured: Measured) -> bytes:
    try:
        return pickle.dumps((measure, measured))
    except Exception as error:
        raise ValueError(
            f"measure = {measure!r}: cannot be sent to other processes ({error}). Define it with def at the top level "
            'of a module, without lambda, or give workers="threads".'
        ) from None


def _make_call(payload: bytes, seed: int | None) -> Callable[[int, dict[str, Any]], float]:
    """In the worker: what calls the function with random numbers of its own."""
    measure, measured = pickle.loads(payload)
    generators = find_generators()
    if seed is None:  # forks have the state of the one that has started them, and so the same numbers
        seed_all(os.urandom(16).hex(), generators)
        return lambda number, arguments: measured(measure, arguments)

    def call(number: int, arguments: dict[str, Any]) -> float:
        with seeded(f"{seed} {number}", generators):
            return measured(measure, arguments)

    return call


def run_at_once(
    pool: Pool, ledger: Ledger, watch: Watch, first: deque[dict[str, Any]], callbacks: list[Callable[[Result], Any]]
) -> None:
    """The loop of a search with as many calls under way as the pool has workers."""
    result, optimizer = ledger.result, ledger.optimizer
    take_unanswered = unanswered_of(optimizer)
    flying: dict[Future[Outcome], tuple[Episode, Any, list[dict[str, Any]]]] = {}  # with the calls of its pull to come
    open_pulls: deque[tuple[Any, list[dict[str, Any]]]] = deque()  # that were left open, one call of each at a time
    try:
        while flying or not result.stopped:
            while not result.stopped and len(flying) < pool.size and ledger.left(len(flying)) != 0:
                pull, context = None, None
                if open_pulls:  # of several calls, which pulls in a context are not
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
        for pull in [*(pull for _, pull, _ in flying.values()), *(pull for pull, _ in open_pulls)]:
            if pull is not None:
                drop_pull(optimizer, pull)
        pool.end(at_once=bool(flying))
