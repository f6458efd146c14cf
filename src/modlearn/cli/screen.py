"""Printing: tables for a person, one JSON object for a script, or nothing."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import click

__all__ = ["Screen"]


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
