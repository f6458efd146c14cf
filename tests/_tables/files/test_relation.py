"""Columns of DuckDB: kinds, codes, batches, and the types of another file."""

from itertools import product

import duckdb
import numpy as np
import pytest

from modlearn._tables.cells import Cells
from modlearn._tables.files import relation as module
from modlearn._tables.files.formats import ReadOptions, open_source
from modlearn.errors import ColumnError, FileError
from modlearn.schema import Kind

TYPES = {
    "1::TINYINT": (Kind.NUMERIC, 1),
    "2::UBIGINT": (Kind.NUMERIC, 2),
    "3::HUGEINT": (Kind.NUMERIC, 3.0),
    "1.25::DECIMAL(9, 2)": (Kind.NUMERIC, 1.25),
    "0.5::FLOAT": (Kind.NUMERIC, 0.5),
    "true": (Kind.BOOLEAN, True),
    "'x'": (Kind.TEXT, "x"),
    "'b'::ENUM('a', 'b')": (Kind.TEXT, "b"),
    "'b0b0b0b0-0000-0000-0000-000000000000'::UUID": (
        Kind.TEXT,
        "b0b0b0b0-0000-0000-0000-000000000000",
    ),
    "DATE '2020-01-05'": (Kind.DATETIME, "2020-01-05"),
    "TIMESTAMP '2020-01-05 10:00:00.5'": (Kind.DATETIME, "2020-01-05T10:00:00.500000"),
    "TIMESTAMPTZ '2020-01-05 10:00:00+02'": (Kind.DATETIME, "2020-01-05T08:00:00"),
    "TIMESTAMP_NS '2020-01-05 10:00:00'": (Kind.DATETIME, "2020-01-05T10:00:00"),
    "TIME '10:30:00'": (Kind.DURATION, "10:30:00"),
    "INTERVAL 36 HOUR": (Kind.DURATION, "36:00:00"),
    "NULL": (Kind.NUMERIC, None),
}


@pytest.fixture
def parquet(tmp_path):
    def write(sql, options=""):
        path = tmp_path / "x.parquet"
        duckdb.connect().execute(f"COPY ({sql}) TO '{path}' (FORMAT parquet{options})").fetchall()
        return open_source(path)

    return write


@pytest.mark.parametrize("ending", ["duckdb", "parquet"])
@pytest.mark.parametrize("sql", TYPES)
def test_every_type_has_a_kind_and_keeps_its_missing_cells(tmp_path, sql, ending):
    kind, value = TYPES[sql]
    if sql.startswith("TIMESTAMP_NS") and ending == "parquet":
        value = "2020-01-05T10:00:00"
    path = str(tmp_path / f"x.{ending}")
    query = f"SELECT {sql} AS a UNION ALL SELECT NULL"
    if ending == "duckdb":
        with duckdb.connect(path) as database:
            database.execute(f"CREATE TABLE t AS {query}")
    else:
        duckdb.connect().execute(f"COPY ({query}) TO '{path}'").fetchall()
    if ending == "parquet" and sql == "INTERVAL 36 HOUR":
        value = "36:00:00"
    with open_source(path) as source:
        column = source.read().categorical(0)
        assert source.types == {"a": kind}
        assert [None if c < 0 else column.categories[c] for c in column.codes] == [value, None]


def test_nan_and_null_are_both_missing(parquet):
    with parquet("SELECT unnest([1.5, 'nan'::DOUBLE, NULL]) AS a") as source:
        assert np.isnan(source.read().numeric(0).values).tolist() == [False, True, True]
        assert source.read().categorical(0).codes.tolist() == [0, -1, -1]


def test_a_nested_column_is_refused_when_it_is_read(parquet):
    with parquet("SELECT 1 AS a, [1, 2] AS b, {'k': 1} AS c") as source:
        assert source.types == {"a": Kind.NUMERIC, "b": "nested", "c": "nested"}
        assert source.read(["a"]).n_rows == 1
        with pytest.raises(ColumnError, match="Column 'b' is nested"):
            source.read()


@pytest.mark.parametrize("group", ["", ", ROW_GROUP_SIZE 2048"])
def test_batches_are_all_rows_in_their_order(parquet, group):
    with parquet("SELECT range AS a FROM range(300000)", group) as source:
        for n_rows in (1_000_000, 122_880, 5_000):
            batches = list(source.batches(["a"], n_rows))
            assert max(b.n_rows for b in batches) <= n_rows
            joined = np.concatenate([b.numeric(0).values for b in batches])
            assert np.array_equal(joined, np.arange(300_000))


def test_no_columns_still_have_rows(parquet):
    with parquet("SELECT range AS a FROM range(5)") as source:
        assert source.read([]).n_rows == 5
        assert [b.n_rows for b in source.batches([], 3)] == [3, 2]


