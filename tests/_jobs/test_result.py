"""What a job gives back: saved, reported, printed."""

import sys
from types import ModuleType

import numpy as np
import pytest
from matplotlib.figure import Figure
from tests._jobs.conftest import make_orders

import modlearn
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
    with pytest.raises(ModelError, match=r"has no model to save: use modlearn\.fit, or report"):
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


def test_what_cannot_be_drawn_is_told(result):
    with pytest.raises(ValueError, match="kind is 'pie': use one of 'roc', 'lift'"):
        result.plot("pie")
