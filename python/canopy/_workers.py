"""What those who work at the same time have in common."""

from __future__ import annotations

import os
import pickle
from typing import Any, TypeVar

from ._space import whole

_Error = TypeVar("_Error", bound=BaseException)


def jobs_from(n_jobs: Any) -> int:
    """How many at a time; -1 is one per core that this process may use. Raises ValueError."""
    if n_jobs == -1:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        return whole("n_jobs", n_jobs, 1, 1024)
    except ValueError:
        raise ValueError(f"n_jobs = {n_jobs!r}: must be a whole number from 1 to 1024, or -1") from None


class WorkerTraceback(Exception):
    """Where an exception came from in a worker: the cause of the one that is raised here."""

    def __str__(self) -> str:
        return f"\n\n{self.args[0]}"


def sendable(error: _Error) -> _Error | RuntimeError:
    """An exception that survives the way to another process: that one, or one that says the same."""
    try:
        pickle.loads(pickle.dumps(error))
        return error
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
