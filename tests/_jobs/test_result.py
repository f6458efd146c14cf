"""What a job gives back: saved, reported, printed, and summarized for the report."""

import json
import sys
from types import ModuleType

import numpy as np
import pytest
from matplotlib.figure import Figure
from tests._jobs.conftest import make_orders

import modlearn
from modlearn._jobs.result import summary_of
from modlearn.errors import ModelError

COLUMNS = ["amount", "country", "noise"]


@pytest.fixture(scope="module")
def result():
    return modlearn.fit(make_orders(), "paid")


def test_a_saved_result_loads_to_the_model(result, tmp_path):
    path = tmp_path / "orders.modlearn.json"
    result.save(path)
    again, X = modlearn.load(path), make_orders()[COLUMNS]
    np.testing.assert_array_equal(again.predict_proba(X), result.model.predict_proba(X))
    assert again.diagnostics_.to_dict() == result.diagnostics.to_dict()


def test_an_analysis_has_no_model_to_save(tmp_path):
    with pytest.raises(
        ModelError,
        match=r"has no model to save: train one with modlearn\.fit, or write .* report\(\)",
    ):
        modlearn.analyze(make_orders(), "paid").save(tmp_path / "x.json")


def test_the_report_is_one_page(result, tmp_path):
    path = tmp_path / "orders.html"
    result.report(path)
    assert path.read_text(encoding="utf-8").lstrip().lower().startswith("<!doctype html>")
    assert [file.name for file in tmp_path.iterdir()] == ["orders.html"]


@pytest.mark.parametrize("options", [{"drop": ["amount", "country"]}, {"test": 0.3}], ids=str)
def test_every_result_has_a_report(options, tmp_path):
    modlearn.fit(make_orders(), "paid", **options).report(tmp_path / "orders.html")
    assert (tmp_path / "orders.html").stat().st_size > 1_000


def test_a_notebook_shows_a_compact_form_of_the_summary(result, monkeypatch):
    module = ModuleType("modlearn._show.compact")
    module.compact_html = lambda summary: f"<b>{summary['data']['target']}</b>"
    monkeypatch.setitem(sys.modules, "modlearn._show.compact", module)
    assert result._repr_html_() == "<b>paid</b>"


def test_facts_warnings_and_evaluation_are_those_found(result):
    assert result.facts is result.diagnostics.data
    assert result.evaluation is result.diagnostics.evaluation
    assert result.warnings == result.diagnostics.warnings


def test_a_result_says_in_a_line_what_it_is(result):
    assert repr(result).startswith(
        "<FitResult of 'paid': SelectiveNaiveBayesClassifier, 200 rows, 3 columns, <Evaluation by"
    )
    analysis = modlearn.analyze(make_orders(), "paid")
    assert repr(analysis) == "<FitResult of 'paid': no model, 200 rows, 3 columns>"


@pytest.mark.parametrize("kind", ["roc", "lift", "calibration", "confusion"])
def test_the_evaluation_is_drawn_on_given_axes(result, kind):
    axes = Figure().subplots()
    assert result.plot(kind, axes).ax_ is axes
    assert axes.has_data()


def test_what_cannot_be_drawn_is_refused_in_words(result):
    with pytest.raises(ValueError, match="kind is 'pie': use one of 'roc', 'lift'"):
        result.plot("pie")


KEYS = {
    "format",
    "version",
    "modlearn",
    "id",
    "created",
    "data",
    "classes",
    "positive",
    "evaluation",
    "variables",
    "pairs",
    "pairs_searched",
    "pairs_complete",
    "warnings",
}


@pytest.fixture(scope="module")
def with_pairs():
    return modlearn.fit(make_orders(), "paid", pairs=2)


def test_the_summary_is_json_with_the_fields_of_the_report(with_pairs):
    summary = with_pairs.summary()
    assert set(summary) == KEYS
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary


def test_the_summary_holds_what_was_found(with_pairs):
    summary = with_pairs.summary()
    assert summary["data"] == with_pairs.facts.to_dict()
    assert summary["evaluation"] == with_pairs.evaluation.to_dict()
    assert summary["positive"] == 1
    assert summary["created"] == with_pairs.diagnostics.created
    assert summary["id"] == with_pairs.diagnostics.id
    assert summary["pairs_searched"] == 2
    names = [variable["name"] for variable in summary["variables"]]
    assert sorted(names) == ["amount", "country", "noise"]
    amount = summary["variables"][names.index("amount")]
    assert (amount["n_missing"], amount["n_distinct"]) == (0, 200)


def test_a_model_file_gives_the_same_summary(with_pairs, tmp_path):
    path = tmp_path / "orders.modlearn.json"
    with_pairs.save(path)
    model = modlearn.load(path)
    assert summary_of(model, model.diagnostics_) == with_pairs.summary()


def test_a_model_saved_alone_has_a_summary_too(with_pairs):
    summary = summary_of(with_pairs.model, None)
    assert set(summary) == KEYS
    assert summary["evaluation"] is None
    assert (summary["data"]["n_rows"], summary["data"]["n_columns"]) == (200, 3)


def test_an_analysis_has_no_weights_and_no_evaluation():
    summary = modlearn.analyze(make_orders(), "paid", pairs="all").summary()
    assert summary["evaluation"] is None
    assert {variable["weight"] for variable in summary["variables"]} == {None}
    assert summary["pairs_searched"] == 3
