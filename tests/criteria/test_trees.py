"""The cost of trees against exact integers."""

import math

import pytest
from tests.oracles import trees as oracle

from modlearn.criteria import split_prior, tree_cost, tree_prior

PARITY = [((a, b, c), (a + b + c) % 2) for a in (0, 1) for b in (0, 1) for c in (0, 1)]


def split(column, low, high):
    return oracle.Split(column, ((0,), (1,)), (low, high))


def test_cost_of_a_leaf_is_that_of_exact_integers():
    expected = oracle.cost(None, PARITY * 3, (True, True, True), 2)
    assert tree_cost([[12, 12]], K=3) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("ordered", [(True, True, True), (False, False, False)])
def test_cost_of_a_tree_with_groups_is_that_of_exact_integers(ordered):
    ends = split(2, None, None)
    tree = split(0, split(1, ends, ends), split(1, ends, ends))
    V = None if ordered[0] else 2
    splits = [(80, V, 2), *[(40, V, 2)] * 2, *[(20, V, 2)] * 4]
    found = tree_cost([[40, 0], [0, 40]], 3, 3, splits, n_leaves=8)
    expected = oracle.cost(tree, PARITY * 10, ordered, 2)
    assert found == pytest.approx(expected, abs=1e-10)


def test_cost_of_a_tree_whose_leaves_stand_alone_is_that_of_exact_integers():
    rows = [((0, 0), 0)] * 9 + [((1, 0), 1)] * 7 + [((1, 1), 2)] * 8
    tree = split(0, None, split(1, None, None))
    splits = [(24, None, 2), (15, None, 2)]
    found = tree_cost([[9, 0, 0], [0, 7, 0], [0, 0, 8]], 2, 2, splits, n_leaves=3)
    assert found == pytest.approx(oracle.cost(tree, rows, (True, True), 3), abs=1e-10)


def test_a_split_pays_for_its_node_its_column_and_its_parts():
    assert split_prior(3, 10, None, 2) == pytest.approx(math.log(2 * 3 * 10 * 11))
    assert split_prior(3, 10, 4, 2) == pytest.approx(math.log(2 * 3 * 4 * 8))


def test_prior_of_a_tree_adds_up():
    splits = [(10, None, 2), (6, 3, 3)]
    expected = math.log(6 * math.comb(6, 2)) + sum(split_prior(2, *one) for one in splits)
    assert tree_prior(5, 2, splits, 4) == pytest.approx(expected + 4 * math.log(2))


def test_more_groups_than_leaves_are_refused():
    with pytest.raises(ValueError, match="2 groups need at least as many leaves, got n_leaves=1"):
        tree_cost([[1, 0], [0, 1]], K=2)
