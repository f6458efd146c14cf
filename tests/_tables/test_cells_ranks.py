import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from modlearn._tables.cells import BLOCK, rank_values

DTYPES = ["?", "i1", "u1", "i4", "u4", "i8", "u8", "f4", "f8", ">i4", ">f8", "M8[us]", "m8[s]"]


def assert_same_as_unique(values):
    ranks, distinct = rank_values(values)
    expected, inverse = np.unique(values, return_inverse=True)
    assert ranks.dtype == np.int32
    np.testing.assert_array_equal(ranks, inverse)
    np.testing.assert_array_equal(distinct, expected)
    assert distinct.dtype == values.dtype.newbyteorder("=")


@given(st.sampled_from(DTYPES).flatmap(lambda d: arrays.arrays(d, st.integers(0, 9))))
def test_ranks_are_those_of_numpy_unique(values):
    if values.dtype.kind in "fMm":
        values = values[~np.isnan(values)]
    assert_same_as_unique(values)


@pytest.mark.parametrize("dtype", ["i8", "i4", "u8", "f8", "f4"])
def test_small_ranges_over_several_blocks_are_ranked(dtype):
    values = np.random.default_rng(0).integers(100, 200, 2 * BLOCK + 7).astype(dtype)
    assert_same_as_unique(values)


@pytest.mark.parametrize("shift", [-(2**63), 2**62, 2**63 - 3])
def test_small_ranges_at_the_ends_of_int64_are_ranked(shift):
    assert_same_as_unique(np.array([shift + 2, shift, shift + 2], dtype=np.int64))


def test_the_greatest_unsigned_integers_are_ranked():
    assert_same_as_unique(np.array([2**64 - 1, 2**64 - 3, 0], dtype=np.uint64))


def test_strided_values_are_ranked():
    assert_same_as_unique(np.arange(20)[::-3])


def test_the_sign_of_zero_does_not_depend_on_the_row_order():
    for values in ([0.0, -0.0, 0.5], [-0.0, 0.0, 0.5]):
        assert not np.signbit(rank_values(np.array(values))[1]).any()
