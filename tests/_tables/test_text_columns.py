"""Texts of frames, read as dates or numbers."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.frames import FRAMES

from modlearn._tables.files.formats import open_source
from modlearn._tables.memory.table import read_table
from modlearn._tables.notes import ReadingNote
from modlearn._tables.text_columns import as_in_training, read_texts
from modlearn.errors import ColumnError
from modlearn.schema import Column, Kind


def dates_of(table):
    column = table.categorical(0)
    return [None if code < 0 else column.categories[code] for code in column.codes]


TEXTS = ["31/01/2012", None, "01/02/2012", "31/01/2012", "n/a"]
DATES = ["2012-01-31", None, "2012-02-01", "2012-01-31", None]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
@pytest.mark.parametrize("format", [None, "%d/%m/%Y"])
def test_texts_are_read_as_dates_on_request(frame, format):
    table, notes = read_texts(read_table(frame({"a": TEXTS})), {0: format})
    assert dates_of(table) == DATES
    assert table.columns() == [Column("a", Kind.DATETIME, ordered=True, format="%d/%m/%Y")]
    assert notes == []


def test_an_order_that_no_text_shows_is_noted():
    _, (note,) = read_texts(read_table(pd.DataFrame({"a": ["01/02/2012"]})), {0: None})
    assert note.kind == "day_order"


@pytest.mark.parametrize("numbers", [[20120131, 20120201], [20120131.0, np.nan]])
def test_numbers_are_read_as_dates_on_request(numbers):
    table, _ = read_texts(read_table(pd.DataFrame({"a": numbers})), {0: None})
    assert dates_of(table)[0] == "2012-01-31"
    assert table.columns()[0].format == "%Y%m%d"


def test_dates_stay_as_they_are():
    frame = pd.DataFrame({"a": pd.to_datetime(["2012-01-31"])})
    assert dates_of(read_texts(read_table(frame), {0: "%d/%m/%Y"})[0]) == ["2012-01-31"]


def test_a_text_that_is_not_a_date_is_refused_with_its_row():
    table = read_table(pd.DataFrame({"a": ["31/01/2012", "31/01/2012", "soon"]}))
    message = "'a' row 2 is 'soon', but dates such as '31/01/2012' are needed: correct the cell"
    with pytest.raises(ColumnError, match=message):
        read_texts(table, {0: None})


def test_categories_that_do_not_occur_may_be_anything():
    texts = pd.Categorical(["31/01/2012"], categories=["31/01/2012", "soon"])
    table, _ = read_texts(read_table(pd.DataFrame({"a": texts})), {0: "%d/%m/%Y"})
    assert dates_of(table) == ["2012-01-31"]


def test_booleans_are_not_read_as_dates():
    table = read_table(pd.DataFrame({"a": [True, False]}))
    with pytest.raises(ColumnError, match="'a' holds neither text nor numbers to read as dates"):
        read_texts(table, {0: None})


@pytest.mark.parametrize(
    ("column", "texts", "values"),
    [
        (Column("a", Kind.DATETIME, True, "%d/%m/%Y"), ["01/02/2012"], ["2012-02-01"]),
        (Column("a", Kind.DATETIME, True), ["2012-02-01"], ["2012-02-01"]),
        (Column("a", Kind.DATETIME, True, "excel"), [40940], ["2012-02-01"]),
        (Column("a", Kind.NUMERIC, True, "1.234,5"), ["1.234 €", None], [1234.0, None]),
        (Column("a", Kind.DURATION, True), ["10:30"], ["10:30:00"]),
        (Column("a", Kind.NUMERIC, True), ["x"], ["x"]),
        (None, ["01/02/2012"], ["01/02/2012"]),
    ],
)
def test_texts_are_read_as_in_the_training_data(column, texts, values):
    table = as_in_training(read_table(pd.DataFrame({"a": texts})), [column])
    assert dates_of(table) == values


def test_a_text_in_another_format_than_in_the_training_data_is_refused():
    table = read_table(pd.DataFrame({"a": ["31/01/2012"]}))
    with pytest.raises(ColumnError, match="row 0 is '31/01/2012', but dates such as '2012-01"):
        as_in_training(table, [Column("a", Kind.DATETIME, True)])


SPELLED = {
    "$1,234.5": (Kind.NUMERIC, "1,234.5", 1234.5),
    "45%": (Kind.NUMERIC, "1,234.5", 0.45),
    "1.234,5 €": (Kind.NUMERIC, "1.234,5", 1234.5),
    "1,5": (Kind.NUMERIC, "1.234,5", 1.5),
    "31/01/2012": (Kind.DATETIME, "%d/%m/%Y", "2012-01-31"),
    "2012-01-31": (Kind.DATETIME, None, "2012-01-31"),
    "10:30": (Kind.DURATION, None, "10:30:00"),
}


@pytest.mark.parametrize("text", SPELLED)
@pytest.mark.parametrize("library", FRAMES)
def test_texts_of_frames_are_read_as_those_of_files(tmp_path, library, text):
    kind, format, value = SPELLED[text]
    cells = [text, None, "n/a", text]
    table, notes = read_texts(read_table(FRAMES[library]({"a": cells, "b": ["x"] * 4})), {})
    assert table.columns()[0] == Column("a", kind, ordered=True, format=format)
    assert dates_of(table) == [value, None, None, value]
    assert ReadingNote("missing_words", {**MISSING, "others": OTHERS[kind]}) in notes
    path = tmp_path / "x.csv"
    pd.DataFrame({"a": cells, "b": "x"}).to_csv(path, index=False)
    with open_source(path) as source:
        assert dates_of(source.read(["a"])) == dates_of(table)
        assert {note.kind for note in source.notes} == {note.kind for note in notes}


MISSING = {"column": "a", "n_cells": 1, "example": "n/a"}
OTHERS = {Kind.NUMERIC: "numbers", Kind.DATETIME: "dates", Kind.DURATION: "times"}


@pytest.mark.parametrize("text", ["5", "007", "1.5", "code 5", "$5 and more", "true"])
def test_plain_numbers_and_other_texts_of_frames_stay_text(text):
    table, notes = read_texts(read_table(pd.DataFrame({"a": [text, text]})), {})
    assert (table.columns(), notes) == ([Column("a", Kind.TEXT, ordered=False)], [])


def test_declared_categories_and_columns_that_cannot_be_read_stay_as_they_are():
    frame = pd.DataFrame({"a": pd.Categorical(["45%", "50%"]), "b": ["45%", 3]})
    table = read_table(frame)
    read, notes = read_texts(table, {})
    assert (read.sources, notes) == (table.sources, [])


def test_an_order_of_day_and_month_is_that_of_other_columns():
    frame = pd.DataFrame({"a": ["31/01/2012", "01/02/2012"], "b": ["01/02/2012", "03/02/2012"]})
    table, (note,) = read_texts(read_table(frame), {})
    assert table.columns()[1].format == "%d/%m/%Y"
    assert (note.kind, note.numbers["column"]) == ("day_order", "b")


def test_a_long_text_is_cut_in_an_error():
    table = read_table(pd.DataFrame({"a": ["x" * 5_000]}))
    with pytest.raises(ColumnError, match=r"'a' row 0 is 'x{75}\.\.\.', but dates"):
        read_texts(table, {0: "%d/%m/%Y"})


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_texts_that_are_all_missing_stay_as_they_are(frame):
    missing = pd.Series([None, None], dtype="str") if frame is pd.DataFrame else [None, None]
    table = read_table(frame({"a": missing}))
    read, notes = read_texts(table, {})
    assert (read.columns(), notes) == (table.columns(), [])
