"""From table to partitions, column by column: the stages in a row."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import _check_n_features, validate_data

from modlearn._model.groups import Groups
from modlearn._model.intervals import Intervals
from modlearn._model.partition import Partition
from modlearn._parallel import Progress, each_in_threads, map_in_threads
from modlearn._search.discretization import discretize
from modlearn._search.grouping import group_values
from modlearn._search.intervals import Limits
from modlearn._statistics.categories import count_categories
from modlearn._statistics.numeric import NumericCounts
from modlearn._statistics.numeric import count_numbers
from modlearn._tables.memory.column import CategoricalColumn, NumericColumn
from modlearn._tables.memory.table import Table, read_table
from modlearn._tables.target import Target
from modlearn.criteria import level
from modlearn.errors import ColumnError

__all__ = [
    "check_columns",
    "codes_of_column",
    "fit_columns",
    "fit_groups",
    "fit_intervals",
    "members_of_groups",
    "missing_rows",
    "read_columns",
]


def read_columns(estimator: BaseEstimator, X: Any, reset: bool) -> Table:
    """Read the table and check its columns against those seen in fit, or remember them."""
    table = read_table(X)
    if reset or not _is_frame_as_in_fit(estimator, table):
        check_columns(estimator, X, reset)
    return table


def _is_frame_as_in_fit(estimator: BaseEstimator, table: Table) -> bool:
    """Tell whether a frame has the columns seen in fit: of one row scikit-learn takes longer."""
    names = getattr(estimator, "feature_names_in_", None)
    is_array = isinstance(table.sources[0], np.ndarray)
    return names is not None and not is_array and names.tolist() == table.names


def check_columns(estimator: BaseEstimator, X: Any, reset: bool) -> None:
    """Check the columns of a table against those seen in fit, or remember them."""
    if not isinstance(X, Table):
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        return
    # scikit-learn knows the names of frames only
    if reset:
        estimator.n_features_in_ = len(X.names)
        estimator.feature_names_in_ = np.array(X.names, dtype=object)
        return
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        _check_n_features(estimator, X, reset=False)
    elif list(names) != X.names:
        raise ValueError(_other_columns(list(names), X.names))


def _other_columns(then: list[Hashable], now: list[Hashable]) -> str:
    """Say how the columns differ from those seen in fit, in scikit-learn's first words."""
    start = "The feature names should match those that were passed during fit: "
    for name in then:
        if name not in now:
            return f"{start}column {name!r} is missing."
    for name in now:
        if name not in then:
            return f"{start}column {name!r} was not there, leave it out."
    return f"{start}the order differs, give {then[0]!r} first."


def fit_columns(
    table: Table,
    kinds: Sequence[str],
    target: Target,
    method: str,
    limits: Limits,
    n_jobs: int | None,
    progress: Progress | None = None,
) -> list[Partition]:
    """Find the best partition of every column; columns of kind "categorical" are grouped."""
    method = _settled(method, target)

    def work(column: tuple[int, str]) -> Partition:
        return fit_column(table, *column, target, method, limits)

    if progress is None:
        return map_in_threads(work, enumerate(kinds), n_jobs)
    found: list[Partition] = []

    def keep(column: tuple[int, str], partition: Partition) -> None:
        found.append(partition)
        progress("columns", len(found), len(kinds))

    each_in_threads(work, enumerate(kinds), keep, n_jobs)
    return found


def _settled(method: str, target: Target) -> str:
    """The method that "auto" stands for."""
    if method != "auto":
        return method
    return "post_optimized" if target.n_unlabeled else "supervised"


def fit_column(
    table: Table, i: int, kind: str, target: Target, method: str, limits: Limits
) -> Partition:
    """Find the best partition of column i: groups if it is categorical, else intervals."""
    if kind == "categorical":
        return fit_groups(table.categorical(i), target, limits)
    return fit_intervals(table.numeric(i), target, method, limits)


def codes_of_column(table: Table, i: int, partition: Partition) -> NDArray[np.int32]:
    """Return the part of every value of column i, 0 to I-1."""
    if isinstance(partition, Intervals):
        numbers = table.numeric(i)
        _refuse_other_kind(numbers, partition)
        return partition.codes(numbers.values)
    assert isinstance(partition, Groups)
    column = table.categorical(i)
    _refuse_other_type(column, partition)
    return partition.codes((None, *column.categories))[column.codes + 1]


