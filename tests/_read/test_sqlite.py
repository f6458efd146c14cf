"""Tables of SQLite."""

import sqlite3

import pytest

from modlearn._read.files import open_source
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
