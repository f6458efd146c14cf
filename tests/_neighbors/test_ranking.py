import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests._neighbors.points import cloud, distances

from modlearn._neighbors._ranking import distances_to, nearest


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_distances_are_summed_in_the_order_of_the_coordinates(kind):
    points, queries = cloud(30, 7).astype(kind), cloud(9, 7, seed=1).astype(kind)
    candidates = np.tile(np.arange(30, dtype=np.int32), (9, 1))
    found = distances_to(points, queries, candidates)
    np.testing.assert_array_equal(found, distances(points, queries))


def test_distances_of_singles_are_taken_in_double_precision():
    points = np.array([[1e8], [1.0]], dtype=np.float32)
    found = distances_to(points, points[:1], np.array([[1]], dtype=np.int32))
    assert found.tolist() == [[1e8 - 1]]


def test_no_candidate_is_infinitely_far_away():
    candidates = np.array([[0, -1]], dtype=np.int32)
    assert distances_to(np.zeros((1, 2)), np.zeros((1, 2)), candidates).tolist() == [[0.0, np.inf]]


@given(
    st.lists(
        st.tuples(st.sampled_from([0.0, 0.5, 1.0, 2.0]), st.integers(0, 99)),
        unique_by=lambda pair: pair[1],
        min_size=1,
        max_size=9,
    ),
    st.integers(0, 99),
)
def test_the_nearest_come_first_then_the_earlier_row_and_never_itself(pairs, own):
    expected = sorted(pair for pair in pairs if pair[1] != own)
    k = len(expected)
    far, rows = (np.array([part]) for part in zip(*pairs, strict=True))
    found = nearest(rows.astype(np.int32), far.astype(float), own, k)
    assert list(zip(found[1][0].tolist(), found[0][0].tolist(), strict=True)) == expected


def test_queries_are_consecutive_rows():
    candidates = np.array([[4, 5, 6]] * 3, dtype=np.int32)
    rows, found = nearest(candidates, np.array([[0.0, 0.0, 0.0]] * 3), 4, 2)
    assert rows.tolist() == [[5, 6], [4, 6], [4, 5]]
    assert found.tolist() == [[0.0, 0.0]] * 3


def test_new_rows_have_no_row_of_their_own():
    rows, _ = nearest(np.array([[1, 0]], dtype=np.int32), np.array([[0.0, 0.0]]), -1, 2)
    assert rows.tolist() == [[0, 1]]


def test_no_more_than_the_nearest_are_returned():
    candidates, far = np.array([[3, 1, 2]], dtype=np.int32), np.array([[0.5, 0.25, 1.0]])
    rows, found = nearest(candidates, far, -1, 2)
    assert (rows.tolist(), found.tolist()) == ([[1, 3]], [[0.25, 0.5]])
