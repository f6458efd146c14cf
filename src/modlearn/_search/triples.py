"""Columns that are informative only three at a time: a screening, and the parts of each column.

A column is cut into two halves, and a triple scores high if the classes depend on the product of
the halves of its three columns: whether an even number of them is high. No pair of them has to be
informative. The halves are where the search for parts starts: each column in turn is partitioned
given the parts of the other two, as long as that lowers the cost of the cells.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._parallel import one_blas_thread
from modlearn._search.axis_parts import Parts
from modlearn._search.intervals import tolerance_of
from modlearn._search.trees import Examples, Seed, best_parts
from modlearn.criteria import PartCost, axis_cost, axis_prior, cell_costs

__all__ = ["promising_triples", "triple_scores", "triple_seed"]

MOST_COLUMNS = 100
"""Triples of more columns are not screened: there are too many."""

MOST_PRODUCTS = 500_000_000
"""Products that the screening computes; with many columns, it takes fewer rows."""

FEWEST_ROWS = 200
"""Rows that the screening takes at least."""

Floats = NDArray[np.float64]


def halves(examples: Examples) -> list[Parts]:
    """Return 0 or 1 for every value of each column: two halves of about equally many rows.

    Ordered values are halved at the median, others such that frequent values come first.
    """
    found = []
    for axis in examples.axes:
        rows = np.bincount(axis.codes, examples.rows, axis.n_values)
        order = np.arange(len(rows)) if axis.ordered else np.argsort(-rows, kind="stable")
        below = np.cumsum(rows[order]) - rows[order] / 2
        half = np.empty(len(rows), dtype=np.intp)
        half[order] = below >= rows.sum() / 2
        half[order[0]] = 0
        found.append(half)
    return found


def promising_triples(examples: Examples, most: int) -> list[tuple[int, ...]]:
    """Return the triples of columns with the highest scores, best first."""
    K = len(examples.axes)
    if not 3 <= K <= MOST_COLUMNS:
        return []
    n = max(FEWEST_ROWS, 3 * MOST_PRODUCTS // (K**3 * examples.n_classes))
    some = examples.first(n)
    triples = list(combinations(range(K), 3))
    # Rounded, so that scores that differ only by rounding errors are ties.
    order = np.argsort(-np.round(triple_scores(some), 6), kind="stable")[:most]
    return [triples[i] for i in order.tolist()]


def triple_scores(examples: Examples) -> Floats:
    """Return sum_j (sum_n s_an s_bn s_cn t_jn)^2 / N of every triple a < b < c of columns.

    s and t are the halves of a column, and whether a row has class j, each shifted and scaled to
    mean 0 and variance 1.
    """
    weights = examples.rows / examples.rows.sum()
    signs = np.stack(
        [half[axis.codes] for half, axis in zip(halves(examples), examples.axes, strict=True)]
    )
    own = examples.classes == np.arange(examples.n_classes)[:, None]
    s, t = (_standardized(values.astype(np.float64), weights) for values in (signs, own))
    found = []
    with one_blas_thread():
        for a in range(len(s) - 2):
            others = s[a + 1 :]
            sums = sum(((others * (s[a] * one * weights)) @ others.T) ** 2 for one in t)
            found.append(np.asarray(sums)[np.triu_indices(len(others), 1)])
    return np.asarray(np.concatenate(found) * examples.rows.sum())


def _standardized(values: Floats, weights: Floats) -> Floats:
    """Return lines of mean 0 and variance 1; constant ones are 0."""
    centered = values - (values @ weights)[:, None]
    deviations = np.sqrt(centered**2 @ weights)[:, None]
    return np.where(deviations > 1e-9, centered / np.maximum(deviations, 1e-9), 0.0)


def triple_seed(examples: Examples, columns: Sequence[int]) -> Seed | None:
    """Return parts of three columns, each the best given the others; None if one has one part."""
    starts = halves(examples)
    parts = [starts[k] for k in columns]
    n_rows = int(examples.rows.sum())
    tolerance, cost = tolerance_of(n_rows), np.inf
    while True:
        for i in range(len(columns)):
            parts[i] = _best_parts(examples, columns, parts, i)
        trial = _cost(examples, columns, parts, n_rows)
        if trial >= cost - tolerance:
            break
        cost = trial
    if any(int(part.max()) == 0 for part in parts):
        return None
    return list(zip(columns, parts, strict=True))


def _cells(
    examples: Examples, columns: Sequence[int], parts: Sequence[Parts]
) -> tuple[NDArray[np.int64], int]:
    """Return the cell of every row, and the number of cells."""
    cells, n_cells = np.zeros(len(examples.classes), dtype=np.int64), 1
    for k, part in zip(columns, parts, strict=True):
        n_parts = int(part.max()) + 1
        cells, n_cells = cells * n_parts + part[examples.axes[k].codes], n_cells * n_parts
    return cells, n_cells


def _cost(examples: Examples, columns: Sequence[int], parts: Sequence[Parts], n_rows: int) -> float:
    """Return the cost of a grid on these columns: formula 3 for any number of axes."""
    cells, n_cells = _cells(examples, columns, parts)
    J = examples.n_classes
    counts = np.bincount(cells * J + examples.classes, examples.rows, n_cells * J)
    priors = 0.0
    for k, part in zip(columns, parts, strict=True):
        axis = examples.axes[k]
        n_values = None if axis.ordered else axis.n_values
        priors += float(axis_prior(n_rows, n_values, int(part.max()) + 1))
    return priors + cell_costs(counts.astype(np.int64).reshape(n_cells, J))


def _best_parts(
    examples: Examples, columns: Sequence[int], parts: Sequence[Parts], i: int
) -> Parts:
    """Return the best parts of one column, given those of the others."""
    axis = examples.axes[columns[i]]
    others = [k for k in range(len(columns)) if k != i]
    cells, n_cells = _cells(examples, [columns[k] for k in others], [parts[k] for k in others])
    J = examples.n_classes
    keys = (axis.codes.astype(np.int64) * n_cells + cells) * J + examples.classes
    counts = np.bincount(keys, examples.rows, axis.n_values * n_cells * J).astype(np.int64)

    def cost(_: int, prior: Callable[[Any], Any]) -> PartCost:
        return axis_cost(n_cells, J, prior)

    return best_parts(counts.reshape(axis.n_values, n_cells * J), axis.ordered, cost)
