import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modlearn._statistics.categories import count_categories


def counted_one_by_one(codes, classes, weights, n_classes):
    """{code: counts per class} of the labeled rows."""
    counts = {}
    for code, label, weight in zip(codes, classes, weights, strict=True):
        if label < n_classes and weight:
            row = counts.setdefault(code, [0] * n_classes)
            row[label] += weight
    return counts


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(-1, 5), st.integers(0, 3), st.integers(0, 3)), max_size=40),
    st.booleans(),
)
def test_rows_are_counted_per_value_and_class(rows, weighted):
    codes, classes, weights = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    if not weighted:
        weights = np.ones_like(codes)
    table, found = count_categories(
        codes.astype(np.int32), classes.astype(np.int32), weights if weighted else None, 3
    )
    expected = counted_one_by_one(codes.tolist(), classes.tolist(), weights.tolist(), 3)
    assert found.tolist() == sorted(expected)
    assert table.n_values == len(expected)
    if expected:
        counts = table.summed(np.arange(table.n_values)).tolist()
        assert counts == [expected[code] for code in sorted(expected)]


@pytest.mark.parametrize("weights", [None, np.array([2, 0, 1, 5])])
def test_values_without_a_labeled_row_are_left_out(weights):
    codes, classes = np.array([0, 1, 2, 3], dtype=np.int32), np.array([0, 2, 1, 2], dtype=np.int32)
    table, found = count_categories(codes, classes, weights, 2)
    assert found.tolist() == [0, 2]
    assert table.n_values == 2


def test_missing_is_a_value_like_any_other():
    codes, classes = np.array([-1, 0, -1], dtype=np.int32), np.array([0, 1, 1], dtype=np.int32)
    table, found = count_categories(codes, classes, None, 2)
    assert found.tolist() == [-1, 0]
    assert table.summed(np.arange(2)).tolist() == [[1, 1], [0, 1]]


def test_no_value_has_an_empty_entry():
    rng = np.random.default_rng(0)
    codes, classes = rng.integers(-1, 50, 500), rng.integers(0, 4, 500)
    table, _ = count_categories(codes.astype(np.int32), classes.astype(np.int32), None, 3)
    assert (np.diff(table.pointer) > 0).all()
    assert (table.rows > 0).all()
    assert table.rows.sum() == (classes < 3).sum()
