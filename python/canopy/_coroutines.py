"""Runs coroutines for synchronous callers, in an event loop on a thread of its own."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Awaitable
from typing import Any

_lock = threading.Lock()
_loop: tuple[int, asyncio.AbstractEventLoop] | None = None  # process id and its event loop


def awaited(outcome: Awaitable[Any]) -> Any:
    """Runs a coroutine and returns its result. The calling thread may have its own event loop, as in a notebook.

    All coroutines of a process share a loop, so that they can share resources such as connections.
    Ctrl-C ends the wait and cancels the coroutine.
    """
    ended = threading.Event()
    call = asyncio.run_coroutine_threadsafe(_outcome(outcome, ended), _running_loop())
    try:
        returned, exit_error = call.result()
    except BaseException:
        call.cancel()
        ended.wait(5)  # so that `finally` blocks can run
        raise
    if exit_error is not None:
        raise exit_error
    return returned


async def _outcome(outcome: Awaitable[Any], ended: threading.Event) -> tuple[Any, BaseException | None]:
    """Returns its result, or an exception that would otherwise end the loop."""
    try:
        return await outcome, None
    except (SystemExit, KeyboardInterrupt) as error:
        return None, error
    finally:
        ended.set()


def _running_loop() -> asyncio.AbstractEventLoop:
    """The loop of this process. A fork needs a new one, because only the forking thread survives in it."""
    global _loop
    with _lock:
        if _loop is None or _loop[0] != os.getpid():
            loop = asyncio.new_event_loop()
            threading.Thread(target=loop.run_forever, name="canopy-coroutines", daemon=True).start()
            _loop = os.getpid(), loop
        return _loop[1]


def _renew_lock() -> None:
    """Replaces the lock in a fork, because another thread of the parent may hold it."""
    global _lock
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)
