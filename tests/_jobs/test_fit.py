"""The whole job: the model is the classifier's own, whatever the table was."""

import inspect
import json
import pickle
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.model_selection import KFold
from tests._jobs.conftest import COLUMNS, make_orders

import modlearn
from modlearn import AdditiveClassifier, SelectiveNaiveBayesClassifier
from modlearn._evaluate.evaluation import Evaluator
from modlearn._jobs import views
from modlearn._model.evaluation import Note
from modlearn.errors import ColumnError, OptionError, TargetError


@pytest.mark.parametrize("options", [{}, {"pairs": "all"}, {"method": "averaged"}], ids=str)
def test_the_model_is_that_of_the_classifier(orders, options):
    result = modlearn.fit(orders, "paid", **options)
    same = {"pairs": options.get("pairs") == "all", "method": options.get("method", "weighted")}
    by_hand = SelectiveNaiveBayesClassifier(**same).fit(orders[COLUMNS], orders["paid"])
    assert result.classifier.weights_ == by_hand.weights_
    assert result.classifier.levels_ == by_hand.levels_
    np.testing.assert_array_equal(
        result.classifier.predict_proba(orders[COLUMNS]), by_hand.predict_proba(orders[COLUMNS])
    )
    assert result.classifier.feature_names_in_.tolist() == COLUMNS
    assert result.classifier.n_features_in_ == 3


@pytest.mark.parametrize("pairs", [None, "all"])
def test_the_additive_model_is_that_of_its_classifier(orders, pairs):
    result = modlearn.fit(orders, "paid", method="additive", pairs=pairs)
    by_hand = AdditiveClassifier(pairs=pairs == "all").fit(orders[COLUMNS], orders["paid"])
    assert type(result.classifier) is AdditiveClassifier
    assert result.classifier.weights_ == by_hand.weights_
    np.testing.assert_array_equal(result.predict_proba(orders), by_hand.predict_proba(orders))


def test_an_additive_model_is_evaluated_reported_and_saved(orders, tmp_path):
    result = modlearn.fit(orders, "paid", method="additive")
    assert result.evaluation.n_test == 200
    assert result.evaluation.measures["accuracy"].mean > 0.6
    result.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert page.startswith("<!DOCTYPE html>")
    assert all(name in page for name in COLUMNS)
    result.save(tmp_path / "model.json")
    again = modlearn.load(tmp_path / "model.json")
    assert again.summary() == result.summary()
    assert again.predict_proba(orders).tobytes() == result.predict_proba(orders).tobytes()


def test_the_examples_of_an_additive_model_name_its_bins(orders):
    result = modlearn.fit(orders, "paid", method="additive")
    amount = next(term for term in result.model.terms if term.name == "amount")
    found = {
        reason.part
        for example in result.evaluation.examples
        for reason in example.reasons
        if reason.variable == "amount"
    }
    assert len(found) > amount.parts.n_parts


def test_an_additive_model_of_unlabeled_rows_and_dates_is_fitted(orders):
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(200) % 90, unit="D")
    some = orders.assign(paid=orders["paid"].where(orders.index % 3 > 0), when=days)
    result = modlearn.fit(some, "paid", method="additive")
    assert result.facts.n_unlabeled == 67
    assert np.isfinite(result.predict_proba(some)).all()


@pytest.mark.parametrize("make", [pl.from_pandas, pa.Table.from_pandas], ids=["polars", "arrow"])
def test_the_result_does_not_depend_on_the_frame(orders, make):
    one, other = modlearn.fit(orders, "paid"), modlearn.fit(make(orders), "paid")
    assert one.evaluation.to_dict() == other.evaluation.to_dict()
    assert one.classifier.weights_ == other.classifier.weights_


def test_the_result_does_not_depend_on_threads(orders):
    one, two = (modlearn.fit(orders, "paid", n_jobs=n_jobs, pairs=2) for n_jobs in (1, 2))
    assert one.evaluation.to_dict() == two.evaluation.to_dict()
    assert one.diagnostics.warnings == two.diagnostics.warnings


def test_the_model_keeps_the_threads_asked_for(orders):
    assert modlearn.fit(orders, "paid").classifier.n_jobs is None
    assert modlearn.fit(orders, "paid", n_jobs=2).classifier.n_jobs == 2


def test_an_array_has_no_names():
    X, y = np.random.default_rng(0).random((60, 2)), np.arange(60) % 2
    result = modlearn.fit(X, y)
    assert not hasattr(result.classifier, "feature_names_in_")
    assert result.classifier.predict(X).shape == (60,)


