"""Bytes of text: how they are packed and encoded, and the same text in UTF-8."""

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

__all__ = ["compression_of", "damaged", "encoding_by_mark", "opened", "recoded", "unpacking"]

MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
BYTE_ORDER_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
BEFORE_QUOTES = (codecs.BOM_UTF8 + b'"', codecs.BOM_UTF8 + b"'")
"""Where DuckDB would not see that a name in the first line is in quotes, and lose all rows."""


def compression_of(path: Path) -> str | None:
    """Compression of a file by its first bytes, whatever it is called."""
    with path.open("rb") as file:
        start = file.read(4)
    return next((name for magic, name in MAGIC.items() if start.startswith(magic)), None)


def damaged(shown: str) -> FileError:
    """What is said of a packed file that cannot be unpacked to its end."""
    return FileError(
        f"The file {shown!r} is damaged, it cannot be unpacked to its end: copy or pack it again."
    )


@contextmanager
def unpacking(shown: str) -> Iterator[None]:
    """Say in one sentence that a file which is unpacked meanwhile is damaged."""
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise damaged(shown) from None


def encoding_by_mark(path: Path, shown: str) -> str | None:
    """Encoding that a byte order mark tells; UTF-8 with one is mostly read by DuckDB."""
    if compression_of(path) == "zstd":
        return None
    with unpacking(shown), opened(path, shown) as file:
        start = file.read(4)
    if start.startswith(BEFORE_QUOTES):
        return "utf-8-sig"
    return next((name for mark, name in BYTE_ORDER_MARKS.items() if start.startswith(mark)), None)


def opened(path: Path, shown: str) -> IO[bytes]:
    """The bytes of a file, unpacked."""
    compression = compression_of(path)
    if compression == "zstd":
        raise FileError(
            f"The file {shown!r} is no UTF-8, or of mixed line ends, and packed by zstd: unpack it "
            "first (unzstd), or convert it to UTF-8."
        )
    return gzip.open(path, "rb") if compression == "gzip" else path.open("rb")  # type: ignore[return-value]


def recoded(workspace: Workspace, path: Path, shown: str, encoding: str) -> Path:
    """The file in UTF-8 with one kind of line end, a block at a time."""
    try:
        io.TextIOWrapper(io.BytesIO(), encoding)  # refuses what is known but no text: base64
    except LookupError:
        raise FileError(
            f"The encoding {encoding!r} is not known: give one of Python's, such as 'latin-1', "
            "'cp1252' or 'utf-16'."
        ) from None
    target = workspace.path(workspace.new_name("recoded"))
    # Five bytes mean nothing in Windows-1252: where it is a guess they must not stop it.
    errors = "replace" if encoding == "cp1252" else "strict"
    with (
        unpacking(shown),
        io.TextIOWrapper(opened(path, shown), encoding, errors, newline=None) as source,
        target.open("w", encoding="utf-8", newline="") as file,
    ):
        try:
            shutil.copyfileobj(source, file, 1 << 20)
        except UnicodeError as error:
            raise FileError(f"The file {shown!r} is no {encoding}: {error}.") from None
    return target
