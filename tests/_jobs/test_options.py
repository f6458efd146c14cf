"""What a user may ask for, and what is said otherwise; and classes of one type."""

import numpy as np
import pytest

from modlearn._jobs.options import (
    as_names,
    check_share,
    classes_by_name,
    find_column,
    find_decision,
    find_positive,
    nearest,
    read_pairs,
)
from modlearn._model.decision import Decision, ErrorCost
from modlearn._tables.memory.table import categorical_column
from modlearn.errors import ColumnError, OptionError, TargetError
from modlearn.schema import TargetSpec


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ("none", False),
        ("ALL", True),
        (None, False),
        (True, True),
        (0, False),
        (20, 20),
        (np.int64(3), 3),
        ("20", 20),
        ("60s", 60.0),
        ("5m", 300.0),
        ("1.5 min", 90.0),
        ("500ms", 0.5),
        ("2h", 7200.0),
        ([("a", "b")], [("a", "b")]),
    ],
)
def test_pairs_are_none_all_a_number_or_a_time(pairs, expected):
    found = read_pairs(pairs)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize("pairs", ["some", "-3", "s", "0s", "5 days", -1, 1.5, "nan"])
def test_other_pairs_are_refused_with_what_is_allowed(pairs):
    with pytest.raises(ValueError, match="pass 'none', 'all', a number of pairs such as 20, or"):
        read_pairs(pairs)


@pytest.mark.parametrize("test", [0, 1, 1.5, -0.1, True, "0.3", float("nan")])
def test_a_share_lies_between_0_and_1(test):
    with pytest.raises(ValueError, match=r"pass the share of the rows to hold out, such as 0\.3"):
        check_share(test)


def test_a_share_may_be_left_out():
    assert check_share(None) is None
    assert check_share(0.25) == 0.25


@pytest.mark.parametrize(
    ("names", "expected"),
    [("a", ["a"]), (3, [3]), (["a", "b"], ["a", "b"]), ((), []), (np.array(["a"]), ["a"])],
)
def test_one_name_stands_for_a_list(names, expected):
    assert as_names(names) == expected


def test_a_column_is_found_by_its_name_or_its_text():
    assert find_column(["a", 7], 7, "drop") == 1
    assert find_column(["a", 7], "7", "drop") == 1


def test_an_unknown_column_leads_to_the_nearest():
    message = (
        "drop names the column 'Amuont', which the table does not have: did you mean 'amount'?"
    )
    with pytest.raises(ColumnError) as error:
        find_column(["amount", "country"], "Amuont", "drop")
    assert str(error.value) == message


def test_where_no_name_is_near_the_names_are_listed():
    assert nearest("zzz", ["a", "b"]) == ": it has 'a', 'b'."
    assert nearest("zzz", [f"c{i}" for i in range(12)]).endswith("'c9' and 2 more.")


def column_of(values, name="class"):
    return categorical_column(np.array(values, dtype=object), name)


def test_labels_of_another_table_are_found_by_name():
    column = column_of([1.0, 2.0, None, 3.0])
    assert classes_by_name(column, np.array([1, 2])).tolist() == [0, 1, -1, -2]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("1", 0), ("1.0", 0), ("01", -2), ("v1.0", -2), ("2024-01-31 10:00", 1), ("2024-01-31", -2)],
)
def test_another_spelling_of_a_class_is_that_class(text, expected):
    classes = np.array(["1", "2024-01-31T10:00:00", "v1"], dtype=object)
    assert classes_by_name(column_of([text]), classes).tolist() == [expected]


def target_of(classes, counts=None):
    return TargetSpec("y", np.array(classes), np.array(counts or [5] * len(classes)), 0)


@pytest.mark.parametrize(
    ("classes", "positive", "expected"),
    [
        (["no", "yes"], None, 1),
        (["no", "yes"], "no", 0),
        ([0, 1], 0, 0),
        ([0, 1], "0", 0),
        ([0, 1], 0.0, 0),
        ([False, True], True, 1),
        (["a", "b", "c"], None, None),
    ],
)
def test_the_positive_class_is_the_second_of_equals_or_the_one_named(classes, positive, expected):
    assert find_positive(positive, target_of(classes)) == expected


@pytest.mark.parametrize(("counts", "expected"), [([90, 10], 1), ([10, 90], 0), ([50, 50], 1)])
def test_the_class_of_interest_is_the_rarer_one(counts, expected):
    assert find_positive(None, target_of(["no", "yes"], counts)) == expected


