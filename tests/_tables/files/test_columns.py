"""Types of DuckDB, the kinds they are, and how one is read as another."""

import pytest

from modlearn._tables.files.relation import FAMILIES, KINDS, family_of, natural_column, read_as
from modlearn.schema import Kind


def test_families_of_types_with_arguments_are_found():
    assert [family_of(t) for t in ("DECIMAL(18,3)", "STRUCT(a INTEGER)", "INTEGER[]", "BLOB")] == [
        "big",
        "nested",
        "nested",
        "text",
    ]


@pytest.mark.parametrize("family", [*FAMILIES, "text"])
def test_every_family_has_a_kind(family):
    assert KINDS[family] in Kind


def test_a_column_is_named_in_sql_whatever_its_characters():
    column = natural_column('a"{c}', "DATE")
    assert (column.raw, column.kind) == ('"a""{c}"', Kind.DATETIME)
    assert column.value == 'epoch_us(CAST("a""{c}" AS TIMESTAMP))'


@pytest.mark.parametrize(
    ("type_name", "kind", "expected"),
    [
        ("VARCHAR", None, Kind.TEXT),
        ("VARCHAR", Kind.NUMERIC, Kind.NUMERIC),
        ("VARCHAR", Kind.BOOLEAN, Kind.BOOLEAN),
        ("JSON", Kind.DATETIME, Kind.DATETIME),
        ("BIGINT", Kind.TEXT, Kind.TEXT),
        ("BIGINT", Kind.DATETIME, Kind.NUMERIC),
        ("INTEGER[]", Kind.TEXT, Kind.NESTED),
    ],
)
def test_a_column_is_read_as_another_kind_where_that_is_possible(type_name, kind, expected):
    assert read_as(natural_column("a", type_name), kind).kind == expected
