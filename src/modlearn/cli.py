"""The command `modlearn`: what it is called with, what it prints, and how it ends.

Exit codes: 0 done, 1 the data or the model was not usable, 2 wrong usage, 130 interrupted.
"""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import click

__all__ = ["main"]

UNUSABLE, WRONG_USAGE, INTERRUPTED = 1, 2, 130

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run a command; an error is one sentence on standard error, and an exit code."""
    debug = "--debug" in (sys.argv[1:] if arguments is None else arguments)
    try:
        code = commands.main(arguments, prog_name="modlearn", standalone_mode=False)
    except click.exceptions.Exit as end:
        code = end.exit_code
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("Interrupted.", err=True)
        code = INTERRUPTED
    except SystemExit:
        code = 0  # click saw that nobody reads on: `modlearn ... | head` is no error
    except Exception as error:
        code = _tell(error, debug)
    sys.exit(code if isinstance(code, int) else 0)


def _tell(error: Exception, debug: bool) -> int:
    """What went wrong in a sentence; anything but an error of the data comes with its kind."""
    if debug:
        traceback.print_exception(error)
    expected = isinstance(error, ValueError | OSError | ImportError | MemoryError)
    sentence = " ".join(str(error).split()) or type(error).__name__
    if not expected:
        hint = "" if debug else " Run again with --debug for the details."
        sentence = f"{type(error).__name__}: {sentence}{hint}"
    click.echo(f"Error: {sentence}", err=True)
    return UNUSABLE


class _Commands(click.Group):
    """Commands in the order in which they are needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


@click.group(cls=_Commands, context_settings=CONTEXT)
@click.version_option(package_name="modlearn", message="%(prog)s %(version)s")
def commands() -> None:
    """Predict a column of a table, and see which of the others tell about it.

    A table is a CSV, Parquet, JSON lines or Arrow file, a glob of such files, a table of a database
    file (shop.duckdb::orders), or - for standard input.
    """


class _Screen:
    """What a command prints: tables for a person, or one JSON object for a script, or nothing."""

    def __init__(self, as_json: bool, quiet: bool) -> None:
        self.as_json, self.quiet = as_json, quiet

    def show(self, title: str | None, *content: Any) -> None:
        """Print tables and lines, under a heading."""
        if self.as_json or self.quiet:
            return
        from rich.console import Console

        console = Console(highlight=False, soft_wrap=False)
        if title:
            console.print(f"\n[bold]{title}[/bold]")
        for item in content:
            console.print(item, markup=False)

    def result(self, found: dict[str, Any]) -> None:
        """Print the result for a script."""
        if self.as_json:
            click.echo(json.dumps(found, ensure_ascii=False, allow_nan=False))

    @contextmanager
    def progress(self) -> Iterator[Callable[[str, int, int], None]]:
        """A bar on standard error while work goes on, if a person looks at it."""
        if self.quiet or self.as_json or not sys.stderr.isatty():
            yield lambda stage, done, total: None
            return
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
        from rich.progress import TimeRemainingColumn as TimeLeft

        columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeLeft()
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("")
            yield lambda stage, done, total: bar.update(
                task, description=stage, completed=done, total=total
            )


