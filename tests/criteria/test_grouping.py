import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.oracles import grouping as oracle

from modlearn.criteria import grouping_cost, grouping_prior

CLOSE = {"abs": 1e-9, "rel": 0}


@given(st.integers(1, 60), st.integers(1, 60))
def test_the_prior_is_exact(n_values, n_groups):
    n_groups = min(n_values, n_groups)
    expected = math.log(n_values) + oracle.log_b(n_values, n_groups)
    assert grouping_prior(n_values, n_groups) == pytest.approx(expected, **CLOSE)


@given(
    st.integers(1, 4).flatmap(
        lambda j: st.lists(st.tuples(*[st.integers(0, 40)] * j), min_size=1, max_size=5)
    ),
    st.integers(0, 20),
)
def test_the_cost_is_exact(groups, more_values):
    n_values = len(groups) + more_values
    expected = oracle.cost(n_values, groups)
    assert grouping_cost(groups, n_values) == pytest.approx(expected, **CLOSE)


def test_the_published_groups_of_mushroom_cap_colors_have_their_cost():
    groups = [
        (429 + 285 + 37 + 40, 637 + 458 + 85 + 61),  # red, yellow, buff, pink
        (889, 721),  # brown
        (892, 566),  # gray
        (497 + 22, 214 + 9),  # white, cinnamon
        (13 + 10, 0),  # green, purple
    ]
    assert grouping_cost(groups, n_values=10) == pytest.approx(3923.407854595265, **CLOSE)


def test_more_groups_than_values_are_refused():
    with pytest.raises(ValueError, match="3 groups need at least as many values, got V=2"):
        grouping_cost([[1, 0], [0, 1], [2, 2]], n_values=2)
