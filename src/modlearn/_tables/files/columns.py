"""Columns of files: what they are, and the SQL that reads them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from modlearn._tables.cells import EXACT_DIGITS
from modlearn._tables.files.workspace import Workspace, literal
from modlearn._tables.spelling import amounts_sql, date_in, dates_sql
from modlearn.schema import Kind

__all__ = [
    "IS_MISSING_WORD",
    "MISSING_WORDS",
    "FileColumn",
    "as_amounts",
    "as_dates",
    "as_exact_text",
    "count_merged",
    "digits",
    "family_of",
    "identifier",
    "natural_columns",
    "read_as",
]

INTEGERS = [f"{sign}{size}INT" for sign in ("", "U") for size in ("TINY", "SMALL", "BIG")]
WIDE = ["HUGEINT", "UHUGEINT", "DECIMAL", "BIGNUM", "VARINT", "NULL", '"NULL"']
INSTANTS = ["DATE", "TIMESTAMP", "TIMESTAMP_MS", "TIMESTAMP_S"]

DUCKDB_FAMILIES: dict[str, tuple[Kind, str, list[str]]] = {
    "integer": (Kind.NUMERIC, "{c}", [*INTEGERS, "INTEGER", "UINTEGER"]),
    "float": (Kind.NUMERIC, "{c}", ["FLOAT", "DOUBLE"]),
    "big": (Kind.NUMERIC, "CAST({c} AS DOUBLE)", WIDE),
    "boolean": (Kind.BOOLEAN, "{c}", ["BOOLEAN"]),
    "datetime": (Kind.DATETIME, "epoch_us(CAST({c} AS TIMESTAMP))", INSTANTS),
    "nanoseconds": (Kind.DATETIME, "epoch_ns({c})", ["TIMESTAMP_NS"]),
    "zoned": (Kind.DATETIME, "epoch_us({c})", ["TIMESTAMP WITH TIME ZONE"]),
    "duration": (Kind.DURATION, "epoch_us({c})", ["INTERVAL", "TIME", "TIME_NS"]),
    "time": (Kind.DURATION, "epoch_us(CAST({c} AS TIME))", ["TIME WITH TIME ZONE"]),
    "json": (Kind.TEXT, "({c} ->> '$')", ["JSON"]),
    "text": (Kind.TEXT, "CAST({c} AS VARCHAR)", []),
    "nested": (Kind.NESTED, "{c}", ["STRUCT", "MAP", "UNION", "VARIANT"]),
}
"""Kind, SQL that reads it, and types of DuckDB of each family; all other types are text."""

FAMILY_OF = {name: family for family, (_, _, names) in DUCKDB_FAMILIES.items() for name in names}

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
    Kind.DURATION: ("duration", "epoch_us(TRY_CAST({c} AS INTERVAL))", "durations"),
    Kind.BOOLEAN: ("boolean", "TRY_CAST(trim({c}) AS BOOLEAN)", "the words true or false"),
}
"""How text is read as another kind: family, SQL, and what the texts must be."""


COUNTS_PER_QUERY = 200


@dataclass(frozen=True)
class FileColumn:
    """A column of a file."""

    name: str
    raw: str  # SQL of the cells as the file holds them
    family: str  # a key of DUCKDB_FAMILIES
    value: str  # SQL of the cells as they are read
    needed: str = ""  # what texts must be if they are read as another kind; other texts are refused
    format: str | None = None  # how the dates or numbers are written in the file, if they are text
    is_text: bool = False  # whether the file holds text, whatever it is read as
    # SQL that is true for cells that may have too many digits for float64; empty = none has.
    long: str = ""
    kind: Kind = field(init=False)  # what the cells are, by the family

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", DUCKDB_FAMILIES[self.family][0])


def family_of(type_name: str) -> str:
    """Return the family of a type of DuckDB."""
    if type_name.endswith("]"):
        return "nested"
    return FAMILY_OF.get(type_name, FAMILY_OF.get(type_name.partition("(")[0], "text"))


def identifier(name: str) -> str:
    """Quote the name of a column or a table for SQL, whatever characters it has."""
    return '"' + name.replace('"', '""') + '"'


def natural_columns(workspace: Workspace, relation: str) -> list[FileColumn]:
    """Return the columns of a relation, each read as its own type."""
    columns = []
    for name, type_name, *_ in workspace.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall():
        raw, family = identifier(name), family_of(type_name)
        kind, value, _ = DUCKDB_FAMILIES[family]
        is_text, long = kind == Kind.TEXT, _long(family, type_name, raw)
        value = value.format(c=raw)
        columns.append(FileColumn(name, raw, family, value, is_text=is_text, long=long))
    return columns


def _long(family: str, type_name: str, raw: str) -> str:
    """SQL that is true for cells of a type that may have more digits than float64 keeps."""
    width = re.fullmatch(r"DECIMAL\((\d+),\d+\)", type_name)
    if family not in ("text", "big") or (width and int(width[1]) <= EXACT_DIGITS):
        return ""
    return f"length(trim(CAST({raw} AS VARCHAR))) > {EXACT_DIGITS}"


def read_as(column: FileColumn, kind: str, format: str | None = None) -> FileColumn:
    """Return the column read as another kind, if the kinds differ and that is possible.

    Dates are read in a format, or in ISO 8601, whatever format the file itself seems to have.
    """
    if column.kind == Kind.NESTED:
        return column
    if kind == Kind.TEXT:
        _, value, _ = DUCKDB_FAMILIES["json" if column.family == "json" else "text"]
        value = value.format(c=column.raw)
        return replace(column, family="text", value=value, needed="", format=None)
    if kind == Kind.DATETIME and (column.is_text or (format and column.kind == Kind.NUMERIC)):
        return as_dates(column, format)
    if kind == Kind.NUMERIC and column.is_text and format:
        return as_amounts(column, format)
    if kind in READINGS and column.kind == Kind.TEXT:
        family, value, needed = READINGS[Kind(kind)]
        value = value.format(c=column.value)
        return replace(column, raw=column.value, family=family, value=value, needed=needed)
    return column


def digits(column: FileColumn) -> str:
    """SQL: the numbers of a column as text, whole ones without a decimal point."""
    return f"regexp_replace(CAST({column.value} AS VARCHAR), '[.]0$', '')"


def as_dates(column: FileColumn, format: str | None) -> FileColumn:
    """Return a column of texts or numbers, read as dates in a format; other cells are refused."""
    text = column.raw if column.is_text else digits(column)
    text = column.value if column.kind == Kind.TEXT else text
    value, needed = dates_sql(text, format), f"dates such as {date_in(format)!r}"
    return FileColumn(column.name, text, "datetime", value, needed, format, column.is_text)


def as_amounts(column: FileColumn, format: str) -> FileColumn:
    """Return a column of texts, read as numbers in a format; other cells are refused."""
    text, (family, plain, needed) = column.raw, READINGS[Kind.NUMERIC]
    value = f"coalesce({amounts_sql(text, format)}, {plain.format(c=text)})"
    return FileColumn(column.name, text, family, value, needed, format, is_text=True)


def as_exact_text(column: FileColumn) -> str:
    """Return the SQL of all digits of a numeric column; NULL where a cell is not a number."""
    if column.value == column.raw:
        return column.raw
    return f"CASE WHEN {column.value} IS NOT NULL THEN CAST({column.raw} AS VARCHAR) END"


def count_merged(
    workspace: Workspace, columns: Sequence[FileColumn], select: Callable[[str], str]
) -> dict[str, tuple[int, int]]:
    """Count the long values of columns that float64 merges, before and after, by column name.

    `select` returns the SQL of expressions for the rows that are meant.
    """
    counts = [
        f"count(DISTINCT {value}) FILTER (WHERE {column.long})"
        for column in columns
        for value in (as_exact_text(column), f"CAST({column.value} AS DOUBLE)")
    ]
    found: list[int] = []
    for start in range(0, len(counts), COUNTS_PER_QUERY):
        some = ", ".join(counts[start : start + COUNTS_PER_QUERY])
        found += workspace.execute(select(some)).fetchall()[0]
    pairs = zip(found[::2], found[1::2], strict=True)
    return {c.name: pair for c, pair in zip(columns, pairs, strict=True) if pair[0] > pair[1]}
