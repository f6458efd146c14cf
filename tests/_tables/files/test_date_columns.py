"""Columns of files whose texts or numbers are dates."""

import json

import pytest

from modlearn._tables.files.formats import ReadOptions, open_source
from modlearn.errors import ColumnError
from modlearn.schema import Kind


@pytest.fixture
def column(tmp_path):
    """Kind, format, cells and kinds of notes of a column of text."""

    def read(*texts, name="a", **options):
        path = tmp_path / "x.csv"
        path.write_text(f"{name};b\n" + "".join(f"{text};\n" for text in texts))
        with open_source(path, ReadOptions(header=True, **options)) as source:
            table = source.read([name])
            found = table.categorical(0)
            cells = [None if code < 0 else found.categories[code] for code in found.codes]
            described = table.columns()[0]
            return described.kind, described.format, cells, source.notes

    return read


@pytest.mark.parametrize(
    ("texts", "format", "cells"),
    [
        (["31/01/2012", "01/02/2012"], "%d/%m/%Y", ["2012-01-31", "2012-02-01"]),
        (["01/31/2012", "01/02/2012"], "%m/%d/%Y", ["2012-01-31", "2012-01-02"]),
        (["01.02.2012", "02.03.2012"], "%d.%m.%Y", ["2012-02-01", "2012-03-02"]),
        (["31 Jan 2012", "1 February 2012"], "%d %b %Y", ["2012-01-31", "2012-02-01"]),
        (
            ["9/30/1990 0:00:00", "9/30/1990 10:00:00"],
            "%m/%d/%Y",
            ["1990-09-30", "1990-09-30T10:00:00"],
        ),
    ],
)
def test_dates_are_read_in_the_format_that_fits_all_of_them(column, texts, format, cells):
    assert column(*texts) == (Kind.DATETIME, format, cells, [])


def test_the_order_of_day_and_month_is_decided_by_the_whole_column(column):
    _, format, cells, notes = column(*["01/02/2012"] * 5_000, "31/01/2012")
    assert (format, cells[0], notes) == ("%d/%m/%Y", "2012-02-01", [])


def test_an_order_that_no_cell_shows_is_assumed_and_noted(column):
    _, format, cells, (note,) = column("01/02/2012", "03/04/2012")
    assert (format, cells) == ("%m/%d/%Y", ["2012-01-02", "2012-03-04"])
    assert note.kind == "day_order"
    assert note.numbers == {
        "column": "a",
        "example": "01/02/2012",
        "first": "month",
        "other_format": "%d/%m/%Y",
    }


@pytest.mark.parametrize(
    ("texts", "format"),
    [
        (["01/01/2012", "01/02/2012", "01/03/2012"], "%d/%m/%Y"),
        (["01/01/2012", "02/01/2012", "03/01/2012"], "%m/%d/%Y"),
    ],
)
def test_a_number_that_is_always_1_is_the_day_of_monthly_figures(column, texts, format):
    _, found, _, (note,) = column(*texts)
    assert (found, note.kind) == (format, "day_order")


@pytest.mark.parametrize(
    ("shown", "first"), [("31/01/2012", "day"), ("01/31/2012", "month"), ("31.01.2012", "day")]
)
def test_an_order_that_no_cell_shows_is_that_of_the_other_columns(tmp_path, shown, first):
    path = tmp_path / "x.csv"
    path.write_text(f"a,b\n01/02/2012,{shown}\n03/04/2012,{shown}\n")
    with open_source(path) as source:
        (note,) = source.notes
        dates = source.read(["a"]).categorical(0).categories
    assert note.numbers["first"] == first
    expected = {"day": ("2012-02-01", "2012-04-03"), "month": ("2012-01-02", "2012-03-04")}
    assert dates == expected[first]


@pytest.mark.parametrize(
    "texts", [["31/01/2012", "01/31/2012"], ["31/01/2012", "31.01.2012"], ["31/01/2012", "soon"]]
)
def test_cells_in_different_formats_stay_text(column, texts):
    assert column(*texts) == (Kind.TEXT, None, texts, [])


def test_words_for_missing_dates_are_missing(column):
    kind, _, cells, (note,) = column("31/01/2012", "n/a")
    assert (kind, cells, note.kind) == (Kind.DATETIME, ["2012-01-31", None], "missing_words")


@pytest.mark.parametrize(
    ("name", "texts", "format", "cells", "note"),
    [
        ("start date", ["40939", "40940"], "excel", ["2012-01-31", "2012-02-01"], "dates_excel"),
        ("orderDate", ["40939.5"], "excel", ["2012-01-31T12:00:00"], "dates_excel"),
        ("date", ["40939", "n/a"], "excel", ["2012-01-31", None], "dates_excel"),
        ("date", ["20120131"], "%Y%m%d", ["2012-01-31"], "dates_compact"),
        ("candidate", ["40939"], None, [40939], None),
        ("date", ["40939", "7"], None, [40939, 7], None),
    ],
)
def test_numbers_are_dates_where_the_column_is_called_one(column, name, texts, format, cells, note):
    _, found, read, notes = column(*texts, name=name)
    assert (found, read) == (format, cells)
    assert note is None or note in [found.kind for found in notes]


