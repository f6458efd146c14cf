import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from modlearn._statistics.numeric import count_numbers

ROW = st.tuples(
    st.sampled_from([float("nan"), float("-inf"), -1.5, 0.0, -0.0, 2.0, float("inf")]),
    st.integers(0, 2),
    st.integers(0, 3),
)


def arrays(rows):
    values, classes, weights = zip(*rows, strict=True)
    return (
        np.array(values, dtype=np.float64),
        np.array(classes, dtype=np.int32),
        np.array(weights, dtype=np.int64),
    )


def rows_by_entry(table):
    """(value, class): rows, missing as None."""
    counts = {}
    rows = np.ones(len(table.values), dtype=int) if table.rows is None else table.rows
    for value, label, n in zip(table.values.tolist(), table.classes.tolist(), rows, strict=True):
        key = (None if np.isnan(value) else value, label)
        counts[key] = counts.get(key, 0) + int(n)
    return counts


def test_without_weights_every_row_is_an_entry():
    table = count_numbers(
        np.array([2.0, np.nan, 1.0]), np.array([0, 1, 2], dtype=np.int32), None, 2
    )
    assert table.rows is None
    assert table.classes.tolist() == [1, 2, 0]
    np.testing.assert_array_equal(table.values, [np.nan, 1, 2])
    assert table.n_classes == 2


@settings(deadline=None)
@given(st.lists(ROW, min_size=1, max_size=80))
def test_weights_are_repeated_rows(rows):
    values, classes, weights = arrays(rows)
    weighted = count_numbers(values, classes, weights, 3)
    repeated = count_numbers(np.repeat(values, weights), np.repeat(classes, weights), None, 3)
    assert rows_by_entry(weighted) == rows_by_entry(repeated)
    assert weighted.n_rows == repeated.n_rows == weights.sum()


def test_rows_of_weight_zero_do_not_count():
    values, classes, weights = arrays([(1.0, 0, 0), (2.0, 1, 4), (0.0, 2, 0)])
    table = count_numbers(values, classes, weights, 3)
    assert (table.values.tolist(), table.classes.tolist(), table.rows.tolist()) == ([2.0], [1], [4])
