import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from tests._neighbors.points import CLOUDS, cloud, distances, nearest_rows

from modlearn._neighbors.engines import ENGINES, FEW_COORDINATES, choose_engine

EXACT = ["kdtree", "brute"]


@pytest.mark.parametrize("engine", EXACT)
@pytest.mark.parametrize("name", CLOUDS)
@pytest.mark.parametrize("k", [1, 7])
def test_the_nearest_are_among_the_candidates(engine, name, k):
    points = CLOUDS[name]
    queries = points[::3] + points.dtype.type(0.01)
    rows, _ = ENGINES[engine](points, 1).candidates(queries, k)
    expected, _ = nearest_rows(points, queries, k, own=False)
    missed = [set(e) - set(r) for e, r in zip(expected.tolist(), rows.tolist(), strict=True)]
    assert not any(missed)


@pytest.mark.parametrize("engine", EXACT)
def test_candidates_are_rows_with_their_distances(engine):
    points = cloud(100, 3)
    queries = cloud(20, 3, seed=1)
    rows, found = ENGINES[engine](points, 1).candidates(queries, 5)
    assert rows.dtype == np.int32
    assert rows.shape == found.shape
    assert rows.shape[1] >= 5
    expected = np.take_along_axis(distances(points, queries), rows, axis=1)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize("engine", EXACT)
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_all_points_can_be_asked_for(engine, n_jobs):
    rows, _ = ENGINES[engine](cloud(9, 2), n_jobs).candidates(cloud(4, 2, seed=1), 9)
    assert np.sort(rows, axis=1).tolist() == [list(range(9))] * 4


@pytest.mark.parametrize("engine", EXACT)
def test_threads_do_not_change_the_candidates(engine):
    points, queries = cloud(3000, 6), cloud(2000, 6, seed=1)
    one, two = (ENGINES[engine](points, n).candidates(queries, 5) for n in (1, 2))
    np.testing.assert_array_equal(np.sort(one[0], axis=1), np.sort(two[0], axis=1))


INTERRUPTED = """
import os, signal, threading
import numpy as np
from modlearn._neighbors.engines import ENGINES

points = np.random.default_rng(0).normal(size=(200_000, 5))
tree = ENGINES["kdtree"](points, 2)
for _ in range(3):
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        tree.candidates(points, 10)
    except KeyboardInterrupt:
        # Memory that was given back is used for something else.
        others = [np.ones(1_000_000) for _ in range(20)]
"""


def test_an_interrupted_search_does_not_bring_the_process_down():
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_sparse_points_are_compared_all_with_all():
    points = sp.random_array((200, 300), density=0.05, random_state=0, format="csr")
    rows, found = ENGINES["brute"](points, 1).candidates(points[:50], 4)
    expected, apart = nearest_rows(points.toarray(), points[:50].toarray(), 4, own=False)
    order = np.argsort(found, axis=1)[:, :4]
    np.testing.assert_array_equal(np.take_along_axis(rows, order, axis=1), expected)
    np.testing.assert_allclose(np.take_along_axis(found, order, axis=1), apart, atol=1e-7)


SPARSE_MEMORY = """
import resource
import numpy as np, scipy.sparse as sp
from modlearn._neighbors.engines import ENGINES

points = sp.random_array((15_000, 50), density=0.02, random_state=0, format="csr")
engine = ENGINES["brute"](points, 1)
engine.candidates(points[:10], 5)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
engine.candidates(points, 5)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_all_distances_of_sparse_points_are_not_held_at_once():
    # They would take 1.8 gigabytes.
    done = subprocess.run(
        [sys.executable, "-c", SPARSE_MEMORY], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) < 600_000


@pytest.mark.parametrize("engine", EXACT)
def test_an_engine_that_is_asked_for_is_used(engine):
    assert choose_engine(engine, cloud(10, 40)) == engine


@pytest.mark.parametrize("d", [1, FEW_COORDINATES])
def test_few_coordinates_are_searched_by_a_tree(d):
    assert choose_engine("auto", cloud(50, d)) == "kdtree"


@pytest.mark.parametrize("d", [FEW_COORDINATES + 1, 200])
def test_many_coordinates_are_compared_all_with_all(d):
    assert choose_engine("auto", cloud(50, d)) == "brute"


def test_few_coordinates_of_very_many_points_are_searched_by_a_tree(monkeypatch):
    monkeypatch.setattr("modlearn._neighbors.engines.MANY_POINTS", 40)
    assert choose_engine("auto", cloud(50, 2)) == "kdtree"


def test_sparse_points_have_no_tree():
    assert choose_engine("auto", sp.csr_array(np.eye(5, 2))) == "brute"


@pytest.mark.parametrize("engine", ["kdtree", "approximate"])
def test_sparse_points_are_refused_with_the_remedy(engine):
    with pytest.raises(ValueError, match=r'needs dense points.* use engine="brute"'):
        ENGINES[engine](sp.csr_array(np.eye(5)), 1)


@pytest.mark.parametrize("engine", EXACT)
def test_the_recall_of_an_exact_engine_is_one(engine):
    assert ENGINES[engine](cloud(50, 3), 1).recall == 1.0


def test_very_many_rows_without_an_approximate_engine_are_warned_of(monkeypatch):
    monkeypatch.setattr("modlearn._neighbors.engines.MANY_POINTS", 40)
    monkeypatch.setattr("modlearn._neighbors.engines.find_spec", lambda name: None)
    with pytest.warns(
        UserWarning,
        match=r'Computing all distances between 50 rows.*pip install "modlearn\[approximate\]"',
    ):
        assert choose_engine("auto", cloud(50, 200)) == "brute"


def test_very_many_rows_are_searched_approximately(monkeypatch):
    monkeypatch.setattr("modlearn._neighbors.engines.MANY_POINTS", 40)
    monkeypatch.setattr("modlearn._neighbors.engines.find_spec", lambda name: name)
    assert choose_engine("auto", cloud(40, 200)) == "approximate"
    assert choose_engine("auto", cloud(39, 200)) == "brute"
