"""Estimates of metrics with limits."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

#: whether an arm keeps a limit, according to the measurements
LimitState = Literal["kept", "probably_kept", "probably_broken", "broken"]


class LimitCheck(NamedTuple):
    """The estimate of a metric with a limit at an arm.

    `limit` describes the limit ("at most 60"), `state` says whether the arm keeps it, `probability` is the probability
    of that. `estimate` is the estimated metric of the arm, and `pulls` the number of calls that measured it there.
    """

    metric: str
    limit: str
    state: LimitState
    probability: float
    estimate: float
    pulls: int


def checks_from(checks: Iterable[Iterable[Any]]) -> dict[str, LimitCheck]:
    """From the tuples of `_canopy`, by metric."""
    return {check.metric: check for check in (LimitCheck(*each) for each in checks)}
