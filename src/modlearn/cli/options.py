"""Options that several commands share."""

from __future__ import annotations

import glob
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click

__all__ = [
    "COLUMNS",
    "READING",
    "check_outputs",
    "columns",
    "columns_of",
    "file_for",
    "for_scripts",
    "format",
    "jobs",
    "keep",
    "open_if_given",
    "open_table",
    "out_table",
    "page_of",
    "pairs",
    "positive",
    "reading",
    "reading_of",
    "refuse_same_table",
    "report",
    "target",
]


def _all_of(*options: Callable[..., Any]) -> Callable[..., Any]:
    """Several options as one decorator, in the order in which they are listed."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


for_scripts = _all_of(
    click.option(
        "--json",
        "as_json",
        is_flag=True,
        is_eager=True,
        help="Print one JSON object and nothing else.",
    ),
    click.option("-q", "--quiet", is_flag=True, is_eager=True, help="Print errors only."),
    click.option("--debug", is_flag=True, help="Show the traceback of an error."),
)


def _at_most_cores(
    context: click.Context, parameter: click.Parameter, value: int | None
) -> int | None:
    """Report it if there are fewer cores than threads requested."""
    if value is None or value == 1:
        return value
    from modlearn._parallel import n_threads_of

    used = n_threads_of(value)
    if used < value and not (context.params["quiet"] or context.params["as_json"]):
        click.echo(f"--jobs is {value}: one thread per core is used, {used} in all.", err=True)
    return used


jobs = click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    callback=_at_most_cores,
    show_default="all cores",
    help="Number of threads, at most one per core.",
)


def _one_character(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> str | None:
    """One character; a tab can be typed as \\t, and an empty quote means none."""
    value = "\t" if value == r"\t" else value
    if value is None or len(value) == 1 or (value == "" and parameter.name == "quote"):
        return value
    raise click.BadParameter(f"{value!r} is not one character: pass one, or \\t for a tab.")


def _known_pairs(context: click.Context, parameter: click.Parameter, value: str) -> str:
    from modlearn._jobs.options import read_pairs

    try:
        read_pairs(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None
    return value


def _formats_by_column(
    context: click.Context, parameter: click.Parameter, value: tuple[str, ...]
) -> dict[str, str]:
    """The formats of columns; names may contain an equals sign, but formats hardly do."""
    pairs = [text.rpartition("=") for text in value]
    for text, (column, _, format) in zip(value, pairs, strict=True):
        if not column or not format:
            raise click.BadParameter(
                f"{text!r} is not a column and its format: pass them such as when=%d/%m/%Y."
            )
    return {column: format for column, _, format in pairs}


reading = _all_of(
    click.option(
        "--delimiter",
        metavar="CHAR",
        callback=_one_character,
        show_default="detected",
        help="Delimiter of text files.",
    ),
    click.option(
        "--quote",
        metavar="CHAR",
        callback=_one_character,
        show_default="detected",
        help="Quote character of text files; empty for none.",
    ),
    click.option(
        "--decimal",
        type=click.Choice([".", ","]),
        show_default="detected",
        help="Decimal separator of numbers.",
    ),
    click.option(
        "--encoding",
        metavar="NAME",
        show_default="detected",
        help="Encoding of text files, such as latin-1.",
    ),
    click.option(
        "--header/--no-header",
        default=None,
        show_default="detected",
        help="Whether the first line holds the column names.",
    ),
    click.option(
        "--missing",
        multiple=True,
        metavar="TEXT",
        help="Text that stands for a missing value; repeatable.",
    ),
    click.option(
        "--as-date", multiple=True, metavar="COLUMN", help="Read this column as dates; repeatable."
    ),
    click.option(
        "--date-format",
        multiple=True,
        metavar="COLUMN=FORMAT",
        callback=_formats_by_column,
        help="Read this column as dates in a format such as %d/%m/%Y; repeatable.",
    ),
)
READING = ("delimiter", "quote", "decimal", "encoding", "header", "missing")
target = click.option(
    "-t", "--target", required=True, metavar="COLUMN", help="Column to predict or to explain."
)
columns = _all_of(
    click.option(
        "--drop", multiple=True, metavar="COLUMN", help="Leave this column out; repeatable."
    ),
    click.option(
        "--only", multiple=True, metavar="COLUMN", help="Use only this column; repeatable."
    ),
    click.option(
        "--as-categorical",
        multiple=True,
        metavar="COLUMN",
        help="Treat the numbers of this column as categories; repeatable.",
    ),
)
COLUMNS = ("drop", "only", "as_categorical")
pairs = click.option(
    "--pairs",
    default="none",
    show_default=True,
    metavar="none|all|N|60s",
    callback=_known_pairs,
    help="Search pairs of columns: all, the N most promising, or as many as a time limit allows.",
)
positive = click.option(
    "--positive",
    metavar="CLASS",
    show_default="the second",
    help="Class of interest, if there are two classes.",
)
report = click.option("--no-report", is_flag=True, help="Do not write the HTML report.")


out_table = click.option(
    "-o",
    "--out",
    default="-",
    metavar="TABLE",
    help="Output: a file, a table such as shop.duckdb::scored, or - for standard output.",
    show_default=True,
)
keep = click.option(
    "--keep", multiple=True, metavar="COLUMN", help="Write only this column of TABLE; repeatable."
)
format = click.option(
    "--format",
    type=click.Choice(["csv", "tsv", "parquet", "json", "arrow"]),
    show_default="by the file name",
    help="Format of the output.",
)


def check_outputs(written: dict[str, Path], *inputs: str | None) -> None:
    """Refuse in advance an output that could not be written or would overwrite an input."""
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
    """Return the files of a name: one file, all that match a pattern, or the database file."""
    from modlearn._tables.files.formats import split_database

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
    dates = {**dict.fromkeys(options.pop("as_date")), **options.pop("date_format")}
    return {"dates": dates, **{name: options.pop(name) for name in READING}}


def columns_of(options: dict[str, Any]) -> dict[str, Any]:
    """Remove the options for columns and return them."""
    return {name: options.pop(name) for name in COLUMNS}


def open_table(table: str, jobs: int | None, reading: dict[str, Any], **more: Any) -> Any:
    """Open a table."""
    from modlearn._tables.files.formats import open_source
    from modlearn._tables.files.options import ReadOptions

    return open_source(table, ReadOptions(n_jobs=jobs, **reading, **more))


def open_if_given(table: str | None, jobs: int | None, reading: dict[str, Any]) -> Any:
    """Open a table, if one is passed."""
    return nullcontext() if table is None else open_table(table, jobs, reading)


def file_for(table: str, suffix: str) -> Path:
    """Return a file in the current folder that is named after a table."""
    name = table.rpartition("::")[2] if "::" in table else Path(table).name.split(".")[0]
    kept = "".join(c if c.isalnum() or c in "-_ " else "_" for c in name).strip("-_ ")
    return Path((kept or "table") + suffix)


def page_of(model: Path) -> Path:
    """Return the report file that belongs to a model file."""
    return model.with_name(model.name.removesuffix(".json") + ".html")


def refuse_same_table(out: str, *inputs: str) -> None:
    """Refuse to overwrite an input, a file or a table of a database."""
    from modlearn._tables.files.formats import split_database

    path, table = split_database(out)
    for name in inputs:
        if table is None:
            _refuse_same(Path(out), name)
            continue
        other_path, other = split_database(name)
        # databases ignore case in the names of tables
        if other and other.lower() == table.lower() and _is_same(Path(path), Path(other_path)):
            raise click.UsageError(_same(name))
