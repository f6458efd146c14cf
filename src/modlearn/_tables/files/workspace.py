"""A DuckDB connection with a temporary folder for what does not fit in memory."""

from __future__ import annotations

import codecs
import glob
import gzip
import io
import os
import shutil
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Condition
from typing import IO, TYPE_CHECKING, Any

from modlearn._files import TemporaryFolder
from modlearn._parallel import SECONDS_BETWEEN_STOPS, n_threads_of
from modlearn.errors import FileError, spelled

if TYPE_CHECKING:
    import duckdb

__all__ = [
    "IN_MEMORY",
    "Rewrite",
    "Workspace",
    "compression_of",
    "damaged_file",
    "decompressing",
    "file_literal",
    "inspect_bytes",
    "interruptible",
    "is_interruption",
    "literal",
    "open_bytes",
    "recode",
]

Rewrite = Callable[[Iterable[str]], Iterable[str]]
"""Changes the lines of a text on their way into a copy."""

WATCHED = "SET enable_progress_bar = true; SET enable_progress_bar_print = false"
"""Lets a cursor know how far its query is, without printing it."""

BASE_MEMORY = 600_000_000
MEMORY_PER_COLUMN = 4_000_000  # several row groups of a column are processed at the same time
IN_MEMORY = 100_000_000
"""Files up to this number of bytes are kept in memory once they are parsed."""


def literal(value: str) -> str:
    """Quote a text for SQL."""
    return "'" + value.replace("'", "''") + "'"


def file_literal(path: Path) -> str:
    """Quote a path for DuckDB, escaping the characters that would make it a pattern."""
    return literal(glob.escape(str(path)))


def is_interruption(error: BaseException) -> bool:
    """Whether the user interrupted DuckDB, which raises its own errors then."""
    import duckdb

    is_runtime_error = isinstance(error, RuntimeError) and "Query interrupted" in str(error)
    return isinstance(error, duckdb.InterruptException) or is_runtime_error


@contextmanager
def interruptible() -> Iterator[None]:
    """Raise KeyboardInterrupt if the user interrupts DuckDB."""
    try:
        yield
    except Exception as error:
        if is_interruption(error):
            raise KeyboardInterrupt from None
        raise


class Workspace:
    """Opens, parses and joins the files of a table in DuckDB; `close` removes everything.

    `execute` runs a statement. Whoever asks for several results does so in one `interruptible`.
    """

    def __init__(self, n_jobs: int | None = None) -> None:
        import duckdb

        self._folder = TemporaryFolder(Path(tempfile.gettempdir()), hidden=False)
        self.connection: duckdb.DuckDBPyConnection = duckdb.connect(":memory:")
        self.execute = self.connection.execute
        for setting in (
            f"threads = {n_threads_of(n_jobs or -1)}",  # None = all cores
            f"memory_limit = '{_memory(10)}B'",
            f"temp_directory = {literal(str(self.path('spill')))}",
            "preserve_insertion_order = true",
            "autoinstall_known_extensions = false",  # it would wait for the network
            "python_enable_replacements = false",  # table names must not refer to Python variables
            "TimeZone = 'UTC'",
            "enable_progress_bar = false",  # the table may be written to standard output
        ):
            self.execute(f"SET {setting}")
        self._has_spool = False
        self._n_names = 0
        self._cursors: list[duckdb.DuckDBPyConnection] = []
        self._changed = Condition()
        self._closed = False

    def path(self, name: str) -> Path:
        """Return a path in the folder of the workspace."""
        return self._folder.path / name

    def new_name(self, stem: str) -> str:
        """Return a name that was not returned before."""
        self._n_names += 1
        return f"{stem}{self._n_names}"

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Return the rows of a small result."""
        return self.execute(sql).fetchall()

    @contextmanager
    def cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Yield a cursor for the thread that asks; `close` stops what it executes."""
        with self._changed:
            if self._closed:
                raise KeyboardInterrupt
            cursor = self.connection.cursor()
            cursor.execute(WATCHED)
            self._cursors.append(cursor)
        try:
            yield cursor
        finally:
            cursor.close()
            with self._changed:
                self._cursors.remove(cursor)
                self._changed.notify_all()

    def share_done(self) -> float | None:
        """Return which share of the queries of all cursors is done; None = nothing is known."""
        import duckdb

        found = []
        with self._changed:
            for cursor in self._cursors:
                with suppress(duckdb.Error):  # it has just been closed
                    found.append(cursor.query_progress() / 100)
        return max((share for share in found if share >= 0), default=None)

    def allow_columns(self, n_columns: int) -> None:
        """Raise the memory limit for tables with this number of columns."""
        self.execute(f"SET memory_limit = '{_memory(n_columns)}B'")

    def limit_memory(self, n_bytes: int) -> None:
        """Set the memory limit; what does not fit is spilled to the folder of the workspace."""
        self.execute(f"SET memory_limit = '{n_bytes}B'")

    def new_table(self, n_bytes: int, n_columns: int = 0) -> str:
        """Return a name for a table of about this size, which is kept in memory or on disk."""
        if n_columns:
            self.allow_columns(n_columns)
        if not self._has_spool:
            path = ":memory:" if n_bytes <= IN_MEMORY else str(self.path("spool.duckdb"))
            self.execute(f"ATTACH {literal(path)} AS spool")
            self._has_spool = True
        return self.new_name("spool.rows")

    def close(self) -> None:
        """Stop all cursors, close the connection and remove the folder.

        A program must not end while other threads are inside DuckDB: it would be aborted.
        """
        with self._changed:
            self._closed = True
            while self._cursors:
                for cursor in self._cursors:
                    cursor.interrupt()
                # One that had nothing to interrupt yet is interrupted later.
                self._changed.wait(SECONDS_BETWEEN_STOPS)
        self.connection.close()
        self._folder.cleanup()


