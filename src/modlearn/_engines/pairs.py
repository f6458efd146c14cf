"""How pairs of columns are counted in an engine: few bins per column, many pairs in one scan."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._statistics.numeric import NumericCounts
from modlearn._statistics.pairs import Axis, PairCounts

__all__ = [
    "MOST_PAIR_BINS",
    "PAIRS_AT_ONCE",
    "CoarseRows",
    "CodedColumn",
    "finer_edges",
    "pair_counts",
    "pair_edges",
]

MOST_PAIR_BINS = 200
"""Most bins of a column in a pair; codes of bins fit in a byte."""

PAIRS_AT_ONCE = 100
"""About how many pairs are counted in one scan."""

Floats = NDArray[np.float64]


def pair_edges(counts: NumericCounts, cuts: Floats, most: int) -> Floats:
    """Return edges of bins of about equal rows, those of the best cuts of the column among them.

    Every edge is the value of an entry, so that counts of bins are sums of counts of entries.
    """
    values, above, at_cuts = _at_cuts(counts, cuts)
    if len(values) <= most:
        return values
    n_more = max(1, most - len(cuts) - 1)
    shares = np.arange(1, n_more + 1) / n_more * above[-1]
    at_shares = np.minimum(np.searchsorted(above, shares, side="left"), len(values) - 1)
    chosen = np.concatenate((at_cuts, at_shares, [len(values) - 1]))
    return np.asarray(values[np.unique(chosen)])


def finer_edges(counts: NumericCounts, cuts: Floats, share: float, most: int) -> Floats:
    """Return edges at cuts, and many within a share of the rows near each."""
    values, above, at_cuts = _at_cuts(counts, cuts)
    if not len(at_cuts):
        return values[-1:]
    n_each = max(1, (most - len(at_cuts) - 1) // (2 * len(at_cuts)))
    steps = np.arange(-n_each, n_each + 1) / n_each * share * above[-1]
    near = np.searchsorted(above, (above[at_cuts][:, None] + steps[None]).reshape(-1))
    chosen = np.concatenate((near[near < len(values)], at_cuts, [len(values) - 1]))
    return np.asarray(values[np.unique(chosen)])


def _at_cuts(
    counts: NumericCounts, cuts: Floats
) -> tuple[Floats, NDArray[np.int64], NDArray[np.intp]]:
    """Return the labeled values, the rows up to each, and the index of the last below each cut."""
    values, rows = counts.by_label()[0].distinct()
    present = ~np.isnan(values)
    values = values[present]
    at_cuts = np.searchsorted(values, cuts, side="right") - 1
    return values, np.cumsum(rows[present]), at_cuts[at_cuts >= 0]


@dataclass(frozen=True)
class CodedColumn:
    """A column as numbers: SQL, edges, and the value number of each bin, -1 = no labeled row."""

    sql: str
    edges: Floats
    number_of_bin: NDArray[Any]
    n_values: int
    ordered: bool


def pair_counts(first: CodedColumn, second: CodedColumn, cells: NDArray[np.int64]) -> PairCounts:
    """Return the cells (I, I, J) of a pair that are not empty as entries."""
    one, other, classes = np.nonzero(cells)
    axes = (
        Axis(first.number_of_bin[one], first.n_values, first.ordered),
        Axis(second.number_of_bin[other], second.n_values, second.ordered),
    )
    rows = cells[one, other, classes]
    return PairCounts(axes, classes.astype(np.int32), rows, cells.shape[2])


@dataclass(frozen=True, eq=False)
class CoarseRows:
    """Labeled rows by runs of the bins of several columns, counted when they are asked for."""

    count: Callable[[Sequence[CodedColumn], NDArray[np.int64]], NDArray[np.int64]]
    columns: tuple[CodedColumn, ...]
    n_runs: int

    def cells(self, pairs: NDArray[np.int64]) -> NDArray[np.int64]:
        """Count the rows of pairs (P, 2) of columns by run and class, shape (P, I, I, J)."""
        counts = self.count(self.columns, pairs)
        found = np.zeros((len(pairs), self.n_runs, self.n_runs, counts.shape[3]), dtype=np.int64)
        for p, pair in enumerate(pairs.tolist()):
            first, second = (self.columns[k].number_of_bin for k in pair)
            some = counts[p, : len(first), : len(second)]
            kept = np.ix_(np.maximum(first, 0), np.maximum(second, 0))
            np.add.at(found[p], kept, some)
        return found
