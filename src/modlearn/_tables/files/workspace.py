"""A DuckDB connection with a folder on disk for what need not stay in memory."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import duckdb

__all__ = ["IN_MEMORY", "Workspace", "file_literal", "identifier", "interruptible", "literal"]

BASE_MEMORY = 600_000_000
MEMORY_PER_COLUMN = 4_000_000  # a row group of a column, several of them under way
IN_MEMORY = 100_000_000
"""Files of up to so many bytes are kept in memory once they are parsed."""


def identifier(name: str) -> str:
    """A name of a column or a table as SQL takes it, whatever characters it has."""
    return '"' + name.replace('"', '""') + '"'


def literal(value: str) -> str:
    """A text as SQL takes it."""
    return "'" + value.replace("'", "''") + "'"


def file_literal(path: Path) -> str:
    """A path as DuckDB takes it: what would be a pattern is taken as it is."""
    return literal(re.sub(r"([*?\[])", r"[\1]", str(path)))


@contextmanager
def interruptible() -> Iterator[None]:
    """Raise KeyboardInterrupt where a user stops DuckDB, which calls it an error of its own."""
    import duckdb

    try:
        yield
    except duckdb.InterruptException:
        raise KeyboardInterrupt from None
    except RuntimeError as error:
        if "Query interrupted" not in str(error):
            raise
        raise KeyboardInterrupt from None


class Workspace:
    """Where the files of one source are opened, parsed and joined; `close` removes all of it."""

    def __init__(self, n_jobs: int | None = None) -> None:
        import duckdb

        self._folder = tempfile.TemporaryDirectory(prefix="modlearn-", ignore_cleanup_errors=True)
        self.connection: duckdb.DuckDBPyConnection = duckdb.connect(":memory:")
        for setting in (
            f"threads = {_threads(n_jobs)}",
            f"memory_limit = '{_memory(10)}B'",
            f"temp_directory = {literal(str(self.path('spill')))}",
            "preserve_insertion_order = true",
            "autoinstall_known_extensions = false",  # it would wait for a network
            "python_enable_replacements = false",  # no table name may mean a Python variable
            "TimeZone = 'UTC'",
            "enable_progress_bar = false",  # standard output may be the table
        ):
            self.run(f"SET {setting}")
        self._spool = ""
        self._n_made = 0

    def path(self, name: str) -> Path:
        """A path in the folder of the workspace."""
        return Path(self._folder.name) / name

    def new_name(self, stem: str) -> str:
        """A name that was not given before."""
        self._n_made += 1
        return f"{stem}{self._n_made}"

    def run(self, sql: str, parameters: list[Any] | None = None) -> None:
        """Execute a statement that returns nothing of interest."""
        self.rows(sql, parameters)

    def rows(self, sql: str, parameters: list[Any] | None = None) -> list[tuple[Any, ...]]:
        """The rows of a small result."""
        with interruptible():
            return self.connection.execute(sql, parameters).fetchall()

    def arrays(self, sql: str) -> list[np.ndarray]:
        """The columns of a result as arrays, masked where cells are NULL."""
        with interruptible():
            return list(self.connection.execute(sql).fetchnumpy().values())

    def chunks(self, sql: str, n_rows: int) -> Iterator[list[tuple[Any, ...]]]:
        """The rows of a large result, so many at a time; nothing else may be run meanwhile."""
        with interruptible():
            result = self.connection.execute(sql)
        while rows := _some(result, n_rows):
            yield rows

    def allow_columns(self, n_columns: int) -> None:
        """Give room for tables of so many columns."""
        self.run(f"SET memory_limit = '{_memory(n_columns)}B'")

    def spool(self, n_bytes: int) -> str:
        """Database for tables of about this size, in memory or on disk."""
        if not self._spool:
            place = ":memory:" if n_bytes <= IN_MEMORY else str(self.path("spool.duckdb"))
            self.run(f"ATTACH {literal(place)} AS spool")
            self._spool = "spool"
        return self._spool

    def close(self) -> None:
        """Forget everything."""
        self.connection.close()
        self._folder.cleanup()


def _some(result: duckdb.DuckDBPyConnection, n_rows: int) -> list[tuple[Any, ...]]:
    """The next rows of a result."""
    with interruptible():
        return result.fetchmany(n_rows)


def _threads(n_jobs: int | None) -> int:
    """Threads of DuckDB for scikit-learn's n_jobs; None = all."""
    cores = os.cpu_count() or 1
    if n_jobs is None or n_jobs == 0:
        return cores
    return n_jobs if n_jobs > 0 else max(1, cores + 1 + n_jobs)


def _memory(n_columns: int) -> int:
    """Bytes that DuckDB may use: what the columns need, not what the rows would take."""
    wanted = BASE_MEMORY + n_columns * MEMORY_PER_COLUMN
    pages = os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 0
    installed = pages * os.sysconf("SC_PAGE_SIZE") if pages else wanted
    return min(wanted, int(0.8 * installed)) if installed else wanted
