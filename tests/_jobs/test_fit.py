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
from sklearn.base import clone

import modlearn
from modlearn import PairEncoder, SelectiveNaiveBayesClassifier
from modlearn.errors import ColumnError, TargetError

COLUMNS = ["amount", "country", "noise"]


@pytest.mark.parametrize("options", [{}, {"pairs": "all"}, {"method": "averaged"}], ids=str)
def test_the_model_is_that_of_the_classifier(orders, options):
    result = modlearn.fit(orders, "paid", **options)
    same = {"pairs": options.get("pairs") == "all", "method": options.get("method", "weighted")}
    by_hand = SelectiveNaiveBayesClassifier(**same).fit(orders[COLUMNS], orders["paid"])
    assert result.model.weights_ == by_hand.weights_
    assert result.model.levels_ == by_hand.levels_
    np.testing.assert_array_equal(
        result.model.predict_proba(orders[COLUMNS]), by_hand.predict_proba(orders[COLUMNS])
    )
    assert result.model.feature_names_in_.tolist() == COLUMNS
    assert result.model.n_features_in_ == 3


@pytest.mark.parametrize("make", [pl.from_pandas, pa.Table.from_pandas], ids=["polars", "arrow"])
def test_the_result_does_not_depend_on_the_frame(orders, make):
    one, other = modlearn.fit(orders, "paid"), modlearn.fit(make(orders), "paid")
    assert one.evaluation.to_dict() == other.evaluation.to_dict()
    assert one.model.weights_ == other.model.weights_


def test_the_result_does_not_depend_on_threads(orders):
    one, two = (modlearn.fit(orders, "paid", n_jobs=n_jobs, pairs=2) for n_jobs in (1, 2))
    assert one.evaluation.to_dict() == two.evaluation.to_dict()
    assert one.diagnostics.warnings == two.diagnostics.warnings


def test_the_model_keeps_the_threads_asked_for(orders):
    assert modlearn.fit(orders, "paid").model.n_jobs is None
    assert modlearn.fit(orders, "paid", n_jobs=2).model.n_jobs == 2


def test_an_array_has_no_names():
    X, y = np.random.default_rng(0).random((60, 2)), np.arange(60) % 2
    result = modlearn.fit(X, y=y)
    assert not hasattr(result.model, "feature_names_in_")
    assert result.model.predict(X).shape == (60,)


def test_the_model_can_be_copied_with_what_was_found(orders):
    result = modlearn.fit(orders, "paid", progress=lambda *_: None)
    again = pickle.loads(pickle.dumps(result.model))
    assert again.diagnostics_.to_dict() == result.diagnostics.to_dict()
    assert not hasattr(clone(result.model), "diagnostics_")


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
    plain = modlearn.fit(frame, "y").model.partitions_["code"]
    grouped = modlearn.fit(frame, "y", as_categorical="code").model.partitions_["code"]
    assert plain.n_parts == 6
    assert {frozenset(group) for group in grouped.groups} == {
        frozenset({0, 2, 4}),
        frozenset({1, 3, 5}),
    }


def test_unlabeled_rows_help_to_place_the_cuts(orders):
    some = orders.assign(paid=orders["paid"].where(orders.index % 2 == 0))
    result = modlearn.fit(some, "paid")
    by_hand = SelectiveNaiveBayesClassifier().fit(some[COLUMNS], some["paid"])
    assert result.model.partitions_["amount"].cuts.tolist() == (
        by_hand.partitions_["amount"].cuts.tolist()
    )
    assert result.evaluation.n_test == 100


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "magic"}, "method is 'magic': pass one of 'weighted', 'averaged'"),
        ({"pairs": "soon"}, "pairs is 'soon'"),
        ({"test": 30}, "test is 30"),
        ({"n_jobs": 0}, "n_jobs"),
        ({"seed": -1}, "random_state"),
        ({"positive": "perhaps"}, "positive is 'perhaps', which is not a class of the target"),
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


def test_an_analysis_finds_what_the_encoders_find(orders):
    result = modlearn.analyze(orders, "paid", pairs="all")
    encoder = PairEncoder().fit(orders[COLUMNS], orders["paid"])
    assert result.model is None
    assert result.evaluation is None
    assert {n: p.cost for n, p in result.partitions.items()} == {
        n: p.cost for n, p in encoder.partitions_.items()
    }
    assert {n: g.cost for n, g in result.grids.items()} == {
        n: g.cost for n, g in encoder.grids_.items()
    }


def test_an_analysis_reports_its_progress(orders):
    reported = []
    modlearn.analyze(orders, "paid", pairs=2, progress=lambda *stage: reported.append(stage[0]))
    assert list(dict.fromkeys(reported)) == ["reading", "columns", "pairs"]


@pytest.mark.parametrize("function", [modlearn.fit, modlearn.analyze])
def test_every_option_is_documented(function):
    documented = function.__doc__.partition("Returns\n")[0]
    named = {
        name
        for line in re.findall(r"^    (\w[\w, ]*) : ", documented, re.MULTILINE)
        for name in line.split(", ")
    }
    assert named == set(inspect.signature(function).parameters)


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
