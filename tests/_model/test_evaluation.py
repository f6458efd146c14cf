"""Evaluations and facts as JSON types, in the shape that the report is made from."""

import copy
import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests._model.diagnostics import make_diagnostics, make_evaluation
from tests._model.test_record import anything, paths_in

from modlearn._model.evaluation import Diagnostics
from modlearn._model.forms import RecordPosition
from modlearn.errors import ModelError


def test_diagnostics_are_json_without_nan():
    record = make_diagnostics().to_dict()
    assert json.loads(json.dumps(record, allow_nan=False)) == record


def test_the_data_have_the_fields_of_the_report():
    assert make_diagnostics().to_dict()["data"] == {
        "source": "people.csv",
        "target": "bought",
        "n_rows": 5,
        "n_labeled": 4,
        "n_unlabeled": 1,
        "n_columns": 2,
        "left_out": [{"name": "id", "reason": "all_different"}],
        "notes": [{"kind": "unlabeled", "numbers": {"rows": 1}, "names": []}],
    }


def test_an_evaluation_has_the_fields_of_the_report():
    record = make_evaluation().to_dict()
    assert list(record) == [
        "how",
        "n_folds",
        "group",
        "time",
        "n_train",
        "n_test",
        "measures",
        "cost",
        "majority",
        "best_variable",
        "confusion",
        "curves",
        "calibration",
        "examples",
    ]
    assert record["measures"]["accuracy"] == {"mean": 0.75, "spread": 0.1, "folds": [0.5, 1.0]}
    assert record["majority"] == {"class": "no", "accuracy": 0.5}
    assert record["best_variable"] == {"name": "age", "accuracy": 0.75}
    assert record["confusion"] == [[2, 0], [1, 1]]
    assert record["curves"][0] == {
        "class": 1,
        "auc": 0.75,
        "roc": [[0.0, 0.0], [1.0, 1.0]],
        "lift": [[0.0, 0.0], [1.0, 1.0]],
    }
    assert record["calibration"][0] == {"predicted": 0.25, "observed": 0.5, "rows": 2}


def test_an_example_has_reasons_with_names_or_pairs_of_names():
    (example,) = make_evaluation().to_dict()["examples"]
    assert {key: example[key] for key in ("row", "truth", "predicted", "probabilities")} == {
        "row": 3,
        "truth": 1,
        "predicted": 0,
        "probabilities": [0.75, 0.25],
    }
    assert [reason["variable"] for reason in example["reasons"]] == ["age", ["age", "city"]]
    assert example["reasons"][0] == {
        "variable": "age",
        "part": "(-inf, 3]",
        "towards": 1,
        "against": 0,
        "weight_of_evidence": 0.5,
        "low": None,
        "high": None,
    }


def test_warnings_have_a_kind_columns_and_numbers():
    first, second = make_diagnostics().to_dict()["warnings"]
    assert first == {"kind": "few_rows", "columns": [], "numbers": {"rows": 20}}
    assert second["columns"] == ["age"]


def test_an_evaluation_says_in_a_line_how_good_the_model_is():
    expected = "<Evaluation by cross-validation, 4 test rows: accuracy 0.750 ± 0.100>"
    assert repr(make_evaluation()) == expected
    on_table = replace(make_evaluation(), how="test file")
    assert repr(on_table).startswith("<Evaluation on another table, 4 test rows: ")
    assert isinstance(make_evaluation().confusion, np.ndarray)


CLASSES = ["no", "yes"]
RECORD = make_diagnostics().to_dict()


def read(record, classes=CLASSES):
    return Diagnostics.from_dict(record, RecordPosition((), np.array(classes, dtype=object)))


def changed(keys, value):
    record = copy.deepcopy(RECORD)
    *path, last = keys
    at = record
    for key in path:
        at = at[key]
    at[last] = value
    return record


def test_diagnostics_come_back_as_they_were():
    assert read(json.loads(json.dumps(RECORD))).to_dict() == RECORD


def test_what_may_be_missing_may_be_null():
    record = RECORD | {"evaluation": None, "positive": None}
    record = record | {"data": RECORD["data"] | {"source": None}}
    assert read(record).to_dict() == record


