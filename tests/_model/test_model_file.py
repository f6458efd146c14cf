"""The model file: what it holds besides the model; `tests/_estimators/test_saving.py` reads it."""

import json

import numpy as np
import pytest
from tests._model.conftest import make_intervals
from tests._model.diagnostics import make_diagnostics

from modlearn._fit.models import naive_bayes_model
from modlearn._model.model_file import (
    ModelFile,
    plain_parameters,
    read_model_file,
    write_model_file,
)
from modlearn.errors import ModelError
from modlearn.schema import TargetSpec


def make_file(name="age", **changes):
    classes = np.array(["no", "yes"], dtype=object)
    target = TargetSpec("bought", classes, np.array([2, 2]), 1)
    model = naive_bayes_model(target, [make_intervals(name=name, classes=classes)], [], np.zeros(0))
    facts = {
        "classifier": "NaiveBayesClassifier",
        "parameters": {},
        "named_columns": True,
        "pairs_complete": True,
        "model": model,
        "diagnostics": make_diagnostics().to_dict(),
    }
    return ModelFile(**(facts | changes))


def test_a_file_comes_back_as_it_was(tmp_path):
    path = tmp_path / "model.json"
    write_model_file(make_file(), path)
    again = read_model_file(path)
    assert again.to_dict() == make_file().to_dict()
    assert again.read_diagnostics().to_dict() == make_diagnostics().to_dict()


def test_a_file_says_what_it_is_first(tmp_path):
    write_model_file(make_file(diagnostics=None), tmp_path / "model.json")
    record = json.loads((tmp_path / "model.json").read_text())
    assert list(record)[:2] == ["format", "version"]
    assert (record["format"], record["version"]) == ("modlearn model", 2)
    assert read_model_file(tmp_path / "model.json").read_diagnostics() is None


def test_columns_that_are_numbered_have_no_names(tmp_path):
    write_model_file(make_file(name=0), tmp_path / "model.json")
    with pytest.raises(ModelError, match="'named_columns' is not false, although a name is not"):
        read_model_file(tmp_path / "model.json")


def test_a_column_name_that_json_cannot_hold_is_not_written(tmp_path):
    with pytest.raises(ModelError, match="use text as column names"):
        write_model_file(make_file(name=("a", "b")), tmp_path / "model.json")
    assert not list(tmp_path.iterdir())


def test_parameters_that_json_cannot_hold_are_left_out():
    parameters = {
        "pairs": np.array([["a", "b"]]),
        "n_jobs": np.int64(2),
        "seed": np.random.default_rng(0),
        "share": np.nan,
        "method": "weighted",
    }
    expected = {"pairs": [["a", "b"]], "n_jobs": 2, "method": "weighted"}
    assert plain_parameters(parameters) == expected
