"""Options for reading files, for what cannot be detected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from modlearn.schema import Column, Kind

if TYPE_CHECKING:
    from modlearn._tables.files.workspace import Workspace

__all__ = ["Opening", "ReadOptions", "UnopenedFile", "kinds_and_formats"]


def kinds_and_formats(columns: Mapping[str, Column]) -> _Known:
    """Return the options that read columns like those of a model."""
    return {
        "types": {name: column.kind for name, column in columns.items()},
        "formats": {name: column.format for name, column in columns.items() if column.format},
    }


class _Known(TypedDict):
    """Options that follow from the columns of a model."""

    types: Mapping[str, Kind]
    formats: Mapping[str, str]


@dataclass(frozen=True)
class ReadOptions:
    """How files are read; what is None is detected.

    Parameters
    ----------
    format : {"csv", "tsv", "parquet", "json", "arrow", "duckdb", "sqlite", "excel"}, default=None
        Format of the files.
    delimiter, quote : str, default=None
        Delimiter and quote character of delimited text; with an empty quote, quote characters have
        no special meaning.
    header : bool, default=None
        Whether the first line names the columns.
    encoding : str, default=None
        Encoding of delimited text, by its name in Python; by default UTF-8, then Windows-1252.
    decimal : {".", ","}, default=None
        Decimal separator; with ".", texts such as "1,5" stay text, and "1,234" is read as 1234 if
        the column is numeric according to `types`.
    missing : sequence of str
        Texts that mean a missing value in all columns, in addition to the empty text.
    types : mapping of column name to Kind
        Kinds that columns are read as, such as those of the training data of a model.
    formats : mapping of column name to str
        How the dates or numbers of these columns are written (see ``_tables/spelling.py``), such as
        those of the training data of a model; by default, detected.
    dates : mapping of column name to str or None
        Columns that are read as dates, in a format; None = the format that most cells have.
    n_jobs : int, default=None
        Number of threads of DuckDB; None = all cores.
    """

    format: str | None = None
    delimiter: str | None = None
    quote: str | None = None
    header: bool | None = None
    encoding: str | None = None
    decimal: str | None = None
    missing: Sequence[str] = ()
    types: Mapping[str, str] = field(default_factory=dict)
    formats: Mapping[str, str] = field(default_factory=dict)
    dates: Mapping[str, str | None] = field(default_factory=dict)
    n_jobs: int | None = None


@dataclass(frozen=True)
class UnopenedFile:
    """A table in files that is opened later, when it is known what its columns must be.

    Parameters
    ----------
    name : str
        The name that the user passed.
    options : ReadOptions
        Options that replace what would be detected.
    """

    name: str
    options: ReadOptions


@dataclass(frozen=True)
class Opening:
    """A request to open files.

    Parameters
    ----------
    workspace : Workspace
        The DuckDB connection that opens them.
    paths : sequence of Path
        Files of one format.
    shown : sequence of str
        Names of the files, as the user passed them.
    table : str or None
        The table of a database, if one is named.
    options : ReadOptions
        Options that replace what would be detected.
    """

    workspace: Workspace
    paths: Sequence[Path]
    shown: Sequence[str]
    table: str | None
    options: ReadOptions
