"""Columns of text that are numbers, possibly with decimal commas or "n/a", dates or times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from modlearn._tables.files.options import ReadOptions
from modlearn._tables.files.relation import IS_MISSING_WORD, FileColumn
from modlearn._tables.files.workspace import Workspace
from modlearn._tables.notes import ReadingNote
from modlearn.errors import ColumnError
from modlearn.schema import Kind

__all__ = ["reinterpret"]

SAMPLE_ROWS = 2_000
"""Size of the sample that determines which columns are examined in full."""

COLUMNS_PER_QUERY = 100

ALMOST_ALL = 0.9
"""A column of text gets a note if at least this share of its cells are numbers."""

NUMBER = "TRY_CAST(trim({c}) AS DOUBLE)"
COMMA = "regexp_full_match(trim({c}), '[+-]?[0-9]*,[0-9]+([eE][+-]?[0-9]+)?')"
# "1,234" alone is ambiguous; next to "0,5" or "1,5" its comma is a decimal comma.
THOUSANDS = "regexp_full_match(trim({c}), '[+-]?[1-9][0-9]{{0,2}}(,[0-9]{{3}})+([.][0-9]+)?')"
COUNTS = {
    "filled": "{c} IS NOT NULL",
    "missing_words": IS_MISSING_WORD,
    "numbers": f"{NUMBER} IS NOT NULL AND NOT {IS_MISSING_WORD}",
    "integers": "regexp_full_match({c}, '\\s*[+-]?[0-9]{{1,18}}\\s*')",
    "commas": COMMA,
    "thousands": THOUSANDS,
    "booleans": "lower({c}) IN ('true', 'false')",
    "dates": "TRY_CAST({c} AS TIMESTAMPTZ) IS NOT NULL",
    "times": "regexp_full_match({c}, '[0-9]{{1,2}}:[0-9]{{2}}(:[0-9]{{2}}([.][0-9]+)?)?') "
    "AND TRY_CAST({c} AS TIME) IS NOT NULL",
}


@dataclass(frozen=True)
class CellCounts:
    """Counts of cells in a column of text by what they look like; the fields are keys of COUNTS."""

    filled: int
    missing_words: int
    numbers: int
    integers: int
    commas: int
    thousands: int
    booleans: int
    dates: int
    times: int

    @property
    def values(self) -> int:
        """Number of cells that are neither empty nor a word for a missing value."""
        return self.filled - self.missing_words

    @property
    def may_be_thousands(self) -> bool:
        """Whether every comma may be a thousands separator."""
        return self.numbers + self.thousands == self.values

    @property
    def is_ambiguous(self) -> bool:
        """Whether every comma may be a thousands separator or a decimal comma."""
        return self.may_be_thousands and self.commas == self.thousands


@dataclass(frozen=True)
class _TextColumn:
    """A column of text in a table, and the options it is read with."""

    workspace: Workspace
    table: str
    column: FileColumn
    counts: CellCounts
    options: ReadOptions

    @property
    def must_be_numeric(self) -> bool:
        """Whether the column is to be read as numbers."""
        return self.options.types.get(self.column.name) == Kind.NUMERIC

    def as_family(self, family: str, value: str) -> FileColumn:
        """Return the column read by other SQL."""
        return replace(self.column, family=family, value=value.format(c=self.column.raw))

    def example(self, condition: str) -> str:
        """Return the first cell that satisfies a condition."""
        c = self.column.raw
        rows = self.workspace.rows(
            f"SELECT {c} FROM {self.table} WHERE {c} IS NOT NULL AND {condition.format(c=c)} "
            "LIMIT 1"
        )
        return str(rows[0][0]) if rows else ""


Reading = tuple[FileColumn | None, ReadingNote | None]
"""How the column is read instead, None = as text; and a note for the user."""


def reinterpret(
    workspace: Workspace, table: str, columns: Sequence[FileColumn], options: ReadOptions
) -> tuple[dict[str, FileColumn], list[ReadingNote]]:
    """Return the columns of text that are better read as another kind, by name, and notes."""
    sample = f"(FROM {table} LIMIT {SAMPLE_ROWS})"
    candidates = [
        column
        for column, counts in zip(columns, _count(workspace, sample, columns), strict=True)
        if not counts.filled or _is_candidate(counts)
    ]
    found, notes = {}, []
    for column, counts in zip(candidates, _count(workspace, table, candidates), strict=True):
        reading, note = _interpret(_TextColumn(workspace, table, column, counts, options))
        if reading is not None:
            found[column.name] = reading
        if note is not None:
            notes.append(note)
    return found, notes


def _is_candidate(counts: CellCounts) -> bool:
    """Whether at least half of the cells of a sample look like another kind."""
    alike = max(
        counts.numbers + max(counts.commas, counts.thousands),
        counts.booleans,
        counts.dates,
        counts.times,
    )
    return alike > 0 and 2 * (alike + counts.missing_words) >= counts.filled


def _count(workspace: Workspace, table: str, columns: Sequence[FileColumn]) -> list[CellCounts]:
    """Count the cells of columns, several columns at a time."""
    counts = []
    for start in range(0, len(columns), COLUMNS_PER_QUERY):
        some = columns[start : start + COLUMNS_PER_QUERY]
        conditions = [sql.format(c=c.raw) for c in some for sql in COUNTS.values()]
        selected = [f"count(*) FILTER (WHERE {condition})" for condition in conditions]
        (row,) = workspace.rows(f"SELECT {', '.join(selected)} FROM {table}")
        width = len(COUNTS)
        counts += [CellCounts(*row[i * width : (i + 1) * width]) for i in range(len(some))]
    return counts


def _interpret(text: _TextColumn) -> Reading:
    """Read the column as what all of its cells are, or leave it as text."""
    counts = text.counts
    if not counts.values:
        return None, None
    if counts.numbers == counts.values:
        is_whole = counts.integers == counts.values
        type_, family = ("BIGINT", "integer") if is_whole else ("DOUBLE", "float")
        reading = text.as_family(family, f"TRY_CAST(trim({{c}}) AS {type_})")
        return reading, _note_missing_words(text, "numbers")
    if counts.commas + counts.thousands and (text.must_be_numeric or text.options.decimal != "."):
        found, note = _read_commas(text)
        if found is not None:
            return found, note
    if counts.booleans == counts.values and not counts.missing_words:
        return text.as_family("boolean", "CAST({c} AS BOOLEAN)"), None
    if counts.dates == counts.values:
        reading = text.as_family("datetime", "epoch_us(TRY_CAST({c} AS TIMESTAMPTZ))")
        return reading, _note_missing_words(text, "dates")
    if counts.times == counts.values:
        reading = text.as_family("duration", "epoch_us(TRY_CAST({c} AS TIME))")
        return reading, _note_missing_words(text, "times")
    return None, _note_mostly_numbers(text)


def _read_commas(text: _TextColumn) -> Reading:
    """Read numbers with thousands separators, or with decimal commas."""
    counts, decimal, name = text.counts, text.options.decimal, text.column.name
    example = text.example(COMMA if counts.commas else THOUSANDS)
    numbers: dict[str, float | int | str] = {"column": name, "example": example}
    if text.must_be_numeric and counts.is_ambiguous and decimal is None:
        # The training data showed what the comma means; these rows do not.
        raise ColumnError(
            f"Column {name!r}: the comma in cells such as {example!r} may be a decimal comma or a "
            "thousands separator, and no other cell shows which: pass the decimal separator "
            "(on the command line: --decimal , or --decimal .)."
        )
    if counts.may_be_thousands and decimal in ((None, ".") if text.must_be_numeric else (None,)):
        reading = text.as_family("float", "TRY_CAST(replace(trim({c}), ',', '') AS DOUBLE)")
        return reading, ReadingNote("thousands_comma", numbers)
    if decimal == ".":
        return None, None
    reading = text.as_family("float", "TRY_CAST(replace(trim({c}), ',', '.') AS DOUBLE)")
    if counts.numbers + counts.commas == counts.values:
        return reading, ReadingNote("decimal_comma", numbers)
    if text.must_be_numeric and counts.commas > counts.thousands:
        # Read this way, the cell that will be refused is the one that is not a number.
        return replace(reading, needed="numbers"), None
    return None, None


def _note_missing_words(text: _TextColumn, others: str) -> ReadingNote | None:
    """Note which words were read as missing values."""
    n_cells = text.counts.missing_words
    if not n_cells:
        return None
    example = text.example(IS_MISSING_WORD)
    return ReadingNote(
        "missing_words",
        {"column": text.column.name, "n_cells": n_cells, "example": example, "others": others},
    )


def _note_mostly_numbers(text: _TextColumn) -> ReadingNote | None:
    """Note that a few cells turn a numeric column into text."""
    counts = text.counts
    n_numbers = counts.numbers + (counts.commas if counts.commas > counts.thousands else 0)
    if n_numbers < ALMOST_ALL * counts.values:
        return None
    odd = f"{NUMBER} IS NULL AND NOT {IS_MISSING_WORD} AND NOT {COMMA}"
    return ReadingNote(
        "mostly_numbers",
        {
            "column": text.column.name,
            "n_numbers": n_numbers,
            "n_others": counts.values - n_numbers,
            "example": text.example(odd),
        },
    )
