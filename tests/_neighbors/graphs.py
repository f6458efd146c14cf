"""Small graphs of neighbors to draw, in the form of the oracle and in that of the kernel."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st

Row = tuple[Fraction, ...]


@dataclass(frozen=True)
class RandomGraph:
    """What the oracle takes; `arrays` are what the kernel takes."""

    neighbors: list[list[int]]
    radii: list[float]
    labels: list[Row]
    weights: list[Fraction] | None = None

    @property
    def votes(self) -> list[list[Fraction]] | None:
        """Weights of the neighbors of each row."""
        return None if self.weights is None else self.votes_in(self.neighbors)

    def votes_in(self, lists: Any) -> list[list[Fraction]]:
        """Weights of the rows in other lists."""
        weights = self.weights or [Fraction(1)] * len(self.labels)
        return [[weights[p] for p in near] for near in lists]

    @property
    def arrays(self) -> tuple[Any, ...]:
        """Pointer, neighbors, weights, radii and labels."""
        weights = None if self.weights is None else np.array(self.weights, dtype=np.float64)
        labels = np.array(self.labels, dtype=np.float64).reshape(len(self.labels), -1)
        return *flat(self.neighbors), weights, np.array(self.radii, dtype=np.float64), labels


def flat(neighbors: Any) -> tuple[Any, Any]:
    """Pointer and rows of lists."""
    pointer = np.cumsum([0, *map(len, neighbors)], dtype=np.int64)
    return pointer, np.array([p for near in neighbors for p in near], dtype=np.int32)


def one_hot(label: int | None, n_classes: int) -> Row:
    return tuple(Fraction(int(c == label)) for c in range(n_classes))


@st.composite
def soft_labels(draw: st.DrawFn, n_classes: int) -> Row:
    """Eighths that add up to 1 or less."""
    parts = draw(st.lists(st.integers(0, 8), min_size=n_classes, max_size=n_classes))
    over = max(8, sum(parts))
    return tuple(Fraction(part * 8 // over, 8) for part in parts)


@st.composite
def graphs(draw: st.DrawFn, max_rows: int = 12) -> RandomGraph:
    """Lists of one length or of many, radii that tie or do not, labels crisp, soft and none."""
    n = draw(st.integers(1, max_rows))
    n_classes = draw(st.integers(1, 4))
    most = min(draw(st.integers(1, 6)), n - 1)
    least = draw(st.sampled_from([0, most]))
    neighbors = []
    for row in range(n):
        others = st.sampled_from([p for p in range(n) if p != row] or [row])
        neighbors.append(draw(st.lists(others, unique=True, min_size=least, max_size=most)))
    radius = draw(st.sampled_from([st.just(1.0), st.sampled_from([1.0, 2.0]), st.floats(0, 9)]))
    crisp = st.integers(0, n_classes - 1).map(lambda label: one_hot(label, n_classes))
    none = st.just(one_hot(None, n_classes))
    label = draw(st.sampled_from([crisp | none, none | none | none | crisp]))
    if draw(st.booleans()):
        label = label | soft_labels(n_classes)
    weight = st.integers(0, 8).map(lambda quarters: Fraction(quarters, 4))
    weights = draw(st.none() | st.lists(weight, min_size=n, max_size=n))
    return RandomGraph(
        neighbors, [draw(radius) for _ in range(n)], [draw(label) for _ in range(n)], weights
    )
