"""Tables as files, in every format that is read."""

import io
import random
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
from pyarrow import feather, ipc, parquet
from tests.workbooks import write_parts, write_workbook

__all__ = ["WRITERS", "ZIPPED", "as_file", "damage_part"]

ZIPPED = (".xlsx", ".ods")
"""Formats whose parts are compressed: damage to the archive would hide damage to the parts."""


def as_file(frame: pd.DataFrame, rng: random.Random, folder: Path, stem: str = "table") -> Path:
    """Write a table in a random format; CSV if the format cannot hold it."""
    suffix = rng.choice(list(WRITERS))
    path = folder / f"{stem}{suffix}"
    try:
        WRITERS[suffix](frame, path)
    except Exception:
        path.unlink(missing_ok=True)
        path = folder / f"{stem}.csv"
        frame.to_csv(path, index=False, errors="replace")
    return path


def _arrow(frame: pd.DataFrame) -> Any:
    return pa.Table.from_pandas(frame, preserve_index=False)


def _stream(frame: pd.DataFrame, path: Path) -> None:
    table = _arrow(frame)
    with ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=20)


def _zstd(frame: pd.DataFrame, path: Path) -> None:
    path.write_bytes(pa.compress(frame.to_csv(index=False).encode(), "zstd", asbytes=True))


def _duckdb(frame: pd.DataFrame, path: Path) -> None:
    with duckdb.connect(str(path)) as database:
        database.execute("CREATE TABLE t AS FROM frame")


def _sqlite(frame: pd.DataFrame, path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        frame.to_sql("t", database, index=False)
        database.execute("ALTER TABLE t ADD COLUMN made GENERATED ALWAYS AS (1) VIRTUAL")
        database.commit()


def _rows(frame: pd.DataFrame) -> list[list[Any]]:
    """The names and the cells; what a sheet has no type for is text."""
    cells = frame.astype(object).where(frame.notna(), None).to_numpy().tolist()
    return [list(map(str, frame.columns)), *([_cell(c) for c in row] for row in cells)]


def _cell(value: Any) -> Any:
    return value if value is None or isinstance(value, bool | int | float) else str(value)


URN = "urn:oasis:names:tc:opendocument:xmlns"
SPREADSHEET = "application/vnd.oasis.opendocument.spreadsheet"


def _ods(frame: pd.DataFrame, path: Path) -> None:
    kinds = ("office", "table", "text")
    spaces = " ".join(f'xmlns:{kind}="{URN}:{kind}:1.0"' for kind in kinds)
    rows = "".join(
        f"<table:table-row>{''.join(map(_ods_cell, row))}</table:table-row>" for row in _rows(frame)
    )
    content = (
        f"<office:document-content {spaces}><office:body><office:spreadsheet>"
        f'<table:table table:name="S">{rows}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    entry = f'<m:file-entry m:full-path="/" m:media-type="{SPREADSHEET}"/>'
    manifest = f'<m:manifest xmlns:m="{URN}:manifest:1.0">{entry}</m:manifest>'
    parts = {"mimetype": SPREADSHEET, "META-INF/manifest.xml": manifest, "content.xml": content}
    write_parts(path, parts)


def _ods_cell(cell: Any) -> str:
    kind = "string"
    if isinstance(cell, int | float) and not isinstance(cell, bool):
        kind = f'float" office:value="{cell}'
    text = "" if cell is None else escape(str(cell))
    return (
        f'<table:table-cell office:value-type="{kind}"><text:p>{text}</text:p></table:table-cell>'
    )


WRITERS: dict[str, Callable[[pd.DataFrame, Path], None]] = {
    ".csv": lambda frame, path: frame.to_csv(path, index=False),
    ".txt": lambda frame, path: frame.to_csv(path, index=False, sep=";", encoding="utf-16"),
    ".tsv": lambda frame, path: frame.to_csv(path, index=False, sep="\t"),
    ".csv.gz": lambda frame, path: frame.to_csv(path, index=False),
    ".csv.zst": _zstd,
    ".parquet": lambda frame, path: parquet.write_table(_arrow(frame), path),
    ".pq": lambda frame, path: pl.from_pandas(frame).write_parquet(path),
    ".arrow": lambda frame, path: feather.write_feather(_arrow(frame), path, "uncompressed"),
    ".feather": lambda frame, path: feather.write_feather(_arrow(frame), path, "zstd"),
    ".arrows": _stream,
    ".jsonl": lambda frame, path: frame.to_json(path, orient="records", lines=True),
    ".json": lambda frame, path: frame.to_json(path, orient="records"),
    ".duckdb": _duckdb,
    ".sqlite": _sqlite,
    ".xlsx": lambda frame, path: write_workbook(path, {"Sheet1": _rows(frame)}),
    ".ods": _ods,
}


def damage_part(content: bytes, damage: Callable[[bytes], bytes], rng: random.Random) -> bytes:
    """Return an archive with one damaged part."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    name = rng.choice(list(parts))
    parts[name] = damage(parts[name])
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return packed.getvalue()
