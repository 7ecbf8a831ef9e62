"""What is known of metrics with limits."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

#: whether an arm keeps a limit, as far as is known
LimitState = Literal["kept", "probably_kept", "probably_broken", "broken"]


class LimitCheck(NamedTuple):
    """What is known of a metric with a limit at an arm.

    `limit` says what that is ("at most 60"), `state` whether the arm keeps it, `probability` how probable that is.
    `level` is what the metric is at the arm, and `pulls` how many calls with it have measured it.
    """

    metric: str
    limit: str
    state: LimitState
    probability: float
    level: float
    pulls: int


def checks_from(checks: Iterable[Iterable[Any]]) -> dict[str, LimitCheck]:
    """From the tuples of `_canopy`, by metric."""
    return {check.metric: check for check in (LimitCheck(*each) for each in checks)}
