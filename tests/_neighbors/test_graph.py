import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from tests._neighbors.points import CLOUDS, cloud, nearest_rows

from modlearn._neighbors.approximate import SmallWorld
from modlearn._neighbors.engines import ENGINES
from modlearn._neighbors.graph import (
    Neighbors,
    SearchedNeighbors,
    neighbors_of_new,
    neighbors_of_rows,
)

EXACT = ["kdtree", "brute"]


def silent(done, total):
    """No one listens."""


def of_rows(engine, points, k, progress=silent, n_jobs=1):
    return neighbors_of_rows(ENGINES[engine](points, n_jobs), points, k, progress)


def of_new(engine, points, queries, k):
    return neighbors_of_new(ENGINES[engine](points, 1), points, queries, k)


def lists(found):
    """Rows and distances, both of shape (n, k)."""
    return found.rows.reshape(found.n_rows, -1), found.distances.reshape(found.n_rows, -1)


# the rows themselves


@pytest.mark.parametrize("engine", EXACT)
@pytest.mark.parametrize("name", CLOUDS)
@pytest.mark.parametrize("k", [1, 10])
def test_neighbors_of_rows_are_the_nearest_others_bit_for_bit(engine, name, k):
    points = CLOUDS[name]
    rows, found = lists(of_rows(engine, points, k))
    expected, apart = nearest_rows(points, points, k, own=True)
    np.testing.assert_array_equal(rows, expected)
    np.testing.assert_array_equal(found, apart)


@pytest.mark.parametrize("engine", EXACT)
@pytest.mark.parametrize("copies", [2, 5, 40])
def test_a_row_is_not_its_own_neighbor_among_duplicates(engine, copies):
    points = np.repeat(cloud(20, 3), copies, axis=0)
    rows, found = lists(of_rows(engine, points, 4))
    assert not (rows == np.arange(len(points))[:, None]).any()
    assert all(len(set(near)) == 4 for near in rows.tolist())
    assert ((found == 0).sum(1) == min(4, copies - 1)).all()


@pytest.mark.parametrize("engine", EXACT)
def test_equal_points_are_at_distance_zero_from_all_others(engine):
    rows, found = lists(of_rows(engine, np.ones((30, 2)), 5))
    assert not (rows == np.arange(30)[:, None]).any()
    assert not found.any()


@pytest.mark.parametrize("engine", EXACT)
def test_tied_neighbors_are_listed_by_row(engine):
    grid = np.array([[x, y] for x in range(6) for y in range(6)], dtype=float)
    rows, found = lists(of_rows(engine, grid, 8))
    _, apart = nearest_rows(grid, grid, 8, own=True)
    np.testing.assert_array_equal(found, apart)
    for near, far in zip(rows.tolist(), found.tolist(), strict=True):
        pairs = list(zip(far, near, strict=True))
        assert pairs == sorted(pairs)


@pytest.mark.parametrize("engine", EXACT)
@pytest.mark.parametrize("n", [1, 2, 5])
def test_with_fewer_rows_than_neighbors_all_others_are_listed(engine, n):
    rows, found = lists(of_rows(engine, cloud(n, 2), 10))
    assert rows.shape == found.shape == (n, n - 1)
    assert [sorted(near) for near in rows.tolist()] == [
        [p for p in range(n) if p != row] for row in range(n)
    ]


@pytest.mark.parametrize("engine", EXACT)
def test_threads_do_not_change_the_neighbors(engine):
    points = cloud(2500, 4)
    one, two = (of_rows(engine, points, 6, n_jobs=n) for n in (1, 2))
    np.testing.assert_array_equal(one.rows, two.rows)
    np.testing.assert_array_equal(one.distances, two.distances)


@pytest.mark.parametrize("engine", EXACT)
def test_progress_rises_to_the_number_of_rows(engine, monkeypatch):
    monkeypatch.setattr("modlearn._neighbors.graph.BLOCK", 300)
    calls = []
    of_rows(engine, cloud(1000, 2), 3, progress=lambda *counts: calls.append(counts))
    done = [count for count, _ in calls]
    assert done == sorted(done)
    assert calls[-1] == (1000, 1000)
    assert {total for _, total in calls} == {1000}


