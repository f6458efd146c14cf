"""Facts about a fitted model: the table it came from, how good it is, and what to be careful about.

Facts only: kinds, names and numbers. The sentences that people read are made in ``_show``. Each
fact has a ``to_dict`` of JSON types, which the report and the model file hold as it is. Columns and
classes are named by text there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "MEASURES",
    "MOST_BINS",
    "MOST_CURVES",
    "MOST_EXAMPLES",
    "MOST_POINTS",
    "MOST_REASONS",
    "CalibrationBin",
    "ColumnFacts",
    "Curve",
    "DataWarning",
    "Diagnostics",
    "Evaluation",
    "ExplainedRow",
    "LeftOut",
    "Measure",
    "Note",
    "Numbers",
    "Reason",
    "Redundancy",
    "SingleVariable",
    "TableFacts",
]

Record = dict[str, Any]
Points = tuple[tuple[float, float], ...]
Numbers = dict[str, float | int | str]
"""What a sentence is filled in with, by name: counts, shares, and names of classes and parts."""

# Limits that hold for those who make an evaluation and for those who read one from a file.
MOST_POINTS = 100
"""Points of a curve."""
MOST_CURVES = 30
"""Classes with a curve."""
MOST_BINS = 10
"""Bins of the calibration."""
MOST_EXAMPLES = 100
"""Test rows that are explained."""
MOST_REASONS = 6
"""Reasons of a row."""

MEASURES = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "auc": "AUC",
    "log_loss": "log-loss",
}
"""Names of the measures, each with what people call it, in the order they are shown."""


@dataclass(frozen=True)
class Measure:
    """A measure of quality.

    Parameters
    ----------
    mean : float or None
        Over the folds; None where it is not defined, such as the AUC of one class.
    spread : float or None
        Standard deviation over the folds; of one test, the standard error of the mean.
    folds : tuple of float or None
        The value of each fold.
    """

    mean: float | None
    spread: float | None
    folds: tuple[float | None, ...]

    def to_dict(self) -> Record:
        """Return mean, spread and folds."""
        return {"mean": self.mean, "spread": self.spread, "folds": list(self.folds)}


@dataclass(frozen=True)
class Curve:
    """How well a class is told from the others, at every threshold.

    Parameters
    ----------
    label : int
        Place of the class.
    auc : float
        Area under the ROC curve.
    roc : tuple of (float, float)
        Share of the others and share of the class above a threshold.
    lift : tuple of (float, float)
        Share of all rows and share of the class above a threshold.
    """

    label: int
    auc: float
    roc: Points
    lift: Points

    def to_dict(self) -> Record:
        """Return class, auc, roc and lift."""
        roc, lift = (list(map(list, points)) for points in (self.roc, self.lift))
        return {"class": self.label, "auc": self.auc, "roc": roc, "lift": lift}


@dataclass(frozen=True)
class CalibrationBin:
    """Rows of about the same predicted probability: its mean, and the share that came true."""

    predicted: float
    observed: float
    rows: int

    def to_dict(self) -> Record:
        """Return predicted, observed and rows."""
        return {"predicted": self.predicted, "observed": self.observed, "rows": self.rows}


@dataclass(frozen=True)
class Reason:
    """What a variable says about a row: its evidence for one class rather than another.

    Parameters
    ----------
    variable : str or pair of str
        The column or the pair.
    part : str
        Label of the part that the row belongs to.
    towards, against : int
        Indices of the classes.
    weight_of_evidence : float
        By how much the score of the one exceeds that of the other, in nats, not negative.
    low, high : str or None
        The cuts on either side of an interval; None if there is none, or another kind of part.
    """

    variable: str | tuple[str, str]
    part: str
    towards: int
    against: int
    weight_of_evidence: float
    low: str | None = None
    high: str | None = None

    def to_dict(self) -> Record:
        """Return all fields; a pair as a list."""
        name = list(self.variable) if isinstance(self.variable, tuple) else self.variable
        return {**self.__dict__, "variable": name}


@dataclass(frozen=True)
class ExplainedRow:
    """A test row: what it is, what was predicted, and the strongest reasons.

    Parameters
    ----------
    row : int
        Its number in the table, from 0.
    truth, predicted : int
        Places of the classes.
    probabilities : tuple of float
        Of every class.
    reasons : tuple of Reason
        The strongest first.
    """

    row: int
    truth: int
    predicted: int
    probabilities: tuple[float, ...]
    reasons: tuple[Reason, ...]

    def to_dict(self) -> Record:
        """Return all fields."""
        reasons = [reason.to_dict() for reason in self.reasons]
        return {**self.__dict__, "probabilities": list(self.probabilities), "reasons": reasons}


@dataclass(frozen=True)
class SingleVariable:
    """How far one variable goes alone: the best column, or the most frequent class."""

    name: str
    accuracy: float


@dataclass(frozen=True, kw_only=True, eq=False)
class Evaluation:
    """How good a model is on rows that it has not learned from.

    Parameters
    ----------
    how : {"cross-validation", "held-out part", "test file"}
        Where the test rows come from.
    n_folds : int or None
        Number of folds of a cross-validation.
    n_train, n_test : int
        Labeled rows that a fold learns from, and rows that were predicted in all.
    measures : dict of str to Measure
        Accuracy, balanced accuracy, AUC (one-vs-rest, weighted by rows) and log-loss.
    majority : SingleVariable
        The most frequent class, and its share of the test rows.
    best_variable : SingleVariable or None
        The best column, and how accurate it is alone; None if no column tells anything.
    confusion : ndarray of shape (J, J), int64
        Test rows by true and predicted class.
    curves : tuple of Curve
        One class against the others; of two classes the positive one.
    calibration : tuple of CalibrationBin
        Of the probability of the predicted class; of two classes, of the positive one.
    examples : tuple of ExplainedRow
        Some test rows, right and wrong, sure and unsure.
    """

    how: str
    n_folds: int | None
    n_train: int
    n_test: int
    measures: dict[str, Measure]
    majority: SingleVariable
    best_variable: SingleVariable | None
    confusion: NDArray[np.int64]
    curves: tuple[Curve, ...]
    calibration: tuple[CalibrationBin, ...]
    examples: tuple[ExplainedRow, ...]

    def to_dict(self) -> Record:
        """Return the evaluation as JSON types."""
        best = self.best_variable
        return {
            "how": self.how,
            "n_folds": self.n_folds,
            "n_train": self.n_train,
            "n_test": self.n_test,
            "measures": {name: measure.to_dict() for name, measure in self.measures.items()},
            "majority": {"class": self.majority.name, "accuracy": self.majority.accuracy},
            "best_variable": best and {"name": best.name, "accuracy": best.accuracy},
            "confusion": self.confusion.tolist(),
            "curves": [curve.to_dict() for curve in self.curves],
            "calibration": [part.to_dict() for part in self.calibration],
            "examples": [example.to_dict() for example in self.examples],
        }

    def __repr__(self) -> str:
        accuracy = self.measures["accuracy"]
        spread = "" if accuracy.spread is None else f" ± {accuracy.spread:.3f}"
        return (
            f"<Evaluation by {self.how}, {self.n_test:,} test rows: "
            f"accuracy {accuracy.mean:.3f}{spread}>"
        )


@dataclass(frozen=True)
class LeftOut:
    """A column that is not used, and why.

    Parameters
    ----------
    name : str
        The column.
    reason : {"dropped", "not_selected", "nested", "all_missing", "constant", "all_different"}
        ``dropped`` and ``not_selected`` are the user's choice; from the others nothing can be
        learned.
    """

    name: str
    reason: str


@dataclass(frozen=True)
class Note:
    """Something worth knowing about how the data was treated; print it to read a sentence.

    Parameters
    ----------
    kind : str
        Such as "unlabeled", "held_out", "fewer_folds", "untested_classes".
    numbers : dict of str to float, int or str
        The numbers and words of its sentence.
    names : tuple of str
        The columns or classes it is about.
    """

    kind: str
    numbers: Numbers = field(default_factory=dict)
    names: tuple[str, ...] = ()

    def to_dict(self) -> Record:
        """Return all fields."""
        return {"kind": self.kind, "numbers": dict(self.numbers), "names": list(self.names)}

    def __str__(self) -> str:
        from modlearn._show.sentences import note_sentence

        return note_sentence(self.to_dict())


@dataclass(frozen=True, kw_only=True)
class TableFacts:
    """The table of a job.

    Parameters
    ----------
    source : str or None
        The file; None = a frame.
    target : str
        Name of the target.
    n_rows, n_labeled, n_unlabeled : int
        Rows, with a label and without.
    n_columns : int
        Columns looked at, neither the target nor those left out.
    left_out : tuple of LeftOut
        The others.
    notes : tuple of Note
        What is worth knowing about the data and how it was treated.
    """

    source: str | None
    target: str
    n_rows: int
    n_labeled: int
    n_unlabeled: int
    n_columns: int
    left_out: tuple[LeftOut, ...]
    notes: tuple[Note, ...]

    def to_dict(self) -> Record:
        """Return all fields."""
        left_out = [{"name": column.name, "reason": column.reason} for column in self.left_out]
        notes = [note.to_dict() for note in self.notes]
        return {**self.__dict__, "left_out": left_out, "notes": notes}


@dataclass(frozen=True)
class ColumnFacts:
    """What a partition does not keep of its column: missing and different values, if counted."""

    name: str
    n_missing: int
    n_distinct: int | None

    def to_dict(self) -> Record:
        """Return all fields."""
        return dict(self.__dict__)


@dataclass(frozen=True)
class Redundancy:
    """Why a column that tells something has no weight: another one tells this share of it."""

    column: str
    told_by: str
    share: float

    def to_dict(self) -> Record:
        """Return all fields."""
        return dict(self.__dict__)


@dataclass(frozen=True)
class DataWarning:
    """Something to be careful about in the data; print it to read a sentence with a remedy.

    Parameters
    ----------
    kind : str
        "leak", "identifier", "few_rows", "rare_class", "duplicate", "many_missing", "constant",
        "drift", "class_drift" or "new_class".
    columns : tuple of str
        The columns it is about.
    numbers : dict of str to float, int or str
        The numbers and words of its sentence. ``more`` counts warnings of the same kind that are
        summed up in this one.
    """

    kind: str
    columns: tuple[str, ...] = ()
    numbers: Numbers = field(default_factory=dict)

    def to_dict(self) -> Record:
        """Return all fields."""
        return {"kind": self.kind, "columns": list(self.columns), "numbers": dict(self.numbers)}

    def __str__(self) -> str:
        from modlearn._show.sentences import warning_sentence

        return warning_sentence(self.to_dict())


@dataclass(frozen=True, kw_only=True, eq=False)
class Diagnostics:
    """All that a job found beside the model.

    Parameters
    ----------
    created : str
        When, such as ``2026-11-16T07:00:00Z``.
    data : TableFacts
        The table.
    positive : int or None
        Place of the positive class, if there are two classes.
    evaluation : Evaluation or None
        How good the model is; None if there is none, or if it could not be told.
    pairs_complete : bool
        Whether all pairs asked for were searched.
    warnings : tuple of DataWarning
        What to be careful about.
    columns : tuple of ColumnFacts
        Of the columns looked at.
    redundancies : tuple of Redundancy
        Of columns without a weight.
    """

    created: str
    data: TableFacts
    positive: int | None
    evaluation: Evaluation | None
    pairs_complete: bool
    warnings: tuple[DataWarning, ...]
    columns: tuple[ColumnFacts, ...] = ()
    redundancies: tuple[Redundancy, ...] = ()

    def to_dict(self) -> Record:
        """Return all fields."""
        return {
            "created": self.created,
            "data": self.data.to_dict(),
            "positive": self.positive,
            "evaluation": self.evaluation and self.evaluation.to_dict(),
            "pairs_complete": self.pairs_complete,
            "warnings": [warning.to_dict() for warning in self.warnings],
            "column_facts": [column.to_dict() for column in self.columns],
            "redundancies": [found.to_dict() for found in self.redundancies],
        }
