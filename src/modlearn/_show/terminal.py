"""The summary of a fit as tables for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from modlearn._show.phrases import (
    LONGEST_NAME,
    advice,
    counted,
    decision_lines,
    evaluated_by,
    evaluation_lines,
    names_in_lines,
    percent,
    visible,
)
from modlearn._show.tables import Ranking, rank_pairs, rank_trees, rank_variables
from modlearn._show.words import MOST_LISTED, note_sentence, table_lines, warning_lines

__all__ = [
    "class_table",
    "confusion_table",
    "data_table",
    "evaluation_table",
    "note_list",
    "prediction_results",
    "ranking_table",
    "results",
    "tree_pictures",
    "warning_list",
]

MOST_CLASSES = 30
"""Most classes that are listed."""

MOST_TREES = 3
"""Most trees that are drawn."""

MOST_CONFUSED = 8
"""Most classes of a confusion matrix in a terminal."""

LONGEST_HEADING = 20
"""Most characters of the name of a class in a heading."""

BAR = 20
"""Length of the longest bar, in characters."""

EIGHTHS = " ▏▎▍▌▋▊▉"

Record = Mapping[str, Any]


def data_table(
    data: Record, classes: Mapping[str, int], kinds: Mapping[str, str]
) -> RenderableType:
    """Return how the table was read: rows, columns, classes, and what is left out."""
    table = _grid()
    for name, text in table_lines(data, classes, kinds):
        table.add_row(Text(name), Text(text))
    return table


def note_list(notes: Sequence[Record]) -> RenderableType:
    """Return one line per note, up to a readable number."""
    lines = [note_sentence(note, "command", LONGEST_NAME) for note in notes[:MOST_LISTED]]
    more = len(notes) - MOST_LISTED
    rest = [Text(f"and {more:,} more notes")] if more > 0 else []
    return Group(*(Text(f"note: {line}") for line in lines), *rest)


def results(summary: Record) -> list[tuple[str, RenderableType]]:
    """Return evaluation, variables, pairs, trees and warnings, each with its heading."""
    found: list[tuple[str, RenderableType]] = []
    evaluation, warnings = summary["evaluation"], summary["warnings"]
    if evaluation is not None:
        heading = f"Evaluation ({evaluated_by(evaluation)})"
        found.append((heading, evaluation_table(summary)))
    found.append(("Variables", ranking_table(rank_variables(summary, MOST_LISTED))))
    if summary["pairs_searched"]:
        found.append(("Pairs", ranking_table(rank_pairs(summary, MOST_LISTED))))
    if summary["trees"]:
        found.append(("Trees", tree_pictures(summary)))
    if warnings:
        found.append(("Warnings", warning_list(warnings)))
    return found


def warning_list(warnings: Sequence[Record]) -> RenderableType:
    """Return one line per warning, or per kind if there are many."""
    lines = warning_lines(warnings, "command", LONGEST_NAME)
    return Group(*(Text(f"! {line}", style="yellow") for line in lines))


def evaluation_table(summary: Record) -> RenderableType:
    """Return how good the model is, and what it is compared with."""
    table = _grid("right")
    table.add_column(style="dim")
    for name, value, spread in evaluation_lines(summary):
        table.add_row(Text(name), value, Text(spread))
    lines = decision_lines(summary) if summary["decision"] else advice(summary)
    return Group(table, *map(Text, lines))


def confusion_table(summary: Record) -> RenderableType:
    """Return rows by true and predicted class, the class of interest first."""
    names = [visible(one["name"], LONGEST_HEADING) for one in summary["classes"]]
    order = sorted(range(len(names)), key=lambda j: j != summary["positive"])
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("true class")
    for j in order:
        table.add_column(Text(f"predicted {names[j]}"), justify="right")
    for i in order:
        counts = summary["evaluation"]["confusion"][i]
        table.add_row(Text(names[i]), *(f"{counts[j]:,}" for j in order))
    return table


def prediction_results(summary: Record) -> list[tuple[str, RenderableType]]:
    """Return how good predictions are for rows whose class is known, each with its heading."""
    rows = counted(summary["evaluation"]["n_test"], "row")
    found = [(f"Evaluation ({rows} whose class is known)", evaluation_table(summary))]
    if len(summary["classes"]) <= MOST_CONFUSED:
        found.append(("Confusion", confusion_table(summary)))
    return found


def ranking_table(ranking: Ranking) -> RenderableType:
    """Return the most informative variables or pairs with bars of their levels."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column(ranking.noun)
    table.add_column(ranking.columns[0], no_wrap=True)
    for title in ("", *ranking.columns[1:]):
        table.add_column(title, justify="right")
    for row in ranking.rows:
        table.add_row(Text(row.name), _bar(row.bar), *row.cells)
    rest = [Text(ranking.rest, style="dim")] if ranking.rest else []
    return Group(*([table] if ranking.rows else []), *rest)


def tree_pictures(summary: Record) -> RenderableType:
    """Return the trees of the largest weights as a table, and some of them as pictures."""
    drawn = [_picture(tree, summary["classes"]) for tree in summary["trees"][:MOST_TREES]]
    return Group(ranking_table(rank_trees(summary, MOST_LISTED)), *drawn)


def _picture(tree: Record, classes: Sequence[Record]) -> Tree:
    """Return a tree whose lines are conditions, and end in the rows of a leaf."""
    branches, (name,) = tree["branches"], names_in_lines([tree])
    names = [visible(one["name"], LONGEST_HEADING) for one in classes]
    root = Tree(Text(name, style="bold"))

    def grow(node: Tree, number: int) -> None:
        column = visible(branches[number]["column"], LONGEST_HEADING)
        for label, following in branches[number]["ways"]:
            line = Text(f"{column} in {visible(label, LONGEST_NAME)}")
            if following < len(branches):
                grow(node.add(line), following)
                continue
            leaf = following - len(branches)
            counts = tree["counts"][leaf]
            j = max(range(len(names)), key=lambda k: counts[k])
            share = percent(counts[j] / max(1, sum(counts)))
            rows = counted(sum(counts), "row")
            text = f" → {tree['letters'][leaf]}: {rows}, {share} {names[j]}"
            node.add(line.append(text, style="cyan"))

    grow(root, 0)
    return root


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


def _bar(share: float) -> Text:
    """Return a bar in eighths of a character; a share that is not 0 is visible."""
    whole, part = divmod(max(1, round(min(share, 1.0) * BAR * 8)), 8)
    return Text("█" * whole + EIGHTHS[part].strip(), style="cyan")
