import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.neighbors import kneighbors_graph
from tests._estimators.propagation_samples import X, blobs, facts_of, labels, ldp

from modlearn import LabelDistributionPropagation
from modlearn.errors import ColumnError

# tables


MIXED = {
    "size": [1.0, 1.1, None, 1.2, 9.0, 9.1, None, 9.3],
    "color": ["red", "red", "red", None, "blue", "blue", "blue", None],
    "new": [True, True, None, True, False, False, False, False],
}


def test_every_kind_of_table_gives_the_same(table):
    y = ["a", None, None, None, None, None, None, "b"]
    expected = LabelDistributionPropagation(n_neighbors=3).fit(pd.DataFrame(MIXED), y)
    found = LabelDistributionPropagation(n_neighbors=3).fit(table(MIXED), y)
    assert facts_of(found) == facts_of(expected)
    assert found.transduction_.tolist() == ["a"] * 4 + ["b"] * 4
    assert found.predict(table(MIXED)).tolist() == ["a"] * 4 + ["b"] * 4


def test_unseen_categories_are_classified_by_the_other_columns():
    y = ["a", None, None, None, None, None, None, "b"]
    spread = LabelDistributionPropagation(n_neighbors=3).fit(pd.DataFrame(MIXED), y)
    new = pd.DataFrame({"size": [1.05, 9.05], "color": ["green"] * 2, "new": [None, None]})
    assert spread.predict(new).tolist() == ["a", "b"]


@pytest.mark.parametrize("container", [sp.csr_matrix, sp.csc_array, sp.coo_array])
def test_a_sparse_table_is_spread_as_a_dense_one(container):
    points, y, _ = blobs(d=6)
    points[np.abs(points) < 0.3] = 0
    dense = ldp(n_neighbors=4).fit(points, y)
    sparse = ldp(n_neighbors=4, representation="auto").fit(container(points), y)
    assert sparse.engine_ == "brute"
    np.testing.assert_array_equal(sparse.order_, dense.order_)
    np.testing.assert_array_equal(sparse.transduction_, dense.transduction_)
    np.testing.assert_array_equal(sparse.predict(container(points)), dense.predict(points))


@pytest.mark.parametrize("engine", ["kdtree", "brute"])
@pytest.mark.parametrize("representation", ["raw", "auto"])
def test_a_sparse_table_after_a_dense_one_is_refused_with_the_remedy(engine, representation):
    spread = ldp(engine=engine, representation=representation).fit(X, labels(0, 1))
    with pytest.raises((ValueError, TypeError), match=r"(?i)sparse.*dense.*\.toarray\(\)"):
        spread.predict(sp.csr_array(X))


def test_raw_numbers_are_used_as_they_are():
    # The first column tells the classes apart, the second is noise a thousand times as wide.
    points, y, classes = blobs(d=1)
    noise = 1000 * np.random.default_rng(5).random((len(points), 1))
    both = np.hstack((points, noise))
    raw = LabelDistributionPropagation(representation="raw").fit(both, y)
    auto = LabelDistributionPropagation().fit(both, y)
    assert (auto.transduction_ == classes).mean() > (raw.transduction_ == classes).mean()


def test_raw_numbers_with_gaps_are_refused_with_the_remedy():
    message = r"Column 'a' contains NaN, first in row 2: .* representation=\"auto\""
    with pytest.raises(ColumnError, match=message):
        ldp().fit(pd.DataFrame({"a": [1.0, 2.0, None]}), [0, 1, None])


def test_raw_text_is_refused_with_the_remedy():
    message = r"Column 'a' holds text \(row 0 is 'x'\).* representation=\"auto\""
    with pytest.raises(ColumnError, match=message):
        ldp().fit(pd.DataFrame({"a": ["x", "y"]}), [0, 1])


@pytest.mark.parametrize(
    ("empty", "count"),
    [(np.empty((0, 2)), "0 sample"), (pd.DataFrame({"a": []}), "0 sample"), ([[]], "0 feature")],
    ids=["array", "frame", "columns"],
)
@pytest.mark.parametrize("representation", ["auto", "raw"])
def test_an_empty_table_is_refused(empty, count, representation):
    with pytest.raises(ValueError, match=rf"Found array with {count}.*minimum of 1 is required"):
        ldp(representation=representation).fit(empty, [])


def test_a_column_of_identifiers_leaves_the_others_to_tell_rows_apart():
    # With an own coordinate for each of 600 rows, points are sparse.
    table = pd.DataFrame({"id": [f"r{i}" for i in range(600)], "a": np.repeat([0.0, 9.0], 300)})
    y = ["left"] * 3 + [None] * 594 + ["right"] * 3
    spread = LabelDistributionPropagation(n_neighbors=300).fit(table, y)
    assert spread.engine_ == "brute"
    assert spread.transduction_.tolist() == ["left"] * 300 + ["right"] * 300


# graphs


@pytest.mark.parametrize("form", ["matrix", "lists"])
def test_a_given_graph_is_as_good_as_a_search(form):
    points, y, _ = blobs()
    new = blobs(n=50, seed=1)[0]
    found = ldp(n_neighbors=6).fit(points, y)
    graphs = [
        kneighbors_graph(points, 6, mode="distance"),
        found._model.neighborhood.of_new(new),
    ]
    of_new = graphs[1].rows.reshape(50, 6), graphs[1].distances.reshape(50, 6)
    matrix = graphs[0]
    given = ldp(n_neighbors=6, representation="precomputed")
    if form == "matrix":
        given.fit(matrix, y)
        rows = np.repeat(np.arange(50), 6)
        query = sp.csr_array((of_new[1].ravel(), (rows, of_new[0].ravel())), shape=(50, len(y)))
    else:
        given.fit((matrix.indices.reshape(-1, 6), matrix.data.reshape(-1, 6)), y)
        query = of_new
    assert given.engine_ == "precomputed"
    np.testing.assert_array_equal(given.order_, found.order_)
    np.testing.assert_array_equal(given.label_distributions_, found.label_distributions_)
    np.testing.assert_array_equal(given.predict_proba(query), found.predict_proba(new))
    np.testing.assert_array_equal(given.predict_unknown(query), found.predict_unknown(new))


def test_a_graph_that_counts_the_row_itself_is_read_without_it():
    points, y, _ = blobs()
    matrix = kneighbors_graph(points, 7, mode="distance", include_self=True)
    given = ldp(n_neighbors=6, representation="precomputed").fit(matrix, y)
    assert facts_of(given) == facts_of(ldp(n_neighbors=6).fit(points, y))


def test_rows_of_a_graph_without_edges_stay_undecided():
    spread = ldp(representation="precomputed").fit(sp.csr_array((3, 3)), ["a", None, None])
    assert spread.transduction_.tolist() == ["a", None, None]
    assert spread.predict(sp.csr_array((2, 3))).tolist() == [None, None]


def test_a_table_is_not_a_graph():
    with pytest.raises(ValueError, match="X is a ndarray: with representation='precomputed'"):
        ldp(representation="precomputed").fit(X, labels(0, 1))


def test_a_graph_to_another_number_of_rows_is_refused():
    spread = ldp(representation="precomputed").fit(sp.csr_array(np.ones((3, 3))), [0, 1, None])
    with pytest.raises(ValueError, match=r"X has 4 features, but .* is expecting 3"):
        spread.predict(sp.csr_array(np.ones((2, 4))))
