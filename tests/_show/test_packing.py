"""The data of a page: small, and as it is shown."""

import copy
import json

import numpy as np
import pandas as pd
import pytest
from tests._show.samples import HOSTILE

from modlearn import Encoder, FitResult
from modlearn._show import packing
from modlearn._show.packing import as_json, pack, short_labels
from modlearn._show.phrases import LONGEST_TEXT, visible
from modlearn._show.summary import summarize


@pytest.fixture
def wine(summaries):
    return copy.deepcopy(summaries("wine"))


def test_no_text_can_end_the_block():
    text = as_json(["</script><!-- & \u2028\u2029"])
    assert not set(text) & set("<>&\u2028\u2029")
    assert json.loads(text) == ["</script><!-- & \u2028\u2029"]


def test_intervals_are_packed_as_short_labels(wine):
    first = pack(wine)["variables"]["details"][0][0]
    assert first == ["≤ 0.975", "(0.975, 1.575]", "(1.575, 2.31]", "> 2.31"]


def test_labels_and_names_that_look_like_ours_are_packed_as_they_are(summaries):
    hostile = summaries("hostile")
    packed = pack(hostile)["variables"]
    assert set(HOSTILE[5:9]) <= set(packed["name"])
    index = packed["name"].index("text")
    (text,) = [one for one in hostile["variables"] if one["name"] == "text"]
    assert packed["details"][index][0] == [visible(label, LONGEST_TEXT) for label in text["parts"]]


def test_values_are_listed_where_labels_may_not_show_them_all(summaries):
    packed = pack(summaries("mushrooms"))["variables"]
    details = dict(zip(packed["name"], packed["details"], strict=True))
    assert len(details["found in"][3]) == len(details["found in"][4]) == 3
    assert len(details["veil-type"]) == 2


@pytest.mark.parametrize(("threshold", "text"), [(0.2, "20%"), (1 / 5001, "0.02%"), (None, None)])
def test_a_threshold_is_packed_as_the_text_that_sentences_have(wine, threshold, text):
    wine["decision"] = {"class": None, "threshold": threshold, "costs": []}
    assert pack(wine)["decision"] == {"class": None, "threshold": text}


def test_names_of_pairs_are_positions_in_the_list_of_variables(wine):
    packed = pack(wine)
    first = [packed["variables"]["name"][index] for index in packed["pairs"]["names"][0]]
    assert first == wine["pairs"][0]["names"]


def test_weights_unknown_are_one_null(summaries):
    packed = pack(summaries("holes"))
    assert packed["variables"]["weight"] is None
    assert packed["pairs"]["weight"] is None


def test_details_that_do_not_fit_are_left_out_from_the_end(wine, monkeypatch):
    monkeypatch.setattr(
        packing, "MOST_BYTES", {"variables": 300, "curves": 0, "pairs": 0, "trees": 0}
    )
    packed = pack(wine)
    assert 0 < len(packed["variables"]["details"]) < 13
    assert packed["pairs"]["details"] == []
    assert len(packed["variables"]["name"]) == 13


def test_lines_that_do_not_fit_are_counted(wine, monkeypatch):
    monkeypatch.setattr(packing, "MOST_ROWS", {"variables": 5, "pairs": 2})
    packed = pack(wine)
    assert (len(packed["variables"]["name"]), packed["variables"]["total"]) == (5, 13)
    assert (len(packed["pairs"]["names"]), packed["pairs"]["total"]) == (2, len(wine["pairs"]))


def test_the_summary_itself_is_left_as_it_is(wine):
    before = copy.deepcopy(wine)
    pack(wine)
    assert wine == before


def test_a_confusion_matrix_is_packed_as_its_cells(summaries, wine):
    wine["evaluation"]["confusion"] = [[5, 0, 1], [0, 7, 0], [0, 2, 3]]
    packed = pack(wine)["evaluation"]["confusion"]
    assert (packed["truth"], packed["predicted"]) == ([6, 7, 5], [5, 9, 4])
    assert packed["cells"] == [1, 1, 7, 0, 0, 5, 2, 2, 3, 2, 1, 2, 0, 2, 1]


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
    (variable,) = summarize(FitResult.of(model), {})["variables"]
    labels = short_labels(variable["axis"])
    assert len(labels) == len(set(labels)) == len(variable["parts"])
