import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests._neighbors.graphs import RandomGraph, flat, graphs, one_hot
from tests.oracles import propagation as oracle

from modlearn._neighbors.propagation import Propagation, average_rows, log_masses


def spread(*arrays, step=None):
    """Distributions, masses and order after the pass."""
    run = Propagation(*arrays)
    more = True
    while more:
        _, more = run.advance(step or len(arrays[-1]))
    return run.result()


def twin(drawn):
    return oracle.propagate(drawn.neighbors, drawn.radii, drawn.labels, drawn.votes)


def assert_rows(known, masses, rows):
    """Equal to the fractions but for the last digits, however small the mass."""
    expected = np.array([oracle.normalized(row) for row in rows], dtype=np.float64)
    np.testing.assert_allclose(known, expected.reshape(known.shape), rtol=0, atol=1e-12)
    expected = np.array([oracle.log_mass(row) for row in rows])
    np.testing.assert_allclose(log_masses(masses), expected, rtol=1e-12, atol=1e-12)


def chain(n, labels, n_classes, radii=None):
    """Rows in a line, each between its two neighbors; labels by row."""
    neighbors = [[p for p in (i - 1, i + 1) if 0 <= p < n] for i in range(n)]
    given = [one_hot(labels.get(i), n_classes) for i in range(n)]
    return RandomGraph(neighbors, [1.0] * n if radii is None else radii, given)


@settings(max_examples=400, deadline=None)
@given(graphs())
def test_it_is_the_pass_of_the_oracle(drawn):
    known, masses, order = spread(*drawn.arrays)
    expected = twin(drawn)
    assert order.tolist() == expected.order
    assert_rows(known, masses, expected.rows)


@settings(max_examples=50, deadline=None)
@given(graphs(), st.integers(1, 4))
def test_the_pass_can_be_cut_into_steps(drawn, step):
    whole, parts = spread(*drawn.arrays), spread(*drawn.arrays, step=step)
    assert [part.tolist() for part in parts] == [part.tolist() for part in whole]


def test_each_step_says_how_many_are_decided_and_whether_any_is_left():
    run = Propagation(*chain(6, {0: 0}, 1).arrays)
    assert [run.advance(2), run.advance(2), run.advance(2)] == [(2, True), (4, True), (5, False)]
    assert run.advance(2) == (5, False)


def test_the_unknown_mass_is_kept():
    # Half of row 1 is known, and half of that half reaches row 2.
    known, masses, order = spread(*chain(4, {0: 1}, 2).arrays)
    assert known.tolist() == [[0.0, 1.0]] * 4
    np.testing.assert_array_equal(
        np.exp2(masses["exponent"]) * masses["high"], [1, 0.5, 0.25, 0.25]
    )
    assert order.tolist() == [1, 2, 3]


def test_more_known_mass_goes_first_then_the_smaller_radius_then_the_earlier_row():
    # One of two neighbors of rows 2 to 4 has a label, and both of row 5.
    neighbors = [[1], [0], [0, 3], [0, 2], [0, 3], [0, 1]]
    labels = [one_hot(0, 1)] * 2 + [one_hot(None, 1)] * 4
    drawn = RandomGraph(neighbors, [9.0, 9.0, 2.0, 2.0, 1.0, 3.0], labels)
    assert spread(*drawn.arrays)[2].tolist() == [5, 4, 2, 3] == twin(drawn).order


def test_a_component_without_label_abstains():
    neighbors = [[1], [0], [3], [2], []]
    labels = [one_hot(i if i == 0 else None, 2) for i in range(5)]
    known, masses, order = spread(*RandomGraph(neighbors, [1.0] * 5, labels).arrays)
    assert order.tolist() == [1]
    assert known[2:].tolist() == [[0.0, 0.0]] * 3
    assert log_masses(masses)[2:].tolist() == [-math.inf] * 3


def test_labels_go_along_the_lists_and_not_against_them():
    # Row 2 lists the labeled row, which lists no one; nobody lists row 2.
    drawn = RandomGraph([[], [], [0]], [1.0] * 3, [one_hot(0, 1)] + [one_hot(None, 1)] * 2)
    assert spread(*drawn.arrays)[2].tolist() == [2]


def test_a_vote_of_zero_is_not_informative():
    neighbors, weights = [[1], [0], [0, 1]], [0, 1, 1]
    labels = [one_hot(0, 1), one_hot(None, 1), one_hot(None, 1)]
    assert spread(*RandomGraph(neighbors, [1.0] * 3, labels, weights).arrays)[2].tolist() == []


def test_a_table_of_labels_has_no_one_to_decide():
    known, _, order = spread(*chain(3, {0: 0, 1: 1, 2: 0}, 2).arrays)
    assert known.tolist() == [[1, 0], [0, 1], [1, 0]]
    assert order.tolist() == []


# far from labels


def test_a_chain_of_100_000_rows_is_decided_to_its_middle():
    n, half = 100_000, 50_000
    pointer = np.concatenate(([0], np.arange(1, 2 * n - 2, 2), [2 * n - 2])).astype(np.int64)
    rows = np.column_stack((np.arange(n) - 1, np.arange(n) + 1)).reshape(-1)[1:-1]
    labels = np.zeros((n, 2))
    labels[0, 0] = labels[-1, 1] = 1.0
    arrays = pointer, rows.astype(np.int32), None, np.ones(n), labels
    known, masses, order = spread(*arrays)
    assert len(order) == n - 2
    assert known.argmax(1).tolist() == [0] * half + [1] * half
    # Half of what is known is lost at every step, in both directions.
    expected = -np.arange(half - 1) * math.log(2)
    np.testing.assert_allclose(log_masses(masses)[: half - 1], expected, rtol=1e-12)
    np.testing.assert_allclose(log_masses(masses)[: half + 1 : -1], expected[:-1], rtol=1e-12)


