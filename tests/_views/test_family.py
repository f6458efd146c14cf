"""A family of views that is only registered takes part everywhere."""

import pickle

import duckdb
import numpy as np
import pytest
from tests._views.words import WORDS, messages

import modlearn
from modlearn import _views
from modlearn._views.calendar import WEEKDAY
from modlearn.errors import ColumnError, ModelError

VIEWS = ["comment: characters", "comment: mentions a refund"]


@pytest.fixture(scope="module", autouse=True)
def _registered():
    _views.VIEW_FAMILIES.append(WORDS)
    yield
    _views.VIEW_FAMILIES.remove(WORDS)


@pytest.fixture(scope="module")
def frame():
    return messages()


@pytest.fixture(scope="module")
def result(frame):
    return modlearn.fit(frame, "left", test=0.3)


def test_views_of_a_text_that_never_repeats_replace_it(result):
    assert list(result.model.schema.names) == [*VIEWS, "n"]
    assert {term.name for term in result.model.used_terms} == set(VIEWS)
    (left_out,) = result.facts.left_out
    assert (left_out.name, left_out.reason) == ("comment", "all_different")
    assert result.model.partitions[VIEWS[1]].groups == (("no",), ("yes",), (None,))


def test_models_with_views_are_read_back_by_their_names(result, frame, tmp_path):
    expected = result.predict(frame)
    result.save(tmp_path / "model.json")
    assert (modlearn.load(tmp_path / "model.json").predict(frame) == expected).all()
    assert pickle.loads(pickle.dumps(result.model)).schema == result.model.schema
    _views.VIEW_FAMILIES.remove(WORDS)
    try:
        with pytest.raises(ModelError, match="'view' is not the name of a view, such as 'weekday'"):
            modlearn.load(tmp_path / "model.json")
    finally:
        _views.VIEW_FAMILIES.append(WORDS)


def test_databases_compute_views_in_exported_sql(result, frame):
    rows = frame[["comment", "n"]]  # DuckDB finds it by its name
    scored = duckdb.sql(result.model.to_sql("duckdb", table="rows", keep=["n"])).df()
    assert len(rows) == len(scored)
    expected = result.predict_proba(frame)
    np.testing.assert_allclose(scored.filter(like="P(").to_numpy(), expected, rtol=1e-9)


def test_exports_that_cannot_compute_a_view_say_so(result, tmp_path):
    with pytest.raises(ColumnError, match="the characters of 'comment', which SQLite cannot"):
        result.model.to_sql("sqlite")
    with pytest.raises(ColumnError, match="which PMML cannot compute: leave out 'comment'"):
        result.model.to_pmml(tmp_path / "model.pmml")
    with pytest.raises(ColumnError, match="which ONNX cannot compute: leave out 'comment'"):
        result.model.to_onnx(tmp_path / "model.onnx")


def test_views_are_known_by_name():
    assert _views.view_named("weekday") == WEEKDAY
    assert _views.view_named("word") is None
