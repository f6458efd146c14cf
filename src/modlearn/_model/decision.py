"""Which class is predicted where errors differ in their costs; probabilities stay as they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from modlearn._model.forms import ClassIndex, Number, Optional, RecordPosition
from modlearn._model.limits import MOST_COST
from modlearn._model.record import Fault, Key, Record

__all__ = ["Decision", "ErrorCost"]


@dataclass(frozen=True)
class ErrorCost(Record):
    """What it costs to predict a class for a row of another class.

    Parameters
    ----------
    truth, predicted : int
        Indices of the classes.
    cost : float
        The cost, at least 0; an error that is not listed costs 1.
    """

    truth: Annotated[int, ClassIndex()]
    predicted: Annotated[int, ClassIndex()]
    cost: Annotated[float, Number(0, MOST_COST)]


@dataclass(frozen=True, kw_only=True)
class Decision(Record):
    """The rule by which a class is predicted: the one of least expected cost.

    Parameters
    ----------
    label : int or None
        Index of the class that the threshold is about, if there are two classes.
    threshold : float or None
        The class is predicted if its probability is at least this; None if there are not two
        classes.
    costs : tuple of ErrorCost
        Errors that do not cost 1. Two classes may have a threshold without costs.
    """

    label: Annotated[int | None, Optional(ClassIndex()), Key("class")]
    threshold: Annotated[float | None, Optional(Number(0, 1))]
    costs: tuple[ErrorCost, ...]

    @classmethod
    def of_costs(cls, costs: tuple[ErrorCost, ...], label: int | None) -> Decision:
        """Return the decision of least cost; `label` is the class of interest of two.

        With a probability p of that class, an error costs p times the cost of a missed row if the
        other class is predicted, and 1 - p times that of a false alarm if it is.
        """
        if label is None:
            return cls(label=None, threshold=None, costs=costs)
        missed, false_alarm = _costs_of_two(costs, label)
        return cls(label=label, threshold=false_alarm / (missed + false_alarm), costs=costs)

    def labels(self, probabilities: NDArray[np.float64]) -> NDArray[np.intp]:
        """Return the index of the predicted class of each row.

        If two classes are tied, it is that of the threshold; otherwise the first.
        """
        if self.label is not None and self.threshold is not None:
            is_label = probabilities[:, self.label] >= self.threshold
            return np.where(is_label, self.label, 1 - self.label)
        # If all errors cost 1, the expected cost of a class is 1 minus its probability.
        expected = 1.0 - probabilities
        for one in self.costs:
            expected[:, one.predicted] += (one.cost - 1.0) * probabilities[:, one.truth]
        return np.asarray(expected.argmin(axis=1))

    def total(self, confusion: NDArray[np.int64]) -> float:
        """Return what the errors of a confusion matrix cost."""
        extra = sum((one.cost - 1.0) * confusion[one.truth, one.predicted] for one in self.costs)
        return float(confusion.sum() - np.trace(confusion) + extra)

    def fault(self, at: RecordPosition) -> Fault | None:
        """Say which field of a record contradicts the others."""
        errors = {(one.truth, one.predicted) for one in self.costs}
        if len(errors) != len(self.costs) or any(one == other for one, other in errors):
            return ("costs",), "a list of different errors"
        if len(at.class_names) != 2:
            if self.label is not None or self.threshold is not None:
                return ("threshold",), "null, although there are not two classes"
            return None if self.costs else (("costs",), "a list of at least one error")
        if self.label is None or self.threshold is None:
            return ("threshold",), "a number, although there are two classes"
        if self.costs and sum(_costs_of_two(self.costs, self.label)) == 0:
            return ("costs",), "a list of errors that cost something"
        if self.costs and self.threshold != Decision.of_costs(self.costs, self.label).threshold:
            return ("threshold",), "that of its costs"
        return None


def _costs_of_two(costs: tuple[ErrorCost, ...], label: int) -> tuple[float, float]:
    """Return what a missed row of one of two classes costs, and what a false alarm."""
    known = {one.truth: one.cost for one in costs}
    return known.get(label, 1.0), known.get(1 - label, 1.0)
