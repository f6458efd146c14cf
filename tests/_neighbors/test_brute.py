import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests._neighbors.points import CLOUDS, cloud, distances, nearest_rows

from modlearn._neighbors import brute
from modlearn._neighbors._ranking import nearest
from modlearn._neighbors.brute import BruteForce


def silent(done, total):
    """No one listens."""


def of_rows(points, k, n_jobs=1, progress=silent):
    """The nearest other rows (n, k) and their distances, by looking at each pair once."""
    return nearest(*BruteForce(points, n_jobs).candidates_of_rows(k, progress), 0, k)


def of_new(points, queries, k, n_jobs=1):
    return nearest(*BruteForce(points, n_jobs).candidates(queries, k), -1, k)


def clusters(n, d, spread):
    """Tight groups, far from each other."""
    return 1000 * cloud(6, d, seed=1)[np.arange(n) % 6] + spread * cloud(n, d)


EXACT = {
    **CLOUDS,
    "one coordinate": cloud(1100, 1),
    "hundred coordinates": cloud(600, 100),
    "clusters": clusters(700, 12, 1.0),
    "tight clusters": clusters(700, 12, 1e-3),
    "huge": 1e25 * cloud(600, 5),
    "immense": 1e100 * cloud(600, 5),
    "tiny": 1e-25 * cloud(600, 5),
    "minute": 1e-100 * cloud(600, 5),
    # Seen from between the two, even double precision loses the distances within either.
    "two clusters": np.vstack((cloud(300, 12), 1e9 + cloud(300, 12, seed=1))),
    "far outlier": np.vstack((cloud(600, 18), np.full((1, 18), 1e13))),
    "huge float32": (1e25 * cloud(600, 5)).astype(np.float32),
}


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_the_nearest_rows_are_those_of_a_naive_search(name, n_jobs):
    rows, found = of_rows(EXACT[name], 7, n_jobs)
    expected, apart = nearest_rows(EXACT[name], EXACT[name], 7, own=True)
    np.testing.assert_array_equal(rows, expected)
    np.testing.assert_array_equal(found, apart)


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_each_pair_looked_at_once_finds_what_a_plain_search_finds(name, n_jobs):
    points = EXACT[name]
    rows, found = of_rows(points, 5, n_jobs)
    plain = nearest(*BruteForce(points, n_jobs).candidates(points, 6), 0, 5)
    np.testing.assert_array_equal(rows, plain[0])
    np.testing.assert_array_equal(found, plain[1])


TIED = {
    "grid": np.random.default_rng(0).integers(0, 4, (1100, 3)).astype(float),
    "wide grid": np.random.default_rng(0).integers(0, 2, (700, 40)).astype(float),
    "copies": np.repeat(cloud(20, 3), 40, axis=0),
    "equal": np.ones((600, 4)),
    "far grid": 1e9 + np.random.default_rng(0).integers(0, 4, (700, 3)),
}


@pytest.mark.parametrize("name", TIED)
@pytest.mark.parametrize("k", [1, 10])
def test_tied_rows_are_found_at_the_right_distances(name, k):
    points = TIED[name]
    rows, found = of_rows(points, k)
    np.testing.assert_array_equal(found, nearest_rows(points, points, k, own=True)[1])
    np.testing.assert_array_equal(
        found, np.take_along_axis(distances(points, points), rows, axis=1)
    )
    assert not (rows == np.arange(len(points))[:, None]).any()
    assert all(len(set(near)) == k for near in rows.tolist())


@pytest.mark.parametrize("name", TIED)
def test_threads_do_not_change_which_of_tied_rows_are_found(name):
    one, two, three = (of_rows(TIED[name], 4, n_jobs)[0] for n_jobs in (1, 2, 3))
    np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(one, three)


