"""What intervals and groups have in common: parts, each with its rows per class."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from modlearn._model.forms import At, Counts
from modlearn._model.printing import Framed, Plotted, Printed
from modlearn._model.record import Derived, Fault, Recorded
from modlearn._statistics.rows import Batch
from modlearn.criteria import level
from modlearn.schema import class_names

__all__ = ["Classes", "Level", "Partition", "log_odds_of"]

Classes = Annotated[NDArray[Any], Derived(lambda _, at: at.classes)]
"""The classes of the target: the file names them once."""

Level = Annotated[float, Derived(lambda values, _: level(values["cost"], values["null_cost"]))]
"""1 - cost / null_cost: the file has both costs."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Partition(Printed, Plotted, Framed, Recorded):
    """Parts of the values of one column, as informative about the target as possible.

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
        Cost of this partition and of a single part: minus the log of their probability, in nats.
    level : float
        How informative the column is about the target: 1 - cost / null_cost, 0 = not at all.
    proven_optimal : bool
        Whether it is proven that no partition costs less.
    """

    name: Hashable
    classes: Classes
    counts: Annotated[NDArray[np.int64], Counts((None, "classes"))]
    unlabeled_counts: Annotated[NDArray[np.int64], Counts((None,))]
    cost: float
    null_cost: float
    level: Level
    proven_optimal: bool

    @property
    def columns(self) -> tuple[Hashable, ...]:
        """Names of the columns that the part of a row depends on: one."""
        return (self.name,)

    @property
    def n_parts(self) -> int:
        """I, the number of parts."""
        return len(self.counts)

    @property
    def cells(self) -> NDArray[np.int64]:
        """Rows per part and class, shape (I, J)."""
        return self.counts

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

    def codes_in(self, batch: Batch) -> NDArray[np.int32]:
        """Return the part of every row of a batch, 0 to I-1; -1 = a value never seen."""
        raise NotImplementedError

    def fault(self, at: At) -> Fault | None:
        """Say which field of a record contradicts the others."""
        if len(self.unlabeled_counts) != self.n_parts:
            return ("unlabeled_counts",), f"a table of {self.n_parts} counts"
        return None


def log_odds_of(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return log P(part | j) / P(part | not j), from rows per part and class."""
    if counts.shape[1] == 1:
        return np.zeros(counts.shape)
    # Adding zero makes the -0.0 of rounding a plain 0.0.
    return _log_odds(counts) - _log_odds(counts.sum(axis=0, keepdims=True)) + 0.0


def _log_odds(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """log P(j) / P(not j) of every part and class, by Laplace's rule."""
    others = counts.sum(axis=1, keepdims=True) - counts + counts.shape[1] - 1
    return np.asarray(np.log(counts + 1) - np.log(others))
