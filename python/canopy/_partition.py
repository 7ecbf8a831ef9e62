"""User-defined partitions: how a tree search cuts the space."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import Any

Cell = tuple[float, ...]


class Partition(abc.ABC):
    """Cuts a space into smaller and smaller cells, for the optimizers that search a tree.

    A cell is a tuple of numbers that only the partition interprets. All tuples have the same length and are passed back
    as floats. Implement `root`, `split` and `arm`, and give it to an optimizer:
    `canopy.Hct(space, partition=Mine())`. The same cell must always be cut in the same way: the results of `split` and
    `arm` are cached and requested ahead of time. An exception in them is raised by `ask` or `tell`, and the optimizer
    is unchanged.

    >>> class Thirds(canopy.Partition):
    ...     "Cuts the unit interval at a third, not in the middle."
    ...     def root(self):
    ...         return (0.0, 1.0)
    ...     def split(self, cell, depth):
    ...         low, high = cell
    ...         at = low + (high - low) / 3
    ...         return [(low, at), (at, high)] if high - low > 1e-9 else None
    ...     def arm(self, cell):
    ...         return {"x": (cell[0] + cell[1]) / 2}
    >>> opt = canopy.Hct({"x": canopy.real(0, 1)}, partition=Thirds())
    >>> sorted(round(node.arm["x"], 3) for node in opt.tree())
    [0.167, 0.5, 0.667]
    """

    arity: int = 2  #: number of parts of a cell

    @abc.abstractmethod
    def root(self) -> Cell:
        """The cell of the whole space."""

    @abc.abstractmethod
    def split(self, cell: Cell, depth: int) -> Sequence[Cell] | None:
        """The parts of a cell, `arity` of them; None if it cannot be cut. `depth` is 0 for the root."""

    @abc.abstractmethod
    def arm(self, cell: Cell) -> dict[str, Any]:
        """The arm to play for a cell: a value for every parameter."""


AnyPartition = str | Partition  #: a rule for boxes, such as "cyclic" or "longest_side", or a user-defined partition
