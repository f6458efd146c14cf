import copy
import re

import pytest
from tests._show.samples import REPORTS, warning

from modlearn._show.compact import compact_html
from modlearn._show.phrases import verdict


@pytest.mark.parametrize("name", [name for name in REPORTS if name != "hostile"])
def test_the_brief_says_what_the_report_says_first(summaries, name):
    text = compact_html(summaries(name))
    assert verdict(summaries(name))[0].replace('"', "&quot;") in text
    assert summaries(name)["variables"][0]["name"] in text


def test_markup_in_names_is_text(summaries):
    text = compact_html(summaries("hostile"))
    assert "<script" not in text
    assert "<img" not in text
    assert "<b>bold" not in text


def test_no_name_turns_the_text_round(summaries):
    summary = copy.deepcopy(summaries("hostile"))
    summary["data"] |= {"source": "a\u202eb", "target": "c\u202ed"}
    text = compact_html(summary)
    assert r"emoji 🍷🧀 \u202e right to left" in text.replace("\\\\", "\\")
    assert not re.search(r"[\u202a-\u202e\u2066-\u2069]", text)


def test_many_variables_and_warnings_are_counted(summaries):
    summary = copy.deepcopy(summaries("sensors"))
    summary["warnings"] = [warning(f"kind {k}", ["x"]) for k in range(8)]
    text = compact_html(summary)
    informative = sum(variable["level"] > 0 for variable in summary["variables"])
    others = f"{2_000 - informative:,} variables that are not informative"
    assert f"... and {informative - 10:,} more and {others}<" in text
    assert "... and 3 more warnings" in text


def test_a_measure_without_a_value_is_called_not_defined(summaries):
    assert "AUC<br><b>not defined</b>" in compact_html(summaries("one class tested"))


def test_a_warning_begins_with_its_kind(summaries):
    text = compact_html(summaries("wine"))
    assert "<b>rare class</b>: <span>Class &#x27;grower 3&#x27; has only 48 labeled rows" in text


def test_an_analysis_has_no_column_of_weights(summaries):
    assert ">weight<" not in compact_html(summaries("holes"))
