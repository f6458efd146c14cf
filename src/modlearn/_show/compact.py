"""The report in brief, for notebooks: what is said at its top, and the strongest variables."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from modlearn._show import words
from modlearn._show.packing import shortened

__all__ = ["compact_html"]

MOST_VARIABLES = 10
"""Variables and pairs that are listed."""

MOST_WARNINGS = 5

BAR_WIDTH = 160

_CELL = "text-align:left;padding:1px 12px 1px 0"


def compact_html(summary: Mapping[str, Any]) -> str:
    """Return a report as a small piece of HTML without script, for ``_repr_html_``."""
    first, *rest = words.verdict(summary)
    sentences = "".join(f"{escape(sentence)}<br>" for sentence in rest)
    return (
        f'<div style="margin:0 0 1.2em 0;max-width:50em">'
        f'<div style="font-size:1.25em;font-weight:600">{escape(first)}</div>'
        f'<div style="opacity:0.75">{escape(words.data_line(summary))}</div>'
        f'<div style="margin:0.5em 0">{sentences}</div>'
        f"{_measures(summary)}{_warnings(summary)}{_variables(summary)}</div>"
    )


def _measures(summary: Mapping[str, Any]) -> str:
    found = words.measures(summary)
    return "".join(
        f'<span style="display:inline-block;margin:0 2em 0.6em 0">{escape(one["name"])}<br>'
        f'<b>{escape(one["value"])}</b> <span style="opacity:0.75">{escape(one["spread"])}</span>'
        "</span>"
        for one in found
    )


def _warnings(summary: Mapping[str, Any]) -> str:
    told = summary["warnings"]
    lines = [f"<div>&#9888; {_warning(one)}</div>" for one in told[:MOST_WARNINGS]]
    if len(told) > MOST_WARNINGS:
        lines.append(f"<div>... {len(told) - MOST_WARNINGS:,} more warnings</div>")
    return f'<div style="margin:0.4em 0">{"".join(lines)}</div>' if lines else ""


def _warning(one: Mapping[str, Any]) -> str:
    said = words.warning(one)
    title = f' title="{escape(said["title"])}"' if said["title"] else ""
    return f"<b>{escape(said['kind'])}</b>: <span{title}>{escape(said['text'])}</span>"


def _variables(summary: Mapping[str, Any]) -> str:
    """The strongest variables with bars of their levels."""
    shown = summary["variables"][:MOST_VARIABLES]
    most = max([0.01, *(variable["level"] for variable in shown)])
    weighed = any(variable["weight"] is not None for variable in shown)
    head = f'<tr><th style="{_CELL}">variable</th><th style="{_CELL}" colspan="2">level</th>'
    head += f'<th style="{_CELL}">weight</th></tr>' if weighed else "</tr>"
    lines = [_line(variable, most, weighed) for variable in shown]
    rest = len(summary["variables"]) - len(shown)
    more = f"<div>... {rest:,} more</div>" if rest else ""
    return f'<table style="border-collapse:collapse">{head}{"".join(lines)}</table>{more}'


def _line(variable: Mapping[str, Any], most: float, weighed: bool) -> str:
    level = variable["level"]
    bar = (
        f'<svg width="{BAR_WIDTH}" height="10" role="img" aria-label="level {level:.3f}">'
        f'<rect width="{BAR_WIDTH * level / most:.1f}" height="10" fill="#0072B2"/></svg>'
    )
    weight = f'<td style="{_CELL}">{variable["weight"]:.2f}</td>' if weighed else ""
    return (
        f'<tr><td style="{_CELL}"><bdi>{escape(shortened(variable["name"]))}</bdi></td>'
        f'<td style="{_CELL}">{level:.3f}</td><td style="{_CELL}">{bar}</td>{weight}</tr>'
    )
