import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests._neighbors.graphs import RandomGraph, flat, graphs, one_hot
from tests.oracles import propagation as oracle

from modlearn._neighbors.distributions import LabelDistributions, average_over, spread_labels
from modlearn._neighbors.graph import Neighbors

MASS = np.dtype([("high", np.float64), ("low", np.float64), ("exponent", np.int64)])


def rows_of(known, masses=None):
    """Rows with these distributions; masses as (high, exponent)."""
    known = np.array(known, dtype=np.float64)
    if masses is None:
        masses = [(0.5, 1) if row.any() else (0.0, 0) for row in known]
    stored = np.array([(high, 0.0, exponent) for high, exponent in masses], dtype=MASS)
    return LabelDistributions(known, stored)


def silent(stage, done, total):
    """No one listens."""


def spread(drawn, sweeps=0, n_jobs=1, progress=silent):
    """What is known of each row, and the order of decisions."""
    pointer, rows, weights, radii, labels = drawn.arrays
    # Every neighbor is as far away as the radius of its row.
    graph = Neighbors(pointer, rows, np.repeat(radii, np.diff(pointer)))
    return spread_labels(graph, labels, weights, sweeps, n_jobs, progress)


def chain(n):
    """A line of rows, the first labeled."""
    lists = [[p for p in (i - 1, i + 1) if 0 <= p < n] for i in range(n)]
    return RandomGraph(lists, [1.0] * n, [one_hot(0 if i == 0 else None, 1) for i in range(n)])


def assert_rows(found, rows):
    expected = np.array([oracle.normalized(row) for row in rows], dtype=np.float64)
    np.testing.assert_allclose(found.known, expected, rtol=0, atol=1e-12)
    expected = [oracle.log_mass(row) for row in rows]
    np.testing.assert_allclose(found.log_mass, expected, rtol=1e-12, atol=1e-12)


@settings(max_examples=100, deadline=None)
@given(graphs())
def test_without_sweeps_it_is_the_pass_of_the_oracle(drawn):
    found, order = spread(drawn)
    expected = oracle.propagate(drawn.neighbors, drawn.radii, drawn.labels, drawn.votes)
    assert order.tolist() == expected.order
    assert_rows(found, expected.rows)


@settings(max_examples=100, deadline=None)
@given(graphs(), st.integers(1, 3))
def test_sweeps_are_those_of_the_oracle(drawn, sweeps):
    found, order = spread(drawn, sweeps)
    rows, expected = oracle.propagate(drawn.neighbors, drawn.radii, drawn.labels, drawn.votes)
    for _ in range(sweeps):
        swept = oracle.sweep(drawn.neighbors, drawn.labels, rows, drawn.weights)
        expected += [x for x in range(len(rows)) if any(swept[x]) and not any(rows[x])]
        rows = swept
    assert_rows(found, rows)
    assert order.tolist() == expected


def test_averages_over_new_rows_are_those_of_their_neighbors():
    found, _ = spread(chain(4))
    new = average_over([flat([[0, 3], [], [1, 2, 3]])], None, found, 1)
    np.testing.assert_allclose(new.unknown_mass, [3 / 8, 1, 2 / 3], rtol=1e-12)


@pytest.mark.parametrize("step", [1, 3, 1000])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_neither_steps_nor_threads_change_the_result(step, n_jobs, monkeypatch):
    expected, _ = spread(chain(40), sweeps=2)
    monkeypatch.setattr("modlearn._neighbors.distributions.STEP", step)
    found, _ = spread(chain(40), sweeps=2, n_jobs=n_jobs)
    np.testing.assert_array_equal(found.known, expected.known)
    np.testing.assert_array_equal(found.masses, expected.masses)


def calls_of(drawn, sweeps=0):
    """What progress is called with."""
    calls = []
    spread(drawn, sweeps, progress=lambda *call: calls.append(call))
    return calls


def test_progress_rises_to_the_number_of_rows_without_a_label(monkeypatch):
    monkeypatch.setattr("modlearn._neighbors.distributions.STEP", 4)
    assert calls_of(chain(10)) == [("rows", 4, 9), ("rows", 8, 9), ("rows", 9, 9)]


def test_progress_counts_sweeps():
    assert calls_of(chain(3), sweeps=2)[1:] == [("sweeps", 1, 2), ("sweeps", 2, 2)]


def test_progress_ends_with_all_rows_although_some_stay_undecided():
    labels = [one_hot(0 if i == 0 else None, 1) for i in range(4)]
    assert calls_of(RandomGraph([[1], [0], [3], [2]], [1.0] * 4, labels)) == [("rows", 3, 3)]


def test_a_table_of_labels_makes_no_progress():
    assert calls_of(RandomGraph([[1], [0]], [1.0] * 2, [one_hot(0, 2), one_hot(1, 2)])) == []


# what is known


def test_the_mass_is_kept_as_a_logarithm():
    rows = rows_of([[1.0], [1.0], [0.0]], [(0.5, 1), (0.5, -99_999), (0.0, 0)])
    expected = [0.0, -100_000 * np.log(2), -np.inf]
    np.testing.assert_allclose(rows.log_mass, expected, rtol=1e-15)


def test_the_unknown_mass_is_what_the_known_lacks_to_one():
    rows = rows_of([[1.0]] * 3 + [[0.0]], [(0.5, 1), (0.5, -1), (0.5, -99_999), (0.0, 0)])
    np.testing.assert_allclose(rows.unknown_mass, [0.0, 0.75, 1.0, 1.0], rtol=1e-15)


def test_a_mass_however_small_decides_a_row():
    rows = rows_of([[1.0], [0.0]], [(0.5, -99_999), (0.0, 0)])
    assert rows.undecided.tolist() == [False, True]
