"""`make_optimizer`: makes an optimizer by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

from . import _optimizers
from ._optimizers import Optimizer
from ._space import AnySpace

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._classes import Adaptive, AnyOptimizer, DefaultOptimizer, OtherOptimizer
    from ._options import MakeOptions
    from ._signatures import MakeDefault, MakeOther


@overload
def make_optimizer(name: DefaultOptimizer, space: AnySpace, **options: Unpack[MakeDefault]) -> Adaptive: ...
@overload
def make_optimizer(name: OtherOptimizer, space: AnySpace, **options: Unpack[MakeOther]) -> Optimizer: ...
def make_optimizer(name: AnyOptimizer, space: AnySpace, **options: Unpack[MakeOptions]) -> Optimizer:
    """Makes an optimizer by its name or class; `canopy.optimizers()` lists the names.

    >>> canopy.make_optimizer("thoo", {"x": canopy.real(0, 1)}, horizon=1000)
    <canopy.Thoo of ['x'], 0 pulls, 3 nodes>
    """
    return _optimizers.make_optimizer(name, space, **options)
