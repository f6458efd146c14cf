"""The report as one page that needs nothing else: no network and no other files."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from modlearn._model.files import write_whole
from modlearn._show import words
from modlearn._show.summary import reason_of
from modlearn._show.tables import needs_list, short_labels, style_of_classes
from modlearn._show.words import (
    LONGEST_TITLE,
    Spelling,
    left_out_sentence,
    note_sentence,
    shortened,
    shown_values,
    warning_label,
)

if TYPE_CHECKING:
    from jinja2 import Template

__all__ = ["as_json", "pack", "page", "write_report"]

MOST_BYTES = {"variables": 1_300_000, "pairs": 500_000}
"""Of the parts and counts of variables and of pairs; the least informative ones do without."""

MOST_ROWS = {"variables": 20_000, "pairs": 5_000}
"""Lines of a table; the best are kept."""

MOST_CELLS = 20_000
"""Of a confusion matrix."""

LONGEST_NAME = 300
"""Characters of a name before it is cut short."""

# Characters that could end the block, or that old engines take for the end of a line.
ESCAPES = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}

DIGITS = {"level": 4, "weight": 3, "importance": 4, "cost": 2, "null_cost": 2, "gain": 4}
DIGITS |= {"synergy": 2}
DIGITS_OF_CURVES = 3

Record = Mapping[str, Any]


def as_json(value: Any) -> str:
    """Return JSON that can stand inside a page, whatever the texts in it."""
    text = json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    return text.translate(ESCAPES)


def pack(summary: Record) -> dict[str, Any]:
    """Return what the script of the page reads."""
    variables = summary["variables"][: MOST_ROWS["variables"]]
    pairs = summary["pairs"][: MOST_ROWS["pairs"]]
    index = {record["name"]: i for i, record in enumerate(variables)}
    return {
        "classes": shown_values([group["name"] for group in summary["classes"]]),
        "rows": [group["rows"] for group in summary["classes"]],
        "positive": summary["positive"],
        "evaluation": _evaluation(summary["evaluation"]),
        "variables": _variables(variables, index) | {"total": len(summary["variables"])},
        "pairs": _pairs(pairs, index)
        | {"total": len(summary["pairs"]), "searched": summary["pairs_searched"]},
    }


def _variables(records: Sequence[Record], index: Mapping[str, int]) -> dict[str, Any]:
    """Columns of the table, and the details of each line."""
    numbers = ("level", "weight", "importance", "cost", "null_cost")
    return {
        "name": shown_values([record["name"] for record in records]),
        "type": [record["type"] for record in records],
        "parts": [len(record["parts"]) for record in records],
        "proven": [int(record["proven_optimal"]) for record in records],
        "missing": _column(records, "n_missing"),
        "distinct": _column(records, "n_distinct"),
        **{key: _column(records, key) for key in numbers},
        "details": _within(MOST_BYTES["variables"], (_detail(r, index) for r in records)),
    }


def _pairs(records: Sequence[Record], index: Mapping[str, int]) -> dict[str, Any]:
    numbers = ("level", "gain", "synergy", "weight", "cost", "null_cost")
    return {
        # A name stands in the list of variables already.
        "names": [[index.get(n, shortened(n)) for n in record["names"]] for record in records],
        **{key: _column(records, key) for key in numbers},
        "details": _within(
            MOST_BYTES["pairs"],
            ([[_labels(axis) for axis in r["axes"]], _flat(_flat(r["counts"]))] for r in records),
        ),
    }


def _column(records: Sequence[Record], key: str) -> list[Any] | None:
    """One value per line; None where all are unknown."""
    digits = DIGITS.get(key, 0)
    values = shown_values([record[key] for record in records], digits)
    return None if values and all(value is None for value in values) else values


def _detail(record: Record, index: Mapping[str, int]) -> list[Any]:
    """Parts, rows per part and class, unlabeled rows, values of groups, their number, reasons."""
    axis = record["axis"]
    groups = _values(axis["groups"]) if needs_list(axis) else None
    redundant = [_redundant(other, index) for other in record["redundant_with"]]
    detail = [
        _labels(axis),
        _flat(record["counts"]),
        record["unlabeled"],
        groups,
        groups and axis["group_sizes"],
        redundant or None,
    ]
    while detail[-1] is None:
        detail.pop()
    return detail


def _redundant(other: Record, index: Mapping[str, int]) -> list[Any]:
    """A variable as its line in the table, a pair by its name; and the reason."""
    names = other["names"]
    name = index.get(names[0]) if len(names) == 1 else None
    return [shortened(" × ".join(names)) if name is None else name, reason_of(other)]


def _values(groups: Iterable[Iterable[str | None]]) -> list[list[str]]:
    """Values of groups as they are shown."""
    values: list[list[str]] = shown_values(
        [["missing" if v is None else v for v in group] for group in groups]
    )
    return values


def _labels(axis: Record) -> list[str]:
    labels: list[str] = shown_values(short_labels(axis))
    return labels


def _within(most: int, details: Iterable[Any]) -> list[Any]:
    """Details as long as they fit, then none."""
    kept: list[Any] = []
    used = 0
    for detail in details:
        used += len(as_json(detail).encode("utf-8", "replace")) if used <= most else 0
        if used > most:
            break
        kept.append(detail)
    return kept


def _evaluation(evaluation: Record | None) -> dict[str, Any] | None:
    """What charts are drawn from."""
    if evaluation is None:
        return None
    keys = ("how", "n_folds", "n_train", "n_test", "measures", "majority", "best_variable")
    numbers = {key: evaluation.get(key) for key in (*keys, "calibration", "examples")}
    return {
        **shown_values(numbers),
        "curves": [_curve(curve) for curve in evaluation.get("curves") or []],
        "confusion": _confusion(evaluation["confusion"]),
    }


def _confusion(table: Sequence[Sequence[int]]) -> dict[str, Any]:
    """Sums of a confusion matrix, and its cells that are not 0: true class, predicted class, rows.

    With thousands of classes most cells are 0; the largest of the others are kept.
    """
    cells = [(n, i, j) for i, line in enumerate(table) for j, n in enumerate(line) if n]
    cells = sorted(cells, key=lambda cell: -cell[0])[:MOST_CELLS]
    return {
        "truth": [sum(line) for line in table],
        "predicted": [sum(column) for column in zip(*table, strict=True)],
        "cells": _flat((i, j, n) for n, i, j in cells),
    }


def _curve(curve: Record) -> dict[str, Any]:
    """A curve whose points are as fine as can be drawn."""
    points = shown_values({key: curve[key] for key in ("roc", "lift")}, DIGITS_OF_CURVES)
    return {**shown_values({"class": curve["class"], "auc": curve["auc"]}), **points}


def _flat(rows: Iterable[Iterable[Any]]) -> list[Any]:
    return [value for row in rows for value in row]


HERE = Path(__file__).parent

MANY_CLASSES = 12
"""Classes beyond which the confusion matrix takes the whole width."""

LONGEST_HEADING = 80
"""Characters of a name in a heading or a list; a longer one would fill a phone."""

LONGEST_LIST = 200
"""Warnings, notes or columns left out that are listed; the rest is counted."""


def write_report(
    summary: Mapping[str, Any], path: str | PathLike[str], spelling: Spelling = "python"
) -> None:
    """Write the page of a summary; it appears whole, or an old one stays.

    Parameters
    ----------
    summary : mapping
        As ``summarize`` gives it.
    path : path
        The file, such as ``"wine.report.html"``.
    spelling : {"python", "command"}, default="python"
        Whether remedies are spelled as in Python or as on the command line.
    """
    write_whole(Path(path), page(summary, spelling))


def page(summary: Mapping[str, Any], spelling: Spelling = "python") -> str:
    """Return a summary as HTML with its data, script and style inside."""
    style, script = style_of_classes() + _source("page.css"), _source("page.js")
    text = _template().render(
        target=_target(summary),
        listed=_listed(summary, spelling),
        verb=_verb(summary),
        line=words.data_line(summary),
        verdict=words.verdict(summary),
        measures=words.measures(summary),
        evaluation=summary["evaluation"],
        many_classes=len(summary["classes"]) > MANY_CLASSES,
        has_pairs=bool(summary["pairs"]),
        pairs_searched=summary["pairs_searched"],
        pairs_complete=summary["pairs_complete"],
        has_weights=any(v["weight"] is not None for v in summary["variables"]),
        explained_by=words.explained_by(summary),
        has_examples=bool((summary["evaluation"] or {}).get("examples")),
        created=summary["created"],
        version=summary["modlearn"],
        style=style,
        script=script,
        policy=_policy(style, script),
        json=as_json(pack(summary)),
    )
    # Half a surrogate pair is not a character, and no file could hold it.
    return str(text).encode("utf-8", "replace").decode("utf-8")


def _verb(summary: Mapping[str, Any]) -> str:
    return "Predicting" if summary["evaluation"] else "What is informative about"


def _target(summary: Mapping[str, Any]) -> str:
    return str(summary["data"].get("target") or "the target")


def _listed(
    summary: Mapping[str, Any], spelling: Spelling
) -> dict[str, tuple[list[dict[str, str]], int]]:
    """Warnings, notes and columns left out, in words; each list with the number of further ones."""
    data = summary["data"]
    lists: dict[str, tuple[Sequence[Mapping[str, Any]], Callable[..., dict[str, str]]]] = {
        "warnings": (summary["warnings"], warning_label),
        "notes": (data.get("notes") or [], lambda fact, s: {"text": note_sentence(fact, s)}),
        "left_out": (
            data.get("left_out") or [],
            lambda fact, s: {"name": fact["name"], "text": left_out_sentence(fact, s)},
        ),
    }
    return {
        key: ([write(one, spelling) for one in facts[:LONGEST_LIST]], len(facts[LONGEST_LIST:]))
        for key, (facts, write) in lists.items()
    }


def _policy(style: str, script: str) -> str:
    """What the page may do: run its own script, use its own style, and load nothing."""
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


@cache
def _source(name: str) -> str:
    """A script or style without indentation and comments, which are for us."""
    lines = [line.strip() for line in (HERE / name).read_text(encoding="utf-8").splitlines()]
    return "\n".join(line for line in lines if line and not line.startswith(("//", "/*")))


@cache
def _template() -> Template:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(HERE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["short"] = lambda value: shortened(str(value))
    environment.filters["brief"] = lambda value: words.visible(str(value), LONGEST_HEADING)
    environment.filters["whole"] = lambda value: words.visible(str(value), LONGEST_TITLE)
    environment.globals["longest_heading"] = LONGEST_HEADING
    return environment.get_template("template.html")
