"""Columns of text that are numbers, maybe with decimal commas, units or "n/a", dates or times."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from modlearn._tables.files.columns import IS_MISSING_WORD, FileColumn, as_amounts, as_dates
from modlearn._tables.files.date_columns import DaysOfColumn, days_of
from modlearn._tables.files.options import OpenRequest, ReadOptions
from modlearn._tables.files.relation import COLUMNS_PER_QUERY, FileSource
from modlearn._tables.files.workspace import Workspace, literal
from modlearn._tables.notes import ReadingNote
from modlearn._tables.spelling import (
    COMMA,
    POINT,
    amounts_sql,
    formats_of_day,
    is_amount,
    is_day,
    iso_sql,
    may_be_amount,
    other_order,
)
from modlearn.errors import ColumnError, spelled
from modlearn.schema import Kind

__all__ = ["reinterpret", "reinterpret_texts"]

SAMPLE_ROWS = 2_000
"""Size of the sample that determines which columns are examined in full."""

ALMOST_ALL = 0.9
"""A column of text gets a note if at least this share of its cells are numbers, or dates."""

UNIT = "regexp_replace({c}, '[-+0-9.,()''\\s\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}]', '', 'g')"
NUMBER = "TRY_CAST(trim({c}) AS DOUBLE)"
WITH_COMMA = "regexp_full_match(trim({c}), '[+-]?[0-9]*,[0-9]+([eE][+-]?[0-9]+)?')"
# "1,234" alone is ambiguous; next to "0,5" or "1,5" its comma is a decimal comma.
THOUSANDS = "regexp_full_match(trim({c}), '[+-]?[1-9][0-9]{{0,2}}(,[0-9]{{3}})+([.][0-9]+)?')"

COUNTS = {
    "filled": "{c} IS NOT NULL",
    "missing_words": IS_MISSING_WORD,
    "numbers": f"{NUMBER} IS NOT NULL AND NOT {IS_MISSING_WORD}",
    "integers": "regexp_full_match({c}, '\\s*[+-]?[0-9]{{1,18}}\\s*')",
    "commas": WITH_COMMA,
    "thousands": THOUSANDS,
    "booleans": "lower({c}) IN ('true', 'false')",
    "dates": iso_sql("{c}").replace("{4}", "{{4}}").replace("{1,2}", "{{1,2}}") + " IS NOT NULL",
    "times": "regexp_full_match({c}, '[0-9]{{1,2}}:[0-9]{{2}}(:[0-9]{{2}}([.][0-9]+)?)?') "
    "AND TRY_CAST({c} AS TIME) IS NOT NULL",
}


@dataclass(frozen=True)
class CellCounts:
    """Counts of cells in a column of text by what they look like; the fields are keys of COUNTS.

    `first` is a cell that is neither empty nor a word for a missing value, if there is one.
    """

    filled: int
    missing_words: int
    numbers: int
    integers: int
    commas: int
    thousands: int
    booleans: int
    dates: int
    times: int
    first: str | None

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
    """A column of text in a table, maybe only a sample of its rows, and how it is to be read."""

    workspace: Workspace
    table: str
    column: FileColumn
    counts: CellCounts
    options: ReadOptions
    is_sample: bool

    @property
    def must_be_numeric(self) -> bool:
        """Whether the column is to be read as numbers."""
        return self.options.types.get(self.column.name) == Kind.NUMERIC

    def as_family(self, family: str, value: str) -> FileColumn:
        """Return the column read by other SQL."""
        return replace(self.column, family=family, value=value.format(c=self.column.raw))

    def reading(self, column: FileColumn, check: str, others: str) -> _Reading:
        """Return a reading that all cells must allow that are counted under a key of COUNTS."""
        return _Reading(column, [], COUNTS[check].format(c=self.column.raw), others)

    def in_format(self, format: str, note: ReadingNote) -> _Reading:
        """Return the column read as numbers in a format that all cells have, but missing ones."""
        column = replace(as_amounts(self.column, format), needed="")
        return _Reading(column, [note], f"{column.value} IS NOT NULL", "numbers")

    def note(self, kind: str, **numbers: float | int | str) -> ReadingNote:
        """Return a note about the column."""
        return ReadingNote(kind, {"column": self.column.name, **numbers})

    def count(self, condition: str) -> int:
        """Count the cells that satisfy a condition."""
        sql = f"SELECT count(*) FROM {self.table} WHERE {condition.format(c=self.column.raw)}"
        return int(self.workspace.rows(sql)[0][0])

    def example(self, condition: str) -> str:
        """Return the first cell that satisfies a condition."""
        c = self.column.raw
        rows = self.workspace.rows(
            f"SELECT {c} FROM {self.table} WHERE {c} IS NOT NULL AND {condition.format(c=c)} "
            "LIMIT 1"
        )
        return str(rows[0][0]) if rows else ""


@dataclass(frozen=True)
class _Reading:
    """How a column of text is read."""

    column: FileColumn | None = None  # the column read as another kind; None = it stays text
    notes: list[ReadingNote] = field(default_factory=list)  # notes for the user
    # SQL that is true for a cell that may be read so. If it is true for all cells of the table
    # then so is the reading, though it was found in a sample; empty = that does not follow.
    check: str = ""
    others: str = ""  # what the cells are that are not missing


AS_TEXT = _Reading()


def reinterpret(
    workspace: Workspace, table: str, columns: Sequence[FileColumn], options: ReadOptions
) -> tuple[dict[str, FileColumn], list[ReadingNote]]:
    """Return the columns of text that are better read as another kind, by name, and notes.

    A sample shows what a column is. Where all other cells may be read in the same way, which one
    query finds out, that is it; otherwise all rows are examined as the sample was.
    """
    sample = f"(FROM {table} LIMIT {SAMPLE_ROWS})"
    candidates = [
        text
        for column, counts in zip(columns, _count(workspace, sample, columns), strict=True)
        if _is_candidate(text := _TextColumn(workspace, sample, column, counts, options, True))
    ]
    readings = [_interpret(text) for text in candidates]
    counted = _count_odd(workspace, table, candidates, readings)
    found: dict[str, FileColumn] = {}
    notes: list[ReadingNote] = []
    for text, reading, n_odd in zip(candidates, readings, counted, strict=True):
        whole = replace(text, table=table, is_sample=False)
        n_missing = whole.count(IS_MISSING_WORD) if n_odd and reading.others else 0
        is_text = reading.column is None and text.counts.values and not reading.notes
        if n_odd > n_missing or not (reading.check or (is_text and not text.must_be_numeric)):
            (counts,) = _count(workspace, table, [text.column])
            reading = _interpret(replace(whole, counts=counts))
            n_missing = counts.missing_words
        if reading.column is not None:
            found[text.column.name] = reading.column
        notes += reading.notes
        if n_missing and reading.others:
            example = whole.example(IS_MISSING_WORD)
            others = reading.others
            about = text.note("missing_words", n_cells=n_missing, example=example, others=others)
            notes.append(about)
    return found, _in_one_order(found, notes)


def _count_odd(
    workspace: Workspace, table: str, texts: Sequence[_TextColumn], readings: Sequence[_Reading]
) -> list[int]:
    """Count the cells of a table that do not pass the check of their column."""
    # Measured as faster than count(*) FILTER with two conditions.
    selected = [
        f"count(CASE WHEN {reading.check} THEN NULL ELSE {text.column.raw} END)"
        if reading.check
        else "count(NULL)"
        for text, reading in zip(texts, readings, strict=True)
    ]
    counts: list[int] = []
    for start in range(0, len(selected), COLUMNS_PER_QUERY):
        some = ", ".join(selected[start : start + COLUMNS_PER_QUERY])
        counts += workspace.rows(f"SELECT {some} FROM {table}")[0]
    return counts


def _in_one_order(found: dict[str, FileColumn], notes: Sequence[ReadingNote]) -> list[ReadingNote]:
    """Read dates whose order of day and month no cell shows in the order of all other columns."""
    unclear = {note.numbers["column"] for note in notes if note.kind == "day_order"}
    formats = [column.format for name, column in found.items() if name not in unclear]
    shown = {format[:2] for format in formats if format and other_order(format)}
    changed = []
    for note in notes:
        column = found.get(str(note.numbers["column"]))
        other = str(note.numbers.get("other_format", ""))
        if column is not None and shown == {other[:2]}:
            found[column.name] = replace(as_dates(column, other), needed="")
            example = str(note.numbers["example"])
            changed += DaysOfColumn(other, 0, is_ambiguous=True).note(column.name, example)
        else:
            changed.append(note)
    return changed


def _is_candidate(text: _TextColumn) -> bool:
    """Whether a column may be another kind, by a sample of its cells."""
    counts, first = text.counts, text.counts.first or ""
    if not counts.values or formats_of_day(first) or may_be_amount(first):
        return True
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
        selected = [sql for column in some for sql in _selected(column.raw)]
        (row,) = workspace.rows(f"SELECT {', '.join(selected)} FROM {table}")
        width = len(COUNTS) + 1
        counts += [CellCounts(*row[i * width : (i + 1) * width]) for i in range(len(some))]
    return counts


def _selected(c: str) -> list[str]:
    """SQL of the fields of CellCounts."""
    counts = [f"count(*) FILTER (WHERE {condition.format(c=c)})" for condition in COUNTS.values()]
    return [*counts, f"any_value({c}) FILTER (WHERE NOT {IS_MISSING_WORD.format(c=c)})"]


def _interpret(text: _TextColumn) -> _Reading:
    """Read the column as what all of its cells are, or leave it as text."""
    counts = text.counts
    if not counts.values:
        return AS_TEXT
    if counts.numbers == counts.values:
        is_whole = counts.integers == counts.values
        type_, family = ("BIGINT", "integer") if is_whole else ("DOUBLE", "float")
        column = text.as_family(family, f"TRY_CAST(trim({{c}}) AS {type_})")
        return text.reading(column, "integers" if is_whole else "numbers", "numbers")
    if counts.commas + counts.thousands and (text.must_be_numeric or text.options.decimal != "."):
        found = _read_commas(text)
        if found is not None:
            return found
    if counts.booleans == counts.values and not counts.missing_words:
        return text.reading(text.as_family("boolean", "CAST({c} AS BOOLEAN)"), "booleans", "")
    if counts.dates == counts.values:
        return text.reading(as_dates(text.column, None), "dates", "dates")
    if counts.times == counts.values:
        column = text.as_family("duration", "epoch_us(TRY_CAST({c} AS TIME))")
        return text.reading(column, "times", "times")
    found = _read_days(text) or _read_amounts(text)
    return found or _Reading(notes=_note_mostly_numbers(text) or _note_mostly_dates(text))


def _read_commas(text: _TextColumn) -> _Reading | None:
    """Read numbers with thousands separators, or with decimal commas."""
    counts, decimal = text.counts, text.options.decimal
    example = text.example(WITH_COMMA if counts.commas else THOUSANDS)
    if text.must_be_numeric and counts.is_ambiguous and decimal is None:
        if text.is_sample:
            return AS_TEXT  # other cells may show it
        # The training data showed what the comma means; these rows do not.
        _refuse_ambiguous(text, example)
    if counts.may_be_thousands and decimal in ((None, ".") if text.must_be_numeric else (None,)):
        return text.in_format(POINT, text.note("thousands_comma", example=example))
    if decimal == ".":
        return None
    if counts.numbers + counts.commas == counts.values:
        return text.in_format(COMMA, text.note("decimal_comma", example=example))
    if text.must_be_numeric and counts.commas > counts.thousands:
        # Read this way, the cell that will be refused is the one that is not a number.
        return _Reading(as_amounts(text.column, COMMA))
    return None


def _refuse_ambiguous(text: _TextColumn, example: str) -> None:
    """Raise for a comma or period that no other cell explains."""
    mark = "comma" if "," in example else "period"
    raise ColumnError(
        *spelled(
            lambda spell: (
                f"Column {text.column.name!r}: the {mark} in cells such as {example!r} may be a "
                f"decimal {mark} or a thousands separator, and no other cell shows which: pass the "
                f"decimal separator, ',' or '.', with {spell('--decimal')}."
            )
        )
    )


def _read_days(text: _TextColumn) -> _Reading | None:
    """Read dates that are not written as in ISO 8601."""
    formats = formats_of_day(text.counts.first or "")
    days = days_of(text.workspace, text.table, text.column, formats)
    if days.format is None or days.n_cells < text.counts.values:
        return None
    notes = days.note(text.column.name, text.example(f"NOT {IS_MISSING_WORD}"))
    column = replace(as_dates(text.column, days.format), needed="")
    check = "" if days.is_ambiguous else is_day(text.column.raw, days.format)
    return _Reading(column, notes, check, "dates")


def _read_amounts(text: _TextColumn) -> _Reading | None:
    """Read numbers with one unit, such as "$1,234" or "45%", or negative ones in parentheses."""
    c = text.column.raw
    if not may_be_amount(text.counts.first or ""):
        return None
    (counted,) = text.workspace.rows(
        f"SELECT list(DISTINCT {UNIT.format(c=c)}), count(*) FILTER (WHERE {is_amount(c, POINT)}), "
        f"count(*) FILTER (WHERE {is_amount(c, COMMA)}), bool_or({c} LIKE '%(%') "
        f"FROM {text.table} WHERE {c} IS NOT NULL AND NOT {IS_MISSING_WORD.format(c=c)}"
    )
    units, n_point, n_comma, has_parentheses = counted
    formats = [
        format
        for format, n_cells, decimal in ((POINT, n_point, "."), (COMMA, n_comma, ","))
        if n_cells == text.counts.values and text.options.decimal in (None, decimal)
    ]
    marked = text.example("regexp_matches({c}, '[.,]')")
    # Amounts in two currencies cannot be compared, and "1 234" alone may be a code.
    is_plain = units == [""] and not has_parentheses and not (marked and len(formats) == 1)
    if len(units) != 1 or not formats or is_plain:
        return None
    if marked and len(formats) == 2 and text.must_be_numeric:
        if text.is_sample:
            return AS_TEXT  # other cells may show it
        _refuse_ambiguous(text, marked)
    # "1.234 €" has a thousands separator, as amounts of money rarely have three decimals.
    thousands = COMMA in formats and "." in marked and units != ["%"]
    format = COMMA if thousands else formats[0]
    example = marked or text.example(f"NOT {IS_MISSING_WORD}")
    ((value,),) = text.workspace.rows(f"SELECT {amounts_sql(literal(example), format)}")
    reading = text.in_format(format, text.note("amounts", example=example, value=value))
    check = is_amount(c, format, units[0]) if len(formats) == 1 else ""
    return replace(reading, check=check)


def _note_mostly_numbers(text: _TextColumn) -> list[ReadingNote]:
    """Note that a few cells turn a numeric column into text."""
    counts = text.counts
    n_numbers = counts.numbers + (counts.commas if counts.commas > counts.thousands else 0)
    if n_numbers < ALMOST_ALL * counts.values:
        return []
    odd = f"{NUMBER} IS NULL AND NOT {IS_MISSING_WORD} AND NOT {WITH_COMMA}"
    n_others, example = counts.values - n_numbers, text.example(odd)
    return [text.note("mostly_numbers", n_numbers=n_numbers, n_others=n_others, example=example)]


def _note_mostly_dates(text: _TextColumn) -> list[ReadingNote]:
    """Note that a few cells turn a column of dates into text."""
    counts, c = text.counts, text.column.raw
    n_dates, is_date = counts.dates, f"{iso_sql(c)} IS NOT NULL"
    if not n_dates:
        days = days_of(text.workspace, text.table, text.column, formats_of_day(counts.first or ""))
        if days.format is None:
            return []
        n_dates, is_date = days.n_cells, is_day(c, days.format)
    if n_dates < ALMOST_ALL * counts.values:
        return []
    # What is filled in later is in braces.
    is_date = is_date.replace("{", "{{").replace("}", "}}")
    n_others = counts.values - n_dates
    example = text.example(f"({is_date}) IS NOT TRUE AND NOT {IS_MISSING_WORD}")
    return [text.note("mostly_dates", n_dates=n_dates, n_others=n_others, example=example)]


NOT_REINTERPRETED = (Kind.TEXT, Kind.BOOLEAN, Kind.DATETIME)
"""Columns that are read as one of these kinds are not examined: "n/a" and "01/02/2012" stay text
until they are read."""


def reinterpret_texts(
    source: FileSource, as_they_are: Collection[str], opening: OpenRequest
) -> None:
    """Read columns of text as another kind if all their cells are of it, except some columns."""
    texts = [
        column
        for column in source.columns
        if column.family == "text"
        and column.name not in as_they_are
        and column.name not in opening.options.dates
        and column.name not in opening.options.formats
        and opening.options.types.get(column.name) not in NOT_REINTERPRETED
    ]
    if not texts:
        return
    found, notes = reinterpret(opening.workspace, source.whole, texts, opening.options)
    source.columns = [found.get(column.name, column) for column in source.columns]
    source.notes = [*source.notes, *notes]