CHANGES = [
    (("created",), "yesterday", "'created' is not a time such as"),
    (("id",), "abc", "'id' is not 16 hexadecimal digits"),
    (("positive",), 2, "'positive' is not the index of a class, less than 2"),
    (("pairs_complete",), 1, "'pairs_complete' is not true or false"),
    (("data",), [], "'data' is not an object"),
    (("data", "target"), 3, "data: 'target' is not a text"),
    (("data", "target"), "\ud800", "data: 'target' is not a text"),
    (("data", "n_rows"), -1, "data: 'n_rows' is not a whole number"),
    (("data", "n_rows"), 7, "data: 'n_rows' is not the sum of its labeled"),
    (("data", "n_labeled"), 4.0, "data: 'n_labeled' is not a whole number"),
    (("data", "notes"), [None], "data: 'notes 0' is not an object"),
    (("data", "left_out"), ["id"], "data: 'left_out 0' is not an object"),
    (("warnings",), {}, "'warnings' is not a list"),
    (("warnings", 0, "columns"), [None], "warnings 0: 'columns 0' is not a text"),
    (
        ("warnings", 0, "numbers"),
        {"rows": [1]},
        "numbers: 'rows' is not a number or a text",
    ),
    (("column_facts", 0, "n_distinct"), "3", "column_facts 0: 'n_distinct' is not a whole number"),
    (("redundancies", 0, "share"), 1.5, "redundancies 0: 'share' is not a number from 0 to 1"),
    (("evaluation",), "good", "'evaluation' is not an object"),
    (("evaluation", "how"), "guessing", "evaluation: 'how' is not one of"),
    (("evaluation", "n_test"), 5, "'n_test' is not the number of rows in its confusion matrix"),
    (("evaluation", "confusion"), [[4]], "'confusion' is not a table of 2 × 2 counts"),
    (("evaluation", "measures"), {}, "'measures' is not an object with accuracy, balanced"),
    (("evaluation", "measures", "accuracy", "mean"), None, "accuracy: 'mean' is not a number"),
    (("evaluation", "measures", "accuracy", "mean"), 1.1, "accuracy: 'mean' is not at most 1"),
    (("evaluation", "measures", "auc", "folds"), [0.5, 9], "auc: 'folds' is not at most 1"),
    (("evaluation", "measures", "auc", "spread"), -1, "'spread' is not a number of at least 0"),
    (("evaluation", "measures", "auc", "folds"), ["x"], "auc: 'folds 0' is not a number"),
    (("evaluation", "majority", "class"), "maybe", "majority: 'class' is not one of no, yes"),
    (("evaluation", "best_variable", "accuracy"), 2, "best_variable: 'accuracy' is not a number"),
    (("evaluation", "curves", 0, "class"), 9, "curves 0: 'class' is not the index of a class"),
    (("evaluation", "curves", 0, "roc"), [[0, 2]], "'roc 0 1' is not a number from 0 to 1"),
    (("evaluation", "curves", 0, "roc"), [[0]], "'roc 0' is not a pair"),
    (("evaluation", "curves", 0, "roc"), [[0, 0]] * 101, "'roc' is not a list of at most 100"),
    (("evaluation", "calibration", 0, "rows"), 0.5, "calibration 0: 'rows' is not a whole"),
    (("evaluation", "examples", 0, "probabilities"), [1], "is not 2 probabilities"),
    (("evaluation", "examples", 0, "truth"), True, "'truth' is not a whole number"),
    (("evaluation", "examples", 0, "reasons", 0, "variable"), ["a"], "a name or a list of names"),
    (
        ("evaluation", "examples", 0, "reasons", 0, "weight_of_evidence"),
        -1,
        "'weight_of_evidence' is not a number of at least 0",
    ),
]


@pytest.mark.parametrize(("keys", "value", "message"), CHANGES, ids=str)
def test_a_damaged_field_is_named(keys, value, message):
    with pytest.raises(ModelError, match=message):
        read(changed(keys, value))


def test_three_classes_have_no_positive_one():
    record = RECORD | {"evaluation": None}
    with pytest.raises(ModelError, match="'positive' is not null, although"):
        read(record, ["a", "b", "c"])


@pytest.mark.parametrize("field", list(RECORD))
def test_a_missing_field_is_named(field):
    record = {key: value for key, value in RECORD.items() if key != field}
    with pytest.raises(ModelError, match=f"has no '{field}'"):
        read(record)


@given(data=st.data())
@settings(max_examples=300, deadline=None)
def test_a_changed_record_gives_diagnostics_that_can_be_written_or_an_error_in_words(data):
    keys = data.draw(st.sampled_from([p for p in paths_in(RECORD) if p]))
    try:
        found = read(changed(keys, data.draw(anything)))
    except ModelError:
        return
    json.dumps(found.to_dict(), allow_nan=False)
    repr(found.evaluation)
