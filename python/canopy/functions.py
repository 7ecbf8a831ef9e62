"""The functions on which this field compares algorithms: by name, mapped to [0, 1], with their optima.

They are those of `canopy simulate` and docs/environments.md, without noise; `canopy.experiment` also takes their names,
and then stays in C++.

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
    """A function whose best arm is known; called as `f(**arm)`."""

    best_arm: dict[str, Any]  #: an arm with the largest value, `optimum`


def names() -> list[str]:
    """The names of all of them."""
    return list(_NAMES)


def get(
    name: str,
    *,
    noise: Literal["gaussian", "uniform", "bernoulli"] | None = None,
    noise_width: float = 1.0,
    dimension: int | None = None,
    crop: float | None = None,
) -> KnownFunction:
    """The function of that name; `noise` is what `canopy.experiment` adds.

    `dimension` is for those of any number of parameters, and `crop` cuts a part off the box of those whose optimum is
    in its middle (docs/environments.md).

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
    return function
