"""An engine that is only listed in DATABASES is found by its address and by its objects.

It is DuckDB, under the name of another dialect, which writes otherwise what it can.
"""

import re
from dataclasses import replace

import numpy as np
import pytest
from tests._engines.tables import make_table

import modlearn
from modlearn import _addresses
from modlearn._addresses import DATABASES, Database, database_of
from modlearn._engines.duckdb import DuckDBEngine
from modlearn._export.dialects import DIALECTS
from modlearn._tables.files.formats import open_source
from modlearn._views.calendar import CYCLES
from modlearn.errors import FileError


class Folder:
    """A table of a library: what this module is to ``open_engine``."""

    def __init__(self, path):
        self.path = path


DIALECT = "trino"
DUCKDB = DIALECTS["duckdb"]
TOYS = replace(
    DUCKDB,
    title="Toys",
    true="true",
    false="false",
    lookup=None,
    position=None,
    double="FLOAT8",
    integer="INT8",
    small_integer="INT4",
    nulls_first="({x} IS NOT NULL), {x}",
    grouping_sets=False,
    text_key=str(DUCKDB.text_key).replace("BIGINT", "INT8"),
)


class ToyEngine(DuckDBEngine):
    """Knows no type by the name that the dialects of other engines have for it."""

    key = DIALECT
    refused = re.compile(r"\b(BIGINT|INTEGER|TRUE|FALSE|NULLS FIRST|GROUPING)\b")

    def fetch(self, statement):
        if self.refused.search(statement):
            raise AssertionError(statement)
        return super().fetch(statement)


def open_engine(data):
    """Open what follows `::` in an address, or a folder."""
    path = data.path if isinstance(data, Folder) else data.partition("::")[2]
    return ToyEngine(open_source(path), 500_000_000, 1)


@pytest.fixture
def listed(monkeypatch):
    monkeypatch.setitem(DIALECTS, DIALECT, TOYS)
    for view in CYCLES:
        monkeypatch.setitem(view.sql, DIALECT, view.sql["duckdb"].replace("BIGINT", "INT8"))
    monkeypatch.setattr("modlearn._engines.scores.FEWEST_SCORED", 10)
    monkeypatch.setattr("modlearn._engines.table.MOST_SAMPLED", 200)
    monkeypatch.setattr("modlearn._engines.table.FEW", 10)
    new = Database(
        "Toys",
        __name__,
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
