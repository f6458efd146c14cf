"""Why an informative variable has no weight: which others carry the same information."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from modlearn._evaluate.data_warnings import share_covered_by_grid
from modlearn._model.partition import Partition

__all__ = ["Shared", "reason_of", "redundant_with"]

Shared = Mapping[str, Mapping[str, float]]
"""Name of a column -> name of another -> share of its information that the other carries too."""

MOST = 3
"""Variables that are named."""

LEAST_SHARE = 0.25
"""Two columns that share less are not called redundant."""


def redundant_with(model: Any, partition: Partition, shared: Shared) -> list[dict[str, Any]]:
    """Return the weighted variables that carry the same information; none if it has a weight.

    A pair that the model weighs comes first: through it the column is used after all. Then columns
    by the share they have in common, from the grid of the two if there is one, else as the caller
    measured it. Each has ``names`` (of a column or a pair), ``share`` and ``weight``.
    """
    weights = getattr(model, "weights_", None)
    if not weights or partition.level <= 0 or weights.get(partition.name, 0.0) > 0:
        return []
    weighted = {name: weight for name, weight in weights.items() if weight > 0}
    shares = _shares(model, partition, shared, weighted)
    ranked = sorted(shares.items(), key=lambda item: -item[1])
    columns = [
        {"names": [name], "share": share, "weight": None}
        for name, share in ranked
        if share >= LEAST_SHARE
    ]
    return (_pairs(partition.name, weighted) + columns)[:MOST]


def reason_of(redundant: Mapping[str, Any]) -> str:
    """Return what another variable has to do with one that has no weight, as part of a sentence."""
    if redundant["share"] is None:
        return f"the model uses it through this pair, with weight {redundant['weight']:.2f}"
    return f"carries {redundant['share']:.0%} of the information of this variable"


def _pairs(name: Hashable, weighted: Mapping[Any, float]) -> list[dict[str, Any]]:
    return [
        {"names": [str(one) for one in pair], "share": None, "weight": weight}
        for pair, weight in weighted.items()
        if isinstance(pair, tuple) and name in pair
    ]


def _shares(
    model: Any, partition: Partition, shared: Shared, weighted: Mapping[Any, float]
) -> dict[str, float]:
    """Share of a column's information that weighted columns carry too, where that is known."""
    known = shared.get(str(partition.name), {})
    shares = {str(name): known[str(name)] for name in weighted if str(name) in known}
    for pair, grid in getattr(model, "grids_", {}).items():
        if partition.name in pair:
            other = pair[0] if pair[1] == partition.name else pair[1]
            if other in weighted:
                shares[str(other)] = share_covered_by_grid(partition, grid)
    return shares
