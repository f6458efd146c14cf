"""What commands print of what was found."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from modlearn.cli.screen import Screen

__all__ = ["end", "screen_beside_table", "show_data", "show_rows", "show_table"]


def show_data(screen: Screen, prepared: Any) -> None:
    """What was understood, before the work begins."""
    if not screen.is_shown:
        return
    import numpy as np

    from modlearn.schema import class_names

    names = class_names(prepared.target.classes)
    rows = np.bincount(prepared.target.codes, minlength=len(names))[: len(names)].tolist()
    columns = prepared.chosen.table
    kinds = dict(zip(map(str, columns.names), columns.kinds(), strict=True))
    _show_understood(screen, prepared.facts.to_dict(), dict(zip(names, rows, strict=True)), kinds)


def show_table(screen: Screen, summary: dict[str, Any]) -> None:
    """The same, from a summary."""
    if not screen.is_shown:
        return
    classes = {of["name"]: of["rows"] for of in summary["classes"]}
    kinds = {variable["name"]: variable["type"] for variable in summary["variables"]}
    _show_understood(screen, summary["data"], classes, kinds)


def _show_understood(
    screen: Screen, data: dict[str, Any], classes: dict[str, int], kinds: dict[str, str]
) -> None:
    """Facts of a table, rows per class, and the kind of each column."""
    from modlearn._show import terminal

    screen.show(data["source"] or "table", terminal.data_table(data, classes, kinds))
    screen.notes(data["notes"])


def end(
    screen: Screen, summary: dict[str, Any], written: dict[str, Path], told: Sequence[str]
) -> None:
    """The diagnostics, notes that are not told yet, and where everything is."""
    _show_diagnostics(screen, summary)
    screen.notes([note for note in summary["data"]["notes"] if note not in told])
    screen.show(None, "", *(f"{what:7} {where}" for what, where in written.items()))
    places = {what: str(where) for what, where in written.items()}
    screen.result({**summary, "written": places})


def _show_diagnostics(screen: Screen, summary: dict[str, Any]) -> None:
    """Evaluation, variables, pairs and warnings as tables."""
    if not screen.is_shown:
        return
    from modlearn._show import terminal

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


def screen_beside_table(out: str, as_json: bool, quiet: bool) -> Screen:
    """Nothing else is printed where the table goes."""
    if out == "-" and as_json:
        raise click.UsageError("--json needs standard output: give the table a file with --out.")
    return Screen(as_json, quiet or out == "-")


def show_rows(
    screen: Screen, rows: dict[str, int], title: str, notes: list[str], quiet: bool
) -> None:
    """Rows per class, and notes."""
    Screen(screen.as_json, quiet).notes(notes)
    if not screen.is_shown:
        return
    from modlearn._show import terminal

    screen.show(title, terminal.class_table(rows))