def test_a_result_can_be_pickled(orders):
    result = modlearn.fit(orders, "paid", progress=lambda *_: None)
    again = pickle.loads(pickle.dumps(result))
    assert again.summary() == result.summary()
    assert again.predict(orders).tolist() == result.predict(orders).tolist()


def test_stages_are_reported_in_order(orders):
    reported = []
    modlearn.fit(orders, "paid", pairs="all", progress=lambda *stage: reported.append(stage))
    stages = list(dict.fromkeys(re.sub(r"\d+/", "", stage) for stage, _, _ in reported))
    assert stages == ["reading", "columns", "pairs", "evaluating 10"]
    assert all(0 <= done <= total for _, done, total in reported)


def test_numbers_may_be_said_to_be_categories():
    rng = np.random.default_rng(0)
    code = rng.integers(0, 6, 300)
    frame = pd.DataFrame({"code": code, "y": np.where(code % 2 == 1, "odd", "even")})
    plain = modlearn.fit(frame, "y").classifier.partitions_["code"]
    grouped = modlearn.fit(frame, "y", as_categorical="code").classifier.partitions_["code"]
    assert plain.n_parts == 6
    assert {frozenset(group) for group in grouped.groups} == {
        frozenset({0, 2, 4}),
        frozenset({1, 3, 5}),
    }


def test_unlabeled_rows_help_to_place_the_cuts(orders):
    some = orders.assign(paid=orders["paid"].where(orders.index % 2 == 0))
    result = modlearn.fit(some, "paid")
    by_hand = SelectiveNaiveBayesClassifier().fit(some[COLUMNS], some["paid"])
    assert result.classifier.partitions_["amount"].cuts.tolist() == (
        by_hand.partitions_["amount"].cuts.tolist()
    )
    assert result.evaluation.n_test == 100


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "magic"}, "method is 'magic': pass one of 'weighted', 'averaged', 'additive'"),
        ({"pairs": "soon"}, "pairs is 'soon'"),
        ({"test": 30}, "test is 30"),
        ({"n_jobs": 0}, "n_jobs"),
        ({"seed": -1}, "random_state"),
        ({"positive": "perhaps"}, "positive names 'perhaps', which is not a class of the target"),
        ({"drop": "amuont"}, "did you mean 'amount'"),
    ],
    ids=str,
)
def test_wrong_options_are_refused_in_words(orders, options, message):
    with pytest.raises(ValueError, match=message):
        modlearn.fit(orders, "paid", **options)


def test_the_positive_class_decides_the_curve(orders):
    result = modlearn.fit(orders, "paid", positive="no")
    assert result.diagnostics.positive == 0
    assert [curve.label for curve in result.evaluation.curves] == [0]


def test_an_interruption_ends_the_job(orders):
    def interrupt(stage, done, total):
        if stage == "pairs" and done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        modlearn.fit(orders, "paid", pairs="all", progress=interrupt)
    with pytest.raises(KeyboardInterrupt):
        modlearn.analyze(orders, "paid", pairs="all", progress=interrupt)


def test_pairs_are_complete_unless_time_is_up(orders):
    assert modlearn.fit(orders, "paid", pairs="all").diagnostics.pairs_complete
    assert modlearn.fit(orders, "paid", pairs=1).diagnostics.pairs_complete
    wide = orders.assign(**{f"n{i}": orders["noise"] * i % 1 for i in range(2, 12)})
    result = modlearn.analyze(wide, "paid", pairs="1ms")
    assert not result.diagnostics.pairs_complete


@pytest.mark.parametrize("function", [modlearn.fit, modlearn.analyze])
def test_every_option_is_documented(function):
    documented = function.__doc__.partition("Returns\n")[0]
    named = {
        name
        for line in re.findall(r"^    (\w[\w, ]*) : ", documented, re.MULTILINE)
        for name in line.split(", ")
    }
    assert named == set(inspect.signature(function).parameters)


# columns are read once


@pytest.mark.parametrize(
    "options",
    [{}, {"pairs": "all"}, {"test": 0.3}, {"method": "averaged"}, {"pairs": "1h", "test": 0.3}],
    ids=str,
)
def test_folds_are_evaluated_without_reading_the_table_again(orders, reads, options):
    orders.loc[::7, "paid"] = None
    result = modlearn.fit(orders, "paid", n_jobs=1, **options)
    assert result.evaluation.n_test > 0
    assert sorted(reads) == sorted(orders.columns)


