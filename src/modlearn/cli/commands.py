"""The commands; each reads its options, runs a job, and shows the result."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import click

from modlearn._addresses import database_of, is_address, table_of, without_password
from modlearn._model.printing import EXPORT_FORMATS
from modlearn.cli import options as opt
from modlearn.cli.screen import (
    Screen,
    check_outputs,
    end,
    end_overview,
    file_for,
    page_of,
    refuse_overwriting,
    show_rows,
    show_table,
)
from modlearn.errors import OptionError

__all__ = ["commands"]

READING = ("delimiter", "quote", "decimal", "encoding", "header", "missing")
COLUMNS = ("drop", "only", "as_categorical", "as_date", "date_format", "trend", "group", "time")

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class _Commands(click.Group):
    """Lists the commands in the order in which they are needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


@click.group(cls=_Commands, context_settings=CONTEXT)
@click.version_option(package_name="modlearn", message="%(prog)s %(version)s")
def commands() -> None:
    """Predict a column of a table, and see which other columns are informative about it.

    A table is a CSV, Parquet, JSON Lines or Arrow file, a glob pattern of such files, a table in a
    database file (shop.duckdb::orders), a sheet of a workbook (book.xlsx::Sheet2), or - for
    standard input; for fit and analyze also a table of PostgreSQL
    (postgresql://localhost/shop::orders).
    """


def _either(names: Iterable[str]) -> str:
    """Return names as a choice, in alphabetical order: a, b or c."""
    *first, last = sorted(names)
    return f"{', '.join(first)} or {last}" if first else last


