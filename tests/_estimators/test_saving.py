"""Estimators in files: the same results to the last bit, and no file is trusted."""

import json
import os
import stat

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.base import TransformerMixin
from sklearn.exceptions import NotFittedError
from tests._estimators.samples import ESTIMATORS
from tests._model.diagnostics import make_diagnostics
from tests._model.test_record import anything, paths_in
from tests.frames import make_people

import modlearn
from modlearn import (
    AdditiveClassifier,
    BestBivariateClassifier,
    BestUnivariateClassifier,
    Encoder,
    NaiveBayesClassifier,
    PairEncoder,
    SelectiveNaiveBayesClassifier,
)
from modlearn._estimators.loading import read_model_file
from modlearn._estimators.model_file import ModelFile
from modlearn.errors import ModelError

CLASSIFIERS = [
    BestUnivariateClassifier(),
    BestBivariateClassifier(),
    NaiveBayesClassifier(),
    NaiveBayesClassifier(pairs=True),
    SelectiveNaiveBayesClassifier(pairs=3, unlabeled="?"),
    SelectiveNaiveBayesClassifier(method="averaged", random_state=3),
    SelectiveNaiveBayesClassifier(pairs=[("age", "city"), ("city", "joined")]),
    BestBivariateClassifier(pairs=1e-9),
    AdditiveClassifier(),
    AdditiveClassifier(pairs=True),
]


@pytest.fixture(scope="module")
def table():
    data, y = make_people()
    return pd.DataFrame(data), np.array(y)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "people.modlearn.json"


def save_with(diagnostics, estimator, path):
    ModelFile.of(estimator, estimator._learned(), True, True, diagnostics).write(path)


@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=str)
def test_what_is_read_predicts_what_was_written_did(classifier, table, path):
    X, y = table
    fitted = classifier.fit(X, y)
    fitted.save(path)
    again = modlearn.load(path)
    assert type(again) is type(fitted)
    assert again.get_params() == fitted.get_params()
    assert again.predict_proba(X).tobytes() == fitted.predict_proba(X).tobytes()
    assert again.predict(X).tolist() == fitted.predict(X).tolist()
    assert str(again.explain(X)) == str(fitted.explain(X))
    assert getattr(again, "complete_", None) is getattr(fitted, "complete_", None)
    for name in ("weights_", "levels_", "n_features_in_"):
        assert getattr(again, name) == getattr(fitted, name)
    np.testing.assert_array_equal(again.feature_importances_, fitted.feature_importances_)
    np.testing.assert_array_equal(again.feature_names_in_, fitted.feature_names_in_)
    assert {n: str(p) for n, p in again.partitions_.items()} == {
        n: str(p) for n, p in fitted.partitions_.items()
    }


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ({"pairs": np.array([["age", "city"]])}, {"pairs": [("age", "city")]}),
        ({"pairs": [["age", "city"]]}, {"pairs": [("age", "city")]}),
        ({"pairs": np.True_}, {"pairs": True}),
        ({"pairs": np.int64(2), "n_jobs": np.int64(1)}, {"pairs": 2, "n_jobs": 1}),
        ({"unlabeled": np.nan}, {"unlabeled": None}),
        ({"random_state": np.random.RandomState(0)}, {"random_state": 0}),
    ],
    ids=["array", "lists", "boolean", "numbers", "nan", "generator"],
)
def test_parameters_are_read_as_plain_ones_or_left_at_their_defaults(table, path, given, read):
    SelectiveNaiveBayesClassifier(**given).fit(*table).save(path)
    found = modlearn.load(path).get_params()
    assert found == SelectiveNaiveBayesClassifier(**read).get_params()


def test_a_classifier_of_an_array_is_read_without_names(path):
    X, y = np.random.default_rng(0).random((50, 2)), np.arange(50) % 2
    SelectiveNaiveBayesClassifier().fit(X, y).save(path)
    again = modlearn.load(path)
    assert not hasattr(again, "feature_names_in_")
    assert again.predict(X).dtype == y.dtype


def test_what_was_read_can_be_written_and_fitted_again(table, path):
    X, y = table
    NaiveBayesClassifier(pairs=True).fit(X, y).save(path)
    first = path.read_text()
    again = modlearn.load(path)
    again.save(path)
    assert path.read_text() == first
    again.fit(X.iloc[:50], y[:50])


def test_an_unfitted_classifier_is_not_written(path):
    with pytest.raises(NotFittedError):
        SelectiveNaiveBayesClassifier().save(path)
    assert not path.exists()


