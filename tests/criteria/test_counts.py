import re

import numpy as np
import pytest

from modlearn.criteria import level
from modlearn.criteria.counts import as_counts


def test_the_level_is_the_share_of_the_null_cost_that_is_saved():
    assert level(54.711827739966566, 173.95) == pytest.approx(1 - 54.711827739966566 / 173.95)


def test_a_partition_that_saves_nothing_has_level_zero():
    assert level(100.0, 100.0) == 0.0
    assert level(100.5, 100.0) == 0.0


def test_a_column_that_costs_nothing_is_not_informative():
    assert level(0.0, 0.0) == 0.0


def test_whole_numbers_of_any_type_are_counts():
    counts = [[1, 2], [3, 0]]
    for table in map(as_counts, (counts, np.array(counts, dtype=float), np.uint8(counts))):
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
