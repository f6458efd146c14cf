"""A grid on two columns."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from modlearn._model.forms import Counts, Pair, RecordPosition
from modlearn._model.partitions import Groups, Intervals, Level, Partition
from modlearn._model.printing import FrameMixin, PlotMixin, PrintMixin
from modlearn._model.record import Fault, Record, RecordUnion
from modlearn._statistics.batches import Batch
from modlearn.criteria import part_log_odds
from modlearn.schema import ORDERED

__all__ = ["PARTITION", "Grid"]

PARTITION = RecordUnion(**dict.fromkeys(ORDERED, Intervals), categorical=Groups)
"""How a partition of either type is written in a record."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Grid(PrintMixin, PlotMixin, FrameMixin, Record):
    """Parts of two columns; each pair of parts is a cell with its own class distribution.

    Parameters
    ----------
    axes : tuple of two Partition
        The parts of each column, with their rows per class whatever the other column holds.
    counts : ndarray of shape (I1, I2, J), int64
        Labeled rows per cell and class.
    cost, null_cost : float
        Cost of this grid and of a single cell: minus the log of their probability, in nats.
    level : float
        How informative the pair is about the target: 1 - cost / null_cost, 0 = not at all.
    gain : float
        The level of the pair minus the level of its better column.
    synergy : float
        What the pair saves beyond the sum of what its columns save alone, in nats. Positive: the
        columns are more informative together (synergy). Negative: they overlap (redundancy).
    proven_optimal : bool
        Whether it is proven that no grid costs less.

    See Also
    --------
    Intervals : The parts of one column whose values have an order.
    Groups : The parts of one column whose values have no order.

    Examples
    --------
    >>> import pandas as pd
    >>> from modlearn import PairEncoder
    >>> sides = {"mine": ["head", "tail"] * 50, "yours": ["head"] * 50 + ["tail"] * 50}
    >>> coins = pd.DataFrame(sides)
    >>> wins = ["me" if same else "you" for same in coins["mine"] == coins["yours"]]
    >>> grid = PairEncoder().fit(coins, wins).grids_["mine", "yours"]
    >>> grid.counts.shape
    (2, 2, 2)
    >>> grid.to_frame()[["mine", "yours", "rows", "share of me"]]
         mine   yours  rows  share of me
    0  {head}  {head}    25          1.0
    1  {head}  {tail}    25          0.0
    2  {tail}  {head}    25          0.0
    3  {tail}  {tail}    25          1.0
    """

    axes: Annotated[tuple[Partition, Partition], Pair(PARTITION)]
    counts: Annotated[NDArray[np.int64], Counts((None, None, "classes"))]
    cost: float
    null_cost: float
    level: Level
    gain: float
    synergy: float
    proven_optimal: bool

    @property
    def names(self) -> tuple[Hashable, Hashable]:
        """Names of the columns."""
        return self.axes[0].name, self.axes[1].name

    @property
    def columns(self) -> tuple[Hashable, ...]:
        """Names of the columns that the cell of a row depends on: two."""
        return self.names

    @property
    def name(self) -> str:
        """Both names in one text."""
        return f"{self.names[0]} × {self.names[1]}"

    @property
    def classes(self) -> NDArray[Any]:
        """The classes of the target."""
        return self.axes[0].classes

    @property
    def class_names(self) -> list[str]:
        """The classes as text."""
        return self.axes[0].class_names

    @property
    def n_parts(self) -> int:
        """Number of cells."""
        first, second = self.axes
        return first.n_parts * second.n_parts

    @property
    def part_of_cell(self) -> NDArray[np.intp]:
        """The part of every cell of the axes: each is one, shape (I1 * I2,)."""
        return np.arange(self.n_parts)

    @property
    def cells(self) -> NDArray[np.int64]:
        """Rows per cell and class, shape (I1 * I2, J)."""
        return self.counts.reshape(self.n_parts, -1)

    @cached_property
    def labels(self) -> list[str]:
        """A readable label per cell, such as ``(-inf, 12.78] × (1.235, 2.18]``."""
        first, second = self.axes
        return [f"{a} × {b}" for a in first.labels for b in second.labels]

    @property
    def log_odds(self) -> NDArray[np.float64]:
        """Log-likelihood ratio per cell and class, shape (I1 * I2, J)."""
        return part_log_odds(self.cells)

    def codes(self, first: NDArray[np.int32], second: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the cell of rows from their parts on both axes; -1 if one of them is -1.

        Parameters
        ----------
        first, second : ndarray of int32
            Part of every row on each axis, -1 = a value never seen in the training data.

        Returns
        -------
        ndarray of int32
        """
        cells = first * np.int32(self.counts.shape[1]) + second
        unseen = (first < 0) | (second < 0)
        return np.where(unseen, np.int32(-1), cells) if unseen.any() else cells

    def codes_in(self, batch: Batch) -> NDArray[np.int32]:
        """Return the cell of every row of a batch; -1 = an unseen value on either axis.

        Parameters
        ----------
        batch : Batch
            Rows that have both columns.

        Returns
        -------
        ndarray of int32
        """
        first, second = (axis.codes_in(batch) for axis in self.axes)
        return self.codes(first, second)

    def fits(self, partitions: Mapping[Hashable, Partition]) -> bool:
        """Whether each axis is of the same type as the partition of its column.

        Parameters
        ----------
        partitions : mapping of name to Partition
            The partitions of both columns.

        Returns
        -------
        bool
        """
        return all(type(axis) is type(partitions[axis.name]) for axis in self.axes)

    def fault(self, at: RecordPosition) -> Fault | None:
        """Say which field of a record contradicts the others."""
        first, second = self.axes
        if self.counts.shape[:2] != (first.n_parts, second.n_parts):
            lengths = f"{first.n_parts} × {second.n_parts} × {self.counts.shape[2]}"
            return ("counts",), f"a table of {lengths} counts"
        if not (
            np.array_equal(self.counts.sum(axis=1), first.counts)
            and np.array_equal(self.counts.sum(axis=0), second.counts)
        ):
            return ("counts",), "the rows of its axes"
        return None
