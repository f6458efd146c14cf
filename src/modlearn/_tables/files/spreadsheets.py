"""Sheets of workbooks, read by python-calamine where it is installed.

A spreadsheet has types per cell, DuckDB per column. A column gets the type that fits all of its
cells; a column of several types is text, which may still turn out to be numbers or dates. Cells
with an error, such as #DIV/0!, are missing.
"""

from __future__ import annotations

import datetime as dt
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from xml.parsers.expat import ExpatError, ParserCreate

from modlearn._tables.cells import EXACT_INTEGERS
from modlearn._tables.files.columns import identifier
from modlearn._tables.files.date_columns import dates_by_name
from modlearn._tables.files.dialect import has_header
from modlearn._tables.files.options import OpenRequest, ReadOptions
from modlearn._tables.files.relation import FileSource, of_table
from modlearn._tables.files.sqlite import insert_cells
from modlearn._tables.files.text_types import reinterpret_texts
from modlearn._tables.files.workspace import Workspace
from modlearn._tables.notes import ReadingNote
from modlearn.errors import FileError
from modlearn.schema import listed, unique_names

__all__ = ["OLE", "ZIP", "is_workbook", "open_excel"]

ZIP, OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
"""How workbooks begin: .xlsx and .ods are archives, .xls and workbooks with a password are not.

The reader could read .xls and .xlsb too, but damaged ones can take all memory.
"""

MOST_CELLS = 100_000_000
"""Most cells of a sheet from its first to its last one: the reader keeps empty cells in memory."""

HEAD_ROWS = 1000
REFERENCE = re.compile(rb"""\br=["']([A-Z]{0,3})([0-9]{1,7})["']""")
CHUNK = 1 << 24

Cell = Any
"""A text, number, boolean, date, time or duration; None = missing."""


def is_workbook(start: bytes, path: Path) -> bool:
    """Whether a file, by its first bytes and its contents, is a workbook."""
    if start.startswith(OLE):
        raise FileError(
            f"The file {str(path)!r} is a workbook in the old .xls format, or protected by a "
            "password: open it in a spreadsheet program and save it as .xlsx without a password, "
            "or as CSV."
        )
    if not start.startswith(ZIP):
        return False
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
    except (zipfile.BadZipFile, OSError, ValueError):
        return path.suffix.lower() in (".xlsx", ".xlsm", ".ods")
    if "xl/workbook.bin" in names:
        raise FileError(
            f"The file {str(path)!r} is a workbook in the .xlsb format: save it as .xlsx or CSV."
        )
    return not names.isdisjoint(("xl/workbook.xml", "content.xml"))


def _read_sheet(path: Path, shown: str, sheet: str | None) -> tuple[_Sheet, list[ReadingNote]]:
    """Read a sheet, by default the first one that is not empty; return notes, too."""
    calamine = _import_calamine(shown)
    _check_parts(path, shown)
    with _explained(calamine, shown), calamine.CalamineWorkbook.from_path(path) as book:
        name, cells = _chosen(book, calamine, shown, sheet)
        notes = _other_sheets(book, shown, name) if sheet is None else []
    return _Sheet(shown, name, cells), notes


def _import_calamine(shown: str) -> Any:
    """Import python-calamine, or raise an error that says how to install it."""
    try:
        import python_calamine
    except ImportError:
        raise FileError(
            f"Spreadsheets such as {shown!r} need python-calamine: install it with "
            "pip install 'modlearn[excel]', or save the sheet as CSV."
        ) from None
    return python_calamine


@contextmanager
def _explained(calamine: Any, shown: str) -> Iterator[None]:
    """Raise a FileError where the reader cannot read a workbook."""
    try:
        yield
    except BaseException as error:
        # The reader's own mistakes with damaged files are not even exceptions, and durations may be
        # longer than Python's.
        is_panic = type(error).__name__ == "PanicException"
        if not is_panic and not isinstance(error, calamine.CalamineError | OSError | OverflowError):
            raise
        raise _invalid(shown, error) from None


def _check_parts(path: Path, shown: str) -> None:
    """Raise for what the reader would not survive: damaged XML, and cells far from the others."""
    name = ""
    try:
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                if name.endswith(".xml"):
                    with archive.open(name) as part:
                        extent = _repeated_extent if name == "content.xml" else _extent
                        _refuse_far_cells(shown, *extent(part.read))
    except FileError:
        raise
    except (zipfile.BadZipFile, zlib.error, OSError, RuntimeError, ValueError) as error:
        raise _invalid(shown, error) from None
    except ExpatError as error:
        raise _invalid(shown, f"{name} is not well-formed XML, {error}") from None


