import dataclasses
import pickle

import numpy as np
import pytest


def test_the_number_of_parts_is_that_of_the_rows_of_counts(intervals):
    assert intervals([1, 2, 3]).n_parts == 4


def test_a_partition_cannot_be_changed(intervals):
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'level'"):
        intervals().level = 1.0


def test_a_partition_survives_pickling(groups):
    partition = groups([["a", None], ["b"]], name="color")
    again = pickle.loads(pickle.dumps(partition))
    assert (again.name, again.groups, again.labels) == (
        "color",
        partition.groups,
        partition.labels,
    )
    assert again.codes(["b", "a"]).tolist() == [1, 0]


def test_log_odds_of_two_classes_are_those_computed_by_hand(intervals):
    # With one row spread as in the table: odds of class 1 in part 0 are 0.25/30.75, in part 1
    # 10.25/0.75, in all rows 10/30.
    partition = intervals(counts=[[30, 0], [0, 10]])
    np.testing.assert_allclose(partition.log_odds[:, 1], np.log([1 / 41, 41]), rtol=1e-14)


def test_log_odds_of_two_classes_are_opposite(intervals):
    odds = intervals([1, 2], counts=[[3, 1], [0, 9], [2, 2]]).log_odds
    np.testing.assert_allclose(odds[:, 0], -odds[:, 1], rtol=1e-14)


def test_log_odds_of_three_classes_are_those_computed_by_hand(intervals):
    # Class 0 in part 0: odds (4+0.4)/(1+0.6); in all rows: 4/6.
    partition = intervals(counts=[[4, 1, 0], [0, 2, 3]])
    assert partition.log_odds.shape == (2, 3)
    np.testing.assert_allclose(partition.log_odds[0, 0], np.log((4.4 / 1.6) / (4 / 6)), rtol=1e-14)


def test_log_odds_of_one_part_are_exactly_zero(intervals):
    assert intervals([], counts=[[7, 0, 5]]).log_odds.tolist() == [[0.0, 0.0, 0.0]]


def test_log_odds_of_one_class_are_zero(intervals):
    assert intervals(counts=[[7], [5]]).log_odds.tolist() == [[0.0], [0.0]]


def test_log_odds_of_pure_parts_are_finite(intervals):
    assert np.isfinite(intervals(counts=[[10**12, 0], [0, 1]]).log_odds).all()


DAY = 86_400_000_000  # microseconds


@pytest.mark.parametrize(
    ("value", "part"), [(-np.inf, 0), (1.0, 0), (1.5, 1), (2.0, 1), (2.1, 2), (np.inf, 2)]
)
def test_a_value_on_a_cut_falls_left_of_it(intervals, value, part):
    assert intervals([1.0, 2.0]).codes(np.array([value])).tolist() == [part]


def test_codes_of_intervals_are_int32(intervals):
    assert intervals().codes(np.array([1.0, np.nan])).dtype == np.int32


def test_missing_values_fall_in_the_lowest_interval(intervals):
    assert intervals([1.0]).codes(np.array([np.nan, 2.0, 0.0])).tolist() == [0, 1, 0]


def test_missing_values_alone_are_the_first_part(intervals):
    partition = intervals([1.0], missing_alone=True)
    assert partition.codes(np.array([np.nan, 0.0, 2.0])).tolist() == [0, 1, 2]


def test_the_values_asked_for_are_not_written_to(intervals):
    values = np.array([np.nan, 2.0])
    intervals().codes(values)
    np.testing.assert_array_equal(values, [np.nan, 2.0])


# labels


def test_labels_are_half_open_intervals(intervals):
    labels = ["(-inf, 2.95]", "(2.95, 3.35]", "(3.35, inf)"]
    assert intervals([2.95, 3.35]).labels == labels


def test_infinite_values_alone_have_a_label_of_their_own(intervals):
    largest = np.finfo(np.float64).max
    assert intervals([-np.inf, 2.5, largest]).labels == [
        "{-inf}",
        "(-inf, 2.5]",
        "(2.5, inf)",
        "{inf}",
    ]
    assert intervals([largest]).labels == ["(-inf, inf)", "{inf}"]


def test_without_a_cut_the_label_is_the_whole_line(intervals):
    assert intervals([]).labels == ["(-inf, inf)"]


