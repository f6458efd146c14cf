"""The recipe of an additive model whose scores are learned directly, from fine bins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from modlearn._fit.columns import members_of_groups
from modlearn._fit.deviations import with_deviations
from modlearn._model.additive import AdditiveModel, Parts, Term, terms_of
from modlearn._model.partitions import Groups, Intervals, Partition
from modlearn._parallel import map_in_threads, one_blas_thread
from modlearn._search.additive import best_tables
from modlearn._search.curvature import MOST_CLASSES, table_covariance
from modlearn._search.discretization import midpoint
from modlearn._statistics.categories import CategoryCounts
from modlearn._statistics.numeric import NumericCounts
from modlearn._statistics.rows import Rows
from modlearn.criteria.additive import (
    CATEGORY_VARIANCE,
    CELL_VARIANCE,
    curve_covariance,
    root_of,
)

__all__ = ["additive_model", "bins_of_groups", "bins_of_intervals", "fine_bins"]

MOST_CURVE_BINS = 40
"""Bins of equal numbers of rows that a numeric column is divided into, besides its own cuts."""

MOST_CATEGORIES = 100
"""Categories that have scores of their own; if there are more, groups have them."""

LEAST_SHARE = 1e-3
"""A term with a smaller share of the strongest one's scores is not used."""


def additive_model(
    rows: Rows,
    parts: Sequence[Parts],
    log_prior: NDArray[np.float64],
    n_jobs: int | None,
    has_deviations: bool = True,
) -> AdditiveModel:
    """Learn the scores of bins of all columns, informative alone or not, of cells of grids, and of
    leaves of trees.

    The parts of columns come in the order of the schema; grids and trees follow. A model that is
    only tested does without the deviations of its scores.
    """

    def fine(one: Parts) -> tuple[Partition | None, NDArray[np.float64]]:
        return _bins(rows, one) if isinstance(one, Partition) else (None, _root(one))

    # A root is so small that other threads of BLAS would only spin.
    with one_blas_thread():
        bins, roots = zip(*map_in_threads(fine, parts, n_jobs), strict=True)
    scored = [one if b is None else b for one, b in zip(parts, bins, strict=True)]
    varying = [k for k, one in enumerate(scored) if one.n_parts > 1]
    tables = [np.zeros((one.n_parts, len(log_prior))) for one in scored]
    base, covariance = log_prior, None
    if varying and len(log_prior) > 1:
        profiles = rows.profiles([scored[k] for k in varying], n_jobs)
        used = [roots[k] for k in varying]
        found = best_tables(profiles, used, log_prior, n_jobs)
        base = found.base
        for k, table in zip(varying, found.tables, strict=True):
            tables[k], mean = _centered(table, scored[k].cells.sum(axis=1))
            base = base + mean
        if has_deviations and len(log_prior) <= MOST_CLASSES:
            covariance = table_covariance(profiles, used, found.tables, found.base, found.penalty)
    model = AdditiveModel(
        schema=rows.schema, target=rows.target, base=base, terms=_terms(parts, bins, tables)
    )
    return model if covariance is None else with_deviations(model, varying, covariance)


def _terms(
    parts: Sequence[Parts], bins: Sequence[Partition | None], tables: list[NDArray[np.float64]]
) -> tuple[Term, ...]:
    """Return terms with the strongest of weight 1, and others by their share of its scores."""
    terms = [
        replace(term, bins=b)
        for term, b in zip(terms_of(parts, [0.0] * len(parts), tables), bins, strict=True)
    ]
    strongest = max((term.mean_score for term in terms), default=0.0)
    shares = [term.mean_score / strongest if strongest > 0 else 0.0 for term in terms]
    return tuple(
        replace(term, weight=share, table=term.table / share) if share >= LEAST_SHARE else term
        for term, share in zip(terms, shares, strict=True)
    )


