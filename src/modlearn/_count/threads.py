"""Work in threads: the kernels release the GIL and share the table's memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from joblib import effective_n_jobs

__all__ = ["map_in_threads"]

Item = TypeVar("Item")
Result = TypeVar("Result")


def map_in_threads(
    work: Callable[[Item], Result], items: Iterable[Item], n_jobs: int | None
) -> list[Result]:
    """Results in the order of the items; n_jobs as in scikit-learn, None = one thread."""
    items = list(items)
    n_threads = min(effective_n_jobs(n_jobs), len(items))
    if n_threads <= 1:
        return [work(item) for item in items]
    pool = ThreadPoolExecutor(n_threads)
    try:
        return list(pool.map(work, items))
    finally:
        # Not a with statement, which would finish all work after an interruption.
        pool.shutdown(wait=False, cancel_futures=True)
