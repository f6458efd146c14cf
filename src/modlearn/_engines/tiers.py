"""How finely an engine counts a numeric column: values, or bins that are refined around cuts.

Bins are ranges of about equal rows between edges taken from a sample. Counts by bin show where the
cuts are; counts by value in windows around the cuts show where exactly. Windows also hold the bins
whose classes differ most from those of their surroundings: an interval may hide in them that is
shorter than a bin.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from modlearn._engines.engine import WindowCounts
from modlearn._search.blocks import elementary_blocks
from modlearn._search.discretization import discretize
from modlearn._search.intervals import Limits, good_intervals
from modlearn._statistics.numeric import NumericCounts, smallest_type
from modlearn.criteria import SUPERVISED, Criterion, discretization_prior

__all__ = [
    "MOST_ENGINE_BINS",
    "OUTSTANDING_ROWS",
    "ROWS_IN_WINDOWS",
    "bin_edges",
    "counts_of_bins",
    "counts_of_values",
    "different_share",
    "expected_values",
    "first_cuts",
    "near_cuts",
    "outstanding",
    "refined",
    "windows_of",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

MOST_ENGINE_BINS = 32_768

ROUGH_BLOCKS = 1000
"""Bins are merged to this number before the cuts of a fold are searched."""

ROWS_IN_WINDOWS = 50_000
"""Number of rows of a column that are counted by value around cuts, shared by its cuts."""

OUTSTANDING_ROWS = 30_000
"""Number of rows of a column that are counted by value elsewhere."""

RANGES = 64
"""Number of ranges in which repeated values are looked for."""

FEWEST_REPEATED = 10
"""Repeated rows of the sample in a range that are not taken for chance."""

OUTSTANDING_BINS = 100
"""Most bins that are counted by value elsewhere."""


def expected_values(sample: Floats, n_rows: int) -> float:
    """Return about how many distinct values a column of n_rows rows has.

    If every value had r rows, a row of a sample of n rows would share its value with
    (r - 1) n / n_rows others. Values that are frequent in the sample are counted as they are.

    Examples
    --------
    >>> expected_values(np.array([1.0, 1.0, 1.0, 2.0, 2.0, 2.0]), n_rows=1000)
    2.0
    >>> expected_values(np.arange(100.0), n_rows=1000)
    1000.0
    """
    rows = _rows_of_values(sample)
    few = rows[_are_few(rows)]
    if not len(few):
        return float(len(rows))
    scale = max(1.0, n_rows / len(sample))
    rest = few.sum() * scale * _share_of(int((few * (few - 1)).sum()), int(few.sum()), scale)
    return max(float(len(rows)), len(rows) - len(few) + float(rest))


def different_share(sample: Floats, n_rows: int) -> float:
    """Return about which share of rows have a value of their own, where that share is least.

    The sample is divided into ranges, so that values that repeat in one of them are noticed;
    frequent values, which bins hold as they are, do not count.

    Examples
    --------
    >>> different = np.arange(10_000.0)
    >>> different_share(different, n_rows=10_000)
    1.0
    >>> different_share(np.append(different, np.repeat(1e5 + different[:400], 2)), n_rows=10_800)
    0.5
    """
    rows = _rows_of_values(sample)
    few = rows[_are_few(rows)]
    if not len(few):
        return 1.0
    below = np.concatenate(([0], np.cumsum(few)))
    pairs = np.concatenate(([0], np.cumsum(few * (few - 1))))
    ends = np.searchsorted(below, np.linspace(0, below[-1], RANGES + 1))
    n_pairs, n_few = np.diff(pairs[ends]), np.diff(below[ends])
    scale = max(1.0, n_rows / len(sample))
    return min(
        (
            _share_of(more, n, scale)
            for more, n in zip(n_pairs.tolist(), n_few.tolist(), strict=True)
            if more >= FEWEST_REPEATED
        ),
        default=1.0,
    )


def _rows_of_values(sample: Floats) -> Ints:
    """Return the number of rows of each value, in the order of values."""
    return np.unique(sample, return_counts=True)[1]


def _are_few(rows: Ints) -> Mask:
    """Return which values are not frequent enough to be bins of their own."""
    return np.asarray(rows <= max(2, 2 * int(rows.sum()) // MOST_ENGINE_BINS))


def _share_of(n_pairs: int, n_rows: int, scale: float) -> float:
    """Return the share of different values from the number of other rows that each row equals."""
    return 1 / (1 + n_pairs / n_rows * scale)


def bin_edges(sample: Floats, least: float, most: float, n_bins: int = MOST_ENGINE_BINS) -> Floats:
    """Return edges of bins with about equal rows; frequent values are bins of their own.

    `sample` has no missing values; `least` and `most` are the extremes of the whole column.
    """
    ordered = np.sort(sample)
    steps = np.linspace(0, len(ordered) - 1, min(n_bins, len(ordered))).astype(np.intp)
    edges, repeats = np.unique(ordered[steps], return_counts=True)
    frequent = edges[repeats > 1]
    # Infinite values are bins of their own, also those that the sample does not hold.
    infinite = [one for one in (least, most) if np.isinf(one)]
    alone = np.concatenate((frequent, infinite))
    found = np.unique(np.concatenate((edges, alone, _next_below(alone), [most])))
    return found[(found >= least) & (found <= most)]


def _next_below(values: Floats) -> Floats:
    """Return the greatest numbers that are less than these."""
    with np.errstate(over="ignore"):
        return np.asarray(np.nextafter(values, -np.inf))


def counts_of_bins(
    counts: Ints, edges: Floats, least: float, n_classes: int, n_folds: int
) -> NumericCounts:
    """Return counts (E + 2, groups) by bin as entries; a group is a class times n_folds + a fold.

    Examples
    --------
    >>> counts = np.array([[0, 0], [2, 1], [0, 3], [0, 0]])
    >>> found = counts_of_bins(counts, np.array([1.0, 5.0]), 0.0, n_classes=2, n_folds=1)
    >>> found.lowest.tolist(), found.values.tolist(), found.rows.tolist()
    ([0.0, 0.0, 1.0000000000000002], [1.0, 1.0, 5.0], [2, 1, 3])
    """
    bins, groups = np.nonzero(counts)
    values = np.concatenate(([np.nan], edges, [np.inf]))
    with np.errstate(over="ignore"):
        lows = np.concatenate(([np.nan, least], np.nextafter(edges, np.inf)))
    lows[1 : 1 + len(edges)] = np.minimum(lows[1 : 1 + len(edges)], edges)
    return _entries(values[bins], groups, counts[bins, groups], n_classes, n_folds, lows[bins])


def counts_of_values(found: WindowCounts, n_classes: int, n_folds: int) -> NumericCounts:
    """Return counts by value as entries; missing values are NaN."""
    values, groups, rows = found
    order = np.lexsort((groups, values, ~np.isnan(values)))
    return _entries(values[order], groups[order], rows[order], n_classes, n_folds, None)


def _entries(
    values: Floats, groups: Ints, rows: Ints, n_classes: int, n_folds: int, lows: Floats | None
) -> NumericCounts:
    """Return entries that are in order."""
    classes, folds = np.divmod(groups, n_folds)
    small = classes.astype(smallest_type(n_classes))
    counted = rows.astype(np.int64, copy=False)
    return NumericCounts(values, small, counted, n_classes, folds.astype(np.uint8), lows)


def first_cuts(
    bins: NumericCounts, learned_from: Sequence[tuple[int, ...]]
) -> list[NDArray[np.float64]]:
    """Return the cuts of all rows, then about those of the rows of some folds each."""
    whole = discretize(bins.whole(), SUPERVISED, Limits.within(None, 1)).cuts
    return [whole, *(_rough_cuts(bins.only(folds), SUPERVISED) for folds in learned_from)]


def _rough_cuts(bins: NumericCounts, criterion: Criterion) -> Floats:
    """Return cuts that are nearly the best ones, found in a fraction of the time."""
    labeled, _ = bins.by_label()
    cost = criterion.part_cost(bins.n_classes, partial(discretization_prior, labeled.n_rows))
    blocks = elementary_blocks(labeled.values, labeled.classes, labeled.rows, cost.n_labels)
    blocks.sort_labels(cost.n_alike)
    bounds = good_intervals(blocks, cost, labeled.n_rows, ROUGH_BLOCKS)
    below = labeled.values[blocks.starts[bounds[1:-1]] - 1]
    return np.asarray(below[~np.isnan(below)])


def near_cuts(
    cuts: Sequence[Floats], by_class: Ints, edges: Floats, n_rows: int, most: int
) -> Mask:
    """Return which bins are near a cut; cuts of several partitions share `n_rows` rows.

    `by_class` holds the rows of each bin by class. The bins on both sides of a cut are near it, so
    that many cuts take more rows; those between the most different classes come first, until
    there are `most` rows.
    """
    boundaries = np.unique(np.searchsorted(edges, np.concatenate(cuts), side="left"))
    if not len(boundaries):
        return np.zeros(len(edges), dtype=bool)
    below = np.concatenate((np.zeros_like(by_class[:1]), np.cumsum(by_class, axis=0)))
    above = below[1:].sum(axis=1)  # rows up to and including each edge
    at, half = above[boundaries], n_rows / len(boundaries) / 2
    first = np.minimum(np.searchsorted(above, at - half, side="right"), boundaries)
    last = np.maximum(np.searchsorted(above, at + half, side="left"), boundaries + 1)
    last = np.minimum(last, len(edges) - 1)
    left, right = below[boundaries + 1] - below[first], below[last + 1] - below[boundaries + 1]
    both = left + right
    shares = both / np.maximum(1, both.sum(axis=1, keepdims=True))
    order = np.argsort(-_gains(left, shares) - _gains(right, shares), kind="stable")
    kept = order[np.cumsum(both.sum(axis=1)[order]) <= most]
    changes = np.zeros(len(edges) + 1, dtype=np.int64)
    np.add.at(changes, first[kept], 1)
    np.add.at(changes, last[kept] + 1, -1)
    return np.asarray(np.cumsum(changes[:-1]) > 0)


def outstanding(cuts: Floats, by_class: Ints, edges: Floats, n_rows: int) -> Mask:
    """Return the bins, and pairs of neighbors, whose classes differ most from those of their part.

    `by_class` holds the labeled rows of each bin by class. The measure is the gain of likelihood
    (half of the G statistic) if the bin had probabilities of its own.
    """
    parts = np.searchsorted(cuts, edges, side="left")
    totals = np.zeros((len(cuts) + 1, by_class.shape[1]))
    np.add.at(totals, parts, by_class)
    shares = totals / np.maximum(1.0, totals.sum(axis=1, keepdims=True))
    singles = _gains(by_class, shares[parts])
    pairs = _gains(by_class[1:] + by_class[:-1], shares[parts[:-1]])
    pairs[parts[1:] != parts[:-1]] = 0.0  # between them is a cut
    order = np.argsort(-np.concatenate((singles, pairs)), kind="stable")[:OUTSTANDING_BINS]
    found = np.zeros(len(edges), dtype=bool)
    size, left = by_class.sum(axis=1), n_rows
    for k in order.tolist():
        pair = slice(k, k + 1) if k < len(edges) else slice(k - len(edges), k - len(edges) + 2)
        more = int(size[pair][~found[pair]].sum())
        if more > left:
            break
        found[pair], left = True, left - more
    return found


def _gains(counts: Ints, shares: Floats) -> Floats:
    """Return the log-likelihood of counts by their own shares minus that by these, shape (n,)."""
    own = xlogy(counts, counts).sum(axis=1) - xlogy(rows := counts.sum(axis=1), rows)
    return np.asarray(own - xlogy(counts, shares).sum(axis=1))


def windows_of(inside: Mask, edges: Floats, least: float) -> Floats:
    """Return windows as pairs of edges that enclose these bins, except those of one value.

    `least` is the least value of the column.
    """
    one_value = np.concatenate((edges[:1] == least, edges[:-1] == _next_below(edges[1:])))
    changes = np.diff(np.concatenate(([0], inside & ~one_value, [0])).astype(np.int8))
    below = np.concatenate(([-np.inf], edges))
    starts, ends = np.flatnonzero(changes > 0), np.flatnonzero(changes < 0)
    return np.column_stack((below[starts], below[ends])).reshape(-1)


def refined(bins: NumericCounts, exact: NumericCounts, windows: Floats) -> NumericCounts:
    """Return the entries of bins outside windows, and of values inside them."""
    outside = np.searchsorted(windows, bins.values, side="left") % 2 == 0
    outside |= np.isnan(bins.values)
    assert bins.folds is not None
    assert exact.folds is not None
    assert bins.rows is not None
    assert exact.rows is not None
    values = np.concatenate((bins.values[outside], exact.values))
    # Missing values, which bins begin with, stay where they are: sorted, they would be last.
    n_missing = bins.n_missing
    order = n_missing + np.argsort(values[n_missing:], kind="stable")
    order = np.concatenate((np.arange(n_missing), order))
    joined = [
        np.concatenate((one[outside], other))[order]
        for one, other in (
            (bins.classes, exact.classes),
            (bins.rows, exact.rows),
            (bins.folds, exact.folds),
            (bins.lowest, exact.values),
        )
    ]
    return NumericCounts(values[order], joined[0], joined[1], bins.n_classes, *joined[2:])
