"""kNN label distribution propagation: seed 001 Eq. 5 and 6, and its algorithm."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

Row = tuple[Fraction, ...]
"""Probability of each class; what it lacks to 1 is unknown."""

Lists = Sequence[Sequence[int]]
Votes = Sequence[Sequence[Fraction]]


class Spread(NamedTuple):
    """`rows` holds what is known of every row, `order` the unlabeled ones as they were decided."""

    rows: list[Row]
    order: list[int]


def alike(neighbors: Lists) -> Votes:
    """A vote of 1 for every neighbor."""
    return [[Fraction(1)] * len(near) for near in neighbors]


def average(near: Sequence[int], votes: Sequence[Fraction], rows: Sequence[Row]) -> Row:
    """Eq. 5: Pr(c|x) = Σ_{p in kNN(x)} v_p · Pr(c|p) / Σ_{p in kNN(x)} v_p, v = 1 in the paper."""
    n_classes, total = len(rows[0]), sum(votes)
    if not total:
        return (Fraction(0),) * n_classes
    return tuple(
        sum((v * rows[p][c] for p, v in zip(near, votes, strict=True)), Fraction(0)) / total
        for c in range(n_classes)
    )


def known_mass(row: Row) -> Fraction:
    """Eq. 6: w(x) = Σ_{c ≠ unknown} Pr(c|x)."""
    return sum(row, Fraction(0))


def log_mass(row: Row) -> float:
    """log w(x); of fractions of any size."""
    mass = known_mass(row)
    return math.log(mass.numerator) - math.log(mass.denominator) if mass else -math.inf


def normalized(row: Row) -> Row:
    """Pr(c|x) / w(x); zero where nothing is known."""
    mass = known_mass(row)
    return tuple(p / mass for p in row) if mass else row


def propagate(
    neighbors: Lists, radii: Sequence[float], labels: Sequence[Row], votes: Votes | None = None
) -> Spread:
    """The algorithm; of rows with equal w the one with the smaller radius, then the earlier one."""
    votes = alike(neighbors) if votes is None else votes
    rows, order = list(labels), []
    queue = {x for x, label in enumerate(labels) if not any(label)}
    while queue:
        now = {x: average(neighbors[x], votes[x], rows) for x in queue}
        x = max(queue, key=lambda x: (known_mass(now[x]), -radii[x], -x))
        if not known_mass(now[x]):
            break
        rows[x] = now[x]
        order.append(x)
        queue.remove(x)
    return Spread(rows, order)


def reverse(neighbors: Lists) -> list[list[int]]:
    """RkNN(x): the rows that list x."""
    return [[p for p, near in enumerate(neighbors) if x in near] for x in range(len(neighbors))]


def sweep(
    neighbors: Lists,
    labels: Sequence[Row],
    rows: Sequence[Row],
    weights: Sequence[Fraction] | None = None,
) -> list[Row]:
    """Every unlabeled row becomes the average of kNN(x) and RkNN(x) as they were before."""
    lists = [[*near, *far] for near, far in zip(neighbors, reverse(neighbors), strict=True)]
    votes = alike(lists) if weights is None else [[weights[p] for p in near] for near in lists]
    return [
        rows[x] if any(labels[x]) else average(lists[x], votes[x], rows) for x in range(len(rows))
    ]
