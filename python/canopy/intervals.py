"""Confidence intervals for the mean of an arm that are valid at all times simultaneously (confidence sequences).

`best` and `estimate` use these functions. docs/intervals.md has the formulas and their sources.
"""

from __future__ import annotations

from . import _canopy
from ._space import number

__all__ = ["arm_alpha", "bounded_interval", "sequence_width", "success_interval", "t_sequence_width"]


def arm_alpha(confidence: float, k: int) -> float:
    """The error probability of the interval of the k-th arm that was played. Over all k, they sum to 1 - confidence.

    >>> round(canopy.intervals.arm_alpha(0.95, 1), 4)
    0.0185
    """
    if number("k", k) < 1:
        raise ValueError(f"k = {k!r}: must be 1 or more")
    return _canopy.arm_alpha(_share("confidence", confidence), number("k", k))


def t_sequence_width(pulls: float, alpha: float) -> float:
    """Half the width of the interval for the mean of normal rewards of unknown variance, in units of sqrt(SS / pulls).

    SS is the sum of their squared deviations from their mean. Infinite while there are too few pulls.

    >>> round(canopy.intervals.t_sequence_width(50, 0.05), 3)
    0.462
    """
    return _canopy.t_sequence_width(_positive("pulls", pulls), _share("alpha", alpha))


def sequence_width(pulls: float, alpha: float) -> float:
    """Half the width of the interval for the mean of rewards of known variance, in units of their standard deviation.

    >>> round(canopy.intervals.sequence_width(50, 0.05), 3)
    0.429
    """
    return _canopy.sequence_width(_positive("pulls", pulls), _share("alpha", alpha))


def success_interval(successes: float, pulls: float, alpha: float) -> tuple[float, float]:
    """The interval for the rate of success of rewards that are 0 or 1.

    >>> [round(end, 3) for end in canopy.intervals.success_interval(30, 100, 0.05)]
    [0.166, 0.463]
    """
    pulls = _positive("pulls", pulls)
    if not 0 <= number("successes", successes) <= pulls:
        raise ValueError(f"successes = {successes!r}: must be from 0 to {pulls:g}")
    return _canopy.success_interval(number("successes", successes), pulls, _share("alpha", alpha))


def bounded_interval(mean: float, pulls: float, prediction_errors: float, alpha: float) -> tuple[float, float]:
    """The interval for the mean of rewards in [0, 1] of any distribution.

    `prediction_errors` is the sum of (reward - prediction)^2, each prediction made before its reward, for instance as
    the mean of the earlier rewards.

    >>> [round(end, 3) for end in canopy.intervals.bounded_interval(0.3, 1000, 10, 0.05)]
    [0.282, 0.318]
    """
    if not 0 <= number("mean", mean) <= 1:
        raise ValueError(f"mean = {mean!r}: must be from 0 to 1")
    if not 0 <= number("prediction_errors", prediction_errors) < float("inf"):
        raise ValueError(f"prediction_errors = {prediction_errors!r}: must be 0 or more")
    pulls = _positive("pulls", pulls)
    return _canopy.bounded_interval(float(mean), pulls, float(prediction_errors), _share("alpha", alpha))


def _positive(name: str, value: float) -> float:
    if not 0 < number(name, value) < float("inf"):
        raise ValueError(f"{name} = {value!r}: must be above 0")
    return float(value)


def _share(name: str, value: float) -> float:
    if not 0 < number(name, value) < 1:
        raise ValueError(f"{name} = {value!r}: must be between 0 and 1")
    return float(value)
