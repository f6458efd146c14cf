"""Recipes: how tables of scores are filled, and which parts have a weight."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from tests._model.batches import ListedBatch
from tests._model.conftest import make_grid, make_intervals

from modlearn import BestUnivariateClassifier, SelectiveNaiveBayesClassifier
from modlearn._fit.model import (
    Recipe,
    informative,
    informative_grids,
    model_of_parts,
    pair_price,
    without_repeats,
)
from modlearn.criteria import class_shares, grid_price, part_log_likelihoods
from modlearn.schema import Column, Kind, Schema, TargetSpec

TARGET = TargetSpec("y", np.array([0, 1]), np.array([24, 6]), 0)
GRID = make_grid()
WIDTH, COLOR = GRID.axes
SCHEMA = Schema((Column("width", Kind.NUMERIC, True), Column("color", Kind.TEXT, False)))


def test_only_parts_with_a_level_are_informative():
    nothing = make_intervals([], [[24, 6]], level=0.0)
    assert informative([WIDTH, nothing, GRID]) == [WIDTH, GRID]
    assert informative_grids([WIDTH, nothing, GRID]) == [GRID]


def test_a_grid_that_cuts_one_column_repeats_it():
    one_column = make_grid(np.array([[[4, 1], [20, 5]]]))
    assert without_repeats([WIDTH, one_column, GRID]) == [WIDTH, GRID]
    assert informative_grids([WIDTH, one_column, GRID]) == [one_column, GRID]


@dataclass(frozen=True)
class CountedRows:
    """What is asked of rows whose parts are known, if no profiles are needed."""

    target: TargetSpec = TARGET
    schema: Schema = SCHEMA


def model_of(*parts, choose=informative, weights="equal"):
    return model_of_parts(CountedRows(), parts, Recipe(weights=weights, choose=choose))


def test_naive_bayes_adds_weighted_log_likelihoods_to_the_log_prior():
    model = model_of(WIDTH, COLOR, GRID, choose=lambda parts: [parts[0], parts[2]])
    np.testing.assert_array_equal(model.base, np.log([24 / 30, 6 / 30]))
    assert [term.weight for term in model.terms] == [1.0, 0.0, 1.0]
    assert [term.name for term in model.terms] == ["width", "color", ("width", "color")]
    for term in model.terms:
        np.testing.assert_array_equal(term.table, part_log_likelihoods(term.counts))


def test_a_model_has_the_columns_and_the_target_of_its_rows():
    model = model_of(WIDTH, COLOR)
    assert (model.schema, model.target) == (SCHEMA, TARGET)


def test_scores_of_the_best_term_are_the_logs_of_the_class_shares():
    model = model_of(WIDTH, COLOR, choose=lambda parts: [parts[0]], weights="best")
    shares = model.probabilities(ListedBatch({"width": [0.0, 1.0]}))
    np.testing.assert_allclose(shares, class_shares(WIDTH.counts))


def test_the_best_is_the_one_that_costs_least_and_the_first_of_equals():
    dear = make_intervals(cost=12.0)
    model = model_of(dear, WIDTH, COLOR, choose=list, weights="best")
    assert [term.weight for term in model.terms] == [0.0, 1.0, 0.0]
    assert model_of(dear, WIDTH, COLOR).best_partition is WIDTH


@pytest.mark.parametrize("weights", ["best", "equal", "weighted", "averaged"])
def test_a_model_of_nothing_informative_has_no_weights(weights):
    model = model_of(WIDTH, COLOR, choose=lambda parts: [], weights=weights)
    assert model.used_terms == ()


def test_a_class_that_no_training_row_has_is_as_good_as_impossible():
    target = TargetSpec("y", np.array([0, 1, 2]), np.array([24, 6, 0]), 0)
    three = make_intervals([0.5], [[20, 1, 0], [4, 5, 0]], name="width")
    model = model_of_parts(CountedRows(target), [three], Recipe(weights="equal"))
    np.testing.assert_array_equal(model.base[:2], np.log([24 / 30, 6 / 30]))
    assert np.isfinite(model.base).all()
    rows = ListedBatch({"width": [0.0, 1.0]})
    assert (model.probabilities(rows)[:, 2] < 1e-300).all()
    two = model_of(make_intervals([0.5], [[20, 1], [4, 5]], name="width"))
    np.testing.assert_allclose(model.probabilities(rows)[:, :2], two.probabilities(rows))


def test_only_pairs_have_a_price():
    assert pair_price(WIDTH) == 0.0
    assert pair_price(GRID) == grid_price(GRID.counts, GRID.cost, GRID.null_cost) != 0.0


def test_the_best_column_of_a_model_is_what_the_univariate_classifier_finds():
    X, y = load_iris(return_X_y=True, as_frame=True)
    best = SelectiveNaiveBayesClassifier(pairs=2).fit(X, y).model_.best_partition
    assert best.name == next(iter(BestUnivariateClassifier().fit(X, y).weights_))


def test_a_model_without_an_informative_column_has_no_best_one():
    X, y = pd.DataFrame({"x": [1.0] * 10}), [0, 1] * 5
    assert SelectiveNaiveBayesClassifier().fit(X, y).model_.best_partition is None