def _invalid(shown: str, reason: object) -> FileError:
    """Return the error for a workbook that cannot be read."""
    return FileError(
        f"The file {shown!r} is not a valid workbook: {reason}. Open it in a spreadsheet program "
        "and save it again as .xlsx, or as CSV."
    )


def _refuse_far_cells(shown: str, height: int, width: int) -> None:
    """Raise if the reader, which keeps empty cells, would run out of memory."""
    if height * width > MOST_CELLS:
        raise FileError(
            f"A sheet of {shown!r} has a cell in row {height:,} and one in column {width:,}: the "
            "area up to them has too many cells to read. Delete cells that are far from the table, "
            "or save the sheet as CSV."
        )


def _extent(read: Callable[[int], bytes]) -> tuple[int, int]:
    """Return the last row and column that XML refers to, read in chunks; it must be well-formed."""
    height = width = 1
    rest, parser = b"", ParserCreate()
    while chunk := read(CHUNK):
        parser.Parse(chunk, False)
        found = set(REFERENCE.findall(rest + chunk))
        height = max([height, *(int(row) for _, row in found)])
        width = max([width, *map(_column_number, {letters for letters, _ in found})])
        rest = chunk[-20:]  # a reference may continue in the next chunk
    parser.Parse(b"", True)
    return height, width


def _repeated_extent(read: Callable[[int], bytes]) -> tuple[int, int]:
    """Return the last row and column of XML as .ods has it, where one cell may stand for many."""
    height = width = row = column = last = 1
    repeats = 1

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal row, column, last, repeats
        match name.rpartition(":")[2]:
            case "table":
                row = 0
            case "table-row":
                column = last = 0
                repeats = int(attributes.get("table:number-rows-repeated", 1))
            case "table-cell" | "covered-table-cell":
                column += int(attributes.get("table:number-columns-repeated", 1))
                last = column if "office:value-type" in attributes else last

    def end(name: str) -> None:
        nonlocal height, width, row
        if name.endswith(":table-row"):
            row += repeats
            height, width = (max(height, row), max(width, last)) if last else (height, width)

    parser = ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = start, end
    while chunk := read(CHUNK):
        parser.Parse(chunk, False)
    parser.Parse(b"", True)
    return height, width


def _column_number(letters: bytes) -> int:
    """Return the number of a column such as AB, counted from 1."""
    number = 0
    for letter in letters:
        number = number * 26 + letter - ord("A") + 1
    return number


def _chosen(book: Any, calamine: Any, shown: str, sheet: str | None) -> tuple[str, list[Any]]:
    """Return the name and the rows of the sheet named, or of the first one that is not empty."""
    known = _sheets(book, calamine)
    if sheet is not None and sheet not in known:
        raise FileError(
            f"There is no sheet {sheet!r} in {shown!r}: name one of {listed(list(known), 20)}."
        )
    visible_to_users = calamine.SheetVisibleEnum.Visible
    visible = [name for name, visibility in known.items() if visibility == visible_to_users]
    for name in [sheet] if sheet is not None else visible:
        rows = book.get_sheet_by_name(name).to_python(skip_empty_area=False)
        if any(cell != "" for row in rows for cell in row):
            return name, rows
    empty = f"sheet {sheet!r} of {shown!r}" if sheet is not None else f"workbook {shown!r}"
    raise FileError(f"The {empty} is empty: pass one with names of columns and rows.")


def _sheets(book: Any, calamine: Any) -> dict[str, Any]:
    """Return the names of sheets with cells, not those of charts, and their visibility."""
    of_cells = calamine.SheetTypeEnum.WorkSheet
    return {sheet.name: sheet.visible for sheet in book.sheets_metadata if sheet.typ == of_cells}


def _other_sheets(book: Any, shown: str, name: str) -> list[ReadingNote]:
    """Note that there are other sheets than the one that was read."""
    index = book.sheet_names.index(name)
    others = [*book.sheet_names[index + 1 :], *book.sheet_names[:index]]
    if not others:
        return []
    numbers: dict[str, float | int | str] = {
        "file": shown,
        "sheet": name,
        "n_sheets": len(others) + 1,
        "example": f"{shown}::{others[0]}",
    }
    return [ReadingNote("other_sheets", numbers)]


