import math
from decimal import Decimal, localcontext
from itertools import accumulate

import numpy as np
import pytest
from tests.oracles.grouping import stirling_row

from modlearn.criteria import log_binomials, log_factorials, log_partitions

TABLE_SIZE = 65536


def log_factorial_in_decimals(n):
    """Stirling's series with two terms more than the kernel's, in 50 digits."""
    with localcontext() as context:
        context.prec = 50
        x = Decimal(n)
        two_pi = Decimal("6.28318530717958647692528676655900576839433879875021")
        series = 1 / (12 * x) - 1 / (360 * x**3) + 1 / (1260 * x**5) - 1 / (1680 * x**7)
        return float((x + Decimal("0.5")) * x.ln() - x + two_pi.ln() / 2 + series)


def exact_log_partitions(n_values):
    """log B(V, I) for I from 1 to V."""
    return np.array([math.log(ways) for ways in accumulate(stirling_row(n_values)[1:])])


def test_log_factorials_of_small_numbers_are_exact():
    expected = [math.log(math.factorial(n)) for n in range(2000)]
    np.testing.assert_allclose(log_factorials(np.arange(2000)), expected, rtol=4e-16)


@pytest.mark.parametrize("n", [TABLE_SIZE - 1, TABLE_SIZE, TABLE_SIZE + 1])
def test_log_factorials_are_exact_where_the_table_ends(n):
    expected = math.log(math.factorial(n))
    assert abs(log_factorials(n) - expected) <= 2 * np.spacing(expected)


def test_log_factorials_keep_growing_by_log_n_across_the_end_of_the_table():
    n = np.arange(TABLE_SIZE - 50, TABLE_SIZE + 50)
    np.testing.assert_allclose(np.diff(log_factorials(n)), np.log(n[1:]), atol=5e-10, rtol=0)


@pytest.mark.parametrize("n", [65_536, 10**6, 10**9, 2**40 + 1, 10**15])
def test_log_factorials_of_large_numbers_are_exact_to_rounding(n):
    assert log_factorials(n) == pytest.approx(log_factorial_in_decimals(n), rel=4e-16, abs=0)


def test_log_factorials_keep_the_shape_of_their_argument():
    assert log_factorials([[0, 1, 2], [3, 4, 5]]).shape == (2, 3)
    assert log_factorials([]).shape == (0,)
    assert np.ndim(log_factorials(7)) == 0


def test_log_factorials_take_strided_numbers():
    np.testing.assert_array_equal(
        log_factorials(np.arange(10)[::-2]), log_factorials([9, 7, 5, 3, 1])
    )


def test_a_negative_number_has_no_factorial():
    with pytest.raises(ValueError, match=r"needs n >= 0, got -3"):
        log_factorials([2, -3])


def test_log_binomials_are_exact():
    n, k = np.tril_indices(80)
    expected = [math.log(math.comb(a, b)) for a, b in zip(n.tolist(), k.tolist(), strict=True)]
    np.testing.assert_allclose(log_binomials(n, k), expected, atol=2e-13, rtol=0)


def test_log_binomials_broadcast():
    assert log_binomials(6, [0, 1, 2]) == pytest.approx(np.log([1, 6, 15]))


def test_more_cannot_be_chosen_than_there_are():
    with pytest.raises(ValueError, match=r"needs n >= 0, got -1"):
        log_binomials(3, 4)


def test_log_partitions_are_exact_stirling_sums_for_all_groups_of_up_to_300_values():
    for n_values in range(1, 301):
        found = log_partitions(n_values, np.arange(1, n_values + 1))
        expected = exact_log_partitions(n_values)
        np.testing.assert_allclose(found, expected, rtol=1e-15, atol=1e-14)


def test_log_partitions_are_exact_stirling_sums_for_2000_values():
    groups = np.array([1, 2, 3, 4, 7, 50, 200, 400, 1000, 1998, 1999, 2000])
    expected = exact_log_partitions(2000)[groups - 1]
    np.testing.assert_allclose(log_partitions(2000, groups), expected, rtol=1e-15, atol=1e-14)


def test_log_partitions_of_a_million_values_have_their_closed_forms():
    n = 10**6
    found = log_partitions(n, [1, 2, 3])
    # S(V, 2) = 2^(V-1) - 1 and S(V, 3) = (3^(V-1) + 1) / 2 - 2^(V-1)
    expected = [0.0, (n - 1) * math.log(2), (n - 1) * math.log(3) - math.log(2)]
    np.testing.assert_allclose(found, expected, atol=2e-9, rtol=0)


def test_log_partitions_of_a_million_values_are_finite_and_increasing():
    groups = np.unique(
        np.concatenate((np.arange(1, 300), np.geomspace(300, 10**6, 60).astype(int)))
    )
    found = log_partitions(10**6, groups)
    assert np.isfinite(found).all()
    # Beyond the number of groups of a random partition the sum stands still.
    assert (np.diff(found)[groups[1:] < 80_000] > 0).all()
    assert (np.diff(found) > -1e-8).all()


@pytest.mark.parametrize("n_values", [5, 60, 500, 20_000])
def test_log_partitions_are_concave_in_the_number_of_groups(n_values):
    steps = np.diff(log_partitions(n_values, np.arange(1, min(n_values, 1000) + 1)))
    assert (np.diff(steps) <= 1e-9).all()


def test_more_groups_than_values_add_no_partition():
    assert log_partitions(4, [4, 5, 100]).tolist() == [log_partitions(4, 4)] * 3


def test_log_partitions_of_a_number_is_a_number():
    assert np.ndim(log_partitions(5, 2)) == 0
    assert log_partitions(5, [[2, 3]]).shape == (1, 2)


@pytest.mark.parametrize(("values", "groups"), [(0, 1), (3, 0), (3, [1, 0])])
def test_no_values_or_no_groups_are_refused(values, groups):
    with pytest.raises(ValueError, match=r"needs V >= 1 and I >= 1"):
        log_partitions(values, groups)
