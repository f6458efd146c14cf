"""Recipes: how tables of scores are filled, and which parts have a weight."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from tests._model.batches import ListedBatch
from tests._model.conftest import make_grid, make_groups, make_intervals

from modlearn import BestUnivariateClassifier, SelectiveNaiveBayesClassifier
from modlearn._fit.model import (
    best_single_term,
    class_share_model,
    informative,
    informative_grids,
    naive_bayes_model,
    pair_price,
    weights_of_best,
    without_repeats,
)
from modlearn._tables.memory.rows import TableBatch
from modlearn._tables.memory.table import read_table
from modlearn.criteria import class_shares, grid_price, part_log_likelihoods
from modlearn.schema import Column, Kind, TargetSpec

TARGET = TargetSpec("y", np.array([0, 1]), np.array([24, 6]), 0)
GRID = make_grid()
WIDTH, COLOR = GRID.axes


def test_only_parts_with_a_level_are_informative():
    nothing = make_intervals([], [[24, 6]], level=0.0)
    assert informative([WIDTH, nothing, GRID]) == [WIDTH, GRID]
    assert informative_grids([WIDTH, nothing, GRID]) == [GRID]


def test_a_grid_that_cuts_one_column_repeats_it():
    one_column = make_grid(np.array([[[4, 1], [20, 5]]]))
    assert without_repeats([WIDTH, one_column, GRID]) == [WIDTH, GRID]
    assert informative_grids([WIDTH, one_column, GRID]) == [one_column, GRID]


def test_naive_bayes_adds_weighted_log_likelihoods_to_the_log_prior():
    model = naive_bayes_model(TARGET, [WIDTH, COLOR, GRID], [WIDTH, GRID], np.array([0.5, 1.0]))
    np.testing.assert_array_equal(model.base, np.log([24 / 30, 6 / 30]))
    assert [term.weight for term in model.terms] == [0.5, 0.0, 1.0]
    assert [term.name for term in model.terms] == ["width", "color", ("width", "color")]
    for term in model.terms:
        np.testing.assert_array_equal(term.table, part_log_likelihoods(term.counts))


def test_columns_of_a_model_are_those_of_its_partitions():
    model = naive_bayes_model(TARGET, [WIDTH, COLOR], [], np.zeros(0))
    assert model.schema.columns == (
        Column("width", Kind.NUMERIC, ordered=True),
        Column("color", Kind.TEXT, ordered=False),
    )


@pytest.mark.parametrize(
    ("values", "kind"),
    [([True, None], Kind.BOOLEAN), ([1, 2.5], Kind.NUMERIC), (["a", 1], Kind.TEXT)],
)
def test_the_kind_of_a_categorical_column_is_that_of_its_values(values, kind):
    groups = make_groups([values], [[24, 6]])
    (column,) = naive_bayes_model(TARGET, [groups], [], np.zeros(0)).schema.columns
    assert column.kind == kind


def test_scores_of_the_best_term_are_the_logs_of_the_class_shares():
    model = class_share_model(TARGET, [WIDTH, COLOR], [WIDTH], np.ones(1))
    shares = model.probabilities(ListedBatch({"width": [0.0, 1.0]}))
    np.testing.assert_allclose(shares, class_shares(WIDTH.counts))


def test_the_best_is_the_one_that_costs_least_and_the_first_of_equals():
    dear = make_intervals(cost=12.0)
    assert weights_of_best([dear, WIDTH, COLOR]).tolist() == [0.0, 1.0, 0.0]
    assert weights_of_best([]).tolist() == []


def test_only_pairs_have_a_price():
    assert pair_price(WIDTH) == 0.0
    assert pair_price(GRID) == grid_price(GRID.counts, GRID.cost, GRID.null_cost) != 0.0


def test_the_best_column_of_a_model_is_what_the_univariate_classifier_finds():
    X, y = load_iris(return_X_y=True, as_frame=True)
    best = best_single_term(SelectiveNaiveBayesClassifier(pairs=2).fit(X, y).model_)
    expected = BestUnivariateClassifier().fit(X, y)
    assert [term.name for term in best.used_terms] == [next(iter(expected.weights_))]
    rows = TableBatch(read_table(X))
    assert best.probabilities(rows).tolist() == expected.predict_proba(X).tolist()


def test_a_model_without_an_informative_column_has_no_best_one():
    X, y = pd.DataFrame({"x": [1.0] * 10}), [0, 1] * 5
    best = best_single_term(SelectiveNaiveBayesClassifier().fit(X, y).model_)
    assert best.used_terms == ()
    assert best.probabilities(TableBatch(read_table(X))).tolist() == [[0.5, 0.5]] * 10
