import numpy as np
import pytest


def test_a_value_has_the_code_of_its_group(groups):
    assert groups([["a", "b"], ["c"]]).codes(["c", "b", "a"]).tolist() == [1, 0, 0]


def test_codes_are_int32(groups):
    assert groups([["a"]]).codes([]).dtype == np.int32


def test_missing_is_a_value_like_any_other(groups):
    assert groups([["a"], [None]]).codes([None, "a"]).tolist() == [1, 0]


def test_a_value_never_seen_belongs_to_no_group(groups):
    assert groups([["a"], ["b"]]).codes(["z", None, 7, "b"]).tolist() == [-1, -1, -1, 1]


def test_equal_numbers_of_other_types_are_the_same_value(groups):
    assert groups([[1], [2]]).codes([2.0, np.int8(2), 1.0]).tolist() == [1, 1, 0]


# labels


def test_labels_list_the_values_in_braces(groups):
    assert groups([["red", "blue"], [3], [True]]).labels == ["{red, blue}", "{3}", "{True}"]


def test_missing_is_called_missing(groups):
    assert groups([["red", None]]).labels == ["{red, missing}"]


def test_text_that_would_not_be_seen_is_quoted(groups):
    assert groups([["", "a"], [" ", "b\n"]]).labels == ["{'', a}", "{' ', 'b\\n'}"]


def test_a_long_label_is_cut_short_with_a_count(groups):
    values = [f"value {i}" for i in range(2000)]
    label = groups([values]).labels[0]
    shown = ", ".join(values[:7])
    assert label == f"{{{shown}, ... 1,993 more}}"


def test_a_single_long_value_is_cut_short(groups):
    assert groups([["x" * 100]]).labels == ["{" + "x" * 57 + "...}"]


def test_long_values_that_begin_alike_are_told_apart(groups):
    labels = groups([["x" * 100 + "a"], ["x" * 100 + "b"]]).labels
    assert [label[:2] for label in labels] == ["0:", "1:"]


def test_the_text_missing_is_told_from_missing(groups):
    assert groups([["missing"], [None]]).labels == ["{'missing'}", "{missing}"]


def test_a_value_with_a_comma_is_told_from_two_values(groups):
    assert groups([["a, b"], ["a", "b"]]).labels == ["{'a, b'}", "{a, b}"]
    assert groups([["a", "b"], ["a, b", "q"]]).labels == ["{a, b}", "{'a, b', q}"]


@pytest.mark.parametrize("value", ["a,", "a} x {b", "... 5 more"])
def test_a_value_that_reads_like_a_list_is_in_quotes(groups, value):
    assert groups([[value, "a"]]).labels == [f"{{{value!r}, a}}"]


def test_an_ordinary_comma_needs_no_quotes(groups):
    assert groups([["1,000", "a.b"]]).labels == ["{1,000, a.b}"]


def test_a_number_is_told_from_its_text(groups):
    assert groups([[1], ["1"]]).labels == ["{1}", "{'1'}"]
