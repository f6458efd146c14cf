import os
import pickle
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks
from tests._estimators.samples import PARTITIONERS, all_facts, numbers_of

from modlearn import Discretizer, Encoder, Grouper

# Not output="label": scikit-learn's checks compute with what transform gives.
PARAMETERS = {
    "n_jobs": [2],
    "max_parts": [3],
    "min_part_size": [2],
    "unlabeled": [-1],
    "method": ["supervised", "map", "averaged", "post_optimized"],
    "output": ["onehot", "log_odds"],
}


def variants(kind):
    """The estimator with its defaults, and with each other value of its parameters."""
    others = [(name, v) for name, values in PARAMETERS.items() for v in values]
    return [kind(), *(kind(**{n: v}) for n, v in others if n in kind().get_params())]


# scikit-learn


@parametrize_with_checks([variant for kind in PARTITIONERS for variant in variants(kind)])
def test_scikit_learns_checks_pass(estimator, check):
    check(estimator)


def test_scikit_learn_skips_no_check_that_could_be_run(estimator):
    results = check_estimator(estimator(), on_skip=None)
    skipped = {result["check_name"] for result in results if result["status"] == "skipped"}
    # It needs SCIPY_ARRAY_API=1 in the environment, which `make test` sets.
    assert skipped <= ({"check_array_api_input"} if "SCIPY_ARRAY_API" not in os.environ else set())


def test_a_clone_has_the_parameters_and_not_the_partitions(estimator, people):
    fitted = estimator(max_parts=2, unlabeled="?").fit(*numbers_of(people))
    copy = clone(fitted)
    assert copy.get_params() == fitted.get_params()
    assert not hasattr(copy, "partitions_")


def test_a_pickle_transforms_as_its_original(estimator, people):
    X, y = numbers_of(people)
    fitted = estimator().fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))
    pd.testing.assert_frame_equal(again.transform(X), fitted.transform(X))
    assert all_facts(again) == all_facts(fitted)


def test_a_pickle_after_transform_transforms_as_its_original(people):
    data, y = people
    X = pd.DataFrame(data)
    fitted = Encoder().fit(X, y)
    fitted.transform(X)
    pd.testing.assert_frame_equal(
        pickle.loads(pickle.dumps(fitted)).transform(X), fitted.transform(X)
    )


def test_fit_returns_the_estimator(estimator, people):
    unfitted = estimator()
    assert unfitted.fit(*numbers_of(people)) is unfitted


def test_a_second_fit_forgets_the_first(estimator, people):
    fitted = estimator().fit(*numbers_of(people))
    X, y = np.array([[1.0], [2.0]] * 20), [7, 8] * 20
    facts = all_facts(fitted.fit(X, y))
    assert facts == all_facts(estimator().fit(X, y))
    assert list(fitted.partitions_) == list(fitted.levels_) == ["x0"]
    assert (fitted.n_features_in_, fitted.classes_.tolist()) == (1, [7, 8])
    assert not hasattr(fitted, "feature_names_in_")


def test_a_fit_that_fails_leaves_nothing_fitted(estimator, people):
    X = np.array([[1.0], [2.0]] * 20)
    for begun in (estimator(), estimator().fit(*numbers_of(people))):
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            begun.fit(X, [7, 8])
        with pytest.raises(NotFittedError, match="is not fitted yet"):
            begun.transform(X)


def test_fit_does_not_change_the_parameters(estimator, people):
    parameters = {"max_parts": 3, "min_part_size": 2, "n_jobs": 2, "unlabeled": "?"}
    fitted = estimator(**parameters).fit(*numbers_of(people))
    assert parameters.items() <= fitted.get_params().items()


# what fit finds


def test_every_kind_of_table_gives_the_same_partitions(people, table):
    data, y = people
    reference = Encoder().fit(pd.DataFrame(data), y)
    assert all_facts(Encoder().fit(table(data), y)) == all_facts(reference)


@pytest.mark.parametrize(
    "wrap",
    [
        list,
        np.array,
        pd.Series,
        lambda y: pd.Series(y, index=range(5, 125)),
        lambda y: pd.Series(y, dtype="category"),
        pl.Series,
        pa.array,
        lambda y: pl.DataFrame({"y": y}),
    ],
    ids=["list", "numpy", "pandas", "index", "category", "polars", "arrow", "frame"],
)
def test_every_kind_of_target_gives_the_same_partitions(people, wrap):
    data, y = people
    reference = Encoder().fit(pd.DataFrame(data), y)
    assert all_facts(Encoder().fit(pd.DataFrame(data), wrap(y))) == all_facts(reference)