def test_a_column_known_as_numbers_stays_numbers(column):
    assert column("40939", name="date", types={"date": Kind.NUMERIC})[0] == Kind.NUMERIC


@pytest.mark.parametrize(
    ("texts", "cells"),
    [
        (["01/02/2012"], ["2012-02-01"]),
        (["1/2/2012 10:00", "2012-02-03"], ["2012-02-01T10:00:00", "2012-02-03"]),
    ],
)
def test_dates_are_read_as_in_the_training_data(column, texts, cells):
    known = {"types": {"a": Kind.DATETIME}, "formats": {"a": "%d/%m/%Y"}}
    assert column(*texts, **known) == (Kind.DATETIME, "%d/%m/%Y", cells, [])


def test_numbers_are_read_as_dates_as_in_the_training_data(column):
    known = {"types": {"a": Kind.DATETIME}, "formats": {"a": "excel"}}
    assert column("40939", **known)[2] == ["2012-01-31"]


def test_dates_in_another_format_than_in_the_training_data_are_refused(column):
    message = r"'a' holds text \(line 2 is '31/01/2012'\), but dates such as '2012-01-31' .*date_f"
    with pytest.raises(ColumnError, match=message):
        column("31/01/2012", types={"a": Kind.DATETIME})


def test_a_requested_format_is_read_exactly(column):
    assert column("201201", "201202", dates={"a": "%Y%m"})[2] == ["2012-01-01", "2012-02-01"]
    assert column("01/02/2012", dates={"a": "%d/%m/%Y"})[2:] == (["2012-02-01"], [])
    with pytest.raises(ColumnError, match=r"line 3 is 'soon'\), but dates such as '31/01/2012'"):
        column("01/02/2012", "soon", dates={"a": "%d/%m/%Y"})


def test_a_requested_date_replaces_what_the_model_knows(column):
    known = {"types": {"a": Kind.DATETIME}, "formats": {"a": "%m/%d/%Y"}}
    assert column("01/02/2012", dates={"a": "%d/%m/%Y"}, **known)[2] == ["2012-02-01"]


def test_a_requested_date_has_the_format_of_most_cells(column):
    with pytest.raises(ColumnError, match=r"line 4 is 'soon'\), but dates such as '31/01/2012'"):
        column("31/01/2012", "1/2/2012", "soon", dates={"a": None})
    assert column("40939", dates={"a": None})[1] == "excel"
    assert column("2012-01-31", dates={"a": None})[2] == ["2012-01-31"]


def test_what_cannot_be_read_as_dates_is_refused(column):
    with pytest.raises(ColumnError, match="'a' holds numbers that are not dates"):
        column("7", "8", dates={"a": None})
    with pytest.raises(ColumnError, match=r"There is no column 'when' in .* to read as dates"):
        column("7", dates={"when": None})
    with pytest.raises(ColumnError, match="The date format '%Q' of column 'a' is not known: pass"):
        column("7", dates={"a": "%Q"})


def test_texts_of_json_may_be_dates(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text("\n".join(json.dumps({"a": a, "b": "$1"}) for a in ("31/01/2012", "1/2/2012")))
    with open_source(path) as source:
        assert source.types == {"a": Kind.DATETIME, "b": Kind.TEXT}
        assert source.notes == []
        assert source.read(["a"]).categorical(0).categories == ("2012-01-31", "2012-02-01")


def test_texts_of_parquet_are_dates_on_request(tmp_path):
    import duckdb

    path = tmp_path / "x.parquet"
    duckdb.sql("SELECT '31/01/2012' AS a, true AS b").write_parquet(str(path))
    with open_source(path) as source:
        assert source.types == {"a": Kind.TEXT, "b": Kind.BOOLEAN}
    with pytest.raises(ColumnError, match="'b' holds boolean values, which cannot be read as dat"):
        open_source(path, ReadOptions(dates={"b": None}))
    with open_source(path, ReadOptions(dates={"a": None})) as source:
        assert source.read(["a"]).categorical(0).categories == ("2012-01-31",)


def test_numbers_that_have_not_the_requested_format_are_called_numbers(column):
    message = (
        r"'a' holds numbers \(line 3 is '0.64'\), .*use the column as numbers, without date_form"
    )
    with pytest.raises(ColumnError, match=message) as raised:
        column("2012", "0.64", dates={"a": "%Y"})
    assert "without --date-format, declare it missing with --missing, or" in raised.value.as_command
