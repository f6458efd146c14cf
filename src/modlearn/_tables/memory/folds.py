"""Which fold each row of a table in memory belongs to."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from modlearn._statistics.rows import Split
from modlearn._tables.memory.target import Target

__all__ = ["assign_folds"]


def assign_folds(target: Target, split: Split) -> NDArray[np.uint8]:
    """Return the fold of each row, shape (n,); rows that are never tested have ``split.n_folds``.

    Every fold has about the same share of each class. Unlabeled rows and the only row of a class
    are never tested.
    """
    order = _testable_in_order(target, split.seed)
    folds = np.full(len(target.codes), split.n_folds, dtype=np.uint8)
    if split.share is None:
        folds[order] = np.arange(len(order)) % split.n_folds
    else:
        folds[order[_held_out(target.codes[order], split.share)]] = 0
    return folds


def _held_out(classes: NDArray[np.int32], share: float) -> NDArray[np.bool_]:
    """Which of the rows, class after class, are held out; one of each class is kept to learn from."""
    steps = np.floor(np.arange(1, len(classes) + 1) * share + 0.5)
    tested = np.diff(steps, prepend=0.0) > 0
    tested[np.flatnonzero(np.diff(classes, prepend=-1))] = False
    if not tested.any():
        # Few rows of each class: the last one of the order stands for its class.
        tested[-1] = True
    return tested


def _testable_in_order(target: Target, seed: int) -> NDArray[np.intp]:
    """Labeled rows class after class, random within; without classes that have one row."""
    rows = np.append(np.bincount(target.codes, minlength=target.n_classes)[: target.n_classes], 0)
    order = np.random.default_rng(seed).permutation(len(target.codes))
    order = order[rows[target.codes[order]] > 1]
    # Few classes fit in 16 bits, which NumPy sorts in two passes.
    codes = target.codes[order].astype(np.uint16 if target.n_classes < 2**16 else np.int32)
    return order[np.argsort(codes, kind="stable")]
