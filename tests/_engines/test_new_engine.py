"""An engine that is only listed in DATABASES is found by its address and by its objects."""

import numpy as np
import pytest
from tests._engines.tables import make_table

import modlearn
from modlearn import _addresses
from modlearn._addresses import DATABASES, Database, database_of
from modlearn._engines.duckdb import DuckDBEngine
from modlearn._export.dialects import DIALECTS
from modlearn._tables.files.formats import open_source
from modlearn.errors import FileError


class Folder:
    """A table of a library: what this module is to ``open_engine``."""

    def __init__(self, path):
        self.path = path


def open_engine(data):
    """Open what follows `::` in an address, or a folder."""
    path = data.path if isinstance(data, Folder) else data.partition("::")[2]
    return DuckDBEngine(open_source(path), 500_000_000, 1)


@pytest.fixture
def listed(monkeypatch):
    new = Database(
        "Toys",
        __name__,
        "duckdb",
        schemes=("toys",),
        example="toys://shop::orders",
        library=__name__.partition(".")[0],
    )
    monkeypatch.setattr(_addresses, "DATABASES", (*DATABASES, new))
    return new


def test_addresses_and_objects_of_a_new_engine_are_opened(listed, tmp_path):
    frame = make_table(600)
    frame.to_parquet(tmp_path / "rows.parquet")
    expected = modlearn.fit(frame, "y", test=0.3)
    for data in (f"toys://shop::{tmp_path}/rows.parquet", Folder(str(tmp_path / "rows.parquet"))):
        assert database_of(data) is listed
        found = modlearn.fit(data, "y", test=0.3)
        assert list(found.model.schema.names) == list(expected.model.schema.names)
        assert np.array_equal(found.model.target.counts, expected.model.target.counts)


@pytest.mark.parametrize("database", DATABASES)
def test_dialects_of_engines_say_what_engines_need(database):
    dialect = DIALECTS[database.dialect]
    assert dialect.text_key is not None
    assert database.schemes or database.library
    assert not database.schemes or database_of(database.example) is database


def test_addresses_of_other_databases_are_refused():
    assert database_of("mysql://localhost/shop::orders") is None
    with pytest.raises(FileError, match="those of PostgreSQL such as 'postgresql://localhost/shop"):
        modlearn.fit("mysql://localhost/shop::orders", "y")
