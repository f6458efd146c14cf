"""What the columns of a table hold, as text, for a terminal and on a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from modlearn import __version__
from modlearn._files import write_whole
from modlearn._model.partitions import date_text, duration_text
from modlearn._show.phrases import LONGEST_NAME, counted, percent, visible
from modlearn._show.summary import readable_date
from modlearn._show.words import Spelling, note_sentence
from modlearn._statistics.overview import QUANTILES, ColumnOverview
from modlearn.schema import Kind, class_names

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = [
    "overview_as_html",
    "overview_as_text",
    "overview_columns",
    "overview_table",
    "summarize_overview",
    "write_overview",
]

BARS = "▁▂▃▄▅▆▇█"

MOST_VALUES, LONGEST_VALUE = 3, 20
"""Most values of a column that are listed, and most characters of each."""

WIDE = 110
"""Least number of characters of a line that holds all quantiles."""

TITLES = ("column", "type", "missing", "distinct", "distribution", "values")
STYLES = ("", "", "", "", "cyan", "")
COUNTS = ("missing", "distinct")

Summary = Mapping[str, Any]


def summarize_overview(
    source: str | None,
    n_rows: int,
    columns: Sequence[tuple[str, Kind, ColumnOverview]],
    notes: list[dict[str, Any]],
    created: str,
) -> dict[str, Any]:
    """Return an overview as a dict of JSON types; dates and durations are texts."""
    return {
        "modlearn": __version__,
        "created": created,
        "data": {
            "source": source,
            "n_rows": n_rows,
            "n_columns": len(columns),
            "left_out": [],
            "notes": notes,
        },
        "warnings": [],
        "columns": [_summary(name, kind, column) for name, kind, column in columns],
    }


def _summary(name: str, kind: Kind, column: ColumnOverview) -> dict[str, Any]:
    write = {Kind.DATETIME: date_text, Kind.DURATION: duration_text}.get(kind, float)
    values = zip(class_names(column.values), column.histogram, strict=False)
    return {
        "name": name,
        "type": str(kind),
        "missing": column.n_missing,
        "distinct": None if kind is Kind.NESTED else column.n_distinct,
        "quantiles": dict(zip(QUANTILES, map(write, column.quantiles), strict=False)) or None,
        "histogram": list(column.histogram),
        "values": [{"value": value, "rows": rows} for value, rows in values] or None,
    }


def overview_columns(summary: Summary) -> dict[str, list[Any]]:
    """Return a list per fact, with an entry per column of the table."""
    facts = {fact: [one[fact] for one in summary["columns"]] for fact in ("name", "type")}
    counts = {fact: [one[fact] for one in summary["columns"]] for fact in ("missing", "distinct")}
    quantiles = {
        key: [str((one["quantiles"] or {}).get(key, "")) for one in summary["columns"]]
        for key in QUANTILES
    }
    most = [one["values"][0]["value"] if one["values"] else "" for one in summary["columns"]]
    return {**facts, **counts, **quantiles, "most frequent": most}


def _cells(column: Summary, n_rows: int, shown: Sequence[str]) -> tuple[str, ...]:
    """Return the cells of a column's line, with some of the quantiles."""
    distinct = "" if column["distinct"] is None else f"{column['distinct']:,}"
    missing = percent(column["missing"] / n_rows) if column["missing"] else ""
    quantiles, bars = column["quantiles"], _bars(column["histogram"])
    if quantiles:
        texts = [_short(quantiles[key]) for key in shown]
        is_date = column["type"] == Kind.DATETIME
        values = " … ".join(readable_date(text) if is_date else text for text in texts)
    else:
        values = _most_frequent(column)
        # Values that never repeat have no distribution to show.
        bars = bars if max(column["histogram"], default=0) > 1 else ""
    return visible(column["name"], LONGEST_NAME), column["type"], missing, distinct, bars, values


