"""What a job gives back: saved, reported, printed, and summarized for the report."""

import json
import sys
from types import ModuleType

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from matplotlib.figure import Figure
from sklearn.metrics import roc_auc_score
from tests._jobs.conftest import make_orders

import modlearn
from modlearn import FitResult
from modlearn._jobs.result import load_model
from modlearn.errors import ColumnError, ModelError, TargetError

COLUMNS = ["amount", "country", "noise"]


@pytest.fixture(scope="module")
def result():
    return modlearn.fit(make_orders(), "paid")


@pytest.fixture(scope="module")
def with_pairs():
    return modlearn.fit(make_orders(), "paid", pairs=2, positive="no")


# predictions


@pytest.mark.parametrize(
    "make",
    [lambda f: f, pl.from_pandas, pa.Table.from_pandas],
    ids=["pandas", "polars", "arrow"],
)
def test_a_whole_table_is_predicted_whatever_columns_it_has_besides(result, make):
    orders, plain = make_orders(), make_orders()[COLUMNS]
    turned = make(orders[orders.columns[::-1]].assign(comment="late"))
    assert result.predict(turned).tolist() == result.classifier.predict(plain).tolist()
    assert result.predict_proba(turned).tolist() == result.classifier.predict_proba(plain).tolist()
    explained = result.explain(turned)
    expected = result.classifier.explain(plain)
    assert explained.contributions.tolist() == expected.contributions.tolist()


@pytest.mark.parametrize("name", ["new.csv", "new.parquet"])
def test_a_file_is_predicted_as_the_frame_it_holds(with_pairs, tmp_path, name):
    orders, path = make_orders(seed=1), tmp_path / name
    orders.to_csv(path, index=False) if name.endswith("csv") else orders.to_parquet(path)
    for new in (path, str(path)):
        assert with_pairs.predict(new).tolist() == with_pairs.predict(orders).tolist()
        found = with_pairs.predict_proba(new)
        assert found.tolist() == with_pairs.predict_proba(orders).tolist()
        assert str(with_pairs.explain(new)) == str(with_pairs.explain(orders))


def test_a_file_is_read_as_the_kinds_of_the_training_data(result, tmp_path):
    path = tmp_path / "new.csv"
    path.write_text("amount,country,noise\nn/a,7,0.5\nn/a,8,0.25\n")  # text and numbers, by itself
    frame = pd.DataFrame({"amount": [np.nan] * 2, "country": ["7", "8"], "noise": [0.5, 0.25]})
    assert result.predict_proba(path).tolist() == result.predict_proba(frame).tolist()


def test_only_the_columns_with_a_weight_are_needed(result):
    used = list(result.model.used_columns)
    assert len(used) < len(COLUMNS)
    found = result.predict(make_orders()[used])
    assert found.tolist() == result.predict(make_orders()).tolist()


def test_a_column_that_is_missing_is_named(result):
    (name, *_) = result.model.used_columns
    with pytest.raises(ColumnError, match=f"The table has no column '{name}', which the model"):
        result.predict(make_orders().drop(columns=name))


def test_a_file_that_lacks_a_column_is_named_too(result, tmp_path):
    make_orders()[["noise"]].to_csv(tmp_path / "new.csv", index=False)
    with pytest.raises(
        ColumnError, match=r"The table 'new\.csv' has no columns 'amount', 'country'"
    ):
        result.predict(tmp_path / "new.csv")


def test_an_explanation_speaks_for_the_class_of_interest(with_pairs):
    explained = with_pairs.explain(make_orders())
    assert explained.positive == 0
    odds = with_pairs.classifier.decision_function(make_orders()[COLUMNS])
    np.testing.assert_allclose(explained.to_frame()["score"], -odds)


def test_columns_with_numbers_as_names_are_found_in_frames_and_files(tmp_path):
    X, y = make_array()
    frame = pd.DataFrame(X[:, [2, 0]], columns=[0, 1]).assign(y=y)
    result = modlearn.fit(frame, "y")
    assert result.model.used_columns == (1,)
    frame.to_csv(tmp_path / "new.csv", index=False)
    expected = result.predict(frame).tolist()
    assert (np.array(expected) == y).mean() > 0.8
    assert result.predict(tmp_path / "new.csv").tolist() == expected
    both = frame.assign(**{"1": 0.0})[["1", 1, 0]]  # the number is not the text
    assert result.predict(both).tolist() == expected


def test_dates_count_by_their_calendar_in_every_table_and_after_loading(tmp_path):
    days = pd.date_range("2020-01-01", periods=400, freq="7h")
    late = np.where((days.hour < 8) ^ (np.arange(400) % 10 == 0), "late", "in time")
    frame = pd.DataFrame({"when": days, "noise": np.arange(400) * 7 % 401, "arrival": late})
    result = modlearn.fit(frame, "arrival")
    assert "when" in result.model.used_columns
    result.save(tmp_path / "flights.json")
    frame.to_csv(tmp_path / "new.csv", index=False)
    expected = result.predict_proba(frame).tolist()
    again = modlearn.load(tmp_path / "flights.json")
    for one in (result, again):
        for new in (frame[["arrival", "when"]], pl.from_pandas(frame), tmp_path / "new.csv"):
            assert one.predict_proba(new).tolist() == expected
    assert again.summary() == result.summary()


