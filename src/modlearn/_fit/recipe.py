"""From rows to a model: partitions, pairs, weights, in this order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._fit.columns import fit_partitions
from modlearn._fit.models import (
    class_share_model,
    informative,
    naive_bayes_model,
    selective_weights,
    weights_of_best,
)
from modlearn._fit.pairs import PairSearch, fit_pairs
from modlearn._model.additive import AdditiveModel, Parts
from modlearn._model.grid import Grid
from modlearn._parallel import Progress, no_progress
from modlearn._statistics.rows import Rows

__all__ = ["Choice", "FittedModel", "Recipe", "fit_model"]

Choice = Callable[[Sequence[Parts]], list[Parts]]


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """What is learned, and how.

    Parameters
    ----------
    weights : {"best", "equal", "weighted", "averaged"}
        Which weights columns and pairs get: the best one alone; all 1; those that make the
        classes most probable; those averaged over subsets.
    choose : callable, default=informative
        The columns and pairs that may get a weight, among all that were searched.
    pairs : "all", sequence of pairs of names, int, float or None, default=None
        Pairs to search, as in ``PairSearch``; None = no pairs.
    seed : int, default=0
        Seed of the random orders of averaged weights.
    n_jobs : int, default=None
        Number of threads.
    column_progress : callable, default=None
        Called as ``progress("columns", done, total)``.
    pair_progress : callable, default=no_progress
        Called as ``progress("pairs", done, total)``.
    keeps_interrupted : bool, default=True
        Whether an interruption of the search for pairs leaves a model of those found so far.
    """

    weights: str
    choose: Choice = informative
    pairs: Any = None
    seed: int = 0
    n_jobs: int | None = None
    column_progress: Progress | None = None
    pair_progress: Progress = no_progress
    keeps_interrupted: bool = True


@dataclass(frozen=True)
class FittedModel:
    """A model, and whether all pairs that were requested have been searched."""

    model: AdditiveModel
    pairs_complete: bool


def fit_model(rows: Rows, recipe: Recipe) -> FittedModel:
    """Learn a model from the statistics of rows."""
    partitions = fit_partitions(rows, recipe.n_jobs, recipe.column_progress)
    grids: list[Grid] = []
    complete = True
    if recipe.pairs is not None and len(partitions) > 1:
        search = PairSearch(
            recipe.pairs,
            recipe.n_jobs,
            recipe.pair_progress,
            keeps_interrupted=recipe.keeps_interrupted,
        )
        found, complete = fit_pairs(rows, partitions, search)
        grids = list(found.values())
    parts: list[Parts] = [*partitions, *grids]
    chosen = recipe.choose(parts)
    build = class_share_model if recipe.weights == "best" else naive_bayes_model
    return FittedModel(build(rows.target, parts, chosen, _weights(rows, chosen, recipe)), complete)


def _weights(rows: Rows, chosen: list[Parts], recipe: Recipe) -> NDArray[np.float64]:
    """A weight from 0 to 1 for each of the chosen."""
    if recipe.weights == "best":
        return weights_of_best(chosen)
    if recipe.weights == "equal" or not chosen:
        return np.ones(len(chosen))
    seed = recipe.seed if recipe.weights == "averaged" else None
    profiles = rows.profiles(chosen, recipe.n_jobs)
    return selective_weights(chosen, profiles, rows.target, seed, recipe.n_jobs)
