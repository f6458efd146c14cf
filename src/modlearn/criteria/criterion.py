"""Criteria: what is minimized over the partitions of a column, by the names that users pass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn.criteria.class_cost import ClassCost
from modlearn.criteria.discretization import averaged_cost, discretization_cost, map_cost
from modlearn.criteria.grouping import grouping_cost
from modlearn.criteria.part_cost import PartCost
from modlearn.criteria.semi_supervised import MapCost
from modlearn.schema import Labels, TargetSpec

__all__ = ["CRITERIA", "SUPERVISED", "Costing", "Criterion"]

Counts = NDArray[np.int64]
Costing = Callable[[int, Callable[[Any], Any]], PartCost]
"""Returns a part cost, from the number of labels, without that of unlabeled rows, and the prior."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Criterion:
    """How the partitions of a column are scored. A new criterion is one more value of it.

    The four functions of a criterion for counts take the target as an argument before the others,
    as the values of its labels matter; those of groups, which are for classes by default, have to
    be given.

    Parameters
    ----------
    labels : Labels, default=Labels.CLASSES
        What labels it takes; the reader of the target refuses others.
    part_cost : callable
        ``part_cost(n_labels, prior)`` returns what the search for intervals minimizes, from the
        number of labels, without that of unlabeled rows, and the prior.
    cost : callable
        ``cost(counts, n_rows)`` returns the cost of intervals as its paper writes it, from the
        rows per interval and label and the number of rows of the prior.
    labels_unlabeled : bool, default=False
        Whether unlabeled rows have a label of their own, the last one; otherwise they are left out.
    counts_all_rows : bool, default=False
        Whether the prior counts all rows; otherwise the labeled ones.
    cuts_at_medians : bool, default=False
        Whether cuts are at the median of the unlabeled values between two labeled ones; otherwise
        midway.
    group_part_cost : callable, default=ClassCost
        Like `part_cost`, for groups of labeled values.
    group_cost : callable, default=grouping_cost
        ``group_cost(counts, n_values)`` returns the cost of groups.
    """

    part_cost: Callable[..., PartCost]
    cost: Callable[..., float]
    labels: Labels = Labels.CLASSES
    labels_unlabeled: bool = False
    counts_all_rows: bool = False
    cuts_at_medians: bool = False
    group_part_cost: Callable[..., PartCost] = ClassCost
    group_cost: Callable[..., float] = grouping_cost

    def __post_init__(self) -> None:
        """Refuse functions of groups that are for other labels."""
        of_classes = self.group_part_cost is ClassCost or self.group_cost is grouping_cost
        if self.labels is not Labels.CLASSES and of_classes:
            raise TypeError(
                "A criterion for counts cannot score groups by the cost for classes: pass "
                "group_part_cost and group_cost, which take the target first."
            )

    def for_target(self, target: TargetSpec) -> Criterion:
        """Return a criterion for counts with the target filled in."""
        return replace(
            self,
            part_cost=partial(self.part_cost, target),
            cost=partial(self.cost, target),
            group_part_cost=partial(self.group_part_cost, target),
            group_cost=partial(self.group_cost, target),
        )


def _averaged(counts: Counts, n_rows: int) -> float:
    """Return the averaged cost: of the unlabeled rows, only their number matters."""
    unlabeled = np.zeros(len(counts), dtype=np.int64)
    unlabeled[0] = n_rows - counts.sum()
    return averaged_cost(counts, unlabeled)


SUPERVISED = Criterion(part_cost=ClassCost, cost=lambda counts, n_rows: discretization_cost(counts))
"""Formula 1, for classes; unlabeled rows do not count."""

CRITERIA: dict[str, Criterion] = {
    "supervised": SUPERVISED,
    "post_optimized": Criterion(
        part_cost=ClassCost,
        cost=lambda counts, n_rows: discretization_cost(counts),
        cuts_at_medians=True,
    ),
    "averaged": Criterion(
        part_cost=ClassCost, cost=_averaged, counts_all_rows=True, cuts_at_medians=True
    ),
    "map": Criterion(
        part_cost=MapCost,
        cost=lambda counts, n_rows: map_cost(counts[:, :-1], counts[:, -1]),
        labels_unlabeled=True,
        counts_all_rows=True,
    ),
}
"""Criteria by name: for classes, by what they do with unlabeled rows; see ``docs/criteria.md``."""
