"""Work in threads: the kernels release the GIL and share the table's memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import TypeVar

from joblib import effective_n_jobs

__all__ = ["map_in_threads"]

Item = TypeVar("Item")
Result = TypeVar("Result")


def map_in_threads(
    work: Callable[[Item], Result], items: Iterable[Item], n_jobs: int | None
) -> list[Result]:
    """Results in the order of the items; n_jobs as in scikit-learn, None = one thread.

    After an error no other item is begun; of several errors that of the first item is raised.
    """
    items = list(items)
    n_threads = min(effective_n_jobs(n_jobs), len(items))
    if n_threads <= 1:
        return [work(item) for item in items]
    pool = ThreadPoolExecutor(n_threads)
    try:
        futures = [pool.submit(work, item) for item in items]
        wait(futures, return_when=FIRST_EXCEPTION)
        # Items are begun in order: none before one that failed is cancelled.
        for future in reversed(futures):
            future.cancel()
        return [future.result() for future in futures]
    finally:
        # Not a with statement, which would finish all work after an interruption.
        pool.shutdown(wait=False, cancel_futures=True)
