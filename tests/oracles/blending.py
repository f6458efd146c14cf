"""Class shares among neighbors, and the geometric mean of two distributions."""

from collections.abc import Sequence
from fractions import Fraction
from math import exp, log


def neighbor_shares(
    known: Sequence[Fraction], prior: Sequence[Fraction], n_neighbors: int
) -> list[Fraction]:
    """Add a neighbor whose distribution is the prior: (k q_j + P(j)) / (k Σ q_j + 1)."""
    votes = [*([tuple(known)] * n_neighbors), tuple(prior)]
    total = sum(map(sum, votes), Fraction(0))
    return [sum(column, Fraction(0)) / total for column in zip(*votes, strict=True)]


def blended(first: Sequence[float], second: Sequence[float]) -> list[float]:
    """exp of the mean log of both, scaled to add up to 1."""
    means = [
        exp((log(p) + log(q)) / 2) if p > 0 and q > 0 else 0.0
        for p, q in zip(first, second, strict=True)
    ]
    return [mean / sum(means) for mean in means]
