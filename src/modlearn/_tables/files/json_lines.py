"""JSON: a list of objects, or one object per line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from modlearn._tables.files.options import OpenRequest
from modlearn._tables.files.relation import FileSource, copied
from modlearn._tables.files.text_types import reinterpret_texts
from modlearn._tables.files.workspace import (
    Workspace,
    compression_of,
    decompressing,
    file_literal,
    open_bytes,
)
from modlearn.errors import FileError
from modlearn.schema import Kind

__all__ = ["open_json"]


def open_json(opening: OpenRequest) -> FileSource:
    """Copy JSON objects to a table; their texts may be dates."""
    if not any(path.stat().st_size for path in opening.paths):
        raise FileError(f"The file {opening.shown[0]!r} is empty: pass a file with rows.")
    compression = compression_of(opening.paths[0]) or "uncompressed"
    files = ", ".join(map(file_literal, opening.paths))
    relation = (
        f"read_json([{files}], compression = '{compression}', sample_size = -1, "
        f"maximum_object_size = 67108864{_without_maps(opening.workspace)})"
    )
    import duckdb

    try:
        source = copied(opening.workspace, f"SELECT * FROM {relation}", opening.paths)
    except duckdb.InvalidInputException:
        _refuse_malformed_line(opening.paths, opening.shown)
        raise
    if source.names == ["json"]:
        raise FileError(
            f"The file {opening.shown[0]!r} does not hold JSON objects, or has a value whose name "
            'is empty: write one object per line, such as {"age": 31, "city": "Oslo"}.'
        )
    # JSON has numbers but no dates, so texts are reinterpreted only as dates.
    texts = {column.name: column for column in source.columns}
    reinterpret_texts(source, set(), opening)
    source.columns = [
        column if column.kind == Kind.DATETIME else texts[column.name] for column in source.columns
    ]
    dates = {column.name for column in source.columns if column.kind == Kind.DATETIME}
    source.notes = [note for note in source.notes if note.numbers["column"] in dates]
    return source


def _without_maps(workspace: Workspace) -> str:
    """Return the option that turns keys into columns even if each object has few of them."""
    option = "map_inference_threshold"
    known = workspace.execute(
        "SELECT 1 FROM duckdb_functions() WHERE function_name = 'read_json' "
        "AND list_contains(parameters, $1)",
        [option],
    )
    return f", {option} = -1" if known.fetchone() else ""


def _refuse_malformed_line(paths: Sequence[Path], shown: Sequence[str]) -> None:
    """Raise for the first line that is not valid JSON."""
    for path, name in zip(paths, shown, strict=True):
        if compression_of(path) == "zstd":
            continue
        with decompressing(name), open_bytes(path, name) as file:
            for number, line in enumerate(file, 1):
                try:
                    json.loads(line) if line.strip() else None
                except RecursionError:
                    raise FileError(
                        f"Line {number} of {name!r} holds lists or objects nested too deeply to be "
                        "read: write one flat object per line."
                    ) from None
                except ValueError as error:
                    raise FileError(
                        f"Line {number} of {name!r} is not valid JSON ({error}): write one object "
                        "per line."
                    ) from None
