"""Options that several commands have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

__all__ = [
    "COLUMNS",
    "READING",
    "columns",
    "for_scripts",
    "format",
    "jobs",
    "keep",
    "out_table",
    "pairs",
    "positive",
    "reading",
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
    click.option("--json", "as_json", is_flag=True, help="Print one JSON object, nothing else."),
    click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors."),
    click.option("--debug", is_flag=True, help="Show where an error comes from."),
)
jobs = click.option(
    "--jobs", type=click.IntRange(min=1), metavar="N", help="Threads; all cores by default."
)


def _one_character(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> str | None:
    """A character, of which a tab may be typed as \\t; no quote is a choice too."""
    value = "\t" if value == r"\t" else value
    if value is None or len(value) == 1 or (value == "" and parameter.name == "quote"):
        return value
    raise click.BadParameter(f"{value!r} is not one character.")


def _known_pairs(context: click.Context, parameter: click.Parameter, value: str) -> str:
    from modlearn._jobs.options import read_pairs

    try:
        read_pairs(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None
    return value


reading = _all_of(
    click.option(
        "--delimiter",
        metavar="CHAR",
        callback=_one_character,
        help="Of delimited text; found out by default.",
    ),
    click.option(
        "--quote",
        metavar="CHAR",
        callback=_one_character,
        help="The same; empty if quotes mean nothing.",
    ),
    click.option("--decimal", type=click.Choice([".", ","]), help="What separates decimals."),
    click.option("--encoding", metavar="NAME", help="Of delimited text, such as latin-1."),
    click.option(
        "--header/--no-header", default=None, help="Whether the first line names the columns."
    ),
    click.option(
        "--missing", multiple=True, metavar="TEXT", help="Means a missing value; repeatable."
    ),
)
READING = ("delimiter", "quote", "decimal", "encoding", "header", "missing")
target = click.option("-t", "--target", required=True, help="Column to predict.")
columns = _all_of(
    click.option("--drop", multiple=True, metavar="COLUMN", help="Column not to use; repeatable."),
    click.option(
        "--only", multiple=True, metavar="COLUMN", help="Use this column alone; repeatable."
    ),
    click.option(
        "--as-categorical",
        multiple=True,
        metavar="COLUMN",
        help="Its numbers are names of categories; repeatable.",
    ),
)
COLUMNS = ("drop", "only", "as_categorical")
pairs = click.option(
    "--pairs",
    default="none",
    show_default=True,
    metavar="none|all|N|60s",
    callback=_known_pairs,
    help="Pairs of columns: all, the N most promising, or as many as fit into a time.",
)
positive = click.option("--positive", metavar="CLASS", help="Of two classes, the one of interest.")
report = click.option("--no-report", is_flag=True, help="Write no HTML page.")


out_table = click.option(
    "-o",
    "--out",
    default="-",
    metavar="TABLE",
    help="Where to write: a file, shop.duckdb::scored, or - for standard output (default).",
)
keep = click.option(
    "--keep", multiple=True, metavar="COLUMN", help="Write this column alone of TABLE; repeatable."
)
format = click.option(
    "--format",
    type=click.Choice(["csv", "tsv", "parquet", "json", "arrow"]),
    help="Of what is written, if its name does not tell.",
)
