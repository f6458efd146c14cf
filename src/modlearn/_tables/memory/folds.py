"""Which rows are tested: by rows, by whole groups of rows, or forward in time."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._statistics.batches import Batch
from modlearn._statistics.rows import Split
from modlearn._tables.memory.target import Target
from modlearn.errors import ColumnError, spelled

__all__ = ["assign_folds", "deal_out", "forward_parts", "group_of_rows", "group_parts"]

RowNumbers = NDArray[np.intp]
Parts = tuple[tuple[RowNumbers, RowNumbers], ...]
"""Training rows and test rows of each part."""


def assign_folds(target: Target, split: Split) -> NDArray[np.uint8]:
    """Return the fold of each row, shape (n,); rows that are never tested have ``split.n_folds``.

    Every fold has about the same share of each class. Unlabeled rows and the only row of a class
    are never tested.
    """
    folds = np.full(len(target.codes), split.n_folds, dtype=np.uint8)
    order = _testable_in_order(target, split.seed)
    if split.share is None:
        folds[order] = np.arange(len(order)) % split.n_folds
    else:
        folds[order[_held_out(target.codes[order], split.share)]] = 0
    return folds


def _held_out(classes: NDArray[np.int32], share: float) -> NDArray[np.bool_]:
    """Which of the rows, class after class, are held out; one of each class is kept."""
    tested = _evenly(len(classes), share)
    tested[np.flatnonzero(np.diff(classes, prepend=-1))] = False
    if not tested.any():
        # Few rows of each class: the last one of the order stands for its class.
        tested[-1] = True
    return tested


def _evenly(n: int, share: float) -> NDArray[np.bool_]:
    """Which of n members are in a share of them that is spread evenly."""
    steps = np.floor(np.arange(1, n + 1) * share + 0.5)
    return np.asarray(np.diff(steps, prepend=0.0) > 0)


def _testable_in_order(target: Target, seed: int) -> NDArray[np.intp]:
    """Labeled rows class after class, random within; without classes that have one row."""
    rows = np.append(np.bincount(target.codes, minlength=target.n_classes)[: target.n_classes], 0)
    order = np.random.default_rng(seed).permutation(len(target.codes))
    order = order[rows[target.codes[order]] > 1]
    # Few classes fit in 16 bits, which NumPy sorts in two passes.
    codes = target.codes[order].astype(np.uint16 if target.n_classes < 2**16 else np.int32)
    return order[np.argsort(codes, kind="stable")]


def group_of_rows(columns: Batch, name: Hashable) -> RowNumbers:
    """Return a number for the group of each row; a row without a value is a group of its own."""
    codes, _ = columns.categorical(name)
    groups = codes.astype(np.intp)
    missing = np.flatnonzero(groups < 0)
    groups[missing] = groups.max(initial=-1) + 1 + np.arange(len(missing))
    return groups


def group_parts(target: Target, split: Split, columns: Batch) -> tuple[Parts, int]:
    """Return training rows and test rows, with no group in both, and the number of groups.

    Groups are dealt out to folds: those with the same most frequent class in turn, large ones
    first. The order depends on their values and the seed, not on the order of rows, except for rows
    without a value. Rows of a class that no training row has are in neither part.
    """
    assert split.group is not None
    groups = group_of_rows(columns, split.group)
    labeled = target.codes < target.n_classes
    fold_of_group, n_groups = deal_out(_counts_of_groups(target, groups), split)
    parts = []
    for k in range(split.n_folds):
        held_out = fold_of_group[groups] == k
        tested = held_out & labeled & _known_classes(target, ~held_out)[target.codes]
        parts.append((np.flatnonzero(~held_out), np.flatnonzero(tested)))
    return tuple((train, test) for train, test in parts if len(test)), n_groups


def _counts_of_groups(target: Target, groups: RowNumbers) -> NDArray[np.int64]:
    """Count labeled rows by group and class, shape (n_groups, J)."""
    labeled = np.flatnonzero(target.codes < target.n_classes)
    n_groups = int(groups.max(initial=-1)) + 1
    cells = groups[labeled] * target.n_classes + target.codes[labeled]
    counts = np.bincount(cells, minlength=n_groups * target.n_classes)
    return counts.reshape(n_groups, target.n_classes)


def deal_out(
    counts: NDArray[np.int64], split: Split, n_alone: int = 0
) -> tuple[NDArray[np.uint8], int]:
    """Return the fold of each group, and the number of groups that have labeled rows.

    `counts` are labeled rows by group and class, (n_groups, J). Groups that are never tested have
    ``split.n_folds``. `n_alone` labeled rows are groups of their own, dealt out by somebody else.
    """
    n_groups = len(counts)
    chance = np.random.default_rng(split.seed).permutation(n_groups)
    order = np.lexsort((chance, -counts.sum(axis=1), counts.argmax(axis=1)))
    order = order[counts[order].any(axis=1)]
    if len(order) + n_alone < 2:
        raise ColumnError(
            f"Column {split.group!r} has the same value in all labeled rows, so no group can be "
            "held out: choose a column with several values."
        )
    folds = np.full(n_groups, split.n_folds, dtype=np.uint8)
    if split.share is None:
        folds[order] = np.arange(len(order)) % split.n_folds
    else:
        tested = _evenly(len(order), split.share)
        tested[-1:] |= not tested.any()
        folds[order[tested]] = 0
    return folds, len(order) + n_alone


def _known_classes(target: Target, train: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which classes training rows have, shape (J + 1,); the last entry is unlabeled."""
    known = np.zeros(target.n_classes + 1, dtype=bool)
    known[target.codes[train]] = True
    return known


