"""What a user may say of a file that it does not say itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

__all__ = ["ReadOptions"]


@dataclass(frozen=True)
class ReadOptions:
    """How files are read; what is None is found out.

    Parameters
    ----------
    format : {"csv", "tsv", "parquet", "json", "arrow", "duckdb", "sqlite"}, default=None
        Kind of file.
    delimiter, quote : str, default=None
        Of delimited text; an empty quote means that quotes are letters like others.
    header : bool, default=None
        Whether the first line names the columns.
    encoding : str, default=None
        Of delimited text, one of Python's; UTF-8 is tried first, then Windows-1252.
    decimal : {".", ","}, default=None
        What separates decimals; "." leaves texts such as "1,5" alone, and reads "1,234" as
        1234 where `types` says that it is a number.
    missing : sequence of str
        Texts that mean a missing value, in all columns, beside the empty one.
    types : mapping of column name to type
        As of ``FileSource.wanted``: what columns were when a model was fitted.
    n_jobs : int, default=None
        Threads of DuckDB; None = all.
    """

    format: str | None = None
    delimiter: str | None = None
    quote: str | None = None
    header: bool | None = None
    encoding: str | None = None
    decimal: str | None = None
    missing: Sequence[str] = ()
    types: Mapping[str, str] = field(default_factory=dict)
    n_jobs: int | None = None
