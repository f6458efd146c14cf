"""The summary of a fit as tables for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from modlearn._model.evaluation import MEASURES
from modlearn._show.tables import Ranking, rank_pairs, rank_variables
from modlearn._show.words import (
    LONGEST_NAME,
    counted,
    left_out_sentence,
    mean_and_spread,
    note_sentence,
    visible,
    warning_sentence,
)

__all__ = [
    "class_table",
    "data_table",
    "evaluation_table",
    "note_list",
    "pair_table",
    "variable_table",
    "warning_list",
]

SHOWN = 12
"""Most names, variables and pairs that are listed; the report has all of them."""

MOST_CLASSES = 30
"""Most classes that are listed."""

BAR = 20
"""Length of the longest bar, in characters."""

EIGHTHS = " ▏▎▍▌▋▊▉"

Record = Mapping[str, Any]


def data_table(
    data: Record, classes: Mapping[str, int], kinds: Mapping[str, str]
) -> RenderableType:
    """Return how the table was read: rows, columns, classes, and what is left out."""
    table = _grid()
    unlabeled = f" ({data['n_unlabeled']:,} unlabeled)" if data["n_unlabeled"] else ""
    table.add_row("rows", f"{data['n_rows']:,}{unlabeled}")
    for kind in dict.fromkeys(kinds.values()):
        names = [visible(name, LONGEST_NAME) for name, other in kinds.items() if other == kind]
        table.add_row(kind, Text(_listed(names)))
    listed = [f"{visible(name, LONGEST_NAME)} ({rows:,})" for name, rows in classes.items()]
    table.add_row(Text(visible(data["target"], LONGEST_NAME)), Text(_listed(listed)))
    by_reason: dict[str, list[str]] = {}
    for column in data["left_out"]:
        reason = left_out_sentence(column, "command")
        by_reason.setdefault(reason, []).append(visible(column["name"], LONGEST_NAME))
    for reason, names in by_reason.items():
        table.add_row("left out", Text(f"{_listed(names)}: {reason}"))
    return table


def note_list(notes: Sequence[Record]) -> RenderableType:
    """Return one line per note, up to a readable number."""
    lines = [
        Text(f"note: {note_sentence(note, 'command', LONGEST_NAME)}") for note in notes[:SHOWN]
    ]
    if len(notes) > SHOWN:
        lines.append(Text(f"and {len(notes) - SHOWN:,} more notes"))
    return Group(*lines)


def warning_list(warnings: Sequence[Record]) -> RenderableType:
    """Return one line per warning."""
    sentences = (warning_sentence(warning, "command", LONGEST_NAME) for warning in warnings)
    return Group(*(Text(f"! {sentence}", style="yellow") for sentence in sentences))


def evaluation_table(evaluation: Record) -> RenderableType:
    """Return how good the model is, and what it is compared with."""
    table = _grid("right")
    table.add_column(style="dim")
    for key, name in MEASURES.items():
        measure = evaluation["measures"].get(key)
        if measure is not None:
            table.add_row(name, *mean_and_spread(measure))
    for key, name in (("majority", "most frequent class"), ("best_variable", "best variable")):
        other = evaluation.get(key)
        if other is not None:
            which = other.get("class", other.get("name"))
            table.add_row(f"accuracy, {name}", f"{other['accuracy']:.3f}", Text(f"({which})"))
    return table


def variable_table(summary: Record) -> RenderableType:
    """Return the most informative variables with bars of their levels."""
    return _ranking(rank_variables(summary, SHOWN))


def pair_table(summary: Record) -> RenderableType:
    """Return the most informative pairs with bars of their levels."""
    return _ranking(rank_pairs(summary, SHOWN))


def _ranking(ranking: Ranking) -> RenderableType:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column(ranking.noun)
    table.add_column(ranking.columns[0], no_wrap=True)
    for title in ("", *ranking.columns[1:]):
        table.add_column(title, justify="right")
    for row in ranking.rows:
        table.add_row(Text(row.name), _bar(row.bar), *row.cells)
    rest = [Text(ranking.rest, style="dim")] if ranking.rest else []
    return Group(*([table] if ranking.rows else []), *rest)


def class_table(rows: Mapping[str, int]) -> RenderableType:
    """Return rows per class with bars of their shares."""
    table = _grid("right")
    table.add_column()
    total = max(1, sum(rows.values()))
    for name, n in list(rows.items())[:MOST_CLASSES]:
        table.add_row(Text(visible(name, LONGEST_NAME)), f"{n:,}", _bar(n / total) if n else "")
    if len(rows) > MOST_CLASSES:
        table.add_row(f"and {counted(len(rows) - MOST_CLASSES, 'more class')}", "", "")
    return table


def _grid(justify: Any = "left") -> Table:
    """Return an empty table without lines, for names and their values."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True, overflow="ellipsis")
    table.add_column(justify=justify)
    return table


def _listed(names: list[str]) -> str:
    """Return the first names, and how many more there are."""
    more = f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def _bar(share: float) -> Text:
    """Return a bar in eighths of a character; a share that is not 0 is visible."""
    whole, part = divmod(max(1, round(min(share, 1.0) * BAR * 8)), 8)
    return Text("█" * whole + EIGHTHS[part].strip(), style="cyan")