def forward_parts(target: Target, split: Split, columns: Batch) -> Parts:
    """Return training rows and test rows: each test part lies after all of its training rows.

    The last share of the labeled rows is tested, in ``split.n_folds`` parts; rows of the same time
    are in the same part. Rows without a time are learned from. If ``split.group`` names a column,
    rows of the groups that are tested are not learned from.
    """
    assert split.time is not None
    assert split.share is not None
    times = columns.numeric(split.time)
    labeled = (target.codes < target.n_classes) & ~np.isnan(times)
    ordered = np.sort(times[labeled])
    if not len(ordered) or ordered[0] == ordered[-1]:
        raise ColumnError(
            f"Column {split.time!r} has fewer than two different times in the labeled rows, so the "
            "evaluation cannot go forward in time: choose another column."
        )
    shares = 1 - split.share * np.arange(split.n_folds, -1, -1) / split.n_folds
    first = np.minimum((shares * len(ordered)).astype(np.intp), len(ordered) - 1)
    starts = np.unique(ordered[first[:-1]]).tolist()
    groups = None if split.group is None else group_of_rows(columns, split.group)
    parts = [
        _forward(target, labeled, times, (low, high), groups)
        for low, high in zip_longest(starts, starts[1:])
        if low > ordered[0]
    ]
    found = tuple((train, test) for train, test in parts if len(train) and len(test))
    if not found:
        raise _untestable(split, parts)
    return found


def _untestable(split: Split, parts: Sequence[tuple[RowNumbers, RowNumbers]]) -> ColumnError:
    """Return the error that no later row can be tested by earlier rows."""
    problem = f"No row can be tested forward in time by column {split.time!r}"
    if not parts:
        return ColumnError(f"{problem}: too many rows have its first time. Choose another column.")
    if split.group is None or any(len(train) for train, _ in parts):
        outside = "" if split.group is None else f" of other groups of column {split.group!r}"
        return ColumnError(
            f"{problem}: no later row has a class of the earlier rows{outside}. Choose another "
            "column."
        )
    return ColumnError(
        *spelled(
            lambda spell: (
                f"{problem}: all earlier rows belong to groups of column {split.group!r} that have "
                "later rows, too, and a group is never in both training rows and test rows. Pass "
                f"either {spell('group')} or {spell('time')}, or another column of groups."
            )
        )
    )


def _forward(
    target: Target,
    labeled: NDArray[np.bool_],
    times: NDArray[np.float64],
    window: tuple[float, float | None],
    groups: RowNumbers | None,
) -> tuple[RowNumbers, RowNumbers]:
    """Return the rows before a window, and those in it whose class occurs before it."""
    low, high = window
    tested = labeled & (times >= low)
    if high is not None:
        tested &= times < high
    train = ~(times >= low)
    if groups is not None:
        held_out: NDArray[Any] = np.zeros(int(groups.max(initial=0)) + 1, dtype=bool)
        held_out[groups[tested]] = True
        train &= ~held_out[groups]
    tested &= _known_classes(target, train)[target.codes]
    return np.flatnonzero(train), np.flatnonzero(tested)