def test_partitions_are_in_the_order_of_the_columns(people, frame):
    data, y = people
    assert list(Encoder().fit(frame(data), y).partitions_) == list(data)


def test_levels_are_those_of_the_partitions_the_most_informative_first(people):
    data, y = people
    encoder = Encoder().fit(pd.DataFrame(data), y)
    levels = list(encoder.levels_.values())
    assert levels == sorted(levels, reverse=True)
    assert encoder.levels_ == {name: p.level for name, p in encoder.partitions_.items()}
    assert next(iter(encoder.levels_)) == "age"
    assert encoder.levels_["member"] == 0.0


def test_columns_of_equal_level_stay_in_the_order_of_the_table(estimator):
    X = pd.DataFrame({name: [1, 2] * 20 for name in "zma"})
    assert list(estimator().fit(X, [0, 1] * 20).levels_) == ["z", "m", "a"]


def test_classes_are_the_sorted_labels(estimator):
    assert estimator().fit([[1], [2], [3]], ["b", "a", None]).classes_.tolist() == ["a", "b"]


def test_the_counts_of_a_partition_are_per_class(people):
    data, y = people
    encoder = Encoder().fit(pd.DataFrame(data), y)
    for partition in encoder.partitions_.values():
        assert partition.classes.tolist() == encoder.classes_.tolist() == ["no", "yes"]
        assert partition.counts.sum(axis=0).tolist() == [y.count("no"), y.count("yes")]


# names


def test_names_of_the_training_data_are_kept(estimator, people, frame):
    fitted = estimator().fit(frame({"b": [1, 2], "a": [3, 4]}), [0, 1])
    assert fitted.feature_names_in_.tolist() == ["b", "a"]


def test_names_for_an_array_can_be_given_to_get_feature_names_out(estimator):
    fitted = estimator().fit(np.zeros((4, 2)), [0, 1, 0, 1])
    assert fitted.get_feature_names_out().tolist() == ["x0", "x1"]
    assert fitted.get_feature_names_out(["a", "b"]).tolist() == ["a", "b"]


def test_other_names_than_those_of_fit_are_refused(estimator):
    fitted = estimator().fit(pd.DataFrame({"a": [1, 2]}), [0, 1])
    with pytest.raises(ValueError, match="input_features is not equal to feature_names_in_"):
        fitted.get_feature_names_out(["b"])


# limits


@pytest.fixture(scope="module")
def waves():
    """A number and a category that need about ten parts, and two classes."""
    rng = np.random.default_rng(0)
    x = rng.random(2000)
    c = rng.integers(0, 15, 2000)
    chance = np.where((x * 10).astype(int) % 2, 0.9, 0.1), c / 15
    labels = [(rng.random(2000) < p).astype(int) for p in chance]
    return x[:, None], c[:, None], labels


@pytest.mark.parametrize("max_parts", [1, 2, 3, 5, 8, 100])
def test_no_more_than_max_parts_are_made(waves, max_parts):
    x, c, (of_x, of_c) = waves
    free = Discretizer().fit(x, of_x).partitions_["x0"].n_parts
    found = Discretizer(max_parts=max_parts).fit(x, of_x).partitions_["x0"].n_parts
    assert free == 10
    assert found == min(max_parts, free)
    free = Grouper().fit(c, of_c).partitions_["x0"].n_parts
    found = Grouper(max_parts=max_parts).fit(c, of_c).partitions_["x0"].n_parts
    assert free > 2
    assert found == min(max_parts, free)


@pytest.mark.parametrize("method", ["supervised", "map", "averaged", "post_optimized"])
@pytest.mark.parametrize("max_parts", [1, 2, 4])
def test_every_method_keeps_to_max_parts(waves, method, max_parts):
    x, _, (y, _) = waves
    y = np.where(np.arange(2000) % 2, y, -1)
    found = Discretizer(method=method, max_parts=max_parts, unlabeled=-1).fit(x, y)
    assert found.partitions_["x0"].n_parts <= max_parts
    assert found.transform(x).max() < max_parts