def _all_of(*options: Callable[..., Any]) -> Callable[..., Any]:
    """Several options as one decorator, in the order in which they are listed."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


_for_scripts = _all_of(
    click.option("--json", "as_json", is_flag=True, help="Print one JSON object, nothing else."),
    click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors."),
    click.option("--debug", is_flag=True, help="Show where an error comes from."),
)
_jobs = click.option(
    "--jobs", type=click.IntRange(min=1), metavar="N", help="Threads; all cores by default."
)
_reading = _all_of(
    click.option("--delimiter", metavar="CHAR", help="Of delimited text; found out by default."),
    click.option("--quote", metavar="CHAR", help="The same; empty if quotes mean nothing."),
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
_target = click.option("-t", "--target", required=True, help="Column to predict.")
_columns = _all_of(
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
_pairs = click.option(
    "--pairs",
    default="none",
    show_default=True,
    metavar="none|all|N|60s",
    help="Pairs of columns: all, the N most promising, or as many as fit into a time.",
)
_positive = click.option("--positive", metavar="CLASS", help="Of two classes, the one of interest.")
_report_option = click.option("--no-report", is_flag=True, help="Write no HTML page.")


@commands.command()
@click.argument("table")
@_target
@_pairs
@click.option(
    "--method",
    type=click.Choice(["weighted", "averaged"]),
    default="weighted",
    show_default=True,
    help="How the weights of the variables are found.",
)
@_columns
@_positive
@click.option(
    "--test",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    metavar="SHARE",
    help="Evaluate on a held-out share of the rows, such as 0.3, not by cross-validation.",
)
@click.option("--test-file", metavar="TABLE", help="Evaluate on another table.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the folds.")
@_reading
@_jobs
@click.option(
    "-o",
    "--out",
    metavar="FILE",
    help="Model file; by default the table's name with .modlearn.json. The report lies beside it.",
)
@_report_option
@_for_scripts
def fit(
    table: str,
    target: str,
    jobs: int | None,
    out: str | None,
    no_report: bool,
    as_json: bool,
    quiet: bool,
    debug: bool,
    **options: Any,
) -> None:
    """Learn to predict a column of TABLE; evaluate, and write the model and a report.

    modlearn fit wine.csv --target class
    """
    from modlearn import fit as fit_table

    screen = _Screen(as_json, quiet)
    path = Path(out) if out else _beside(table, ".modlearn.json")
    with screen.progress() as progress, _open(table, jobs, options) as source:
        found = fit_table(source, target, n_jobs=jobs, progress=progress, **options)
    found.save(path)
    written = {"model": str(path)}
    if not no_report:
        written["report"] = str(_page_of(path))
        found.report(written["report"])
    summary = found.summary()
    _show_findings(screen, summary)
    screen.show(None, "", *(f"{what:7} {where}" for what, where in written.items()))
    screen.result({**summary, "written": written})


@commands.command()
@click.argument("table")
@_target
@_pairs
@_columns
@_positive
@_reading
@_jobs
@click.option("-o", "--out", metavar="FILE", help="Report; by default the table's name with .html.")
@_report_option
@_for_scripts
def analyze(
    table: str,
    target: str,
    jobs: int | None,
    out: str | None,
    no_report: bool,
    as_json: bool,
    quiet: bool,
    debug: bool,
    **options: Any,
) -> None:
    """Tell which columns of TABLE, and which pairs of them, tell about one of them.

    modlearn analyze survey.parquet --target churn --pairs all
    """
    from modlearn import analyze as analyze_table

    screen = _Screen(as_json, quiet)
    with screen.progress() as progress, _open(table, jobs, options) as source:
        found = analyze_table(source, target, n_jobs=jobs, progress=progress, **options)
    written = {}
    if not no_report:
        written["report"] = out or str(_beside(table, ".modlearn.html"))
        found.report(written["report"])
    summary = found.summary()
    _show_findings(screen, summary)
    screen.show(None, "", *(f"{what:7} {where}" for what, where in written.items()))
    screen.result({**summary, "written": written})


def _show_findings(screen: _Screen, summary: dict[str, Any]) -> None:
    """The summary as tables."""
    if screen.as_json or screen.quiet:
        return
    from modlearn._report import terminal

    screen.show(summary["data"]["source"] or "table", terminal.data_table(summary))
    if summary["evaluation"] is not None:
        screen.show(
            terminal.evaluation_title(summary["evaluation"]),
            terminal.evaluation_table(summary["evaluation"]),
        )
    screen.show("Variables", terminal.variable_table(summary["variables"]))
    if summary["pairs_searched"]:
        screen.show("Pairs", terminal.pair_table(summary["pairs"]))
    if summary["warnings"]:
        screen.show("Warnings", terminal.warning_list(summary["warnings"]))


def _open(table: str, jobs: int | None, options: dict[str, Any], **more: Any) -> Any:
    """Open a table; takes what is about reading out of the options."""
    from modlearn._read.files import open_source
    from modlearn._read.options import ReadOptions

    said = {name: options.pop(name) for name in READING}
    return open_source(table, ReadOptions(n_jobs=jobs, **said, **more))


def _beside(table: str, suffix: str) -> Path:
    """A file in this folder that is named after a table."""
    name = table.rpartition("::")[2] if "::" in table else Path(table).name
    stem = name.split(".")[0] if "::" not in table else name
    kept = "".join(c if c.isalnum() or c in "-_ " else "_" for c in stem).strip("_ ")
    return Path((kept or "table") + suffix)


def _page_of(model: Path) -> Path:
    """Where the report of a model file lies."""
    return model.with_name(model.name.removesuffix(".json") + ".html")


_out_table = click.option(
    "-o",
    "--out",
    default="-",
    metavar="TABLE",
    help="Where to write: a file, shop.duckdb::scored, or - for standard output (default).",
)
_keep = click.option(
    "--keep", multiple=True, metavar="COLUMN", help="Write this column alone of TABLE; repeatable."
)
_format = click.option(
    "--format",
    type=click.Choice(["csv", "tsv", "parquet", "json", "arrow"]),
    help="Of what is written, if its name does not tell.",
)


@commands.command()
@click.argument("model", type=click.Path(exists=True, dir_okay=False))
@click.argument("table")
@_out_table
@_keep
@_format
@click.option(
    "--explain",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="Add the N strongest reasons of each row, in words.",
)
@_reading
@_jobs
@_for_scripts
def predict(
    model: str,
    table: str,
    out: str,
    keep: tuple[str, ...],
    format: str | None,
    explain: int,
    jobs: int | None,
    as_json: bool,
    quiet: bool,
    debug: bool,
    **options: Any,
) -> None:
    """Write TABLE with a label and class probabilities for each row, by a MODEL file.

    modlearn predict wine.modlearn.json new.csv -o scored.parquet
    """
    from modlearn import load
    from modlearn._job.prediction import predict_file, types_of_fit

    screen = _screen_beside_table(out, as_json, quiet)
    classifier = load(model).set_params(n_jobs=jobs)
    types = types_of_fit(classifier)
    with screen.progress() as progress, _open(table, jobs, options, types=types) as source:
        done = predict_file(
            classifier,
            source,
            out,
            keep=keep or None,
            n_reasons=explain,
            format=format,
            progress=progress,
        )
    _show_rows(screen, done.rows, f"{done.n_rows:,} rows predicted", done.notes)
    screen.show(None, f"written {out}")
    screen.result({**vars(done), "written": {"table": out}})


def _screen_beside_table(out: str, as_json: bool, quiet: bool) -> _Screen:
    """Nothing else is printed where the table goes."""
    if out == "-" and as_json:
        raise click.UsageError("--json needs standard output: give the table a file with --out.")
    return _Screen(as_json, quiet or out == "-")


def _show_rows(screen: _Screen, rows: dict[str, int], title: str, notes: list[str]) -> None:
    """Rows per class, and notes."""
    if screen.as_json or screen.quiet:
        return
    from modlearn._report import terminal

    screen.show(title, terminal.class_table(rows), *(f"note: {note}" for note in notes))


@commands.command()
@click.argument("table")
@_target
@_out_table
@_keep
@_format
@_columns
@click.option(
    "--neighbors",
    "n_neighbors",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="Neighbours of each row.",
)
@click.option(
    "--engine",
    type=click.Choice(["auto", "kdtree", "brute", "approximate"]),
    default="auto",
    show_default=True,
    help="What finds them.",
)
@_reading
@_jobs
@_for_scripts
def propagate(
    table: str,
    target: str,
    out: str,
    keep: tuple[str, ...],
    jobs: int | None,
    as_json: bool,
    quiet: bool,
    debug: bool,
    **options: Any,
) -> None:
    """Write TABLE with the few labels of a column spread over all rows, as far as they reach.

    modlearn propagate tickets.csv --target category -o labelled.csv
    """
    from modlearn._job.propagation import propagate_file

    screen = _screen_beside_table(out, as_json, quiet)
    with screen.progress() as progress, _open(table, jobs, options) as source:
        done = propagate_file(
            source, target, out, keep=keep or None, n_jobs=jobs, progress=progress, **options
        )
    title = f"{done.n_rows:,} rows: {done.n_labeled:,} had a label, {done.n_decided:,} got one"
    undecided = f", {done.n_undecided:,} stay undecided" if done.n_undecided else ""
    _show_rows(screen, done.rows, title + undecided, done.notes)
    screen.show(None, f"written {out}")
    screen.result({**vars(done), "written": {"table": out}})


@commands.command()
@click.argument("model", type=click.Path(exists=True, dir_okay=False))
@click.option("-o", "--out", metavar="FILE", help="Report; by default beside the model.")
@click.option("--open", "opened", is_flag=True, help="Show it in the browser.")
@_for_scripts
def report(
    model: str, out: str | None, opened: bool, as_json: bool, quiet: bool, debug: bool
) -> None:
    """Write the report of a MODEL file again.

    modlearn report wine.modlearn.json --open
    """
    from modlearn import load
    from modlearn._job.summary import summary_of
    from modlearn._report.page import write_report

    screen = _Screen(as_json, quiet)
    page = Path(out) if out else _page_of(Path(model))
    classifier = load(model)
    summary = summary_of(classifier, classifier._findings)
    write_report(summary, page)
    screen.show(None, f"report {page}")
    screen.result({**summary, "written": {"report": str(page)}})
    if opened:
        click.launch(page.resolve().as_uri())


@commands.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the script that completes commands in a SHELL.

    eval "$(modlearn completion bash)"
    """
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(commands, {}, "modlearn", "_MODLEARN_COMPLETE").source())
