import numpy as np
import pandas as pd
import pytest

from modlearn._tables.cells import (
    Cells,
    CodedCells,
    distinct,
    first_text,
    floats,
    is_missing,
    sorted_codes,
)


@pytest.mark.parametrize(
    "value", [None, float("nan"), np.float32("nan"), pd.NA, pd.NaT, np.datetime64("NaT")]
)
def test_missing_values_are_missing(value):
    assert is_missing(value)


@pytest.mark.parametrize("value", ["", "nan", 0, False, -1, float("inf")])
def test_other_values_are_not_missing(value):
    assert not is_missing(value)


def test_floats_of_cells_are_nan_where_missing():
    cells = Cells(np.array([1, 0]), np.array([False, True]))
    np.testing.assert_array_equal(floats(cells), [1, np.nan])


def test_floats_of_coded_numbers_are_looked_up():
    coded = CodedCells(np.array([1, -1, 2, 0]), [5, 2.5, None])
    np.testing.assert_array_equal(floats(coded), [2.5, np.nan, np.nan, 5])


@pytest.mark.parametrize("unit", ["D", "s", "ns"])
def test_times_of_every_unit_are_microseconds(unit):
    days = np.array([2, "NaT"], dtype="m8[D]").astype(f"m8[{unit}]")
    np.testing.assert_array_equal(floats(Cells(days)), [172_800_000_000, np.nan])


def test_the_first_text_is_found_with_its_row():
    assert first_text(CodedCells(np.array([-1, 0, 1]), [1, "a"])) == (2, "a")


def test_numbers_hold_no_text():
    assert first_text(CodedCells(np.array([-1, 0]), [1, "unused"])) is None


def test_distinct_values_leave_the_filler_of_missing_cells_out():
    cells = Cells(np.array([7, 0, 3]), np.array([False, True, False]))
    codes, values = distinct(cells)
    assert (codes.tolist(), values.tolist()) == ([1, -1, 0], [3, 7])


def test_sorted_codes_drop_what_does_not_occur_or_is_missing():
    codes, values = sorted_codes(CodedCells(np.array([2, 0, -1, 3]), ["b", "unused", "a", None]))
    assert (codes.tolist(), values) == ([0, 1, -1, -1], ["a", "b"])


def test_sorted_codes_merge_equal_values():
    codes, values = sorted_codes(CodedCells(np.array([0, 1, 2]), ["b", "a", "b"]))
    assert (codes.tolist(), values) == ([1, 0, 1], ["a", "b"])


def test_rounded_values_are_their_exact_labels_as_categories_and_numbers_otherwise():
    labels = ["100000000000000000001", "100000000000000000000", "7"]
    cells = CodedCells(np.array([0, 1, -1, 0]), [1e20, 1e20, 7.0], labels)
    codes, values = sorted_codes(cells)
    assert (codes.tolist(), values) == ([1, 0, -1, 1], sorted(labels[:2]))
    assert floats(cells)[[0, 1, 3]].tolist() == [1e20] * 3
