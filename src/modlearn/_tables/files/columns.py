"""Columns of DuckDB relations: their kinds, and the SQL that reads their cells."""

from __future__ import annotations

from dataclasses import dataclass

from modlearn._tables.files.workspace import identifier, literal
from modlearn.schema import Kind

__all__ = ["IS_MISSING_WORD", "FileColumn", "family_of", "natural_column", "read_as"]

FAMILIES = {
    "integer": [f"{sign}{size}INT" for sign in ("", "U") for size in ("TINY", "SMALL", "BIG")]
    + ["INTEGER", "UINTEGER"],
    "float": ["FLOAT", "DOUBLE"],
    "big": ["HUGEINT", "UHUGEINT", "DECIMAL", "BIGNUM", "VARINT", "NULL", '"NULL"'],
    "boolean": ["BOOLEAN"],
    "datetime": ["DATE", "TIMESTAMP", "TIMESTAMP_NS", "TIMESTAMP_MS", "TIMESTAMP_S"],
    "zoned": ["TIMESTAMP WITH TIME ZONE"],
    "duration": ["INTERVAL", "TIME", "TIME_NS"],
    "time": ["TIME WITH TIME ZONE"],
    "json": ["JSON"],
    "nested": ["STRUCT", "MAP", "UNION", "VARIANT"],
}
"""Types of DuckDB that are read in the same way; all others are read as text."""

FAMILY_OF = {name: family for family, names in FAMILIES.items() for name in names}

KINDS = {
    "integer": Kind.NUMERIC,
    "float": Kind.NUMERIC,
    "big": Kind.NUMERIC,
    "boolean": Kind.BOOLEAN,
    "datetime": Kind.DATETIME,
    "zoned": Kind.DATETIME,
    "duration": Kind.DURATION,
    "time": Kind.DURATION,
    "json": Kind.TEXT,
    "text": Kind.TEXT,
    "nested": Kind.NESTED,
}

VALUES = {
    "big": "CAST({c} AS DOUBLE)",
    "datetime": "epoch_us(CAST({c} AS TIMESTAMP))",
    "zoned": "epoch_us({c})",
    "duration": "epoch_us({c})",
    "time": "epoch_us(CAST({c} AS TIME))",
    "json": "({c} ->> '$')",
    "text": "CAST({c} AS VARCHAR)",
}
"""SQL that reads a family; the others are read as they are."""

MISSING_WORDS = (
    "na",
    "n/a",
    "nan",
    "null",
    "none",
    "nil",
    "<na>",
    "#n/a",
    "?",
    "-",
    ".",
    "missing",
)
IS_MISSING_WORD = f"lower(trim({{c}})) IN ({', '.join(map(literal, MISSING_WORDS))})"

READINGS = {
    Kind.NUMERIC: ("float", "TRY_CAST(trim({c}) AS DOUBLE)", "numbers"),
    Kind.DATETIME: ("datetime", "epoch_us(TRY_CAST({c} AS TIMESTAMPTZ))", "dates"),
    Kind.DURATION: ("duration", "epoch_us(TRY_CAST({c} AS INTERVAL))", "durations"),
    Kind.BOOLEAN: ("boolean", "TRY_CAST(trim({c}) AS BOOLEAN)", "the words true or false"),
}
"""How text is read as another kind: family, SQL, and what the texts must be."""


@dataclass(frozen=True)
class FileColumn:
    """A column of a file.

    Parameters
    ----------
    name : str
        Its name.
    raw : str
        SQL of what the file holds.
    family : str
        A key of FAMILIES, or "text".
    value : str
        SQL of what is read.
    needed : str, default=""
        What texts must be if they are read as another kind; other texts are refused.
    """

    name: str
    raw: str
    family: str
    value: str
    needed: str = ""

    @property
    def kind(self) -> Kind:
        """What the cells of the column are."""
        return KINDS[self.family]


def family_of(type_name: str) -> str:
    """Return the family of a type of DuckDB."""
    if type_name.endswith("]"):
        return "nested"
    return FAMILY_OF.get(type_name, FAMILY_OF.get(type_name.partition("(")[0], "text"))


def natural_column(name: str, type_name: str) -> FileColumn:
    """Make a column that is read as the type it has."""
    raw, family = identifier(name), family_of(type_name)
    value = VALUES.get(family, "{c}").format(c=raw)
    return FileColumn(name, raw, family, value)


def read_as(column: FileColumn, kind: str | None) -> FileColumn:
    """Return the column read as another kind, where that is possible and the kinds differ."""
    if kind is None or column.kind == Kind.NESTED:
        return column
    if kind == Kind.TEXT:
        value = VALUES["json" if column.family == "json" else "text"].format(c=column.raw)
        return FileColumn(column.name, column.raw, "text", value)
    if kind in READINGS and column.kind == Kind.TEXT:
        family, value, needed = READINGS[Kind(kind)]
        return FileColumn(column.name, column.value, family, value.format(c=column.value), needed)
    return column
