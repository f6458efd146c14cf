"""Why a variable that tells something has no weight: who else tells it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from modlearn._evaluate.shared_information import share_told_by_grid
from modlearn._model.partition import Partition

__all__ = ["Told", "redundant_with"]

Told = Mapping[str, Mapping[str, float]]
"""Name of a column -> name of another -> share of what it tells that the other tells too."""

MOST = 3
"""Variables that are named."""

LEAST_SHARE = 0.25
"""Two columns that have less in common are not called redundant."""


def redundant_with(model: Any, partition: Partition, told: Told) -> list[dict[str, Any]]:
    """Return the weighted variables that tell the same; none if it has a weight, or none is known.

    A pair that the model weighs comes first: through it the column is used after all. Then columns
    by the share they tell too, as the grid of the two knows it, else as the caller measured it.
    """
    weights = getattr(model, "weights_", None)
    if not weights or partition.level <= 0 or weights.get(partition.name, 0.0) > 0:
        return []
    weighted = {name: weight for name, weight in weights.items() if weight > 0}
    shares = _shares(model, partition, told, weighted)
    ranked = sorted(shares.items(), key=lambda item: -item[1])
    columns = [_column(name, share) for name, share in ranked if share >= LEAST_SHARE]
    return (_pairs(partition.name, weighted) + columns)[:MOST]


def _pairs(name: Hashable, weighted: Mapping[Any, float]) -> list[dict[str, Any]]:
    return [
        {
            "name": f"{pair[0]} × {pair[1]}",
            "share": None,
            "reason": f"the model uses it through this pair, with weight {weight:.2f}",
        }
        for pair, weight in weighted.items()
        if isinstance(pair, tuple) and name in pair
    ]


def _shares(
    model: Any, partition: Partition, told: Told, weighted: Mapping[Any, float]
) -> dict[str, float]:
    """Share of what a column tells that weighted columns tell too, where that is known."""
    known = told.get(str(partition.name), {})
    shares = {str(name): known[str(name)] for name in weighted if str(name) in known}
    for pair, grid in getattr(model, "grids_", {}).items():
        if partition.name in pair:
            other = pair[0] if pair[1] == partition.name else pair[1]
            if other in weighted:
                shares[str(other)] = share_told_by_grid(partition, grid)
    return shares


def _column(name: str, share: float) -> dict[str, Any]:
    return {
        "name": name,
        "share": share,
        "reason": f"it tells {share:.0%} of what this variable tells",
    }