def make_array(n_rows=120):
    """Informative, constant, noise: the middle column is left out."""
    rng = np.random.default_rng(0)
    y = np.arange(n_rows) % 2
    return np.column_stack([y + rng.normal(0, 0.4, n_rows), np.ones(n_rows), rng.random(n_rows)]), y


def test_an_array_is_predicted_with_the_columns_that_were_left_out():
    X, y = make_array()
    result = modlearn.fit(X, y)
    assert [column.name for column in result.facts.left_out] == ["x1"]
    assert result.predict(X).tolist() == result.classifier.predict(X[:, [0, 2]]).tolist()
    assert result.predict(X.tolist()).tolist() == result.predict(X).tolist()


@pytest.mark.parametrize("columns", [[0, 2], [0, 1, 2, 0]])
def test_an_array_with_another_number_of_columns_is_refused(columns):
    X, y = make_array()
    with pytest.raises(ColumnError, match=r"The array has \d columns, but the training data had 3"):
        modlearn.fit(X, y).predict(X[:, columns])


def test_an_array_needs_its_target_only_where_that_comes_before_other_columns():
    X, y = make_array()
    last = modlearn.fit(np.column_stack([X, y]), "x3")
    assert last.predict(X).tolist() == last.predict(np.column_stack([X, y])).tolist()
    first = modlearn.fit(np.column_stack([y, X]), "x0")
    assert first.predict(np.column_stack([y, X])).tolist() == last.predict(X).tolist()
    with pytest.raises(ColumnError, match="The array has 3 columns"):
        first.predict(X)


def test_an_array_has_no_names_to_find_columns_by(result):
    with pytest.raises(ColumnError, match=r"trained on columns with names, .*: pass a data frame"):
        result.predict(np.zeros((5, 3)))


def test_an_analysis_has_no_model_to_predict_with():
    analysis = modlearn.analyze(make_orders(), "paid")
    with pytest.raises(ModelError, match=r"has no model: train one with modlearn\.fit"):
        analysis.predict(make_orders())


# files


def test_what_is_loaded_is_the_result_that_was_saved(with_pairs, tmp_path):
    path = tmp_path / "orders.modlearn.json"
    with_pairs.save(path)
    again, X = modlearn.load(path), make_orders()
    assert isinstance(again, FitResult)
    assert again.predict_proba(X).tobytes() == with_pairs.predict_proba(X).tobytes()
    assert str(again.explain(X)) == str(with_pairs.explain(X))
    assert again.diagnostics.to_dict() == with_pairs.diagnostics.to_dict()
    assert again.summary() == with_pairs.summary()
    assert (repr(again), str(again)) == (repr(with_pairs), str(with_pairs))
    assert again.to_frame().equals(with_pairs.to_frame())
    again.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_text() == path.read_text()


def test_a_loaded_result_has_the_same_page_and_plots(with_pairs, tmp_path):
    with_pairs.save(tmp_path / "orders.modlearn.json")
    again = modlearn.load(tmp_path / "orders.modlearn.json")
    for name, one in (("first", with_pairs), ("again", again)):
        one.report(tmp_path / f"{name}.html")
    assert (tmp_path / "first.html").read_text() == (tmp_path / "again.html").read_text()
    assert again.plot("roc", Figure().subplots()).ax_.has_data()
    assert again._repr_html_() == with_pairs._repr_html_()


def test_an_estimator_that_was_saved_alone_is_loaded_as_that(with_pairs, tmp_path):
    path = str(tmp_path / "orders.modlearn.json")
    with_pairs.classifier.save(path)
    again = modlearn.load(path)
    assert type(again) is type(with_pairs.classifier)
    X = make_orders()[COLUMNS]
    assert again.predict(X).tolist() == with_pairs.classifier.predict(X).tolist()
    loaded = load_model(path)
    assert loaded.model.weights == with_pairs.model.weights
    assert loaded.predict(X).tolist() == with_pairs.predict(X).tolist()


def test_a_transformer_is_not_a_classifier(tmp_path):
    path = str(tmp_path / "encoder.json")
    modlearn.Encoder().fit(make_orders()[COLUMNS], make_orders()["paid"]).save(path)
    with pytest.raises(ModelError, match=r"encoder\.json' holds a transformer, which does not"):
        load_model(path)


def test_an_analysis_has_no_model_to_save(tmp_path):
    with pytest.raises(
        ModelError,
        match=r"has no model: train one with modlearn\.fit, or write .* report\(\)",
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
    "decision",
    "has_curves",
    "evaluation",
    "variables",
    "pairs",
    "pairs_searched",
    "trees",
    "pairs_complete",
    "top_quarter",
    "certainty",
    "warnings",
}


def test_the_summary_is_json_with_the_fields_of_the_report(with_pairs):
    summary = with_pairs.summary()
    assert set(summary) == KEYS
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary


