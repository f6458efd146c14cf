"""The summary of a fit as tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from modlearn._model.evaluation import MEASURES
from modlearn._show.words import mean_and_spread, visible

__all__ = [
    "class_table",
    "data_table",
    "evaluation_table",
    "evaluation_title",
    "note_list",
    "pair_table",
    "variable_table",
    "warning_list",
]

SHOWN = 12
"""Variables and pairs that are listed; the report has them all."""

MOST_CLASSES = 30
"""Classes that are listed."""

LONGEST_NAME = 40
"""Characters of a name that are shown."""

BAR = 20
"""Characters of the bar of a level of 1."""

EIGHTHS = " ▏▎▍▌▋▊▉"


def data_table(
    data: Mapping[str, Any], classes: Mapping[str, int], kinds: Mapping[str, str]
) -> RenderableType:
    """What was understood of the table: rows, columns, rows per class, and what is left out."""
    table = _plain_table()
    table.add_row("rows", _rows(data))
    for kind in dict.fromkeys(kinds.values()):
        names = [_short(name) for name, other in kinds.items() if other == kind]
        table.add_row(kind, Text(_listed(names)))
    listed = [f"{_short(name)} ({rows:,})" for name, rows in classes.items()]
    table.add_row(Text(_short(data["target"])), Text(_listed(listed)))
    for column in data["left_out"][:SHOWN]:
        table.add_row("left out", Text(f"{_short(column['name'])}: {column['reason']}"))
    if len(data["left_out"]) > SHOWN:
        table.add_row("", f"and {len(data['left_out']) - SHOWN} more columns")
    return table


def note_list(notes: Sequence[str]) -> RenderableType:
    """One line per note, as many as can be read."""
    lines = [Text(f"note: {_cut(note)}") for note in notes[:SHOWN]]
    if len(notes) > SHOWN:
        lines.append(Text(f"and {len(notes) - SHOWN} more notes"))
    return Group(*lines)


def _cut(sentence: str) -> str:
    """A sentence that quotes a name of thousands of characters, shortened."""
    shown = visible(sentence, 100_000)
    return shown if len(shown) <= 400 else f"{shown[:250]} … {shown[-140:]}"


def _plain_table() -> Table:
    """Two columns without lines."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    return table


def _rows(data: Mapping[str, Any]) -> str:
    if not data["n_unlabeled"]:
        return f"{data['n_rows']:,}"
    return f"{data['n_rows']:,}, of which {data['n_unlabeled']:,} without a label"


def _listed(names: list[str]) -> str:
    """The first names, and how many more there are."""
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def evaluation_title(evaluation: Mapping[str, Any]) -> str:
    """How the model was evaluated, in words."""
    rows = f"{evaluation['n_test']:,} rows"
    if evaluation["how"] == "cross-validation":
        return f"Evaluation ({evaluation['n_folds']}-fold cross-validation, {rows})"
    return f"Evaluation ({evaluation['how']}, {rows})"


def evaluation_table(evaluation: Mapping[str, Any]) -> RenderableType:
    """How good the model is, and what it is compared with."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(justify="right")
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


def variable_table(variables: list[Mapping[str, Any]]) -> RenderableType:
    """The most informative variables with bars of their levels."""
    weighed = any(variable.get("weight") is not None for variable in variables)
    table = _ranking("variable", *(["weight"] if weighed else []), "parts")
    telling = [variable for variable in variables if variable["level"] > 0]
    for variable in telling[:SHOWN]:
        cells: list[str | Text] = [
            Text(_short(variable["name"])),
            _bar(variable["level"]),
            _level(variable),
        ]
        table.add_row(*cells, *_weight(variable, weighed), str(len(variable["parts"])))
    return Group(table, *_rest(len(telling), len(variables), "variable"))


def pair_table(pairs: list[Mapping[str, Any]]) -> RenderableType:
    """The pairs that add most to what their two columns tell."""
    weighed = any(pair.get("weight") is not None for pair in pairs)
    table = _ranking("pair", *(["weight"] if weighed else []), "synergy")
    for pair in pairs[:SHOWN]:
        name = Text(" × ".join(_short(name) for name in pair["names"]))
        synergy = f"{pair['synergy']:+.1f}"
        table.add_row(name, _bar(pair["level"]), _level(pair), *_weight(pair, weighed), synergy)
    return Group(table, *_rest(len(pairs), len(pairs), "pair"))


def _ranking(what: str, *numbers: str) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column(what)
    table.add_column("level", no_wrap=True)
    table.add_column("")
    for number in numbers:
        table.add_column(number, justify="right")
    return table


def _short(name: str) -> str:
    """A name that leaves room for the numbers, without line breaks."""
    return visible(" ".join(str(name).split()), LONGEST_NAME)


def _bar(level: float) -> Text:
    """A bar in eighths of a character; a level that is not 0 is seen."""
    eighths = max(1, round(min(level, 1.0) * BAR * 8))
    whole, part = divmod(eighths, 8)
    return Text("█" * whole + EIGHTHS[part].strip(), style="cyan")


def _level(of: Mapping[str, Any]) -> str:
    return f"{of['level']:.3f}"


def _weight(of: Mapping[str, Any], weighed: bool) -> Iterator[str]:
    if weighed:
        yield f"{of['weight']:.2f}" if of.get("weight") else ""


def _rest(telling: int, every: int, what: str) -> Iterator[Text]:
    """What is not listed, in words."""
    if telling == 0:
        yield Text(f"No {what} tells anything about the target.")
    parts = []
    if telling > SHOWN:
        parts.append(f"{telling - SHOWN} more in the report")
    if every > telling > 0:
        parts.append(f"{every - telling} that tell nothing")
    if parts:
        yield Text("and " + ", and ".join(parts), style="dim")


def class_table(rows: Mapping[str, int]) -> RenderableType:
    """Rows per class with bars of their shares."""
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True, overflow="ellipsis")
    table.add_column(justify="right")
    table.add_column()
    total = max(1, sum(rows.values()))
    for name, n in list(rows.items())[:MOST_CLASSES]:
        table.add_row(Text(_short(name)), f"{n:,}", _bar(n / total) if n else "")
    if len(rows) > MOST_CLASSES:
        table.add_row(f"and {len(rows) - MOST_CLASSES} more classes", "", "")
    return table


def warning_list(warnings: list[Mapping[str, Any]]) -> RenderableType:
    """One line per warning."""
    return Group(*(Text(f"! {_cut(warning['text'])}", style="yellow") for warning in warnings))