def test_a_column_may_be_called_as_the_number_of_a_row(parquet):
    with parquet("SELECT 7 AS file_row_number, 8 AS rowid") as source:
        assert source.read().numeric(0).values.tolist() == [7]
        assert next(source.batches()).numeric(1).values.tolist() == [8]


@pytest.mark.parametrize("name", ['a"b', "x; DROP TABLE t", "😀", "two\nlines", "c0", "a'b", "{c}"])
def test_a_column_may_have_any_name(parquet, name):
    quoted = '"' + name.replace('"', '""') + '"'
    with parquet(f"SELECT 'x' AS {quoted}") as source:
        assert source.names == [name]
        assert source.read([name]).categorical(0).categories == ("x",)


# the kinds of the training data


def columns(tmp_path, text, types, at_opening=True):
    path = tmp_path / "x.csv"
    path.write_text(text)
    options = ReadOptions(header=True, types=types if at_opening else {})
    with open_source(path, options) as source:
        table = source.read(types=None if at_opening else types)
        found = [table.categorical(i) for i in range(len(table.names))]
        kinds = [column.kind if column.ordered else None for column in table.columns()]
        return kinds, [[None if c < 0 else f.categories[c] for c in f.codes] for f in found]


@pytest.mark.parametrize(
    ("text", "needed", "kind", "cells"),
    [
        ("a,b\n1,\n2.50,\n", Kind.TEXT, None, ["1", "2.50"]),
        ("a,b\ntrue,\nfalse,\n", Kind.TEXT, None, ["true", "false"]),
        ("a,b\nTrue,\nno,\n", Kind.BOOLEAN, None, [True, False]),
        ("a,b\n2020-01-05,\n", Kind.TEXT, None, ["2020-01-05"]),
        ("a,b\nNA,\n?,\n", Kind.NUMERIC, Kind.NUMERIC, [None, None]),
        ("a,b\n007,\n008,\n", Kind.NUMERIC, Kind.NUMERIC, [7, 8]),
        ("a,b\nn/a,\n,\n", Kind.DATETIME, Kind.DATETIME, [None, None]),
    ],
)
def test_a_column_is_read_as_the_type_it_had_in_fit(tmp_path, text, needed, kind, cells):
    kinds, found = columns(tmp_path, text, {"a": needed})
    assert (kinds[0], found[0]) == (kind, cells)


def test_types_may_be_specified_when_columns_are_read(tmp_path):
    assert columns(tmp_path, "a,b\n1,x\n", {"a": Kind.TEXT}, at_opening=False)[1] == [["1"], ["x"]]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('\na,b\n1,"x\ny"\n\n2,\nmany,z\n', 7),
        ("a\n1\n\n\nmany\n", 5),
        ('a;b\r\n1;"x\\"\r\n"\r\nmany;z\r\n', 4),
    ],
)
def test_a_cell_is_reported_by_the_line_that_an_editor_shows(tmp_path, text, line):
    (tmp_path / "x.csv").write_bytes(text.encode())
    options = ReadOptions(types={"a": Kind.NUMERIC}, header=True)
    message = rf"'a' holds text \(line {line} is 'many'\)"
    with (
        open_source(tmp_path / "x.csv", options) as source,
        pytest.raises(ColumnError, match=message),
    ):
        source.read(["a"])


def test_a_cell_of_several_files_is_reported_by_its_row_counted_from_one(tmp_path):
    (tmp_path / "1.csv").write_text("a,b\n1,2\n")
    (tmp_path / "2.csv").write_text("a,b\nmany,2\n")
    with (
        open_source(f"{tmp_path}/*.csv", ReadOptions(types={"a": Kind.NUMERIC})) as source,
        pytest.raises(ColumnError, match=r"'a' holds text \(row 2 is 'many'\)"),
    ):
        source.read(["a"])


def test_text_where_numbers_are_needed_is_reported_by_row_and_cell(tmp_path):
    text = "a,b\n1,x\n2,y\nmany,z\n"
    with pytest.raises(
        ColumnError, match=r"'a' holds text \(line 4 is 'many'\), but numbers are ne"
    ):
        columns(tmp_path, text, {"a": Kind.NUMERIC})
    with pytest.raises(
        ColumnError, match=r"line 2 is 'x'\), but dates such as '2012-01-31' are needed"
    ):
        columns(tmp_path, text, {"b": Kind.DATETIME}, at_opening=False)


# types and kinds