@pytest.mark.parametrize(
    ("changes", "bounds"),
    [
        ({}, [(None, "0.5"), ("0.5", "2"), ("2", None)]),
        ({"n_missing": 3}, [(None, None), ("0.5", "2"), ("2", None)]),
        ({"missing_alone": True}, [(None, None), (None, "0.5"), ("0.5", "2"), ("2", None)]),
    ],
)
def test_a_part_has_the_cuts_on_either_side_as_bounds(intervals, changes, bounds):
    partition = intervals([0.5, 2.0], **changes)
    assert [partition.bounds[part] for part in range(len(bounds))] == bounds


def test_missing_alone_is_called_missing(intervals):
    partition = intervals([0.5], missing_alone=True, n_missing=3)
    assert partition.labels == ["missing", "(-inf, 0.5]", "(0.5, inf)"]


def test_missing_in_the_lowest_interval_is_named_there(intervals):
    assert intervals([0.5], n_missing=3).labels == ["missing or (-inf, 0.5]", "(0.5, inf)"]


def test_the_rounding_of_a_midpoint_is_not_shown(intervals):
    assert intervals([0.1 + 0.2]).labels == ["(-inf, 0.3]", "(0.3, inf)"]


@pytest.mark.parametrize("gap", [1e-6, 2**-23])
def test_labels_of_close_cuts_differ(intervals, gap):
    cuts = 1e9 + gap * np.arange(3)
    labels = intervals(cuts, sides=np.column_stack((cuts, cuts + gap))).labels
    assert len(set(labels)) == 4


def test_a_label_separates_the_values_next_to_its_cut(intervals):
    partition = intervals([123456789012.5], sides=np.array([[123456789012.0, 123456789013.0]]))
    assert partition.labels == ["(-inf, 123456789012.5]", "(123456789012.5, inf)"]


def test_a_label_has_no_more_digits_than_its_gap_needs(intervals):
    partition = intervals([0.08845026707], sides=np.array([[0.085, 0.092]]))
    assert partition.labels[0] == "(-inf, 0.0885]"


@pytest.mark.parametrize(
    ("cut", "text"),
    [
        (0, "1970-01-01"),
        (-DAY / 2, "1969-12-31T12:00:00"),
        (18_262 * DAY + 250_000, "2020-01-01T00:00:00.250000"),
    ],
)
def test_cuts_of_dates_are_iso_text(intervals, cut, text):
    assert intervals([cut], kind="datetime").labels == [f"(-inf, {text}]", f"({text}, inf)"]


@pytest.mark.parametrize(
    ("cut", "text"),
    [
        (0, "00:00:00"),
        (5_400_500_000, "01:30:00.500000"),
        (DAY + 60_000_000, "1d 00:01:00"),
        (-60_000_000, "-00:01:00"),
        (-1.5 * DAY, "-1d 12:00:00"),
    ],
)
def test_cuts_of_durations_are_days_and_a_clock(intervals, cut, text):
    assert intervals([cut], kind="duration").labels == [f"(-inf, {text}]", f"({text}, inf)"]


@pytest.mark.parametrize("kind", ["datetime", "duration"])
def test_cuts_between_neighboring_microseconds_are_written_as_the_lower_one(intervals, kind):
    # All values are whole: those up to 1.5 are those up to 1.
    labels = intervals([1.5, 2.5], kind=kind).labels
    ends = [label.rpartition(".")[2] for label in labels[:2]]
    assert ends == ["000001]", "000002]"]


def test_a_value_has_the_code_of_its_group(groups):
    assert groups([["a", "b"], ["c"]]).codes(["c", "b", "a"]).tolist() == [1, 0, 0]


def test_codes_of_groups_are_int32(groups):
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


def test_the_text_missing_differs_from_missing(groups):
    assert groups([["missing"], [None]]).labels == ["{'missing'}", "{missing}"]


def test_a_value_with_a_comma_differs_from_two_values(groups):
    assert groups([["a, b"], ["a", "b"]]).labels == ["{'a, b'}", "{a, b}"]
    assert groups([["a", "b"], ["a, b", "q"]]).labels == ["{a, b}", "{'a, b', q}"]


@pytest.mark.parametrize("value", ["a,", "a} x {b", "... 5 more"])
def test_a_value_that_reads_like_a_list_is_in_quotes(groups, value):
    assert groups([[value, "a"]]).labels == [f"{{{value!r}, a}}"]


def test_an_ordinary_comma_needs_no_quotes(groups):
    assert groups([["1,000", "a.b"]]).labels == ["{1,000, a.b}"]


def test_a_number_differs_from_its_text(groups):
    assert groups([[1], ["1"]]).labels == ["{1}", "{'1'}"]
