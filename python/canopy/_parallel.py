"""`n_jobs`: several calls at a time, in processes or in threads."""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import multiprocessing
import os
import pickle
import signal
import threading
import traceback
from collections import deque
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from ._generators import seeded
from ._search import Episode, Ledger, Result, drop_pull
from ._workers import WorkerTraceback, sendable

Measured = Callable[[Callable[..., float], dict[str, Any]], float]


class Answer(NamedTuple):
    """What a call has brought: a reward, or how it failed and where."""

    reward: float | None
    failure: Exception | None = None
    trace: str = ""


class Pool:
    """Calls a function elsewhere. Its end kills processes that are at work; threads run to the end of their call.

    Processes have random generators of their own, and die with this process, however that ends. With a seed, what
    those generators give depends on it and on the number of the call alone.
    """

    def __init__(
        self, measure: Callable[..., float], measured: Measured, n_jobs: int, workers: str, seed: int | None = None
    ):
        self.size = n_jobs
        self._calls = itertools.count(1)
        if workers == "processes":
            # Held open by this process alone: its end is that of the pipe.
            reader, self._lifeline = multiprocessing.Pipe(duplex=False)
            arguments = (_pickled(measure, measured), seed, os.getpid(), reader, self._lifeline)
            self._executor: Executor = ProcessPoolExecutor(n_jobs, initializer=_begin, initargs=arguments)
            self._call: Callable[..., Answer] = _call
        else:
            self._executor = ThreadPoolExecutor(n_jobs, thread_name_prefix="canopy")
            self._call = lambda number, arm: _answer(measure, measured, arm)

    def submit(self, arm: dict[str, Any]) -> Future[Answer]:
        """Calls the function with that arm. A pool that is broken says so when it is asked for the answer."""
        try:
            return self._executor.submit(self._call, next(self._calls), arm)
        except BrokenProcessPool as error:
            broken: Future[Answer] = Future()
            broken.set_exception(error)
            return broken

    def end(self, at_once: bool) -> None:
        """Waits for the workers, or does not."""
        busy = list(self._executor._processes.values()) if isinstance(self._executor, ProcessPoolExecutor) else []
        self._executor.shutdown(wait=not at_once, cancel_futures=True)
        if at_once:
            for process in busy:
                process.kill()
            for process in busy:
                process.join()


def _answer_of(future: Future[Answer]) -> Answer:
    """What a call has brought; its failure has the worker's traceback. Raises RuntimeError if the worker has died."""
    try:
        answer = future.result()
    except BrokenProcessPool as error:
        raise RuntimeError("a worker process has died: it was killed, ran out of memory, or called exit") from error
    if answer.failure is not None and answer.trace:
        answer.failure.__cause__ = WorkerTraceback(answer.trace)
    return answer


def _pickled(measure: Callable[..., float], measured: Measured) -> bytes:
    try:
        return pickle.dumps((measure, measured))
    except Exception as error:
        raise ValueError(
            f"measure = {measure!r}: cannot be sent to other processes ({error}). Define it with def at the top level "
            'of a module, without lambda, or give workers="threads".'
        ) from None


def run_at_once(
    pool: Pool, ledger: Ledger, first: deque[dict[str, Any]], callbacks: list[Callable[[Result], Any]]
) -> None:
    """The loop of a search with as many calls under way as the pool has workers."""
    result, optimizer = ledger.result, ledger.optimizer
    take_unanswered = getattr(optimizer, "_take_unanswered", lambda: None)
    flying: dict[Future[Answer], tuple[Episode, Any, int]] = {}  # with how many calls of its pull are left
    open_pulls: deque[tuple[Any, int]] = deque()  # that were left open, one call of each at a time
    try:
        while flying or not result.stopped:
            while not result.stopped and len(flying) < pool.size and ledger.left(len(flying)) != 0:
                pull, calls = None, 1
                if open_pulls:
                    pull, calls = open_pulls.popleft()
                elif not first:
                    pull = take_unanswered() or optimizer.ask(1)
                    calls = pull.length
                ticket, depth = (pull.ticket, pull.depth) if pull else (0, -1)
                arm = dict(pull.arm) if pull else first.popleft()
                flying[pool.submit(arm)] = (Episode(ticket, arm, depth, 0, []), pull, calls - 1)
            with ledger.interrupts.allowed():
                done, _ = wait(flying, return_when=FIRST_COMPLETED)
            for call in done:
                episode, pull, calls = flying[call]
                answer = _answer_of(call)
                episode = episode._replace(first=result.pulls + 1)
                if answer.failure is not None:
                    ledger.failure(episode, pull, answer.failure)
                elif answer.reward is not None:
                    ledger.reward(episode, pull, answer.reward)
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


# --- in the worker ---

_task: tuple[Callable[..., float], Measured]
_seed: int | None
_own_chance = contextlib.ExitStack()  # for as long as the process lives


def _begin(payload: bytes, seed: int | None, parent: int, reader: Connection, lifeline: Connection) -> None:
    global _task, _seed
    _die_with(parent, reader, lifeline)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that has started this one
    _task = pickle.loads(payload)
    _seed = seed
    if seed is None:  # forks have the state of the one that has started them, and so the same numbers
        _own_chance.enter_context(seeded(os.urandom(16).hex(), [_task[0]]))


def _die_with(parent: int, reader: Connection, lifeline: Connection) -> None:
    """Ends this process when another one ends: at once where the kernel can do that, or when a pipe ends."""
    with contextlib.suppress(Exception):
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    lifeline.close()

    def wait_for_end() -> None:
        with contextlib.suppress(EOFError, OSError):
            reader.recv_bytes()
        os._exit(1)

    threading.Thread(target=wait_for_end, daemon=True).start()
    if os.getppid() != parent and multiprocessing.get_start_method() == "fork":
        os._exit(1)  # it ended before the kernel was told


def _call(number: int, arm: dict[str, Any]) -> Answer:
    if _seed is None:
        answer = _answer(*_task, arm)
    else:
        with seeded(f"{_seed} {number}", [_task[0]]):
            answer = _answer(*_task, arm)
    return answer if answer.failure is None else answer._replace(failure=sendable(answer.failure))


def _answer(measure: Callable[..., float], measured: Measured, arm: dict[str, Any]) -> Answer:
    try:
        return Answer(measured(measure, arm))
    except Exception as error:
        return Answer(None, error, traceback.format_exc())
