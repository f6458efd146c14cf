import threading

import pytest

from modlearn._count.threads import map_in_threads


@pytest.mark.parametrize("n_jobs", [None, 1, 2, -1, 100])
def test_results_are_in_the_order_of_the_items(n_jobs):
    assert map_in_threads(lambda i: i * i, iter(range(50)), n_jobs) == [i * i for i in range(50)]


@pytest.mark.parametrize("n_jobs", [None, 1])
def test_one_job_works_in_the_thread_that_asked(n_jobs):
    names = map_in_threads(lambda _: threading.get_ident(), range(3), n_jobs)
    assert set(names) == {threading.get_ident()}


def test_two_jobs_work_at_the_same_time():
    # Each item waits for the other: one thread alone would never come back.
    meeting = threading.Barrier(2, timeout=30)
    assert sorted(map_in_threads(lambda _: meeting.wait(), range(2), 2)) == [0, 1]


def test_no_item_needs_no_thread():
    assert map_in_threads(lambda i: i, [], 2) == []


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_error_in_a_thread_reaches_the_caller(n_jobs):
    def refuse(i):
        raise ValueError(f"column {i} is bad")

    with pytest.raises(ValueError, match="column 0 is bad"):
        map_in_threads(refuse, range(3), n_jobs)
