import sys

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs
from tests._neighbors.points import cloud, distances, nearest_rows

from modlearn._neighbors import approximate
from modlearn._neighbors.approximate import SmallWorld
from modlearn._neighbors.engines import ENGINES


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(3000, 12, centers=10, random_state=0)[0]


def share_found(rows, points, queries):
    """Share of the true neighbors among those found."""
    k = rows.shape[1]
    expected, _ = nearest_rows(points, queries, k, own=False)
    pairs = zip(rows.tolist(), expected.tolist(), strict=True)
    return np.mean([len(set(some) & set(true)) / k for some, true in pairs])


def test_nearly_all_neighbors_are_found(blobs):
    engine = SmallWorld(blobs, 2)
    rows, _ = engine.candidates(blobs[:300], 10)
    assert share_found(rows, blobs, blobs[:300]) >= 0.95
    assert engine.recall >= 0.95


def test_neighbors_far_from_the_origin_are_found(blobs):
    rows, _ = SmallWorld(blobs + 1e6, 1).candidates(blobs[::10] + 1e6, 10)
    assert share_found(rows, blobs, blobs[::10]) >= 0.95


@pytest.mark.parametrize("unit", [1e-40, 1e60])
def test_neighbors_in_any_unit_are_found(blobs, unit):
    rows, _ = SmallWorld(blobs * unit, 1).candidates(blobs[::10] * unit, 10)
    assert share_found(rows, blobs, blobs[::10]) >= 0.95


def test_many_equal_points_have_as_many_neighbors_as_asked_for():
    # Their graph falls into pieces of fewer than 51.
    rows, found = SmallWorld(np.zeros((500, 8)), 2).candidates(np.zeros((500, 8)), 51)
    assert all(len(set(some) - {-1}) == 51 for some in rows.tolist())
    assert not found.any()


def test_rows_with_too_few_neighbors_in_the_graph_are_searched_exactly(blobs, monkeypatch):
    search = SmallWorld._search

    def search_badly(self, queries, k):
        rows, found = search(self, queries, k)
        rows[::3, -1], found[::3, -1] = -1, np.inf
        return rows, found

    monkeypatch.setattr(SmallWorld, "_search", search_badly)
    rows, found = SmallWorld(blobs, 1).candidates(blobs[:30], 5)
    assert share_found(rows[::3], blobs, blobs[:30:3]) == 1
    assert np.isfinite(found).all()


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_distances_are_exact(blobs, kind):
    points = blobs.astype(kind)
    rows, found = SmallWorld(points, 1).candidates(points[:40], 5)
    assert rows.dtype == np.int32
    expected = np.take_along_axis(distances(points, points[:40]), rows, axis=1)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_neighbors_are_the_same_each_time_and_with_any_threads(blobs, n_jobs):
    one, other = SmallWorld(blobs, 1), SmallWorld(blobs, n_jobs)
    np.testing.assert_array_equal(one.candidates(blobs, 8)[0], other.candidates(blobs, 8)[0])
    assert one.recall == other.recall


# In noise of many coordinates a narrow search misses neighbors.


def width_of(engine):
    """How many points are looked at to find three neighbors."""
    engine.candidates(cloud(5, 30, seed=1), 3)
    return engine.index.hnsw.efSearch


def test_the_search_is_widened_until_the_aim_is_reached(monkeypatch):
    monkeypatch.setattr(approximate, "SEARCH_WIDTHS", (3, 6, 12, 25, 50, 100, 200, 2000))
    engine = SmallWorld(cloud(2000, 30), 2)
    assert 3 < width_of(engine) < 2000
    assert engine.recall >= approximate.TARGET_RECALL


def test_the_search_is_no_wider_than_the_widest(monkeypatch):
    monkeypatch.setattr(approximate, "SEARCH_WIDTHS", (3, 5))
    engine = SmallWorld(cloud(2000, 30), 2)
    assert width_of(engine) == 5
    assert engine.recall < approximate.TARGET_RECALL


def test_a_wider_search_that_finds_hardly_more_is_the_last(monkeypatch):
    monkeypatch.setattr(approximate, "SEARCH_WIDTHS", (3, 4, 2000))
    monkeypatch.setattr(approximate, "MIN_GAIN", 0.4)
    assert width_of(SmallWorld(cloud(2000, 30), 2)) == 4


def test_the_search_is_widened_once_for_as_many_neighbors(monkeypatch):
    asked, widen = [], SmallWorld._tune
    monkeypatch.setattr(SmallWorld, "_tune", lambda self, k: (asked.append(k), widen(self, k)))
    engine = SmallWorld(cloud(500, 4), 1)
    for k in (3, 3, 2, 5):
        engine.candidates(cloud(5, 4, seed=1), k)
    assert asked == [3, 5]


@pytest.mark.parametrize("n", [1, 2, 9])
def test_all_of_few_points_can_be_asked_for(n):
    rows, _ = SmallWorld(cloud(n, 2), 1).candidates(cloud(4, 2, seed=1), n)
    assert np.sort(rows, axis=1).tolist() == [list(range(n))] * 4


def test_without_the_library_the_command_that_installs_it_is_named(monkeypatch):
    # A module that is None cannot be imported.
    monkeypatch.setitem(sys.modules, "faiss", None)
    message = (
        r'engine="approximate" needs faiss: install it with pip install "modlearn\[approximate\]"'
    )
    with pytest.raises(ImportError, match=message):
        ENGINES["approximate"](cloud(10, 2), 1)


def test_sparse_points_are_refused_with_their_number_of_coordinates():
    message = r"these are sparse, with 1,000 coordinates: drop columns .* engine=\"brute\""
    with pytest.raises(ValueError, match=message):
        ENGINES["approximate"](sp.csr_array((5, 1000)), 1)