def _bars(histogram: Sequence[int]) -> str:
    """Return a bar of one character per entry; an entry of 0 is a space."""
    most = max(histogram, default=0)
    return "".join(BARS[(n * (len(BARS) - 1)) // most] if n else " " for n in histogram)


def _most_frequent(column: Summary) -> str:
    """Return the most frequent values, with their rows if any value repeats."""
    values = (column["values"] or [])[:MOST_VALUES]
    shown = [visible(one["value"], LONGEST_VALUE) for one in values]
    if values and values[0]["rows"] > 1:
        shown = [f"{text} ({one['rows']:,})" for text, one in zip(shown, values, strict=True)]
    more = (column["distinct"] or 0) - len(shown)
    return ", ".join(shown) + (f" and {more:,} more" if more > 0 else "")


def _short(value: float | str) -> str:
    """Return a number with four significant digits, such as 10,950 or 0.0012."""
    return value if isinstance(value, str) else f"{float(f'{value:.4g}'):,.10g}"


def _headline(summary: Summary) -> str:
    data = summary["data"]
    return f"{counted(data['n_rows'], 'row')}, {counted(data['n_columns'], 'column')}"


def _lines(summary: Summary, shown: Sequence[str] = tuple(QUANTILES)) -> list[tuple[str, ...]]:
    n_rows = summary["data"]["n_rows"]
    return [_cells(column, n_rows, shown) for column in summary["columns"]]


def overview_as_text(summary: Summary) -> str:
    """Return an overview as aligned lines."""
    rows = [TITLES, *_lines(summary)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(TITLES))]
    lines = [
        "  ".join(
            cell.rjust(width) if title in COUNTS else cell.ljust(width)
            for title, cell, width in zip(TITLES, row, widths, strict=True)
        ).rstrip()
        for row in rows
    ]
    return "\n".join([_headline(summary), "", *lines])


def overview_table(summary: Summary, width: int) -> RenderableType:
    """Return an overview as a table for a terminal of some width; quartiles need a wide one."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    wide = width >= WIDE
    shown = tuple(QUANTILES) if wide else ("least", "median", "most")
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for title, style in zip(TITLES, STYLES, strict=True):
        justify: Any = "right" if title in COUNTS else "left"
        wraps = title in ("column", "values")
        table.add_column(title, justify=justify, no_wrap=not wraps, style=style)
    for cells in _lines(summary, shown):
        table.add_row(*map(Text, cells))
    if not any(column["missing"] for column in summary["columns"]):
        del table.columns[TITLES.index("missing")]
    quantiles = "least value, quartiles" if wide else "least value, median"
    legend = f"Numbers: {quantiles} and largest value; bars: rows in equal parts of that range."
    return Group(_headline(summary), "", table, Text(f"\n{legend}", style="dim"))


def overview_as_html(summary: Summary) -> str:
    """Return an overview as a table in HTML, without script."""
    head = "".join(f"<th>{title}</th>" for title in TITLES)
    lines = "".join(
        f"<tr>{''.join(f'<td><bdi>{escape(cell)}</bdi></td>' for cell in cells)}</tr>"
        for cells in _lines(summary)
    )
    return (
        f"<p>{escape(_headline(summary))}</p>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>"
    )


STYLE = (
    "th, td { text-align: left; vertical-align: top; }\n"
    "td:nth-child(5) { white-space: pre; color: var(--accent); }\n"
    "td:last-child { min-width: 14rem; }\n"
)


def write_overview(
    summary: Summary, path: str | PathLike[str], spelling: Spelling = "python"
) -> None:
    """Write the page of an overview; it appears whole, or an old one stays."""
    style = (Path(__file__).parent / "page.css").read_text(encoding="utf-8") + STYLE
    title = escape(visible(summary["data"]["source"] or "table", LONGEST_NAME))
    sentences = (note_sentence(note, spelling) for note in summary["data"]["notes"])
    notes = "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences)
    page = (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Overview of {title} · modlearn</title>\n<style>{style}</style>\n</head>\n<body>\n"
        f'<header><p class="over">modlearn report</p><h1>Overview of <bdi>{title}</bdi></h1>'
        f'</header>\n<main><section class="card scroll">{overview_as_html(summary)}</section>\n'
        f'<ul class="notes">{notes}</ul>\n'
        '<p class="soft">Numbers are the least value, the three quartiles and the largest value. '
        "The bars are rows in equal parts of that range, or rows of the most frequent values."
        f'</p>\n<p class="soft">{escape(summary["created"])} · modlearn {__version__}</p></main>\n'
        "</body>\n</html>\n"
    )
    # Half a surrogate pair is not a character, and no file could hold it.
    write_whole(Path(path), page.encode("utf-8", "replace").decode("utf-8"))
