"""Parts that are put together."""

import numpy as np
from tests._model.conftest import make_groups, make_intervals

from modlearn._model.merging import merged
from modlearn.criteria import discretization_cost, grouping_cost


def test_intervals_without_a_cut_are_one():
    intervals = make_intervals([1.0, 2.0, 3.0], [[1, 0], [2, 1], [0, 4], [5, 5]])
    found = merged(intervals, np.array([0, 0, 1, 2]))
    assert found.cuts.tolist() == [2.0, 3.0]
    assert found.sides.tolist() == intervals.sides[1:].tolist()
    assert found.counts.tolist() == [[3, 1], [0, 4], [5, 5]]
    assert found.cost == discretization_cost(found.counts)


def test_missing_values_stay_alone_or_join_the_lowest_interval():
    intervals = make_intervals([1.0, 2.0], missing_alone=True, n_missing=2)
    alone = merged(intervals, np.array([0, 1, 1, 2]))
    joined = merged(intervals, np.array([0, 0, 1, 1]))
    assert alone.labels == ["missing", "(-inf, 2]", "(2, inf)"]
    assert joined.labels == ["missing or (-inf, 1]", "(1, inf)"]
    assert merged(intervals, np.zeros(4, dtype=np.intp)).labels == ["missing or (-inf, inf)"]


def test_groups_have_the_values_of_those_before():
    groups = make_groups([["a"], ["b", "c"], [None]], [[4, 0], [1, 2], [1, 1]])
    found = merged(groups, np.array([0, 1, 0]))
    assert found.groups == (("a", None), ("b", "c"))
    assert found.counts.tolist() == [[5, 1], [1, 2]]
    assert found.cost == grouping_cost(found.counts, 4)
