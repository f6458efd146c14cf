"""The group of a left-out row's value, reassigned from the value's other rows.

Weights are found by predicting each row from all others. The rows of a group are easily left out
one at a time, but the group of a value was chosen by the rows of that value, the left-out row among
them. If values have few rows, this matters more than anything else: a value that occurs once is
always in the group of its class, and says nothing about the next row, whose value is another one.
So a value is reassigned by its other rows: to the group where they are most probable, or to none if
there are none, like a value that was never seen.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from modlearn._model.partitions import Groups
from modlearn._statistics.batches import Batch
from modlearn._statistics.categories import CategoryCounts
from modlearn.criteria import (
    elsewhere_log_likelihoods,
    part_log_likelihoods,
    reassigned_log_likelihoods,
)

__all__ = ["LeftOutGroups"]

Codes = NDArray[np.int32]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LeftOutGroups:
    """The group of each value, as each of its rows finds it when it is left out.

    Parameters
    ----------
    name : hashable
        Name of the column.
    kind_of_value : dict of hashable to int
        Values whose rows find the same groups are of one kind, numbered from 0.
    codes : ndarray of shape (n_kinds, J), int32
        Line of the tables that a row of a kind and class finds: g = its own group g, I + g =
        another group g, 2 I = none.
    table, left_out : ndarray of shape (2 I + 1, J), float64
        log P(group | class) of each line, from all rows and without the row itself.
    """

    name: Hashable
    kind_of_value: dict[Hashable, int]
    codes: Codes
    table: Floats
    left_out: Floats

    @classmethod
    def of(cls, groups: Groups, values: CategoryCounts, table: Floats) -> LeftOutGroups:
        """Assign each value anew without each of its rows; `values` are those of labeled rows."""
        lines = _lines(groups, values)
        kinds, kind = np.unique(lines, axis=0, return_inverse=True)
        without = part_log_likelihoods(groups.counts, left_out=True)
        none = np.zeros((1, table.shape[1]))
        return cls(
            groups.name,
            dict(zip(values.values, kind.reshape(-1).tolist(), strict=True)),
            kinds.astype(np.int32),
            np.concatenate((table, table, none)),
            np.concatenate((without, elsewhere_log_likelihoods(groups.counts), none)),
        )

    @property
    def columns(self) -> tuple[Hashable, ...]:
        """Names of the columns that the part of a row depends on: one."""
        return (self.name,)

    def codes_in(self, batch: Batch) -> Codes:
        """Return the kind of the value of every row, shape (n,)."""
        codes, categories = batch.categorical(self.name)
        known = [self.kind_of_value.get(value, 0) for value in (None, *categories)]
        return np.array(known, dtype=np.int32)[codes + 1]


def _lines(groups: Groups, values: CategoryCounts) -> Codes:
    """Return the line that the rows of each value and class find, shape (V, J)."""
    counts = groups.counts
    own = groups.codes(values.values)
    value = np.repeat(np.arange(values.n_values), np.diff(values.pointer))
    others = reassigned_log_likelihoods(value, values.classes, values.rows, counts)
    # Rounding must not move a value whose rows are as probable elsewhere.
    others[np.arange(len(value)), own[value]] += 1e-9
    best = others.argmax(axis=1)
    found = np.where(best == own[value], best, len(counts) + best)
    found[values.rows_of_values[value] == 1] = 2 * len(counts)
    lines = np.zeros((values.n_values, counts.shape[1]), dtype=np.int32)
    lines[value, values.classes] = found
    return lines
