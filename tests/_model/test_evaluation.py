"""Evaluations and facts as JSON types, in the shape that the report is made from."""

import json

import numpy as np
from tests._model.diagnostics import make_diagnostics, make_evaluation


def test_findings_are_json_without_nan():
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
        "n_train",
        "n_test",
        "measures",
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
    assert isinstance(make_evaluation().confusion, np.ndarray)