def test_the_summary_holds_what_was_found(with_pairs):
    summary = with_pairs.summary()
    assert summary["data"] == with_pairs.facts.to_dict()
    assert summary["evaluation"] == with_pairs.evaluation.to_dict()
    assert summary["positive"] == 0
    assert summary["created"] == with_pairs.diagnostics.created
    assert summary["id"] == with_pairs.diagnostics.id
    assert summary["pairs_searched"] == 2
    names = [variable["name"] for variable in summary["variables"]]
    assert sorted(names) == ["amount", "country", "noise"]
    amount = summary["variables"][names.index("amount")]
    assert (amount["n_missing"], amount["n_distinct"]) == (0, 200)


def test_a_model_alone_has_a_summary_too(with_pairs):
    found = FitResult.of(with_pairs.classifier)
    summary = found.summary()
    assert set(summary) == KEYS
    assert summary["evaluation"] is None
    assert (summary["data"]["n_rows"], summary["data"]["n_columns"]) == (200, 3)
    assert found.predict(make_orders()).tolist() == with_pairs.predict(make_orders()).tolist()


def test_a_transformer_has_the_summary_of_an_analysis():
    X, y = make_orders()[COLUMNS], make_orders()["paid"]
    summary = FitResult.of(modlearn.PairEncoder().fit(X, y)).summary()
    assert summary["pairs_searched"] == 3
    assert {variable["weight"] for variable in summary["variables"]} == {None}


def test_a_result_is_its_own(result):
    assert FitResult.of(result) is result


def test_an_analysis_has_no_weights_and_no_evaluation():
    summary = modlearn.analyze(make_orders(), "paid", pairs="all").summary()
    assert summary["evaluation"] is None
    assert {variable["weight"] for variable in summary["variables"]} == {None}
    assert summary["pairs_searched"] == 3


# another decision, and another table


def test_a_decision_can_be_made_when_predicting(result):
    orders = make_orders()
    shares = result.predict_proba(orders)[:, result.positive]
    names = [str(one) for one in result.model.classes]
    yes, no = names[result.positive], names[1 - result.positive]
    expected = np.where(shares >= 0.3, yes, no).tolist()
    assert result.predict(orders, threshold=0.3).tolist() == expected
    expected = np.where(shares >= 0.2, yes, no).tolist()
    assert result.predict(orders, cost={(yes, no): 4}).tolist() == expected
    assert result.model.decision is None


def test_a_table_with_its_target_is_evaluated(result, tmp_path):
    orders = make_orders(300, seed=1)
    orders.loc[:9, "paid"] = None
    orders.loc[10:19, "paid"] = "perhaps"
    known = orders[20:]
    found = result.evaluate(orders)
    assert (found.how, found.n_test, found.examples) == ("test file", 280, ())
    accuracy = (result.predict(known) == known["paid"]).mean()
    assert found.measures["accuracy"].mean == pytest.approx(accuracy)
    shares = result.predict_proba(known)
    area = roc_auc_score(known["paid"] == "yes", shares[:, 1])
    assert found.measures["auc"].mean == pytest.approx(area)
    orders.to_csv(tmp_path / "new.csv", index=False)
    same = [
        result.evaluate(tmp_path / "new.csv"),
        result.evaluate(orders.drop(columns="paid"), orders["paid"]),
        result.evaluate(orders, orders["paid"].tolist()),
    ]
    assert [one.to_dict() for one in same] == [found.to_dict()] * 3


def test_an_evaluation_may_use_another_decision(result):
    orders = make_orders(300, seed=1)
    found = result.evaluate(orders, cost={("yes", "no"): 2})
    predicted = result.predict(orders, cost={("yes", "no"): 2})
    expected = pd.crosstab(orders["paid"], predicted).to_numpy().tolist()
    assert found.confusion.tolist() == expected
    assert found.cost.total == expected[0][1] + 2 * expected[1][0]


def test_a_table_without_known_classes_is_not_evaluated(result):
    message = (
        r"The table has no column 'paid', the target of the model: add it, or pass the labels, "
        r"too: evaluate\(table, labels\)\."
    )
    with pytest.raises(ColumnError, match=message):
        result.evaluate(make_orders().drop(columns="paid"))
    with pytest.raises(ColumnError, match=r"target names the column 'payd'.* did you mean 'paid'"):
        result.evaluate(make_orders(), "payd")
    with pytest.raises(TargetError, match="no row whose 'paid' is a class of the training data"):
        result.evaluate(make_orders().assign(paid="perhaps"))


def test_labels_are_passed_to_evaluate_a_model_that_does_not_know_the_name_of_its_target(orders):
    X, y = orders[["amount", "country"]], orders["paid"]
    result = FitResult.of(modlearn.SelectiveNaiveBayesClassifier().fit(X, y.to_numpy()))
    with pytest.raises(TargetError, match=r"not know the name .*: pass the labels, too: evaluate"):
        result.evaluate(orders)
    assert result.evaluate(X, y).n_test == len(y)
