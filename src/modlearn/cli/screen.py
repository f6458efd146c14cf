"""What a command puts out: tables for a person, one JSON object for a script, and files."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import get_terminal_size
from typing import Any

import click

from modlearn._addresses import is_address, table_of

__all__ = [
    "Screen",
    "check_outputs",
    "end",
    "end_overview",
    "file_for",
    "page_of",
    "progress_text",
    "refuse_overwriting",
    "show_rows",
    "show_table",
]


@dataclass(frozen=True)
class Screen:
    """Prints tables for a person, one JSON object for a script, or nothing."""

    as_json: bool
    quiet: bool

    def next_to_table(self, out: str) -> Screen:
        """Return a screen that does not print to the stream that the table goes to."""
        if out == "-" and self.as_json:
            raise click.UsageError(
                "--json and the table cannot both go to standard output: name a file with --out."
            )
        return Screen(self.as_json, self.quiet or out == "-")

    @property
    def is_shown(self) -> bool:
        """Whether a person reads the output, so that tables are worth making."""
        return not (self.as_json or self.quiet)

    def show(self, title: str | None, *content: Any, stderr: bool = False) -> None:
        """Print tables and lines, under a heading."""
        if not self.is_shown:
            return
        from rich.console import Console
        from rich.text import Text

        console = Console(highlight=False, soft_wrap=False, stderr=stderr)
        if title:
            console.print(Text(f"\n{title}", style="bold"))
        for item in content:
            console.print(item, markup=False)

    def notes(self, notes: Sequence[Mapping[str, Any]]) -> None:
        """Print notes on standard error, as a table may go to standard output."""
        if not self.is_shown or not notes:
            return
        from rich.console import Console

        from modlearn._show.terminal import note_list

        Console(stderr=True, highlight=False).print(note_list(notes))

    def summary(self, summary: dict[str, Any], written: dict[str, Path]) -> None:
        """Print a summary for a script, with sentences and the files written."""
        if self.as_json:
            from modlearn._show.words import sentences_of

            files = {what: str(where) for what, where in written.items()}
            self.result({**sentences_of(summary, "command"), "written": files})

    def result(self, found: dict[str, Any]) -> None:
        """Print the result for a script."""
        if self.as_json:
            click.echo(json.dumps(found, ensure_ascii=False, allow_nan=False))

    @contextmanager
    def progress(self) -> Iterator[Callable[[str, int, int], None]]:
        """Show a progress bar on standard error, if a person is watching."""
        if not self.is_shown or not sys.stderr.isatty():
            yield lambda stage, done, total: None
            return
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn
        from rich.progress import TimeRemainingColumn as TimeLeft

        columns = TextColumn("{task.description}"), BarColumn(), TimeLeft()
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("")
            yield lambda stage, done, total: bar.update(
                task, description=progress_text(stage, done, total), completed=done, total=total
            )


BY_ROWS = {"counting", "writing"}
"""Stages whose steps are rows."""


def progress_text(stage: str, done: int, total: int) -> str:
    """Return a stage with what is done of it.

    Examples
    --------
    >>> progress_text("counting", 4_000_000, 10_000_000)
    'counting 4,000,000 of 10,000,000 rows'
    >>> progress_text("columns", 3, 11)
    'columns 3/11'
    """
    if stage in BY_ROWS:
        return f"{stage} {done:,} of {total:,} rows"
    if "/" in stage:  # it says itself what is counted, and its steps are only shares
        return f"{stage} {done / max(1, total):.0%}"
    return f"{stage} {done:,}/{total:,}"


def show_table(
    screen: Screen,
    data: dict[str, Any],
    classes: dict[str, int],
    kinds: dict[str, str],
    positive: int | None,
) -> None:
    """Show how a table was read: facts, rows per class, and kinds of columns.

    The class of interest, whose index is ``positive``, comes first.
    """
    if screen.is_shown:
        from modlearn._show import terminal

        names = sorted(classes, key=lambda name: positive is None or name != [*classes][positive])
        classes = {name: classes[name] for name in names}
        screen.show(data["source"] or "table", terminal.data_table(data, classes, kinds))
        screen.notes(data["notes"])


def end(
    screen: Screen,
    summary: dict[str, Any],
    written: dict[str, Path],
    shown: Sequence[dict[str, Any]],
) -> None:
    """Write the report, and show the results, further notes, and which files were written."""
    from modlearn._show.page import write_report

    if "report" in written:
        write_report(summary, written["report"], "command")
    if screen.is_shown:
        from modlearn._show.terminal import results

        for title, table in results(summary):
            screen.show(title, table)
    screen.notes([note for note in summary["data"]["notes"] if note not in shown])
    screen.show(None, "", *(f"{what:7} {where}" for what, where in written.items()))
    screen.summary(summary, written)


def end_overview(screen: Screen, summary: dict[str, Any], written: dict[str, Path]) -> None:
    """Write the page of an overview, and show its table, its notes, and which file was written."""
    from modlearn._show.overview import overview_table, write_overview

    data = summary["data"]
    if "report" in written:
        write_overview(summary, written["report"], "command")
    if screen.is_shown:
        width = get_terminal_size().columns
        screen.show(data["source"], overview_table(summary, width))
    screen.notes(data["notes"])
    screen.show(None, "", *(f"{what:7} {where}" for what, where in written.items()))
    screen.summary(summary, written)


def show_rows(
    screen: Screen, done: Any, title: str, out: str, evaluated: dict[str, Any] | None = None
) -> None:
    """Show notes, rows per class, how good they are if known, and where the table was written."""
    notes = [note.to_dict() for note in done.notes]
    screen.notes(notes)
    if screen.is_shown:
        from modlearn._show.terminal import class_table, prediction_results

        screen.next_to_table(out).show(title, class_table(done.rows), f"written {out}")
        for heading, table in prediction_results(evaluated) if evaluated else ():
            screen.show(heading, table, stderr=out == "-")
    if screen.as_json:
        from modlearn._show.words import note_sentence

        texts = [{**note, "text": note_sentence(note, "command")} for note in notes]
        found = {**vars(done), "notes": texts, "written": {"table": out}}
        screen.result(found if evaluated is None else {**found, **evaluated})


def check_outputs(written: dict[str, Path], *inputs: str | None) -> None:
    """Refuse in advance an output that could not be written or would overwrite an input."""
    from modlearn._files import refuse_lost_folder

    for path in written.values():
        if str(path) == "-":
            raise click.UsageError(
                "A model and its report cannot go to standard output: name a file with --out."
            )
        if path.is_dir():
            raise click.UsageError(f"{str(path)!r} is a folder: name a file in it.")
    refuse_overwriting([str(path) for path in written.values()], *inputs)
    for path in written.values():
        refuse_lost_folder(path)


def refuse_overwriting(outputs: Sequence[str], *inputs: str | None) -> None:
    """Refuse to overwrite an input, a file or a table of a database."""
    from modlearn._tables.files.formats import overwritten

    files = [name for name in inputs if name and not is_address(name)]
    name = overwritten(outputs, files)
    if name is not None:
        raise click.UsageError(
            f"{name!r} is an input of this command and would be overwritten: choose another --out."
        )


LONGEST_PART = 60
"""Most characters of a file name that come from the name of a table, or of a target."""


def file_for(table: str, target: str | None, suffix: str) -> Path:
    """Return a file in the current folder that is named after a table and a target."""
    names = [_name_of(table) or "table", _as_file_name(target or "")]
    return Path(".".join(filter(None, names)) + suffix)


def _name_of(table: str) -> str:
    """Return the name of a table as that of a file; of a pattern such as a/*.csv, its folder."""
    if is_address(table):
        return _as_file_name(table_of(table))
    if "::" in table:
        return _as_file_name(table.rpartition("::")[2])
    path = Path(table)
    return _as_file_name(path.name.split(".")[0]) or _as_file_name(path.parent.name)


def _as_file_name(name: str) -> str:
    """Return a name without what a file system, or a shell, would not take as part of a name."""
    kept = "".join(c if c.isalnum() or c in "-_ " else "_" for c in name[:LONGEST_PART])
    return kept.strip("-_ ")


def page_of(model: Path) -> Path:
    """Return the report file that belongs to a model file."""
    return Path(str(model).removesuffix(".json") + ".html")