def _taken(options: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """Remove options by their names and return them."""
    return {name: options.pop(name) for name in names if name in options}


def _reading(options: dict[str, Any], **more: Any) -> Any:
    """Remove the options for reading a table, except dates, and return all as one object."""
    from modlearn._tables.files.options import ReadOptions

    dates = {**dict.fromkeys(options["as_date"]), **options["date_format"]}
    return ReadOptions(dates=dates, **_taken(options, READING), **more)


VISIBLE = (
    "The password in the address can be seen in the list of processes: keep it in ~/.pgpass or in "
    "PGPASSWORD instead."
)


def _opened(table: str, reading: Any, screen: Screen) -> AbstractContextManager[Any]:
    """Open a file; an address is opened by the job, which leaves its table where it is."""
    from modlearn._tables.files.formats import open_source

    if not is_address(table):
        return open_source(table, reading)
    if without_password(table) != table:
        screen.show(None, VISIBLE, stderr=True)
    for name in READING:
        if getattr(reading, name) not in (None, ()):
            raise OptionError(f"--{name} is for reading text files, not databases: remove it.")
    return nullcontext(table)


def _refuse_address(table: str, model: str | None = None) -> None:
    """Raise if a command that reads rows is passed the address of a database."""
    database = database_of(table)
    if database is None:  # whoever opens it says what it is not
        return
    if model is None:
        raise click.UsageError(
            "Labels are spread over rows in memory, not in a database: export the table to a "
            "Parquet file."
        )
    named = ("--dialect", database.dialect, "--table", table_of(table))
    statement = ("modlearn", "sql", model, *named)
    raise click.UsageError(
        "Rows of a database are predicted inside it, by an SQL statement. To print the "
        f"statement: {shlex.join(statement)}"
    )


@commands.command(short_help="Train and evaluate a model; write it with a report.")
@click.argument("table")
@opt.target
@opt.pairs
@click.option(
    "--method",
    type=click.Choice(["weighted", "averaged", "additive"]),
    default="weighted",
    show_default=True,
    help="How to compute the weights of the variables; additive: learn a smooth curve for each.",
)
@opt.columns
@opt.trend
@opt.positive
@opt.decision("the more probable class")
@click.option(
    "--test",
    type=opt.share,
    metavar="SHARE",
    help="Evaluate on a held-out share of the rows, such as 0.3, instead of cross-validation.",
)
@click.option(
    "--test-file",
    metavar="TABLE",
    help="Evaluate on another table instead, and check it for drift.",
)
@click.option(
    "--group",
    metavar="COLUMN",
    multiple=True,
    callback=opt.only_one,
    help="Evaluate on values of this column that the model was not trained on, such as new "
    "customers.",
)
@click.option(
    "--time",
    metavar="COLUMN",
    multiple=True,
    callback=opt.only_one,
    help="Evaluate forward in time, on the last rows by this column.",
)
@click.option(
    "--test-last",
    type=opt.share,
    metavar="SHARE",
    show_default="0.3",
    help="Share of rows, the latest ones, to hold out with --time.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**32 - 1),
    metavar="N",
    default=0,
    show_default=True,
    help="Random seed for the cross-validation folds.",
)
@opt.reading
@opt.memory
@opt.jobs
@click.option(
    "-o",
    "--out",
    metavar="FILE",
    show_default="TABLE.TARGET.modlearn.json",
    help="Model file; the report is written next to it.",
)
@opt.report
@opt.for_scripts
def fit(
    table: str,
    target: str,
    jobs: int | None,
    out: str | None,
    no_report: bool,
    screen: Screen,
    **options: Any,
) -> None:
    """Train a model that predicts a column of TABLE, evaluate it, and write it with a report.

    \b
    Example: modlearn fit wine.csv --target class
    """
    from modlearn._jobs.fit import Plan, begin_fit
    from modlearn._jobs.options import find_positive
    from modlearn._jobs.source import ColumnRequest
    from modlearn._show.page import replacing_model
    from modlearn._tables.files.options import UnopenedFile

    reading = _reading(options, n_jobs=jobs)
    request = ColumnRequest(target, **_taken(options, COLUMNS))
    other = options.pop("test_file")
    path = Path(out) if out else file_for(table, target, ".modlearn.json")
    written = {"model": path} if no_report else {"model": path, "report": page_of(path)}
    check_outputs(written, table, other)
    is_file = other is not None and not is_address(other)
    test_file = UnopenedFile(other, reading) if is_file else other
    with screen.progress() as progress, _opened(table, reading, screen) as source:
        plan = Plan(
            test_file=test_file,
            n_jobs=jobs,
            progress=progress,
            predicts_unlabeled=False,
            **options,
        )
        prepared, finish = begin_fit(source, request, plan)
        classes_, facts = prepared.rows.target, prepared.facts.to_dict()
        classes = dict(zip(classes_.class_names, classes_.counts.tolist(), strict=True))
        kinds = {
            str(column.name): column.kind if column.ordered else "categorical"
            for column in prepared.rows.schema.columns
        }
        show_table(screen, facts, classes, kinds, find_positive(plan.positive, classes_))
        found = finish()
    summary = found.summary()
    with nullcontext() if no_report else replacing_model(path, written["report"]):
        found.save(path)
    end(screen, summary, written, shown=facts["notes"])


@commands.command(short_help="Describe columns, or find informative ones; write a report.")
@click.argument("table")
@opt.optional_target
@opt.pairs
@opt.columns
@opt.trend
@opt.positive
@opt.reading
@opt.memory
@opt.jobs
@click.option(
    "-o", "--out", metavar="FILE", show_default="TABLE.TARGET.analysis.html", help="Report file."
)
@opt.report
@opt.for_scripts
def analyze(
    table: str,
    target: str | None,
    jobs: int | None,
    out: str | None,
    no_report: bool,
    screen: Screen,
    **options: Any,
) -> None:
    """Find the columns of TABLE, and the pairs of columns, that are informative about a target.

    Without a target, describe the columns: types, missing and distinct values, quantiles.

    \b
    Example: modlearn analyze survey.parquet --target churn --pairs all
    """
    from modlearn import analyze as analyze_table

    page = Path(out) if out else file_for(table, target, ".analysis.html")
    written = {} if no_report else {"report": page}
    check_outputs(written, table)
    reading = _reading(options, n_jobs=jobs)
    with screen.progress() as progress, _opened(table, reading, screen) as source:
        found = analyze_table(source, target, n_jobs=jobs, progress=progress, **options)
    summary = found.summary()
    if target is None:
        end_overview(screen, summary, written)
        return
    classes = {of["name"]: of["rows"] for of in summary["classes"]}
    kinds = {variable["name"]: variable["type"] for variable in summary["variables"]}
    show_table(screen, summary["data"], classes, kinds, summary["positive"])
    end(screen, summary, written, shown=summary["data"]["notes"])


@commands.command(short_help="Predict the rows of a table with a model.")
@click.argument("model", type=click.Path(exists=True, dir_okay=False))
@click.argument("table")
@opt.out_table
@opt.keep
@opt.format
@opt.escape_formulas
@click.option(
    "--explain",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="Add the N strongest reasons for each prediction, in words.",
)
@opt.decision("that of the model")
@opt.reading
@opt.jobs
@opt.for_scripts
def predict(
    model: str,
    table: str,
    out: str,
    keep: tuple[str, ...],
    format: str | None,
    escape_formulas: bool,
    explain: int,
    cost: dict[str, float],
    threshold: float | None,
    jobs: int | None,
    screen: Screen,
    **options: Any,
) -> None:
    """Write TABLE with a predicted label and class probabilities for each row.

    If TABLE has the target, show how good the predictions are.

    \b
    Example: modlearn predict wine.class.modlearn.json new.csv -o scored.parquet
    """
    from modlearn._jobs.predict import predict_file
    from modlearn._jobs.prepare import columns_in_training
    from modlearn._jobs.result import load_model
    from modlearn._show.summary import summarize_evaluation
    from modlearn._tables.files.formats import open_source
    from modlearn._tables.files.options import kinds_and_formats

    quieter = screen.next_to_table(out)
    _refuse_address(table, model)
    refuse_overwriting([out], model, table)
    result = load_model(model)
    loaded = result.deciding(cost, threshold)
    trained = columns_in_training(loaded.schema, loaded.target)
    reading = _reading(options, n_jobs=jobs, **kinds_and_formats(trained))
    with quieter.progress() as progress, open_source(table, reading) as source:
        done = predict_file(
            loaded,
            source,
            out,
            n_jobs=jobs,
            keep=keep or None,
            n_reasons=explain,
            format=format,
            escape_formulas=escape_formulas,
            positive=result.positive,
            progress=progress,
        )
    evaluated = None
    if done.evaluation is not None:
        evaluated = summarize_evaluation(loaded, done.evaluation, result.positive)
    show_rows(screen, done, f"{done.n_rows:,} rows predicted", out, evaluated)


def _sql_options(dialect: str | None, keep: tuple[str, ...], **options: Any) -> dict[str, Any]:
    """The options of a statement, as ``to_sql`` takes them."""
    if dialect is None:
        raise click.UsageError(f"Name the dialect with --dialect: {', '.join(opt.DIALECTS)}.")
    return {"dialect": dialect, "keep": keep or None, **options}


@commands.command(short_help="Print a model as one SQL statement.")
@click.argument("model", type=click.Path(exists=True, dir_okay=False))
@opt.sql
@opt.decision("that of the model")
@opt.debug
def sql(model: str, cost: Any, threshold: float | None, **options: Any) -> None:
    """Print one SQL statement that predicts the rows of a table inside a database.

    \b
    Example: modlearn sql wine.class.modlearn.json --dialect snowflake --table wines
    """
    from modlearn._jobs.result import load_model

    decided = load_model(model).deciding(cost, threshold)
    # As bytes: a terminal that lacks a character must not change the statement.
    click.echo(decided.to_sql(**_sql_options(**options)).encode())


ENDINGS = _either(EXPORT_FORMATS)
SQL_ENDINGS = _either(ending for ending, format in EXPORT_FORMATS.items() if format.is_sql)


@commands.command(short_help="Write a model for programs that predict without Python.")
@click.argument("model", type=click.Path(exists=True, dir_okay=False))
@click.option(
    "-o",
    "--out",
    required=True,
    metavar="FILE",
    help=f"Output, whose name ends in {ENDINGS}; SQL options apply only to {SQL_ENDINGS}.",
)
@opt.sql
@opt.decision("that of the model")
@opt.for_scripts
def export(
    model: str,
    out: str,
    cost: Any,
    threshold: float | None,
    screen: Screen,
    **options: Any,
) -> None:
    """Write a MODEL file for programs that predict without Python.

    \b
    Example: modlearn export wine.class.modlearn.json -o wine.onnx
    """
    from modlearn._jobs.result import load_model

    path = Path(out)
    format = EXPORT_FORMATS.get(path.suffix.lower())
    if format is None:
        raise click.UsageError(f"{out!r} does not end in {ENDINGS}: change --out.")
    check_outputs({"export": path}, model)
    loaded = load_model(model).deciding(cost, threshold)
    format.write(loaded, path, **_sql_options(**options) if format.is_sql else {})
    screen.show(None, f"export {path}")
    screen.result({"written": {"export": str(path)}})


@commands.command(short_help="Spread a few labels over all rows of a table.")
@click.argument("table")
@opt.target
@opt.out_table
@opt.keep
@opt.format
@opt.escape_formulas
@opt.columns
@click.option(
    "--neighbors",
    "n_neighbors",
    type=click.IntRange(min=1),
    metavar="N",
    default=10,
    show_default=True,
    help="Number of neighbors of each row.",
)
@click.option(
    "--engine",
    type=click.Choice(["auto", "kdtree", "brute", "approximate"]),
    default="auto",
    show_default=True,
    help="Algorithm that finds the neighbors.",
)
@opt.reading
@opt.jobs
@opt.for_scripts
def propagate(
    table: str,
    target: str,
    out: str,
    keep: tuple[str, ...],
    jobs: int | None,
    screen: Screen,
    **options: Any,
) -> None:
    """Write TABLE with the few labels of a column spread to all rows that they reach.

    \b
    Example: modlearn propagate tickets.csv --target category -o labeled.csv
    """
    from modlearn._jobs.propagation import propagate_file
    from modlearn._jobs.source import ColumnRequest
    from modlearn._tables.files.formats import open_source

    reading = _reading(options, n_jobs=jobs)
    request = ColumnRequest(target, **_taken(options, COLUMNS))
    quieter = screen.next_to_table(out)
    _refuse_address(table)
    refuse_overwriting([out], table)
    with quieter.progress() as progress, open_source(table, reading) as source:
        done = propagate_file(
            source, request, out, keep=keep or None, n_jobs=jobs, progress=progress, **options
        )
    title = f"{done.n_rows:,} rows: {done.n_labeled:,} had a label, {done.n_decided:,} got one"
    undecided = f", {done.n_undecided:,} remain undecided" if done.n_undecided else ""
    show_rows(screen, done, title + undecided, out)


@commands.command(short_help="Write the report of a model again.")
@click.argument("model", type=click.Path(exists=True, dir_okay=False))
@click.option("-o", "--out", metavar="FILE", show_default="next to the model", help="Report file.")
@click.option("--open", "opened", is_flag=True, help="Open the report in the browser.")
@opt.for_scripts
def report(model: str, out: str | None, opened: bool, screen: Screen) -> None:
    """Write the report of a MODEL file again, without its table.

    \b
    Example: modlearn report wine.class.modlearn.json --open
    """
    from modlearn import FitResult, load
    from modlearn._show.page import write_report

    page = Path(out) if out else page_of(Path(model))
    check_outputs({"report": page}, model)
    summary = FitResult.of(load(model)).summary()
    write_report(summary, page, "command")
    screen.show(None, f"report {page}")
    screen.summary(summary, {"report": page})
    if opened:
        click.launch(page.resolve().as_uri())


@commands.command(short_help="Print a completion script for a shell.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print a script that completes commands and options in a shell.

    \b
    Example: eval "$(modlearn completion bash)"
    """
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(commands, {}, "modlearn", "_MODLEARN_COMPLETE").source())
