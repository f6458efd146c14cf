"""Whether the test rows differ from the training rows: a two-sample criterion.

Membership in either table is the target; a column that is informative about it differs between
them.
"""

from __future__ import annotations

import numpy as np

from modlearn._fit.columns import fit_groups, fit_intervals
from modlearn._model.evaluation import DataWarning, Numbers
from modlearn._model.partitions import Partition
from modlearn._parallel import map_in_threads
from modlearn._statistics.categories import CategoryCounts
from modlearn._statistics.rows import Rows
from modlearn.criteria import SUPERVISED
from modlearn.schema import Column, TargetSpec

__all__ = ["class_drift", "column_drift"]

MOST_ROWS = 20_000
"""Most rows of each table that are compared: drift that shows only in more rows is harmless."""


def column_drift(train: Rows, test: Rows, seed: int, n_jobs: int | None) -> list[DataWarning]:
    """Find columns whose distribution differs in the test table, clearest difference first."""
    train, test = train.sample(MOST_ROWS, seed), test.sample(MOST_ROWS, seed)
    membership = _membership(train.n_rows, test.n_rows)

    def work(column: Column) -> Partition:
        if column.ordered:
            one, other = (rows.numeric([column.name])[0] for rows in (train, test))
            return fit_intervals(column, one.membership(other), membership, SUPERVISED)
        first, second = (rows.categories([column.name])[0] for rows in (train, test))
        return fit_groups(column.name, first.membership(second), membership, SUPERVISED)

    found = map_in_threads(work, train.schema.columns, n_jobs)
    drifted = sorted((p for p in found if p.level > 0), key=lambda p: -p.level)
    return [_drift("drift", partition) for partition in drifted]


def class_drift(train: TargetSpec, test: TargetSpec) -> list[DataWarning]:
    """Warn if the classes have different shares in the test rows."""
    one, other = _class_counts(train), _class_counts(test)
    membership = _membership(int(train.counts.sum()), int(test.counts.sum()))

    partition = fit_groups(str(train.name), one.membership(other), membership, SUPERVISED)
    return [_drift("class_drift", partition)] if partition.level > 0 else []


def _class_counts(target: TargetSpec) -> CategoryCounts:
    """Return the classes as the values of a categorical column."""
    present = np.flatnonzero(target.counts)
    names = target.class_names
    return CategoryCounts(
        np.arange(len(present) + 1),
        np.zeros(len(present), dtype=np.int32),
        target.counts[present],
        1,
        tuple(names[j] for j in present.tolist()),
    )


def _membership(n_train: int, n_test: int) -> TargetSpec:
    classes = np.array(["train", "test"], dtype=object)
    return TargetSpec(None, classes, np.array([n_train, n_test]), 0)


def _drift(kind: str, partition: Partition) -> DataWarning:
    """Return the part whose share changed most, with its shares in training and test rows."""
    shares = partition.counts / partition.counts.sum(axis=0)
    part = int(np.argmax(np.abs(shares[:, 1] - shares[:, 0])))
    train, test = shares[part].tolist()
    label = partition.labels[part]
    numbers: Numbers = {"part": label, "train_share": train, "test_share": test}
    return DataWarning(kind, (str(partition.name),), numbers)
