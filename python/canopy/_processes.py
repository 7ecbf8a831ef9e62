"""Worker processes that end with this one, and whose exceptions are raised here with their tracebacks."""

from __future__ import annotations

import contextlib
import ctypes
import multiprocessing
import os
import pickle
import signal
import threading
import traceback
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import Connection
from typing import Any, NamedTuple


class Outcome(NamedTuple):
    """The outcome of a call: a value, or an exception with its traceback."""

    value: Any
    failure: Exception | None = None
    trace: str = ""


class Processes:
    """Calls the function that `make(*arguments)` returns in each process; forks need not pickle it."""

    def __init__(self, count: int, method: str | None, make: Callable[..., Callable[..., Any]], *arguments: Any):
        context = multiprocessing.get_context(method)
        # Only this process holds the write end, so workers see the end of the pipe when this process ends.
        reader, self._lifeline = context.Pipe(duplex=False)
        parent = os.getpid() if context.get_start_method() == "fork" else None
        begin = (parent, reader, self._lifeline, make, arguments)
        self._executor = ProcessPoolExecutor(count, context, _begin, begin)

    def submit(self, *arguments: Any) -> Future[Outcome]:
        """Submits a call. If the pool is broken, `outcome` raises the error."""
        try:
            return self._executor.submit(_call, *arguments)
        except BrokenProcessPool as error:
            broken: Future[Outcome] = Future()
            broken.set_exception(error)
            return broken

    def end(self, at_once: bool) -> None:
        """Ends the processes, either waiting for them or killing them."""
        busy = list((self._executor._processes or {}).values())
        self._executor.shutdown(wait=not at_once, cancel_futures=True)
        if at_once:
            for process in busy:
                process.kill()
            for process in busy:
                process.join()


def outcome_of(future: Future[Outcome]) -> Outcome:
    """The result of a call; its exception has the worker's traceback. Raises RuntimeError if the worker has died."""
    try:
        outcome = future.result()
    except BrokenProcessPool as error:
        raise RuntimeError("a worker process has died: it was killed, ran out of memory, or called exit") from error
    if outcome.failure is not None and outcome.trace:
        outcome.failure.__cause__ = _WorkerTraceback(outcome.trace)
    return outcome


def tried(function: Callable[..., Any], *arguments: Any) -> Outcome:
    """The outcome of a call."""
    try:
        return Outcome(function(*arguments))
    except Exception as error:
        return Outcome(None, error, traceback.format_exc())


class _WorkerTraceback(Exception):
    """The traceback of a worker, as the cause of the exception that is raised here."""

    def __str__(self) -> str:
        return f"\n\n{self.args[0]}"


# --- in the worker ---

_function: Callable[..., Any]


def _begin(
    parent: int | None, reader: Connection, lifeline: Connection, make: Callable[..., Any], arguments: tuple[Any, ...]
) -> None:
    global _function
    _die_with(parent, reader, lifeline)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is handled by the parent
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _function = make(*arguments)


def _die_with(parent: int | None, reader: Connection, lifeline: Connection) -> None:
    """Ends this process when its parent ends: by a signal of the kernel if possible, otherwise when a pipe closes."""
    with contextlib.suppress(Exception):
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    lifeline.close()

    def wait_for_end() -> None:
        with contextlib.suppress(EOFError, OSError):
            reader.recv_bytes()
        os._exit(1)

    threading.Thread(target=wait_for_end, daemon=True).start()
    if parent is not None and os.getppid() != parent:
        os._exit(1)  # the parent ended before the call of prctl


def _call(*arguments: Any) -> Outcome:
    outcome = tried(_function, *arguments)
    return outcome if outcome.failure is None else outcome._replace(failure=_sendable(outcome.failure))


def _sendable(error: Exception) -> Exception:
    """An exception that can be pickled: the given one, or a RuntimeError with the same text."""
    try:
        pickle.loads(pickle.dumps(error))
        return error
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