def test_a_failed_write_leaves_the_old_file(table, path, monkeypatch):
    X, y = table
    fitted = NaiveBayesClassifier().fit(X, y)
    path.write_text("old")
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        fitted.save(path)
    assert path.read_text() == "old"
    assert list(path.parent.iterdir()) == [path]


def test_the_file_has_the_rights_of_others(table, path):
    X, y = table
    NaiveBayesClassifier().fit(X, y).save(path)
    usual = path.with_name("usual")
    usual.touch()
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(usual.stat().st_mode)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "It is not a model"),
        (
            b'{"format": "modlearn mod',
            "It is damaged: restore it from a copy, or train the model again",
        ),
        (b"\xff\xfe", "It is not a model"),
        (b"[" * 100_000, "It is not a model"),
        (b"[1, 2]", "It is not a model: pass a file that modlearn fit or save"),
        (b"{}", "It is not a model: pass a file that modlearn fit or save"),
        (b'{"format": "modlearn model", "version": 6}', "It has format version 6, .* newer"),
        (
            b'{"format": "modlearn model", "version": 3}',
            "It has format version 3, .* fit the model",
        ),
        (b'{"format": "modlearn model", "version": NaN}', "It holds the number NaN"),
    ],
)
def test_a_file_without_a_model_is_refused(path, content, message):
    path.write_bytes(content)
    with pytest.raises(ModelError, match=rf"people\.modlearn\.json' cannot be used .*{message}"):
        modlearn.load(path)


def test_a_file_that_is_not_there_is_an_error_of_the_system(path):
    with pytest.raises(FileNotFoundError):
        modlearn.load(path)


CHANGES = [
    ({"estimator": "os.system"}, "'estimator' is not one of"),
    ({"estimator": "LabelDistributionPropagation"}, "'estimator' is not one of"),
    ({"estimator": "Encoder"}, "'parts' is not an object, although the estimator is Encoder"),
    ({"parameters": {"magic": 1}}, "'parameters' is not parameters of"),
    ({"parameters": {"unlabeled": "\ud800"}}, "'parameters' is not parameters of"),
    ({"parameters": {"n_jobs": 0}}, "'parameters' is not parameters of"),
    ({"parameters": {"pairs": {}}}, "'pairs' is not a list of pairs of two different columns"),
    ({"parameters": {"pairs": ["age"]}}, "'pairs' is not a list of pairs of two different"),
    ({"parameters": {"pairs": [["age", "age"]]}}, "'pairs' is not a list of pairs of two"),
    ({"parameters": {"pairs": [["age", "his"]]}}, "'pairs' is not a list of pairs of two"),
    ({"parameters": {"pairs": [["age", ["city"]]]}}, "'pairs' is not a list of pairs of two"),
    ({"pairs_complete": 1}, "'pairs_complete' is not true or false"),
    ({"model": []}, "'model' is not an object"),
    ({"model": {}}, "model has no 'schema'"),
    ({"model": None}, "'model' is not an object, although the estimator is Selective"),
    ({"parts": {}}, "parts has no 'classes'"),
    ({"diagnostics": []}, "'diagnostics' is not an object"),
    ({"named_columns": "yes"}, "'named_columns' is not true or false"),
]


