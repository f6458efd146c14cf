import numpy as np
import pytest

from modlearn._tables.memory.arrays import array_cells, array_kind


def test_a_vector_of_numbers_is_not_copied():
    values = np.arange(3)
    assert array_cells(values, "Column 'a'").values is values


def test_a_mask_becomes_the_missing_cells():
    cells = array_cells(np.ma.array([1, 2], mask=[True, False]), "Column 'a'")
    assert cells.missing.tolist() == [True, False]


def test_masked_objects_are_missing():
    masked = np.ma.array(["a", 1], mask=[False, True], dtype=object)
    assert array_kind(masked, "Column 'a'") == "text"
    assert array_cells(masked, "Column 'a'").codes.tolist() == [0, -1]


def test_records_are_refused():
    with pytest.raises(TypeError, match="Column 'a' row 0"):
        array_cells(np.zeros(2, dtype=[("b", "i4")]), "Column 'a'")
