"""Calls through an executor given by the user, in this process or in another one."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from typing import Any

from ._generators import Generators, find_generators, seed_all, seeded
from ._processes import Outcome, tried

#: identifies a process across machines
Process = tuple[str, int]


def this_process() -> Process:
    return socket.gethostname(), os.getpid()


#: the function last called in this process, and the generators that existed then
_known: tuple[Callable[..., Any], Generators] | None = None


def call_elsewhere(
    measure: Callable[..., Any],
    measured: Callable[..., Any],
    origin: Process,
    seed: int | None,
    number: int,
    arguments: dict[str, Any],
) -> Outcome:
    """The outcome of a call. In another process it has its own random numbers.

    A closure that is sent to another process has copies of the generators, in their state at that time: without a new
    seed, every call would draw the same numbers.
    """
    if this_process() == origin:
        return tried(measured, measure, arguments)
    global _known
    if _known is None or _known[0] is not measure:
        _known = (measure, find_generators())
        if seed is None:
            seed_all(os.urandom(16).hex(), _known[1])
    if seed is None:
        return tried(measured, measure, arguments)
    with seeded(f"{seed} {number}", _known[1]):
        return tried(measured, measure, arguments)
