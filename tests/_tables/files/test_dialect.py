"""How the dialect is detected from the first lines of a text."""

import time

import pytest
from sklearn.datasets import load_iris, load_wine

from modlearn._tables.files.dialect import (
    Dialect,
    are_words,
    guess_dialect,
    has_header,
    split,
    type_of,
    with_one_line_end,
)


@pytest.mark.parametrize(
    ("text", "delimiter", "width"),
    [
        ("a,b\n1,2", ",", 2),
        ("a;b\n1,5;2,5", ";", 2),
        ("1,5;2,5\n3,5;4,5", ";", 2),
        ("a\tb, c\n1\t2", "\t", 2),
        ("a,b,c\n1,2,3\n1,2\n3\n4,5,6,7", ",", 3),
        ('a;b\n"x,y,z,u";1\n"p,q,r,s";2', ";", 2),
        ("a,b,c\n1\n2\n3\n4", ",", 1),
        ("word\nx", "\x1f", 1),
    ],
)
def test_the_delimiter_is_that_of_most_lines(text, delimiter, width):
    dialect = guess_dialect(text.split("\n"), None, None)
    assert (dialect.delimiter, dialect.width) == (delimiter, width)


@pytest.mark.parametrize("load", [load_iris, load_wine])
@pytest.mark.parametrize("has_target", [True, False])
def test_decimal_commas_are_not_delimiters(load, has_target):
    data = load(as_frame=True)
    frame = data.frame if has_target else data.data.astype(float)
    lines = frame.to_csv(sep=";", decimal=",", index=False).splitlines()
    dialect = guess_dialect(lines, None, None)
    assert (dialect.delimiter, dialect.width) == (";", frame.shape[1])


def test_a_quote_that_is_not_closed_does_not_change_the_delimiter():
    lines = ["a,b", '1,"x', *["2,y"] * 100_000]
    assert guess_dialect(lines, None, None).delimiter == ","


def test_records_are_split_at_delimiters_outside_of_quotes():
    lines = ['a,"b', 'c",d', ""]
    assert split(lines, guess_dialect(lines, ",", '"')) == [["a", "b\nc", "d"]]


def test_types_are_those_of_all_cells():
    cells = ["1", "1.5", "x", "2020-01-01", "2020-01-01 10:00", "", "007", "-3e5"]
    types = ["BIGINT", "DOUBLE", "VARCHAR", "DATE", "TIMESTAMP", "DOUBLE", "VARCHAR", "DOUBLE"]
    assert [type_of({cell}) for cell in cells] == types
    assert type_of({"1", "1.5", "nan"}) == "DOUBLE"
    assert type_of({"1", "x"}) == "VARCHAR"
    for long in ("0.30000000000000004", "0.00012345678901234567", "1.234567890123456789e+00"):
        assert type_of({long}) == "DOUBLE"
    for longer in ("1.00000000000000000001", "12345678901234567890"):
        assert type_of({longer}) == "VARCHAR"


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["yes", "no", ""], True),
        (["yes", "N/A"], True),
        (["yes", "5"], False),
        (["true", "False"], False),
        (["n/a", " ? "], False),
        (["unknown", ""], False),
        ([], False),
    ],
)
def test_words_are_cells_without_digits_that_mean_something(cells, expected):
    assert are_words(cells, missing=["unknown"]) == expected


def test_a_single_line_is_a_header_unless_it_holds_numbers():
    assert has_header([["a", "b"]])
    assert not has_header([["a", "1"]])


@pytest.mark.parametrize("cell", ["1" * 50_000 + "-", "1" * 50_000, "." + "1" * 50_000 + "x"])
def test_a_cell_of_many_digits_takes_linear_time(cell):
    start = time.process_time()
    guess_dialect(["a,b", f"{cell},2", "3,4"], None, None)
    type_of({cell})
    has_header([["a"], [cell]])
    assert time.process_time() - start < 1


def test_a_cell_of_two_single_quotes_is_not_an_empty_one():
    assert guess_dialect(["a,b", "'',1", "x,2"], None, None).quote == '"'
    assert guess_dialect(["a,b", "'',1", "'x',2"], None, None).quote == "'"


def test_line_ends_inside_of_quotes_stay_as_they_are():
    lines = ["a,b\r\n", '"x\r\n', 'y",1\n', '"z ""\r', '""",2\r', "3,4"]
    expected = ["a,b\n", '"x\r\n', 'y",1\n', '"z ""\r', '""",2\n', "3,4"]
    assert list(with_one_line_end(lines, Dialect(",", '"', '"', 2))) == expected
    escaped = ['"x \\" y\r\n', 'z",1\r\n']
    expected = ['"x \\" y\r\n', 'z",1\n']
    assert list(with_one_line_end(escaped, Dialect(",", '"', "\\", 2))) == expected
