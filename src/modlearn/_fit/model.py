"""Recipes that turn partitions, grids and weights into an additive model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._fit.additive import additive_model
from modlearn._fit.columns import fit_partitions
from modlearn._fit.left_out import LeftOutParts
from modlearn._fit.pairs import PairSearch, fit_pairs
from modlearn._fit.trees import fit_trees
from modlearn._model.additive import AdditiveModel, Parts, terms_of
from modlearn._model.grid import Grid
from modlearn._model.partitions import Groups
from modlearn._parallel import Progress, no_progress
from modlearn._search.weights import averaged_weights, optimized_weights
from modlearn._statistics.profiles import Profiles
from modlearn._statistics.rows import Rows
from modlearn.criteria import class_shares, grid_price, part_log_likelihoods

__all__ = [
    "Choice",
    "FittedModel",
    "Recipe",
    "all_parts",
    "fit_model",
    "informative",
    "informative_grids",
    "model_of_parts",
    "only_tested",
    "pair_price",
    "requested_pairs",
    "without_repeats",
]


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


def all_parts(parts: Sequence[Parts]) -> list[Parts]:
    """Return all columns and pairs, informative or not."""
    return list(parts)


def informative_grids(parts: Sequence[Parts]) -> list[Parts]:
    """Return the pairs that carry information about the target."""
    return [one for one in informative(parts) if isinstance(one, Grid)]


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
    weights : {"best", "equal", "weighted", "averaged", "additive"}
        Which weights columns and pairs get: the best one alone; all 1; those that make the
        classes most probable; those averaged over subsets; or none, as scores are learned directly.
    criterion : str, default="auto"
        Name of the criterion by which columns are partitioned, as in ``fit_partitions``.
    choose : callable, default=informative
        The columns and pairs that may get a weight, among all that were searched.
    pairs : bool, "all", sequence of pairs of names, int or float, default=False
        Pairs to search, as in ``PairSearch``; True = all, False = none.
    n_trees : int, default=0
        Most trees that grow from the pairs that were searched, if scores are learned directly.
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
    has_deviations : bool, default=True
        Whether an additive model says how sure its scores are; one that is only tested does not.
    """

    weights: str
    criterion: str = "auto"
    choose: Choice = informative
    pairs: Any = False
    n_trees: int = 0
    seed: int = 0
    n_jobs: int | None = None
    column_progress: Progress | None = None
    pair_progress: Progress = no_progress
    keeps_interrupted: bool = True
    has_deviations: bool = True


def only_tested(recipe: Recipe) -> Recipe:
    """Return the recipe of a model that predicts test rows and is then forgotten."""
    return replace(recipe, has_deviations=False)


@dataclass(frozen=True)
class FittedModel:
    """A model, how many pairs were searched for it, and whether these are all that were requested.

    An additive model may hold fewer pairs than were searched.
    """

    model: AdditiveModel
    n_searched: int
    pairs_complete: bool


def requested_pairs(pairs: Any) -> Any:
    """Return the parameter `pairs` with True as "all" and False as None, also those of NumPy."""
    if not isinstance(pairs, bool | np.bool_):
        return pairs
    return "all" if pairs else None


def fit_model(rows: Rows, recipe: Recipe) -> FittedModel:
    """Learn a model from the statistics of rows."""
    partitions = fit_partitions(rows, recipe.n_jobs, recipe.column_progress, recipe.criterion)
    grids: list[Grid] = []
    complete = True
    pairs = requested_pairs(recipe.pairs)
    if pairs is not None and len(partitions) > 1:
        search = PairSearch(
            pairs,
            recipe.n_jobs,
            recipe.pair_progress,
            keeps_interrupted=recipe.keeps_interrupted,
        )
        found, complete = fit_pairs(rows, partitions, search)
        grids = list(found.values())
    parts: list[Parts] = [*partitions, *grids]
    if recipe.weights != "additive":
        return FittedModel(model_of_parts(rows, parts, recipe), len(grids), complete)
    if grids:
        # Pairs that a selective naive Bayes would use add something that their columns lack.
        selective = replace(recipe, weights="weighted", choose=without_repeats)
        weighted = model_of_parts(rows, parts, selective)
        kept = {id(term.parts) for term in weighted.used_terms}
        trees = fit_trees(rows, partitions, grids, recipe.n_trees, recipe.n_jobs)
        parts = [*partitions, *(grid for grid in grids if id(grid) in kept), *trees]
    model = additive_model(
        rows, parts, _log_prior(rows.target.counts), recipe.n_jobs, recipe.has_deviations
    )
    return FittedModel(model, len(grids), complete)


