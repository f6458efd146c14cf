"""Why columns that tell something have no weight: which others tell the same."""

from __future__ import annotations

import numpy as np

from modlearn._estimators.classifier import PartitionClassifier
from modlearn._evaluate.shared_information import share_told_by_rows
from modlearn._model.evaluation import Redundancy
from modlearn._tables.memory.batch import TableBatch
from modlearn._tables.memory.view import TableView
from modlearn._tables.target import Target

__all__ = ["redundancies"]

MOST_ROWS = 2_000
MOST_COMPARED = 500
"""Pairs of columns that are compared, those that tell most first."""

MOST_OTHERS = 20
"""Columns with a weight that one without is compared with."""

LEAST_SHARE = 0.05


def redundancies(
    classifier: PartitionClassifier, table: TableView, target: Target, seed: int
) -> tuple[Redundancy, ...]:
    """Share of what columns without a weight tell that columns with one tell too."""
    place = {name: i for i, name in enumerate(classifier.partitions_)}
    alone = [name for name in classifier.weights_ if name in place]
    with_weight = [name for name in alone if classifier.weights_[name] > 0][:MOST_OTHERS]
    without = [name for name in classifier.levels_ if classifier.weights_.get(name) == 0.0]
    without = [name for name in without if name in place]
    pairs = [(name, other) for name in without for other in with_weight][:MOST_COMPARED]
    if not pairs:
        return ()
    labeled = np.flatnonzero(target.is_labeled)
    some = np.random.default_rng(seed).permutation(labeled)[:MOST_ROWS]
    rows, classes = table.at_rows(np.sort(some)), target.codes[np.sort(some)]
    needed = {name for pair in pairs for name in pair}
    batch = TableBatch(rows, tuple(classifier.partitions_))
    parts = {name: classifier.partitions_[name].codes_in(batch) for name in needed}
    found = [
        Redundancy(str(name), str(other), share_told_by_rows(parts[name], parts[other], classes))
        for name, other in pairs
    ]
    return tuple(one for one in found if one.share >= LEAST_SHARE)
