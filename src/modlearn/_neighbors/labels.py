"""Labels of rows as distributions over the classes: hard labels, soft labels, or none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._neighbors.points import Array
from modlearn._tables.cells import is_missing
from modlearn._tables.memory.column import is_array_like
from modlearn._tables.memory.table import Table, read_table
from modlearn._tables.memory.target import TargetOptions, read_target
from modlearn.errors import ColumnError, LengthError, TargetError

__all__ = ["Labels", "read_label_distributions"]

ROUNDING = 1e-6
"""A distribution may exceed 1 by this much."""


@dataclass(frozen=True)
class Labels:
    """What is known about each row before labels spread.

    Parameters
    ----------
    classes : ndarray of shape (J,)
        The classes, ascending; the column names if labels are soft.
    distributions : ndarray of shape (n, J), float64
        Probability of each class; the rest up to 1 is unknown, all of it in an unlabeled row.
    """

    classes: Array
    distributions: NDArray[np.float64]

    def prior(self, weights: NDArray[np.float64] | None) -> NDArray[np.float64]:
        """Return the share of each class among the labels, shape (J,), rows weighted."""
        counts = self.distributions.sum(0) if weights is None else weights @ self.distributions
        # If all labeled rows have weight 0, they still show which classes there are.
        return counts / counts.sum() if counts.any() else np.full(len(counts), 1 / len(counts))


def read_label_distributions(y: Any, n_rows: int, unlabeled: Any) -> Labels:
    """Read labels (n_rows,), or probabilities of classes (n_rows, J).

    Parameters
    ----------
    y : array-like or series of shape (n_rows,), or table of shape (n_rows, J), J > 1
        Labels of any one type, missing or equal to ``unlabeled`` in unlabeled rows; or the
        distribution of each row, adding up to at most 1, zero or missing in unlabeled rows.
    n_rows : int
        Number of rows of the table.
    unlabeled : scalar
        The label that marks unlabeled rows; None = only missing labels do.
    """
    if _n_columns(y) > 1:
        return _read_distributions(y, n_rows)
    target = read_target(y, n_rows, TargetOptions(unlabeled))
    if target.n_classes == 1 and target.n_unlabeled and not is_missing(unlabeled):
        _refuse_lost_class(y, target.classes.tolist()[0], unlabeled)
    distributions = np.zeros((n_rows, target.n_classes))
    labeled = np.flatnonzero(target.is_labeled)
    distributions[labeled, target.codes[labeled]] = 1.0
    return Labels(target.classes, distributions)


def _n_columns(y: Any) -> int:
    """Return the number of columns of a frame or 2-D array; 1 for anything else."""
    is_rows = is_array_like(y) and _is_regular(y)
    shape: tuple[int, ...] = np.shape(y) if is_rows else getattr(y, "shape", ())
    return shape[1] if len(shape) == 2 else 1


def _is_regular(y: Any) -> bool:
    """Whether all rows of a list have the same length."""
    return isinstance(y, np.ndarray) or len({np.shape(row) for row in y}) <= 1


def _refuse_lost_class(y: Any, label: Any, unlabeled: Any) -> None:
    """Raise if the marker of unlabeled rows was probably meant as the other class."""
    labels = np.asarray(y, dtype=object).reshape(-1)
    if any(bool(value == unlabeled) for value in labels if not is_missing(value)):
        raise TargetError(
            f"y has one class, {label!r}, and rows marked {unlabeled!r}, which means unlabeled: "
            f"label rows of another class, or pass unlabeled=None if {unlabeled!r} is a class."
        )


def _read_distributions(y: Any, n_rows: int) -> Labels:
    """Read distributions over the columns of a frame or array."""
    table = read_table(y)
    if table.n_rows != n_rows:
        raise LengthError(n_rows, table.n_rows)
    values = np.column_stack([_probabilities(table, i) for i in range(len(table.names))])
    values[np.isnan(values).all(1)] = 0.0
    totals = values.sum(1)
    bad = ~((values >= 0).all(1) & (totals <= 1 + ROUNDING))
    if bad.any():
        row = int(np.argmax(bad))
        raise TargetError(
            f"Row {row} of y is {values[row].tolist()}, which is not a distribution over "
            f"{len(table.names)} classes: pass probabilities that add up to 1, or zeros if the row "
            "is unlabeled."
        )
    if not totals.any():
        raise TargetError(
            f"All {n_rows} rows of y are zero, which means unlabeled: label at least one row."
        )
    # Sums that exceed 1 by rounding are 1.
    values /= np.maximum(totals, 1.0)[:, None]
    return Labels(_names(table) if not is_array_like(y) else np.arange(len(table.names)), values)


def _probabilities(table: Table, i: int) -> NDArray[np.float64]:
    """Return the values (n,) of a column of the target."""
    try:
        return table.numeric(i).values
    except ColumnError:
        raise TargetError(
            f"y has {len(table.names)} columns, so they must be probabilities of classes, but "
            f"{table.names[i]!r} does not hold numbers: pass one column of labels, or "
            "probabilities."
        ) from None


def _names(table: Table) -> Array:
    """Return column names as classes: text as objects, like labels that are text."""
    text = any(isinstance(name, str) for name in table.names)
    return np.array(table.names, dtype=object if text else None)