@pytest.mark.parametrize("engine", EXACT)
@pytest.mark.parametrize("block", [1, 7, 100])
def test_blocks_do_not_change_the_neighbors(engine, block, monkeypatch):
    points = cloud(150, 3)
    expected = of_rows(engine, points, 4)
    monkeypatch.setattr("modlearn._neighbors.graph.BLOCK", block)
    found = of_rows(engine, points, 4)
    np.testing.assert_array_equal(found.rows, expected.rows)
    np.testing.assert_array_equal(found.distances, expected.distances)


def test_sparse_rows_have_the_neighbors_of_dense_ones():
    dense = np.random.default_rng(0).normal(size=(200, 300))
    dense[np.random.default_rng(1).random((200, 300)) < 0.9] = 0
    rows, found = lists(of_rows("brute", sp.csr_array(dense), 5))
    expected, apart = nearest_rows(dense, dense, 5, own=True)
    np.testing.assert_array_equal(rows, expected)
    np.testing.assert_allclose(found, apart, rtol=1e-9)


# new rows


@pytest.mark.parametrize("engine", EXACT)
@pytest.mark.parametrize("name", CLOUDS)
def test_neighbors_of_new_rows_are_the_nearest_bit_for_bit(engine, name):
    points = CLOUDS[name]
    queries = points[::5] + points.dtype.type(0.01)
    rows, found = lists(of_new(engine, points, queries, 6))
    expected, apart = nearest_rows(points, queries, 6, own=False)
    np.testing.assert_array_equal(rows, expected)
    np.testing.assert_array_equal(found, apart)


@pytest.mark.parametrize("engine", EXACT)
def test_a_new_row_may_be_equal_to_an_old_one(engine):
    points = cloud(50, 3)
    rows, found = lists(of_new(engine, points, points[10:20], 3))
    assert rows[:, 0].tolist() == list(range(10, 20))
    assert not found[:, 0].any()


@pytest.mark.parametrize("engine", EXACT)
def test_a_new_row_has_no_more_neighbors_than_there_are_rows(engine):
    rows, _ = lists(of_new(engine, cloud(4, 2), cloud(3, 2, seed=1), 10))
    assert np.sort(rows, axis=1).tolist() == [[0, 1, 2, 3]] * 3


@pytest.mark.parametrize("engine", EXACT)
def test_a_new_row_far_away_has_neighbors(engine):
    points = cloud(80, 20)
    queries = np.full((1, 20), 1e7)
    rows, _ = lists(of_new(engine, points, queries, 80))
    assert sorted(rows[0].tolist()) == list(range(80))


@pytest.mark.parametrize("engine", EXACT)
def test_distances_that_overflow_are_refused_with_the_remedy(engine):
    message = r'too large for floats: divide .* representation="auto"'
    with pytest.raises(ValueError, match=message):
        of_rows(engine, 1e200 * cloud(50, 3), 4)
    with pytest.raises(ValueError, match=message):
        of_new(engine, cloud(50, 3), np.full((1, 3), 1e200), 4)


# lists


def test_the_radius_is_the_distance_of_the_last_neighbor():
    pointer = np.array([0, 2, 2, 3])
    found = Neighbors(pointer, np.array([1, 2, 0], dtype=np.int32), np.array([0.5, 2.0, 1.5]))
    assert found.radii.tolist() == [2.0, np.inf, 1.5]
    assert found.n_rows == 3


def test_lists_of_equal_length_are_laid_end_to_end():
    found = Neighbors.of_lists(
        np.array([[1, 2], [0, 2], [0, 1]], dtype=np.int32), np.array([[1.0, 2.0]] * 3)
    )
    assert found.pointer.tolist() == [0, 2, 4, 6]
    assert found.rows.tolist() == [1, 2, 0, 2, 0, 1]
    assert found.radii.tolist() == [2.0, 2.0, 2.0]


# a search


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


def test_the_engine_is_reported():
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