# new tables


@pytest.mark.parametrize(
    "make",
    [lambda f: f, pl.from_pandas, pa.Table.from_pandas],
    ids=["pandas", "polars", "arrow"],
)
def test_new_rows_may_have_their_columns_in_another_order_and_others_besides(orders, make):
    model = modlearn.fit(orders, "paid").classifier
    turned = make(orders[orders.columns[::-1]].assign(comment="late"))
    plain = orders[COLUMNS]
    assert model.predict(turned).tolist() == model.predict(plain).tolist()
    for method in (model.predict_proba, model.decision_function):
        assert method(turned).tolist() == method(plain).tolist()
    explained = model.explain(turned).contributions
    assert explained.tolist() == model.explain(plain).contributions.tolist()


@pytest.mark.parametrize("pairs", ["none", "all"])
def test_a_category_never_seen_adds_nothing(orders, tmp_path, pairs):
    result = modlearn.fit(orders, "paid", pairs=pairs)
    result.save(tmp_path / "orders.json")
    known, new = orders[COLUMNS], orders[COLUMNS].assign(country="es")
    used = result.model.used_terms
    with_country = np.array(["country" in term.columns for term in used])
    assert with_country.any()
    for model in (result.classifier, modlearn.load(tmp_path / "orders.json").classifier):
        found = model.explain(new).contributions
        assert not found[:, with_country].any()
        expected = model.explain(known).contributions[:, ~with_country]
        assert found[:, ~with_country].tolist() == expected.tolist()
        scores = np.log(model.class_prior_) + expected.sum(axis=1)
        np.testing.assert_allclose(
            model.decision_function(new), scores[:, 1] - scores[:, 0], atol=1e-12
        )
        assert model.predict(new).tolist() == model.classes_[scores.argmax(axis=1)].tolist()


def test_a_category_that_only_unlabeled_rows_have_adds_nothing(orders):
    orders.loc[:20, ["country", "paid"]] = ["es", None]
    model = modlearn.fit(orders, "paid").classifier
    assert model.partitions_["country"].codes(["es", "at", "fr"]).tolist()[:2] == [-1, -1]
    one, other = (model.predict_proba(orders[COLUMNS].assign(country=c)) for c in ("es", "at"))
    assert one.tolist() == other.tolist()


# names that look like what is printed around them

HOSTILE_NAMES = [": level ", " × ", "(a, b]", "a", "b", "a × b", "{fr}", "<b>&amp;", "', '"]


@pytest.fixture(scope="module")
def hostile():
    """A table whose columns are called like parts of a sentence; the first two are a pair."""
    rng = np.random.default_rng(0)
    n_rows = 300
    numbers = {name: rng.random(n_rows).round(3) for name in HOSTILE_NAMES}
    frame = pd.DataFrame(numbers)
    frame["{fr}"] = rng.choice(["(a, b]", ": level ", " × "], n_rows)
    first, second = (frame[name] > 0.5 for name in HOSTILE_NAMES[:2])
    noise = rng.random(n_rows) < 0.1
    frame["(a, b]"] = np.where(first ^ second, 1.0, 0.0) + rng.normal(0, 0.8, n_rows)
    frame["y (y]"] = np.where(first ^ second ^ noise, "× yes", ": no")
    return frame


@pytest.fixture(scope="module")
def hostile_result(hostile):
    return modlearn.fit(hostile, "y (y]", pairs="all", test=0.3)


def test_any_name_is_printed_as_it_is(hostile_result):
    result = hostile_result
    assert set(result.classifier.partitions_) == set(HOSTILE_NAMES)
    assert result.classifier.weights_[": level ", " × "] > 0
    for name, partition in result.classifier.partitions_.items():
        assert str(partition).startswith(f"{name}: level {partition.level:.3f}, ")
    for pair, grid in result.classifier.grids_.items():
        assert str(grid).startswith(f"{pair[0]} × {pair[1]}: level {grid.level:.3f}, ")
    assert "(a, b]" in str(result)


def test_any_name_is_in_the_summary_and_the_report_as_it_is(hostile_result, tmp_path):
    summary = hostile_result.summary()
    assert {variable["name"] for variable in summary["variables"]} == set(HOSTILE_NAMES)
    pairs = {tuple(pair["names"]) for pair in summary["pairs"]}
    assert pairs <= set(hostile_result.classifier.grids_)
    assert (": level ", " × ") in pairs
    assert {one["name"] for one in summary["classes"]} == {"× yes", ": no"}
    hostile_result.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "(a, b]" in page
    assert "<b>&amp;" not in page  # escaped: the name is shown, not rendered


