"""Threads and progress: the kernels release the GIL and share the table's memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import cache
from queue import SimpleQueue
from threading import Event, Lock, Thread
from time import monotonic
from typing import Generic, TypeVar

from joblib import cpu_count, effective_n_jobs
from threadpoolctl import threadpool_limits

__all__ = [
    "SECONDS_BETWEEN_STOPS",
    "Progress",
    "each_in_threads",
    "in_other_thread",
    "map_in_threads",
    "n_threads_of",
    "no_progress",
    "one_blas_thread",
    "polled",
]

Progress = Callable[[str, int, int], None]
"""Called with the stage, the amount done, and the total amount."""

SECONDS_BETWEEN_STOPS = 0.02
"""Pause between attempts to stop work that may not have begun."""

Item = TypeVar("Item")
Result = TypeVar("Result")


def no_progress(stage: str, done: int, total: int) -> None:
    """Report nothing."""


def n_threads_of(n_jobs: int | None) -> int:
    """Return the number of threads for scikit-learn's n_jobs, at most one per core; None = one."""
    return min(int(effective_n_jobs(n_jobs)), _n_cores())


@cache
def _n_cores() -> int:
    """Return the cores that this process may use; asking takes longer than many a task."""
    return int(cpu_count())


def map_in_threads(
    work: Callable[[Item], Result],
    items: Iterable[Item],
    n_jobs: int | None,
    progress: Progress | None = None,
    stage: str = "",
) -> list[Result]:
    """Return results in the order of the items; n_jobs as in scikit-learn, None = one thread.

    After an error, no other item is started; of several errors, that of the first item is raised.
    With `progress`, every result is reported as one more step of the stage.
    """
    items = list(items)
    if progress is not None:
        return _map_with_progress(work, items, n_jobs, progress, stage)
    n_threads = min(n_threads_of(n_jobs), len(items))
    if n_threads <= 1:
        return [work(item) for item in items]
    pool = ThreadPoolExecutor(n_threads)
    try:
        futures = [pool.submit(work, item) for item in items]
        wait(futures, return_when=FIRST_EXCEPTION)
        # Items start in order: every item before the one that failed has started, and finishes.
        for future in reversed(futures):
            future.cancel()
        return [future.result() for future in futures]
    finally:
        # A with statement would finish all work after an interruption.
        pool.shutdown(wait=False, cancel_futures=True)


def _map_with_progress(
    work: Callable[[Item], Result],
    items: list[Item],
    n_jobs: int | None,
    progress: Progress,
    stage: str,
) -> list[Result]:
    """Return results in the order of the items, and report each; can be interrupted."""
    results: list[Result] = []

    def keep(_: Item, result: Result) -> None:
        results.append(result)
        progress(stage, len(results), len(items))

    each_in_threads(work, items, keep, n_jobs)
    return results


def each_in_threads(
    work: Callable[[Item], Result],
    items: Iterable[Item],
    keep: Callable[[Item, Result], None],
    n_jobs: int | None,
    until: float | None = None,
) -> None:
    """Call keep(item, result) in this thread as results arrive, in the order of the items.

    After the time `until`, of the monotonic clock, no item is started except the first.
    """
    waiting, n_threads = iter(items), n_threads_of(n_jobs)
    started: list[tuple[Item, Future[Result]]] = []
    first = True
    pool = _Daemons(work, n_threads)
    try:
        while True:
            # One item more than threads, so that no thread waits for this one.
            while len(started) <= n_threads and (first or until is None or monotonic() < until):
                try:
                    item = next(waiting)
                except StopIteration:
                    break
                started.append((item, pool.submit(item)))
                first = False
            if not started:
                return
            item, future = started.pop(0)
            keep(item, future.result())
    finally:
        for _, future in started:
            future.cancel()
        pool.dismiss()


def in_other_thread(work: Callable[[], Result], stop: Callable[[], None]) -> Result:
    """Return the result of work that this thread waits for, so that it can be interrupted.

    An interruption calls `stop` until the work ends: what has not begun yet cannot be stopped.
    A program that ended earlier would be aborted if the work is inside of a library.
    """
    results, errors, may_begin, is_done = list[Result](), list[BaseException](), Event(), Event()

    def run() -> None:
        may_begin.wait()
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)
        is_done.set()

    thread = Thread(target=run, daemon=True)
    # An interruption while the thread starts, which nothing here notices, leaves it waiting.
    thread.start()
    try:
        may_begin.set()
        is_done.wait()  # Python 3.11 holds a thread for ended if `join` is interrupted
    except KeyboardInterrupt:
        may_begin.set()
        while not is_done.wait(SECONDS_BETWEEN_STOPS):
            stop()
        thread.join()
        raise
    if errors:
        raise errors.pop()
    return results.pop()


class _Daemons(Generic[Item, Result]):
    """Threads that work on items as they arrive, and that the program does not wait for.

    At its end a program waits for the threads of a ThreadPoolExecutor. After an interruption it
    would hang until their items are done, without a message and without a way to stop it.
    """

    def __init__(self, work: Callable[[Item], Result], n_threads: int) -> None:
        self._work = work
        self._n_threads = n_threads
        self._threads: list[Thread] = []
        self._tasks: SimpleQueue[tuple[Item, Future[Result]] | None] = SimpleQueue()

    def submit(self, item: Item) -> Future[Result]:
        """Queue an item for the next idle thread."""
        future: Future[Result] = Future()
        self._tasks.put((item, future))
        if len(self._threads) < self._n_threads:
            self._threads.append(Thread(target=self._run, daemon=True))
            self._threads[-1].start()
        return future

    def dismiss(self) -> None:
        """Let each thread end when it has finished its item."""
        for _ in self._threads:
            self._tasks.put(None)

    def _run(self) -> None:
        while (task := self._tasks.get()) is not None:
            item, future = task
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(self._work(item))
            except BaseException as error:
                future.set_exception(error)


@contextmanager
def polled(ask: Callable[[], None], seconds: float) -> Iterator[None]:
    """Call a function every few seconds, in another thread, while this one waits for something.

    An error of the function ends the calls, and is raised when the waiting is over.
    """
    over, errors = Event(), list[BaseException]()

    def poll() -> None:
        try:
            while not over.wait(seconds):
                ask()
        except BaseException as error:
            errors.append(error)

    thread = Thread(target=poll, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
    if errors:
        raise errors[0]


class _BlasLimit:
    """The number of callers inside `one_blas_thread`, and the limit they share."""

    lock = Lock()
    n_callers = 0
    limits: threadpool_limits | None = None


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let BLAS use one thread: its other threads would spin while ours work.

    The limit applies to the whole process, so the first caller sets it and the last one lifts it.
    If each caller restored what it found, one that found the limit of another would leave it
    behind forever.
    """
    with _BlasLimit.lock:
        if _BlasLimit.n_callers == 0:
            _BlasLimit.limits = threadpool_limits(1, user_api="blas")
        _BlasLimit.n_callers += 1
    try:
        yield
    finally:
        with _BlasLimit.lock:
            _BlasLimit.n_callers -= 1
            if _BlasLimit.n_callers == 0 and _BlasLimit.limits is not None:
                _BlasLimit.limits.restore_original_limits()
                _BlasLimit.limits = None
