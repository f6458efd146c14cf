"""What a model is worth beyond its accuracy: how the rows of a rare class rank."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

__all__ = ["QUARTER", "certainty", "interval", "top_quarter"]

QUARTER = 0.25
"""The share of rows, ranked by the probability of a class, that is compared with a random one."""

RARE = 0.2
"""A class with a smaller share of the rows is rare."""

CONFIDENCE = 1.96
"""Half the width of a 95 % interval, in standard deviations."""


def top_quarter(summary: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return how much of the class of interest the quarter of rows ranked highest holds.

    Accuracy says little about a rare class, as does a model that predicts hardly any row of it:
    then this ``leads``, if the quarter holds clearly more than a random one. None if there is no
    class of interest, or no curve of it.
    """
    evaluation, positive = summary["evaluation"], summary["positive"]
    curves = (evaluation or {}).get("curves") or ()
    curve = next((one for one in curves if one["class"] == positive), None)
    if curve is None or positive is None:
        return None
    share = float(np.interp(QUARTER, *np.transpose(curve["lift"])))  # one of its points
    rows = evaluation["confusion"][positive]
    is_rare = sum(rows) < RARE * evaluation["n_test"] or not _gains(evaluation)
    return {
        "class": summary["classes"][positive]["name"],
        "share": share,
        "recall": rows[positive] / sum(rows),
        "leads": is_rare and interval(share, sum(rows))[0] > QUARTER,
    }


def certainty(summary: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the confidence interval of the accuracy, and whether it is clearly a gain."""
    evaluation = summary["evaluation"]
    if evaluation is None:
        return None
    accuracy = evaluation["measures"]["accuracy"]["mean"]
    return {
        "interval": [*interval(accuracy, evaluation["n_test"])],
        "gains": _gains(evaluation),
    }


def _gains(evaluation: Mapping[str, Any]) -> bool:
    """Return whether the model is clearly more accurate than the most frequent class."""
    _, high = interval(evaluation["majority"]["accuracy"], evaluation["n_test"])
    return bool(evaluation["measures"]["accuracy"]["mean"] > high)


def interval(share: float, n_rows: int) -> tuple[float, float]:
    """Return the 95 % Wilson confidence interval of a share."""
    if n_rows <= 0:
        return 0.0, 1.0
    square = CONFIDENCE**2 / n_rows
    middle = (share + square / 2) / (1 + square)
    half = (
        CONFIDENCE / (1 + square) * math.sqrt(share * (1 - share) / n_rows + square / (4 * n_rows))
    )
    return max(0.0, middle - half), min(1.0, middle + half)
