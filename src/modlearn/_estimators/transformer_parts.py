"""What a transformer learns."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Annotated, Any

from numpy.typing import NDArray

from modlearn._model.forms import Classes, Items, RecordPosition
from modlearn._model.grid import PARTITION, Grid
from modlearn._model.partitions import Partition
from modlearn._model.record import Fault, Record

__all__ = ["TransformerParts"]


@dataclass(frozen=True, eq=False)
class TransformerParts(Record):
    """What a transformer learns.

    Parameters
    ----------
    classes : ndarray of shape (J,)
        The classes of the target.
    partitions : tuple of Partition
        The partition of every column, in the order of the table.
    grids : tuple of Grid
        The grid of every pair that was searched.
    """

    classes: Annotated[NDArray[Any], Classes()]
    partitions: Annotated[tuple[Partition, ...], Items(PARTITION)]
    grids: tuple[Grid, ...] = ()

    @property
    def columns(self) -> tuple[Hashable, ...]:
        """Names of the columns of the training data."""
        return tuple(partition.name for partition in self.partitions)

    def fault(self, at: RecordPosition) -> Fault | None:
        """Say which field of a record contradicts the others."""
        names = {partition.name for partition in self.partitions}
        if not names or len(names) != len(self.partitions):
            return ("partitions",), "a list of partitions of different columns"
        pairs = {grid.names for grid in self.grids}
        if len(pairs) != len(self.grids) or any(
            first == second or not {first, second} <= names for first, second in pairs
        ):
            return ("grids",), "a list of different pairs of its columns"
        by_name = {partition.name: partition for partition in self.partitions}
        if not all(grid.fits(by_name) for grid in self.grids):
            return ("grids",), "a list of pairs whose axes are intervals or groups as their columns"
        return None