def _refuse_other_kind(column: NumericColumn, partition: Intervals) -> None:
    """Raise when cuts of dates are to be applied to numbers, or the like."""
    if column.kind == partition.kind or not len(partition.cuts) or np.isnan(column.values).all():
        return
    raise ColumnError(
        f"Column {column.name!r} held {partition.kind} values in fit and holds {column.kind} ones "
        "now: convert it to the type it had."
    )


def _refuse_other_type(column: CategoricalColumn, partition: Groups) -> None:
    """Raise when groups of text are to be applied to numbers, or the reverse."""
    then = {_is_text(v) for group in partition.groups for v in group if v is not None}
    now = {_is_text(value) for value in column.categories}
    if len(then) == len(now) == 1 and then != now and partition.n_parts > 1:
        held, holds = ("text", "numbers") if then == {True} else ("numbers", "text")
        raise ColumnError(
            f"Column {column.name!r} held {held} in fit and holds {holds} now, such as "
            f"{column.categories[0]!r}: convert it to the type it had."
        )


def _is_text(value: Hashable) -> bool:
    return isinstance(value, str)


def fit_intervals(column: NumericColumn, target: Target, method: str, limits: Limits) -> Intervals:
    """Discretize a column."""
    table = count_numbers(column.values, target.codes, target.weights, target.n_classes)
    found = discretize(table, method, limits)
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
        sides=_beside(table, found.cuts),
        missing_alone=found.missing_alone,
        n_missing=missing_rows(table),
        kind=column.kind,
    )


def _beside(table: NumericCounts, cuts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Largest value at or left of every cut and smallest right of it, shape (n_cuts, 2)."""
    values = table.values[table.n_missing :]
    right = np.searchsorted(values, cuts, side="right")
    return np.column_stack((values[right - 1], values[right]))


def missing_rows(table: NumericCounts) -> int:
    """Rows without a value."""
    n_entries = table.n_missing
    return n_entries if table.rows is None else int(table.rows[:n_entries].sum())


def fit_groups(column: CategoricalColumn, target: Target, limits: Limits) -> Groups:
    """Group the values of a column."""
    values, codes = count_categories(column.codes, target.codes, target.weights, target.n_classes)
    found = group_values(values, limits)
    group_of_code = np.zeros(len(column.categories) + 1, dtype=np.intp)
    group_of_code[codes + 1] = found.group_of_value
    names = [None if code < 0 else column.categories[code] for code in codes.tolist()]
    rows = np.add.reduceat(values.rows, values.pointer[:-1])
    return Groups(
        name=column.name,
        classes=target.classes,
        counts=found.counts,
        unlabeled_counts=_unlabeled_rows(column, target, group_of_code),
        cost=found.cost,
        null_cost=found.null_cost,
        level=level(found.cost, found.null_cost),
        proven_optimal=found.proven,
        groups=members_of_groups(names, found.group_of_value, rows),
    )


def members_of_groups(
    names: list[Hashable], groups: NDArray[np.intp], rows: NDArray[np.int64]
) -> tuple[tuple[Hashable, ...], ...]:
    """Values of every group, the most frequent first, on ties in their sorted order."""
    members: list[list[Hashable]] = [[] for _ in range(int(groups.max()) + 1)]
    for value in np.argsort(-rows, kind="stable").tolist():
        members[groups[value]].append(names[value])
    return tuple(tuple(group) for group in members)


def _unlabeled_rows(
    column: CategoricalColumn, target: Target, group_of_code: NDArray[np.intp]
) -> NDArray[np.int64]:
    """Unlabeled rows per group, shape (I,); `group_of_code` has missing first."""
    rest = ~target.is_labeled
    groups = group_of_code[column.codes[rest] + 1]
    counts = np.zeros(int(group_of_code.max()) + 1, dtype=np.int64)
    np.add.at(counts, groups, 1 if target.weights is None else target.weights[rest])
    return counts
