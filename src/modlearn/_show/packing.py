"""The data of a page: what its script reads, small enough for a file that is sent around."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

from modlearn._model.partitions import LONGEST_LABEL
from modlearn._show.phrases import exact_percent, shown_values
from modlearn._show.summary import readable_date, reason_of
from modlearn.schema import Kind

__all__ = ["as_json", "pack", "short_labels"]

MOST_BYTES = {"variables": 1_300_000, "curves": 1_300_000, "pairs": 500_000, "trees": 300_000}
"""Of the parts and counts of variables, their curves, pairs, and trees; the least informative ones
do without."""

SCORE_DIGITS = 4
"""Decimals of scores, in nats."""

MOST_ROWS = {"variables": 20_000, "pairs": 5_000}
"""Lines of a table; the best are kept."""

MOST_CELLS = 20_000
"""Of a confusion matrix."""

# Characters that could end the block, or that old engines take for the end of a line.
ESCAPES = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}

DIGITS = dict.fromkeys(("level", "weight", "gain"), 12) | {"cost": 9, "null_cost": 9, "synergy": 9}
DIGITS |= {"importance": 6, "roc": 5, "lift": 5}
"""Decimals by the name of a number. What is shown elsewhere too has many, as a number that is
rounded twice may differ in its last digit; curves have as many as an evaluation keeps."""

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
    packed = {
        "classes": [group["name"] for group in summary["classes"]],
        "rows": [group["rows"] for group in summary["classes"]],
        "positive": summary["positive"],
        "decision": _decision(summary["decision"]),
        "evaluation": _evaluation(summary),
        "variables": _variables(variables, index) | {"total": len(summary["variables"])},
        "pairs": _pairs(pairs, index)
        | {"total": len(summary["pairs"]), "searched": summary["pairs_searched"]},
        "trees": _within(MOST_BYTES["trees"], map(_tree, summary["trees"])),
    }
    shown: dict[str, Any] = shown_values(packed, DIGITS)
    return shown


def _decision(decision: Record | None) -> dict[str, Any] | None:
    """Class and threshold of a decision; the threshold is a text, as elsewhere."""
    if decision is None:
        return None
    least = decision["threshold"]
    threshold = None if least is None else exact_percent(least)
    return {"class": decision["class"], "threshold": threshold}


def _variables(records: Sequence[Record], index: Mapping[str, int]) -> dict[str, Any]:
    """Columns of the table, and the details of each line."""
    numbers = ("level", "weight", "importance", "cost", "null_cost")
    return {
        "name": [record["name"] for record in records],
        "type": [record["type"] for record in records],
        "parts": [len(record["parts"]) for record in records],
        "proven": [int(record["proven_optimal"]) for record in records],
        "missing": _column(records, "n_missing"),
        "distinct": _column(records, "n_distinct"),
        "bins": _column(records, "n_bins"),
        **{key: _column(records, key) for key in numbers},
        "details": _within(MOST_BYTES["variables"], (_detail(r, index) for r in records)),
        "curves": _curves(records),
    }


def _pairs(records: Sequence[Record], index: Mapping[str, int]) -> dict[str, Any]:
    numbers = ("level", "gain", "synergy", "weight", "cost", "null_cost")
    return {
        # A name stands in the list of variables already.
        "names": [[index.get(name, name) for name in record["names"]] for record in records],
        **{key: _column(records, key) for key in numbers},
        "details": _within(
            MOST_BYTES["pairs"],
            (
                [list(map(short_labels, r["axes"])), _flat(_flat(r["counts"])), *_scores(r)]
                for r in records
            ),
        ),
    }


def _tree(record: Record) -> dict[str, Any]:
    """Return a tree: its branches, the letter, paths, rows and scores of each leaf."""
    return {
        **{key: record[key] for key in ("names", "level", "weight", "synergy", "letters", "paths")},
        "branches": [[one["column"], one["ways"]] for one in record["branches"]],
        "details": [_flat(record["counts"]), *_scores(record)],
    }


def _curves(records: Sequence[Record]) -> list[Any] | None:
    """What each column adds to the scores; None if that was not learned directly."""
    if all(record["curve"] is None for record in records):
        return None
    return _within(MOST_BYTES["curves"], (_curve(record["curve"]) for record in records))


def _curve(curve: Record | None) -> list[Any] | None:
    """Parts, rows, scores and deviations per part and class; bounds and ticks from 0 to 1."""
    if curve is None:
        return None
    packed = [short_labels(curve["axis"]), curve["rows"], *_scores(curve)]
    if curve["bounds"] is None:
        return packed
    first, last = curve["bounds"][0], curve["bounds"][-1]
    along = [(bound - first) / (last - first) for bound in curve["bounds"]]
    ticks = [[(at - first) / (last - first), text] for at, text in curve["ticks"]]
    return [*packed, along, ticks]


def _scores(record: Record) -> list[list[float]]:
    """Scores and deviations per part and class; none if there are none."""
    tables = [record["scores"], record["deviations"]]
    if None in tables:
        return []
    return [[round(value, SCORE_DIGITS) for value in _flat(table)] for table in tables]


def _column(records: Sequence[Record], key: str) -> list[Any] | None:
    """One value per line; None where all are unknown."""
    values = [record[key] for record in records]
    return None if values and all(value is None for value in values) else values


def _detail(record: Record, index: Mapping[str, int]) -> list[Any]:
    """Parts, rows per part and class, unlabeled rows, values of groups, their number, reasons."""
    axis = record["axis"]
    groups = _listed_values(axis)
    detail = [
        short_labels(axis),
        _flat(record["counts"]),
        record["unlabeled"],
        groups,
        groups and axis["group_sizes"],
        [_redundant(other, index) for other in record["redundant_with"]] or None,
    ]
    while detail[-1] is None:
        detail.pop()
    return detail


def _listed_values(axis: Record) -> list[list[str]] | None:
    """Return the values of groups if some have more than their labels may show."""
    groups = [["missing" if v is None else v for v in group] for group in axis["groups"] or ()]
    return groups if any(len(", ".join(group)) > LONGEST_LABEL for group in groups) else None


def _redundant(other: Record, index: Mapping[str, int]) -> list[Any]:
    """A variable as its line in the table, a pair by its name; and the reason."""
    name = " × ".join(other["names"])
    return [index.get(name, name) if len(other["names"]) == 1 else name, reason_of(other)]


def _within(most: int, details: Iterable[Any]) -> list[Any]:
    """Details as long as they fit, then none."""
    kept: list[Any] = []
    for detail in details:
        most -= len(as_json(detail).encode("utf-8", "replace"))
        if most < 0:
            break
        kept.append(detail)
    return kept


def _evaluation(summary: Record) -> dict[str, Any] | None:
    """What charts are drawn from."""
    evaluation = summary["evaluation"]
    if evaluation is None:
        return None
    dates = {one["name"] for one in summary["variables"] if one["type"] == Kind.DATETIME}
    keys = ("how", "n_folds", "n_train", "n_test", "measures", "majority", "best_variable")
    return {
        **{key: evaluation.get(key) for key in (*keys, "calibration")},
        "examples": [_example(one, dates) for one in evaluation.get("examples") or []],
        "top_quarter": summary["top_quarter"],
        "curves": evaluation.get("curves") or [],
        "confusion": _confusion(evaluation["confusion"]),
    }


def _example(row: Record, dates: Container[str]) -> dict[str, Any]:
    """A row whose reasons have readable dates."""
    reasons = [
        {**one, "low": one["low"] and readable_date(one["low"])}
        | {"high": one["high"] and readable_date(one["high"])}
        if isinstance(one["variable"], str) and one["variable"] in dates
        else one
        for one in row["reasons"]
    ]
    return {**row, "reasons": reasons}


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


def _flat(rows: Iterable[Iterable[Any]]) -> list[Any]:
    return [value for row in rows for value in row]


def short_labels(axis: Record) -> list[str]:
    """Return a label per part: ``≤ 2``, ``(2, 3]``, ``> 3``; groups have their values in braces."""
    if axis["cut_texts"] is None:
        return list(axis["labels"])
    labels = _intervals(axis["cut_texts"], *axis["infinite_ends"])
    if axis["missing"] == "alone":
        return ["missing", *labels]
    if axis["missing"] == "first":
        labels[0] = f"missing or {labels[0]}"
    return labels


def _intervals(cuts: Sequence[str], low_alone: bool, high_alone: bool) -> list[str]:
    """Return labels of the intervals between cuts; infinite values may be parts of their own."""
    if not cuts:
        return ["all values"]
    lows: list[str | None] = [None, *cuts]
    highs: list[str | None] = [*cuts, None]
    # A cut next to a part of only infinite values is not shown as a bound.
    if low_alone:
        lows[1] = None
    if high_alone:
        highs[-2] = None
    labels = [_interval(low, high) for low, high in zip(lows, highs, strict=True)]
    return ["−∞" if low_alone else labels[0], *labels[1:-1], "∞" if high_alone else labels[-1]]


def _interval(low: str | None, high: str | None) -> str:
    if low is None:
        return "all other values" if high is None else f"≤ {high}"
    return f"> {low}" if high is None else f"({low}, {high}]"
