"""Rows of two columns: counting them, and making them coarse."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modlearn._statistics.pairs import Axis, PairCounts


def axis_of(codes, n_values=None, ordered=True):
    codes = np.asarray(codes, dtype=np.int32)
    return Axis(codes, int(codes.max()) + 1 if n_values is None else n_values, ordered)


def test_rows_are_counted_per_cell_and_class():
    pair = PairCounts(
        (axis_of([0, 1, 2, 2]), axis_of([1, 0, 1, 1])),
        np.array([0, 1, 1, 1], dtype=np.int32),
        np.array([1, 2, 3, 4]),
        2,
    )
    counts = pair.counted((np.array([0, 0, 1]), np.array([0, 1])))
    assert counts.tolist() == [[[0, 2], [1, 0]], [[0, 0], [0, 7]]]
    assert pair.n_rows == 10


@given(st.lists(st.integers(0, 30), min_size=1, max_size=200), st.integers(1, 10))
def test_runs_are_of_neighboring_values_and_of_about_equal_rows(values, most):
    found, codes = np.unique(values, return_inverse=True)
    axis = axis_of(codes, len(found))
    runs = axis.coarse(most, None)
    assert len(runs) == len(found)
    assert set(np.diff(runs).tolist()) <= {0, 1}
    assert runs[0] == 0
    assert runs.max() + 1 <= max(most, 1) or len(found) <= most


def test_groups_are_not_made_coarse():
    axis = axis_of(np.arange(50), ordered=False)
    assert axis.coarse(5, None).tolist() == list(range(50))


@given(st.integers(0, 1000))
def test_coarse_rows_keep_every_count(seed):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 40, (2, 300))
    codes = [np.unique(v, return_inverse=True)[1] for v in values]
    rows = rng.integers(1, 5, 300) if seed % 2 else None
    pair = PairCounts(
        (axis_of(codes[0]), axis_of(codes[1])), rng.integers(0, 3, 300).astype(np.int32), rows, 3
    )
    coarse, runs = pair.coarse(7)
    parts = tuple(np.arange(axis.n_values) for axis in coarse.axes)
    np.testing.assert_array_equal(
        coarse.counted(parts), pair.counted(tuple(r.astype(np.intp) for r in runs))
    )
    assert coarse.n_rows == pair.n_rows


@pytest.mark.parametrize("rows", [None, [1, 2, 3, 4]])
def test_rows_that_agree_in_values_and_class_are_merged(rows):
    rows = None if rows is None else np.array(rows)
    axes = axis_of([2, 0, 2, 2]), axis_of([1, 0, 1, 1])
    pair = PairCounts(axes, np.array([1, 0, 1, 0], dtype=np.int32), rows, 2)
    merged = pair.merged()
    assert [axis.codes.tolist() for axis in merged.axes] == [[0, 2, 2], [0, 1, 1]]
    assert [axis.n_values for axis in merged.axes] == [3, 2]
    assert merged.classes.tolist() == [0, 0, 1]
    assert merged.rows.tolist() == ([1, 1, 2] if rows is None else [2, 4, 4])


@pytest.mark.parametrize("codes", [[0, 1, 2, 3], [0, 0, 1, 1]])
def test_a_pair_whose_rows_all_differ_stays_as_it_is(codes):
    classes = np.array([0, 1, 0, 1], dtype=np.int32)
    pair = PairCounts((axis_of(codes), axis_of([0, 1, 0, 1])), classes, None, 2)
    assert pair.merged() is pair


@pytest.mark.parametrize(
    ("first", "second", "ordered", "expected"),
    [
        ([0, 1, 2], [0, 1, 2], True, True),
        ([0, 1, 2], [2, 1, 0], True, False),
        ([0, 1, 2], [2, 1, 0], False, True),
        ([0, 1, 0], [0, 1, 1], False, False),
        ([0, 1, 0], [0, 1, 2], False, False),
    ],
)
def test_values_that_always_go_together_are_one_to_one(first, second, ordered, expected):
    axes = axis_of(first, ordered=ordered), axis_of(second, ordered=ordered)
    pair = PairCounts(axes, np.zeros(3, dtype=np.int32), None, 1)
    assert pair.is_one_to_one() is expected
