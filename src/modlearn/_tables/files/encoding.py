"""Compression and encoding of text files, and their conversion to UTF-8."""

from __future__ import annotations

import codecs
import gzip
import io
import shutil
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from modlearn._tables.files.workspace import Workspace
from modlearn.errors import FileError

__all__ = [
    "compression_of",
    "damaged_file",
    "decompressing",
    "encoding_by_mark",
    "open_bytes",
    "recode",
]

MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
BYTE_ORDER_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
BEFORE_QUOTES = (codecs.BOM_UTF8 + b'"', codecs.BOM_UTF8 + b"'")
"""Before a quote, DuckDB does not skip the mark: it misses the quoted name and loses all rows."""


def compression_of(path: Path) -> str | None:
    """Return the compression of a file by its first bytes, whatever its name."""
    with path.open("rb") as file:
        start = file.read(4)
    return next((name for magic, name in MAGIC.items() if start.startswith(magic)), None)


def damaged_file(shown: str) -> FileError:
    """Make the error for a compressed file that cannot be decompressed to its end."""
    return FileError(
        f"The file {shown!r} is damaged: it cannot be decompressed to its end. Copy or compress it "
        "again."
    )


@contextmanager
def decompressing(shown: str) -> Iterator[None]:
    """Raise a FileError where a file that is being decompressed turns out to be damaged."""
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise damaged_file(shown) from None


def encoding_by_mark(path: Path, shown: str) -> str | None:
    """Return the encoding given by a byte order mark; DuckDB reads most UTF-8 files with one."""
    if compression_of(path) == "zstd":
        return None
    with decompressing(shown), open_bytes(path, shown) as file:
        start = file.read(4)
    if start.startswith(BEFORE_QUOTES):
        return "utf-8-sig"
    return next((name for mark, name in BYTE_ORDER_MARKS.items() if start.startswith(mark)), None)


def open_bytes(path: Path, shown: str) -> IO[bytes]:
    """Open a file for reading its decompressed bytes."""
    compression = compression_of(path)
    if compression == "zstd":
        raise FileError(
            f"The file {shown!r} is compressed by zstd and is not valid UTF-8, or has mixed line "
            "ends: decompress it first (unzstd), or convert it to UTF-8."
        )
    return gzip.open(path, "rb") if compression == "gzip" else path.open("rb")  # type: ignore[return-value]


def recode(workspace: Workspace, path: Path, shown: str, encoding: str) -> Path:
    """Write the file in UTF-8 with one kind of line end; return the path of the copy."""
    try:
        io.TextIOWrapper(io.BytesIO(), encoding)  # refuses codecs of bytes: base64
    except LookupError:
        raise FileError(
            f"The encoding {encoding!r} is not known: name one that Python knows, such as "
            "'latin-1', 'cp1252' or 'utf-16' (on the command line: --encoding)."
        ) from None
    target = workspace.path(workspace.new_name("recoded"))
    # Five bytes are undefined in Windows-1252; as it is a guess, they must not stop the reading.
    errors = "replace" if encoding == "cp1252" else "strict"
    with (
        decompressing(shown),
        io.TextIOWrapper(open_bytes(path, shown), encoding, errors, newline=None) as source,
        target.open("w", encoding="utf-8", newline="") as file,
    ):
        try:
            shutil.copyfileobj(source, file, 1 << 20)
        except UnicodeError as error:
            raise FileError(
                f"The file {shown!r} is not valid {encoding}: {error}. Name its true encoding (on "
                "the command line: --encoding)."
            ) from None
    return target