def _centered(
    table: NDArray[np.float64], rows: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return a table whose mean over the rows is 0, and the mean that it had, shape (J,)."""
    mean = rows @ table / rows.sum()
    return table - mean, mean


def _root(parts: Parts) -> NDArray[np.float64]:
    """Return a root of the prior covariance of a table of categories, cells or leaves."""
    variance = CATEGORY_VARIANCE if isinstance(parts, Groups) else CELL_VARIANCE
    return np.diag(np.full(parts.n_parts, variance**0.5))


def _root_of_curve(bins: Intervals, numbers: NumericCounts) -> NDArray[np.float64]:
    """Return a root of the prior covariance of the scores of bins."""
    counts, n_missing = bins.cells.sum(axis=1), int(bins.missing_alone)
    if bins.n_parts == 1:
        return np.zeros((1, 0))
    root = root_of(curve_covariance(counts[n_missing:], _typical_values(bins, numbers)))
    if not n_missing:
        return root
    # A missing value has a score of its own, whatever the curve.
    found = np.zeros((len(counts), 1 + root.shape[1]))
    found[0, 0], found[1:, 1:] = CATEGORY_VARIANCE**0.5, root
    return found


def _typical_values(bins: Intervals, counts: NumericCounts) -> NDArray[np.float64]:
    """Return the median of each bin, without that of missing values; an infinite one is finite."""
    values, rows = counts.by_label()[0].distinct()
    n_missing = int(bool(len(values)) and bool(np.isnan(values[0])))
    values, rows = values[n_missing:], rows[n_missing:]
    ends = np.append(np.searchsorted(values, bins.cuts, side="right"), len(values))
    below = np.concatenate(([0], np.cumsum(rows)))
    middle = (below[np.concatenate(([0], ends[:-1]))] + below[ends]) / 2
    found = values[np.searchsorted(below[1:], middle)]
    finite = found[np.isfinite(found)]
    return np.asarray(np.clip(found, finite.min(initial=0.0), finite.max(initial=0.0)))


def fine_bins(rows: Rows, partition: Partition) -> Partition:
    """Return the finer parts of a column."""
    return _bins(rows, partition)[0]


def _bins(rows: Rows, partition: Partition) -> tuple[Partition, NDArray[np.float64]]:
    """Return the finer parts of a column, and a root of the prior covariance of their scores."""
    if isinstance(partition, Intervals):
        (numbers,) = rows.numeric([partition.name])
        bins = bins_of_intervals(partition, numbers)
        return bins, _root_of_curve(bins, numbers)
    assert isinstance(partition, Groups)
    (categories,) = rows.categories([partition.name])
    groups = bins_of_groups(partition, categories)
    return groups, _root(groups)


def bins_of_intervals(partition: Intervals, counts: NumericCounts) -> Intervals:
    """Divide a column at its cuts and into bins of equal numbers of labeled rows."""
    labeled, unlabeled = counts.by_label()
    values, rows = labeled.distinct()
    ranges = labeled.distinct_lows()
    has_missing = bool(len(values)) and bool(np.isnan(values[0]))
    lows = (values if ranges is None else ranges)[has_missing:]
    values, rows = values[has_missing:], rows[has_missing:]
    left = _left_of_cuts(values, rows, partition.cuts)
    own = np.searchsorted(values, partition.cuts, side="right") - 1
    # Cuts of the partition stay where they are: unlabeled rows may have moved them.
    cuts = midpoint(values[left], lows[left + 1])
    kept = np.isin(left, own)
    cuts[kept] = partition.cuts[np.searchsorted(own, left[kept])]
    bins = replace(
        partition,
        cuts=cuts,
        sides=np.column_stack((values[left], lows[left + 1])),
        missing_alone=has_missing and len(values) > 0,
    )
    n_parts = len(cuts) + 1 + bins.missing_alone
    return replace(
        bins,
        counts=_rows_by_part(bins, labeled, n_parts)[:, :-1],
        unlabeled_counts=_rows_by_part(bins, unlabeled, n_parts)[:, -1],
    )


def _left_of_cuts(
    values: NDArray[np.float64], rows: NDArray[np.int64], cuts: NDArray[np.float64]
) -> NDArray[np.intp]:
    """Return the positions of the values left of cuts: of the given ones, and of equal bins."""
    if len(values) <= MOST_CURVE_BINS:
        return np.arange(max(len(values) - 1, 0))
    own = np.searchsorted(values, cuts, side="right") - 1
    equal = np.searchsorted(
        np.cumsum(rows), rows.sum() * np.arange(1, MOST_CURVE_BINS) / MOST_CURVE_BINS
    )
    left = np.union1d(own, equal)
    return left[(left >= 0) & (left < len(values) - 1)]


def _rows_by_part(bins: Intervals, counts: NumericCounts, n_parts: int) -> NDArray[np.int64]:
    """Count rows by bin and class, shape (I, J + 1), the unlabeled ones last."""
    J = counts.n_classes + 1
    key = bins.codes(counts.values).astype(np.int64) * J + counts.classes
    found = np.bincount(key, counts.rows, n_parts * J)
    return found.astype(np.int64).reshape(n_parts, J)


def bins_of_groups(partition: Groups, counts: CategoryCounts) -> Groups:
    """Give every category that occurs twice a part of its own, and the others one together.

    If there are too many, the groups stay as they are.
    """
    labeled, unlabeled = counts.by_label()
    rows = labeled.rows_of_values
    repeated = np.flatnonzero(rows > 1)
    if len(repeated) > MOST_CATEGORIES or not len(repeated):
        return partition
    part = np.full(labeled.n_values, len(repeated), dtype=np.intp)
    part[repeated] = np.arange(len(repeated))
    n_parts = int(part.max()) + 1
    by_class = np.zeros((n_parts, counts.n_classes), dtype=np.int64)
    value = np.repeat(np.arange(labeled.n_values), np.diff(labeled.pointer))
    np.add.at(by_class, (part[value], labeled.classes), labeled.rows)
    order = np.argsort(-by_class.sum(axis=1), kind="stable")
    members = members_of_groups(labeled.values, np.argsort(order)[part], rows)
    known = {v: i for i, group in enumerate(members) for v in group}
    others = np.zeros(n_parts, dtype=np.int64)
    for v, n in zip(unlabeled.values, unlabeled.rows_of_values.tolist(), strict=True):
        if v in known:
            others[known[v]] += n
    return replace(partition, groups=members, counts=by_class[order], unlabeled_counts=others)
