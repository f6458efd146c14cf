"""Texts that are numbers, dates or true and false, and the notes about them."""

from datetime import datetime

import pytest

from modlearn._tables.files.formats import ReadOptions, open_source
from modlearn._tables.notes import ReadingNote
from modlearn.errors import ColumnError
from modlearn.schema import Kind


@pytest.fixture
def column(tmp_path):
    """Kind, cells and notes of a column of text."""

    def read(*texts, **options):
        path = tmp_path / "x.csv"
        path.write_text("a;b\n" + "".join(f"{text};\n" for text in texts))
        with open_source(path, ReadOptions(header=True, **options)) as source:
            found = source.read(["a"]).categorical(0)
            cells = [None if code < 0 else found.categories[code] for code in found.codes]
            return source.types["a"], cells, source.notes

    return read


@pytest.mark.parametrize(
    ("texts", "kind", "cells", "note"),
    [
        (["1,5", "2", "0,25"], Kind.NUMERIC, [1.5, 2, 0.25], "decimal_comma"),
        (["1,234", "999"], Kind.NUMERIC, [1234, 999], "thousands_comma"),
        (["1,234,567.5", "9"], Kind.NUMERIC, [1234567.5, 9], "thousands_comma"),
        (["1", "n/a", "3"], Kind.NUMERIC, [1, None, 3], "missing_words"),
        (["1", "?", "-", "2.5"], Kind.NUMERIC, [1, None, None, 2.5], "missing_words"),
        (["007", "008"], Kind.NUMERIC, [7, 8], None),
        ([" 1", "2 "], Kind.NUMERIC, [1, 2], None),
        (["12345678901234567890", "1"], Kind.NUMERIC, [12345678901234567890.0, 1.0], None),
        (["NaN", "1.5", ""], Kind.NUMERIC, [None, 1.5, None], None),
        (["", ""], Kind.NUMERIC, [None, None], None),
        (["?", "?"], Kind.TEXT, ["?", "?"], None),
        (["yes", "no"], Kind.TEXT, ["yes", "no"], None),
        (["t", "f"], Kind.TEXT, ["t", "f"], None),
        (["True", "false"], Kind.BOOLEAN, [True, False], None),
        (["NA", "x"], Kind.TEXT, ["NA", "x"], None),
        (
            ["2020-01-05", "2020-01-06 10:30"],
            Kind.DATETIME,
            ["2020-01-05", "2020-01-06T10:30:00"],
            None,
        ),
        (["2020-01-05T10:00:00+02:00"], Kind.DATETIME, ["2020-01-05T08:00:00"], None),
        (["2020-01-05", "n/a"], Kind.DATETIME, ["2020-01-05", None], "missing_words"),
        (["10:30", "23:59:59"], Kind.DURATION, ["10:30:00", "23:59:59"], None),
        (["13/02/2020"], Kind.DATETIME, ["2020-02-13"], None),
        (["$1,234", "$5"], Kind.NUMERIC, [1234, 5], "amounts"),
        (["45%", "7.5%"], Kind.NUMERIC, [0.45, 0.075], "amounts"),
        (["1.234,5 €", "7 €"], Kind.NUMERIC, [1234.5, 7], "amounts"),
        (["1.234 €", "7 €"], Kind.NUMERIC, [1234, 7], "amounts"),
        (["1.234%", "7%"], Kind.NUMERIC, [0.01234, 0.07], "amounts"),
        (["(1,234)", "567"], Kind.NUMERIC, [-1234, 567], "amounts"),
        (["1.234,5", "1.234.567,5"], Kind.NUMERIC, [1234.5, 1234567.5], "amounts"),
        (["$5", "€5"], Kind.TEXT, ["$5", "€5"], None),
        (["$5", "5"], Kind.TEXT, ["$5", "5"], None),
        (["1 234", "5"], Kind.TEXT, ["1 234", "5"], None),
        (["$5", "$1.2.3"], Kind.TEXT, ["$5", "$1.2.3"], None),
    ],
)
def test_texts_are_read_as_what_all_of_them_are(column, texts, kind, cells, note):
    found_kind, read, notes = column(*texts)
    assert (found_kind, read) == (kind, cells)
    assert [found.kind for found in notes] == ([] if note is None else [note])


def test_a_few_cells_that_are_not_numbers_are_noted(column):
    kind, _, notes = column(*map(str, range(30)), "12 kg")
    assert kind == Kind.TEXT
    numbers = {"column": "a", "n_numbers": 30, "n_others": 1, "example": "12 kg"}
    assert notes == [ReadingNote("mostly_numbers", numbers)]


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%d.%m.%Y", "%Y-%m-%d %H:%M"])
def test_a_few_cells_that_are_not_dates_are_noted(column, form):
    days = [datetime(2020, 1, day, 9, 30).strftime(form) for day in range(1, 31)]
    kind, _, notes = column(*days, "soon", "?")
    assert kind == Kind.TEXT
    numbers = {"column": "a", "n_dates": 30, "n_others": 1, "example": "soon"}
    assert notes == [ReadingNote("mostly_dates", numbers)]
    assert column(*days[:8], "soon", "late")[2] == []