def _memory(n_columns: int) -> int:
    """Return the number of bytes that DuckDB may use: it depends on columns, not on rows."""
    needed = BASE_MEMORY + n_columns * MEMORY_PER_COLUMN
    pages = os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 0
    installed = pages * os.sysconf("SC_PAGE_SIZE") if pages else needed
    return min(needed, int(0.8 * installed)) if installed else needed


MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
BYTE_ORDER_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
BEFORE_QUOTES = (codecs.BOM_UTF8 + b'"', codecs.BOM_UTF8 + b"'")
"""DuckDB does not skip a mark before a quote: it misses the quoted name and loses all rows."""


def compression_of(path: Path) -> str | None:
    """Return the compression of a file by its first bytes, whatever its name."""
    with path.open("rb") as file:
        start = file.read(4)
    return next((name for magic, name in MAGIC.items() if start.startswith(magic)), None)


def damaged_file(shown: str) -> FileError:
    """Return the error for a compressed file that cannot be decompressed to its end."""
    return FileError(
        f"The file {shown!r} is damaged: it cannot be decompressed to its end. Copy or compress it "
        "again."
    )


@contextmanager
def decompressing(shown: str) -> Iterator[None]:
    """Raise a FileError if a file that is being decompressed turns out to be damaged."""
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise damaged_file(shown) from None


def inspect_bytes(path: Path, shown: str) -> tuple[str | None, str | None]:
    """Return the compression of a file, and the encoding if it has a mark that DuckDB misses."""
    compression = compression_of(path)
    if compression == "zstd":
        return compression, None
    with decompressing(shown), open_bytes(path, shown) as file:
        start = file.read(4)
    if start.startswith(BEFORE_QUOTES):
        return compression, "utf-8-sig"
    marks = (name for mark, name in BYTE_ORDER_MARKS.items() if start.startswith(mark))
    return compression, next(marks, None)


def open_bytes(path: Path, shown: str) -> IO[bytes]:
    """Open a file for reading its decompressed bytes."""
    compression = compression_of(path)
    if compression == "zstd":
        raise FileError(
            f"The file {shown!r} is compressed by zstd and is not valid UTF-8, or has mixed line "
            "ends: decompress it first (unzstd), or convert it to UTF-8."
        )
    return gzip.open(path, "rb") if compression == "gzip" else path.open("rb")  # type: ignore[return-value]


def recode(
    workspace: Workspace,
    path: Path,
    shown: str,
    encoding: str,
    rewrite: Rewrite | None = None,
) -> Path:
    """Write the file in UTF-8, its lines perhaps rewritten; return the path of the copy."""
    try:
        io.TextIOWrapper(io.BytesIO(), encoding)  # refuses base64 and the like, which are not text
    except LookupError:
        raise FileError(
            *spelled(
                lambda spell: (
                    f"The encoding {encoding!r} is not known: with {spell('--encoding')}, name one "
                    "that Python knows, such as 'latin-1', 'cp1252' or 'utf-16'."
                )
            )
        ) from None
    target = workspace.path(workspace.new_name("recoded"))
    # Five bytes are undefined in Windows-1252; as the encoding is a guess, they must not fail.
    errors = "replace" if encoding == "cp1252" else "strict"
    with (
        decompressing(shown),
        io.TextIOWrapper(open_bytes(path, shown), encoding, errors, newline="") as source,
        target.open("w", encoding="utf-8", newline="") as file,
    ):
        try:
            if rewrite is None:
                shutil.copyfileobj(source, file, 1 << 20)
            else:
                file.writelines(rewrite(source))
        except UnicodeError as error:
            reason = str(error)
            raise FileError(
                *spelled(
                    lambda spell: (
                        f"The file {shown!r} is not valid {encoding}: {reason}. Name its true "
                        f"encoding with {spell('--encoding')}."
                    )
                )
            ) from None
    return target
