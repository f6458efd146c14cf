"""The expected AUC of figure 5 over all draws of the labeled points, without simulation.

The classes do not overlap, so the cut falls between the last labeled point on the left of the
step and the first on its right. Where these lie has a simple distribution, and they fix the cut.
"""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import NDArray

from modlearn import Discretizer

__all__ = ["expected_aucs"]


def expected_aucs(x: NDArray[np.float64], n_left: int, n_labels: int) -> NDArray[np.float64]:
    """Expected AUC of midway cuts and of median cuts, for n_labels of the sorted points x."""
    n_right, total = len(x) - n_left, np.zeros(2)
    aucs = _aucs_of_gaps(x, n_left)
    for n0 in range(max(0, n_labels - n_right), min(n_labels, n_left) + 1):
        n1 = n_labels - n0
        chance = comb(n_left, n0) * comb(n_right, n1) / comb(len(x), n_labels)
        if not _is_cut(n0, n1):
            total += chance * 0.5
            continue
        last = [comb(a, n0 - 1) / comb(n_left, n0) for a in range(n_left)]
        first = [comb(n_right - 1 - b, n1 - 1) / comb(n_right, n1) for b in range(n_right)]
        total += chance * np.einsum("a,b,abm->m", last, first, aucs)
    return total


def _is_cut(n0: int, n1: int) -> bool:
    """Whether this number of labels of two separate classes makes two intervals."""
    if not n0 or not n1:
        return False
    found = Discretizer().fit([[0.0], [1.0]], [0, 1], sample_weight=[n0, n1])
    return found.partitions_["x0"].n_parts == 2


def _aucs_of_gaps(x: NDArray[np.float64], n_left: int) -> NDArray[np.float64]:
    """AUC by last left label, first right label and method, shape (n_left, n_right, 2)."""
    a, b = np.ix_(np.arange(n_left), np.arange(n_left, len(x)))
    midway = np.searchsorted(x, (x[a] + x[b]) / 2, side="right")
    median = a + 1 + (b - a) // 2
    return np.stack((_auc(midway, n_left, len(x)), _auc(median, n_left, len(x))), axis=-1)


def _auc(n_below: NDArray[np.int64], n_left: int, n_points: int) -> NDArray[np.float64]:
    """AUC of a cut with n_below points under it; half of every tie counts."""
    right = (n_points - n_below) / (n_points - n_left)
    return 0.5 + 0.5 * np.minimum(n_below / n_left, right)
