"""Plots of what columns and pairs add to the scores."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.patches import StepPatch

import modlearn
from modlearn import AdditiveClassifier, SelectiveNaiveBayesClassifier
from modlearn._show.packing import pack
from modlearn.errors import ColumnError


@pytest.fixture(autouse=True)
def _figures():
    with mpl.rc_context({"backend": "agg"}):
        yield
    plt.close("all")


def table_of(n_classes):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"size": rng.normal(size=300), "age": rng.integers(0, 9, 300)})
    table["color"] = rng.choice(["red", "$blue$", "_green"], 300)
    table.loc[::7, "age"] = np.nan
    score = table["size"] + (table["color"] == "red") + rng.normal(size=300)
    return table, np.array(["no", "yes", "maybe"])[pd.qcut(score, n_classes, labels=False)]


@pytest.fixture(scope="module", params=[2, 3])
def fitted(request):
    return AdditiveClassifier(pairs=[("size", "color")]).fit(*table_of(request.param))


def steps_of(axes):
    return [one for one in axes.patches if isinstance(one, StepPatch)]


def test_a_number_has_a_curve_per_class_above_the_rows(fitted):
    axes = fitted.plot("size")
    below = axes.figure.axes[1]
    J = len(fitted.classes_)
    assert len(steps_of(axes)) == len(axes.collections) - 0 == (1 if J == 2 else J)
    term = fitted.model_.terms[0]
    values, edges, _ = steps_of(axes)[0].get_data()
    scores = term.weight * term.table
    shown = scores[:, 1] - scores[:, 0] if J == 2 else scores[:, 0]
    np.testing.assert_allclose(np.diff(values), np.diff(shown), atol=1e-9)
    heights, _, _ = steps_of(below)[0].get_data()
    np.testing.assert_allclose(heights * np.diff(edges), term.bins.counts.sum(axis=1))


def test_missing_values_stand_apart(fitted):
    axes = fitted.plot("age")
    assert axes.get_xticklabels()[0].get_text() == "missing"
    axes.figure.canvas.draw()


def test_a_category_has_a_bar_with_its_error_per_class(fitted):
    axes = fitted.plot("color")
    bars = [one for one in axes.containers if hasattr(one, "patches") and one.patches]
    assert len(bars) == (1 if len(fitted.classes_) == 2 else 3)
    assert all(one.errorbar is not None for one in bars)
    axes.figure.canvas.draw()


@pytest.mark.parametrize("pair", [("size", "color"), ("color", "size"), ["size", "color"]])
def test_a_pair_has_a_score_in_each_cell(fitted, pair):
    if not fitted.grids_:
        fitted = SelectiveNaiveBayesClassifier(pairs=[("size", "color")]).fit(*table_of(2))
    axes = fitted.plot(pair)
    term = fitted.model_.terms[-1]
    assert len(axes.texts) == term.parts.n_parts
    assert all("±" in text.get_text() for text in axes.texts)


def test_log_odds_are_those_of_the_class_of_interest():
    fitted = AdditiveClassifier().fit(*table_of(2))
    first, second = (fitted.model_.plot("size", positive=j) for j in (0, 1))
    values = [steps_of(axes)[0].get_data().values for axes in (first, second)]
    np.testing.assert_allclose(values[0], -values[1])
    assert "log odds of no" in first.get_ylabel()


def test_a_naive_bayes_has_plots_too():
    axes = SelectiveNaiveBayesClassifier().fit(*table_of(2)).plot("size")
    assert len(steps_of(axes)) == 1


def test_axes_that_are_passed_are_drawn_on(fitted):
    _, axes = plt.subplots()
    assert fitted.plot("size", axes) is axes


def test_a_name_that_the_model_lacks_is_refused(fitted):
    with pytest.raises(ColumnError, match=r"no column, pair or tree 'weight': pass one of 'size'"):
        fitted.plot("weight")


def test_a_result_draws_its_columns_and_its_evaluation():
    table, y = table_of(2)
    result = modlearn.fit(table.assign(y=y), "y", method="additive")
    assert "size" in result.plot("size").get_title()
    assert result.plot("roc").ax_ is not None


def test_the_page_has_the_curves_of_an_additive_model():
    table, y = table_of(2)
    result = modlearn.fit(table.assign(y=y), "y", method="additive", pairs=[("size", "color")])
    packed = pack(result.summary())
    by_name = dict(zip(packed["variables"]["name"], packed["variables"]["curves"], strict=True))
    labels, rows, scores, deviations, bounds, ticks = by_name["age"]
    assert labels[0] == "missing"
    assert len(rows) == len(labels) == len(scores) / 2 == len(deviations) / 2 == len(bounds)
    assert (bounds[0], bounds[-1]) == (0, 1)
    assert all(0 < at < 1 for at, _ in ticks)
    assert len(by_name["color"]) == 4


def test_the_page_of_a_naive_bayes_has_no_curves():
    table, y = table_of(2)
    packed = pack(modlearn.fit(table.assign(y=y), "y").summary())
    assert packed["variables"]["curves"] is None
