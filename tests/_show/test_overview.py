import io

import pandas as pd
import pytest
from rich.console import Console

import modlearn
from modlearn._show.overview import overview_table


@pytest.fixture(scope="module")
def summary():
    table = pd.DataFrame(
        {
            "<b>&": [0.5, 1.0, 20_000.0, 1_234_567.0],
            "id": ["a", "b", "c", "d"],
            "city": ["Oslo", "Oslo", None, "Bergen"],
        }
    )
    return modlearn.analyze(table).summary()


def text_of(table, width):
    output = io.StringIO()
    Console(file=output, width=width).print(table)
    return output.getvalue()


def test_text_has_a_line_per_column(summary):
    from modlearn._show.overview import overview_as_text

    lines = overview_as_text(summary).splitlines()
    assert lines[0] == "4 rows, 3 columns"
    bars, values = "█          ▃", "0.5 … 1 … 20,000 … 20,000 … 1,235,000"
    assert lines[3] == f"<b>&    numeric                  4  {bars}  {values}"
    assert lines[4].split() == ["id", "text", "4", "a,", "b,", "c", "and", "1", "more"]
    assert lines[5].split() == ["city", "text", "25%", "2", "█▄", "Oslo", "(2),", "Bergen", "(1)"]


def test_a_narrow_terminal_has_the_median_and_a_wide_one_the_quartiles(summary):
    assert "0.5 … 20,000 … 1,235,000" in text_of(overview_table(summary, 80), 80)
    assert "0.5 … 1 … 20,000 … 20,000 … 1,235,000" in text_of(overview_table(summary, 120), 120)


def test_the_column_of_missing_shares_is_shown_only_if_there_are_any(summary):
    assert "missing" in text_of(overview_table(summary, 80), 80)
    full = modlearn.analyze(pd.DataFrame({"a": [1, 2]})).summary()
    assert "missing" not in text_of(overview_table(full, 80), 80)


def test_names_are_escaped_on_the_page_and_in_a_notebook(summary, tmp_path):
    from modlearn._show.overview import overview_as_html, write_overview

    write_overview(summary, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert page.startswith("<!DOCTYPE html>")
    assert "&lt;b&gt;&amp;" in page
    assert "<b>&" not in page + overview_as_html(summary)
    assert "<script" not in page


def test_notes_of_the_file_are_on_the_page(tmp_path):
    (tmp_path / "table.csv").write_text("1,2\n3,4\n5,6\n")
    found = modlearn.analyze(tmp_path / "table.csv")
    found.report(tmp_path / "page.html")
    assert "holds values, not names" in (tmp_path / "page.html").read_text()
