import numpy as np
import pytest

DAY = 86_400_000_000  # microseconds


@pytest.mark.parametrize(
    ("value", "part"), [(-np.inf, 0), (1.0, 0), (1.5, 1), (2.0, 1), (2.1, 2), (np.inf, 2)]
)
def test_a_value_on_a_cut_falls_left_of_it(intervals, value, part):
    assert intervals([1.0, 2.0]).codes(np.array([value])).tolist() == [part]


def test_codes_are_int32(intervals):
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
    assert [partition.bounds(part) for part in range(len(bounds))] == bounds


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


def test_a_label_separates_the_values_beside_its_cut(intervals):
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
