"""From the counts of columns to their partitions."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
from numpy.typing import NDArray

from modlearn._model.partitions import Groups, Intervals, Partition
from modlearn._parallel import Progress, each_in_threads, map_in_threads
from modlearn._search.discretization import discretize
from modlearn._search.grouping import group_values
from modlearn._search.intervals import Limits
from modlearn._statistics.categories import CategoryCounts
from modlearn._statistics.numeric import NumericCounts
from modlearn._statistics.rows import Rows
from modlearn.criteria import level
from modlearn.schema import Column, TargetSpec

__all__ = ["fit_groups", "fit_intervals", "fit_partitions", "members_of_groups"]

FREE = Limits.within(None, 1)
"""No limits: the optimum, whatever it is."""


def fit_partitions(
    rows: Rows,
    n_jobs: int | None,
    progress: Progress | None = None,
    method: str = "auto",
    limits: Limits = FREE,
) -> list[Partition]:
    """Find the best partition of every column: intervals of ordered ones, groups of the others.

    The method "auto" is "post_optimized" if there are unlabeled rows, else "supervised".
    """
    if method == "auto":
        method = "post_optimized" if rows.target.n_unlabeled else "supervised"

    def work(column: Column) -> Partition:
        if column.ordered:
            (numbers,) = rows.numeric([column.name])
            return fit_intervals(column, numbers, rows.target, method, limits)
        (categories,) = rows.categories([column.name])
        return fit_groups(column.name, categories, rows.target, limits)

    columns = rows.schema.columns
    if progress is None:
        return map_in_threads(work, columns, n_jobs)
    found: list[Partition] = []

    def keep(column: Column, partition: Partition) -> None:
        found.append(partition)
        progress("columns", len(found), len(columns))

    each_in_threads(work, columns, keep, n_jobs)
    return found


def fit_intervals(
    column: Column, counts: NumericCounts, target: TargetSpec, method: str, limits: Limits = FREE
) -> Intervals:
    """Discretize an ordered column."""
    found = discretize(counts, method, limits)
    return Intervals(
        name=column.name,
        classes=target.classes,
        counts=found.counts,
        unlabeled_counts=found.unlabeled,
        cost=found.cost,
        null_cost=found.null_cost,
        level=level(found.cost, found.null_cost),
        proven_optimal=found.proven,
        cuts=found.cuts,
        sides=_beside(counts, found.cuts),
        missing_alone=found.missing_alone,
        n_missing=counts.missing_rows,
        kind=column.kind,
    )


def _beside(counts: NumericCounts, cuts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the values on both sides of every cut, shape (n_cuts, 2)."""
    values = counts.values[counts.n_missing :]
    right = np.searchsorted(values, cuts, side="right")
    return np.column_stack((values[right - 1], values[right]))


def fit_groups(
    name: Hashable, counts: CategoryCounts, target: TargetSpec, limits: Limits = FREE
) -> Groups:
    """Group the values of a categorical column; values of only unlabeled rows are in no group."""
    labeled = counts.labeled()
    found = group_values(labeled, limits)
    members = members_of_groups(labeled.values, found.group_of_value, labeled.rows_of_values)
    return Groups(
        name=name,
        classes=target.classes,
        counts=found.counts,
        unlabeled_counts=_unlabeled_rows(counts, labeled, found.group_of_value),
        cost=found.cost,
        null_cost=found.null_cost,
        level=level(found.cost, found.null_cost),
        proven_optimal=found.proven,
        groups=members,
    )


def members_of_groups(
    values: tuple[Hashable, ...], groups: NDArray[np.intp], rows: NDArray[np.int64]
) -> tuple[tuple[Hashable, ...], ...]:
    """Return the values of every group, most frequent first, ties in sorted order."""
    members: list[list[Hashable]] = [[] for _ in range(int(groups.max()) + 1)]
    for value in np.argsort(-rows, kind="stable").tolist():
        members[groups[value]].append(values[value])
    return tuple(tuple(group) for group in members)


def _unlabeled_rows(
    counts: CategoryCounts, labeled: CategoryCounts, groups: NDArray[np.intp]
) -> NDArray[np.int64]:
    """Return the unlabeled rows per group, shape (I,)."""
    found = np.zeros(int(groups.max()) + 1, dtype=np.int64)
    unlabeled = counts.unlabeled()
    if unlabeled.n_values:
        group_of = dict(zip(labeled.values, groups.tolist(), strict=True))
        known = np.array([group_of.get(value, -1) for value in unlabeled.values])
        rows = unlabeled.rows_of_values
        np.add.at(found, known[known >= 0], rows[known >= 0])
    return found
