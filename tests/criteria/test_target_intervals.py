import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles import regression

from modlearn.criteria import TargetCost, grouping_prior, rank_regression_cost


@st.composite
def cells(draw):
    """Counts of shape (I, T), no row and no column empty."""
    n_parts, n_intervals = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    row = st.tuples(*[st.integers(0, 12)] * n_intervals).filter(any)
    table = draw(st.lists(row, min_size=n_parts, max_size=n_parts))
    return [row for row in table if any(row)]


@given(cells())
def test_the_cost_of_a_target_interval_is_the_way_its_ranks_fall_to_the_parts(table):
    sizes = [sum(row) for row in table]
    intervals = list(zip(*table, strict=True))
    expected = [math.log(regression.interval_weight(row)) for row in intervals]
    found = TargetCost(sizes).part_costs(intervals)
    np.testing.assert_allclose(found, expected, atol=1e-10, rtol=0)


@given(st.lists(st.integers(0, 40), min_size=1, max_size=5), st.integers(1, 12))
def test_the_prior_is_a_distribution_over_the_intervals_for_every_part(sizes, most):
    expected = [regression.log_prior(sizes, n) for n in range(1, most + 1)]
    prior = TargetCost(sizes).prior
    np.testing.assert_allclose(prior(np.arange(1, most + 1)), expected, atol=1e-9, rtol=0)
    assert float(prior(most)) == pytest.approx(expected[-1], abs=1e-9)


@given(st.lists(st.integers(0, 40), min_size=1, max_size=5))
def test_the_prior_is_increasing_and_concave(sizes):
    steps = np.diff(TargetCost(sizes).prior(np.arange(1, 40)))
    assert (steps >= 0).all()
    assert (np.diff(steps) <= 1e-9).all()


@settings(deadline=None)
@given(cells())
def test_the_whole_cost_is_that_of_the_oracle(table):
    assert rank_regression_cost(table) == pytest.approx(regression.cost(table), abs=1e-9)


def test_groups_have_their_own_prior():
    table = [[8, 2], [0, 30]]
    intervals = math.log(40) + math.log(math.comb(41, 1))
    expected = regression.cost(table) - intervals + float(grouping_prior(7, 2))
    assert rank_regression_cost(table, n_values=7) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        # x = [1, 2, 3, 4], eight rows each, with cuts 2.5 and 3.5 in x, 2.5 and 4.5 in y
        ([[15, 1, 0], [0, 8, 0], [0, 0, 8]], 79.98324610096262),
        ([[32]], 88.48943126171449),
        ([[8, 2], [0, 30]], 112.8924383008463),
        ([[40]], 117.69839862298525),
        ([[6, 0], [0, 6]], 24.585085379168365),
        ([[12]], 24.957027795237885),
    ],
)
def test_published_costs(table, expected):
    assert rank_regression_cost(table) == pytest.approx(expected, abs=1e-10)
    assert regression.cost(table) == pytest.approx(expected, abs=1e-10)
