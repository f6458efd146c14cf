"""Options for reading files, for what cannot be detected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from modlearn.schema import Column, Kind

if TYPE_CHECKING:
    from modlearn._tables.files.workspace import Workspace

__all__ = ["OpenRequest", "ReadOptions", "UnopenedFile", "kinds_and_formats"]


def kinds_and_formats(columns: Mapping[str, Column]) -> _ModelOptions:
    """Return the options that read columns like those of a model."""
    return {
        "types": {name: column.kind for name, column in columns.items()},
        "formats": {name: column.format for name, column in columns.items() if column.format},
    }


class _ModelOptions(TypedDict):
    """Options that follow from the columns of a model."""

    types: Mapping[str, Kind]
    formats: Mapping[str, str]


@dataclass(frozen=True)
class ReadOptions:
    """How files are read; what is None is detected."""

    # Format of the files: "csv", "tsv", "parquet", "json", "arrow", "duckdb", "sqlite", "excel".
    format: str | None = None
    # Delimiter and quote character of delimited text; with an empty quote, quote characters have
    # no special meaning.
    delimiter: str | None = None
    quote: str | None = None
    header: bool | None = None  # whether the first line names the columns
    # Encoding of delimited text, by its name in Python; by default UTF-8, then Windows-1252.
    encoding: str | None = None
    # Decimal separator, "." or ","; with ".", texts such as "1,5" stay text, and "1,234" is read
    # as 1234 if the column is numeric according to `types`.
    decimal: str | None = None
    # Texts that mean a missing value in all columns, in addition to the empty text.
    missing: Sequence[str] = ()
    # Kinds that columns are read as, such as those of the training data of a model.
    types: Mapping[str, str] = field(default_factory=dict)
    # How the dates or numbers of these columns are written (see ``_tables/spelling.py``), such as
    # those of the training data of a model; by default, detected.
    formats: Mapping[str, str] = field(default_factory=dict)
    # Columns that are read as dates, in a format; None = the format that most cells have.
    dates: Mapping[str, str | None] = field(default_factory=dict)
    n_jobs: int | None = None  # number of threads of DuckDB; None = all cores


@dataclass(frozen=True)
class UnopenedFile:
    """A table in files that is opened later, when it is known what its columns must be."""

    name: str  # the name that the user passed
    options: ReadOptions  # options that replace what would be detected


@dataclass(frozen=True)
class OpenRequest:
    """A request to open files."""

    workspace: Workspace  # the DuckDB connection that opens them
    paths: Sequence[Path]  # files of one format
    shown: Sequence[str]  # names of the files, as the user passed them
    table: str | None  # the table of a database, if one is named
    options: ReadOptions  # options that replace what would be detected
