"""The number of parallel calls, and the workers that make them."""

from __future__ import annotations

import os
from concurrent.futures import Executor
from typing import Any, Literal, NamedTuple

from ._space import whole

Workers = Literal["processes", "threads"]


class Jobs(NamedTuple):
    """The number of parallel calls, and their workers or executor."""

    calls: int = 1
    workers: Workers = "threads"
    executor: Executor | None = None


def jobs_from(n_jobs: Any) -> int:
    """The number of parallel calls; -1 is one per core that this process may use. Raises ValueError."""
    if n_jobs == -1:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        return whole("n_jobs", n_jobs, 1, 1024)
    except ValueError:
        raise ValueError(f"n_jobs = {n_jobs!r}: must be a whole number from 1 to 1024, or -1") from None


def workers_from(n_jobs: Any, workers: Any, executor: Any) -> Jobs:
    """Checks `n_jobs`, `workers` and `executor`. Raises ValueError."""
    if workers not in ("processes", "threads"):
        raise ValueError(f'workers = {workers!r}: must be "processes" or "threads"')
    if executor is None:
        return Jobs(1 if n_jobs is None else jobs_from(n_jobs), workers)
    if not callable(getattr(executor, "submit", None)):
        raise ValueError(f"executor = {executor!r}: must be an executor with the interface of concurrent.futures")
    if n_jobs is None:
        n_jobs = getattr(executor, "_max_workers", None)
        if n_jobs is None:
            raise ValueError("n_jobs: is missing; give the number of parallel calls of the executor")
    return Jobs(jobs_from(n_jobs), workers, executor)
