"""Printing: tables for a person, one JSON object for a script, or nothing."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

__all__ = ["Screen", "end", "screen_next_to_table", "show_data", "show_rows", "show_table"]


class Screen:
    """Prints tables for a person, one JSON object for a script, or nothing."""

    def __init__(self, as_json: bool, quiet: bool) -> None:
        self.as_json, self.quiet = as_json, quiet

    @property
    def is_shown(self) -> bool:
        """Whether a person reads the output, so that tables are worth making."""
        return not (self.as_json or self.quiet)

    def show(self, title: str | None, *content: Any) -> None:
        """Print tables and lines, under a heading."""
        if not self.is_shown:
            return
        from rich.console import Console
        from rich.text import Text

        console = Console(highlight=False, soft_wrap=False)
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
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
        from rich.progress import TimeRemainingColumn as TimeLeft

        columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeLeft()
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("")
            yield lambda stage, done, total: bar.update(
                task, description=stage, completed=done, total=total
            )


def show_data(screen: Screen, prepared: Any) -> None:
    """Show how the table was read, before the work begins."""
    if not screen.is_shown:
        return
    target = prepared.rows.target
    classes = dict(zip(target.class_names, target.counts.tolist(), strict=True))
    kinds = {
        str(column.name): column.kind if column.ordered else "categorical"
        for column in prepared.rows.schema.columns
    }
    _show_facts(screen, prepared.facts.to_dict(), classes, kinds)


def show_table(screen: Screen, summary: dict[str, Any]) -> None:
    """Show how the table was read, from a summary."""
    if not screen.is_shown:
        return
    classes = {of["name"]: of["rows"] for of in summary["classes"]}
    kinds = {variable["name"]: variable["type"] for variable in summary["variables"]}
    _show_facts(screen, summary["data"], classes, kinds)


def _show_facts(
    screen: Screen, data: dict[str, Any], classes: dict[str, int], kinds: dict[str, str]
) -> None:
    """Show facts about a table, rows per class, and the kind of each column."""
    from modlearn._show import terminal

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


def screen_next_to_table(out: str, as_json: bool, quiet: bool) -> Screen:
    """Return a screen that does not print to the stream that the table goes to."""
    if out == "-" and as_json:
        raise click.UsageError(
            "--json and the table cannot both go to standard output: name a file with --out."
        )
    return Screen(as_json, quiet or out == "-")


def show_rows(screen: Screen, done: Any, title: str, out: str, quiet: bool) -> None:
    """Show notes, rows per class, and where the table was written."""
    from modlearn._show.words import note_sentence

    notes = [note.to_dict() for note in done.notes]
    Screen(screen.as_json, quiet).notes(notes)
    if screen.is_shown:
        from modlearn._show import terminal

        screen.show(title, terminal.class_table(done.rows), f"written {out}")
    texts = [{**note, "text": note_sentence(note, "command")} for note in notes]
    screen.result({**vars(done), "notes": texts, "written": {"table": out}})