def test_any_name_comes_back_from_a_file(hostile, hostile_result, tmp_path):
    hostile_result.save(tmp_path / "hostile.json")
    again = modlearn.load(tmp_path / "hostile.json")
    model, X = again.classifier, hostile[HOSTILE_NAMES]
    assert model.predict_proba(X).tolist() == hostile_result.classifier.predict_proba(X).tolist()
    assert list(model.weights_.items()) == list(hostile_result.classifier.weights_.items())
    assert again.summary() == hostile_result.summary()
    for name in HOSTILE_NAMES:
        assert str(model.partitions_[name]) == str(hostile_result.classifier.partitions_[name])


CELLS = {
    "number": st.one_of(st.none(), st.floats(), st.integers(-3, 3).map(float)),
    "text": st.one_of(st.none(), st.sampled_from(["a", "b", "ä", ""]), st.text(max_size=3)),
}


@given(data=st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_table_gives_a_result_or_an_error_in_words(data):
    n_rows = data.draw(st.integers(1, 25))

    def column(kind):
        return data.draw(st.lists(CELLS[kind], min_size=n_rows, max_size=n_rows))

    frame = pd.DataFrame(
        {
            "x": pd.Series(column("number"), dtype=float),
            "c": pd.Series(column("text"), dtype=object),
            "y": pd.Series(
                data.draw(
                    st.lists(
                        st.sampled_from([None, "p", "q", "r"]), min_size=n_rows, max_size=n_rows
                    )
                ),
                dtype=object,
            ),
        }
    )
    try:
        result = modlearn.fit(frame, "y", pairs="all", n_jobs=1)
    except (ColumnError, TargetError):
        return
    json.dumps(result.diagnostics.to_dict(), allow_nan=False)
    assert str(result)


def test_ten_folds_are_usual(orders):
    evaluation = modlearn.fit(orders, "paid").evaluation
    assert (evaluation.how, evaluation.n_folds, evaluation.n_test) == ("cross-validation", 10, 200)


def test_a_share_is_held_out(orders):
    evaluation = modlearn.fit(orders, "paid", test=0.25).evaluation
    assert (evaluation.how, evaluation.n_train, evaluation.n_test) == ("held-out part", 150, 50)


def test_both_kinds_of_test_are_refused(orders):
    with pytest.raises(ValueError, match="test and test_file cannot be combined: pass only one"):
        modlearn.fit(orders, "paid", test=0.3, test_file=orders)


def test_a_table_where_each_class_has_one_row_is_not_evaluated():
    result = modlearn.fit([[1], [2]], ["a", "b"])
    assert result.evaluation is None
    assert result.facts.notes == (Note("not_evaluated"),)


@pytest.mark.parametrize("method", ["weighted", "additive"])
def test_folds_search_as_many_pairs_as_the_model_did_in_its_time(orders, monkeypatch, method):
    searched = []

    def on_folds(evaluator, folds, plan):
        searched.append((evaluator.recipe.pairs, plan.how))
        return plain(evaluator, folds, plan)

    plain = Evaluator.on_folds
    monkeypatch.setattr(Evaluator, "on_folds", on_folds)
    result = modlearn.fit(orders, "paid", pairs="1h", method=method)
    assert searched == [(3, "cross-validation")]
    assert result.classifier.pairs == 3600.0
    # An additive model keeps fewer pairs than were searched.
    assert len(result.grids) == {"weighted": 3, "additive": 1}[method]
    modlearn.fit(make_orders(1_100), "paid", pairs="1h", drop="noise", method=method)
    assert searched[1:] == [(1, "held-out part")]


def test_classes_of_one_row_work(orders):
    orders.loc[0, "paid"] = "perhaps"
    result = modlearn.fit(orders, "paid")
    assert result.evaluation.n_test == 199
    assert Note("untested_classes", {"classes": 1}, ("perhaps",)) in result.facts.notes


def test_splits_are_those_of_the_seed(orders):
    folds = [modlearn.fit(orders, "paid", seed=seed).evaluation.to_dict() for seed in (1, 1, 2)]
    assert folds[0] == folds[1] != folds[2]


DIVISIONS = {
    "group": ({"group": "customer"}, "cross-validation", "customer", None, 10),
    "held-out group": ({"group": "customer", "test": 0.3}, "held-out part", "customer", None, None),
    "time": ({"time": "day"}, "forward in time", None, "day", 3),
    "date": ({"time": "when", "test": 0.5}, "forward in time", None, "when", 3),
    "last": ({"test_last": 0.2}, "forward in time", None, "when", 3),
    "both": ({"group": "customer", "time": "day"}, "forward in time", "customer", "day", 3),
}


@pytest.mark.parametrize(
    ("options", "how", "group", "time", "n_folds"), DIVISIONS.values(), ids=DIVISIONS
)
def test_an_evaluation_says_how_rows_were_divided(
    visits, tmp_path, options, how, group, time, n_folds
):
    result = modlearn.fit(visits, "buys", **options)
    assert (result.evaluation.how, result.evaluation.n_folds) == (how, n_folds)
    assert (result.evaluation.group, result.evaluation.time) == (group, time)
    summary = result.summary()["evaluation"]
    assert (summary["how"], summary["group"], summary["time"]) == (how, group, time)
    assert summary == json.loads(json.dumps(summary))
    result.save(tmp_path / "model.json")
    loaded = modlearn.load(tmp_path / "model.json")
    assert loaded.evaluation.to_dict() == result.evaluation.to_dict()
    assert str(loaded) == str(result)
    first = str(result).splitlines()[1]
    assert ("no “customer” in both training and test rows" in first) == (group is not None)
    assert ("forward in time, 3 parts" in first) == (time is not None)


def test_columns_that_divide_rows_are_left_out_with_the_reason(visits):
    result = modlearn.fit(visits, "buys", group="customer", time="day")
    reasons = {one.name: one.reason for one in result.facts.left_out}
    assert reasons == {"customer": "group", "day": "time", "when": "date"}
    assert list(result.partitions) == ["amount", "when: weekday"]


def test_a_date_that_orders_rows_is_used_by_what_comes_back_in_it(visits):
    result = modlearn.fit(visits, "buys", time="when")
    assert [(one.name, one.reason) for one in result.facts.left_out] == [("when", "date")]
    assert "when: weekday" in result.partitions


def test_the_model_is_the_same_however_it_is_evaluated(visits):
    rest = visits.drop(columns=["customer", "day"])
    expected = modlearn.fit(rest, "buys").classifier.weights_
    for options in ({"group": "customer", "drop": "day"}, {"time": "day", "drop": "customer"}):
        assert modlearn.fit(visits, "buys", **options).classifier.weights_ == expected


def test_a_column_that_divides_rows_need_not_be_one_that_is_used(visits):
    result = modlearn.fit(visits, "buys", only="amount", group="customer", time="day")
    assert (result.evaluation.group, result.evaluation.time) == ("customer", "day")
    assert list(result.partitions) == ["amount"]


def test_the_share_that_is_tested_last_is_that_asked_for(visits):
    parts = [modlearn.fit(visits, "buys", time="day", test_last=s) for s in (0.1, 0.5)]
    few, many = (part.evaluation.n_test for part in parts)
    assert few == pytest.approx(60, abs=10)
    assert many == pytest.approx(300, abs=10)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test": 0.3, "test_last": 0.3}, "test and test_last cannot be combined"),
        ({"test_last": 0.3, "test_file": "x.csv"}, "test_file and test_last cannot be combined"),
        ({"group": "customer", "test_file": "x.csv"}, "test_file and group cannot be combined"),
        ({"time": "day", "test_file": "x.csv"}, "test_file and time cannot be combined"),
        ({"time": "day", "test": KFold(3)}, "test and time cannot be combined"),
        ({"test_last": 1.5}, "test_last is 1.5: pass the share of the rows"),
        ({"test": "x.csv"}, "test is 'x.csv': pass the share of the rows"),
        ({"test": pd.DataFrame({"ab": [1]})}, "^test is of type DataFrame: .* test_file"),
        ({"cost": "yes:no=10"}, r"cost is 'yes:no=10': pass a dict of errors .*'no'\): 10}"),
        ({"cost": ["yes:no=10"]}, "pass a dict of errors"),
        ({"cost": np.eye(2)}, "cost is of type ndarray: pass a dict of errors"),
    ],
)
def test_options_for_test_rows_that_cannot_be_met_are_refused(visits, options, message):
    with pytest.raises(ValueError, match=message):
        modlearn.fit(visits, "buys", **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"group": "custmer"}, "group names the column 'custmer', .* did you mean 'customer'"),
        ({"time": "dy"}, "time names the column 'dy', .* did you mean 'day'"),
        ({"group": "buys"}, "group names the column 'buys', which is the target"),
        (
            {"time": "day", "group": "day"},
            "time names the column 'day', which is named twice, as the group and the time",
        ),
        ({"time": "customer"}, "time names the column 'customer', which does not hold dates or"),
        ({"time": "lists"}, "time names the column 'lists', which holds several values"),
        ({"group": "lists"}, "group names the column 'lists', which holds several values"),
        ({"group": "copy"}, "Whole groups of column 'copy' cannot be held out"),
        ({"group": "same"}, "Column 'same' has the same value in all labeled rows"),
    ],
)
def test_columns_that_cannot_divide_rows_are_refused(visits, options, message):
    table = visits.assign(lists=[[1, 2]] * len(visits), copy=visits["buys"], same="x")
    with pytest.raises(ColumnError, match=message):
        modlearn.fit(table, "buys", **options)


