"""The search for trees against all trees of tiny tables."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles import trees as oracle

from modlearn._search.trees import Examples, GrowingTree, best_parts, seeded_tree
from modlearn._search.triples import triple_seed
from modlearn._statistics.profiles import Profiles


def examples_of(rows, ordered, n_classes=2):
    """Rows as the oracle has them; every value of a column occurs."""
    values = np.array([own for own, _ in rows], dtype=np.int32).T
    classes = np.array([label for _, label in rows], dtype=np.int32)
    profiles = Profiles(values, classes, np.ones(len(rows)))
    sizes = (values.max(axis=1) + 1).tolist()
    return Examples.of(profiles, sizes, ordered, n_classes)


def grown(examples, seed=(), most=4):
    tree = seeded_tree(examples, seed)
    tree.grow(most)
    tree.prune()
    return tree.found()


def leaf_of(tree, values):
    """Follow a row through the branches, to a group of leaves."""
    number = 0
    while number < len(tree.branches):
        branch = tree.branches[number]
        number = int(branch.following[values[branch.axis]])
    return number - len(tree.branches)


PARITY = [((a, b, c), (a + b + c) % 2) for a in (0, 1) for b in (0, 1) for c in (0, 1)]
NESTED = [((a, b, c), b if a else c) for a in (0, 1) for b in (0, 1) for c in (0, 1)]


@pytest.mark.parametrize("ordered", [True, False])
def test_a_nested_rule_has_the_tree_of_least_cost_from_its_seed(ordered):
    rows, halves = NESTED * 20, np.array([0, 1])
    tree = grown(examples_of(rows, [ordered] * 3), [(1, halves), (0, halves)])
    assert len(tree.branches) == 3
    assert tree.cost == pytest.approx(oracle.brute_force(rows, [ordered] * 3, 2), abs=1e-9)


@pytest.mark.parametrize("ordered", [True, False])
def test_the_parity_of_three_columns_has_the_tree_of_least_cost_from_its_seed(ordered):
    rows = PARITY * 25
    examples = examples_of(rows, [ordered] * 3)
    assert not grown(examples).branches
    tree = grown(examples, triple_seed(examples, (0, 1, 2)))
    assert tree.cost == pytest.approx(oracle.brute_force(rows, [ordered] * 3, 2), abs=1e-9)
    assert tree.counts.tolist() == [[100, 0], [0, 100]]


TABLES = st.lists(
    st.tuples(st.tuples(st.integers(0, 2), st.integers(0, 1)), st.integers(0, 1)), min_size=1
)


@settings(max_examples=40, deadline=None)
@given(TABLES, st.booleans(), st.booleans())
def test_no_tree_costs_less_than_the_best_of_all_and_none_more_than_a_leaf(rows, first, second):
    rows = [*rows, ((0, 0), 0), ((1, 1), 1), ((2, 0), 1)]
    ordered = [first, second]
    seed = [(0, np.array([0, 1, 2])), (1, np.array([0, 1]))]
    for tree in (grown(examples_of(rows, ordered)), grown(examples_of(rows, ordered), seed)):
        assert tree.null_cost == pytest.approx(oracle.cost(None, rows, ordered, 2), abs=1e-9)
        assert tree.cost >= oracle.brute_force(rows, ordered, 2) - 1e-9


@settings(max_examples=40, deadline=None)
@given(TABLES)
def test_a_tree_counts_the_rows_that_reach_its_leaves(rows):
    rows = [*rows, ((0, 0), 0), ((1, 1), 1), ((2, 0), 1)]
    seed = [(0, np.array([0, 1, 2])), (1, np.array([0, 1]))]
    tree = GrowingTree(examples_of(rows, [True, False]), seed).found()
    counts = np.zeros_like(tree.counts)
    for values, label in rows:
        counts[leaf_of(tree, values), label] += 1
    assert counts.tolist() == tree.counts.tolist()


def test_a_tree_uses_no_more_columns_than_allowed():
    examples = examples_of(NESTED * 20, [True] * 3)
    assert len(grown(examples, most=3).axes) == 3
    assert len(grown(examples, most=2).axes) <= 2


def test_the_same_splits_of_other_rows_have_their_counts():
    examples = examples_of(NESTED * 20, [True] * 3)
    tree = GrowingTree(examples.first(80))
    tree.grow(3)
    assert tree.on(examples).found().counts.sum() == 160


def test_the_order_of_classes_does_not_change_a_tree():
    rows = [(values, (label, 2)[k % 5 == 0]) for k, (values, label) in enumerate(NESTED * 15)]
    swapped = [(values, (2, 0, 1)[label]) for values, label in rows]
    one = grown(examples_of(rows, [True, False, True], 3))
    other = grown(examples_of(swapped, [True, False, True], 3))
    assert one.cost == pytest.approx(other.cost, abs=1e-9)
    assert one.counts.tolist() == other.counts[:, [2, 0, 1]].tolist()


def test_values_without_rows_belong_to_the_interval_below_or_to_the_largest_group():
    counts = np.array([[0, 0], [30, 0], [0, 0], [0, 40], [0, 0]])
    assert best_parts(counts, ordered=True).tolist() == [0, 0, 0, 1, 1]
    assert best_parts(counts, ordered=False).tolist() == [0, 1, 0, 0, 0]
