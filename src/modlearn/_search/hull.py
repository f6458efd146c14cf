"""The number of parts: search over the lower convex hull of part costs against parts.

With g(I) the least sum of part costs for I parts and f(I) the prior, concave in I, the optimum of
g + f is a vertex of the lower convex hull of g: between two vertices the hull is a line, so
hull + f is concave there and lowest at an end. Each vertex is found by one search with a penalty
per part, O(B²) instead of O(B² I), and few vertices need be looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._search.exact import IntervalCosts

__all__ = [
    "Prior",
    "best_of_few",
    "lowest_vertex",
    "step",
    "vertex_near",
    "vertices_nearby",
]

Prior = Callable[[Any], Any]
"""The prior of I parts, for a number or an array of numbers I; increasing and concave."""


@dataclass(frozen=True)
class Vertex:
    """A vertex of the hull of g, with the slope of a line that supports the hull there."""

    bounds: NDArray[np.int64]
    part_cost: float
    penalty: float

    @property
    def n_parts(self) -> int:
        """I, the number of parts."""
        return len(self.bounds) - 1

    def total(self, prior: Prior) -> float:
        """Part costs plus prior."""
        return self.part_cost + float(prior(self.n_parts))


def step(prior: Prior, n_parts: int) -> float:
    """Return how much the last of n_parts parts adds to the prior."""
    return float(prior(n_parts) - prior(n_parts - 1))


def _vertex(costs: IntervalCosts, penalty: float) -> Vertex:
    return Vertex(*costs.penalized(penalty), penalty)


def lowest_vertex(costs: IntervalCosts, prior: Prior, tolerance: float) -> Vertex:
    """Find the vertex where part costs plus prior are least; no partition costs less.

    An infinite part cost says that every partition has a part that is too small.
    """
    # The optimum is the answer to its own step of the prior, and steps shrink with more parts.
    fewest = _vertex(costs, step(prior, 2))
    most = _vertex(costs, step(prior, costs.n_blocks))
    if np.isinf(most.part_cost):
        return most
    while most.n_parts > 1:
        fewer = _vertex(costs, step(prior, most.n_parts))
        if fewer.n_parts == most.n_parts:
            break
        most = fewer
    best = most if most.total(prior) < fewest.total(prior) - tolerance else fewest
    segments = [(fewest, most)]
    while segments:
        a, b = segments.pop()
        if b.n_parts - a.n_parts < 2 or _least_between(a, b, prior) >= best.total(prior):
            continue
        middle = _vertex(costs, (a.part_cost - b.part_cost) / (b.n_parts - a.n_parts))
        if not a.n_parts < middle.n_parts < b.n_parts:
            continue
        if middle.total(prior) < best.total(prior) - tolerance:
            best = middle
        segments += [(a, middle), (middle, b)]
    return best


def _least_between(a: Vertex, b: Vertex, prior: Prior) -> float:
    """Lower bound of hull plus prior between two vertices, from their supporting lines."""
    slopes = a.penalty - b.penalty
    if not slopes > 0:
        return np.inf
    crossing = (a.part_cost - b.part_cost + a.penalty * a.n_parts - b.penalty * b.n_parts) / slopes
    crossing = min(max(crossing, a.n_parts), b.n_parts)
    height = a.part_cost - a.penalty * (crossing - a.n_parts)
    return height + float(prior(int(crossing)))


def vertex_near(costs: IntervalCosts, prior: Prior, n_parts: int) -> Vertex:
    """Find a vertex that answers its own step of the prior, starting from n_parts."""
    best = vertex = _vertex(costs, step(prior, max(2, n_parts)))
    seen = {n_parts}
    while vertex.n_parts not in seen and vertex.n_parts > 1:
        seen.add(vertex.n_parts)
        vertex = _vertex(costs, step(prior, vertex.n_parts))
        best = min(best, vertex, key=lambda v: v.total(prior))
    return best


def vertices_nearby(costs: IntervalCosts, prior: Prior, n_parts: int) -> list[Vertex]:
    """Find vertices with somewhat fewer and somewhat more than n_parts parts."""
    penalty = step(prior, max(2, n_parts))
    return [_vertex(costs, penalty * 1.25), _vertex(costs, penalty * 0.8)]


def best_of_few(
    costs: IntervalCosts, prior: Prior, tolerance: float, max_parts: int
) -> NDArray[np.int64]:
    """Find the best bounds with at most max_parts parts: one layer of the search per part."""
    n_parts = min(max_parts, costs.n_blocks)
    sums, bounds_of = costs.best_with(n_parts)
    totals = sums + prior(np.arange(1, n_parts + 1))
    return bounds_of(1 + int(np.flatnonzero(totals <= totals.min() + tolerance)[0]))
