"""Mutual information from entropies of exact shares."""

from collections.abc import Sequence
from fractions import Fraction
from math import fsum, log


def entropy(rows: Sequence[int]) -> float:
    """Minus the sum of p log p."""
    shares = [Fraction(n, sum(rows)) for n in rows if n]
    return -fsum(float(p) * log(p) for p in shares)


def mutual_information(counts: Sequence[Sequence[int]]) -> float:
    """H(part) + H(class) - H(part and class)."""
    parts = [sum(line) for line in counts]
    classes = [sum(column) for column in zip(*counts, strict=True)]
    cells = [n for line in counts for n in line]
    return entropy(parts) + entropy(classes) - entropy(cells)


def excess_information(counts: Sequence[Sequence[int]]) -> float:
    """Less (I-1)(J-1) / 2N, of parts and classes that have rows."""
    n_parts = sum(any(line) for line in counts)
    n_classes = sum(any(column) for column in zip(*counts, strict=True))
    chance = Fraction((n_parts - 1) * (n_classes - 1), 2 * sum(map(sum, counts)))
    return mutual_information(counts) - float(chance)
