"""Diagnostics of a job read back from a model file, of which nothing is trusted."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from modlearn._model.evaluation import (
    MEASURES,
    MOST_BINS,
    MOST_CURVES,
    MOST_EXAMPLES,
    MOST_POINTS,
    MOST_REASONS,
    CalibrationBin,
    ColumnFacts,
    Curve,
    DataWarning,
    Diagnostics,
    Evaluation,
    ExplainedRow,
    LeftOut,
    Measure,
    Note,
    Reason,
    Redundancy,
    SingleVariable,
    TableFacts,
)
from modlearn._model.record import MOST, Fields

__all__ = ["read_diagnostics"]

Item = TypeVar("Item")
Record = dict[str, Any]

HOW = ("cross-validation", "held-out part", "test file")

INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def read_diagnostics(fields: Fields, class_names: Sequence[str]) -> Diagnostics:
    """The diagnostics of a model file with these classes."""
    created = fields.text("created")
    if not INSTANT.fullmatch(created):
        raise fields.refuse("created", "a time such as 2026-11-16T07:00:00Z")
    return Diagnostics(
        created=created,
        data=_read_facts(fields.any("data"), "data"),
        positive=_read_positive(fields, len(class_names)),
        evaluation=_optional(
            fields, "evaluation", lambda record, at: _read_evaluation(record, class_names, at)
        ),
        pairs_complete=fields.flag("pairs_complete"),
        warnings=tuple(fields.items("warnings", _read_warning)),
        columns=tuple(fields.items("column_facts", _read_column)),
        redundancies=tuple(fields.items("redundancies", _read_redundancy)),
    )


def _read_positive(fields: Fields, n_classes: int) -> int | None:
    """Place of the positive class; only two classes have one."""
    value = fields.any("positive")
    if value is None:
        return None
    if n_classes != 2:
        raise fields.refuse("positive", "null, though there are not two classes")
    return _place(fields, "positive", n_classes)


def _read_facts(record: Any, where: str) -> TableFacts:
    fields = Fields(record, where)
    n_rows, n_labeled = _whole(fields, "n_rows"), _whole(fields, "n_labeled")
    n_unlabeled = _whole(fields, "n_unlabeled")
    if n_labeled + n_unlabeled != n_rows:
        raise fields.refuse("n_rows", "the sum of its labeled and unlabeled rows")
    return TableFacts(
        source=_text_or_null(fields, "source"),
        target=fields.text("target"),
        n_rows=n_rows,
        n_labeled=n_labeled,
        n_unlabeled=n_unlabeled,
        n_columns=_whole(fields, "n_columns"),
        left_out=tuple(fields.items("left_out", _read_left_out)),
        notes=tuple(fields.items("notes", _read_note)),
    )


def _read_left_out(record: Any, where: str) -> LeftOut:
    fields = Fields(record, where)
    return LeftOut(fields.text("name"), fields.text("reason"))


def _read_note(record: Any, where: str) -> Note:
    fields = Fields(record, where)
    names = tuple(fields.items("names", _read_text))
    return Note(fields.text("kind"), _read_numbers(fields), names)


def _read_warning(record: Any, where: str) -> DataWarning:
    fields = Fields(record, where)
    columns = tuple(fields.items("columns", _read_text))
    return DataWarning(fields.text("kind"), columns, _read_numbers(fields))


def _read_numbers(fields: Fields) -> dict[str, float | int | str]:
    """What a sentence is filled in with: finite numbers and texts by name."""
    found = Fields(fields.any("numbers"), f"{fields.where}: numbers").record
    for name, value in found.items():
        if type(value) not in (int, float, str) or value in (math.inf, -math.inf) or value != value:
            raise fields.refuse("numbers", f"a number or a text for {name!r}")
    return dict(found)


def _read_column(record: Any, where: str) -> ColumnFacts:
    fields = Fields(record, where)
    n_distinct = _optional(fields, "n_distinct", lambda value, at: _whole(fields, "n_distinct"))
    return ColumnFacts(fields.text("name"), _whole(fields, "n_missing"), n_distinct)


def _read_redundancy(record: Any, where: str) -> Redundancy:
    fields = Fields(record, where)
    return Redundancy(fields.text("column"), fields.text("told_by"), _share(fields, "share"))


def _read_evaluation(record: Any, class_names: Sequence[str], where: str) -> Evaluation:
    fields, n_classes = Fields(record, where), len(class_names)
    confusion = fields.counts("confusion", (n_classes, n_classes))
    n_test = _whole(fields, "n_test")
    if confusion.sum() != n_test or not n_test:
        raise fields.refuse("n_test", "the rows of its confusion matrix, at least one")
    return Evaluation(
        how=fields.text("how", HOW),
        n_folds=_optional(fields, "n_folds", lambda value, at: _whole(fields, "n_folds")),
        n_train=_whole(fields, "n_train"),
        n_test=n_test,
        measures=_read_measures(fields),
        majority=_read_single(fields.any("majority"), f"{where}: majority", "class", class_names),
        best_variable=_optional(
            fields, "best_variable", lambda record, at: _read_single(record, at, "name")
        ),
        confusion=confusion,
        curves=_few(
            fields, "curves", MOST_CURVES, lambda curve, at: _read_curve(curve, n_classes, at)
        ),
        calibration=_few(fields, "calibration", MOST_BINS, _read_bin),
        examples=_few(
            fields, "examples", MOST_EXAMPLES, lambda row, at: _read_example(row, n_classes, at)
        ),
    )


def _read_measures(fields: Fields) -> dict[str, Measure]:
    """Each of the measures, of which only the AUC may be undefined."""
    measures = Fields(fields.any("measures"), f"{fields.where}: measures")
    if set(measures.record) != set(MEASURES):
        raise fields.refuse("measures", f"the measures {', '.join(MEASURES)}")
    found = {
        name: _read_measure(measures.any(name), f"{measures.where}: {name}") for name in MEASURES
    }
    for name, measure in found.items():
        if measure.mean is None and name != "auc":
            raise Fields(measures.any(name), f"{measures.where}: {name}").refuse("mean", "a number")
    return found


def _read_measure(record: Any, where: str) -> Measure:
    fields = Fields(record, where)
    mean, spread = (_number_or_null(fields, name) for name in ("mean", "spread"))
    folds = fields.items(
        "folds", lambda value, at: _number_or_null(Fields({"fold": value}, at), "fold")
    )
    return Measure(mean, spread, tuple(folds))


def _read_single(
    record: Any, where: str, name: str, names: Sequence[str] | None = None
) -> SingleVariable:
    fields = Fields(record, where)
    return SingleVariable(fields.text(name, names), _share(fields, "accuracy"))


def _read_curve(record: Any, n_classes: int, where: str) -> Curve:
    fields = Fields(record, where)
    roc, lift = (_few(fields, name, MOST_POINTS, _read_point) for name in ("roc", "lift"))
    return Curve(_place(fields, "class", n_classes), _share(fields, "auc"), roc, lift)


def _read_point(value: Any, where: str) -> tuple[float, float]:
    if not isinstance(value, list) or len(value) != 2:
        raise Fields({}, where).refuse("point", "a pair of numbers from 0 to 1")
    x, y = (_share(Fields({"point": number}, where), "point") for number in value)
    return x, y


def _read_bin(record: Any, where: str) -> CalibrationBin:
    fields = Fields(record, where)
    predicted, observed = (_share(fields, name) for name in ("predicted", "observed"))
    return CalibrationBin(predicted, observed, _whole(fields, "rows"))


def _read_example(record: Any, n_classes: int, where: str) -> ExplainedRow:
    fields = Fields(record, where)
    probabilities = fields.items(
        "probabilities", lambda value, at: _share(Fields({"probability": value}, at), "probability")
    )
    if len(probabilities) != n_classes:
        raise fields.refuse("probabilities", f"{n_classes} probabilities")
    return ExplainedRow(
        row=_whole(fields, "row"),
        truth=_place(fields, "truth", n_classes),
        predicted=_place(fields, "predicted", n_classes),
        probabilities=tuple(probabilities),
        reasons=_few(
            fields, "reasons", MOST_REASONS, lambda reason, at: _read_reason(reason, n_classes, at)
        ),
    )


def _read_reason(record: Any, n_classes: int, where: str) -> Reason:
    fields = Fields(record, where)
    weight = fields.number("weight_of_evidence")
    if weight < 0:
        raise fields.refuse("weight_of_evidence", "a number that is not negative")
    return Reason(
        variable=_read_variable(fields),
        part=fields.text("part"),
        towards=_place(fields, "towards", n_classes),
        against=_place(fields, "against", n_classes),
        weight_of_evidence=weight,
        low=_text_or_null(fields, "low"),
        high=_text_or_null(fields, "high"),
    )


def _read_variable(fields: Fields) -> str | tuple[str, str]:
    """The name of a column, or a pair of names."""
    name = fields.any("variable")
    if isinstance(name, str):
        return name
    if isinstance(name, list) and len(name) == 2 and all(isinstance(n, str) for n in name):
        return name[0], name[1]
    raise fields.refuse("variable", "a name or a pair of names")


def _few(
    fields: Fields, name: str, most: int, read: Callable[[Any, str], Item]
) -> tuple[Item, ...]:
    """A list that is not longer than the report can show."""
    values = fields.any(name)
    if isinstance(values, list) and len(values) > most:
        raise fields.refuse(name, f"a list of at most {most}")
    return tuple(fields.items(name, read))


def _optional(fields: Fields, name: str, read: Callable[[Any, str], Item]) -> Item | None:
    """A field that may be null."""
    value = fields.any(name)
    where = name if fields.where == "The file" else f"{fields.where}: {name}"
    return None if value is None else read(value, where)


def _text_or_null(fields: Fields, name: str) -> str | None:
    return _optional(fields, name, lambda value, at: fields.text(name))


def _number_or_null(fields: Fields, name: str) -> float | None:
    return _optional(fields, name, lambda value, at: fields.number(name))


def _read_text(value: Any, where: str) -> str:
    return Fields({"text": value}, where).text("text")


def _whole(fields: Fields, name: str) -> int:
    """A whole number that is not negative."""
    value = fields.any(name)
    if type(value) is not int or not 0 <= value < MOST:
        raise fields.refuse(name, "a whole number that is not negative")
    return value


def _place(fields: Fields, name: str, n_classes: int) -> int:
    """The number of a class."""
    place = _whole(fields, name)
    if place >= n_classes:
        raise fields.refuse(name, f"the number of a class, less than {n_classes}")
    return place


def _share(fields: Fields, name: str) -> float:
    """A number from 0 to 1."""
    value = fields.number(name)
    if not 0 <= value <= 1:
        raise fields.refuse(name, "a number from 0 to 1")
    return value
