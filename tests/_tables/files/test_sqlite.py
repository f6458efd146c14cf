"""Tables of SQLite."""

import shutil
import sqlite3
from contextlib import closing

import pytest

from modlearn._tables.files.paths import open_source
from modlearn.errors import ColumnError, FileError


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


def test_a_file_that_is_no_database_is_told(tmp_path):
    (tmp_path / "x.sqlite").write_bytes(b"SQLite format 3\x00 and no more")
    with pytest.raises(FileError, match="is no database of SQLite"):
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