def test_a_model_that_knows_its_customers_is_warned_of(visits):
    result = modlearn.fit(visits, "buys")
    (warning,) = (one for one in result.warnings if one.kind == "unseen_values")
    assert warning.columns == ("customer",)
    assert warning.numbers["by_rows"] == result.evaluation.measures["accuracy"].mean
    assert warning.numbers["unseen"] < warning.numbers["by_rows"] - 0.05


@pytest.mark.parametrize("options", [{"group": "customer"}, {"time": "day"}, {"test": KFold(3)}])
def test_new_customers_are_not_checked_if_the_evaluation_is_not_by_rows(visits, options):
    assert {one.kind for one in modlearn.fit(visits, "buys", **options).warnings} <= {"date"}


def test_names_that_stand_for_classes_cannot_be_checked_as_new_ones():
    code = np.repeat(np.arange(40), 20)
    table = pd.DataFrame({"code": [f"c{i}" for i in code], "name": [f"n{i}" for i in code]})
    result = modlearn.fit(table.assign(x=np.arange(800) % 7), "name", test=0.3)
    assert result.classifier.weights_["code"] > 0.5
    assert "unseen_values" not in {one.kind for one in result.warnings}


def test_a_date_with_a_weight_is_warned_of_unless_it_is_evaluated_in_time(visits):
    late = np.where(visits["day"] > 200, "yes", "no")
    table = visits[["amount", "when"]].assign(late=late)
    (warning,) = (w for w in modlearn.fit(table, "late", trend="when").warnings if w.kind == "date")
    assert (warning.columns, warning.numbers) == (("when",), {"weight": 1.0})
    table["late"] = np.where(visits["day"] % 100 > 50, "yes", "no")
    result = modlearn.fit(table, "late", trend="when", time="when")
    assert result.classifier.weights_["when"] > 0
    assert "date" not in {one.kind for one in result.warnings}