class _Sheet:
    """The cells of a sheet, without empty rows and columns; empty texts are missing."""

    def __init__(self, shown: str, name: str, cells: list[list[Cell]]) -> None:
        self.shown, self.name = shown, name
        filled = [(i, row) for i, row in enumerate(cells, 1) if any(cell != "" for cell in row)]
        self.numbers = [i for i, _ in filled]
        columns = list(zip(*(row for _, row in filled), strict=True))
        self.columns = [column for column in columns if any(cell != "" for cell in column)]

    def head(self) -> list[list[str]]:
        """Return the first rows as text."""
        columns = [[_text(cell) or "" for cell in column[:HEAD_ROWS]] for column in self.columns]
        return [list(row) for row in zip(*columns, strict=True)]

    def refuse_title(self) -> None:
        """Raise if the first row is the title of the sheet rather than names of columns."""
        widths = [sum(cell != "" for cell in row) for row in self.head()]
        if widths[0] == 1 and len(widths) > 1 and min(widths[1:3]) > 2:
            raise FileError(
                f"Row {self.numbers[0]} of sheet {self.name!r} in {self.shown!r} has 1 value where "
                f"the next one has {widths[1]}: the first row must name the columns. Delete the "
                "rows before it."
            )


def _load(
    workspace: Workspace, sheet: _Sheet, options: ReadOptions, notes: list[ReadingNote]
) -> FileSource:
    """Copy the rows after the names of the columns to DuckDB; add notes."""
    sheet.refuse_title()
    head = sheet.head()
    is_header = has_header(head) if options.header is None else options.header
    file: dict[str, float | int | str] = {"file": sheet.shown}
    if not is_header and options.header is None:
        notes.append(ReadingNote("no_header", {**file, "n_columns": len(head[0])}))
    names, changed = unique_names(head[0] if is_header else [""] * len(head[0]))
    notes += [ReadingNote("repeated_name", {**file, "column": t}) for t in dict.fromkeys(changed)]
    missing = {"", *options.missing}
    typed = [_typed(column[is_header:], missing) for column in sheet.columns]
    n_rows = len(sheet.numbers) - is_header
    table = workspace.new_table(8 * n_rows * len(names), len(names))
    fields = ", ".join(f"{identifier(n)} {t}" for n, (t, _) in zip(names, typed, strict=True))
    workspace.execute(f"CREATE TABLE {table} ({fields})")
    if n_rows:
        insert_cells(workspace, table, [cells for _, cells in typed], [t for t, _ in typed])
    source, first = of_table(workspace, table), int(is_header)
    source.notes, source.line_of = notes, lambda row: sheet.numbers[first + row]
    return source


TYPES: tuple[tuple[set[type], str], ...] = (
    ({bool}, "BOOLEAN"),
    ({int, float}, "DOUBLE"),
    ({dt.date}, "DATE"),
    ({dt.date, dt.datetime}, "TIMESTAMP"),
    ({dt.time}, "TIME"),
    ({dt.time, dt.timedelta}, "INTERVAL"),
)


def _typed(cells: Sequence[Cell], missing: set[str]) -> tuple[str, tuple[Cell, ...]]:
    """Return the type that fits all cells of a column, and the cells as numbers or text."""
    cells = [None if isinstance(cell, str) and cell in missing else cell for cell in cells]
    found = set(map(type, cells)) - {type(None)}
    type_ = next((name for types, name in TYPES if found <= types), "VARCHAR")
    if not found or type_ != "DOUBLE":
        return ("DOUBLE", tuple(cells)) if not found else (type_, tuple(map(_text, cells)))
    present = [cell for cell in cells if cell is not None]
    if all(abs(cell) < EXACT_INTEGERS and cell == int(cell) for cell in present):
        return "BIGINT", tuple(None if cell is None else int(cell) for cell in cells)
    return type_, tuple(cells)


def _text(cell: Cell) -> str | None:
    """Return a cell as text: whole numbers without a decimal point, dates in ISO 8601."""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < EXACT_INTEGERS:
        return str(int(cell))
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, dt.timedelta):
        return f"{cell // dt.timedelta(microseconds=1)} microseconds"
    return None if cell is None else str(cell)


def open_excel(opening: OpenRequest) -> FileSource:
    """Copy a sheet of a workbook; texts may be dates or numbers, as in delimited text."""
    if len(opening.paths) > 1:
        raise FileError(
            f"The pattern matches {len(opening.paths)} workbooks, such as {opening.shown[0]!r}: "
            "name one of them, or save their sheets as CSV."
        )
    sheet, notes = _read_sheet(opening.paths[0], opening.shown[0], opening.table)
    source = _load(opening.workspace, sheet, opening.options, notes)
    reinterpret_texts(source, set(), opening)
    dates_by_name(source, {*opening.options.types, *opening.options.dates})
    return source
