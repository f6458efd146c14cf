"""The threads of BLAS, which are those of the whole process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from threadpoolctl import threadpool_limits

__all__ = ["one_blas_thread"]


class _BlasLimit:
    """How many are within `one_blas_thread`, and what they limit."""

    lock = Lock()
    users = 0
    limits: threadpool_limits | None = None


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let BLAS work in one thread: its others would spin while ours work.

    The limit is one of the process. So the first that comes sets it and the last that goes lifts
    it: if each restored what it met, one that met the limit of another would leave it for ever.
    """
    with _BlasLimit.lock:
        if _BlasLimit.users == 0:
            _BlasLimit.limits = threadpool_limits(1, user_api="blas")
        _BlasLimit.users += 1
    try:
        yield
    finally:
        with _BlasLimit.lock:
            _BlasLimit.users -= 1
            if _BlasLimit.users == 0 and _BlasLimit.limits is not None:
                _BlasLimit.limits.restore_original_limits()
                _BlasLimit.limits = None
