"""Accuracy on the rows that have a label."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._tables.cells import Cells, distinct, is_missing, sorted_codes
from modlearn._tables.memory.table import cells_of, vector
from modlearn._tables.memory.target import read_votes
from modlearn.errors import LengthError, TargetError

__all__ = ["accuracy_of_labeled"]


def accuracy_of_labeled(
    predicted: NDArray[Any], y: Any, unlabeled: Any, sample_weight: Any
) -> float:
    """Return the weighted share of labeled rows that are classified correctly."""
    labels = _labels(y, len(predicted), unlabeled)
    weights = read_votes(sample_weight, len(predicted))
    labeled = np.array([label is not None for label in labels])
    if not labeled.any():
        raise TargetError(
            f"All {len(labels)} rows of y are unlabeled: pass rows with a label to score."
        )
    correct = predicted.astype(object)[labeled] == labels[labeled]
    return float(np.average(correct, weights=None if weights is None else weights[labeled]))


def _labels(y: Any, n_rows: int, unlabeled: Any) -> NDArray[np.object_]:
    """Return the label of every row, shape (n,); None for unlabeled rows.

    Unlike in the target of ``fit``, rows may be few, and labels need not repeat.
    """
    source = vector(y, "y", warn=True)
    if len(source) != n_rows:
        raise LengthError(n_rows, len(source))
    cells = cells_of(source, "Target y")
    codes, values = distinct(cells) if isinstance(cells, Cells) else sorted_codes(cells)
    found = np.empty(len(values) + 1, dtype=object)  # code -1 indexes the last element
    found[:-1] = values
    if not is_missing(unlabeled):
        found[:-1] = [None if value == unlabeled else value for value in found[:-1]]
    return np.asarray(found[codes])
