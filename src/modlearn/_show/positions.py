"""Where the intervals of a column stand on the axis of a picture."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from modlearn._model.partitions import Intervals

__all__ = ["positions_of"]

MOST_TICKS = 5
"""Cuts that are written at an axis."""

WIDER = (0.5, 3.0)
"""How wide the first and the last interval are drawn, at least and at most, in their neighbor's."""

LEAST_SHARE = 0.05
"""Of an axis: if half of the intervals would take less, all are drawn equally wide."""


def positions_of(intervals: Intervals) -> tuple[NDArray[np.float64], list[tuple[float, int]]]:
    """Return the bounds of intervals on an axis, and the cuts to write: position and index.

    The axis shows values if they are spread out, and ranks if they are not. The first and the last
    interval have no end; they are about as wide as their neighbors. Missing values are elsewhere.
    """
    cuts, bounds = intervals.cuts, _bounds_of_values(intervals)
    if bounds is None or _is_crowded(bounds):
        bounds = np.arange(len(cuts) + 2, dtype=np.float64)
    wanted = np.linspace(bounds[0], bounds[-1], MOST_TICKS + 2)[1:-1]
    nearest = {int(np.abs(bounds[1:-1] - at).argmin()) for at in wanted} if len(cuts) else set()
    return bounds, [(float(bounds[i + 1]), i) for i in sorted(nearest)]


def _bounds_of_values(intervals: Intervals) -> NDArray[np.float64] | None:
    """Return the cuts with an end on either side; None if infinite values are in the way."""
    cuts, sides = intervals.cuts, intervals.sides
    if not len(cuts) or np.abs(cuts).max() >= np.finfo(np.float64).max / 4:
        return None
    if not np.isfinite(sides[[0, -1]]).all():
        return None
    widths = np.diff(cuts) if len(cuts) > 1 else np.diff(sides[0])
    rows = intervals.cells.sum(axis=1)[int(intervals.missing_alone) :]
    # As wide as its neighbor, and wider if it has more rows.
    before = widths[0] * np.clip(rows[0] / max(1, rows[1]), *WIDER)
    after = widths[-1] * np.clip(rows[-1] / max(1, rows[-2]), *WIDER)
    first, last = min(cuts[0] - before, sides[0, 0]), max(cuts[-1] + after, sides[-1, 1])
    return np.concatenate(([first], cuts, [last]))


def _is_crowded(bounds: NDArray[np.float64]) -> bool:
    """Whether half of the intervals would take almost no room."""
    widths = np.sort(np.diff(bounds))
    total = widths.sum()
    return not 0 < total < np.inf or bool(
        widths[: len(widths) // 2 + 1].sum() < LEAST_SHARE * total
    )
