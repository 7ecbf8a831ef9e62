"""The number of workers."""

from __future__ import annotations

import os
from typing import Any

from ._space import whole


def jobs_from(n_jobs: Any) -> int:
    """How many at a time; -1 is one per core that this process may use. Raises ValueError."""
    if n_jobs == -1:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        return whole("n_jobs", n_jobs, 1, 1024)
    except ValueError:
        raise ValueError(f"n_jobs = {n_jobs!r}: must be a whole number from 1 to 1024, or -1") from None
