"""Shapley values by their definition: a mean over all coalitions of the other players."""

from collections.abc import Callable
from itertools import combinations
from math import factorial

import numpy as np
from numpy.typing import NDArray

Coalition = frozenset[int]


def shapley_values(
    value: Callable[[Coalition], NDArray[np.float64]], n_players: int
) -> list[NDArray[np.float64]]:
    """φ_k = Σ_{S not holding k} |S|! (K−|S|−1)! / K! (v(S + k) − v(S))."""
    sizes = range(n_players + 1)
    worth = {
        frozenset(some): value(frozenset(some))
        for size in sizes
        for some in combinations(range(n_players), size)
    }
    return [
        sum(
            factorial(len(some))
            * factorial(n_players - len(some) - 1)
            / factorial(n_players)
            * (worth[some | {k}] - worth[some])
            for some in worth
            if k not in some
        )
        for k in range(n_players)
    ]
