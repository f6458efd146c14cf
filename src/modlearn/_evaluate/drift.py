"""Whether the test rows are other rows than those learned from: a two-sample criterion.

Membership in either table is the target, and a column that tells about it differs between them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from modlearn._fit.columns import fit_groups, fit_intervals
from modlearn._model.evaluation import DataWarning
from modlearn._model.partition import Partition
from modlearn._parallel import map_in_threads
from modlearn._search.intervals import Limits
from modlearn._tables.cells import Kind
from modlearn._tables.memory.column import CategoricalColumn, NumericColumn
from modlearn._tables.memory.table import Table
from modlearn._tables.memory.view import TableView
from modlearn._tables.target import Target
from modlearn.schema import class_names

__all__ = ["drift_of_classes", "drifts", "joined_categories"]

MOST_ROWS = 20_000
"""Rows of each table that are compared: a drift that needs more to be seen does no harm."""

MEMBERSHIP = np.array(["train", "test"], dtype=object)


def drifts(train: TableView, test: TableView, seed: int, n_jobs: int | None) -> list[DataWarning]:
    """Columns whose values are distributed otherwise in the test table, the clearest first."""
    rng = np.random.default_rng(seed)
    train, test = (_some_rows(table, rng) for table in (train, test))
    found = map_in_threads(
        lambda i: _apart(train, test, i, train.column_kinds[i]), range(len(train.names)), n_jobs
    )
    drifted = sorted((p for p in found if p.level > 0), key=lambda p: -p.level)
    return [_caution(partition) for partition in drifted]


def _some_rows(table: TableView, rng: np.random.Generator) -> TableView:
    if table.n_rows <= MOST_ROWS:
        return table
    return table.at_rows(np.sort(rng.choice(table.n_rows, MOST_ROWS, replace=False)))


def _apart(train: Table, test: Table, i: int, kind: Kind) -> Partition:
    """The parts of a column that tell the tables apart best."""
    codes = np.repeat(np.array([0, 1], dtype=np.int32), [train.n_rows, test.n_rows])
    target = Target(MEMBERSHIP, codes)
    limits = Limits.within(None, 1)
    if kind == "categorical":
        both = joined_categories(train.categorical(i), test.categorical(i))
        return fit_groups(both, target, limits)
    one, other = train.numeric(i), test.numeric(i)
    joined = np.concatenate((one.values, other.values))
    return fit_intervals(NumericColumn(one.name, one.kind, joined), target, "supervised", limits)


def joined_categories(one: CategoricalColumn, other: CategoricalColumn) -> CategoricalColumn:
    """Rows of two columns below each other."""
    place = {value: code for code, value in enumerate(one.categories)}
    for value in other.categories:
        place.setdefault(value, len(place))
    lookup = np.array([*(place[value] for value in other.categories), -1], dtype=np.int32)
    codes = np.concatenate((one.codes, lookup[other.codes]))
    return CategoricalColumn(one.name, codes, tuple(place))


def _caution(partition: Partition) -> DataWarning:
    name = str(partition.name)
    part, shares = _most_changed(partition)
    return DataWarning(
        "drift",
        name,
        f"Column {name!r} differs between the tables: {part} holds {shares}, so see why, or drop "
        "it if this will go on.",
    )


def _most_changed(partition: Partition) -> tuple[str, str]:
    """The part whose share changed most, and its shares in words."""
    shares = partition.counts / partition.counts.sum(axis=0)
    part = int(np.argmax(np.abs(shares[:, 1] - shares[:, 0])))
    train, test = shares[part].tolist()
    return partition.labels[
        part
    ], f"{train:.1%} of the training rows and {test:.1%} of the test rows"


def drift_of_classes(train: Target, labels: NDArray[np.int32], name: str) -> list[DataWarning]:
    """Whether the classes of the test rows have other shares."""
    known = train.codes[train.is_labeled]
    values = tuple(class_names(train.classes))
    column = CategoricalColumn(name, np.concatenate((known, labels)).astype(np.int32), values)
    codes = np.repeat(np.array([0, 1], dtype=np.int32), [len(known), len(labels)])
    partition = fit_groups(column, Target(MEMBERSHIP, codes), Limits.within(None, 1))
    if partition.level <= 0:
        return []
    part, shares = _most_changed(partition)
    return [
        DataWarning(
            "drift",
            name,
            f"The classes of {name!r} have other shares in the test table: {part} is {shares}, so "
            "read the measures with that in mind.",
        )
    ]
