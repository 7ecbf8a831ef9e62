"""The progress of long work."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable


class ProgressLine:
    """A line on stderr that is overwritten on a terminal; a line for every tenth elsewhere.

    - wanted: whether there is one; None: if stderr is a terminal.
    - patience: seconds before it is shown at all.
    """

    def __init__(self, wanted: bool | None = True, patience: float = 0.0):
        self._on_terminal = sys.stderr.isatty()
        self._wanted = self._on_terminal if wanted is None else wanted
        self._due = time.monotonic() + patience
        self._tenths = 0
        self._shown = False

    def show(self, share: float | None, text: Callable[[], str], at_once: bool = False) -> None:
        """Shows how much of the work is done, if it is known and time for that, and a text."""
        now, tenths = time.monotonic(), int(10 * (share or 0.0))
        due = now >= self._due and (self._on_terminal or tenths > self._tenths)
        if not self._wanted or not (due or (at_once and self._on_terminal)):
            return
        self._due, self._tenths, self._shown = now + 0.2 * self._on_terminal, tenths, True
        percent = "" if share is None else f"{100 * min(1.0, share):3.0f} %  "
        line = f"canopy: {percent}{text()}"
        print(f"\r{line:<79}" if self._on_terminal else line, end="" if self._on_terminal else "\n", file=sys.stderr)
        sys.stderr.flush()

    def silence(self) -> None:
        """Shows nothing from now on."""
        self._wanted = False

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown and self._on_terminal:
            print(file=sys.stderr)
