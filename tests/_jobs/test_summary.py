"""The summary: the contract with the report, from a result and from a model file."""

import json

import pytest
from tests._jobs.conftest import make_orders

import modlearn
from modlearn._jobs.result import summary_of

KEYS = {
    "format",
    "version",
    "modlearn",
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
def result():
    return modlearn.fit(make_orders(), "paid", pairs=2)


def test_the_summary_is_json_with_the_fields_of_the_report(result):
    summary = result.summary()
    assert set(summary) == KEYS
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary


def test_it_holds_what_was_found(result):
    summary = result.summary()
    assert summary["data"] == result.facts.to_dict()
    assert summary["evaluation"] == result.evaluation.to_dict()
    assert summary["positive"] == 1
    assert summary["created"] == result.diagnostics.created
    assert summary["pairs_searched"] == 2
    names = [variable["name"] for variable in summary["variables"]]
    assert sorted(names) == ["amount", "country", "noise"]
    amount = summary["variables"][names.index("amount")]
    assert (amount["n_missing"], amount["n_distinct"]) == (0, 200)


def test_a_model_file_gives_the_same_summary(result, tmp_path):
    path = tmp_path / "orders.modlearn.json"
    result.save(path)
    model = modlearn.load(path)
    assert summary_of(model, model.diagnostics_) == result.summary()


def test_a_model_saved_alone_has_a_summary_too(result):
    summary = summary_of(result.model, None)
    assert set(summary) == KEYS
    assert summary["evaluation"] is None
    assert (summary["data"]["n_rows"], summary["data"]["n_columns"]) == (200, 3)


def test_an_analysis_has_no_weights_and_no_evaluation():
    summary = modlearn.analyze(make_orders(), "paid", pairs="all").summary()
    assert summary["evaluation"] is None
    assert {variable["weight"] for variable in summary["variables"]} == {None}
    assert summary["pairs_searched"] == 3
