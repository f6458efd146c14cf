"""From the counts of columns to their partitions."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from modlearn._model.partitions import Groups, Intervals, Partition
from modlearn._parallel import Progress, map_in_threads
from modlearn._search.discretization import discretize
from modlearn._search.grouping import group_values
from modlearn._search.intervals import Limits
from modlearn._statistics.categories import CategoryCounts
from modlearn._statistics.numeric import NumericCounts
from modlearn.criteria import CRITERIA, Criterion, level
from modlearn.schema import Column, Labels, TargetSpec

if TYPE_CHECKING:  # a table of the protocol is imported by whoever has one
    from modlearn._statistics.rows import Rows

__all__ = ["fit_groups", "fit_intervals", "fit_partitions", "members_of_groups"]

FREE = Limits.within(None, 1)
"""No limits: the optimum, whatever it is."""


def fit_partitions(
    rows: Rows,
    n_jobs: int | None,
    progress: Progress | None = None,
    criterion: str = "auto",
    limits: Limits = FREE,
) -> list[Partition]:
    """Find the best partition of every column: intervals of ordered ones, groups of the others.

    A criterion is given by its name; "auto" is "post_optimized" if there are unlabeled rows, else
    "supervised".
    """
    if criterion == "auto":
        criterion = "post_optimized" if rows.target.n_unlabeled else "supervised"
    found = CRITERIA[criterion]
    scored = found if found.labels is Labels.CLASSES else found.for_target(rows.target)

    def work(column: Column) -> Partition:
        if column.ordered:
            (numbers,) = rows.numeric([column.name])
            return fit_intervals(column, numbers, rows.target, scored, limits)
        (categories,) = rows.categories([column.name])
        return fit_groups(column.name, categories, rows.target, scored, limits)

    return map_in_threads(work, rows.schema.columns, n_jobs, progress, "columns")


def fit_intervals(
    column: Column,
    counts: NumericCounts,
    target: TargetSpec,
    criterion: Criterion,
    limits: Limits = FREE,
) -> Intervals:
    """Discretize an ordered column."""
    found = discretize(counts, criterion, limits)
    return Intervals(
        name=column.name,
        classes=target.classes,
        counts=found.counts,
        unlabeled_counts=found.unlabeled,
        cost=found.cost,
        null_cost=found.null_cost,
        level=found.level,
        proven_optimal=found.proven,
        cuts=found.cuts,
        sides=found.sides,
        missing_alone=found.missing_alone,
        n_missing=found.n_missing,
        kind=column.kind,
    )


def fit_groups(
    name: Hashable,
    counts: CategoryCounts,
    target: TargetSpec,
    criterion: Criterion,
    limits: Limits = FREE,
) -> Groups:
    """Group the values of a categorical column; values of only unlabeled rows are in no group."""
    labeled, unlabeled = counts.by_label()
    found = group_values(labeled, criterion, limits)
    members = members_of_groups(labeled.values, found.group_of_value, labeled.rows_of_values)
    return Groups(
        name=name,
        classes=target.classes,
        counts=found.counts,
        unlabeled_counts=_rows_of_groups(unlabeled, labeled, found.group_of_value),
        cost=found.cost,
        null_cost=found.null_cost,
        level=level(found.cost, found.null_cost),
        # Nothing is known of groups that would tell pooled values apart.
        proven_optimal=found.proven and not labeled.has_pooled,
        groups=members,
    )


def members_of_groups(
    values: tuple[Hashable, ...], groups: NDArray[np.intp], rows: NDArray[np.int64]
) -> tuple[tuple[Hashable, ...], ...]:
    """Return the values of every group, most frequent first, ties in sorted order."""
    members: list[list[Hashable]] = [[] for _ in range(int(groups.max()) + 1)]
    order = np.argsort(-rows, kind="stable")
    for value, group in zip(order.tolist(), groups[order].tolist(), strict=True):
        members[group].append(values[value])
    return tuple(tuple(group) for group in members)


def _rows_of_groups(
    unlabeled: CategoryCounts, labeled: CategoryCounts, groups: NDArray[np.intp]
) -> NDArray[np.int64]:
    """Return the unlabeled rows per group, shape (I,); values seen only there are in no group."""
    found = np.zeros(int(groups.max()) + 1, dtype=np.int64)
    if unlabeled.n_values:
        group_of = dict(zip(labeled.values, groups.tolist(), strict=True))
        known = np.array([group_of.get(value, -1) for value in unlabeled.values])
        rows = unlabeled.rows_of_values
        np.add.at(found, known[known >= 0], rows[known >= 0])
    return found