def test_classes_are_named_as_they_are():
    with pytest.raises(TargetError, match=r"the classes are 'it has', 'yes'\."):
        find_positive("perhaps", target_of(["it has", "yes"]))


def test_an_unknown_positive_class_leads_to_the_nearest():
    with pytest.raises(TargetError, match=r"'yess', which is not a class .*: did you mean 'yes'\?"):
        find_positive("yess", target_of(["no", "yes"]))
    with pytest.raises(TargetError, match=r"is not a class .*: the classes are 'no', 'yes'\."):
        find_positive(7, target_of(["no", "yes"]))


def test_of_three_classes_none_is_positive():
    with pytest.raises(TargetError, match=r"but there are 3 classes, .*: remove positive"):
        find_positive("a", target_of(["a", "b", "c"]))


def test_a_list_with_commas_is_answered_with_an_option_per_column():
    with pytest.raises(
        ColumnError, match=r"--drop 'a b' --drop c \(in Python, drop=\['a b', 'c'\]"
    ):
        find_column(["a b", "c"], "a b,c", "drop")
    with pytest.raises(ColumnError, match="it has 'a', 'b'"):
        find_column(["a", "b"], "a,b", "target")


COLORS = ["blue", "no:go", "red"]


def test_costs_and_thresholds_are_decisions():
    two = target_of(["no", "yes"])
    expected = Decision.of_costs((ErrorCost(1, 0, 10.0),), label=1)
    assert find_decision({("yes", "no"): 10}, None, two, 1) == expected
    assert find_decision({"yes:no": 10.0}, None, two, 1) == expected
    assert find_decision(None, 0.2, two, 0) == Decision(label=0, threshold=0.2, costs=())
    assert find_decision(None, None, two, 1) is None
    assert find_decision({}, None, two, 1) is None
    numbers = find_decision({(1.0, 0): 2}, None, target_of([0, 1]), 1)
    assert numbers.costs == (ErrorCost(1, 0, 2.0),)


@pytest.mark.parametrize(
    ("key", "error"),
    [("blue:no:go", (0, 1)), ("no:go:red", (1, 2)), (("red", "no:go"), (2, 1))],
)
def test_names_of_classes_may_have_colons(key, error):
    found = find_decision({key: 3}, None, target_of(COLORS), None)
    assert found == Decision(label=None, threshold=None, costs=(ErrorCost(*error, 3.0),))


@pytest.mark.parametrize(
    ("cost", "threshold", "python", "command"),
    [
        (
            {("a", "b"): 1},
            0.2,
            "cost and threshold cannot be combined",
            "--cost and --threshold cannot be combined",
        ),
        ({("yess", "no"): 1}, None, "cost names 'yess', .* mean 'yes'", "--cost names 'yess'"),
        ({"no": 1}, None, r"cost has the key 'no': .* such as \('yes', 'no'\)", "--cost has the"),
        (
            {("no", "no"): 1},
            None,
            "cost of no:no is 1: pass the true class, a different",
            "--cost of",
        ),
        (
            {("yes", "no"): -1},
            None,
            "cost of yes:no is -1: .* from 0 to 1e\\+100",
            "--cost of yes:no",
        ),
        ({("yes", "no"): float("nan")}, None, "cost of yes:no is nan", "--cost of yes:no"),
        ({("yes", "no"): 10**400}, None, "cost of yes:no is 1000", "--cost of yes:no"),
        ({("yes", "no"): 1e300}, None, r"is 1e\+300: .* from 0 to 1e\+100", "--cost of yes:no"),
        ({("yes", "no"): 0, ("no", "yes"): 0}, None, "No error costs anything", "No error costs"),
        (None, 1.0, "threshold is 1.0: pass a probability between 0 and 1", "--threshold is 1.0"),
        (None, "0.2", "threshold is '0.2': pass a probability", "--threshold is '0.2'"),
    ],
)
def test_other_decisions_are_refused_in_both_spellings(cost, threshold, python, command):
    with pytest.raises((OptionError, TargetError), match=python) as raised:
        find_decision(cost, threshold, target_of(["no", "yes"]), 1)
    assert raised.value.as_command.startswith(command)


def test_a_threshold_needs_two_classes():
    with pytest.raises(TargetError, match="two classes, and there are 3: pass cost instead"):
        find_decision(None, 0.2, target_of(COLORS), None)


def test_a_column_is_named_in_both_spellings():
    with pytest.raises(ColumnError, match=r"^as_date names the column 'b'") as raised:
        find_column(["a"], "b", "as_date")
    assert raised.value.as_command.startswith("--as-date names the column 'b'")
