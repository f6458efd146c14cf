"""Count the rows that agree in the parts of all variables and in the class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from modlearn._statistics.row_keys import row_keys

__all__ = ["Profiles", "count_profiles"]


@dataclass(frozen=True)
class Profiles:
    """Labeled rows; rows that agree in all codes and in the class are counted together."""

    codes: NDArray[np.int32]  # (K, n), part of each variable in each profile
    classes: NDArray[np.int32]  # (n,), class of each profile
    rows: NDArray[np.float64]  # (n,), number of rows of each profile


def count_profiles(
    codes: NDArray[np.int32],
    classes: NDArray[np.int32],
    weights: NDArray[np.int64] | None,
    n_classes: int,
) -> Profiles:
    """Count labeled rows by their codes (K, N) and classes (N,).

    Profiles are sorted by their hash, so that sums over them do not depend on the order of the
    rows, nor on whether a row is repeated or has a weight. The probability that two different rows
    get the same hash is about N^2 / 2^65.
    """
    rows = np.ones(len(classes)) if weights is None else weights.astype(np.float64)
    counted = (classes < n_classes) & (rows > 0)
    if not counted.all():
        codes = np.compress(counted, codes, axis=1)
        classes, rows = classes[counted], rows[counted]
    keys = row_keys(codes, classes)
    order = np.argsort(keys)
    first = np.flatnonzero(np.diff(keys[order], prepend=~keys[order[:1]]))
    found = order[first]
    return Profiles(
        np.stack([column[found] for column in codes]) if len(codes) else codes[:, found],
        classes[found],
        np.add.reduceat(rows[order], first),
    )
