import pickle

import numpy as np
import pandas as pd
import pytest
from tests._neighbors.points import cloud, nearest_rows

from modlearn._neighbors.approximate import SmallWorld
from modlearn._neighbors.neighborhoods import PrecomputedNeighbors, SearchedNeighbors


def silent(done, total):
    """No one listens."""


def searched(X, representation="raw", engine="auto", n_neighbors=3):
    return SearchedNeighbors(X, representation, engine, n_neighbors, 1)


def rows_of(found):
    return found.rows.reshape(found.n_rows, -1)


def test_raw_neighbors_are_those_of_the_numbers():
    X = cloud(60, 2) * [1.0, 1000.0]
    expected, _ = nearest_rows(X, X, 3, own=True)
    np.testing.assert_array_equal(rows_of(searched(X).of_rows(silent)), expected)


def test_neighbors_of_new_rows_are_rows_seen_before():
    X, new = cloud(60, 2), cloud(9, 2, seed=1)
    expected, _ = nearest_rows(X, new, 3, own=False)
    np.testing.assert_array_equal(rows_of(searched(X).of_new(new)), expected)


def test_new_rows_are_scaled_as_those_seen_before():
    X = cloud(60, 2) * [1.0, 1000.0]
    found = searched(X, "auto", n_neighbors=1).of_new(X[:1])
    assert found.rows.tolist() == [0]
    assert found.distances.tolist() == [0.0]


def test_the_engine_is_told():
    assert searched(cloud(60, 2)).engine == "kdtree"
    assert searched(cloud(60, 2), engine="brute").engine == "brute"
    assert searched(cloud(60, 2)).recall == 1.0


def test_few_neighbors_found_are_warned_of(monkeypatch):
    monkeypatch.setattr(SmallWorld, "recall", 0.613)
    monkeypatch.setattr(SmallWorld, "_tune", lambda self, k: None)
    near = searched(cloud(60, 2), engine="approximate")
    with pytest.warns(UserWarning, match=r"Only 61% of the nearest .* engine=\"brute\" finds all"):
        near.of_rows(silent)
    assert near.recall == 0.613


@pytest.mark.parametrize("kinds", [(np.float32, np.float64), (np.float64, np.float32)])
@pytest.mark.parametrize("engine", ["kdtree", "brute"])
def test_new_rows_may_be_of_another_precision(kinds, engine):
    X = cloud(60, 3)
    found = searched(X.astype(kinds[0]), engine=engine).of_new(X[:5].astype(kinds[1]))
    assert rows_of(found)[:, 0].tolist() == [0, 1, 2, 3, 4]


def test_new_rows_may_be_a_frame():
    X = cloud(60, 2)
    assert rows_of(searched(X).of_new(pd.DataFrame(X[:5])))[:, 0].tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("engine", ["kdtree", "brute"])
def test_a_pickle_finds_the_same_neighbors(engine):
    X, new = cloud(300, 4), cloud(20, 4, seed=1)
    one = searched(X, engine=engine)
    one.of_rows(silent)
    other = pickle.loads(pickle.dumps(one))
    np.testing.assert_array_equal(other.of_new(new).rows, one.of_new(new).rows)
    np.testing.assert_array_equal(other.of_new(new).distances, one.of_new(new).distances)


GRAPH = np.array([[1, 2], [0, 2], [1, 0]]), np.array([[1.0, 2.0]] * 3)


def test_a_given_graph_is_used_as_it_is():
    given = PrecomputedNeighbors(GRAPH, 2)
    assert rows_of(given.of_rows(silent)).tolist() == GRAPH[0].tolist()
    assert (given.engine, given.recall) == ("precomputed", 1.0)


def test_no_more_than_the_nearest_of_a_given_graph_are_used():
    assert rows_of(PrecomputedNeighbors(GRAPH, 1).of_rows(silent)).tolist() == [[1], [0], [1]]


def test_a_given_graph_of_new_rows_leads_to_rows_seen_before():
    new = np.array([[2, 0]]), np.array([[1.0, 2.0]])
    assert rows_of(PrecomputedNeighbors(GRAPH, 2).of_new(new)).tolist() == [[2, 0]]


def test_a_graph_to_rows_never_seen_is_refused():
    with pytest.raises(
        ValueError, match="Row 0 of the graph has neighbor 3: row numbers are 0 to 2"
    ):
        PrecomputedNeighbors(GRAPH, 2).of_new((np.array([[3]]), np.array([[1.0]])))


def test_a_pickle_of_a_given_graph_knows_how_many_rows_it_had():
    given = pickle.loads(pickle.dumps(PrecomputedNeighbors(GRAPH, 2)))
    new = np.array([[2, 0]]), np.array([[1.0, 2.0]])
    assert rows_of(given.of_new(new)).tolist() == [[2, 0]]
