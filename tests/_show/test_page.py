import copy
import json
import re

import pytest
from tests._show.samples import HOSTILE, warning, wide

from modlearn._show import page as module
from modlearn._show.page import LONGEST_LIST, as_json, pack, page, write_report
from modlearn._show.tables import COLORS
from modlearn._show.words import rounded


def test_the_page_loads_nothing(summaries):
    text = page(summaries("wine"))
    links = re.findall(r'(?:src|href)="([^"#][^"]*)"', text)
    assert links == ["data:,"]
    # The name space of SVG is a name, not an address.
    assert set(re.findall(r"https?://[^\"']*", text)) == {"http://www.w3.org/2000/svg"}
    assert "default-src &#39;none&#39;" in text
    assert "unsafe" not in text


def test_the_page_of_200_variables_is_small():
    assert len(page(wide(200)).encode()) < 100_000


def test_the_page_of_2000_variables_is_below_3_mb(summaries):
    assert len(page(summaries("sensors")).encode()) < 3_000_000


def test_long_names_and_many_parts_stay_below_3_mb(summaries):
    summary = copy.deepcopy(summaries("sensors"))
    for variable in summary["variables"]:
        variable["name"] = "n" * 10_000 + variable["name"]
        variable["parts"] = [f"({k}, {k + 1}]" for k in range(300)]
        variable["axis"]["cut_texts"] = [str(k) for k in range(299)]
        variable["counts"] = [[1234, 5678, 9012]] * 300
    assert len(page(summary).encode()) < 3_000_000


def test_markup_in_names_is_text(summaries):
    text = page(summaries("hostile"))
    assert text.count("<script") == 2
    assert "<img" not in text
    assert "<b>bold" not in text
    assert HOSTILE[0] not in text


def test_no_name_turns_the_text_round(summaries):
    summary = copy.deepcopy(summaries("hostile"))
    summary["data"] |= {"source": "a\u202eb", "target": "c\u202ed"}
    text = page(summary)
    assert r"emoji 🍷🧀 \u202e right to left" in text.replace("\\\\", "\\")
    assert not re.search(r"[\u202a-\u202e\u2066-\u2069]", text)


def test_half_a_surrogate_pair_does_not_stop_the_page(summaries, tmp_path):
    summary = copy.deepcopy(summaries("iris"))
    summary["data"]["target"] = summary["variables"][0]["name"] = "half \ud83c pair"
    write_report(summary, tmp_path / "report.html")
    assert "half ? pair" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_a_measure_without_a_value_is_called_not_defined(summaries):
    assert "<dt>AUC</dt><dd><b>not defined</b>" in page(summaries("one class tested"))


def test_a_long_name_is_cut_and_whole_in_a_title(summaries):
    summary = copy.deepcopy(summaries("iris"))
    column = "n" * 5_000
    summary["warnings"] = [warning("leak", [column], accuracy=1.0)]
    summary["data"] |= {"target": column, "left_out": [{"name": column, "reason": "all_missing"}]}
    text = page(summary)
    assert re.search(
        r'<b class="kind">leak\?</b> <span title="Column &#39;n{5000}&#39; alone', text
    )
    assert re.search(r">Column &#39;n{49}…&#39; alone .* leave it out with drop=\.<", text)
    assert re.search(r'<b><bdi title="n{5000}">n{79}…</bdi></b>: all values are missing', text)
    assert re.search(r'<h1>Predicting <bdi title="n{5000}">n{79}…</bdi></h1>', text)


def test_rows_say_which_model_explains_them(summaries):
    assert "trained on the other folds" in page(summaries("wine"))
    assert "trained on the other folds" not in page(summaries("one class tested"))


def test_long_lists_of_notes_are_cut_and_counted(summaries):
    summary = copy.deepcopy(summaries("iris"))
    summary["warnings"] = [warning("identifier", ["x"])] * (LONGEST_LIST + 1_234)
    text = page(summary)
    assert text.count("like a row number") == LONGEST_LIST
    assert "and 1,234 more" in text


@pytest.mark.parametrize("data", [{}, {"target": None, "source": None, "notes": None}])
def test_facts_of_the_table_may_be_unknown(summaries, data):
    summary = copy.deepcopy(summaries("holes")) | {"data": data}
    assert "What is informative about the target" in page(summary)


def test_an_old_page_stays_where_the_new_one_cannot_be_made(summaries, tmp_path):
    path = tmp_path / "report.html"
    path.write_text("old")
    with pytest.raises(KeyError, match="warnings"):
        write_report({"data": {}, "evaluation": None}, path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_not_there_is_told(summaries, tmp_path):
    with pytest.raises(FileNotFoundError, match="There is no folder"):
        write_report(summaries("iris"), tmp_path / "nowhere" / "report.html")


def test_remedies_are_spelled_for_python_or_for_the_command_line(summaries):
    assert "leave it out with drop=[&#39;odour&#39;]." in page(summaries("mushrooms"))
    assert "leave it out with --drop odour." in page(summaries("mushrooms"), "command")


def test_colors_of_classes_are_those_of_plots(summaries):
    text = page(summaries("iris"))
    for i, color in enumerate(COLORS):
        assert f"--c{i}: {color};" in text


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
    index = packed["name"].index("text")
    (text,) = [one for one in hostile["variables"] if one["name"] == "text"]
    assert packed["details"][index][0] == [module.shortened(label) for label in text["parts"]]


def test_values_are_listed_where_labels_may_not_show_them_all(summaries):
    packed = pack(summaries("mushrooms"))["variables"]
    details = dict(zip(packed["name"], packed["details"], strict=True))
    assert len(details["found in"][3]) == len(details["found in"][4]) == 3
    assert len(details["veil-type"]) == 2


def test_names_of_pairs_are_places_in_the_list_of_variables(wine):
    packed = pack(wine)
    first = [packed["variables"]["name"][index] for index in packed["pairs"]["names"][0]]
    assert first == wine["pairs"][0]["names"]


def test_weights_unknown_are_one_null(summaries):
    packed = pack(summaries("holes"))
    assert packed["variables"]["weight"] is None
    assert packed["pairs"]["weight"] is None


def test_details_that_do_not_fit_are_left_out_from_the_end(wine, monkeypatch):
    monkeypatch.setattr(module, "MOST_BYTES", {"variables": 300, "pairs": 0})
    packed = pack(wine)
    assert 0 < len(packed["variables"]["details"]) < 13
    assert packed["pairs"]["details"] == []
    assert len(packed["variables"]["name"]) == 13


def test_lines_that_do_not_fit_are_counted(wine, monkeypatch):
    monkeypatch.setattr(module, "MOST_ROWS", {"variables": 5, "pairs": 2})
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
