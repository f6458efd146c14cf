from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests._optimize.graphs import flat, graphs
from tests.oracles import propagation as oracle

from modlearn._count.neighbors import Neighbors
from modlearn._estimate.spreading import average_over, propagate, sweep


def neighbors_of(lists, radii=None):
    """Lists as neighbours, every one as far away as the radius of its row."""
    radii = [1.0] * len(lists) if radii is None else radii
    pointer, rows, _ = flat(lists)
    far = np.repeat(np.array(radii, dtype=np.float64), np.diff(pointer))
    return Neighbors(pointer, rows, far)


def silent(done, total):
    """No one listens."""


def spread(drawn, progress=silent):
    """Neighbours, votes, labels, and what the pass finds."""
    neighbors = neighbors_of(drawn.neighbors, drawn.radii)
    _, _, votes, _, labels = drawn.arrays
    return neighbors, votes, labels, *propagate(neighbors, votes, labels, progress)


def chain(n):
    """A line of rows, the first labelled."""
    lists = [[p for p in (i - 1, i + 1) if 0 <= p < n] for i in range(n)]
    return neighbors_of(lists), np.eye(n, 1)


def assert_rows(found, rows):
    expected = np.array([oracle.normalized(row) for row in rows], dtype=np.float64)
    np.testing.assert_allclose(found.known, expected, rtol=0, atol=1e-12)
    expected = [oracle.log_mass(row) for row in rows]
    np.testing.assert_allclose(found.log_mass, expected, rtol=1e-12, atol=1e-12)


@settings(max_examples=100, deadline=None)
@given(graphs())
def test_the_pass_is_that_of_the_oracle(drawn):
    *_, found, order = spread(drawn)
    expected = oracle.propagate(drawn.neighbors, drawn.radii, drawn.labels, drawn.votes)
    assert order.tolist() == expected.order
    assert_rows(found, expected.rows)


@settings(max_examples=100, deadline=None)
@given(graphs(), st.integers(1, 3))
def test_sweeps_are_those_of_the_oracle(drawn, n_sweeps):
    neighbors, votes, labels, found, _ = spread(drawn)
    rows = oracle.propagate(drawn.neighbors, drawn.radii, drawn.labels, drawn.votes).rows
    for _ in range(n_sweeps):
        found = sweep(neighbors, votes, found, labels.any(1), 1)
        rows = oracle.sweep(drawn.neighbors, drawn.labels, rows, drawn.votes)
    assert_rows(found, rows)


def test_a_sweep_leaves_what_it_starts_from_alone():
    neighbors, labels = chain(5)
    found, _ = propagate(neighbors, None, labels, silent)
    before = found.known.copy(), found.masses.copy()
    sweep(neighbors, None, found, labels.any(1), 1)
    np.testing.assert_array_equal(found.known, before[0])
    np.testing.assert_array_equal(found.masses, before[1])


def test_averages_over_new_rows_are_those_of_their_neighbours():
    neighbors, labels = chain(4)
    found, _ = propagate(neighbors, None, labels, silent)
    new = average_over(neighbors_of([[0, 3], [], [1, 2, 3]]), None, found, 1)
    assert_rows(new, [(Fraction(5, 8),), (Fraction(0),), (Fraction(1, 3),)])


@pytest.mark.parametrize("step", [1, 3, 1000])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_neither_steps_nor_threads_change_the_averages(step, n_jobs, monkeypatch):
    neighbors, labels = chain(40)
    rows, _ = propagate(neighbors, None, labels, silent)
    expected = sweep(neighbors, None, rows, labels.any(1), 1)
    monkeypatch.setattr("modlearn._estimate.spreading.STEP", step)
    rows, _ = propagate(neighbors, None, labels, silent)
    found = sweep(neighbors, None, rows, labels.any(1), n_jobs)
    np.testing.assert_array_equal(found.known, expected.known)
    np.testing.assert_array_equal(found.masses, expected.masses)


def test_progress_rises_to_the_number_of_rows_without_a_label(monkeypatch):
    monkeypatch.setattr("modlearn._estimate.spreading.STEP", 4)
    calls = []
    neighbors, labels = chain(10)
    propagate(neighbors, None, labels, lambda *counts: calls.append(counts))
    assert calls == [(4, 9), (8, 9), (9, 9)]


def test_progress_ends_with_all_rows_although_some_stay_undecided():
    calls = []
    neighbors = neighbors_of([[1], [0], [3], [2]])
    propagate(neighbors, None, np.eye(4, 1), lambda *counts: calls.append(counts))
    assert calls[-1] == (3, 3)


def test_a_table_of_labels_makes_no_progress():
    calls = []
    found, order = propagate(
        neighbors_of([[1], [0]]), None, np.eye(2), lambda *counts: calls.append(counts)
    )
    assert (calls, order.tolist()) == ([], [])
    assert found.known.tolist() == [[1, 0], [0, 1]]
