"""What intervals and groups have in common: parts, each with its rows per class."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from modlearn._show.partition import as_html, as_text, headline
from modlearn.schema import class_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Partition", "log_odds_of"]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Partition:
    """Parts of the values of one column, chosen to tell most about the target.

    Parameters
    ----------
    name : hashable
        Name of the column.
    classes : ndarray of shape (J,)
        The classes of the target.
    counts : ndarray of shape (I, J), int64
        Labeled rows per part and class.
    unlabeled_counts : ndarray of shape (I,), int64
        Unlabeled rows per part.
    cost, null_cost : float
        Of this partition and of one part: minus the log of their probability, in nats.
    level : float
        How much the column tells about the target: 1 - cost / null_cost, 0 = nothing.
    proven_optimal : bool
        Whether it is proven that no partition costs less.
    """

    name: Hashable
    classes: NDArray[np.generic]
    counts: NDArray[np.int64]
    unlabeled_counts: NDArray[np.int64]
    cost: float
    null_cost: float
    level: float
    proven_optimal: bool

    @property
    def n_parts(self) -> int:
        """I, the number of parts."""
        return len(self.counts)

    @property
    def labels(self) -> list[str]:
        """A readable label per part, such as ``(2.95, 3.35]`` or ``{red, yellow}``."""
        raise NotImplementedError

    @property
    def log_odds(self) -> NDArray[np.float64]:
        """Log-likelihood ratio per part and class, shape (I, J): log P(part | j) / P(part | not j).

        Class probabilities are the means of their posterior under the criterion's uniform prior,
        (N_ij + 1) / (N_i + J): finite everywhere, and exactly 0 where there is only one part.
        """
        return log_odds_of(self.counts)

    @property
    def class_names(self) -> list[str]:
        """The classes as text."""
        return class_names(self.classes)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw a stacked bar of class shares per part, through matplotlib.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None = on a new figure.

        Returns
        -------
        matplotlib Axes
        """
        from modlearn._show.plots import plot_partition

        return plot_partition(self, ax)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {headline(self)}>"

    def __str__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)


def log_odds_of(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return log P(part | j) / P(part | not j), from rows per part and class."""
    if counts.shape[1] == 1:
        return np.zeros(counts.shape)
    # Adding zero makes the -0.0 of rounding a plain 0.0.
    return _log_odds(counts) - _log_odds(counts.sum(axis=0, keepdims=True)) + 0.0


def _log_odds(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """log P(j) / P(not j) of every part and class, by Laplace's rule."""
    others = counts.sum(axis=1, keepdims=True) - counts + counts.shape[1] - 1
    return np.log(counts + 1) - np.log(others)
