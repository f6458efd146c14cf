"""Writing a table with new columns, completely or not at all."""

from __future__ import annotations

import errno
import shutil
import sys
from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from modlearn._export.databases import unwritable, write_duckdb, write_sqlite
from modlearn._export.formulas import escape_formulas
from modlearn._files import full_disk, refuse_lost_folder, whole_file
from modlearn._tables.cells import CodedCells
from modlearn._tables.files.arrow import import_arrow
from modlearn._tables.files.columns import identifier
from modlearn._tables.files.formats import format_of_name, refuse_name, split_database
from modlearn._tables.files.relation import FileSource
from modlearn._tables.files.workspace import IN_MEMORY, Workspace, interruptible, literal
from modlearn.errors import ColumnError, FileError, spelled

__all__ = ["TableWriter"]

FORMATS = ("arrow", "csv", "duckdb", "json", "parquet", "sqlite", "tsv")


class TableWriter:
    """Writes the columns of a source with new columns after them, in the order of the rows.

    New columns are kept on disk until all rows are added; then DuckDB copies the file with them in
    one pass. The result replaces an existing file only when it is complete.

    Parameters
    ----------
    path : path
        File whose extension gives the format (``.csv``, ``.tsv``, ``.parquet``, ``.jsonl``,
        ``.arrow``; text also ``.gz`` or ``.zst``), ``"shop.duckdb::scored"`` or
        ``"shop.sqlite::scored"`` for a table of a database, or ``"-"`` for standard output.
    format : {"csv", "tsv", "parquet", "json", "arrow", "duckdb", "sqlite"}, default=None
        Format, if the extension does not give it; CSV by default on standard output.
    like : FileSource
        The table whose rows are written.
    keep : sequence of str, default=None
        Columns of the source that are written, each once; None = all.
    escapes_formulas : bool, default=False
        Whether texts that a spreadsheet would run as formulas get an apostrophe before them; only
        for delimited text.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        format: str | None = None,
        *,
        like: FileSource,
        keep: Sequence[str] | None = None,
        escapes_formulas: bool = False,
    ) -> None:
        self.name = fspath(path)
        self.target, self.table = split_database(self.name)
        named, self.compression = format_of_name(self.target)
        self.format = format or named or ("csv" if self.target == "-" else "")
        self.source, self.escapes_formulas = like, escapes_formulas
        self.kept = like.names if keep is None else list(dict.fromkeys(keep))
        self._kept_rows = like.select(self.kept)  # raises for a column that does not exist
        self.n_rows = 0
        self._added: list[str] = []
        self._texts: dict[str, dict[Any, int]] = {}
        self._added_table = ""
        self._refuse()

    def _refuse(self) -> None:
        """Raise in advance for an output that could not be written at the end."""
        if self.format not in FORMATS:
            raise FileError(
                *spelled(
                    lambda spell: (
                        f"The extension of {self.name!r} is not a known format: end it with .csv, "
                        ".tsv, .parquet, .jsonl or .arrow, or name a format with "
                        f"{spell('--format')}, one of {', '.join(FORMATS)}."
                    )
                )
            )
        if self.escapes_formulas and self.format not in ("csv", "tsv"):
            raise FileError(
                *spelled(
                    lambda spell: (
                        f"Formulas are escaped in CSV and TSV files only, but {self.name!r} is "
                        f"written as {self.format}: end its name with .csv, or leave formulas as "
                        f"they are, without {spell('--escape-formulas')}."
                    )
                )
            )
        if self.compression and self.format not in ("csv", "tsv", "json"):
            raise FileError(
                f"A {self.format} file is compressed internally: remove the second extension of "
                f"{self.name!r}."
            )
        if (self.table is not None) != (self.format in ("duckdb", "sqlite")) or self.table == "":
            raise FileError(
                f"{self.name!r} must name a table of a database, such as 'shop.duckdb::scored', or "
                "a file of another format, without '::'."
            )
        if self.format == "arrow":
            import_arrow(self.name)
        refuse_name(self.target)
        if self.target != "-":
            refuse_lost_folder(Path(self.target))
            if Path(self.target).is_dir():
                raise FileError(f"{self.target!r} is a folder: name a file in it.")

    @interruptible()
    def add(self, columns: Mapping[str, Any]) -> None:
        """Add the new columns of the next rows.

        Parameters
        ----------
        columns : mapping of name to array of shape (n,) or CodedCells
            New columns, with the same names in each call; NaN and masked cells are missing. Texts
            that repeat are best passed as ``CodedCells``, which needs no Python object per row.
        """
        n_rows = _rows_of(columns)
        if self.n_rows + n_rows > self.source.n_rows:
            raise ValueError(
                f"{self.n_rows + n_rows} rows were added to a table of {self.source.n_rows} rows."
            )
        arrays = {f"new{i}": self._array(*item) for i, item in enumerate(columns.items())}
        workspace = self.source.workspace
        workspace.connection.register("added_rows", arrays)
        try:
            self._insert(list(columns), ", ".join(map(_stored, arrays, arrays.values())))
        finally:
            workspace.connection.unregister("added_rows")
        self.n_rows += n_rows

    def _array(self, name: str, values: Any) -> NDArray[Any]:
        """Return what is stored for a new column: for coded texts, codes valid for all rows."""
        if not isinstance(values, CodedCells):
            return _plain(values)
        numbers = self._texts.setdefault(name, {})
        lookup = [numbers.setdefault(text, len(numbers)) for text in values.values]
        codes = np.array([*lookup, -1], dtype=np.int32)[values.codes]
        return np.ma.array(codes, mask=codes < 0) if codes.min(initial=0) < 0 else codes

    def _insert(self, names: list[str], selected: str) -> None:
        """Append registered rows to those added before."""
        workspace = self.source.workspace
        if not self._added_table:
            self._refuse_names(names)
            self._added_table = _new_table(workspace, self.source.n_rows * len(names) * 8)
            workspace.execute(
                f"CREATE TABLE {self._added_table} AS SELECT {selected} FROM added_rows LIMIT 0"
            )
            self._added = names
        elif names != self._added:
            raise ValueError(
                f"The columns {names} differ from those of earlier rows, {self._added}."
            )
        workspace.execute(f"INSERT INTO {self._added_table} SELECT {selected} FROM added_rows")

    def _refuse_names(self, names: list[str]) -> None:
        """Raise if a new column has the name of another one; DuckDB ignores case."""
        taken = {name.lower(): name for name in self.kept}
        for name in names:
            if name.lower() in taken:
                raise _name_taken(taken[name.lower()], name)
            taken[name.lower()] = name

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        try:
            if kind is None:
                self._finish()
        finally:
            if self._added_table:
                self.source.workspace.execute(f"DROP TABLE IF EXISTS {self._added_table}")

    def _finish(self) -> None:
        """Write all rows, now that they are complete."""
        if self.n_rows != self.source.n_rows and (self._added or not self.kept):
            raise ValueError(
                f"{self.n_rows} rows were added to a table of {self.source.n_rows} rows."
            )
        import duckdb

        self.source.workspace.execute("RESET force_compression")
        try:
            with interruptible():
                self._write(self._query())
        except duckdb.Error as error:
            raise unwritable(self.name, error) from None
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            raise full_disk(self.name) from None

    def _query(self) -> str:
        """Return the SQL of the kept columns, followed by the new ones."""
        if not self._added:
            return self._kept_rows
        values = [self._new_value(i, name) for i, name in enumerate(self._added)]
        new = ", ".join(map("{} AS {}".format, values, map(identifier, self._added)))
        if not self.kept:
            return f"SELECT {new} FROM {self._added_table} n"
        return f"SELECT s.*, {new} FROM ({self._kept_rows}) s POSITIONAL JOIN {self._added_table} n"

    def _new_value(self, i: int, name: str) -> str:
        """Return the SQL of the cells of a new column, with texts instead of their codes."""
        if name not in self._texts:
            return f"n.new{i}"
        texts = ", ".join(literal(str(text)) for text in self._texts[name])
        return f"CAST([{texts}] AS VARCHAR[])[n.new{i} + 1]"

    def _write(self, query: str) -> None:
        """Write the rows of a query to the target: standard output, a database or a file."""
        if self.target == "-":
            path = self.source.workspace.path("standard-output")
            self._write_file(query, path)
            with path.open("rb") as file:
                shutil.copyfileobj(file, sys.stdout.buffer, 1 << 20)
            sys.stdout.buffer.flush()
        elif self.format == "duckdb":
            write_duckdb(self.source, query, Path(self.target), self.table or "")
        elif self.format == "sqlite":
            write_sqlite(self.source, query, Path(self.target), self.table or "")
        else:
            with whole_file(Path(self.target)) as temporary:
                self._write_file(query, temporary)

    def _write_file(self, query: str, path: Path) -> None:
        """Write the rows of a query to a file."""
        if self.format == "arrow":
            _write_arrow(self.source.workspace, query, path, self.name)
            return
        if self.escapes_formulas:
            query = escape_formulas(self.source.workspace, query)
        compression = f", COMPRESSION {self.compression or 'none'}"
        options = {
            "csv": f"FORMAT csv, HEADER true{compression}",
            "tsv": f"FORMAT csv, HEADER true, DELIMITER '\t'{compression}",
            "json": f"FORMAT json{compression}",
            "parquet": "FORMAT parquet",
        }[self.format]
        self.source.workspace.execute(
            f"COPY ({query}) TO {literal(str(path))} ({options}, USE_TMP_FILE false)"
        )


def _new_table(workspace: Workspace, n_bytes: int) -> str:
    """Return the name of a new table of about this size, in memory or on disk."""
    name = workspace.new_name("added")
    path = ":memory:" if n_bytes <= IN_MEMORY else str(workspace.path(f"{name}.duckdb"))
    workspace.execute(f"ATTACH {literal(path)} AS {name}")
    workspace.execute("SET force_compression = 'uncompressed'")  # it is read only once, and soon
    return f"{name}.main.rows"


def _rows_of(columns: Mapping[str, Any]) -> int:
    """Return the number of rows that new columns have in common."""
    counts = {name: len(values) for name, values in columns.items()}
    if len(set(counts.values())) != 1:
        raise ValueError(f"New columns must have the same number of rows, not {counts}.")
    return next(iter(counts.values()))


def _plain(values: Any) -> NDArray[Any]:
    """Return an array of a type that DuckDB reads."""
    array: NDArray[Any] = np.asanyarray(values)
    if array.dtype.kind == "U":
        return array.astype(object)
    return array.astype("M8[us]") if array.dtype.kind == "M" else array


def _stored(column: str, array: NDArray[Any]) -> str:
    """Return the SQL of a registered column; a cast gives texts a type even if all are missing."""
    is_text = array.dtype == object and all(isinstance(v, str | None) for v in array[:1000])
    return f"CAST({column} AS VARCHAR) AS {column}" if is_text else column


def _write_arrow(workspace: Workspace, query: str, path: Path, shown: str) -> None:
    """Write an Arrow file, a batch at a time."""
    arrow = import_arrow(shown)
    rows = arrow.RecordBatchReader.from_stream(workspace.connection.sql(query))
    # Closed also after an error: a query that is still read would not let the next one begin.
    with rows, arrow.OSFile(str(path), "wb") as sink, arrow.ipc.new_file(sink, rows.schema) as file:
        for batch in rows:
            file.write_batch(batch)


def _name_taken(old: str, new: str) -> ColumnError:
    """Return the error that the table has the name of a new column."""
    return ColumnError(
        *spelled(
            lambda spell: (
                f"The table already has a column {old!r}, so no new column {new!r} can be added: "
                f"rename the old one, or name only the columns to write with {spell('--keep')}."
            )
        )
    )
