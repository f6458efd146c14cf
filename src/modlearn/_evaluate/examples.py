"""A few test rows that show what a classifier does well and where it errs, with reasons."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from modlearn._evaluate.measures import Predicted
from modlearn._model.additive import AdditiveModel, Term
from modlearn._model.evaluation import ExplainedRow, Reason
from modlearn._model.explanation import two_most_probable
from modlearn._model.intervals import Intervals
from modlearn._model.limits import MOST_REASONS
from modlearn._statistics.rows import LabeledBatch

__all__ = ["example_positions", "explain_rows"]

EACH = 3
"""Examples of each kind."""


def example_positions(predicted: Predicted, rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """Positions of rows: correct and sure, correct and unsure, wrong and sure, wrong and unsure.

    Among equally sure ones those with the smallest row number are taken.
    """
    sure = predicted.probabilities.max(axis=1)
    correct = predicted.labels == predicted.truth
    chosen: list[int] = []
    for kind in (correct, ~correct):
        for doubt in (-sure, sure):
            positions = np.flatnonzero(kind)
            found = _least(doubt[positions], rows[positions], positions)
            chosen += found
            kind[found] = False
    return np.array(chosen, dtype=np.intp)


def _least(
    doubt: NDArray[np.float64], rows: NDArray[np.intp], positions: NDArray[np.intp]
) -> list[int]:
    """Positions of the least doubts."""
    if len(positions) > EACH:
        # Those beyond the third need no order.
        few = np.flatnonzero(doubt <= np.partition(doubt, EACH - 1)[EACH - 1])
        doubt, rows, positions = doubt[few], rows[few], positions[few]
    least: list[int] = positions[np.lexsort((rows, doubt))[:EACH]].tolist()
    return least


def explain_rows(
    model: AdditiveModel, batch: LabeledBatch, predicted: Predicted, n_jobs: int | None
) -> list[ExplainedRow]:
    """Reasons for the prediction of each row, against its class or the next probable one."""
    codes = model.codes(batch, n_jobs)
    contributions = model.explanation_of(codes, batch.n_rows).contributions
    labels, rivals = _labels_and_rivals(predicted)
    return [
        ExplainedRow(
            row=row,
            truth=int(predicted.truth[i]),
            predicted=int(labels[i]),
            probabilities=tuple(predicted.probabilities[i].tolist()),
            reasons=_reasons(
                model.used_terms,
                [int(column[i]) for column in codes],
                contributions[i],
                (int(labels[i]), int(rivals[i])),
            ),
        )
        for i, row in enumerate(batch.row_numbers.tolist())
    ]


def _labels_and_rivals(predicted: Predicted) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The prediction of a row, and what it might be: its class if that differs, else the next."""
    labels, others = two_most_probable(predicted.probabilities)
    return labels, np.where(labels == predicted.truth, others, predicted.truth)


def _reasons(
    terms: tuple[Term, ...],
    codes: list[int],
    contributions: NDArray[np.float64],
    classes: tuple[int, int],
) -> tuple[Reason, ...]:
    """The terms that separate the two classes most; contributions have shape (K, J)."""
    label, rival = classes
    evidence = contributions[:, label] - contributions[:, rival]
    strongest = np.argsort(-np.abs(evidence), kind="stable")[:MOST_REASONS]
    return tuple(
        Reason(
            _name(terms[k]),
            terms[k].parts.labels[codes[k]],
            *(classes if evidence[k] > 0 else (rival, label)),
            abs(float(evidence[k])),
            *_bounds(terms[k], codes[k]),
        )
        for k in strongest.tolist()
        if evidence[k]
    )


def _bounds(term: Term, code: int) -> tuple[str | None, str | None]:
    """The cuts on either side of an interval."""
    parts = term.parts
    return parts.bounds(code) if isinstance(parts, Intervals) else (None, None)


def _name(term: Term) -> str | tuple[str, str]:
    """The name of a column, or the names of a pair, as text."""
    first, *rest = map(str, term.columns)
    return (first, rest[0]) if rest else first