def test_a_cell_that_is_not_a_date_is_noted_also_after_the_sample(column):
    kind, _, notes = column(*["2020-01-05", "2020-01-06"] * 1_500, "soon")
    assert (kind, [note.kind for note in notes]) == (Kind.TEXT, ["mostly_dates"])
    assert notes[0].numbers["n_dates"] == 3_000


def test_words_for_missing_values_are_counted_with_an_example(column):
    numbers = {"column": "a", "n_cells": 2, "example": "?", "others": "numbers"}
    assert column("1", "?", "-", "2.5")[2] == [ReadingNote("missing_words", numbers)]


@pytest.mark.parametrize(
    ("texts", "kind", "example"),
    [(["1", "1,5"], "decimal_comma", "1,5"), (["7", "1,234"], "thousands_comma", "1,234")],
)
def test_a_comma_is_reported_with_an_example(column, texts, kind, example):
    assert column(*texts)[2] == [ReadingNote(kind, {"column": "a", "example": example})]


def test_words_for_missing_values_can_be_specified(column):
    assert column("1", "2", "12 kg", "none of it", missing=("12 kg", "none of it"))[1] == [
        1,
        2,
        None,
        None,
    ]
    assert column("?", "x", missing=("?",))[1] == [None, "x"]


def test_an_amount_is_reported_with_an_example_and_its_number(column):
    numbers = {"column": "a", "example": "$1,234", "value": 1234.0}
    assert column("$5", "$1,234")[2] == [ReadingNote("amounts", numbers)]


def test_amounts_may_be_missing(column):
    kind, cells, notes = column("$5", "n/a")
    assert (kind, cells) == (Kind.NUMERIC, [5, None])
    assert [note.kind for note in notes] == ["amounts", "missing_words"]


def test_a_decimal_separator_decides_how_amounts_are_read(column):
    assert column("$1,234", "$5", decimal=",")[1] == [1.234, 5]
    assert column("1.234 €", "5 €", decimal=".")[1] == [1.234, 5]


@pytest.mark.parametrize(
    ("texts", "format", "cells"),
    [
        (["1.234", "5"], "1.234,5", [1234, 5]),
        (["1.234 €", "5,5"], "1.234,5", [1234, 5.5]),
        (["1,234", "5"], "1.234,5", [1.234, 5]),
        (["1,234", "5"], "1,234.5", [1234, 5]),
        (["1e3", "n/a"], "1.234,5", [1000, None]),
    ],
)
def test_numbers_are_read_as_in_the_training_data(column, texts, format, cells):
    assert column(*texts, types={"a": Kind.NUMERIC}, formats={"a": format})[1] == cells


def test_a_decimal_separator_replaces_what_the_model_knows(column):
    known = {"types": {"a": Kind.NUMERIC}, "formats": {"a": "1.234,5"}}
    assert column("1,234", "5", decimal=".", **known)[1] == [1234, 5]
    assert column("1.234", "5", decimal=".", **known)[1] == [1.234, 5]


def test_a_mark_in_an_amount_that_may_mean_either_is_refused_where_a_number_is_wanted(column):
    with pytest.raises(ColumnError, match=r"'a': the period in cells such as '1\.234 €' .* --deci"):
        column("1.234 €", "5 €", types={"a": Kind.NUMERIC})


def test_a_decimal_separator_can_be_specified(column):
    assert column("1,5", "2", decimal=".")[0] == Kind.TEXT
    assert column("1,234", "2", decimal=",")[1] == [1.234, 2]


def test_a_comma_that_may_mean_either_is_refused_where_a_number_is_wanted(column):
    types = {"a": Kind.NUMERIC}
    with pytest.raises(ColumnError, match=r"'a': the comma in cells such as '1,234' .* --decimal"):
        column("1,234", "7", types=types)
    assert column("1,234", "7", types=types, decimal=",")[1] == [1.234, 7]
    assert column("1,234", "7", types=types, decimal=".")[1] == [1234, 7]


@pytest.mark.parametrize(
    ("texts", "cells"),
    [(["1,234", "0,5"], [1.234, 0.5]), (["1,234", "1,234,567"], [1234, 1234567])],
)
def test_a_comma_that_another_cell_explains_is_read(column, texts, cells):
    assert column(*texts, types={"a": Kind.NUMERIC})[1] == cells


def test_the_cell_that_is_not_a_number_is_reported_rather_than_one_with_a_decimal_comma(column):
    with pytest.raises(ColumnError, match=r"'a' holds text \(line 4 is 'forty'\), but numbers"):
        column("0,2", "1", "forty", "2,5", types={"a": Kind.NUMERIC})
    assert column("0,2", "1", "n/a", "2,5", types={"a": Kind.NUMERIC})[1] == [0.2, 1, None, 2.5]


@pytest.mark.parametrize(
    ("cell", "kind", "read"),
    [
        ("1.5", Kind.NUMERIC, 1.5),
        ("$5", Kind.NUMERIC, 5),
        ("31/01/2012", Kind.DATETIME, "2012-01-31"),
        ("10:30", Kind.DURATION, "10:30:00"),
    ],
)
def test_a_column_that_begins_with_many_missing_words_is_read_as_its_values(
    column, cell, kind, read
):
    found, cells, notes = column(*["n/a"] * 2_100, *[cell] * 10)
    assert (found, cells[2_099:2_101]) == (kind, [None, read])
    (note,) = (note for note in notes if note.kind == "missing_words")
    assert note.numbers["n_cells"] == 2_100
