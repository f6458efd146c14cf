"""Counting a column by value, one range of its values after the other.

Bins are misleading if values repeat, and counts by value of the whole column may not fit in memory.
So each range is counted on its own, and made smaller before the next one is counted: neighboring
values are joined where no best cut lies between them. Only if that is not enough are they merged,
greedily, as the search for intervals begins.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from modlearn._search.blocks import elementary_blocks
from modlearn._search.discretization import midpoint
from modlearn._search.segments import merge_by_segments
from modlearn._statistics.numeric import NumericCounts
from modlearn.criteria import ClassCost, discretization_prior

__all__ = ["MOST_RANGES", "RangeCounts", "ValueRange", "count_by_ranges", "in_runs", "merged"]

MOST_RANGES = 200
"""Most ranges of a column: each takes a scan."""

LEFT = 0.9
"""Share of the entries that are left when they are merged, so that there is room for more."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class ValueRange:
    """The values above `low`, up to and including `high`; None = no bound.

    The first range, which has no lower bound, holds missing values, too.
    """

    low: float | None
    high: float | None

    def split(self, sample: Floats) -> tuple[ValueRange, ValueRange] | None:
        """Return two ranges with about equal rows; None if the sample has no value to split at."""
        inside = np.isfinite(sample)
        if self.low is not None:
            inside &= sample > self.low
        if self.high is not None:
            inside &= sample < self.high
        values = np.sort(sample[inside])
        if not len(values):
            return None
        middle = float(values[len(values) // 2])
        return ValueRange(self.low, middle), ValueRange(middle, self.high)


@dataclass(frozen=True, eq=False)
class RangeCounts:
    """Counts of all ranges; `merged` says whether values were merged that a cut might separate."""

    counts: NumericCounts
    merged: bool


def count_by_ranges(
    ask: Callable[[ValueRange], NumericCounts | None], sample: Floats, n_ranges: int, most: int
) -> RangeCounts | None:
    """Count one range after the other, and return at most about `most` entries.

    `ask` returns None if a range has too many values, which is then split by the sample. None = too
    many ranges are needed.
    """
    todo = _ranges(sample, n_ranges)[::-1]
    found: list[NumericCounts] = []
    n_ranges, is_merged = 0, False
    while todo:
        if n_ranges + len(todo) > MOST_RANGES:
            return None
        one = todo.pop()
        counts = ask(one)
        if counts is not None:
            n_ranges += 1
            found.append(in_runs(counts))
        elif (halves := one.split(sample)) is not None:
            todo += halves[::-1]
        else:
            return None
        if sum(len(one.values) for one in found) > most:
            # All ranges together, so that what is most alike is merged, wherever it is.
            whole = _one_after_the_other(found)
            found.clear()
            found.append(merged(whole, int(LEFT * most) if todo else most))
            is_merged = True
    return RangeCounts(_one_after_the_other(found), is_merged)


def _ranges(sample: Floats, n_ranges: int) -> list[ValueRange]:
    """Return ranges with about equal rows."""
    ordered = np.sort(sample[np.isfinite(sample)])
    if not len(ordered):
        return [ValueRange(None, None)]
    steps = np.linspace(0, len(ordered) - 1, n_ranges + 1)[1:-1].astype(np.intp)
    edges = [None, *np.unique(ordered[steps]).tolist(), None]
    return [ValueRange(low, high) for low, high in pairwise(edges)]


def in_runs(counts: NumericCounts) -> NumericCounts:
    """Return entries in which neighboring values with rows of the same only class are one.

    No best cut separates them (``elementary_blocks``), and their least and greatest value are kept,
    so that cuts next to them stay where they are. Unlabeled rows stay on their side of such cuts.

    Examples
    --------
    >>> values, classes = np.array([1.0, 2.0, 3.0]), np.array([0, 0, 1], dtype=np.uint8)
    >>> rows, folds = np.array([4, 1, 2]), np.array([0, 0, 0], dtype=np.uint8)
    >>> found = in_runs(NumericCounts(values, classes, rows, 2, folds))
    >>> found.lowest.tolist(), found.values.tolist(), found.rows.tolist()
    ([1.0, 3.0], [2.0, 3.0], [5, 2])
    """
    _, labeled, _ = _split(counts)
    starts = elementary_blocks(labeled.values, labeled.classes, labeled.rows, counts.n_classes)
    return _joined(counts, starts.starts.astype(np.int64), keeps_ends=True)


def merged(counts: NumericCounts, most: int) -> NumericCounts:
    """Return entries merged greedily, the best first, to at most `most` or to those of one block.

    Missing values stay apart.
    """
    goal = len(counts.values)
    while len(counts.values) > most and goal > 1:
        _, labeled, _ = _split(counts)
        cost = ClassCost(counts.n_classes, partial(discretization_prior, labeled.n_rows))
        blocks = elementary_blocks(labeled.values, labeled.classes, labeled.rows, cost.n_labels)
        blocks.sort_labels(cost.n_alike)
        # Merged blocks have entries of more classes and folds than each of them had.
        goal = max(1, int(0.9 * blocks.n_blocks * most / len(counts.values)))
        starts = np.zeros(1, dtype=np.int64)
        if blocks.n_blocks:
            (kept,) = merge_by_segments(blocks, cost, [(goal, -np.inf)])
            starts = blocks.starts[kept].astype(np.int64)
        counts = _joined(counts, starts, keeps_ends=False)
    return counts


def _split(counts: NumericCounts) -> tuple[NumericCounts, NumericCounts, NumericCounts]:
    """Return the entries without a value, those with a class, and the others."""
    n_missing = counts.n_missing
    missing, present = _at(counts, slice(n_missing)), _at(counts, slice(n_missing, None))
    return missing, *present.by_label()


def _at(counts: NumericCounts, at: slice | Ints) -> NumericCounts:
    """Return some of the entries, all with bounds."""
    assert counts.rows is not None
    assert counts.folds is not None
    return NumericCounts(
        counts.values[at],
        counts.classes[at],
        counts.rows[at],
        counts.n_classes,
        counts.folds[at],
        counts.lowest[at],
    )


def _joined(counts: NumericCounts, starts: Ints, keeps_ends: bool) -> NumericCounts:
    """Return entries in which labeled ones from each of `starts` to before the next are a run.

    Unlabeled ones are joined if they are in the same run, or between the same two on the same side
    of the cut that may be there. Where the first and the last cut may be is known to the
    neighboring ranges only: `keeps_ends` says whether those outside all runs stay as they are.
    """
    missing, labeled, unlabeled = _split(counts)
    run = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    lows, highs = labeled.lowest[starts[:-1]], labeled.values[starts[1:] - 1]
    positions = _positions(unlabeled, lows, highs)
    is_below, is_above = positions == 0, positions >= 3 * max(1, len(lows))
    if not keeps_ends:
        is_below[:] = is_above[:] = False
    inside = np.flatnonzero(~is_below & ~is_above)
    joined = _added_up(
        _one_after_the_other([labeled, _at(unlabeled, inside)]),
        np.concatenate((3 * run + 1, positions[inside])),
    )
    below, above = (_at(unlabeled, np.flatnonzero(one)) for one in (is_below, is_above))
    return _one_after_the_other([missing, below, joined, above])


def _positions(unlabeled: NumericCounts, lows: Floats, highs: Floats) -> Ints:
    """Return 3 k + 1 in run k, 3 k below it, 3 k + 2 above it up to the cut that may be there."""
    run = np.searchsorted(highs, unlabeled.values)
    positions = 3 * run
    known = np.flatnonzero(run < len(highs))
    inside = known[lows[run[known]] <= unlabeled.values[known]]
    between = np.setdiff1d(known[run[known] > 0], inside, assume_unique=True)
    cuts = midpoint(highs[run[between] - 1], lows[run[between]])
    positions[between] -= unlabeled.values[between] <= cuts
    positions[inside] += 1
    return positions


def _added_up(entries: NumericCounts, positions: Ints) -> NumericCounts:
    """Return one entry for each position, class and fold, with the bounds of its position."""
    assert entries.rows is not None
    assert entries.folds is not None
    n_folds = int(entries.folds.max(initial=0)) + 1
    keys = (positions * (entries.n_classes + 1) + entries.classes) * n_folds + entries.folds
    order = np.argsort(keys, kind="stable")
    at = np.flatnonzero(np.diff(keys[order], prepend=-1))
    rows = np.add.reduceat(entries.rows[order], at) if len(at) else entries.rows
    start = np.flatnonzero(np.diff(positions[order], prepend=-1))
    highs, lows = (
        np.repeat(
            bound.reduceat(values[order], start) if len(start) else values,
            np.diff(np.searchsorted(at, np.append(start, len(keys)))),
        )
        for bound, values in ((np.maximum, entries.values), (np.minimum, entries.lowest))
    )
    first = order[at]
    classes, folds = entries.classes[first], entries.folds[first]
    return NumericCounts(highs, classes, rows, entries.n_classes, folds, lows)


def _one_after_the_other(parts: Sequence[NumericCounts]) -> NumericCounts:
    """Return the entries of all parts."""
    parts = [one for one in parts if len(one.values)] or parts[:1]
    if len(parts) == 1:
        return _at(parts[0], slice(None))
    columns = [
        np.concatenate(arrays)
        for arrays in zip(
            *((one.values, one.classes, one.rows, one.folds, one.lowest) for one in parts),
            strict=True,
        )
    ]
    values, classes, rows, *others = columns
    return NumericCounts(values, classes, rows, parts[0].n_classes, *others)