def make_deliveries(odds_of_day, n_rows=2_000, seed=0):
    """Deliveries of 500 days; the odds of the day decide, and a number."""
    rng = np.random.default_rng(seed)
    day, x = np.sort(rng.integers(0, 500, n_rows)), rng.normal(size=n_rows)
    y = rng.random(n_rows) < 1 / (1 + np.exp(-odds_of_day(day) - x))
    when = pd.Timestamp("2020-01-01") + pd.to_timedelta(day, unit="D")
    return pd.DataFrame({"when": when, "x": x, "y": np.where(y, "yes", "no")})


TRENDS = {
    "step": (lambda day: np.where(day > 200, 1.5, -1.5), True),
    "drift": (lambda day: day / 100 - 2.5, True),
    "nothing": (lambda day: 0.0 * day, False),
    # Weeks that differ and do not come back: what the last one was says nothing about the next.
    "weeks": (lambda day: np.random.default_rng(1).normal(0, 1.5, 80)[day // 7], False),
}


@pytest.mark.parametrize(("odds", "helps"), TRENDS.values(), ids=TRENDS)
def test_forward_in_time_a_date_is_used_if_it_helps_to_predict_later_rows(odds, helps):
    deliveries = make_deliveries(odds)
    result = modlearn.fit(deliveries, "y", time="when")
    (note,) = (one for one in result.facts.notes if one.kind.startswith("date"))
    assert (note.kind, note.names) == ("date_used" if helps else "date_not_used", ("when",))
    assert (note.numbers["with"] < note.numbers["without"]) == helps
    assert ("when" in result.partitions) == helps
    assert ("when" in {one.name for one in result.facts.left_out}) != helps
    assert "date" not in {one.kind for one in result.warnings}
    without = modlearn.fit(
        deliveries.assign(t=deliveries["when"].astype(int)), "y", time="t", drop="when"
    )
    losses = [one.evaluation.measures["log_loss"].mean for one in (result, without)]
    assert losses[0] < losses[1] - 0.05 if helps else losses[0] < losses[1] + 0.01


def test_a_date_is_tried_only_forward_in_time_and_unless_the_user_decides():
    deliveries = make_deliveries(TRENDS["step"][0])
    for options in ({}, {"time": "when", "trend": "when"}, {"time": "when", "drop": "when"}):
        result = modlearn.fit(deliveries, "y", **options)
        assert not any(one.kind.startswith("date") for one in result.facts.notes)
        assert ("when" in result.partitions) == ("trend" in options)


def test_whether_a_date_helps_is_decided_without_the_rows_that_are_tested(monkeypatch):
    deliveries = make_deliveries(TRENDS["drift"][0])
    days = deliveries["when"].astype("int64").to_numpy()
    tested = []

    def spied(fold, columns, recipe):
        latest = days[fold.train.batch.row_numbers].max()
        assert latest < days[fold.test.batch.row_numbers].min()
        tested.append(fold.test.batch.row_numbers)
        # With the date, the first two of the four tests are worse and the others much better.
        return (2.1 if len(tested) <= 4 else 0.0) if columns[0].name == "when" else 2.0

    monkeypatch.setattr(views, "total_log_loss", spied)
    folds = []
    monkeypatch.setattr(Evaluator, "on_folds", lambda self, some, plan: (folds.extend(some), ()))
    modlearn.fit(deliveries, "y", time="when")
    # One test inside the training rows of the first part, then one per part, with and without.
    tests = [days[rows] for rows in tested[::2]]
    assert len(tested) == 8
    assert tests[0].max() < tests[1].min()
    assert ["when" in fold.train.schema.names for fold in folds] == [False, False, True]


def test_several_columns_of_names_are_checked_and_the_others_are_noted():
    rng = np.random.default_rng(0)
    table, odds = {}, 0.0
    for name in "abcd":
        codes, liking = rng.integers(0, 60, 1_500), rng.normal(size=60)
        table[name], odds = [f"{name}{c}" for c in codes], odds + 1.2 * liking[codes]
    y = np.where(rng.random(1_500) < 1 / (1 + np.exp(-odds)), "yes", "no")
    result = modlearn.fit(pd.DataFrame(table), y, test=0.3)
    warned = [one.columns[0] for one in result.warnings if one.kind == "unseen_values"]
    (note,) = (one for one in result.facts.notes if one.kind == "names_not_checked")
    assert sorted([*warned, *note.names]) == list("abcd")
    assert len(warned) == 3


@pytest.mark.parametrize("seed", range(3))
def test_copies_of_rows_do_not_hide_that_an_identifier_is_one(seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=400)
    y = np.where(rng.random(400) < 1 / (1 + np.exp(-x)), "yes", "no")
    rows = pd.DataFrame({"id": [f"n{i}" for i in range(400)], "x": x, "y": y})
    result = modlearn.fit(rows.iloc[rng.integers(0, 400, 400)].reset_index(drop=True), "y")
    (warning,) = (one for one in result.warnings if one.kind == "unseen_values")
    assert warning.columns == ("id",)
    assert warning.numbers["by_rows"] > warning.numbers["unseen"] + 0.05


def test_classes_that_whole_groups_keep_from_being_tested_are_noted(visits):
    table = visits.copy()
    table.loc[table["customer"] == "c0", "buys"] = "perhaps"
    notes = modlearn.fit(table, "buys", group="customer").facts.notes
    (note,) = (one for one in notes if one.kind == "never_tested")
    assert (note.names, note.numbers) == (("perhaps",), {"classes": 1})
    few = table[table["customer"].isin(["c0", "c1", "c2", "c3"])]
    notes = modlearn.fit(few, "buys", group="customer").facts.notes
    (note,) = (one for one in notes if one.kind == "untested_folds")
    assert note.numbers["folds"] <= 3


def test_a_few_groups_are_the_reason_for_few_folds(visits):
    few = visits[visits["customer"].isin(["c1", "c2", "c3"])]
    notes = modlearn.fit(few, "buys", group="customer").facts.notes
    (note,) = (one for one in notes if "folds" in one.kind or one.kind == "few_groups")
    assert str(note) == (
        "Cross-validation uses 3 folds instead of 10, because column 'customer' has only 3 groups."
    )


def test_few_times_are_a_reason_for_few_tests(visits):
    table = visits.assign(half=[0] * 300 + [1] * 300)
    (note,) = (
        one
        for one in modlearn.fit(table, "buys", time="half").facts.notes
        if one.kind.startswith("untested")
    )
    assert "Only 1 part is tested forward in time instead of 3: either there are few" in str(note)


# decisions


def decided(frame, **options):
    return modlearn.fit(frame, "paid", drop=["order"], **options)


@pytest.mark.parametrize("options", [{"cost": {("yes", "no"): 3}}, {"threshold": 0.25}])
def test_a_decision_holds_for_predictions_evaluation_and_file(orders, options, tmp_path):
    plain, result = decided(orders), decided(orders, **options)
    shares = result.predict_proba(orders)
    assert np.array_equal(shares, plain.predict_proba(orders))
    assert result.diagnostics.positive == 1
    expected = np.where(shares[:, 1] >= 0.25, "yes", "no")
    assert result.predict(orders).tolist() == expected.tolist() != plain.predict(orders).tolist()
    assert result.classifier.predict(orders).tolist() == expected.tolist()
    result.save(tmp_path / "orders.json")
    again = modlearn.load(tmp_path / "orders.json")
    assert again.predict(orders).tolist() == expected.tolist()
    assert again.summary() == result.summary()
    found, before = result.evaluation, plain.evaluation
    assert found.confusion[:, 1].sum() > before.confusion[:, 1].sum()
    assert found.measures["auc"] == before.measures["auc"]
    assert found.measures["log_loss"] == before.measures["log_loss"]
    accuracy = np.trace(found.confusion) / found.n_test
    assert found.measures["accuracy"].mean == pytest.approx(accuracy)
    for row in found.examples:
        assert row.predicted == int(row.probabilities[1] >= 0.25)
        assert all({one.towards, one.against} == {0, 1} for one in row.reasons)


def test_costs_are_summed_up_next_to_the_cheapest_constant(orders):
    found = decided(orders, cost={("yes", "no"): 3}).evaluation
    (right, false_alarms), (missed, hits) = found.confusion.tolist()
    assert found.cost.total == false_alarms + 3 * missed
    assert found.cost.mean == pytest.approx(found.cost.total / found.n_test)
    always_no, always_yes = 3 * (missed + hits), right + false_alarms
    assert found.cost.constant == ("no" if always_no < always_yes else "yes")
    assert found.cost.constant_mean == min(always_no, always_yes) / found.n_test
    assert found.cost.mean < found.cost.constant_mean
    assert decided(orders, threshold=0.25).evaluation.cost is None
    assert decided(orders).evaluation.cost is None


def test_costs_of_three_classes_avoid_the_expensive_error():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 600)
    frame = pd.DataFrame({"x": y + rng.normal(0, 0.8, 600), "y": [f"c{k}" for k in y]})
    plain = modlearn.fit(frame, "y", test=0.3).evaluation
    careful = modlearn.fit(frame, "y", test=0.3, cost={("c1", "c2"): 20}).evaluation
    assert careful.confusion[1, 2] < plain.confusion[1, 2] / 2
    assert careful.cost.total == careful.n_test - np.trace(careful.confusion) + (
        19 * careful.confusion[1, 2]
    )


def test_decisions_are_checked_before_and_after_the_table_is_read(orders):
    with pytest.raises(OptionError, match="cost and threshold cannot be combined"):
        modlearn.fit("nothing.csv", "paid", cost={("a", "b"): 2}, threshold=0.2)
    with pytest.raises(TargetError, match=r"cost names 'yess', .* did you mean 'yes'"):
        decided(orders, cost={("yess", "no"): 2})


@pytest.mark.parametrize("is_account", [True, False])
def test_numbers_of_accounts_are_names_and_ages_are_not(is_account):
    rng = np.random.default_rng(0)
    number = rng.integers(0, 60, 3_000)
    odds = rng.normal(0, 2, 60)[number] if is_account else (number - 30) / 10
    table = pd.DataFrame({"number": number + 1_000, "x": rng.random(3_000)})
    y = np.where(rng.random(3_000) < 1 / (1 + np.exp(-odds)), "late", "paid")
    warned = [one.columns for one in modlearn.fit(table, y).warnings if one.kind == "unseen_values"]
    assert warned == [("number",)] * is_account
