import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests._search.columns import sorted_counts

from modlearn._search.discretization import median_cut, midpoint

INF, LARGEST, TINY = math.inf, np.finfo(float).max, 5e-324


def unlabeled(values, weights=None):
    return sorted_counts(values, [None] * len(values), 2, weights)


class TestMidpoint:
    def test_it_is_midway(self):
        assert midpoint([2.9, -4.0, 0.0], [3.0, 2.0, 1e-3]).tolist() == [2.95, -1.0, 5e-4]

    @given(st.floats(allow_nan=False), st.floats(allow_nan=False))
    def test_the_left_value_lies_at_or_below_it_and_the_right_one_above(self, a, b):
        assume(a != b)
        left, right = min(a, b), max(a, b)
        assert left <= midpoint(left, right) < right

    @pytest.mark.parametrize("left", [1.0, -1.0, 0.0, TINY, -TINY, 1e9, -LARGEST])
    def test_between_neighboring_floats_it_is_the_left_one(self, left):
        assert midpoint(left, math.nextafter(left, INF)) == left

    def test_it_is_the_float_between_two_that_have_one_between(self):
        middle = math.nextafter(1e9, INF)
        assert midpoint(1e9, math.nextafter(middle, INF)) == middle

    def test_huge_values_do_not_overflow(self):
        assert midpoint(1.6e308, 1.7e308) == pytest.approx(1.65e308)
        assert midpoint(-1.7e308, -1.6e308) == pytest.approx(-1.65e308)
        assert midpoint(-LARGEST, LARGEST) == 0

    def test_beside_an_infinite_value_every_finite_number_is_on_the_finite_side(self):
        assert midpoint(5.0, INF) == LARGEST
        assert midpoint(LARGEST, INF) == LARGEST
        assert midpoint(-INF, 5.0) == -INF
        assert midpoint(-INF, -LARGEST) == -INF

    def test_between_the_infinities_it_is_zero(self):
        assert midpoint(-INF, INF) == 0

    def test_no_cuts_are_no_midpoints(self):
        assert midpoint([], []).shape == (0,)


class TestMedianCut:
    def test_it_is_the_middle_of_an_odd_number_of_values(self):
        assert median_cut(3.0, 10.0, unlabeled([4, 9, 5])) == 5

    def test_it_is_midway_between_the_two_middle_values_of_an_even_number(self):
        assert median_cut(3.0, 10.0, unlabeled([9, 4, 8, 5])) == 6.5

    def test_only_values_strictly_between_count(self):
        assert median_cut(3.0, 10.0, unlabeled([3, 10, -1, 12.5, np.nan, 4, 4, 3])) == 4

    def test_without_values_between_it_is_midway(self):
        assert median_cut(3.0, 10.0, unlabeled([3, 10, -1, 12.5, np.nan])) == 6.5
        assert median_cut(3.0, 10.0, unlabeled([])) == 6.5

    def test_only_missing_values_leave_it_midway(self):
        assert median_cut(3.0, 10.0, unlabeled([np.nan, np.nan])) == 6.5

    @given(
        st.lists(
            st.tuples(
                st.sampled_from([math.nan, -1.0, 0.0, 0.25, 1.0, 3.0, 4.0]), st.integers(1, 4)
            ),
            min_size=1,
            max_size=12,
        )
    )
    def test_weights_are_repeated_rows(self, rows):
        values, weights = zip(*rows, strict=True)
        repeated = np.repeat(values, weights)
        between = repeated[(repeated > -1) & (repeated < 4)]
        expected = np.median(between) if len(between) else 1.5
        assert median_cut(-1.0, 4.0, unlabeled(values, weights)) == expected
        assert median_cut(-1.0, 4.0, unlabeled(repeated)) == expected

    def test_neighboring_floats_have_the_lower_one_as_their_median(self):
        upper = math.nextafter(1.0, 2)
        assert median_cut(0.0, 2.0, unlabeled([upper, 1.0])) == 1.0
