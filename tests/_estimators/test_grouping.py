import numpy as np
import pandas as pd
import pytest
from tests._estimators.samples import all_facts

from modlearn import Grouper
from modlearn.errors import ColumnError

# Seed 002, figure 2: mushrooms per cap color, edible and in all.
MUSHROOMS = {
    "BROWN": (889, 1610), "GRAY": (892, 1458), "RED": (429, 1066), "YELLOW": (285, 743),
    "WHITE": (497, 711), "BUFF": (37, 122), "PINK": (40, 101), "CINNAMON": (22, 31),
    "GREEN": (13, 13), "PURPLE": (10, 10),
}  # fmt: skip


def mushrooms():
    """Color and class, one row each, with how many mushrooms it stands for."""
    rows = [
        (color, label, n)
        for color, (edible, total) in MUSHROOMS.items()
        for label, n in (("edible", edible), ("poisonous", total - edible))
    ]
    colors, labels, weights = zip(*rows, strict=True)
    return pd.DataFrame({"color": colors}), labels, weights


def test_mushrooms_get_the_groups_of_the_publication():
    X, y, weights = mushrooms()
    partition = Grouper().fit(X, y, sample_weight=weights).partitions_["color"]
    assert partition.cost == pytest.approx(3923.407854595265, rel=1e-12)
    assert partition.proven_optimal
    assert partition.groups == (
        ("RED", "YELLOW", "BUFF", "PINK"),
        ("BROWN",),
        ("GRAY",),
        ("WHITE", "CINNAMON"),
        ("GREEN", "PURPLE"),
    )


def test_the_group_with_the_most_rows_comes_first():
    X = pd.DataFrame({"c": ["a"] * 20 + ["b"] * 30})
    partition = Grouper().fit(X, [0] * 20 + [1] * 30).partitions_["c"]
    assert partition.groups == (("b",), ("a",))


def test_a_value_never_seen_belongs_to_no_group():
    X = pd.DataFrame({"c": ["a"] * 20 + ["b"] * 30})
    grouper = Grouper().fit(X, [0] * 20 + [1] * 30)
    codes = grouper.transform(pd.DataFrame({"c": ["z", "a", None]}))
    assert codes["c"].tolist() == [-1, 1, -1]


def test_missing_is_a_value_of_its_own():
    X = pd.DataFrame({"c": ["a", "b", None, "a"] * 10})
    grouper = Grouper().fit(X, [0, 0, 1, 0] * 10)
    assert grouper.partitions_["c"].groups == (("a", "b"), (None,))
    assert grouper.partitions_["c"].labels == ["{a, b}", "{missing}"]
    assert grouper.transform(X)["c"].tolist() == [0, 0, 1, 0] * 10


@pytest.mark.parametrize("values", [[3, 1, 2], [3.5, 1.5, 2.5], [True, False, True]])
def test_numbers_and_booleans_are_categories_too(values):
    X = np.array([[v] for v in values] * 20)
    partition = Grouper().fit(X, [0, 1, 0] * 20).partitions_["x0"]
    assert partition.groups[1] == (values[1],)


def test_dates_are_categories_named_by_iso_text():
    dates = pd.to_datetime(["2020-01-05", "2021-03-01"] * 20)
    grouper = Grouper().fit(pd.DataFrame({"d": dates}), [0, 1] * 20)
    assert grouper.partitions_["d"].groups == (("2020-01-05",), ("2021-03-01",))


def test_a_category_that_is_number_in_fit_is_found_as_an_equal_number_of_another_type():
    grouper = Grouper().fit(np.array([[1], [2]] * 20), [0, 1] * 20)
    assert grouper.transform(np.array([[2.0], [1.0]])).ravel().tolist() == [1, 0]


@pytest.mark.parametrize(
    ("values", "other", "message"),
    [
        (
            [5, 6],
            "x",
            "Column 'c' held numbers in the training data but holds text now, such as 'x': convert",
        ),
        (
            ["a", "b"],
            7,
            "Column 'c' held text in the training data but holds numbers now, such as 7: convert",
        ),
    ],
    ids=["numbers", "text"],
)
def test_a_column_of_another_type_in_transform_is_refused(values, other, message):
    grouper = Grouper().fit(pd.DataFrame({"c": values * 20}), [0, 1] * 20)
    with pytest.raises(ColumnError, match=message):
        grouper.transform(pd.DataFrame({"c": [other] * 3}))


def test_an_identifier_is_not_informative():
    X = pd.DataFrame({"id": [f"customer {i}" for i in range(100)]})
    grouper = Grouper().fit(X, [0, 1] * 50)
    assert grouper.levels_ == {"id": 0.0}
    assert grouper.partitions_["id"].n_parts == 1


# unlabeled rows


def test_unlabeled_rows_do_not_count():
    X, y = pd.DataFrame({"c": ["a", "b", "c"] * 20}), [0, 1, 0] * 20
    more = pd.concat([X, pd.DataFrame({"c": ["a", "b", "z"] * 50})])
    without = all_facts(Grouper().fit(X, y))
    facts = all_facts(Grouper().fit(more, [*y, *[None] * 150]))
    # The category z has unlabeled rows alone, so it is in no group.
    assert facts[0].pop("unlabeled") == [50, 50]
    assert without[0].pop("unlabeled") == [0, 0]
    assert facts == without


def test_a_value_with_unlabeled_rows_alone_is_one_never_seen():
    X = pd.DataFrame({"c": ["a", "b", "b"] * 20 + ["z"] * 90})
    grouper = Grouper().fit(X, [0, 1, 1] * 20 + [None] * 90)
    assert grouper.partitions_["c"].groups == (("b",), ("a",))
    assert grouper.transform(X)["c"].tolist()[-90:] == [-1] * 90


def test_grouper_has_no_method():
    assert set(Grouper().get_params()) == {"max_parts", "min_part_size", "n_jobs", "unlabeled"}
