import os
import signal
import subprocess
import sys
import threading
import time

import pytest
import scipy.linalg  # noqa: F401  # its BLAS is known to the oldest threadpoolctl, too
from threadpoolctl import threadpool_info, threadpool_limits

from modlearn import _parallel
from modlearn._parallel import (
    each_in_threads,
    in_other_thread,
    map_in_threads,
    one_blas_thread,
    polled,
)


@pytest.mark.parametrize("n_jobs", [None, 1, 2, -1, 100])
def test_results_are_in_the_order_of_the_items(n_jobs):
    assert map_in_threads(lambda i: i * i, iter(range(50)), n_jobs) == [i * i for i in range(50)]


@pytest.mark.parametrize("n_jobs", [None, 1])
def test_one_job_works_in_the_thread_that_asked(n_jobs):
    names = map_in_threads(lambda _: threading.get_ident(), range(3), n_jobs)
    assert set(names) == {threading.get_ident()}


@pytest.mark.parametrize(("n_jobs", "n_threads"), [(None, 1), (1, 1), (2, 2), (9, 3), (-1, 3)])
def test_there_are_at_most_as_many_threads_as_cores(n_jobs, n_threads, monkeypatch):
    monkeypatch.setattr(_parallel, "_n_cores", lambda: 3)
    monkeypatch.setattr(_parallel, "effective_n_jobs", lambda n: 3 if n == -1 else n or 1)
    assert _parallel.n_threads_of(n_jobs) == n_threads


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


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_after_an_error_items_not_yet_begun_are_left(n_jobs, error):
    begun = []

    def work(i):
        begun.append(i)
        if i == 3:
            raise error("stop")
        threading.Event().wait(0.01)

    with pytest.raises(error, match="stop"):
        map_in_threads(work, range(500), n_jobs)
    assert len(begun) < 500


def test_an_error_stops_the_others_while_an_earlier_item_works_on():
    failed, begun = threading.Event(), []

    def work(i):
        begun.append(i)
        if i == 0:
            assert failed.wait(30)
        elif i == 1:
            failed.set()
            raise ValueError("item 1 is bad")
        else:
            threading.Event().wait(0.01)

    with pytest.raises(ValueError, match="item 1 is bad"):
        map_in_threads(work, range(1000), 2)
    assert len(begun) < 1000


def test_of_several_errors_that_of_the_first_item_is_raised():
    meeting = threading.Barrier(2, timeout=30)

    def fail(i):
        meeting.wait()
        raise ValueError(f"item {i} is bad")

    for _ in range(20):
        with pytest.raises(ValueError, match="item 0 is bad"):
            map_in_threads(fail, range(2), 2)


# results as they come


@pytest.mark.parametrize("n_jobs", [None, 2, 5])
def test_results_are_kept_in_the_order_of_the_items_by_the_thread_that_asked(n_jobs):
    kept = []

    def keep(item, result):
        kept.append((item, result, threading.get_ident()))

    each_in_threads(lambda i: i * i, range(20), keep, n_jobs)
    assert kept == [(i, i * i, threading.get_ident()) for i in range(20)]


def test_after_the_time_is_up_only_the_first_item_is_begun():
    kept = []
    each_in_threads(lambda i: i, range(20), lambda i, _: kept.append(i), 2, until=0.0)
    assert kept == [0]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_ends_the_items(error):
    kept = []

    def work(i):
        if i == 3:
            raise error("stop")

    with pytest.raises(error, match="stop"):
        each_in_threads(work, range(500), lambda i, _: kept.append(i), 2)
    assert kept == [0, 1, 2]


INTERRUPTED = """
import threading
import time
from modlearn._parallel import each_in_threads

begun = threading.Event()

def work(i):
    if i == 1:
        begun.set()
        threading.Event().wait(600)

def keep(i, result):
    begun.wait()
    raise KeyboardInterrupt

try:
    each_in_threads(work, range(3), keep, 1)
except KeyboardInterrupt:
    print("interrupted")
"""


def test_an_interrupted_program_ends_while_an_item_is_still_worked_on():
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=120, check=True
    )
    assert (done.stdout, done.stderr) == ("interrupted\n", "")


def blas_threads():
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


@pytest.mark.parametrize("first_out", ["first", "second"])
def test_blas_has_its_threads_back_when_the_last_of_those_that_overlap_is_done(first_out):
    with threadpool_limits(2, user_api="blas"):
        first, second = one_blas_thread(), one_blas_thread()
        first.__enter__()
        second.__enter__()
        leaving = [first, second] if first_out == "first" else [second, first]
        leaving[0].__exit__(None, None, None)
        assert blas_threads() == {1}
        leaving[1].__exit__(None, None, None)
        assert blas_threads() == {2}


def test_blas_has_its_threads_back_after_an_error():
    with threadpool_limits(2, user_api="blas"):
        with pytest.raises(KeyError), one_blas_thread():
            raise KeyError
        assert blas_threads() == {2}


def test_a_function_is_called_while_another_one_waits():
    calls = []
    with polled(lambda: calls.append(1), 0.001):
        while len(calls) < 3:
            time.sleep(0.001)
    n_calls = len(calls)
    time.sleep(0.01)
    assert len(calls) == n_calls


def test_the_error_of_a_function_that_is_polled_is_raised_at_the_end():
    calls = []

    def fails():
        calls.append(1)
        raise ValueError("enough")

    def wait():
        with polled(fails, 0.001):
            while not calls:
                time.sleep(0.001)
            time.sleep(0.01)

    with pytest.raises(ValueError, match="enough"):
        wait()
    assert len(calls) == 1


def test_work_in_another_thread_returns_its_result_or_raises_its_error():
    def is_main():
        return threading.current_thread() is threading.main_thread()

    assert in_other_thread(is_main, lambda: None) is False
    with pytest.raises(ZeroDivisionError):
        in_other_thread(lambda: 1 / 0, lambda: None)


def test_an_interruption_stops_work_in_another_thread_and_waits_for_its_end():
    begun, stopped, ended = threading.Event(), threading.Semaphore(0), []

    def work():
        begun.set()
        for _ in range(3):  # it ignores all but the third attempt
            assert stopped.acquire(timeout=30)
        ended.append(True)

    def interrupt():
        begun.wait()
        os.kill(os.getpid(), signal.SIGINT)

    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        threading.Thread(target=interrupt).start()
        with pytest.raises(KeyboardInterrupt):
            in_other_thread(work, stopped.release)
    finally:
        signal.signal(signal.SIGINT, handler)
    assert ended == [True]
