"""Texts that are numbers, dates or true and false, and what is told of them."""

import pytest

from modlearn._tables.files.paths import ReadOptions, open_source
from modlearn.errors import ColumnError


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
        (["1,5", "2", "0,25"], "numeric", [1.5, 2, 0.25], "'1,5' were read as decimal numbers"),
        (["1,234", "999"], "numeric", [1234, 999], "read as one between thousands"),
        (["1,234,567.5", "9"], "numeric", [1234567.5, 9], "read as one between thousands"),
        (["1", "n/a", "3"], "numeric", [1, None, 3], "a cell such as 'n/a' counts as missing"),
        (["1", "?", "-", "2.5"], "numeric", [1, None, None, 2.5], "2 cells such as '?' count"),
        (["007", "008"], "numeric", [7, 8], None),
        ([" 1", "2 "], "numeric", [1, 2], None),
        (["12345678901234567890", "1"], "numeric", [12345678901234567890.0, 1.0], None),
        (["NaN", "1.5", ""], "numeric", [None, 1.5, None], None),
        (["", ""], "numeric", [None, None], None),
        (["?", "?"], "categorical", ["?", "?"], None),
        (["yes", "no"], "categorical", ["yes", "no"], None),
        (["t", "f"], "categorical", ["t", "f"], None),
        (["True", "false"], "categorical", [True, False], None),
        (["NA", "x"], "categorical", ["NA", "x"], None),
        (
            ["2020-01-05", "2020-01-06 10:30"],
            "datetime",
            ["2020-01-05", "2020-01-06T10:30:00"],
            None,
        ),
        (["2020-01-05T10:00:00+02:00"], "datetime", ["2020-01-05T08:00:00"], None),
        (["2020-01-05", "n/a"], "datetime", ["2020-01-05", None], "since all others are dates"),
        (["10:30", "23:59:59"], "duration", ["10:30:00", "23:59:59"], None),
        (["13/02/2020"], "categorical", ["13/02/2020"], None),
    ],
)
def test_texts_are_read_as_what_all_of_them_are(column, texts, kind, cells, note):
    found, read, notes = column(*texts)
    assert (found, read) == (kind, cells)
    assert not notes if note is None else note in notes[0]


def test_a_few_cells_that_are_no_numbers_are_told(column):
    kind, _, notes = column(*map(str, range(30)), "12 kg")
    assert kind == "categorical"
    assert (
        "'a' is read as text though 30 of its cells are numbers: 1 is not, such as '12 kg'"
        in (notes[0])
    )


def test_words_for_missing_values_can_be_told(column):
    assert column("1", "2", "12 kg", "none of it", missing=("12 kg", "none of it"))[1] == [
        1,
        2,
        None,
        None,
    ]
    assert column("?", "x", missing=("?",))[1] == [None, "x"]


def test_a_decimal_separator_can_be_told(column):
    assert column("1,5", "2", decimal=".")[0] == "categorical"
    assert column("1,234", "2", decimal=",")[1] == [1.234, 2]


def test_a_comma_that_may_mean_either_is_refused_where_a_number_is_wanted(column):
    wanted = {"a": "numeric"}
    with pytest.raises(ColumnError, match=r"'a': the comma in cells such as '1,234' .* --decimal"):
        column("1,234", "7", types=wanted)
    assert column("1,234", "7", types=wanted, decimal=",")[1] == [1.234, 7]
    assert column("1,234", "7", types=wanted, decimal=".")[1] == [1234, 7]


@pytest.mark.parametrize(
    ("texts", "cells"),
    [(["1,234", "0,5"], [1.234, 0.5]), (["1,234", "1,234,567"], [1234, 1234567])],
)
def test_a_comma_that_another_cell_explains_is_read(column, texts, cells):
    assert column(*texts, types={"a": "numeric"})[1] == cells


def test_the_cell_that_is_no_number_is_told_not_one_with_a_decimal_comma(column):
    with pytest.raises(ColumnError, match="'a' holds text, line 4 is 'forty', where numbers"):
        column("0,2", "1", "forty", "2,5", types={"a": "numeric"})
    assert column("0,2", "1", "n/a", "2,5", types={"a": "numeric"})[1] == [0.2, 1, None, 2.5]
