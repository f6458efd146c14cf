import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from modlearn import BestBivariateClassifier, BestUnivariateClassifier


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True, as_frame=True)


def test_the_best_column_alone_predicts_the_majority_of_its_parts(iris):
    X, y = iris
    fitted = BestUnivariateClassifier().fit(X, y)
    best = min(fitted.partitions_.values(), key=lambda partition: partition.cost)
    assert [name for name, weight in fitted.weights_.items() if weight] == [best.name]
    majority = best.counts.argmax(axis=1)[best.codes(X[best.name].to_numpy())]
    assert fitted.predict(X).tolist() == majority.tolist()


def test_its_probabilities_are_the_class_shares_of_the_part(iris):
    X, y = iris
    fitted = BestUnivariateClassifier().fit(X, y)
    best = fitted.partitions_[next(iter(fitted.weights_))]
    shares = (best.counts + 1 / 3) / (best.counts.sum(axis=1, keepdims=True) + 1)
    found = fitted.predict_proba(X)
    np.testing.assert_allclose(found, shares[best.codes(X[best.name].to_numpy())])


def test_the_best_pair_is_the_one_of_least_cost(iris):
    fitted = BestBivariateClassifier().fit(*iris)
    best = min(fitted.grids_, key=lambda pair: fitted.grids_[pair].cost)
    assert next(iter(fitted.weights_)) == best
    assert fitted.weights_[best] == 1.0
    assert sum(fitted.weights_.values()) == 1.0
    assert sorted(fitted.feature_importances_.tolist()) == [0, 0, 0.5, 0.5]


def test_a_cell_without_rows_predicts_the_most_frequent_class_of_all():
    X = pd.DataFrame({"a": [0] * 30 + [1] * 30, "b": ["l"] * 15 + ["r"] * 15 + ["l"] * 30})
    y = ["one"] * 15 + ["two"] * 15 + ["three"] * 30
    fitted = BestBivariateClassifier().fit(X, y)
    assert fitted.grids_["a", "b"].counts.shape == (2, 2, 3)
    assert fitted.predict(pd.DataFrame({"a": [1], "b": ["r"]})).tolist() == ["three"]
    shares = fitted.predict_proba(pd.DataFrame({"a": [1], "b": ["r"]}))
    np.testing.assert_allclose(shares, [fitted.class_prior_])


def test_a_pair_needs_two_columns():
    with pytest.raises(ValueError, match="a pair needs two columns"):
        BestBivariateClassifier().fit([[1], [2]], [0, 1])