@pytest.mark.parametrize("n", range(2, 21))
def test_few_rows_are_searched_as_well(n):
    points = cloud(n, 3)
    for k in {1, n // 2, n - 1}:
        expected, apart = nearest_rows(points, points, k, own=True)
        rows, found = of_rows(points, k, n_jobs=2)
        np.testing.assert_array_equal(rows, expected)
        np.testing.assert_array_equal(found, apart)


def test_one_row_is_the_nearest_of_every_query():
    rows, found = of_new(np.array([[1.0, 2.0]]), np.array([[1.0, 2.0], [4.0, 6.0]]), 1)
    assert (rows.tolist(), found.tolist()) == ([[0], [0]], [[0.0], [5.0]])


@settings(deadline=None)
@given(
    arrays(
        np.float64, st.tuples(st.integers(2, 30), st.integers(1, 4)), elements=st.integers(-3, 3)
    ),
    # Powers of two, so that equal distances stay equal.
    st.sampled_from([2.0**-100, 1.0, 2.0**40, 2.0**100]),
    st.data(),
)
def test_distances_are_those_of_a_naive_search_in_any_unit(points, unit, data):
    k = data.draw(st.integers(1, len(points) - 1))
    _, found = of_rows(points * unit, k)
    _, expected = nearest_rows(points * unit, points * unit, k, own=True)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("away", [1e7, 1e30, 1e100])
def test_queries_far_from_all_points_have_neighbors(away):
    points, queries = cloud(600, 3), np.array([[away, 0.0, 0.0]])
    rows, found = of_new(points, queries, 4)
    assert ((rows >= 0) & (rows < 600)).all()
    np.testing.assert_array_equal(found, nearest_rows(points, queries, 4, own=False)[1])


def test_points_and_queries_are_left_alone():
    points, queries = cloud(600, 3), cloud(50, 3, seed=1)
    of_new(points, queries, 4)
    of_rows(points, 4)
    np.testing.assert_array_equal(points, cloud(600, 3))
    np.testing.assert_array_equal(queries, cloud(50, 3, seed=1))


# doubt


def searched_again(monkeypatch, points, k):
    """Number of rows that single precision was not enough for."""
    counts = []
    again = BruteForce._searched_again

    def counted(self, queries, k):
        counts.append(len(queries))
        return again(self, queries, k)

    monkeypatch.setattr(BruteForce, "_searched_again", counted)
    of_rows(points, k)
    return sum(counts)


def test_rows_of_a_tight_cluster_far_from_the_center_are_searched_again(monkeypatch):
    tight = np.vstack((1e3 * cloud(300, 12), 1e4 + 1e-3 * cloud(300, 12, seed=1)))
    assert searched_again(monkeypatch, tight, 5) >= 300
    expected, apart = nearest_rows(tight, tight, 5, own=True)
    rows, found = of_rows(tight, 5)
    np.testing.assert_array_equal(rows, expected)
    np.testing.assert_array_equal(found, apart)


def test_single_precision_alone_would_be_wrong_there(monkeypatch):
    tight = np.vstack((1e3 * cloud(300, 12), 1e4 + 1e-3 * cloud(300, 12, seed=1)))
    monkeypatch.setattr(
        BruteForce, "_in_doubt", lambda self, queries, *_: np.zeros(len(queries), bool)
    )
    assert (of_rows(tight, 5)[0] != nearest_rows(tight, tight, 5, own=True)[0]).any()


@pytest.mark.parametrize("unit", [1e-30, 1.0, 1e30])
def test_hardly_a_row_of_a_cloud_is_searched_again(monkeypatch, unit):
    assert searched_again(monkeypatch, unit * cloud(600, 12), 5) < 60


# progress and interruption


@pytest.mark.parametrize("n_jobs", [1, 2, 3])
@pytest.mark.parametrize("n", [2, 9, 10, 11, 95])
def test_progress_never_goes_down_and_ends_at_the_number_of_rows(monkeypatch, n, n_jobs):
    monkeypatch.setattr(brute, "BLOCK", 10)
    calls = []
    of_rows(cloud(n, 2), 1, n_jobs, lambda *call: calls.append(call))
    done = [count for count, _ in calls]
    assert done == sorted(done)
    assert calls[-1] == (n, n)
    assert len(calls) == -(-n // 10)


def test_the_end_is_not_reported_while_a_block_is_searched(monkeypatch):
    # The first block waits until all others are done: they alone must not come to the end.
    monkeypatch.setattr(brute, "BLOCK", 10)
    others_done, calls, keep = threading.Event(), [], brute.keep_best_pairs

    def slow(scores, first, start, *best):
        if first == start == 0:
            assert others_done.wait(30)
        keep(scores, first, start, *best)

    def progress(done, total):
        calls.append(done)
        if len(calls) == 9:
            others_done.set()

    monkeypatch.setattr(brute, "keep_best_pairs", slow)
    of_rows(cloud(100, 2), 3, 2, progress)
    assert max(calls[:9]) < 100
    assert calls[9:] == [100]


def test_progress_is_reported_by_one_thread_at_a_time(monkeypatch):
    monkeypatch.setattr(brute, "BLOCK", 5)
    inside, meetings = threading.Semaphore(1), []

    def progress(done, total):
        alone = inside.acquire(blocking=False)
        meetings.append(not alone)
        if alone:
            inside.release()

    of_rows(cloud(300, 2), 3, 3, progress)
    assert not any(meetings)


@pytest.mark.parametrize("n_jobs", [1, 2, 3])
@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_an_interruption_from_progress_stops_the_work(monkeypatch, n_jobs, error):
    monkeypatch.setattr(brute, "BLOCK", 10)
    n_blocks, keep = [], brute.keep_best_pairs

    def counted(scores, first, start, *best):
        n_blocks.append(first == start)
        keep(scores, first, start, *best)

    def progress(done, total):
        raise error("enough")

    monkeypatch.setattr(brute, "keep_best_pairs", counted)
    with pytest.raises(error, match="enough"):
        of_rows(cloud(5000, 2), 3, n_jobs, progress)
    assert sum(n_blocks) < 250


SEARCHES = {
    "keep_best_pairs": lambda points, report: of_rows(points, 3, 2, report),
    "keep_best": lambda points, report: of_new(points, points, 3, 2),
}


@pytest.mark.parametrize("step", SEARCHES)
def test_after_an_interruption_threads_neither_go_on_nor_report(monkeypatch, step):
    monkeypatch.setattr(brute, "BLOCK", 10)
    keep, begun, let_go = getattr(brute, step), threading.Event(), threading.Event()
    threads, late, reports = [], [], []

    def held(*arguments):
        # Threads of an earlier test may be at work yet.
        if threading.current_thread() in threads:
            late.append(let_go.is_set())
            begun.set()
            assert let_go.wait(30)
        keep(*arguments)

    def interrupted(work, items, n_jobs):
        threads.append(threading.Thread(target=work, args=(items[0],)))
        threads[0].start()
        assert begun.wait(30)
        raise KeyboardInterrupt

    monkeypatch.setattr(brute, step, held)
    monkeypatch.setattr(brute, "map_in_threads", interrupted)
    with pytest.raises(KeyboardInterrupt):
        SEARCHES[step](cloud(1000, 2), lambda *report: reports.append(report))
    let_go.set()
    threads[0].join(30)
    assert late == [False]
    assert not reports