def model_of_parts(rows: Rows, parts: Sequence[Parts], recipe: Recipe) -> AdditiveModel:
    """Return the model that consists of parts, with their weights.

    A naive Bayes: score of class j = log P(j) + sum of w log P(part | j). If only the best parts
    have a weight, the score of a class is the log of its share in the part.
    """
    chosen = recipe.choose(parts)
    log_prior = _log_prior(rows.target.counts)
    cells = [one.cells for one in parts]
    if recipe.weights == "best":
        # The base, log P(j), is added to every score.
        tables = [np.log(class_shares(counts)) - log_prior for counts in cells]
    else:
        tables = [part_log_likelihoods(counts) for counts in cells]
        # The likelihoods of a class without rows are not defined; its prior decides.
        tables = [np.nan_to_num(t, nan=0.0) if np.isnan(t).any() else t for t in tables]
    index = {id(one): k for k, one in enumerate(parts)}
    where = [index[id(one)] for one in chosen]
    weights = np.zeros(len(parts))
    if chosen:
        some = [cells[k] for k in where], [tables[k] for k in where]
        weights[where] = _weights(rows, chosen, *some, log_prior, recipe)
    return AdditiveModel(
        schema=rows.schema,
        target=rows.target,
        base=log_prior,
        terms=terms_of(parts, weights.tolist(), tables),
    )


def _log_prior(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return log P(j), shape (J,); a class that no training row has is as good as impossible."""
    shares = counts / counts.sum()
    return np.asarray(np.log(np.maximum(shares, np.finfo(np.float64).tiny)))


def _weights(
    rows: Rows,
    chosen: list[Parts],
    cells: list[NDArray[np.int64]],
    tables: list[NDArray[np.float64]],
    log_prior: NDArray[np.float64],
    recipe: Recipe,
) -> NDArray[np.float64]:
    """Return a weight from 0 to 1 for each of the chosen columns and pairs."""
    if recipe.weights == "best":
        least = min(range(len(chosen)), key=lambda k: chosen[k].cost)
        return np.asarray(np.arange(len(chosen)) == least, dtype=np.float64)
    if recipe.weights == "equal":
        return np.ones(len(chosen))
    if recipe.weights == "averaged":
        profiles = rows.profiles(chosen, recipe.n_jobs)
        return averaged_weights(profiles, tables, log_prior, recipe.seed)
    prices = [pair_price(one) for one in chosen]
    left_out_parts = _with_categories(rows, chosen, tables)
    profiles = _profiles(rows, chosen, left_out_parts, recipe.n_jobs)
    left_out = [part_log_likelihoods(counts, left_out=True) for counts in cells]
    for k, one in left_out_parts.items():
        tables[k], left_out[k] = one.table, one.left_out
    return optimized_weights(profiles, tables, left_out, log_prior, recipe.n_jobs, prices)


def _with_categories(
    rows: Rows, chosen: list[Parts], tables: list[NDArray[np.float64]]
) -> dict[int, LeftOutParts]:
    """Return columns and pairs with categories by their positions, as left-out rows find them."""
    found: dict[int, LeftOutParts] = {}
    for k, one in enumerate(chosen):
        if isinstance(one, Groups):
            (counts,) = rows.categories([one.name])
            found[k] = LeftOutParts.of_groups(one, counts.by_label()[0], tables[k])
        elif isinstance(one, Grid) and any(isinstance(axis, Groups) for axis in one.axes):
            found[k] = LeftOutParts.of_grid(one, rows, tables[k])
    return found


def _profiles(
    rows: Rows, chosen: list[Parts], left_out_parts: dict[int, LeftOutParts], n_jobs: int | None
) -> Profiles:
    """Count rows by the lines that they find when they are left out."""
    first = [
        left_out_parts[k].axes[0] if k in left_out_parts else one for k, one in enumerate(chosen)
    ]
    second = {k: one.axes[1] for k, one in left_out_parts.items() if len(one.axes) > 1}
    profiles = rows.profiles([*first, *second.values()], n_jobs)
    at = dict(zip(second, profiles.codes[len(chosen) :], strict=True))
    for k, one in left_out_parts.items():
        codes = [profiles.codes[k], *([at[k]] if k in at else [])]
        profiles.codes[k] = one.lines(codes, profiles.classes)
    return replace(profiles, codes=profiles.codes[: len(chosen)])
