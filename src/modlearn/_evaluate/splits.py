"""Which rows are learned from and which are tested."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from modlearn._model.evaluation import Note, Numbers
from modlearn._show.partition import names_of_classes
from modlearn._tables.target import Target

__all__ = ["Split", "cross_validation", "held_out_part", "sensible_split"]

Rows = NDArray[np.intp]

MOST_FOLDS = 10
FEWEST_FOLDS = 5
"""Folds, if a class has fewer rows than ten: with less, each would learn from too few."""

HELD_OUT = 0.3
"""Share that is held out where ten folds would take too long."""

LARGE = 50_000
"""Labeled rows from which on a part is held out: its error is small enough."""

LARGE_WIDE = 5_000_000
"""Cells from which on a part is held out, if it has rows enough to tell."""

ROWS_OF_WIDE = 5_000

MOST_NAMED = 3
"""Classes that are named where several are never tested."""

TIMED = 1_000
"""Labeled rows from which on a part is held out if the search for pairs has a time limit."""


@dataclass(frozen=True)
class Split:
    """Test rows, and the rows that are learned from for them.

    Parameters
    ----------
    how : {"cross-validation", "held-out part"}
        How test rows were chosen.
    parts : tuple of (rows, rows)
        Rows to learn from, unlabeled ones among them, and rows to test, per fold.
    notes : tuple of Note
        What is unusual about it.
    """

    how: str
    parts: tuple[tuple[Rows, Rows], ...]
    notes: tuple[Note, ...]


def sensible_split(target: Target, n_columns: int, seed: int, timed: bool) -> Split | None:
    """Ten folds, or a held-out part where these would take long; None if no row can be tested."""
    rows = _rows_per_class(target)
    n_labeled = int(rows.sum())
    large = n_labeled > LARGE or (
        n_labeled >= ROWS_OF_WIDE and len(target.codes) * n_columns > LARGE_WIDE
    )
    if not large and not (timed and n_labeled >= TIMED):
        return cross_validation(target, seed)
    split = held_out_part(target, HELD_OUT, seed)
    note = Note("held_out", {"share": HELD_OUT, "because": "large" if large else "timed"})
    return split and Split(split.how, split.parts, (note, *split.notes))


def cross_validation(target: Target, seed: int) -> Split | None:
    """Folds with about the same share of each class, or None if no row can be tested.

    Examples
    --------
    >>> target = Target(np.array(["a", "b"]), np.array([0, 0, 0, 1, 1, 1], dtype=np.int32))
    >>> split = cross_validation(target, seed=0)
    >>> [sorted(target.codes[test].tolist()) for _, test in split.parts]
    [[0, 1], [0], [0], [1], [1]]
    """
    order = _testable_in_order(target, seed)
    rows = _rows_per_class(target)
    if len(order) < 2:
        return None
    rarest = int(rows[rows > 1].min())
    n_folds = min(MOST_FOLDS, max(FEWEST_FOLDS, rarest), len(order))
    fold = np.full(len(target.codes), -1)
    fold[order] = np.arange(len(order)) % n_folds
    parts = tuple((np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(n_folds))
    return Split("cross-validation", parts, (*_fewer(target, n_folds), *_untested(target)))


def held_out_part(target: Target, share: float, seed: int) -> Split | None:
    """Hold out a share of each class, or None if no row can be tested; of each, one is learned."""
    order = _testable_in_order(target, seed)
    if not len(order):
        return None
    steps = np.floor(np.arange(1, len(order) + 1) * share + 0.5)
    tested = np.diff(steps, prepend=0.0) > 0
    tested[np.flatnonzero(np.diff(target.codes[order], prepend=-1))] = False
    if not tested.any():
        # Few rows of each class: the last one of the order stands for its class.
        tested[-1] = True
    test = np.zeros(len(target.codes), dtype=bool)
    test[order[tested]] = True
    parts = ((np.flatnonzero(~test), np.flatnonzero(test)),)
    return Split("held-out part", parts, _untested(target))


def _testable_in_order(target: Target, seed: int) -> Rows:
    """Labeled rows class after class, random within; without classes that have one row."""
    rows = np.append(_rows_per_class(target), 0)
    order = np.random.default_rng(seed).permutation(len(target.codes))
    order = order[rows[target.codes[order]] > 1]
    # Few classes fit in 16 bits, which NumPy sorts in two passes.
    codes = target.codes[order].astype(np.uint16 if target.n_classes < 2**16 else np.int32)
    return order[np.argsort(codes, kind="stable")]


def _rows_per_class(target: Target) -> NDArray[np.intp]:
    rows = np.bincount(target.codes, minlength=target.n_classes)
    return np.asarray(rows[: target.n_classes])


def _fewer(target: Target, n_folds: int) -> tuple[Note, ...]:
    """Why there are fewer folds than usual."""
    if n_folds == MOST_FOLDS:
        return ()
    rows = _rows_per_class(target)
    rarest = int(np.argmin(np.where(rows > 1, rows, rows.max() + 1)))
    name = names_of_classes(target.classes)[rarest]
    numbers: Numbers = {"folds": n_folds, "usual": MOST_FOLDS, "rows": int(rows[rarest])}
    return (Note("fewer_folds", numbers, (name,)),)


def _untested(target: Target) -> tuple[Note, ...]:
    """Which classes are never tested."""
    single = np.flatnonzero(_rows_per_class(target) == 1)
    if not len(single):
        return ()
    names = names_of_classes(target.classes[single[:MOST_NAMED]])
    return (Note("untested_classes", {"classes": len(single)}, tuple(names)),)
