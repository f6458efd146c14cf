"""Rows per cell of a grid and class."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from modlearn._statistics._cells import count_cells


@given(st.integers(0, 1000), st.integers(0, 60), st.booleans())
def test_every_row_counts_in_its_cell(seed, n, weighted):
    rng = np.random.default_rng(seed)
    V, J = rng.integers(1, 9, 2), int(rng.integers(1, 5))
    parts = tuple(np.arange(v) % rng.integers(1, v + 1) for v in V)
    codes = tuple(rng.integers(0, v, n, dtype=np.int32) for v in V)
    classes = rng.integers(0, J, n, dtype=np.int32)
    rows = rng.integers(0, 2**40, n) if weighted else None
    for array in (*parts, *codes, classes):
        array.flags.writeable = False
    expected = np.zeros((parts[0].max() + 1, parts[1].max() + 1, J), dtype=np.int64)
    at = parts[0][codes[0]], parts[1][codes[1]], classes
    np.add.at(expected, at, 1 if rows is None else rows)
    np.testing.assert_array_equal(count_cells(parts, codes, classes, rows, J), expected)
