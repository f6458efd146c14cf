"""Where commands read and write."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click

from modlearn.cli.options import COLUMNS, READING

__all__ = [
    "beside",
    "check_places",
    "columns_of",
    "open_if_given",
    "open_table",
    "page_of",
    "reading_of",
    "refuse_same_table",
]


def check_places(written: dict[str, Path], *inputs: str | None) -> None:
    """Refuse at once what could not be written in the end, or would take the place of an input."""
    from modlearn._model.files import refuse_lost_folder

    for path in written.values():
        if str(path) == "-":
            raise click.UsageError("A model and its report need a file: name one with --out.")
        for name in filter(None, inputs):
            _refuse_same(path, name)
        if path.is_dir():
            raise click.UsageError(f"{str(path)!r} is a folder: give the name of a file in it.")
        refuse_lost_folder(path)


def _refuse_same(path: Path, name: str) -> None:
    """Refuse to write over what is read."""
    if path.exists() and Path(name).exists() and path.samefile(name):
        raise click.UsageError(_same(name))


def _same(name: str) -> str:
    return f"{name!r} is read, so it cannot be written: name another --out."


def reading_of(options: dict[str, Any]) -> dict[str, Any]:
    """Take what is about reading out of the options."""
    return {name: options.pop(name) for name in READING}


def columns_of(options: dict[str, Any]) -> dict[str, Any]:
    """Take what is about columns out of the options."""
    return {name: options.pop(name) for name in COLUMNS}


def open_table(table: str, jobs: int | None, reading: dict[str, Any], **more: Any) -> Any:
    """Open a table."""
    from modlearn._read.files import open_source
    from modlearn._read.options import ReadOptions

    return open_source(table, ReadOptions(n_jobs=jobs, **reading, **more))


def open_if_given(table: str | None, jobs: int | None, reading: dict[str, Any]) -> Any:
    """Open a table, if there is one."""
    return nullcontext() if table is None else open_table(table, jobs, reading)


def beside(table: str, suffix: str) -> Path:
    """A file in this folder that is named after a table."""
    name = table.rpartition("::")[2] if "::" in table else Path(table).name.split(".")[0]
    kept = "".join(c if c.isalnum() or c in "-_ " else "_" for c in name).strip("-_ ")
    return Path((kept or "table") + suffix)


def page_of(model: Path) -> Path:
    """Where the report of a model file lies."""
    return model.with_name(model.name.removesuffix(".json") + ".html")


def refuse_same_table(out: str, *inputs: str) -> None:
    """Refuse to write over what is read, a file or a table of a database."""
    for name in inputs:
        if "::" in out and out == name:
            raise click.UsageError(_same(name))
        if "::" not in out:
            _refuse_same(Path(out), name)