@pytest.mark.parametrize(("change", "message"), CHANGES, ids=str)
def test_a_damaged_model_is_refused(table, path, change, message):
    X, y = table
    SelectiveNaiveBayesClassifier().fit(X, y).save(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(ModelError, match=message):
        modlearn.load(path)


INSIDE = [
    (("target", "counts"), [5, 0], "model: target: 'counts' is not a table of 2 positive counts"),
    (("base",), [0.0], "model: 'base' is not a table of 2 numbers"),
    (("terms",), [], "model: 'terms' is not one term per column of the schema"),
    (("terms", 0, "weight"), 2.0, "model: terms 0: 'weight' is not a number from 0 to 1"),
    (("terms", 0, "table"), [[1e200, 0.0]], "terms 0: 'table' is not a table of any × 2 numbers"),
    (("schema", "columns"), [], "'columns' is not a list of columns with different names"),
]


@pytest.mark.parametrize(("keys", "value", "message"), INSIDE, ids=str)
def test_a_damaged_additive_model_is_refused(table, path, keys, value, message):
    SelectiveNaiveBayesClassifier().fit(*table).save(path)
    record = json.loads(path.read_text())
    at = record["model"]
    for key in keys[:-1]:
        at = at[key]
    at[keys[-1]] = value
    path.write_text(json.dumps(record))
    with pytest.raises(ModelError, match=message):
        modlearn.load(path)


CURVED = [
    (("terms", 0, "deviation"), [[0.1, 0.1]], "'deviation' is not a table of numbers of at least"),
    (("terms", 0, "shapes"), [[[0.1, 0.1]]], "'shapes' is not a list of tables like the table"),
    (("covariance",), [[1.0, 0.0], [0.5, 1.0]], "'covariance' is not a symmetric table of"),
]


@pytest.mark.parametrize(("keys", "value", "message"), CURVED, ids=str)
def test_a_damaged_covariance_is_refused(table, path, keys, value, message):
    AdditiveClassifier().fit(*table).save(path)
    record = json.loads(path.read_text())
    at = record["model"]
    for key in keys[:-1]:
        at = at[key]
    at[keys[-1]] = value
    path.write_text(json.dumps(record))
    with pytest.raises(ModelError, match=message):
        modlearn.load(path)


def test_pairs_of_a_classifier_that_uses_none_are_refused(table, path):
    NaiveBayesClassifier(pairs=1).fit(*table).save(path)
    record = json.loads(path.read_text())
    record |= {"estimator": "BestUnivariateClassifier", "parameters": {}}
    path.write_text(json.dumps(record))
    with pytest.raises(ModelError, match="'terms' is not without pairs, although the estimator"):
        modlearn.load(path)


@given(data=st.data())
@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_a_changed_file_gives_a_model_that_works_or_an_error_in_words(table, path, data):
    X, y = table
    if not path.exists():
        fitted = SelectiveNaiveBayesClassifier(pairs=2).fit(X, y)
        save_with(make_diagnostics(), fitted, path)
        path.with_name("whole").write_text(path.read_text())
    record = json.loads(path.with_name("whole").read_text())
    keys = data.draw(st.sampled_from([p for p in paths_in(record) if p]))
    at = record
    for key in keys[:-1]:
        at = at[key]
    at[keys[-1]] = data.draw(anything)
    path.write_text(json.dumps(record))
    try:
        model, _ = read_model_file(path)
    except ModelError:
        return
    assert np.isfinite(model.decision_function(X.set_axis(model.partitions_, axis=1))).all()


# what a job found


def test_diagnostics_are_kept_and_change_no_prediction(table, path):
    fitted, found = SelectiveNaiveBayesClassifier().fit(*table), make_diagnostics()
    save_with(found, fitted, path)
    again, read = read_model_file(path)
    assert read.to_dict() == found.to_dict()
    assert again.predict_proba(table[0]).tobytes() == fitted.predict_proba(table[0]).tobytes()
    first = path.read_text()
    save_with(read, again, path)
    assert path.read_text() == first


def test_a_model_that_is_saved_alone_has_no_diagnostics(table, path):
    NaiveBayesClassifier().fit(*table).save(path)
    assert read_model_file(path)[1] is None


def test_damaged_diagnostics_are_refused(table, path):
    save_with(make_diagnostics(), SelectiveNaiveBayesClassifier().fit(*table), path)
    record = json.loads(path.read_text())
    record["diagnostics"]["evaluation"]["confusion"] = [[1, 2], [3]]
    path.write_text(json.dumps(record))
    message = "evaluation: 'confusion' is not a table of 2 × 2 counts"
    with pytest.raises(ModelError, match=message):
        modlearn.load(path)


# transformers

TRANSFORMERS = [
    *(kind() for kind in ESTIMATORS if issubclass(kind, TransformerMixin)),
    Encoder(output="label", max_parts=3, method="supervised", n_jobs=2),
    Encoder(output="onehot"),
    PairEncoder(output="log_odds"),
    PairEncoder([("joined", "age")], output="label"),
    PairEncoder(1, unlabeled="?"),
]


def columns_for(transformer, X):
    return X[["age", "joined"]] if type(transformer).__name__ == "Discretizer" else X


@pytest.mark.parametrize("transformer", TRANSFORMERS, ids=str)
def test_what_is_read_transforms_as_what_was_written(transformer, table, path):
    X, y = columns_for(transformer, table[0]), table[1]
    fitted = transformer.fit(X, y)
    fitted.save(path)
    again = modlearn.load(path)
    assert type(again) is type(fitted)
    assert again.get_params() == fitted.get_params()
    pd.testing.assert_frame_equal(again.transform(X), fitted.transform(X))
    unseen = X.assign(age=X["age"].iloc[::-1].to_numpy())
    pd.testing.assert_frame_equal(again.transform(unseen), fitted.transform(unseen))
    assert again.get_feature_names_out().tolist() == fitted.get_feature_names_out().tolist()
    first = path.read_text()
    again.save(path)
    assert path.read_text() == first


@pytest.mark.parametrize("transformer", TRANSFORMERS, ids=str)
def test_what_is_read_has_the_attributes_of_what_was_written(transformer, table, path):
    fitted = transformer.fit(columns_for(transformer, table[0]), table[1])
    fitted.save(path)
    again = modlearn.load(path)
    assert set(vars(again)) == set(vars(fitted))
    for name in {"levels_", "gains_", "synergy_", "complete_", "n_features_in_"} & set(vars(again)):
        assert getattr(again, name) == getattr(fitted, name)
        if name.endswith("s_"):
            assert list(getattr(again, name)) == list(getattr(fitted, name))  # the same order
    np.testing.assert_array_equal(again.classes_, fitted.classes_)
    for name in {"partitions_", "grids_"} & set(vars(again)):
        assert {n: str(p) for n, p in getattr(again, name).items()} == {
            n: str(p) for n, p in getattr(fitted, name).items()
        }


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda estimator: estimator.__name__)
def test_every_estimator_can_be_saved_alone(estimator, path):
    if estimator is modlearn.LabelDistributionPropagation:
        assert not hasattr(estimator, "save")  # it would have to hold all rows: pickle it
        return
    X, y = np.random.default_rng(0).random((60, 3)), np.arange(60) % 3
    fitted = estimator().fit(X, y)
    fitted.save(path)
    again = modlearn.load(path)
    assert type(again) is estimator
    assert not hasattr(again, "feature_names_in_")
    method = "transform" if hasattr(fitted, "transform") else "predict_proba"
    np.testing.assert_array_equal(getattr(again, method)(X), getattr(fitted, method)(X))
    again.fit(X[:, :2], y)