def test_a_partition_with_fewer_parts_costs_more(waves):
    x, c, (of_x, of_c) = waves
    for kind, X, y in ((Discretizer, x, of_x), (Grouper, c, of_c)):
        costs = [kind(max_parts=m).fit(X, y).partitions_["x0"].cost for m in (1, 2, 3, None)]
        assert all(more > less for more, less in pairwise(costs))


@pytest.mark.parametrize("min_part_size", [2, 150, 250, 700, 1000])
def test_no_part_has_fewer_rows_than_min_part_size(waves, min_part_size):
    x, c, (of_x, of_c) = waves
    for kind, X, y in ((Discretizer, x, of_x), (Grouper, c, of_c)):
        fitted = kind(min_part_size=min_part_size).fit(X, y)
        assert fitted.partitions_["x0"].counts.sum(axis=1).min() >= min_part_size
        assert np.bincount(fitted.transform(X).ravel()).min() >= min_part_size


def test_a_column_with_fewer_rows_than_min_part_size_is_one_part(estimator):
    fitted = estimator(min_part_size=1000).fit([[1], [2]] * 20, [0, 1] * 20)
    assert fitted.partitions_["x0"].counts.tolist() == [[20, 20]]


def test_both_limits_are_kept_at_once(waves):
    x, _, (y, _) = waves
    partition = Discretizer(max_parts=4, min_part_size=300).fit(x, y).partitions_["x0"]
    assert 1 < partition.n_parts <= 4
    assert partition.counts.sum(axis=1).min() >= 300


@pytest.mark.parametrize(
    ("parameters", "allowed"),
    [
        ({"max_parts": 0}, r"an int in the range \[1, inf\) or None\. Got 0 instead"),
        ({"max_parts": 2.5}, r"an int in the range \[1, inf\) or None\. Got 2\.5 instead"),
        ({"min_part_size": 0}, r"an int in the range \[1, inf\)\. Got 0 instead"),
        ({"min_part_size": None}, r"an int in the range \[1, inf\)\. Got None instead"),
        ({"n_jobs": "all"}, r"an int .* or None\. Got 'all' instead"),
        ({"n_jobs": 0}, r"an int in the range \[1, inf\).* or None\. Got 0 instead"),
        ({"unlabeled": [-1]}, r"an instance of 'collections.abc.Hashable'\. Got \[-1\] instead"),
    ],
    ids=str,
)
def test_a_bad_parameter_is_answered_by_scikit_learns_sentence(estimator, parameters, allowed):
    (name,) = parameters
    message = f"The '{name}' parameter of {estimator.__name__} must be {allowed}"
    with pytest.raises(ValueError, match=message):
        estimator(**parameters).fit([[1], [2]], [0, 1])


# a large table, where the search is no longer exhaustive


@pytest.fixture(scope="module")
def large():
    """5,000 rows, 5 classes, a number with 5,000 values and a category with 60."""
    rng = np.random.default_rng(3)
    x, c = rng.normal(size=5000), rng.integers(0, 60, 5000)
    score = np.outer(np.sin(3 * x), rng.normal(size=5)) + rng.normal(size=(60, 5))[c]
    y = (score + rng.gumbel(size=score.shape)).argmax(axis=1)
    return pd.DataFrame({"x": x, "c": [f"value {v}" for v in c]}), y


def test_threads_do_not_change_a_large_table(large):
    reference = all_facts(Encoder(n_jobs=1).fit(*large))
    assert all_facts(Encoder(n_jobs=2).fit(*large)) == reference
    assert all_facts(Encoder(n_jobs=-1).fit(*large)) == reference


def test_the_order_of_rows_does_not_change_a_large_table(large):
    X, y = large
    order = np.random.default_rng(0).permutation(len(y))
    assert all_facts(Encoder().fit(X.iloc[order], y[order])) == all_facts(Encoder().fit(X, y))


def test_the_order_of_classes_does_not_change_a_large_table(large):
    X, y = large
    one, other = Encoder().fit(X, y), Encoder().fit(X, 4 - y)
    for name, partition in one.partitions_.items():
        assert partition.n_parts > 2
        assert partition.labels == other.partitions_[name].labels
        assert partition.counts.tolist() == other.partitions_[name].counts[:, ::-1].tolist()


def test_an_increasing_transform_does_not_change_a_large_table(large):
    X, y = large
    moved = X.assign(x=np.exp(X["x"]))
    codes, after = Encoder().fit_transform(X, y), Encoder().fit_transform(moved, y)
    pd.testing.assert_frame_equal(codes, after)