@pytest.mark.parametrize("n_neighbors", [3, 5])
def test_masses_below_the_least_double_are_those_of_the_oracle(n_neighbors):
    # A thread: of the neighbors of a row only the one before it is known when its turn comes.
    n = 1500
    steps = (-1, *range(1, n_neighbors))
    neighbors = [[i + j for j in steps if 0 <= i + j < n] for i in range(n)]
    labels = [one_hot(i if i < 2 else None, 2) for i in range(n)]
    known, masses, order = spread(*RandomGraph(neighbors, [1.0] * n, labels).arrays)
    rows = list(labels)
    for x in order:
        rows[x] = oracle.average(neighbors[x], [Fraction(1)] * len(neighbors[x]), rows)
    assert len(order) == n - 2
    assert min(log_masses(masses)) < math.log(5e-324)
    assert_rows(known, masses, rows)


def mirrored(n_pairs, order_of_lists, radii):
    """Two lines side by side that receive equal votes, each through lists in its own order.

    Row 2i and row 2i + 1 list the same three pairs before them.
    """
    rng = np.random.default_rng(0)
    labels = [one_hot(0 if i < 6 else None, 1) for i in range(2 * n_pairs)]
    neighbors = [[p for p in range(6) if p != i][:5] for i in range(6)]
    for pair in range(3, n_pairs):
        near = [2 * p + side for p in range(pair - 3, pair) for side in (0, 1)][:5]
        far = [(2 * pair + j) % (2 * n_pairs) for j in range(2, 4)]
        for _ in range(2):
            neighbors.append(order_of_lists(rng, near + far))
    return RandomGraph(neighbors, radii, labels)


def test_masses_equal_on_paper_tie_whatever_the_order_of_their_sums():
    n_pairs = 300
    radii = np.random.default_rng(1).permutation(2 * n_pairs) / 7
    drawn = mirrored(n_pairs, lambda rng, near: rng.permutation(near).tolist(), radii.tolist())
    _, masses, order = spread(*drawn.arrays)
    position = np.empty(2 * n_pairs, dtype=int)
    position[order] = np.arange(len(order))
    # Of two rows of a pair the one with the smaller radius is first, sevenths added up or not.
    first = position[6::2] < position[7::2]
    np.testing.assert_array_equal(first, radii[6::2] < radii[7::2])
    # Sevenths of sevenths, so that hardly a mass is a double.
    assert min(log_masses(masses)) < -30


def test_a_soft_label_of_any_size_is_a_mass():
    labels = [(Fraction(1, 2**1000), Fraction(3, 2**1000)), one_hot(None, 2), one_hot(None, 2)]
    drawn = RandomGraph([[1], [0, 2], [1]], [1.0] * 3, labels)
    known, masses, _ = spread(*drawn.arrays)
    assert_rows(known, masses, twin(drawn).rows)


@pytest.mark.parametrize("vote", [1e-300, 0.3, 1e200])
def test_equal_votes_of_any_size_cancel_out(vote):
    drawn = chain(5, {0: 0, 4: 1}, 2)
    weighted = RandomGraph(drawn.neighbors, drawn.radii, drawn.labels, [vote] * 5)
    known, masses, order = spread(*weighted.arrays)
    expected = twin(drawn)
    assert order.tolist() == expected.order
    assert_rows(known, masses, expected.rows)


# averages of rows that are decided


def averages(graphs, weights, known, masses, spans):
    """Averages over the rows of one or two lists of lists."""
    n = len(graphs[0])
    out, out_masses = np.zeros((n, known.shape[1])), np.zeros(n, dtype=masses.dtype)
    for first, last in spans:
        average_rows(list(map(flat, graphs)), weights, masses, known, first, last, out, out_masses)
    return out, out_masses


@settings(max_examples=200, deadline=None)
@given(graphs(), st.booleans())
def test_averages_of_all_rows_are_those_of_the_oracle(drawn, both_ways):
    known, masses, _ = spread(*drawn.arrays)
    n = len(drawn.labels)
    used = [drawn.neighbors, oracle.reverse(drawn.neighbors)][: 1 + both_ways]
    lists = [[p for near in group for p in near] for group in zip(*used, strict=True)]
    votes, rows = drawn.votes_in(lists), twin(drawn).rows
    expected = [oracle.average(lists[x], votes[x], rows) for x in range(n)]
    assert_rows(*averages(used, drawn.arrays[2], known, masses, [(0, n)]), expected)


@given(graphs())
def test_reverse_lists_name_the_rows_that_list_a_row(drawn):
    pointer, rows = Propagation(*drawn.arrays).reverse_lists()
    found = [rows[a:b].tolist() for a, b in pairwise(pointer)]
    assert found == oracle.reverse(drawn.neighbors)


def test_averages_can_be_taken_a_few_rows_at_a_time():
    drawn = chain(9, {0: 0, 8: 1}, 2)
    known, masses, _ = spread(*drawn.arrays)
    whole = averages([drawn.neighbors], None, known, masses, [(0, 9)])
    parts = averages([drawn.neighbors], None, known, masses, pairwise([0, 2, 3, 9]))
    assert [part.tolist() for part in parts] == [part.tolist() for part in whole]


def test_rows_without_neighbors_know_nothing():
    known, masses, _ = spread(*chain(2, {0: 0}, 1).arrays)
    out, out_masses = averages([[[], [], []]], None, known, masses, [(0, 3)])
    assert out.tolist() == [[0.0]] * 3
    assert log_masses(out_masses).tolist() == [-math.inf] * 3