def test_an_unfitted_transformer_is_not_written(path):
    with pytest.raises(NotFittedError):
        Encoder().save(path)
    assert not path.exists()


PARTS = [
    ({"partitions": []}, "parts: 'partitions' is not a list of partitions of different columns"),
    ({"classes": {"type": "i8", "values": [1, 1]}}, "parts: classes: 'values' is not a list of"),
    ({"grids": {}}, "parts: 'grids' is not a list"),
]


@pytest.mark.parametrize(("change", "message"), PARTS, ids=str)
def test_a_damaged_transformer_is_refused(table, path, change, message):
    PairEncoder(1).fit(*table).save(path)
    record = json.loads(path.read_text())
    path.write_text(json.dumps(record | {"parts": record["parts"] | change}))
    with pytest.raises(ModelError, match=message):
        modlearn.load(path)


def test_grids_must_be_of_different_pairs(table, path):
    PairEncoder(1).fit(*table).save(path)
    record = json.loads(path.read_text())
    record["parts"]["grids"] *= 2
    path.write_text(json.dumps(record))
    with pytest.raises(ModelError, match="'grids' is not a list of different pairs of its columns"):
        modlearn.load(path)


def test_grids_of_a_transformer_that_uses_none_are_refused(table, path):
    PairEncoder(1).fit(*table).save(path)
    record = json.loads(path.read_text())
    path.write_text(json.dumps(record | {"estimator": "Encoder", "parameters": {}}))
    with pytest.raises(ModelError, match="parts: 'grids' is not without pairs"):
        modlearn.load(path)


def test_diagnostics_without_a_model_are_refused(table, path):
    save_with(make_diagnostics(), SelectiveNaiveBayesClassifier().fit(*table), path)
    path.write_text(json.dumps(json.loads(path.read_text()) | {"model": None}))
    with pytest.raises(ModelError, match=r"diagnostics: .* is not allowed without a model"):
        modlearn.load(path)


def test_a_transformer_has_no_diagnostics(table, path):
    save_with(make_diagnostics(), Encoder().fit(*table), path)
    with pytest.raises(ModelError, match="'diagnostics' is not null, although the estimator is"):
        modlearn.load(path)


def test_a_transformer_holds_no_model(table, path):
    NaiveBayesClassifier().fit(*table).save(path)
    model = json.loads(path.read_text())["model"]
    Encoder().fit(*table).save(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | {"model": model}))
    with pytest.raises(ModelError, match="'model' is not null, although the estimator is Encoder"):
        modlearn.load(path)


def test_classes_of_dates_are_refused_with_the_remedy(path):
    days = np.array(["2020-01-01", "2020-01-02"] * 20, dtype="M8[D]")
    fitted = NaiveBayesClassifier().fit(np.arange(40.0)[:, None], days)
    with pytest.raises(ModelError, match="make the target text or numbers"):
        fitted.save(path)
    assert not path.exists()
