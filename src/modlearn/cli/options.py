"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from modlearn.cli.screen import Screen

__all__ = [
    "columns",
    "debug",
    "decision",
    "for_scripts",
    "format",
    "jobs",
    "keep",
    "memory",
    "only_one",
    "optional_target",
    "out_table",
    "pairs",
    "positive",
    "reading",
    "report",
    "share",
    "sql",
    "target",
]

Command = Callable[..., Any]


def _all_of(*options: Command) -> Callable[[Command], Command]:
    """Several options as one decorator, in the order in which they are listed."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


debug = click.option(
    "--debug", is_flag=True, expose_value=False, help="Show the traceback of an error."
)
_output_options = _all_of(
    click.option(
        "--json",
        "as_json",
        is_flag=True,
        is_eager=True,
        help="Print one JSON object and nothing else.",
    ),
    click.option("-q", "--quiet", is_flag=True, is_eager=True, help="Print errors only."),
    debug,
)


def for_scripts(command: Command) -> Command:
    """Add the options for scripts; the command is passed the screen that they ask for."""

    @wraps(command)
    def with_screen(as_json: bool, quiet: bool, **options: Any) -> Any:
        return command(screen=Screen(as_json, quiet), **options)

    return _output_options(with_screen)


share = click.FloatRange(0, 1, min_open=True, max_open=True)


def only_one(
    context: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> str | None:
    """Refuse an option that is passed twice: the first value would be ignored."""
    if len(values) > 1:
        raise click.BadParameter(f"pass one column, not {' and '.join(map(repr, values))}.")
    return values[0] if values else None


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


def _known_memory(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> str | None:
    """How much memory to use, as Python takes it too."""
    from modlearn._jobs.options import read_memory

    read_memory(value)
    return value


memory = click.option(
    "--memory",
    metavar="SIZE",
    callback=_known_memory,
    show_default="half of what is installed",
    help="Memory to use, such as 2GB. A table that needs more stays where it is and is counted "
    "there.",
)


def _character(value: str) -> str:
    """One character; a tab can be typed as \\t."""
    if value == r"\t":
        return "\t"
    if len(value) == 1:
        return value
    raise click.BadParameter(f"{value!r} is not one character: pass one, or \\t for a tab.")


def _known_pairs(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> str | None:
    """Which pairs to search, as Python takes it too."""
    from modlearn._jobs.options import read_pairs

    read_pairs(value)
    return value


def _formats_by_column(
    context: click.Context, parameter: click.Parameter, value: tuple[str, ...]
) -> dict[str, str]:
    """The formats of columns; names may contain an equals sign, but formats rarely do."""
    pairs = [text.rpartition("=") for text in value]
    for text, (column, _, format) in zip(value, pairs, strict=True):
        if not column or not format:
            raise click.BadParameter(
                f"{text!r} is not a column and its format: pass both, as in when=%d/%m/%Y."
            )
    return {column: format for column, _, format in pairs}


def _costs_of_errors(
    context: click.Context, parameter: click.Parameter, value: tuple[str, ...]
) -> dict[str, float]:
    """The costs of errors, by the true and the predicted class; their names are checked later."""
    pairs = [text.rpartition("=") for text in value]
    for text, (error, _, cost) in zip(value, pairs, strict=True):
        if ":" not in error or not _is_number(cost):
            raise click.BadParameter(
                f"{text!r} is not the cost of an error: pass the true class, the predicted class "
                "and the cost, such as yes:no=10."
            )
    return {error: float(cost) for error, _, cost in pairs}


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


reading = _all_of(
    click.option(
        "--delimiter",
        metavar="CHAR",
        type=_character,
        show_default="detected",
        help="Delimiter of text files.",
    ),
    click.option(
        "--quote",
        metavar="CHAR",
        type=lambda value: value and _character(value),
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
target = click.option(
    "-t", "--target", required=True, metavar="COLUMN", help="Column to predict or to explain."
)
optional_target = click.option(
    "-t", "--target", metavar="COLUMN", help="Column to explain; without one, describe the columns."
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
trend = click.option(
    "--trend",
    multiple=True,
    metavar="COLUMN",
    help="Use this date itself, in addition to its hour, weekday, month and day of the year; "
    "repeatable.",
)
pairs = click.option(
    "--pairs",
    callback=_known_pairs,
    show_default="none",
    metavar="none|all|N|60s",
    help="Search pairs of columns: all, the N most promising, or as many as a time limit allows.",
)
positive = click.option(
    "--positive",
    metavar="CLASS",
    show_default="the rarer one",
    help="Class of interest, if there are two classes.",
)


def decision(default: str) -> Callable[..., Any]:
    """Costs of errors and a threshold; without them, there is the default in words."""
    return _all_of(
        click.option(
            "--cost",
            multiple=True,
            metavar="TRUE:PREDICTED=COST",
            callback=_costs_of_errors,
            help="Cost of an error, such as yes:no=10 if a missed yes costs 10; others cost 1; "
            "repeatable.",
        ),
        click.option(
            "--threshold",
            type=share,
            metavar="PROBABILITY",
            show_default=default,
            help="Predict the class of interest if its probability is at least this.",
        ),
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
escape_formulas = click.option(
    "--escape-formulas",
    is_flag=True,
    help="In a CSV file for a spreadsheet, put an apostrophe before texts that begin with =, +, - "
    "or @.",
)
DIALECTS = (
    *("bigquery", "duckdb", "mysql", "oracle", "postgres", "snowflake", "spark", "sqlite", "tsql"),
)
sql = _all_of(
    click.option("--dialect", type=click.Choice(DIALECTS), help="Dialect of SQL."),
    click.option(
        "--table",
        metavar="NAME",
        show_default="table_to_score",
        help="Table to predict, such as shop.orders, or \"{{ ref('orders') }}\" for dbt.",
    ),
    click.option(
        "--keep",
        multiple=True,
        metavar="COLUMN",
        show_default="those that the model uses",
        help="Select this column of the table; repeatable.",
    ),
    click.option(
        "--explain",
        "reasons",
        type=click.IntRange(min=0),
        default=0,
        metavar="N",
        help="Add the N strongest reasons for each prediction, in words.",
    ),
)
