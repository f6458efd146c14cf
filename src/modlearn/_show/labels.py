"""Labels of parts as the page shows them, made from the facts of a summary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from modlearn._model.groups import LONGEST_LABEL

__all__ = ["needs_list", "short_labels"]

Record = Mapping[str, Any]


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
    """Labels of the intervals between cuts; infinite values may be parts of their own."""
    lows: list[str | None] = [None, *cuts]
    highs: list[str | None] = [*cuts, None]
    # A cut next to infinite values alone bounds nothing that a reader can see.
    if low_alone:
        lows[1] = None
    if high_alone:
        highs[-2] = None
    labels = [_interval(low, high) for low, high in zip(lows, highs, strict=True)]
    if not cuts:
        return ["all values"]
    return ["−∞" if low_alone else labels[0], *labels[1:-1], "∞" if high_alone else labels[-1]]


def _interval(low: str | None, high: str | None) -> str:
    if low is None:
        return "all other values" if high is None else f"≤ {high}"
    return f"> {low}" if high is None else f"({low}, {high}]"


def needs_list(axis: Record) -> bool:
    """Return whether groups have more values than their labels may show."""
    if axis["groups"] is None:
        return False
    texts = (", ".join("missing" if v is None else v for v in group) for group in axis["groups"])
    return any(len(text) > LONGEST_LABEL for text in texts)
