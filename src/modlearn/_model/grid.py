"""A grid on two columns."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from modlearn._model.partition import Partition, log_odds_of
from modlearn._show.grid import grid_as_html, grid_as_text, grid_headline

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Grid"]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Grid:
    """Parts of two columns; each pair of parts is a cell with its own class distribution.

    Parameters
    ----------
    axes : tuple of two Partition
        The parts of each column, with their rows per class whatever the other column.
    counts : ndarray of shape (I1, I2, J), int64
        Labeled rows per cell and class.
    cost, null_cost : float
        Of this grid and of one cell: minus the log of their probability, in nats.
    level : float
        How much the pair tells about the target: 1 - cost / null_cost, 0 = nothing.
    gain : float
        The level of the pair above that of the better column.
    synergy : float
        What the pair saves beyond the sum of what its columns save alone, in nats. Above 0 they
        tell more together (synergy), below 0 they tell the same twice (redundancy).
    proven_optimal : bool
        Whether it is proven that no grid costs less.
    """

    axes: tuple[Partition, Partition]
    counts: NDArray[np.int64]
    cost: float
    null_cost: float
    level: float
    gain: float
    synergy: float
    proven_optimal: bool

    @property
    def names(self) -> tuple[Hashable, Hashable]:
        """Names of the columns."""
        return self.axes[0].name, self.axes[1].name

    @property
    def name(self) -> str:
        """Both names in one."""
        return f"{self.names[0]} × {self.names[1]}"

    @property
    def classes(self) -> NDArray[np.generic]:
        """The classes of the target."""
        return self.axes[0].classes

    @property
    def class_names(self) -> list[str]:
        """The classes as text."""
        return self.axes[0].class_names

    @property
    def n_parts(self) -> int:
        """Number of cells."""
        return self.counts.shape[0] * self.counts.shape[1]

    @property
    def cells(self) -> NDArray[np.int64]:
        """Rows per cell and class, shape (I1 * I2, J)."""
        return self.counts.reshape(self.n_parts, -1)

    @property
    def labels(self) -> list[str]:
        """A readable label per cell, such as ``(-inf, 12.78] × (1.235, 2.18]``."""
        first, second = self.axes
        return [f"{a} × {b}" for a in first.labels for b in second.labels]

    @property
    def log_odds(self) -> NDArray[np.float64]:
        """Log-likelihood ratio per cell and class, as of a partition."""
        return log_odds_of(self.cells)

    def codes(self, first: NDArray[np.int32], second: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the cell of rows whose parts on both axes are given."""
        return first * self.counts.shape[1] + second

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the cells as a heat map of their leading classes, through matplotlib.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None = on a new figure.

        Returns
        -------
        matplotlib Axes
        """
        from modlearn._show.plots import plot_grid

        return plot_grid(self, ax)

    def __repr__(self) -> str:
        return f"<Grid {grid_headline(self)}>"

    def __str__(self) -> str:
        return grid_as_text(self)

    def _repr_html_(self) -> str:
        return grid_as_html(self)
