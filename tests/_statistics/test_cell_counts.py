"""Rows per cell of a grid and class."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from modlearn._statistics.cell_counts import count_cells, count_coarse_cells


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


@given(st.integers(0, 1000), st.integers(1, 60), st.booleans())
def test_every_row_counts_in_the_coarse_cell_of_every_pair(seed, n, weighted):
    rng = np.random.default_rng(seed)
    K, J, n_runs = (int(k) for k in rng.integers(2, 6, 3))
    runs = rng.integers(0, n_runs, (K, n), dtype=np.uint8)
    classes = rng.integers(0, J, n, dtype=np.int32)
    rows = rng.integers(0, 2**40, n) if weighted else None
    pairs = np.array([(0, 1), (K - 1, 0)])
    expected = np.zeros((2, n_runs, n_runs, J), dtype=np.int64)
    for p, (a, b) in enumerate(pairs):
        np.add.at(expected[p], (runs[a], runs[b], classes), 1 if rows is None else rows)
    found = count_coarse_cells(runs, classes, rows, J, pairs, n_runs)
    np.testing.assert_array_equal(found, expected)
