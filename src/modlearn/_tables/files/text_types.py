"""What columns of text hold: numbers with a decimal comma, or with "n/a" among them; dates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from modlearn._tables.files.options import ReadOptions
from modlearn._tables.files.relation import IS_MISSING_WORD, FileColumn
from modlearn._tables.files.workspace import Workspace
from modlearn.errors import ColumnError

__all__ = ["reinterpret"]

SAMPLE = 2_000  # rows that say which columns are worth a look at all of them
AT_A_TIME = 100  # columns per query
ALMOST_ALL = 0.9

NUMBER = "TRY_CAST(trim({c}) AS DOUBLE)"
COMMA = "regexp_full_match(trim({c}), '[+-]?[0-9]*,[0-9]+([eE][+-]?[0-9]+)?')"
# "1,234" alone says nothing; beside "0,5" or "1,5" the comma is a decimal one.
THOUSANDS = "regexp_full_match(trim({c}), '[+-]?[1-9][0-9]{{0,2}}(,[0-9]{{3}})+([.][0-9]+)?')"
COUNTS = {
    "filled": "{c} IS NOT NULL",
    "word": IS_MISSING_WORD,
    "number": f"{NUMBER} IS NOT NULL AND NOT {IS_MISSING_WORD}",
    "whole": "regexp_full_match({c}, '\\s*[+-]?[0-9]{{1,18}}\\s*')",
    "comma": COMMA,
    "thousands": THOUSANDS,
    "boolean": "lower({c}) IN ('true', 'false')",
    "moment": "TRY_CAST({c} AS TIMESTAMPTZ) IS NOT NULL",
    "clock": "regexp_full_match({c}, '[0-9]{{1,2}}:[0-9]{{2}}(:[0-9]{{2}}([.][0-9]+)?)?') "
    "AND TRY_CAST({c} AS TIME) IS NOT NULL",
}


@dataclass(frozen=True)
class Counts:
    """Cells of a column of text that look like something else."""

    filled: int
    word: int
    number: int
    whole: int
    comma: int
    thousands: int
    boolean: int
    moment: int
    clock: int

    @property
    def told(self) -> int:
        """Cells that are no word for a missing value."""
        return self.filled - self.word

    @property
    def is_thousands(self) -> bool:
        """Whether each comma may stand between thousands."""
        return self.number + self.thousands == self.told

    @property
    def is_ambiguous(self) -> bool:
        """Whether each comma may stand between thousands and before decimals."""
        return self.is_thousands and self.comma == self.thousands


def reinterpret(
    workspace: Workspace, table: str, columns: Sequence[FileColumn], options: ReadOptions
) -> tuple[dict[str, FileColumn], list[str]]:
    """Columns of text that are better read as another type, by name, and what there is to tell."""
    sample = f"(FROM {table} LIMIT {SAMPLE})"
    promising = [
        column
        for column, counts in zip(columns, _count(workspace, sample, columns), strict=True)
        if not counts.filled or _promise(counts)
    ]
    found, notes = {}, []
    for column, counts in zip(promising, _count(workspace, table, promising), strict=True):
        read, note = _decide(workspace, table, column, counts, options)
        if read is not None:
            found[column.name] = read
        if note:
            notes.append(note)
    return found, notes


def _promise(counts: Counts) -> bool:
    """Whether half of the cells of a sample look like another type."""
    alike = max(
        counts.number + max(counts.comma, counts.thousands),
        counts.boolean,
        counts.moment,
        counts.clock,
    )
    return alike > 0 and 2 * (alike + counts.word) >= counts.filled


def _count(workspace: Workspace, table: str, columns: Sequence[FileColumn]) -> list[Counts]:
    """Count the cells of columns, several columns at a time."""
    counts = []
    for start in range(0, len(columns), AT_A_TIME):
        some = columns[start : start + AT_A_TIME]
        conditions = [sql.format(c=c.raw) for c in some for sql in COUNTS.values()]
        asked = [f"count(*) FILTER (WHERE {condition})" for condition in conditions]
        (row,) = workspace.rows(f"SELECT {', '.join(asked)} FROM {table}")
        width = len(COUNTS)
        counts += [Counts(*row[i * width : (i + 1) * width]) for i in range(len(some))]
    return counts


def _decide(
    workspace: Workspace, table: str, column: FileColumn, counts: Counts, options: ReadOptions
) -> tuple[FileColumn | None, str]:
    """The column as what all of its cells are, or None, and a sentence for the user."""
    c = column.raw
    if not counts.told:
        return None, ""
    if counts.number == counts.told:
        kind, family = ("BIGINT", "integer") if counts.whole == counts.told else ("DOUBLE", "float")
        return _typed(column, family, f"TRY_CAST(trim({c}) AS {kind})"), _words(
            workspace, table, column, counts, "numbers"
        )
    is_wanted = options.types.get(column.name) == "numeric"
    if counts.comma + counts.thousands and (is_wanted or options.decimal != "."):
        read, note = _read_commas(workspace, table, column, counts, options)
        if read is not None:
            return read, note
    if counts.boolean == counts.told and not counts.word:
        return _typed(column, "boolean", f"CAST({c} AS BOOLEAN)"), ""
    if counts.moment == counts.told:
        value = f"epoch_us(TRY_CAST({c} AS TIMESTAMPTZ))"
        return _typed(column, "datetime", value), _words(workspace, table, column, counts, "dates")
    if counts.clock == counts.told:
        value = f"epoch_us(TRY_CAST({c} AS TIME))"
        return _typed(column, "duration", value), _words(workspace, table, column, counts, "times")
    return None, _almost(workspace, table, column, counts)


def _typed(column: FileColumn, family: str, value: str) -> FileColumn:
    return replace(column, family=family, value=value)


def _read_commas(
    workspace: Workspace, table: str, column: FileColumn, counts: Counts, options: ReadOptions
) -> tuple[FileColumn | None, str]:
    """Numbers with a comma between thousands, or before decimals."""
    is_wanted = options.types.get(column.name) == "numeric"
    c = column.raw
    shown = _example(workspace, table, column, COMMA if counts.comma else THOUSANDS)
    if is_wanted and counts.is_ambiguous and options.decimal is None:
        # The rows that a model was fitted on told what the comma means; these do not.
        raise ColumnError(
            f"Column {column.name!r}: the comma in cells such as {shown!r} may stand before "
            "decimals or between thousands, and no other cell tells: give --decimal , or --decimal "
            ". for the one that holds for the fitted rows."
        )
    if counts.is_thousands and options.decimal in ((None, ".") if is_wanted else (None,)):
        value = f"TRY_CAST(replace(trim({c}), ',', '') AS DOUBLE)"
        note = (
            f"Column {column.name!r}: the comma in cells such as {shown!r} was read as one between "
            "thousands; tell if it is a decimal comma."
        )
        return _typed(column, "float", value), note
    if options.decimal == ".":
        return None, ""
    value = f"TRY_CAST(replace(trim({c}), ',', '.') AS DOUBLE)"
    if counts.number + counts.comma == counts.told:
        note = f"Column {column.name!r}: cells such as {shown!r} were read as decimal numbers."
        return _typed(column, "float", value), note
    if is_wanted and counts.comma > counts.thousands:
        # read so, the cell that is refused is the one that is no number
        return replace(_typed(column, "float", value), needed="numbers"), ""
    return None, ""


def _words(
    workspace: Workspace, table: str, column: FileColumn, counts: Counts, others: str
) -> str:
    """Say which words were taken for missing values."""
    if not counts.word:
        return ""
    cells = "a cell" if counts.word == 1 else f"{counts.word:,} cells"
    verb = "counts" if counts.word == 1 else "count"
    example = _example(workspace, table, column, IS_MISSING_WORD)
    return (
        f"Column {column.name!r}: {cells} such as {example!r} {verb} as missing, since all "
        f"others are {others}."
    )


def _almost(workspace: Workspace, table: str, column: FileColumn, counts: Counts) -> str:
    """Say that a few cells make a column text."""
    numbers = counts.number + (counts.comma if counts.comma > counts.thousands else 0)
    if numbers < ALMOST_ALL * counts.told:
        return ""
    other = counts.told - numbers
    odd = f"{NUMBER} IS NULL AND NOT {IS_MISSING_WORD} AND NOT {COMMA}"
    example = _example(workspace, table, column, odd)
    return (
        f"Column {column.name!r} is read as text though {numbers:,} of its cells are numbers: "
        f"{other:,} {'is' if other == 1 else 'are'} not, such as {example!r}; name them as missing "
        "values, or correct them."
    )


def _example(workspace: Workspace, table: str, column: FileColumn, condition: str) -> str:
    """The first cell that a condition holds for."""
    c = column.raw
    rows = workspace.rows(
        f"SELECT {c} FROM {table} WHERE {c} IS NOT NULL AND {condition.format(c=c)} LIMIT 1"
    )
    return str(rows[0][0]) if rows else ""
