import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from modlearn._neighbors._selection import keep_best, keep_best_pairs

KINDS = [np.float32, np.float64]


def nothing(m, c, kind=np.float64):
    """No best yet: scores, rows, and the least score."""
    scores = np.full((m, c), -np.inf, dtype=kind)
    return scores, np.full((m, c), -1, dtype=np.int32), np.full(m, -np.inf, dtype=kind)


def matrices(n_columns):
    """Scores with many ties."""
    shape = st.tuples(st.integers(1, 5), n_columns)
    return arrays(np.float64, shape, elements=st.integers(-4, 4))


def assert_best(found, scores, c):
    """The c best scores are kept, each with the row it belongs to, and the least is known."""
    best, rows, least = found
    expected = -np.sort(-scores, axis=1)[:, :c]
    np.testing.assert_array_equal(-np.sort(-best, axis=1), expected)
    np.testing.assert_array_equal(np.take_along_axis(scores, rows, axis=1), best)
    np.testing.assert_array_equal(least, expected[:, -1])
    assert all(len(set(kept)) == c for kept in rows.tolist())


@given(matrices(st.integers(1, 200)), st.data())
def test_the_best_scores_are_kept_whatever_the_blocks(scores, data):
    n = scores.shape[1]
    c, cut = data.draw(st.integers(1, n)), data.draw(st.integers(1, n))
    found = nothing(len(scores), c)
    for start in range(0, n, cut):
        keep_best(np.ascontiguousarray(scores[:, start : start + cut]), start, *found)
    assert_best(found, scores, c)


@given(st.integers(2, 150), st.integers(1, 150), st.integers(0, 99), st.data())
def test_a_score_of_a_pair_counts_for_both_rows_whatever_the_blocks(n, cut, seed, data):
    c = data.draw(st.integers(1, n - 1))
    half = np.random.default_rng(seed).integers(-9, 9, (n, n)).astype(float)
    scores = half + half.T
    found = nothing(n, c)
    for first in range(0, n, cut):
        for other in range(first, n, cut):
            block = scores[first : first + cut, other : other + cut]
            keep_best_pairs(np.ascontiguousarray(block), first, other, *found)
    np.fill_diagonal(scores, -np.inf)
    assert_best(found, scores, c)


@pytest.mark.parametrize("kind", KINDS)
def test_scores_of_both_precisions_are_kept(kind):
    scores = np.random.default_rng(0).normal(size=(3, 500)).astype(kind)
    found = nothing(3, 7, kind)
    keep_best(scores, 0, *found)
    assert_best(found, scores, 7)


def test_rows_are_counted_from_the_first_of_the_block():
    found = nothing(1, 1)
    keep_best(np.array([[1.0, 3.0, 2.0]]), 40, *found)
    assert found[1].tolist() == [[41]]


def test_of_equal_scores_the_first_is_kept():
    found = nothing(1, 2)
    keep_best(np.array([[1.0, 1.0, 1.0]]), 0, *found)
    assert sorted(found[1][0].tolist()) == [0, 1]


def test_fewer_scores_than_slots_leave_slots_free():
    best, rows, least = nothing(1, 3)
    keep_best(np.array([[5.0]]), 7, best, rows, least)
    assert sorted(rows[0].tolist()) == [-1, -1, 7]
    assert least.tolist() == [-np.inf]


def test_scores_that_are_not_numbers_are_not_kept():
    found = nothing(1, 1)
    keep_best(np.array([[np.nan, 2.0, np.nan]]), 0, *found)
    assert (found[0].tolist(), found[1].tolist()) == ([[2.0]], [[1]])


def test_a_row_is_not_paired_with_itself():
    found = nothing(2, 1)
    keep_best_pairs(np.array([[9.0, 1.0], [1.0, 9.0]]), 0, 0, *found)
    assert (found[0].tolist(), found[1].tolist()) == ([[1.0], [1.0]], [[1], [0]])
