"""Labels of the page, made from facts: no value is taken for a bracket or a word of ours."""

import numpy as np
import pandas as pd
import pytest

from modlearn import Encoder
from modlearn._show.summary import summarize
from modlearn._show.tables import needs_list, short_labels


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
