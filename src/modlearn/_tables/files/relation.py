"""Columns of a relation of DuckDB: their kinds, and their cells without a Python object per row."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from modlearn._tables.cells import Cells, Coded
from modlearn._tables.files.workspace import Workspace, identifier, literal
from modlearn._tables.memory.table import Table
from modlearn._tables.names import listed
from modlearn.errors import ColumnError, NestedColumnError

__all__ = ["IS_MISSING_WORD", "FileColumn", "FileSource", "Piece", "family_of", "natural_column"]

MOST_ENUMERATED = 5_000
"""Distinct texts up to which DuckDB numbers them; making more of an ENUM takes too long."""

ROW_GROUP = 122_880
"""Rows that DuckDB stores together, unless told otherwise."""

CHUNK = 200_000
"""Rows of which texts are Python objects at a time."""

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
FAMILY_OF = {name: family for family, names in FAMILIES.items() for name in names}

KINDS = {
    "integer": "numeric",
    "float": "numeric",
    "big": "numeric",
    "datetime": "datetime",
    "zoned": "datetime",
    "duration": "duration",
    "time": "duration",
    "nested": "nested",
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
    "numeric": ("float", "TRY_CAST(trim({c}) AS DOUBLE)", "numbers"),
    "datetime": ("datetime", "epoch_us(TRY_CAST({c} AS TIMESTAMPTZ))", "dates"),
    "duration": ("duration", "epoch_us(TRY_CAST({c} AS INTERVAL))", "durations"),
    "boolean": ("boolean", "TRY_CAST(trim({c}) AS BOOLEAN)", "the words true or false"),
}
"""How text is read as another type: family, SQL, and what the texts must be."""


@dataclass(frozen=True)
class FileColumn:
    """A column of a file: `raw` is what it holds, `value` the SQL of what is read of it."""

    name: str
    raw: str
    family: str
    value: str
    needed: str = ""
    """What texts must be, if they are read as another type; a text that is not is refused."""

    @property
    def kind(self) -> str:
        """Kind as in ``Table.kinds``; "nested" where a cell holds several values."""
        return KINDS.get(self.family, "categorical")


def family_of(type_name: str) -> str:
    """Family of a type of DuckDB."""
    if type_name.endswith("]"):
        return "nested"
    return FAMILY_OF.get(type_name, FAMILY_OF.get(type_name.partition("(")[0], "text"))


def natural_column(name: str, type_name: str) -> FileColumn:
    """A column read as the type it has."""
    raw, family = identifier(name), family_of(type_name)
    value = VALUES.get(family, "{c}").format(c=raw)
    return FileColumn(name, raw, family, value)


@dataclass(frozen=True)
class Piece:
    """Rows in a file or table that are numbered by `row`, from 0 to `stop` - 1, perhaps with gaps.

    `relation` is what stands behind FROM.
    """

    relation: str
    row: str
    stop: int
    group: int = ROW_GROUP
    """Rows that are unpacked together."""


@dataclass
class FileSource:
    """A table in files or a database, of which columns are read into memory, all rows or some.

    Parameters
    ----------
    workspace : Workspace
        Where the relation is known.
    columns : list of FileColumn
        In the order of the file.
    whole : str
        All rows, as what stands behind FROM.
    pieces : list of Piece
        The same rows in the same order.
    n_rows : int
        Number of rows.
    notes : list of str
        What a user should know of how the file was read.
    wanted : mapping of name to type
        Types that columns are read as, if not the one they have: "numeric", "datetime", "duration",
        "boolean", "text" or "categorical" (text, unless they are true or false).
    """

    workspace: Workspace
    columns: list[FileColumn]
    whole: str
    pieces: list[Piece]
    n_rows: int
    notes: list[str] = field(default_factory=list)
    wanted: Mapping[str, str] = field(default_factory=dict)
    path: str = ""
    database: tuple[str, str] | None = None
    """Path and alias of an attached database file."""
    line_of: Callable[[int], int] | None = None
    """Line of a row in a file of lines, 0 where it is not found."""
    many: dict[str, bool] = field(default_factory=dict)
    """Whether a text has many values, by its SQL."""

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return [column.name for column in self.columns]

    @property
    def types(self) -> dict[str, str]:
        """Kind of each column: numeric, categorical, datetime, duration, or nested."""
        return {column.name: column.kind for column in self.columns}

    def read(
        self, names: Sequence[str] | None = None, types: Mapping[str, str] | None = None
    ) -> Table:
        """Read columns, all of them unless told; see `wanted` for the types."""
        columns = self._columns(names, types)
        wheres = [(piece.relation, "true", piece.row) for piece in self.pieces]
        where = (self.whole, "true", "") if len(wheres) != 1 else wheres[0]
        return self._read(columns, where, self.n_rows)

    def batches(
        self,
        names: Sequence[str] | None = None,
        n_rows: int = ROW_GROUP,
        types: Mapping[str, str] | None = None,
    ) -> Iterator[Table]:
        """Read columns in the order of the rows, at most so many rows at a time."""
        columns = self._columns(names, types)
        for piece in self.pieces:
            # where groups of rows are torn apart, each is unpacked several times
            step = n_rows - n_rows % piece.group or n_rows
            for start in range(0, piece.stop, step):
                stop = min(start + step, piece.stop)
                where = f"{piece.row} BETWEEN {start} AND {stop - 1}"
                table = self._read(columns, (piece.relation, where, piece.row), stop - start)
                if table.n_rows:
                    yield table

    def select(self, names: Sequence[str] | None = None) -> str:
        """SQL of columns as they are in the file, for those who copy them."""
        columns = self._columns(names, {})
        selected = ", ".join(f"{column.raw} AS {identifier(column.name)}" for column in columns)
        return f"SELECT {selected} FROM {self.whole}"

    def close(self) -> None:
        """Remove what was written on the way."""
        self.workspace.close()

    def __enter__(self) -> FileSource:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _columns(
        self, names: Sequence[str] | None, types: Mapping[str, str] | None
    ) -> list[FileColumn]:
        """The columns of these names, each with the type it is wanted as."""
        known = {column.name: column for column in self.columns}
        wanted = self.wanted if types is None else types
        chosen = self.names if names is None else names
        for name in chosen:
            if name not in known:
                raise ColumnError(
                    f"There is no column {name!r} in {self.path!r}: it has "
                    f"{listed(self.names, 20)}."
                )
        return [_as_type(known[name], wanted.get(name)) for name in chosen]

    def _read(self, columns: list[FileColumn], where: tuple[str, str, str], n_rows: int) -> Table:
        """Read rows of a relation: (relation, condition, name of the row number)."""
        for column in columns:
            self._refuse(column, where)
        texts = [column for column in columns if column.family in ("text", "json")]
        self._count_texts([c.value for c in texts if c.value not in self.many], where)
        with _Encoding(self.workspace, where, self.many) as encoding:
            coded = {column.value: encoding.encode(column.value) for column in texts}
            selected = [coded.get(column.value, column.value) for column in columns]
            n_rows, arrays = self._fetch(selected, where, n_rows)
            cells = [
                encoding.cells(column.value, array)
                if column.value in coded
                else _cells(column, array)
                for column, array in zip(columns, arrays, strict=True)
            ]
        return Table([column.name for column in columns], n_rows, list(cells))

    def _fetch(
        self, selected: list[str], where: tuple[str, str, str], n_rows: int
    ) -> tuple[int, list[np.ndarray]]:
        """Arrays of expressions, and how many rows they have."""
        relation, condition, _ = where
        if not selected:
            return n_rows, []
        aliased = ", ".join(f"{value} AS c{i}" for i, value in enumerate(selected))
        arrays = self.workspace.arrays(f"SELECT {aliased} FROM {relation} WHERE {condition}")
        return len(arrays[0]), arrays

    def _count_texts(self, values: list[str], where: tuple[str, str, str]) -> None:
        """Find out which texts have too many values for DuckDB to number them."""
        relation, condition, _ = where
        for start in range(0, len(values), 100):
            some = values[start : start + 100]
            counts = ", ".join(f"count(DISTINCT {value})" for value in some)
            (row,) = self.workspace.rows(f"SELECT {counts} FROM {relation} WHERE {condition}")
            self.many |= {v: n > MOST_ENUMERATED for v, n in zip(some, row, strict=True)}

    def _refuse(self, column: FileColumn, where: tuple[str, str, str]) -> None:
        """Raise where a column cannot be read as what is wanted."""
        if column.family == "nested":
            raise NestedColumnError(
                f"Column {column.name!r} is nested, each cell holds several values: "
                "split it into one column per value, or drop it."
            )
        if not column.needed:
            return
        relation, condition, row = where
        wrong = f"{column.raw} IS NOT NULL AND {column.value} IS NULL"
        known = IS_MISSING_WORD.format(c=column.raw)
        found = self.workspace.rows(
            f"SELECT {row or -1}, {column.raw} FROM {relation} "
            f"WHERE {condition} AND {wrong} AND NOT {known} LIMIT 1"
        )
        if found:
            place = self._place(found[0][0]) if row else "a row"
            raise ColumnError(
                f"Column {column.name!r} holds text, {place} is {found[0][1]!r}, where "
                f"{column.needed} are needed: correct the cell, name it as a missing "
                "value, or leave the column out."
            )

    def _place(self, row: int) -> str:
        """What a user calls a row: its line, as an editor counts them, or its number from 1 on."""
        line = self.line_of(row) if self.line_of else 0
        return f"line {line}" if line else f"row {row + 1}"


def _as_type(column: FileColumn, wanted: str | None) -> FileColumn:
    """The column read as another type, where the type it has differs."""
    if wanted is None or column.family == "nested" or wanted == column.kind == "categorical":
        return column
    if wanted == "text" or (wanted == "categorical" and column.family != "boolean"):
        value = VALUES["json" if column.family == "json" else "text"].format(c=column.raw)
        return FileColumn(column.name, column.raw, "text", value)
    if wanted in READINGS and column.family in ("text", "json"):
        family, value, needed = READINGS[wanted]
        return FileColumn(column.name, column.value, family, value.format(c=column.value), needed)
    return column


class _Encoding:
    """Texts as codes: numbered by DuckDB where they are few, else one by one, a chunk at a time."""

    def __init__(
        self, workspace: Workspace, where: tuple[str, str, str], many: Mapping[str, bool]
    ) -> None:
        self.workspace, self.where, self.many = workspace, where, many
        self.types: dict[str, str] = {}

    def __enter__(self) -> _Encoding:
        return self

    def __exit__(self, *error: object) -> None:
        for name in self.types.values():
            self.workspace.run(f"DROP TYPE IF EXISTS {name}")

    def encode(self, value: str) -> str:
        """SQL of the codes of a text."""
        if self.many[value]:
            return "NULL"
        if value not in self.types:
            relation, condition, _ = self.where
            name = self.workspace.new_name("texts")
            self.workspace.run(
                f"CREATE TYPE {name} AS ENUM (SELECT DISTINCT {value} AS v FROM {relation} "
                f"WHERE {condition} AND {value} IS NOT NULL ORDER BY v)"
            )
            self.types[value] = name
        return f"enum_code(CAST({value} AS {self.types[value]}))"

    def cells(self, value: str, codes: np.ndarray) -> Coded:
        """Codes and their texts."""
        if self.many[value]:
            return self._one_by_one(value)
        filled = np.ma.filled(codes.astype(np.int32), -1)
        name = self.types[value]
        texts = self.workspace.rows(f"SELECT unnest(enum_range(NULL::{name}))")
        return Coded(filled, [text for (text,) in texts])

    def _one_by_one(self, value: str) -> Coded:
        """Number the texts in the order of their first row."""
        relation, condition, _ = self.where
        numbers: defaultdict[Any, int] = defaultdict()
        numbers.default_factory = numbers.__len__
        parts = []
        sql = f"SELECT {value} FROM {relation} WHERE {condition}"
        for rows in self.workspace.chunks(sql, CHUNK):
            parts.append(
                np.fromiter(
                    (-1 if text is None else numbers[text] for (text,) in rows),
                    dtype=np.int32,
                    count=len(rows),
                )
            )
        return Coded(np.concatenate(parts) if parts else np.empty(0, np.int32), list(numbers))


def _cells(column: FileColumn, array: np.ndarray) -> Cells:
    """Cells of an array that DuckDB has made."""
    missing = np.ma.getmaskarray(array) if isinstance(array, np.ma.MaskedArray) else None
    values = np.asarray(array.data if isinstance(array, np.ma.MaskedArray) else array)
    if column.kind in TIMES:
        values = values.astype(np.int64, copy=False).view(TIMES[column.kind])
    if missing is None or not missing.any():
        return Cells(values)
    if values.dtype == np.float64 and values.flags.writeable:
        values[missing] = np.nan  # no second array where a number is missing
        return Cells(values)
    return Cells(values, missing)


TIMES: dict[str, Any] = {"datetime": "M8[us]", "duration": "m8[us]"}
