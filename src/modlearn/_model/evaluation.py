"""Facts about a fitted model: its training data, how good it is, and warnings.

Facts only: kinds, names and numbers; ``_show`` turns them into sentences. Each class declares its
fields once: they are a dict of JSON types in the report, and a record in the model file. Columns
and classes are named by text there.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from modlearn._model.forms import (
    ClassIndex,
    ClassName,
    Counts,
    Dictionary,
    Items,
    Number,
    Optional,
    Pair,
    RecordPosition,
    Scalar,
    Text,
    Variable,
)
from modlearn._model.limits import (
    CALIBRATION_BINS,
    MOST_CURVES,
    MOST_EXAMPLES,
    MOST_POINTS,
    MOST_REASONS,
)
from modlearn._model.printing import FrameMixin, PrintMixin
from modlearn._model.record import Fault, Key, NestedRecord, Record

__all__ = [
    "MEASURES",
    "CalibrationBin",
    "ColumnFacts",
    "Curve",
    "DataWarning",
    "DecisionCost",
    "Diagnostics",
    "Evaluation",
    "ExplainedRow",
    "MajorityClass",
    "Measure",
    "Note",
    "Numbers",
    "OmittedColumn",
    "Reason",
    "Redundancy",
    "SingleVariable",
    "TableFacts",
]

HOW = ("cross-validation", "held-out part", "test file", "forward in time", "given splits")

ID = r"[0-9a-f]{16}"

INSTANT = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"

NotNegative = Annotated[float, Number(low=0)]
Share = Annotated[float, Number(0, 1)]
Label = Annotated[int, ClassIndex()]
Points = Annotated[tuple[tuple[float, float], ...], Items(Pair(Number(0, 1)), at_most=MOST_POINTS)]
Numbers = Annotated[dict[str, float | int | str], Dictionary(Scalar())]
"""What is filled into a sentence, by name: counts, shares, and names of classes and parts."""

MEASURES = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "auc": "AUC",
    "log_loss": "log-loss",
}
"""Keys and names of the measures, in the order in which they are shown."""


@dataclass(frozen=True)
class Measure(Record):
    """A measure of quality.

    Parameters
    ----------
    mean : float or None
        Mean over the folds; None if it is not defined, such as the AUC of one class.
    spread : float or None
        Standard deviation over the folds; with one test set, the standard error of the mean.
    folds : tuple of float or None
        The value of each fold.
    """

    mean: NotNegative | None
    spread: NotNegative | None
    folds: tuple[NotNegative | None, ...]


@dataclass(frozen=True)
class Curve(Record):
    """How well a class is separated from the others, at every threshold.

    Parameters
    ----------
    label : int
        Index of the class.
    auc : float
        Area under the ROC curve.
    roc : tuple of (float, float)
        Share of the others and share of the class above a threshold.
    lift : tuple of (float, float)
        Share of all rows and share of the class above a threshold.
    """

    label: Annotated[int, ClassIndex(), Key("class")]
    auc: Share
    roc: Points
    lift: Points


@dataclass(frozen=True)
class CalibrationBin(Record):
    """Rows with similar predicted probability: its mean, and the observed share."""

    predicted: Share
    observed: Share
    rows: int


@dataclass(frozen=True)
class Reason(Record):
    """How strongly a column, pair or tree favors one class over another for a row, in nats.

    Parameters
    ----------
    variable : str or tuple of str
        The column, or the columns of the pair or the tree.
    part : str
        Label of the part that the row falls in.
    towards, against : int
        Indices of the two classes.
    weight_of_evidence : float
        By how much the score of the first class exceeds that of the second, at least 0.
    low, high : str or None
        The cuts on either side of an interval; None if there is no cut, or no interval.
    """

    variable: Annotated[str | tuple[str, ...], Variable()]
    part: str
    towards: Label
    against: Label
    weight_of_evidence: NotNegative
    low: str | None = None
    high: str | None = None


@dataclass(frozen=True)
class ExplainedRow(Record):
    """A test row: its class, the prediction, and the strongest reasons.

    Parameters
    ----------
    row : int or None
        Number of the row in the table, from 0; None where rows have no numbers, as in a database.
    truth, predicted : int
        Indices of the classes.
    probabilities : tuple of float
        Probability of every class.
    reasons : tuple of Reason
        The strongest reasons, strongest first.
    """

    row: int | None
    truth: Label
    predicted: Label
    probabilities: tuple[Share, ...]
    reasons: Annotated[tuple[Reason, ...], Items(NestedRecord(Reason), at_most=MOST_REASONS)]

    def fault(self, at: RecordPosition) -> Fault | None:
        """Say which field of a record contradicts the others."""
        n_classes = len(at.class_names)
        if len(self.probabilities) != n_classes:
            return ("probabilities",), f"{n_classes} probabilities"
        return None


@dataclass(frozen=True)
class SingleVariable(Record):
    """How accurate the best column is alone."""

    name: str
    accuracy: Share


@dataclass(frozen=True)
class MajorityClass(SingleVariable):
    """How accurate it is to always predict the most frequent class."""

    name: Annotated[str, ClassName(), Key("class")]


@dataclass(frozen=True)
class DecisionCost(Record):
    """What the errors of a model cost, where some cost more than others.

    Parameters
    ----------
    total, mean : float
        Cost of the errors in all test rows, and per row.
    constant : str
        The class that is the cheapest one to predict always, by the training rows.
    constant_mean : float
        What that would cost per test row.
    """

    total: NotNegative
    mean: NotNegative
    constant: Annotated[str, ClassName()]
    constant_mean: NotNegative


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Evaluation(PrintMixin, FrameMixin, Record):
    """How good a model is on rows that it was not trained on.

    Parameters
    ----------
    how : {"cross-validation", "held-out part", "test file", "forward in time", "given splits"}
        Where the test rows come from.
    n_folds : int or None
        Number of folds of a cross-validation, or of parts that are tested one after the other.
    group, time : str or None
        Column whose equal values are never in both training rows and test rows; column by which
        training rows come before test rows.
    n_train, n_test : int
        Average number of labeled training rows per fold, and total number of test rows.
    measures : dict of str to Measure
        Accuracy, balanced accuracy, AUC (one-vs-rest, weighted by rows) and log-loss. A fold that
        lacks a class has no balanced accuracy; the mean is that of the classes, each over the folds
        that have it.
    cost : DecisionCost or None
        What the errors cost; None if all cost the same.
    majority : MajorityClass
        The most frequent class, and its share of the test rows.
    best_variable : SingleVariable or None
        The best column, and how accurate it is alone; None if no column is informative.
    confusion : ndarray of shape (J, J), int64
        Test rows by true and predicted class.
    curves : tuple of Curve
        Curves of each class against the others; for two classes, only of the class of interest.
    calibration : tuple of CalibrationBin
        Calibration of the probability of the predicted class; for two classes, of the class of
        interest.
    examples : tuple of ExplainedRow
        Some test rows, classified correctly and wrongly, with high and low confidence.

    See Also
    --------
    fit : Learn a model and evaluate it.

    Examples
    --------
    >>> import modlearn
    >>> from sklearn.datasets import load_iris
    >>> iris = load_iris(as_frame=True).frame
    >>> modlearn.fit(iris, "target").evaluation
    <Evaluation by cross-validation, 150 test rows: accuracy 0.940 ± 0.058>
    >>> round(modlearn.fit(iris, "target").evaluation.auc, 3)
    0.989
    """

    how: Annotated[str, Text(HOW)]
    n_folds: int | None
    group: str | None = None
    time: str | None = None
    n_train: int
    n_test: int
    measures: Annotated[dict[str, Measure], Dictionary(NestedRecord(Measure), tuple(MEASURES))]
    cost: DecisionCost | None = None
    majority: MajorityClass
    best_variable: SingleVariable | None
    confusion: Annotated[NDArray[np.int64], Counts(("classes", "classes"))]
    curves: Annotated[tuple[Curve, ...], Items(NestedRecord(Curve), MOST_CURVES)]
    calibration: Annotated[
        tuple[CalibrationBin, ...], Items(NestedRecord(CalibrationBin), CALIBRATION_BINS)
    ]
    examples: Annotated[tuple[ExplainedRow, ...], Items(NestedRecord(ExplainedRow), MOST_EXAMPLES)]

    @property
    def accuracy(self) -> float | None:
        """Share of rows classified correctly, as the mean of the folds."""
        return self.measures["accuracy"].mean

    @property
    def balanced_accuracy(self) -> float | None:
        """Mean recall of the classes."""
        return self.measures["balanced_accuracy"].mean

    @property
    def auc(self) -> float | None:
        """Area under the ROC curve, as the mean of the folds; None if there is only one class."""
        return self.measures["auc"].mean

    @property
    def log_loss(self) -> float | None:
        """Minus the mean log probability of the true classes, as the mean of the folds."""
        return self.measures["log_loss"].mean

    def fault(self, at: RecordPosition) -> Fault | None:
        """Say which field of a record contradicts the others."""
        if self.confusion.sum() != self.n_test or not self.n_test:
            return ("n_test",), "the number of rows in its confusion matrix, at least one"
        for name, measure in self.measures.items():
            if measure.mean is None and name != "auc":
                return ("measures", name, "mean"), "a number"
            for part, values in (("mean", (measure.mean,)), ("folds", measure.folds)):
                if name != "log_loss" and any(v is not None and v > 1 for v in values):
                    return ("measures", name, part), "at most 1"
        return None


@dataclass(frozen=True)
class OmittedColumn(Record):
    """A column that is not used, and why.

    Parameters
    ----------
    name : str
        The column.
    reason : {"dropped", "not_selected", "group", "time", "date", "nested", "all_missing", \
            "constant", "merged", "all_different"}
        ``dropped`` and ``not_selected`` are the user's choice; ``group`` and ``time`` divide the
        rows for the evaluation; a ``date`` is used by the parts of
        the calendar that recur in it, not as it is; in the other cases, nothing can be
        learned from the column.
    """

    name: str
    reason: str


@dataclass(frozen=True, repr=False)
class Note(PrintMixin, Record):
    """Something to know about how the data was treated; print it to read a sentence.

    Parameters
    ----------
    kind : str
        What happened, such as "unlabeled", "held_out", "fewer_folds", "untested_classes".
    numbers : dict of str to float, int or str
        The numbers and words that its sentence is filled with.
    names : tuple of str
        The columns or classes it is about.
    """

    kind: str
    numbers: Numbers = field(default_factory=dict)
    names: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class TableFacts(Record):
    """Facts about the table of a job.

    Parameters
    ----------
    source : str or None
        The file; None = a table in memory.
    target : str
        Name of the target.
    n_rows, n_labeled, n_unlabeled : int
        Number of all rows, of rows with a label, and of rows without.
    n_columns : int
        Number of columns used, without the target and those left out.
    left_out : tuple of OmittedColumn
        The columns left out.
    notes : tuple of Note
        What the user should know about the data and how it was treated.
    """

    source: str | None
    target: str
    n_rows: int
    n_labeled: int
    n_unlabeled: int
    n_columns: int
    left_out: tuple[OmittedColumn, ...]
    notes: tuple[Note, ...]

    def fault(self, at: RecordPosition) -> Fault | None:
        """Say which field of a record contradicts the others."""
        if self.n_labeled + self.n_unlabeled != self.n_rows:
            return ("n_rows",), "the sum of its labeled and unlabeled rows"
        return None


@dataclass(frozen=True)
class ColumnFacts(Record):
    """What a partition does not hold.

    Parameters
    ----------
    name : str
        Name of the column.
    n_missing : int
        Number of missing values.
    n_distinct : int or None
        Number of distinct values; None = they were not counted.
    n_bins : int or None
        Number of bins that the engine of the table counted it in; None = by value.
    """

    name: str
    n_missing: int
    n_distinct: int | None
    n_bins: int | None = None


@dataclass(frozen=True)
class Redundancy(Record):
    """Why an informative column has no weight: another one carries most of its information."""

    column: str
    covered_by: str
    share: Share


@dataclass(frozen=True, repr=False)
class DataWarning(PrintMixin, Record):
    """Something to be careful about in the data; print it to read a sentence with a remedy.

    Parameters
    ----------
    kind : str
        "leak", "identifier", "merged_numbers", "date", "unseen_values", "few_rows", "rare_class",
        "duplicate", "many_missing", "constant", "drift", "class_drift" or "new_class".
    columns : tuple of str
        The columns it is about.
    numbers : dict of str to float, int or str
        The numbers and words that its sentence is filled with. ``more`` counts warnings of the
        same kind that are summed up in this one.

    See Also
    --------
    FitResult : Its ``warnings`` are these.

    Examples
    --------
    >>> from modlearn import DataWarning
    >>> print(DataWarning("identifier", ("id",)))
    Column 'id' increases from row to row like a row number: if it is one, leave it out with drop=['id'].
    """  # noqa: E501

    kind: str
    columns: tuple[str, ...] = ()
    numbers: Numbers = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, eq=False)
class Diagnostics(Record):
    """What a job found besides the model.

    Parameters
    ----------
    created : str
        When the model was created, such as ``2026-11-16T07:00:00Z``.
    data : TableFacts
        Facts about the table.
    positive : int or None
        Index of the class of interest, if there are two classes.
    evaluation : Evaluation or None
        How good the model is; None if there is no model, or if it could not be evaluated.
    pairs_complete : bool
        Whether all requested pairs were searched.
    warnings : tuple of DataWarning
        What to be careful about in the data.
    columns : tuple of ColumnFacts
        Facts about the columns used.
    redundancies : tuple of Redundancy
        Why informative columns have no weight.
    id : str
        Identifies the job: a model and its report have the same one.
    """

    created: Annotated[str, Text(pattern=INSTANT, wanted="a time such as 2026-11-16T07:00:00Z")]
    data: TableFacts
    positive: Annotated[int | None, Optional(ClassIndex())]
    evaluation: Evaluation | None
    pairs_complete: bool
    warnings: tuple[DataWarning, ...]
    columns: Annotated[tuple[ColumnFacts, ...], Key("column_facts")] = ()
    redundancies: tuple[Redundancy, ...] = ()
    id: Annotated[str, Text(pattern=ID, wanted="16 hexadecimal digits")] = field(
        default_factory=lambda: secrets.token_hex(8)
    )

    def fault(self, at: RecordPosition) -> Fault | None:
        """Say which field of a record contradicts the others."""
        if self.positive is not None and len(at.class_names) != 2:
            return ("positive",), "null, although there are not two classes"
        return None
