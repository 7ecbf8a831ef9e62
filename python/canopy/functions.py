"""Standard test functions by name, scaled to [0, 1], with their optima.

They are the functions of `canopy simulate` and docs/environments.md, without noise. `canopy.experiment` also takes
their names, and then runs entirely in C++.

>>> from canopy import functions
>>> functions.names()[:3]
['garland', 'double-sine', 'difficult']
>>> branin = functions.get("branin")
>>> branin.space
Space({'x': Real(low=-5.0, high=10.0, log=False), 'y': Real(low=0.0, high=15.0, log=False)})
>>> round(branin(x=9.42478, y=2.475), 6)
1.0
>>> branin.best_arm["y"]
2.275
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, Literal

from ._experiment import Function
from ._simulation import Environment

__all__ = ["KnownFunction", "get", "names"]

_NAMES = (
    "garland",
    "double-sine",
    "difficult",
    "counterexample",
    "cliff",
    "himmelblau",
    "branin",
    "peaks",
    "rosenbrock",
    "rastrigin",
    "ackley",
    "hartmann-3",
    "hartmann-6",
)


class KnownFunction(Function):
    """A function with a known best arm, called as `f(**arm)`. It can be pickled.

    `optimum` is the exact largest value. Computed values may differ by rounding: f exceeds `optimum` by at most 1e-9,
    and f of the best arm is below it by at most `tolerance`. Therefore do not compare with ==; use `regret` and
    `is_near`.

    >>> f = canopy.functions.get("garland")
    >>> f(**f.best_arm) == f.optimum, f.is_near(f.best_arm, within=f.tolerance)
    (False, True)
    >>> round(f.regret({"x": 0.5}), 3), f.is_near({"x": 0.5})
    (0.246, False)
    """

    optimum: float  #: f*, the largest value
    best_arm: dict[str, Any]  #: an arm that has it
    #: how far f of the best arm may be below `optimum`: 2e-8 for the garland function, whose peaks are the tips of
    #: square roots and so sensitive to rounding of x; 1e-15 for all others.
    tolerance = 1e-7

    _given: dict[str, Any]  # arguments of `get`

    def regret(self, arm: Mapping[str, Any]) -> float:
        """f* - f(arm), without noise; never negative."""
        return max(0.0, self.optimum - self.function(**arm))

    def is_near(self, arm: Mapping[str, Any], within: float = 0.01) -> bool:
        """Whether the regret of an arm is at most `within`. All these functions range over about [0, 1]."""
        return self.regret(arm) <= within

    def __reduce__(self) -> tuple[Any, ...]:
        return (functools.partial(get, **self._given), ())


def names() -> list[str]:
    """The names of all functions."""
    return list(_NAMES)


def get(
    name: str,
    *,
    noise: Literal["gaussian", "uniform", "bernoulli"] | None = None,
    noise_width: float = 1.0,
    dimension: int | None = None,
    crop: float | None = None,
) -> KnownFunction:
    """The function with a name; `noise` is the noise that `canopy.experiment` adds.

    `dimension` is for functions of any number of parameters, and `crop` cuts off a part of the box for functions whose
    optimum is in its middle (docs/environments.md).

    >>> canopy.functions.get("rastrigin", dimension=3)
    <canopy.Function rastrigin of ['x1', 'x2', 'x3']>
    """
    if name not in _NAMES:
        raise ValueError(f"name = {name!r}: must be one of {', '.join(_NAMES)}")
    options: dict[str, Any] = {"dimension": dimension, "crop": crop}
    environment = Environment(name, **{option: value for option, value in options.items() if value is not None})
    function = KnownFunction(
        environment.mean_reward,
        environment.space,
        optimum=environment.best_mean,
        noise=noise,
        noise_width=noise_width,
        name=name,
        reward_range=(0, 1),
    )
    function.best_arm = environment.best_arm
    function._given = {"name": name, "noise": noise, "noise_width": noise_width, **options}
    return function
