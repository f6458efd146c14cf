import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from modlearn._statistics.sorting import sort_with_payload

TINY = 5e-324
EDGES = [math.nan, -math.inf, math.inf, 0.0, -0.0, TINY, -TINY, 1e-310, -1e-310, 1e308, -1e308]
SIZES = [0, 1, 2, 47, 48, 49, 50, 1000, 2**17, 2**17 + 1, 400_000]


def near_equal(rng, n):
    """Neighboring floats by the thousand: they agree in all leading bits."""
    return (np.full(n, 1e9).view(np.int64) + rng.integers(-300, 300, n)).view(np.float64)


COLUMNS = {
    "distinct": lambda rng, n: rng.normal(size=n),
    "whole numbers": lambda rng, n: rng.integers(-50, 50, n).astype(float),
    "all equal": lambda rng, n: np.full(n, 2.5),
    "all missing": lambda rng, n: np.full(n, np.nan),
    "increasing": lambda rng, n: np.arange(n) - n / 2,
    "decreasing": lambda rng, n: np.arange(n)[::-1] / 3,
    "1e9 and tiny differences": near_equal,
    "near-equal and far apart": lambda rng, n: np.where(
        rng.random(n) < 0.7, near_equal(rng, n), rng.normal(size=n)
    ),
    "near-equal, missing and infinite": lambda rng, n: np.where(
        rng.random(n) < 0.7, near_equal(rng, n), rng.choice([math.nan, math.inf], n)
    ),
    "subnormal": lambda rng, n: rng.integers(-9, 9, n) * TINY,
    "every order of magnitude": lambda rng, n: (
        rng.normal(size=n) * 10.0 ** rng.integers(-300, 300, n)
    ),
    "any bits": lambda rng, n: rng.integers(0, 2**64, n, dtype=np.uint64).view(np.float64),
    "edges": lambda rng, n: rng.choice(EDGES, n),
}


def assert_stable_sort(values):
    """Missing first, then increasing; equal values in the order they came."""
    values = np.asarray(values, dtype=np.float64)
    found, payload = sort_with_payload(values, np.arange(len(values), dtype=np.int32))
    order = np.lexsort((values, ~np.isnan(values)))
    assert (found.dtype, payload.dtype) == (np.float64, np.int32)
    np.testing.assert_array_equal(payload, order)
    np.testing.assert_array_equal(found, values[order])


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("column", COLUMNS)
def test_it_is_a_stable_sort_with_missing_first(column, n):
    with np.errstate(over="ignore"):
        assert_stable_sort(COLUMNS[column](np.random.default_rng(n), n))


@settings(deadline=None)
@given(st.lists(st.floats() | st.sampled_from(EDGES), max_size=150))
@example([0.0, -0.0] * 30 + [-TINY, TINY] * 30)
def test_any_floats_are_sorted(values):
    assert_stable_sort(values)


@settings(deadline=None)
@given(
    st.lists(st.integers(0, 63), min_size=2, max_size=4),
    st.lists(st.integers(0, 15), min_size=49, max_size=300),
)
def test_keys_that_differ_in_few_bits_anywhere_are_sorted(positions, choices):
    bits = np.zeros(len(choices), dtype=np.uint64)
    for k, position in enumerate(positions):
        chosen = (np.array(choices, dtype=np.uint64) >> np.uint64(k)) & np.uint64(1)
        bits |= chosen << np.uint64(position)
    assert_stable_sort(bits.view(np.float64))


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int32])
def test_every_type_of_payload_is_carried_along(dtype):
    rng = np.random.default_rng(0)
    values = rng.normal(size=200_000).round(3)
    payload = rng.integers(0, 200, len(values)).astype(dtype)
    found, carried = sort_with_payload(values, payload)
    order = np.argsort(values, kind="stable")
    assert carried.dtype == dtype
    np.testing.assert_array_equal(carried, payload[order])
    np.testing.assert_array_equal(found, values[order])


def test_minus_zero_and_zero_are_the_same_value():
    values, payload = sort_with_payload(
        np.array([0.0, -0.0, 0.0, -1.0]), np.array([0, 1, 2, 3], dtype=np.int32)
    )
    assert payload.tolist() == [3, 0, 1, 2]
    assert not np.signbit(values[1:]).any()


def test_every_kind_of_missing_is_the_same_value():
    bits = np.array([0x7FF8000000000000, 0xFFF8000000000001, 0x7FF0000000000001], dtype=np.uint64)
    values, payload = sort_with_payload(bits.view(np.float64), np.array([7, 8, 9], dtype=np.int32))
    assert np.isnan(values).all()
    assert payload.tolist() == [7, 8, 9]


def test_the_given_arrays_are_left_alone():
    values, payload = np.array([3.0, -0.0, 1.0]), np.array([0, 1, 2], dtype=np.int32)
    values.flags.writeable = payload.flags.writeable = False
    sort_with_payload(values, payload)
    assert values.tolist() == [3.0, 0.0, 1.0]
    assert payload.tolist() == [0, 1, 2]
