"""The files that commands read and write."""

from __future__ import annotations

import glob
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click

from modlearn.cli.options import COLUMNS, READING

__all__ = [
    "check_outputs",
    "columns_of",
    "file_for",
    "open_if_given",
    "open_table",
    "page_of",
    "reading_of",
    "refuse_same_table",
]


def check_outputs(written: dict[str, Path], *inputs: str | None) -> None:
    """Refuse at once what could not be written in the end, or would overwrite an input."""
    from modlearn._model.files import refuse_lost_folder

    for path in written.values():
        if str(path) == "-":
            raise click.UsageError(
                "A model and its report cannot go to standard output: name a file with --out."
            )
        for name in filter(None, inputs):
            _refuse_same(path, name)
        if path.is_dir():
            raise click.UsageError(f"{str(path)!r} is a folder: name a file in it.")
        refuse_lost_folder(path)


def _refuse_same(path: Path, name: str) -> None:
    """Refuse to overwrite an input."""
    for file in _files(name):
        if _is_same(path, file):
            raise click.UsageError(_same(str(file)))


def _files(name: str) -> list[Path]:
    """The files of a name: one file, all that match a pattern, or the database of a table."""
    from modlearn._tables.files.paths import split_database

    path, _ = split_database(name)
    if Path(path).exists() or not glob.has_magic(path):
        return [Path(path)]
    # a pattern may be absolute, which Path.glob does not accept
    return [Path(file) for file in glob.glob(path, recursive=True)]  # noqa: PTH207


def _is_same(path: Path, other: Path) -> bool:
    return path.exists() and other.exists() and path.samefile(other)


def _same(name: str) -> str:
    return f"{name!r} is an input of this command and would be overwritten: choose another --out."


def reading_of(options: dict[str, Any]) -> dict[str, Any]:
    """Remove the options for reading a table and return them."""
    return {name: options.pop(name) for name in READING}


def columns_of(options: dict[str, Any]) -> dict[str, Any]:
    """Remove the options for columns and return them."""
    return {name: options.pop(name) for name in COLUMNS}


def open_table(table: str, jobs: int | None, reading: dict[str, Any], **more: Any) -> Any:
    """Open a table."""
    from modlearn._tables.files.options import ReadOptions
    from modlearn._tables.files.paths import open_source

    return open_source(table, ReadOptions(n_jobs=jobs, **reading, **more))


def open_if_given(table: str | None, jobs: int | None, reading: dict[str, Any]) -> Any:
    """Open a table, if one is given."""
    return nullcontext() if table is None else open_table(table, jobs, reading)


def file_for(table: str, suffix: str) -> Path:
    """A file in the current folder that is named after a table."""
    name = table.rpartition("::")[2] if "::" in table else Path(table).name.split(".")[0]
    kept = "".join(c if c.isalnum() or c in "-_ " else "_" for c in name).strip("-_ ")
    return Path((kept or "table") + suffix)


def page_of(model: Path) -> Path:
    """The report that belongs to a model file."""
    return model.with_name(model.name.removesuffix(".json") + ".html")


def refuse_same_table(out: str, *inputs: str) -> None:
    """Refuse to overwrite an input, a file or a table of a database."""
    from modlearn._tables.files.paths import split_database

    path, table = split_database(out)
    for name in inputs:
        if table is None:
            _refuse_same(Path(out), name)
            continue
        other_path, other = split_database(name)
        # databases ignore case in the names of tables
        if other and other.lower() == table.lower() and _is_same(Path(path), Path(other_path)):
            raise click.UsageError(_same(name))
