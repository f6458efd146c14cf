"""A tree as it is applied, printed and read from a record."""

import json

import numpy as np
import pytest
from tests._model.conftest import make_groups, make_intervals

from modlearn._model.forms import RecordPosition
from modlearn._model.tree import Branch, Tree
from modlearn.errors import ModelError

HERE = RecordPosition(("tree",), np.arange(2))


def make_tree(**changes):
    """Low sizes are divided by ``big``, high ones by color; missing ones are a leaf."""
    totals = [[3, 3], [3, 3]]
    facts = {
        "axes": (
            make_intervals([2.0], [[2, 2], [2, 2], [2, 2]], name="size", missing_alone=True),
            make_groups([["red"], ["blue", "gray"]], totals, name="color"),
            make_groups([["yes"], ["no", None]], totals, name="big"),
        ),
        "branches": (Branch(0, (3, 2, 1)), Branch(1, (4, 5)), Branch(2, (5, 4))),
        "counts": np.array([[4, 1], [1, 3], [1, 2]]),
        "cost": 10.0,
        "null_cost": 40.0,
        "level": 0.75,
        "synergy": 3.5,
    }
    return Tree(**(facts | changes))


def test_every_cell_is_in_the_leaf_that_its_branches_lead_to():
    missing, low, high = [0, 0, 0, 0], [2, 1, 2, 1], [1, 1, 2, 2]
    assert make_tree().part_of_cell.tolist() == [*missing, *low, *high]


def test_paths_are_conditions_on_columns():
    assert make_tree().paths == [
        ["size in missing"],
        [
            "size in (-inf, 2] and big in {no, missing}",
            "size in (2, inf) and color in {red}",
        ],
        [
            "size in (-inf, 2] and big in {yes}",
            "size in (2, inf) and color in {blue, gray}",
        ],
    ]
    assert make_tree().labels[0] == "size in missing"


def test_ways_lead_from_a_branch_to_branches_and_leaves():
    assert make_tree().ways == [
        [("missing", 3), ("(-inf, 2]", 2), ("(2, inf)", 1)],
        [("{red}", 4), ("{blue, gray}", 5)],
        [("{yes}", 5), ("{no, missing}", 4)],
    ]


def test_a_way_has_only_values_that_reach_its_branch():
    deep = (Branch(0, (1, 3, 1)), Branch(0, (4, 4, 5)))
    assert make_tree(branches=deep).ways[1] == [("missing", 4), ("(2, inf)", 5)]


def test_a_tree_comes_back_from_its_record_as_it_was():
    tree = make_tree()
    record = json.loads(json.dumps(tree.to_dict(), allow_nan=False))
    again = Tree.from_dict(record, HERE)
    assert str(again) == str(tree)
    assert again.branches == tree.branches
    assert again.part_of_cell.tolist() == tree.part_of_cell.tolist()


@pytest.mark.parametrize(
    "branches",
    [
        [],
        [(0, [3, 2, 1]), (1, [4, 5]), (3, [5, 4])],
        [(0, [3, 2, 1]), (1, [4, 5]), (2, [5, 4, 4])],
        [(0, [3, 2, 1]), (1, [4, 4]), (2, [4, 4])],
        [(0, [3, 2, 1]), (1, [4, 5]), (2, [6, 4])],
        [(0, [3, 2, 1]), (1, [4, 2]), (2, [5, 4])],
        [(0, [3, 1, 1]), (1, [4, 5]), (2, [5, 4])],
        [(0, [0, 2, 1]), (1, [4, 5]), (2, [5, 4])],
    ],
)
def test_branches_that_are_not_a_tree_are_refused(branches):
    record = make_tree().to_dict()
    record["branches"] = [{"axis": axis, "following": rest} for axis, rest in branches]
    with pytest.raises(ModelError, match="'branches' is not a tree with 3 leaves"):
        Tree.from_dict(record, HERE)


@pytest.mark.parametrize("kept", [2, 4])
def test_other_numbers_of_axes_than_it_can_have_are_refused(kept):
    record = make_tree().to_dict()
    record["axes"] = [*record["axes"], record["axes"][0]][:kept]
    with pytest.raises(ModelError, match="'axes' is not a list of three columns or more"):
        Tree.from_dict(record, HERE)


def test_axes_with_other_rows_are_refused():
    record = make_tree().to_dict()
    record["counts"][0] = [4, 2]
    with pytest.raises(ModelError, match="'counts' is not the rows of its axes"):
        Tree.from_dict(record, HERE)
