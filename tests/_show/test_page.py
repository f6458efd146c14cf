import copy
import html
import re

import pytest
from tests._show.samples import HOSTILE, warning, wide

from modlearn._show.page import page, replacing_model, write_report
from modlearn._show.tables import COLORS
from modlearn._show.words import LONGEST_LIST


def test_the_page_loads_nothing(summaries):
    text = page(summaries("wine"))
    links = re.findall(r'(?:src|href)="([^"#][^"]*)"', text)
    assert links == ["data:,"]
    # The name space of SVG is a name, not an address.
    assert set(re.findall(r"https?://[^\"']*", text)) == {"http://www.w3.org/2000/svg"}
    assert "default-src &#39;none&#39;" in text
    assert "unsafe" not in text


def test_the_page_of_200_variables_is_small():
    assert len(page(wide(200)).encode()) < 116_000


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
        r'<b class="kind">leak\?</b> <div><span title="Column &#39;n{5000}&#39; alone', text
    )
    assert re.search(r">Column &#39;n{49}…&#39; alone .* leave it out with drop=\.<", text)
    assert re.search(r'<b><bdi title="n{5000}">n{79}…</bdi></b>: all values are missing', text)
    assert re.search(r'<h1>Predicting <bdi title="n{5000}">n{79}…</bdi></h1>', text)


def test_rows_say_which_model_explains_them(summaries):
    assert "trained on the other folds" in page(summaries("wine"))
    assert "trained on the other folds" not in page(summaries("one class tested"))


def test_long_lists_of_notes_are_cut_and_counted(summaries):
    summary = copy.deepcopy(summaries("iris"))
    note = {"kind": "unlabeled", "numbers": {"rows": 7}, "names": []}
    summary["data"]["notes"] = [note] * (LONGEST_LIST + 1_234)
    text = page(summary)
    assert text.count("7 rows have no label") == LONGEST_LIST
    assert "and 1,234 more" in text


def test_warnings_and_notes_have_a_section_each(summaries):
    summary = copy.deepcopy(summaries("iris"))
    assert 'id="warnings"' not in page(summary)
    assert 'id="notes"' not in page(summary)
    summary["data"]["notes"] = [{"kind": "unlabeled", "numbers": {"rows": 7}, "names": []}]
    notes = page(summary)
    assert "<h2>Notes</h2>" in notes
    assert "<h2>Warnings</h2>" not in notes
    summary["warnings"] = [warning("identifier", ["x"])]
    both = page(summary)
    assert both.index("<h2>Warnings</h2>") < both.index("<h2>Evaluation</h2>")
    assert both.index("<h2>Variables</h2>") < both.index("<h2>Notes</h2>")


@pytest.mark.parametrize("data", [{}, {"target": None, "source": None, "notes": None}])
def test_facts_of_the_table_may_be_unknown(summaries, data):
    summary = copy.deepcopy(summaries("holes")) | {"data": data}
    assert "What is informative about the target" in page(summary)


def test_an_old_page_stays_where_the_new_one_cannot_be_made(summaries, tmp_path):
    path = tmp_path / "report.html"
    path.write_text("old")
    with pytest.raises(KeyError, match="classes"):
        write_report({"data": {}, "evaluation": None}, path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_missing_folder_is_reported(summaries, tmp_path):
    with pytest.raises(FileNotFoundError, match="There is no folder"):
        write_report(summaries("iris"), tmp_path / "nowhere" / "report.html")


def test_remedies_are_spelled_for_python_or_for_the_command_line(summaries):
    assert "leave it out with drop=[&#39;odour&#39;]." in page(summaries("mushrooms"))
    assert "leave it out with --drop odour." in page(summaries("mushrooms"), "command")


def test_colors_of_classes_are_those_of_plots(summaries):
    text = page(summaries("iris"))
    for i, color in enumerate(COLORS):
        assert f"--c{i}: {color};" in text


def test_a_note_is_a_whole_sentence(summaries):
    summary = copy.deepcopy(summaries("iris"))
    summary["data"]["notes"] = [{"kind": "unlabeled", "numbers": {"rows": 7}, "names": []}]
    assert "<li>7 rows have no label. Unlabeled rows help to position the cuts; they" in page(
        summary
    )


def test_the_page_has_the_id_of_its_model(summaries):
    sample = summaries("iris")
    assert '<meta name="modlearn-id" content="0123456789abcdef">' in page(
        sample | {"id": "0123456789abcdef"}
    )
    assert "modlearn-id" not in page(sample | {"id": None})


def test_an_old_report_says_that_its_model_is_being_replaced(tmp_path):
    model, report = tmp_path / "it's <b>.json", tmp_path / "report.html"
    report.write_text("old")
    with replacing_model(model, report):
        text = html.unescape(report.read_text())
        assert f"was interrupted; write the report with <code>modlearn report '{tmp_path}" in text
        assert "<b>" not in report.read_text()


def test_an_old_report_comes_back_if_its_model_stays(tmp_path):
    report = tmp_path / "report.html"
    report.write_bytes(b"old\xff")
    with pytest.raises(OSError, match="disk"), replacing_model(tmp_path / "m.json", report):
        raise OSError("the disk is full")
    assert report.read_bytes() == b"old\xff"


def test_no_report_is_written_where_there_was_none(tmp_path):
    with replacing_model(tmp_path / "m.json", tmp_path / "report.html"):
        assert list(tmp_path.iterdir()) == []


def test_a_page_explains_the_weights_of_the_model_it_shows(summaries):
    wine = summaries("wine")
    assert "the share of the evidence" in page(wine)
    assert "that of the strongest is 1" in page({**wine, "has_curves": True})
