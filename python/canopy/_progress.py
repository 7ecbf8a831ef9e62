"""Progress indicators."""

from __future__ import annotations

import importlib.util
import os
import sys
import time
from collections.abc import Callable
from typing import Any


class ProgressLine:
    """Progress on stderr: a bar of tqdm in a notebook or on a terminal, if tqdm is installed.

    Without tqdm, a terminal has a line that is overwritten. Pipes and logs get a line after every tenth of the work.

    - wanted: whether to show it; None: only in a notebook or on a terminal.
    - patience: seconds before it is first shown.
    """

    def __init__(self, wanted: bool | None = True, patience: float = 0.0):
        self._on_terminal = sys.stderr.isatty()
        self._is_live = self._on_terminal or _in_notebook()
        self._wanted = self._is_live if wanted is None else wanted
        self._due = time.monotonic() + patience
        self._tenths = 0
        self._shown = False
        self._bar: Any = None

    def show(self, share: float | None, text: Callable[[], str], at_once: bool = False) -> None:
        """Updates the display, at most a few times a second, with the share of the work done, if known, and a text."""
        now, tenths = time.monotonic(), int(10 * (share or 0.0))
        due = now >= self._due and (self._is_live or tenths > self._tenths)
        if not self._wanted or not (due or (at_once and self._is_live)):
            return
        if self._bar is None and not self._shown and self._is_live:
            self._bar = _new_bar(share)
        self._due, self._tenths, self._shown = now + 0.2 * self._is_live, tenths, True
        if self._bar is not None:
            self._bar.n = 0.0 if share is None else min(1.0, share)
            self._bar.set_description_str(text())
            return
        percent = "" if share is None else f"{100 * min(1.0, share):3.0f} %  "
        line = f"canopy: {percent}{text()}"
        overwrites = self._is_live
        print(f"\r{line:<79}" if overwrites else line, end="" if overwrites else "\n", file=sys.stderr)
        sys.stderr.flush()

    def silence(self) -> None:
        """Stops showing progress: in a fork, the bar belongs to the parent."""
        self._wanted = False
        if self._bar is not None:
            self._bar.disable = True
            self._bar = None

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()
        elif self._shown and self._is_live and self._wanted:
            print(file=sys.stderr)


def _in_notebook() -> bool:
    """Whether the program runs in a notebook kernel."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return type(shell).__name__ == "ZMQInteractiveShell"


def _new_bar(share: float | None) -> Any:
    """A bar of tqdm; None if it is not installed."""
    try:
        if _in_notebook() and importlib.util.find_spec("ipywidgets") is not None:
            from tqdm.notebook import tqdm

            bar = "{bar}"
        else:
            from tqdm import tqdm

            bar = "|{bar:20}|"
    except ImportError:
        return None

    class Bar(tqdm):  # type: ignore[type-arg,misc]
        monitor_interval = 0  # no monitor thread, because experiments fork

    width: dict[str, Any] = {"dynamic_ncols": True} if _has_width() else {"ncols": 79, "nrows": 20}
    if share is None:  # the amount of work is unknown
        return Bar(bar_format="canopy: {elapsed}  {desc}", **width)
    return Bar(total=1.0, bar_format=f"canopy: {{percentage:3.0f}} % {bar} {{elapsed}}  {{desc}}", **width)


def _has_width() -> bool:
    """Whether the terminal reports a size: pseudo-terminals often report 0, where tqdm would show nothing."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns > 0
    except (OSError, ValueError):
        return False
