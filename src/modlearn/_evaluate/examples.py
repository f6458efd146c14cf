"""A few test rows that show what a classifier does well and where it errs, with reasons."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from modlearn._estimators.classifier import PartitionClassifier
from modlearn._evaluate.measures import Predicted
from modlearn._model.additive import Variable, two_most_probable
from modlearn._model.evaluation import MOST_REASONS, ExplainedRow, Reason
from modlearn._model.intervals import Intervals
from modlearn._tables.memory.table import Table

__all__ = ["explain_rows", "telling_rows"]

EACH = 3
"""Examples of each kind."""


def telling_rows(predicted: Predicted, rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """Places of rows: right and sure, right and unsure, wrong and sure, wrong and unsure.

    Of equally sure ones those with the least row number are taken.
    """
    sure = predicted.probabilities.max(axis=1)
    right = predicted.labels == predicted.truth
    chosen: list[int] = []
    for kind in (right, ~right):
        for doubt in (-sure, sure):
            places = np.flatnonzero(kind)
            found = _least(doubt[places], rows[places], places)
            chosen += found
            kind[found] = False
    return np.array(chosen, dtype=np.intp)


def _least(
    doubt: NDArray[np.float64], rows: NDArray[np.intp], places: NDArray[np.intp]
) -> list[int]:
    """Places of the least doubts."""
    if len(places) > EACH:
        # Those beyond the third need no order.
        few = np.flatnonzero(doubt <= np.partition(doubt, EACH - 1)[EACH - 1])
        doubt, rows, places = doubt[few], rows[few], places[few]
    return places[np.lexsort((rows, doubt))[:EACH]].tolist()


def explain_rows(
    classifier: PartitionClassifier, table: Table, predicted: Predicted, rows: NDArray[np.intp]
) -> list[ExplainedRow]:
    """Reasons of each row for its label, rather than for its class or the next probable one."""
    model = classifier._model
    codes, n_rows = classifier._codes_of_table(table)
    contributions = model.explanation(codes, n_rows).contributions
    labels, rivals = _labels_and_rivals(predicted)
    return [
        ExplainedRow(
            row=int(rows[i]),
            truth=int(predicted.truth[i]),
            predicted=int(labels[i]),
            probabilities=tuple(predicted.probabilities[i].tolist()),
            reasons=_reasons(
                model.variables,
                [int(column[i]) for column in codes],
                contributions[i],
                (int(labels[i]), int(rivals[i])),
            ),
        )
        for i in range(n_rows)
    ]


def _labels_and_rivals(predicted: Predicted) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """What a row is said to be, and what it might be: its class if that is wrong, else the next."""
    labels, others = two_most_probable(predicted.probabilities)
    return labels, np.where(labels == predicted.truth, others, predicted.truth)


def _reasons(
    variables: tuple[Variable, ...],
    codes: list[int],
    contributions: NDArray[np.float64],
    classes: tuple[int, int],
) -> tuple[Reason, ...]:
    """The variables that tell the two classes apart most; contributions have shape (K, J)."""
    label, rival = classes
    evidence = contributions[:, label] - contributions[:, rival]
    strongest = np.argsort(-np.abs(evidence), kind="stable")[:MOST_REASONS]
    return tuple(
        Reason(
            _name(variables[k]),
            variables[k].source.labels[codes[k]],
            *(classes if evidence[k] > 0 else (rival, label)),
            abs(float(evidence[k])),
            *_bounds(variables[k], codes[k]),
        )
        for k in strongest.tolist()
        if evidence[k]
    )


def _bounds(variable: Variable, code: int) -> tuple[str | None, str | None]:
    """The cuts on either side of an interval."""
    source = variable.source
    return source.bounds(code) if isinstance(source, Intervals) else (None, None)


def _name(variable: Variable) -> str | tuple[str, str]:
    """The name of a column, or the names of a pair, as text."""
    if len(variable.columns) == 1:
        return str(variable.name)
    first, second = variable.source.names  # type: ignore[union-attr]
    return str(first), str(second)
