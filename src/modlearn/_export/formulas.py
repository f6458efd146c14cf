"""Texts that a spreadsheet would run as formulas, written so that it shows them instead."""

from __future__ import annotations

import re

from modlearn._tables.files.columns import identifier, natural_columns
from modlearn._tables.files.workspace import Workspace, literal

__all__ = ["escape_formulas"]

STARTS = "=+-@\t\r\uff1d\uff0b\uff0d\uff20"
"""First characters of formulas, also those of full width; a number may begin with a sign, too."""

NUMBER = r"[+-]?[0-9.,]*[0-9]([eE][+-]?[0-9]+)?%?"


def escape_formulas(workspace: Workspace, query: str) -> str:
    """Return a query with an apostrophe before each text and name that begins like a formula."""
    columns = natural_columns(workspace, f"({query})")
    selected = ", ".join(
        f"{_escaped(column.raw) if column.family == 'text' else column.raw} "
        f"AS {identifier(_escaped_name(column.name))}"
        for column in columns
    )
    return f"SELECT {selected} FROM ({query})"


def _escaped(cell: str) -> str:
    """SQL of a cell of text."""
    text = f"CAST({cell} AS VARCHAR)"
    starts = ", ".join(map(literal, STARTS))
    is_formula = f"left({text}, 1) IN ({starts}) AND NOT regexp_full_match({text}, '{NUMBER}')"
    return f"CASE WHEN {is_formula} THEN '''' || {text} ELSE {text} END"


def _escaped_name(name: str) -> str:
    """Return the name of a column."""
    is_formula = name.startswith(tuple(STARTS)) and not re.fullmatch(NUMBER, name)
    return f"'{name}" if is_formula else name
