"""The ranking of variables and pairs: the same rows in every skin."""

import re

import numpy as np
import pandas as pd
import pytest

from modlearn import Encoder
from modlearn._show.summary import summarize
from modlearn._show.tables import (
    as_html,
    as_lines,
    needs_list,
    rank_pairs,
    rank_variables,
    short_labels,
)


def variable(name, level, weight=0.5, n_parts=2):
    return {"name": name, "level": level, "weight": weight, "parts": ["part"] * n_parts}


def summary(*variables, pairs=(), n_pairs=0):
    return {"variables": list(variables), "pairs": list(pairs), "pairs_searched": n_pairs}


PAIR = {"names": ["a", "b"], "level": 0.5, "weight": 0.25, "gain": 0.125, "synergy": -3.14}


def test_variables_have_level_weight_parts_and_a_bar_relative_to_the_longest():
    ranking = rank_variables(summary(variable("a", 0.4), variable("b", 0.1, 0.0, 1_000)), 5)
    assert ranking.columns == ("level", "weight", "parts")
    assert [row.cells for row in ranking.rows] == [
        ("0.400", "0.50", "2"),
        ("0.100", "0.00", "1,000"),
    ]
    assert [row.bar for row in ranking.rows] == [1, 0.25]
    assert ranking.rest == ""


def test_pairs_have_gain_and_synergy():
    ranking = rank_pairs(summary(pairs=[PAIR], n_pairs=3), 5)
    assert ranking.columns == ("level", "weight", "gain", "synergy")
    assert (ranking.rows[0].name, ranking.rows[0].cells) == (
        "a × b", ("0.500", "0.25", "+0.125", "-3.1"),
    )  # fmt: skip
    assert ranking.rest == "... and 2 pairs that are not informative"


def test_without_weights_there_is_no_column_of_weights():
    ranking = rank_variables(summary(variable("a", 0.4, None)), 5)
    assert ranking.columns == ("level", "parts")


@pytest.mark.parametrize(("weight", "shown"), [(0.004, "<0.01"), (0.0, "0.00"), (1.0, "1.00")])
def test_a_weight_that_is_not_0_does_not_look_like_0(weight, shown):
    assert rank_variables(summary(variable("a", 0.4, weight)), 5).rows[0].cells[1] == shown


def test_what_is_not_listed_is_counted():
    many = [variable(f"v{i}", 0.5) for i in range(1_250)]
    rest = rank_variables(summary(*many, variable("z", 0.0)), 10).rest
    assert rest == "... and 1,240 more and 1 variable that is not informative"
    assert rank_variables(summary(variable("z", 0.0)), 10).rest == (
        "No variable is informative about the target."
    )


def test_text_and_html_show_the_same_cells():
    ranking = rank_variables(summary(variable("a", 0.4), variable("<b>", 0.1)), 5)
    assert as_lines(ranking) == [
        "variable  level  weight  parts",
        "a         0.400    0.50      2",
        "<b>       0.100    0.50      2",
    ]
    cells = re.findall(r">([^<>]+)</(?:td|th|bdi)>", as_html(ranking))
    assert cells == [
        "variable", "level", "weight", "parts", "a", "0.400", "0.50", "2", "&lt;b&gt;", "0.100",
        "0.50", "2",
    ]  # fmt: skip


@pytest.mark.parametrize("name", [": level ", " × ", "(a, b]", "missing or", "{}", "{0}"])
def test_names_that_look_like_ours_are_names(name):
    assert rank_variables(summary(variable(name, 0.4)), 5).rows[0].name == name
    both = rank_pairs(summary(pairs=[{**PAIR, "names": [name, name]}], n_pairs=1), 5)
    assert both.rows[0].name == f"{name} × {name}"


def axis(cuts=None, missing=None, ends=(False, False), groups=None):
    labels = None if groups is None else [f"{{{', '.join(map(str, g))}}}" for g in groups]
    sizes = None if groups is None else [len(group) for group in groups]
    return {
        "labels": labels,
        "cut_texts": cuts,
        "missing": missing,
        "infinite_ends": list(ends),
        "groups": groups,
        "group_sizes": sizes,
    }


@pytest.mark.parametrize(
    ("cuts", "missing", "ends", "labels"),
    [
        ([], None, (0, 0), ["all values"]),
        ([], "alone", (0, 0), ["missing", "all values"]),
        ([], "first", (0, 0), ["missing or all values"]),
        (["2"], None, (0, 0), ["≤ 2", "> 2"]),
        (["2", "3"], "alone", (0, 0), ["missing", "≤ 2", "(2, 3]", "> 3"]),
        (["2", "3"], "first", (0, 0), ["missing or ≤ 2", "(2, 3]", "> 3"]),
        (["-inf", "2"], None, (1, 0), ["−∞", "≤ 2", "> 2"]),
        (["2", "1.8e308"], None, (0, 1), ["≤ 2", "> 2", "∞"]),
        (["-inf", "1.8e308"], None, (1, 1), ["−∞", "all other values", "∞"]),
        (["-inf"], None, (1, 0), ["−∞", "all other values"]),
    ],
)
def test_intervals_are_labeled_by_their_cuts(cuts, missing, ends, labels):
    assert short_labels(axis(cuts, missing, ends)) == labels


@pytest.mark.parametrize("value", ["(a, b]", "missing or (-inf, 2]", "{x}", "a × b", ": level 1"])
def test_groups_keep_their_labels_whatever_their_values_look_like(value):
    assert short_labels(axis(groups=[[value], ["b"]])) == [f"{{{value}}}", "{b}"]


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        ([["a", "b"], [None]], False),
        ([["a" * 61]], True),
        ([[f"value {k}" for k in range(20)]], True),
    ],
)
def test_long_groups_need_a_list_of_their_values(groups, expected):
    assert needs_list(axis(groups=groups)) is expected


@pytest.mark.parametrize(
    "values",
    [
        [-np.inf] * 30 + [1.0] * 30,
        [1.0] * 30 + [np.inf] * 30,
        [np.nan] * 30 + [1.0] * 30,
        [1.0] * 30 + [2.0] * 30,
        [1.0] * 60,
    ],
)
def test_a_partition_has_as_many_short_labels_as_parts(values):
    model = Encoder().fit(pd.DataFrame({"x": values}), [0] * 30 + [1] * 30)
    (variable,) = summarize(model, {})["variables"]
    labels = short_labels(variable["axis"])
    assert len(labels) == len(set(labels)) == len(variable["parts"])
