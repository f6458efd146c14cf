"""The report in brief, for notebooks: its first sentences, and the most informative variables."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from modlearn._show import phrases
from modlearn._show.tables import as_html, rank_variables
from modlearn._show.words import warning_labels

__all__ = ["compact_html"]

MOST_VARIABLES = 10
"""Most variables that are listed."""

MOST_WARNINGS = 5


def compact_html(summary: Mapping[str, Any]) -> str:
    """Return a report as a small piece of HTML without script, for ``_repr_html_``."""
    first, *rest = phrases.verdict(summary)
    sentences = "".join(f"{escape(sentence)}<br>" for sentence in rest)
    return (
        f'<div style="margin:0 0 1.2em 0;max-width:50em">'
        f'<div style="font-size:1.25em;font-weight:600">{escape(first)}</div>'
        f'<div style="opacity:0.75">{escape(phrases.data_line(summary))}</div>'
        f'<div style="margin:0.5em 0">{sentences}</div>'
        f"{_measures(summary)}{_warnings(summary)}"
        f"{as_html(rank_variables(summary, MOST_VARIABLES))}</div>"
    )


def _measures(summary: Mapping[str, Any]) -> str:
    return "".join(
        f'<span style="display:inline-block;margin:0 2em 0.6em 0">{escape(one["name"])}<br>'
        f'<b>{escape(one["value"])}</b> <span style="opacity:0.75">{escape(one["spread"])}</span>'
        "</span>"
        for one in phrases.measures(summary)
    )


def _warnings(summary: Mapping[str, Any]) -> str:
    warnings = warning_labels(summary["warnings"])
    lines = [f"<div>&#9888; {_warning(one)}</div>" for one in warnings[:MOST_WARNINGS]]
    if len(warnings) > MOST_WARNINGS:
        lines.append(f"<div>... and {len(warnings) - MOST_WARNINGS:,} more warnings</div>")
    return f'<div style="margin:0.4em 0">{"".join(lines)}</div>' if lines else ""


def _warning(label: Mapping[str, Any]) -> str:
    title = f' title="{escape(label["title"])}"' if label["title"] else ""
    return f"<b>{escape(label['kind'])}</b>: <span{title}>{escape(label['text'])}</span>"
