"""Tables of SQLite."""

import shutil
import sqlite3
from contextlib import closing

import pytest

from modlearn._tables.files.formats import open_source
from modlearn.errors import ColumnError, FileError
from modlearn.schema import Kind


@pytest.fixture
def path(tmp_path):
    database = sqlite3.connect(tmp_path / "x.sqlite")
    database.execute("CREATE TABLE t (a, b BLOB)")
    database.execute("INSERT INTO t VALUES ('1', X'00ff')")
    database.execute("CREATE VIEW v AS SELECT a FROM t")
    database.commit()
    database.close()
    return tmp_path / "x.sqlite"


def test_bytes_are_refused_by_the_name_of_their_column(path):
    with pytest.raises(ColumnError, match="Column 'b' holds bytes"):
        open_source(f"{path}::t")


def test_a_view_is_a_table_too(path):
    with open_source(f"{path}::v") as source:
        assert (source.names, source.n_rows) == (["a"], 1)


def test_a_file_that_is_not_a_database_is_reported(tmp_path):
    (tmp_path / "x.sqlite").write_bytes(b"SQLite format 3\x00 and no more")
    with pytest.raises(FileError, match="is not a valid SQLite database"):
        open_source(tmp_path / "x.sqlite")


def test_what_a_killed_process_began_to_write_is_not_read(tmp_path):
    database = sqlite3.connect(tmp_path / "x.sqlite", isolation_level=None)
    database.execute("CREATE TABLE t AS SELECT 1 AS a")
    database.execute("PRAGMA cache_size = 1")  # so that pages reach the disk before the end
    database.execute("BEGIN")
    database.executemany("INSERT INTO t VALUES (?)", ((f"{i:0100d}",) for i in range(10_000)))
    for ending in ("", "-journal"):  # a copy has nobody who would finish
        shutil.copy(tmp_path / f"x.sqlite{ending}", tmp_path / f"left.sqlite{ending}")
    database.close()
    with open_source(tmp_path / "left.sqlite") as source:
        assert source.n_rows == 1


def test_cells_may_hold_line_ends_of_any_kind(tmp_path):
    texts = ["x\ry", "x\ny", "x\r\ny", "\r", "z"]
    with closing(sqlite3.connect(tmp_path / "x.sqlite")) as database:
        database.execute("CREATE TABLE t (a TEXT)")
        database.executemany("INSERT INTO t VALUES (?)", [(text,) for text in texts])
        database.commit()
    with open_source(tmp_path / "x.sqlite") as source:
        column = source.read().categorical(0)
    assert [column.categories[code] for code in column.codes] == texts


def rows_of(path, sql, rows):
    """Kinds, cells and notes of a table that is made by some SQL."""
    with closing(sqlite3.connect(path)) as database:
        database.execute(sql)
        if rows:
            marks = ", ".join("?" * len(rows[0]))
            database.executemany(f"INSERT INTO t VALUES ({marks})", rows)
        database.commit()
    with open_source(path) as source:
        columns = [source.read().categorical(i) for i in range(len(source.names))]
        cells = [[None if c < 0 else f.categories[c] for c in f.codes] for f in columns]
        return list(source.types.values()), cells, [note.kind for note in source.notes]


@pytest.mark.parametrize(
    ("declared", "cells", "kind", "expected"),
    [
        ("INTEGER", [1, None, -(2**63), 2**63 - 1], Kind.NUMERIC, [1, None, -(2**63), 2**63 - 1]),
        ("REAL", [0.1, None, 3, float("inf")], Kind.NUMERIC, [0.1, None, 3.0, float("inf")]),
        ("", [1, 2.5, None], Kind.NUMERIC, [1.0, 2.5, None]),
        ("", [None, None], Kind.NUMERIC, [None, None]),
        ("TEXT", [None, None], Kind.TEXT, [None, None]),
        ("VARCHAR(3)", ["01", "2", None], Kind.TEXT, ["01", "2", None]),
        ("TEXT", ["a", "", None], Kind.TEXT, ["a", None, None]),
        ("", ["1", 2, None], Kind.NUMERIC, [1, 2, None]),
        ("", ["x", 2, 2.5], Kind.TEXT, ["x", "2", "2.5"]),
        ("INTEGER", [1, "n/a", 3], Kind.NUMERIC, [1, None, 3]),
        ("DATE", ["2020-01-05", None], Kind.DATETIME, ["2020-01-05", None]),
        ("DATE", ["2020-01-05", "soon"], Kind.TEXT, ["2020-01-05", "soon"]),
        ("BOOLEAN", [0, 1, None], Kind.NUMERIC, [0, 1, None]),
    ],
)
def test_a_column_is_read_by_what_its_cells_are(tmp_path, declared, cells, kind, expected):
    sql = f"CREATE TABLE t (a {declared})"
    kinds, found, _ = rows_of(tmp_path / "x.sqlite", sql, [(cell,) for cell in cells])
    assert (kinds, found) == ([kind], [expected])


