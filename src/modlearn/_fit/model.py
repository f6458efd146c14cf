"""Recipes that turn partitions, grids and weights into an additive model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._fit.columns import fit_partitions
from modlearn._fit.pairs import PairSearch, fit_pairs
from modlearn._model.additive import AdditiveModel, Parts, Term, schema_of
from modlearn._model.grid import Grid
from modlearn._model.partitions import Partition
from modlearn._parallel import Progress, no_progress
from modlearn._search.weights import averaged_weights, optimized_weights
from modlearn._statistics.profiles import Profiles
from modlearn._statistics.rows import Rows
from modlearn.criteria import class_shares, grid_price, part_log_likelihoods
from modlearn.schema import Schema, TargetSpec

__all__ = [
    "Choice",
    "FittedModel",
    "Recipe",
    "best_single_term",
    "class_share_model",
    "fit_model",
    "informative",
    "informative_grids",
    "naive_bayes_model",
    "pair_price",
    "requested_pairs",
    "selective_weights",
    "weights_of_best",
    "without_repeats",
]

Weights = NDArray[np.float64]
Scores = Callable[[NDArray[np.int64]], NDArray[np.float64]]


def informative(parts: Sequence[Parts]) -> list[Parts]:
    """Return the columns and pairs that carry information about the target."""
    return [one for one in parts if one.level > 0]


def without_repeats(parts: Sequence[Parts]) -> list[Parts]:
    """Return the informative columns and pairs, without pairs that repeat one of their columns.

    A grid that cuts only one of its columns carries the same information as that column.
    """
    return [
        one
        for one in informative(parts)
        if not isinstance(one, Grid) or min(axis.n_parts for axis in one.axes) > 1
    ]


def informative_grids(parts: Sequence[Parts]) -> list[Parts]:
    """Return the pairs that carry information about the target."""
    return [one for one in informative(parts) if isinstance(one, Grid)]


def naive_bayes_model(
    target: TargetSpec,
    parts: Sequence[Parts],
    chosen: Sequence[Parts],
    weights: Weights,
    schema: Schema | None = None,
) -> AdditiveModel:
    """Return a weighted naive Bayes: score of j = log P(j) + sum of w log P(part | j).

    Parameters
    ----------
    target : TargetSpec
        The classes and their rows.
    parts : sequence of Intervals, Groups and Grid
        One for every column, in the order of the table, and one for every pair searched.
    chosen : sequence of Intervals, Groups and Grid
        The parts that get a weight.
    weights : ndarray of shape (len(chosen),)
        The weights, from 0 to 1.
    schema : Schema, default=None
        The columns; None = derived from the partitions.
    """
    return _model(target, parts, chosen, weights, part_log_likelihoods, schema)


def class_share_model(
    target: TargetSpec,
    parts: Sequence[Parts],
    chosen: Sequence[Parts],
    weights: Weights,
    schema: Schema | None = None,
) -> AdditiveModel:
    """Return a model of one term: the score of a class is the log of its share in the part.

    The parameters are those of ``naive_bayes_model``; one weight is 1 and the others are 0.
    """
    log_prior = _log_prior(target)

    def scores(counts: NDArray[np.int64]) -> NDArray[np.float64]:
        # The base, log P(j), is added to every score.
        return np.asarray(np.log(class_shares(counts)) - log_prior)

    return _model(target, parts, chosen, weights, scores, schema)


def _model(
    target: TargetSpec,
    parts: Sequence[Parts],
    chosen: Sequence[Parts],
    weights: Weights,
    scores: Scores,
    schema: Schema | None,
) -> AdditiveModel:
    """Return the model whose tables are computed from the counts of the parts."""
    weight_of = {id(one): weight for one, weight in zip(chosen, weights.tolist(), strict=True)}
    terms = (Term.of(one, weight_of.get(id(one), 0.0), scores(one.cells)) for one in parts)
    columns = [one for one in parts if isinstance(one, Partition)]
    return AdditiveModel(
        schema=schema or schema_of(columns),
        target=target,
        base=_log_prior(target),
        terms=tuple(terms),
    )


def _log_prior(target: TargetSpec) -> NDArray[np.float64]:
    """log P(j), shape (J,)."""
    return np.asarray(np.log(target.counts / target.counts.sum()))


def best_single_term(model: AdditiveModel) -> AdditiveModel:
    """Return the model of the best column alone, from the partitions of a model."""
    parts = list(model.partitions.values())
    chosen = informative(parts)
    return class_share_model(model.target, parts, chosen, weights_of_best(chosen), model.schema)


def weights_of_best(chosen: Sequence[Parts]) -> Weights:
    """Return weight 1 for the most probable parts, which cost least; 0 for the others."""
    weights = np.zeros(len(chosen))
    if chosen:
        weights[np.argmin([one.cost for one in chosen])] = 1.0
    return weights


def selective_weights(
    chosen: Sequence[Parts],
    profiles: Profiles,
    target: TargetSpec,
    seed: int | None = None,
    n_jobs: int | None = None,
) -> Weights:
    """Return the weights of a selective naive Bayes, shape (K,).

    Parameters
    ----------
    chosen : sequence of Intervals, Groups and Grid
        The K columns and pairs that get a weight.
    profiles : Profiles
        Rows by their parts in all K and by their class.
    target : TargetSpec
        The classes and their rows.
    seed : int, default=None
        None = weights that make the classes most probable. A number = weights averaged over
        searches in random orders, with this seed.
    n_jobs : int, default=None
        Number of threads.
    """
    if not chosen:
        return np.zeros(0)
    counts, log_prior = [one.cells for one in chosen], _log_prior(target)
    if seed is not None:
        return averaged_weights(profiles, counts, log_prior, seed)
    prices = [pair_price(one) for one in chosen]
    return optimized_weights(profiles, counts, log_prior, n_jobs, prices)


def pair_price(parts: Parts) -> float:
    """Return what a pair pays for its parts; a column, which has its parts anyway, pays nothing."""
    if not isinstance(parts, Grid):
        return 0.0
    return grid_price(parts.counts, parts.cost, parts.null_cost)


Choice = Callable[[Sequence[Parts]], list[Parts]]


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How a model is learned.

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
        Random seed for the orders of averaged weights.
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


def requested_pairs(pairs: Any) -> Any:
    """Return the parameter `pairs` with True as "all" and False as None, also those of NumPy."""
    if not isinstance(pairs, bool | np.bool_):
        return pairs
    return "all" if pairs else None


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
    weights, schema = _weights(rows, chosen, recipe), schema_of(partitions, rows.schema)
    return FittedModel(build(rows.target, parts, chosen, weights, schema), complete)


def _weights(rows: Rows, chosen: list[Parts], recipe: Recipe) -> NDArray[np.float64]:
    """Return a weight from 0 to 1 for each of the chosen columns and pairs."""
    if recipe.weights == "best":
        return weights_of_best(chosen)
    if recipe.weights == "equal" or not chosen:
        return np.ones(len(chosen))
    seed = recipe.seed if recipe.weights == "averaged" else None
    profiles = rows.profiles(chosen, recipe.n_jobs)
    return selective_weights(chosen, profiles, rows.target, seed, recipe.n_jobs)
