import re

import numpy as np
import pytest

from modlearn.criteria.information import as_counts


def test_whole_numbers_of_any_type_are_counts():
    for given in ([[1, 2], [3, 0]], np.array([[1.0, 2.0], [3.0, 0.0]]), np.uint8([[1, 2], [3, 0]])):
        table = as_counts(given)
        assert table.dtype == np.int64
        assert table.tolist() == [[1, 2], [3, 0]]


def test_a_transposed_table_becomes_contiguous():
    table = as_counts(np.arange(6).reshape(2, 3).T)
    assert table.flags.c_contiguous
    assert table.tolist() == [[0, 3], [1, 4], [2, 5]]


@pytest.mark.parametrize("shape", [(3,), (0, 2), (2, 0), (2, 2, 2), ()])
def test_another_shape_is_named_in_the_refusal(shape):
    with pytest.raises(ValueError, match=re.escape(f"per class, got shape {shape}.")):
        as_counts(np.ones(shape, dtype=int))


@pytest.mark.parametrize("entry", [-1, 0.5, np.nan, np.inf])
def test_what_is_not_a_count_is_refused(entry):
    with pytest.raises(ValueError, match="Counts must be non-negative whole numbers"):
        as_counts([[1, entry]])
