import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from tests._estimators.samples import all_facts

from modlearn import Discretizer
from modlearn._estimators.discretization import METHODS
from modlearn.errors import ColumnError

IRIS_OPTIMA = {
    "sepal length (cm)": (121.33064856793703, [5.45, 6.15]),
    "sepal width (cm)": (150.1781843197325, [2.95, 3.35]),
    "petal length (cm)": (56.89858101743539, [2.45, 4.75]),
    "petal width (cm)": (54.711827739966566, [0.8, 1.75]),
}
CONCRETE = sorted(METHODS - {"auto"})


@pytest.fixture(scope="module")
def iris():
    return load_iris(as_frame=True, return_X_y=True)


@pytest.mark.parametrize("name", IRIS_OPTIMA)
def test_iris_gets_the_exact_optimum(iris, name):
    cost, cuts = IRIS_OPTIMA[name]
    partition = Discretizer().fit(*iris).partitions_[name]
    assert partition.cost == pytest.approx(cost, rel=1e-12)
    assert partition.cuts == pytest.approx(cuts, rel=1e-12)
    assert partition.proven_optimal


def test_iris_gets_the_labels_of_the_publication(iris):
    labels = Discretizer().fit(*iris).partitions_["sepal width (cm)"].labels
    assert labels == ["(-inf, 2.95]", "(2.95, 3.35]", "(3.35, inf)"]


def test_cuts_are_float64_and_exactly_midway(iris):
    cuts = Discretizer().fit(*iris).partitions_["petal width (cm)"].cuts
    assert cuts.dtype == np.float64
    assert cuts.tolist() == [(0.6 + 1.0) / 2, (1.7 + 1.8) / 2]


def test_the_level_is_the_share_of_the_null_cost_that_is_saved(iris):
    for partition in Discretizer().fit(*iris).partitions_.values():
        assert partition.level == 1 - partition.cost / partition.null_cost


def test_a_column_that_is_not_informative_has_one_part_and_level_zero():
    X = np.random.default_rng(1).random((500, 1))
    discretizer = Discretizer().fit(X, np.arange(500) % 2)
    assert discretizer.partitions_["x0"].cuts.tolist() == []
    assert discretizer.levels_ == {"x0": 0.0}