def test_a_word_among_numbers_is_reported(tmp_path):
    sql = "CREATE TABLE t (a INTEGER)"
    assert rows_of(tmp_path / "x.sqlite", sql, [(1,), ("n/a",)])[2] == ["missing_words"]


def test_a_table_without_rows_has_its_columns(tmp_path):
    kinds, cells, _ = rows_of(tmp_path / "x.sqlite", "CREATE TABLE t (a INTEGER, b TEXT)", [])
    assert (kinds, cells) == ([Kind.NUMERIC, Kind.TEXT], [[], []])


def test_a_generated_column_is_a_column(tmp_path):
    with closing(sqlite3.connect(tmp_path / "x.sqlite")) as database:
        database.execute("CREATE TABLE t (a INTEGER, b INTEGER AS (a * 2))")
        database.execute("INSERT INTO t VALUES (3)")
        database.commit()
    with open_source(tmp_path / "x.sqlite") as source:
        assert source.read().numeric(1).values.tolist() == [6]


def test_rows_are_copied_batch_by_batch_in_their_order(tmp_path, monkeypatch):
    monkeypatch.setattr("modlearn._tables.files.sqlite.ROWS_PER_BATCH", 3)
    rows = [(i if i % 4 else None, f"t{i}" if i > 5 else None) for i in range(10)]
    _, cells, _ = rows_of(tmp_path / "x.sqlite", "CREATE TABLE t (a INTEGER, b TEXT)", rows)
    assert list(zip(*cells, strict=True)) == rows


def test_more_columns_than_one_query_may_count_are_read(tmp_path):
    names = ", ".join(f"c{i} INTEGER" for i in range(1_200))
    kinds, cells, _ = rows_of(tmp_path / "x.sqlite", f"CREATE TABLE t ({names})", [(7,) * 1_200])
    assert cells == [[7]] * 1_200
    assert set(kinds) == {Kind.NUMERIC}


@pytest.mark.parametrize(
    ("cells", "kind", "expected"),
    [
        ([1, 2, 3, 2.5], Kind.NUMERIC, [1.0, 2.0, 3.0, 2.5]),
        ([1, 2, 3.5, "x"], Kind.TEXT, ["1", "2", "3.5", "x"]),
        ([None, None, None, "x"], Kind.TEXT, [None, None, None, "x"]),
        ([None, None, None, 7], Kind.NUMERIC, [None, None, None, 7]),
        (
            ["2020-01-05", None, "x", "2020-01-06"],
            Kind.TEXT,
            ["2020-01-05", None, "x", "2020-01-06"],
        ),
        (["2020-13-45", "2020-01-06"], Kind.TEXT, ["2020-13-45", "2020-01-06"]),
    ],
)
def test_a_type_that_later_rows_do_not_have_is_widened(
    tmp_path, monkeypatch, cells, kind, expected
):
    monkeypatch.setattr("modlearn._tables.files.sqlite.ROWS_PER_BATCH", 2)
    rows = [(cell,) for cell in cells]
    kinds, found, _ = rows_of(tmp_path / "x.sqlite", "CREATE TABLE t (a)", rows)
    assert (kinds, found) == ([kind], [expected])


def test_dates_are_copied_as_dates(tmp_path):
    with closing(sqlite3.connect(tmp_path / "x.sqlite")) as database:
        database.execute("CREATE TABLE t AS SELECT '2020-01-05' AS day, '2020-01-05 10:30' AS time")
        database.commit()
    with open_source(tmp_path / "x.sqlite") as source:
        described = source.workspace.rows(f"DESCRIBE {source.select()}")
    assert [row[1] for row in described] == ["DATE", "TIMESTAMP"]


def test_generated_columns_are_read(tmp_path):
    with closing(sqlite3.connect(tmp_path / "x.sqlite")) as database, database:
        database.execute(
            "CREATE TABLE t (a INTEGER, b INTEGER GENERATED ALWAYS AS (2 * a) VIRTUAL, "
            "c TEXT GENERATED ALWAYS AS ('x' || a) STORED)"
        )
        database.execute("INSERT INTO t (a) VALUES (1), (2)")
    with open_source(tmp_path / "x.sqlite") as source:
        table = source.read()
        assert source.names == ["a", "b", "c"]
        assert table.numeric(1).values.tolist() == [2.0, 4.0]
        assert table.categorical(2).categories == ("x1", "x2")