def test_a_long_cell_is_cut_in_an_error(tmp_path):
    (tmp_path / "x.csv").write_text("a,b\n1,2\n3," + "x" * 5_000 + "\n")
    options = ReadOptions(types={"b": Kind.NUMERIC})
    with (
        open_source(tmp_path / "x.csv", options) as source,
        pytest.raises(ColumnError, match=r"line 3 is 'x+\.\.\.'\), but numbers") as raised,
    ):
        source.read()
    assert len(str(raised.value)) < 400 + len(str(tmp_path))


def test_damage_that_is_found_only_when_cells_are_read_is_reported(tmp_path):
    path = tmp_path / "x.parquet"
    duckdb.execute(f"COPY (SELECT random() AS a FROM range(5000)) TO '{path}' (FORMAT parquet)")
    damaged = bytearray(path.read_bytes())
    damaged[20:2_000] = b"\xff" * 1_980
    path.write_bytes(damaged)
    with (
        open_source(path) as source,
        pytest.raises(FileError, match=r"x.parquet' cannot be read: .* restore it"),
    ):
        source.read()


# texts as codes, numbered by DuckDB or in Python


@pytest.mark.parametrize("most", [0, 5_000])
def test_texts_are_numbered_in_the_order_of_code_points_whatever_their_number(
    parquet, monkeypatch, most
):
    monkeypatch.setattr(module, "MOST_ENUMERATED", most)
    monkeypatch.setattr(module, "CHUNK", 3)
    words = ["é", "z", "Z", "😀", None, "it''s", "", "z", "\n"]
    rows = ", ".join("(NULL)" if t is None else f"('{t}')" for t in words)
    with parquet(f"SELECT v FROM (VALUES {rows}) AS t(v)") as source:
        column = source.read().categorical(0)
        batches = [b.categorical(0) for b in source.batches(n_rows=4)]
    expected = [t.replace("''", "'") if t else t for t in words]
    assert list(column.categories) == sorted({t for t in expected if t is not None})
    assert [None if c < 0 else column.categories[c] for c in column.codes] == expected
    parts = [None if c < 0 else b.categories[c] for b in batches for c in b.codes]
    assert parts == expected


def test_a_million_texts_do_not_become_python_strings(parquet, monkeypatch):
    monkeypatch.setattr(
        module.TextEncoding, "_number_in_python", lambda *_: pytest.fail("in Python")
    )
    with parquet("SELECT 'category ' || range % 20 AS a FROM range(1000000)") as source:
        column = source.read().categorical(0)
    assert (len(column.categories), column.codes[21]) == (20, column.codes[1])


# numbers of many digits

LONG = {
    "HUGEINT": "(100000000000000000000 + range % 40)::HUGEINT",
    "UBIGINT": "(12345678901234567890 + range % 40)::UBIGINT",
    "BIGINT": "(72057594037927936 + range % 40)::BIGINT",
    "DECIMAL": "('1.000000000000000000' || lpad((range % 40)::VARCHAR, 2, '0'))::DECIMAL(38, 20)",
    "TIMESTAMP_NS": "make_timestamp_ns(1000 * range % 2 + range % 40)",
}


@pytest.mark.parametrize(
    ("type_", "ending"), [*product(LONG, ["duckdb"]), *product([*LONG][:-1], ["csv"])]
)
def test_long_numbers_are_exact_as_categories_and_reported_as_numbers(tmp_path, type_, ending):
    path, rows = tmp_path / f"x.{ending}", f"SELECT {LONG[type_]} AS a FROM range(400)"
    if ending == "csv":
        duckdb.execute(f"COPY ({rows}) TO '{path}'")
    else:
        with duckdb.connect(path) as database:
            database.execute(f"CREATE TABLE t AS {rows}")
    with open_source(path) as source:
        table, batches = source.read(), list(source.batches(n_rows=100))
    assert len(table.categorical(0).categories) == 40
    assert [len(batch.categorical(0).categories) for batch in batches] == [40] * len(batches)
    numbers = table.numeric(0)
    n_numbers = len(np.unique(numbers.values))
    assert numbers.merged == (40, n_numbers)
    assert n_numbers < 5
    assert table.columns()[0].ordered


@pytest.mark.parametrize(
    "values",
    ["range::HUGEINT", "(range / 10)::DECIMAL(38, 20)", "range::DECIMAL(12, 2)", "range * 1000000"],
)
def test_numbers_that_stay_different_are_only_numbers(parquet, values):
    with parquet(f"SELECT {values} AS a FROM range(300)") as source:
        table = source.read()
    assert (source.notes, isinstance(table.sources[0], Cells)) == ([], True)


def test_a_model_of_exact_categories_reads_the_same_texts(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("a\n" + "".join(f"{10**20 + i % 40}\n" for i in range(400)))
    with open_source(path) as source:
        learned = source.read().categorical(0).categories
    with open_source(path, ReadOptions(types={"a": Kind.TEXT})) as source:
        assert source.read().categorical(0).categories == learned
