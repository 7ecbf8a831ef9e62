"""Coroutines of functions that are called without `await`: one event loop for all of them, in a thread of its own."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Awaitable
from typing import Any

_lock = threading.Lock()
_loop: tuple[int, asyncio.AbstractEventLoop] | None = None  # of the process with that id


def awaited(outcome: Awaitable[Any]) -> Any:
    """What a coroutine returns, or raises. The calling thread may have an event loop of its own, as in a notebook.

    All coroutines of a process share a loop, so that what one of them has opened, a connection say, serves the others.
    Ctrl-C, which ends the wait, cancels the coroutine.
    """
    ended = threading.Event()
    call = asyncio.run_coroutine_threadsafe(_outcome(outcome, ended), _running_loop())
    try:
        returned, exit_error = call.result()
    except BaseException:
        call.cancel()
        ended.wait(5)  # for what it does in `finally`
        raise
    if exit_error is not None:
        raise exit_error
    return returned


async def _outcome(outcome: Awaitable[Any], ended: threading.Event) -> tuple[Any, BaseException | None]:
    """What it returns, or an exception that would end the loop."""
    try:
        return await outcome, None
    except (SystemExit, KeyboardInterrupt) as error:
        return None, error
    finally:
        ended.set()


def _running_loop() -> asyncio.AbstractEventLoop:
    """The loop of this process; a fork needs another one, since it has no thread but the one that has forked."""
    global _loop
    with _lock:
        if _loop is None or _loop[0] != os.getpid():
            loop = asyncio.new_event_loop()
            threading.Thread(target=loop.run_forever, name="canopy-coroutines", daemon=True).start()
            _loop = os.getpid(), loop
        return _loop[1]


def _renew_lock() -> None:
    """A thread that is not in the fork may have held it."""
    global _lock
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)
