"""Columns of files as SQL."""

import pytest

from modlearn._tables.files.columns import (
    DUCKDB_FAMILIES,
    family_of,
    identifier,
    natural_columns,
    read_as,
)
from modlearn._tables.files.workspace import Workspace
from modlearn.schema import Kind


@pytest.fixture
def workspace():
    made = Workspace(1)
    yield made
    made.close()


def test_families_of_types_with_arguments_are_found():
    assert [family_of(t) for t in ("DECIMAL(18,3)", "STRUCT(a INTEGER)", "INTEGER[]", "BLOB")] == [
        "big",
        "nested",
        "nested",
        "text",
    ]


@pytest.mark.parametrize("family", DUCKDB_FAMILIES)
def test_every_family_has_a_kind(family):
    assert DUCKDB_FAMILIES[family][0] in Kind


@pytest.mark.parametrize("name", ['a"b', "a'b", "; DROP TABLE x; --", "é\n😀", "{c}"])
def test_a_column_is_named_in_sql_whatever_its_characters(workspace, name):
    (column,) = natural_columns(workspace, f"(SELECT DATE '2020-01-01' AS {identifier(name)})")
    assert (column.name, column.raw, column.kind) == (name, identifier(name), Kind.DATETIME)
    assert column.value == f"epoch_us(CAST({identifier(name)} AS TIMESTAMP))"


@pytest.mark.parametrize(
    ("type_name", "kind", "expected"),
    [
        ("VARCHAR", Kind.TEXT, Kind.TEXT),
        ("VARCHAR", Kind.NUMERIC, Kind.NUMERIC),
        ("VARCHAR", Kind.BOOLEAN, Kind.BOOLEAN),
        ("JSON", Kind.DATETIME, Kind.DATETIME),
        ("BIGINT", Kind.TEXT, Kind.TEXT),
        ("BIGINT", Kind.DATETIME, Kind.NUMERIC),
        ("INTEGER[]", Kind.TEXT, Kind.NESTED),
    ],
)
def test_a_column_is_read_as_another_kind_where_that_is_possible(
    workspace, type_name, kind, expected
):
    (column,) = natural_columns(workspace, f"(SELECT NULL::{type_name} AS a)")
    assert read_as(column, kind).kind == expected


@pytest.mark.parametrize(
    ("type_name", "is_long"),
    [
        ("BIGINT", False),
        ("HUGEINT", True),
        ("DECIMAL(15,2)", False),
        ("DECIMAL(16,2)", True),
        ("DOUBLE", False),
        ("TIMESTAMP", False),
    ],
)
def test_types_that_may_have_more_digits_than_numbers_are_known(workspace, type_name, is_long):
    (column,) = natural_columns(workspace, f"(SELECT NULL::{type_name} AS a)")
    assert bool(column.long) == is_long
