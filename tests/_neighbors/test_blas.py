import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from modlearn._neighbors.blas import one_blas_thread


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