def test_a_separable_column_gets_exactly_its_parts():
    X = np.random.default_rng(1).permutation(90)[:, None]
    discretizer = Discretizer().fit(X, X[:, 0] // 30)
    assert discretizer.partitions_["x0"].cuts.tolist() == [29.5, 59.5]


def test_equal_values_are_never_split():
    X, y = np.repeat([1.0, 2.0], 30)[:, None], [0] * 20 + [1] * 40
    partition = Discretizer().fit(X, y).partitions_["x0"]
    assert partition.cuts.tolist() == [1.5]
    assert partition.counts.tolist() == [[20, 10], [0, 30]]


def test_text_is_refused_with_the_column_and_the_remedy():
    X = pd.DataFrame({"age": [1, 2], "city": ["Rome", "Oslo"]})
    message = r"Column 'city' holds text \(row 0 is 'Rome'\).*convert it.*Grouper or Encoder"
    with pytest.raises(ColumnError, match=message):
        Discretizer().fit(X, [0, 1])


def test_booleans_are_numbers():
    X = pd.DataFrame({"known": [True, False] * 20})
    assert Discretizer().fit(X, [0, 1] * 20).partitions_["known"].cuts.tolist() == [0.5]


# unlabeled rows


def half_labeled():
    """Labels at 0 and 10 only, and three unlabeled rows at 1, 2 and 3."""
    X = np.array([0.0] * 10 + [10.0] * 10 + [1.0, 2.0, 3.0])[:, None]
    return X, ["a"] * 10 + ["b"] * 10 + [None] * 3


def test_supervised_cuts_midway_between_labeled_values():
    partition = Discretizer(method="supervised").fit(*half_labeled()).partitions_["x0"]
    assert partition.cuts.tolist() == [5.0]
    assert partition.unlabeled_counts.tolist() == [3, 0]


@pytest.mark.parametrize("method", ["post_optimized", "averaged"])
def test_post_optimized_and_averaged_cut_at_the_median_of_the_unlabeled_area(method):
    partition = Discretizer(method=method).fit(*half_labeled()).partitions_["x0"]
    assert partition.cuts.tolist() == [2.0]
    assert partition.unlabeled_counts.tolist() == [2, 1]


def test_the_median_of_an_even_number_of_unlabeled_values_is_midway():
    X, y = half_labeled()
    partition = Discretizer().fit(np.vstack([X, [[8.0]]]), [*y, None]).partitions_["x0"]
    assert partition.cuts.tolist() == [2.5]


def test_map_counts_all_rows_in_its_parts():
    partition = Discretizer(method="map").fit(*half_labeled()).partitions_["x0"]
    assert partition.counts.tolist() == [[10, 0], [0, 10]]
    assert partition.unlabeled_counts.sum() == 3


@pytest.mark.parametrize(
    ("method", "n_labels", "n_parts"),
    [
        ("supervised", 4, 1),
        ("supervised", 6, 2),
        ("post_optimized", 4, 1),
        ("post_optimized", 6, 2),
        ("map", 10, 1),
        ("map", 12, 2),
    ],
)
def test_the_labels_needed_for_two_parts_are_those_of_the_publication(method, n_labels, n_parts):
    # Seed 000, figure 1, N = 100: classes at 0 and at 1, half of the rows each.
    X = np.repeat([0.0, 1.0], 50)[:, None]
    y = np.full(100, -1)
    y[: n_labels // 2], y[50 : 50 + n_labels // 2] = 0, 1
    discretizer = Discretizer(method=method, unlabeled=-1).fit(X, y)
    assert discretizer.partitions_["x0"].n_parts == n_parts


def test_auto_is_supervised_without_unlabeled_rows(iris):
    supervised = Discretizer(method="supervised").fit(*iris)
    assert all_facts(Discretizer().fit(*iris)) == all_facts(supervised)


def test_auto_is_post_optimized_with_unlabeled_rows():
    post_optimized = Discretizer(method="post_optimized").fit(*half_labeled())
    assert all_facts(Discretizer().fit(*half_labeled())) == all_facts(post_optimized)


def test_unlabeled_rows_of_no_weight_do_not_make_auto_post_optimized():
    X, y = half_labeled()
    discretizer = Discretizer().fit(X, y, sample_weight=[1] * 20 + [0] * 3)
    assert discretizer.partitions_["x0"].cuts.tolist() == [5.0]


@pytest.mark.parametrize("method", CONCRETE)
def test_without_unlabeled_rows_every_method_finds_the_same(iris, method):
    reference = Discretizer(method="supervised").fit(*iris)
    found = Discretizer(method=method).fit(*iris)
    for name, partition in found.partitions_.items():
        assert partition.cuts.tolist() == reference.partitions_[name].cuts.tolist()
        assert partition.cost == pytest.approx(reference.partitions_[name].cost, rel=1e-12)


@pytest.mark.parametrize("method", CONCRETE)
def test_unlabeled_rows_are_counted_where_transform_puts_them(iris, method):
    X, y = iris[0], iris[1].astype(float).copy()
    y[::3] = np.nan
    discretizer = Discretizer(method=method).fit(X, y)
    codes = discretizer.transform(X)
    for name, partition in discretizer.partitions_.items():
        counted = np.bincount(codes[name][y.isna()], minlength=partition.n_parts)
        assert counted.tolist() == partition.unlabeled_counts.tolist()
        labeled = pd.crosstab(codes[name], y).reindex(range(partition.n_parts), fill_value=0)
        assert labeled.to_numpy().tolist() == partition.counts.tolist()


def test_an_unknown_method_is_answered_with_the_known_ones():
    message = r"The 'method' parameter of Discretizer must be a str among \{.*'map'.*Got 'best'"
    with pytest.raises(ValueError, match=message):
        Discretizer(method="best").fit([[1], [2]], [0, 1])
