import copy
import json

import pytest
from tests._show.samples import HOSTILE

from modlearn._show import packing
from modlearn._show.page import as_json, pack, rounded


@pytest.fixture
def wine(summaries):
    return copy.deepcopy(summaries("wine"))


def test_no_text_can_end_the_block():
    text = as_json(["</script><!-- & \u2028\u2029"])
    assert not set(text) & set("<>&\u2028\u2029")
    assert json.loads(text) == ["</script><!-- & \u2028\u2029"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.123456, 0.1235), (2.0, 2), (1.0, 1), (0.0, 0), (3.99999, 4), (None, None), ("a", "a")],
)
def test_numbers_have_the_digits_that_are_shown(value, expected):
    assert rounded(value, 4) == expected


def test_a_probability_is_0_or_1_only_where_it_is():
    assert 0 < rounded(1e-12, 4) < 0.001
    assert 0.999 < rounded(1 - 1e-12, 4) < 1


def test_intervals_are_packed_as_short_labels(wine):
    first = pack(wine)["variables"]["details"][0][0]
    assert first == ["≤ 0.975", "(0.975, 1.575]", "(1.575, 2.31]", "> 2.31"]


def test_labels_and_names_that_look_like_ours_are_packed_as_they_are(summaries):
    hostile = summaries("hostile")
    packed = pack(hostile)["variables"]
    assert set(HOSTILE[5:9]) <= set(packed["name"])
    place = packed["name"].index("text")
    (text,) = [one for one in hostile["variables"] if one["name"] == "text"]
    assert packed["details"][place][0] == [packing.shortened(label) for label in text["parts"]]


def test_values_are_listed_where_labels_may_not_show_them_all(summaries):
    packed = pack(summaries("mushrooms"))["variables"]
    details = dict(zip(packed["name"], packed["details"], strict=True))
    assert len(details["found in"][3]) == len(details["found in"][4]) == 3
    assert len(details["veil-type"]) == 2


def test_names_of_pairs_are_places_in_the_list_of_variables(wine):
    packed = pack(wine)
    first = [packed["variables"]["name"][place] for place in packed["pairs"]["names"][0]]
    assert first == wine["pairs"][0]["names"]


def test_weights_unknown_are_one_null(summaries):
    packed = pack(summaries("holes"))
    assert packed["variables"]["weight"] is None
    assert packed["pairs"]["weight"] is None


def test_details_that_do_not_fit_are_left_out_from_the_end(wine, monkeypatch):
    monkeypatch.setattr(packing, "MOST_BYTES", {"variables": 300, "pairs": 0})
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
