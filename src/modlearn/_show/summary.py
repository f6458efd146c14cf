"""The summary: a model, facts about its table and its evaluation, as one dict for all reports."""

from __future__ import annotations

import math
import sys
from collections.abc import Hashable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any, Protocol

from modlearn._evaluate.data_warnings import share_covered_by_grid
from modlearn._evaluate.measures import certainty, top_quarter
from modlearn._model.additive import AdditiveModel, Term
from modlearn._model.evaluation import Evaluation
from modlearn._model.grid import Grid
from modlearn._model.partitions import Groups, Intervals, Partition
from modlearn._model.uncertainty import effects
from modlearn._show.positions import positions_of
from modlearn.schema import Kind, class_names

__all__ = [
    "ReportContents",
    "Shared",
    "cut_texts",
    "now",
    "readable_date",
    "reason_of",
    "redundant_with",
    "summarize",
    "summarize_evaluation",
]

MOST_VALUES = 50
"""Most values of a group that are listed; the rest is counted."""

LONGEST_VALUE = 200
"""Most characters of a listed value; longer ones are cut short."""


class ReportContents(Protocol):
    """What a report shows; a model has weights and importances, too."""

    @property
    def partitions(self) -> dict[Any, Partition]:
        """The partition of every column."""
        ...

    @property
    def grids(self) -> dict[Any, Grid]:
        """The grid of every pair that was searched."""
        ...


def summarize(
    model: ReportContents,
    data: Mapping[str, Any],
    evaluation: Mapping[str, Any] | None = None,
    warnings: Iterable[Mapping[str, Any]] = (),
    columns: Mapping[str, Mapping[str, Any]] | None = None,
    shared: Shared | None = None,
    positive: int | None = None,
) -> dict[str, Any]:
    """Return the report as a dict of JSON types, without NaN and infinity.

    Parameters
    ----------
    model : AdditiveModel or FitResult
        Anything with ``partitions`` and ``grids``, and optionally ``weights`` and ``importances``.
    data : mapping
        Facts about the table: source, target, n_rows, n_labeled, n_unlabeled, n_columns, left_out
        and notes.
    evaluation : mapping, default=None
        How good the model is; None = not evaluated.
    warnings : iterable of mappings, default=()
        Each with kind, columns and numbers.
    columns : mapping of str to mapping, default=None
        Facts about columns that a model does not keep: ``n_missing``, ``n_distinct`` and
        ``n_bins``.
    shared : mapping of str to mapping of str to float, default=None
        For columns without a weight, the share of their information that other columns carry too.
    positive : int, default=None
        The index of the class of interest, if there are two classes.

    Returns
    -------
    dict
    """
    decision = getattr(model, "decision", None)
    summary = {
        "format": "modlearn report",
        "version": 1,
        "modlearn": version("modlearn"),
        "id": None,
        "created": now(),
        "data": dict(data),
        "classes": _classes(model),
        "positive": positive,
        "decision": None if decision is None else decision.to_dict(),
        "evaluation": None if evaluation is None else dict(evaluation),
        "variables": _variables(model, columns or {}, shared or {}),
        "has_curves": getattr(model, "has_curves", False),
        "pairs": _pairs(model),
        "trees": _trees(model),
        "pairs_searched": len(model.grids),
        "pairs_complete": True,
        "warnings": [dict(warning) for warning in warnings],
    }
    plain: dict[str, Any] = _plain(summary)
    return {**plain, "top_quarter": top_quarter(plain), "certainty": certainty(plain)}


def summarize_evaluation(
    model: AdditiveModel, evaluation: Evaluation, positive: int | None
) -> dict[str, Any]:
    """Return what reports say about an evaluation alone, on a table that was predicted."""
    found: dict[str, Any] = _plain(
        {
            "classes": [{"name": name} for name in model.target.class_names],
            "positive": positive,
            "decision": None if model.decision is None else model.decision.to_dict(),
            "evaluation": evaluation.to_dict(),
        }
    )
    return {**found, "top_quarter": top_quarter(found), "certainty": certainty(found)}


def now() -> str:
    """Return the time in UTC, as reports and model files write it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _classes(model: ReportContents) -> list[dict[str, Any]]:
    """Return name and labeled rows of each class; every partition counts all of them."""
    first = next(iter(model.partitions.values()))
    named = zip(class_names(first.classes), first.counts.sum(axis=0), strict=True)
    return [{"name": name, "rows": n} for name, n in named]


def _variables(
    model: ReportContents, columns: Mapping[str, Mapping[str, Any]], shared: Shared
) -> list[dict[str, Any]]:
    """Return every column, most informative first; if it has curves, most important first."""
    weights = getattr(model, "weights", None)
    importances = getattr(model, "importances", {})
    found = sorted(model.partitions.values(), key=lambda partition: -partition.level)
    if getattr(model, "has_curves", False):
        # A column that the model relies on may not be informative alone.
        found.sort(key=lambda partition: -importances[partition.name])
    return [
        {
            "name": str(p.name),
            "type": p.kind if isinstance(p, Intervals) else "categorical",
            "level": p.level,
            "weight": None if weights is None else weights.get(p.name, 0.0),
            "importance": importances.get(p.name),
            **_costs(p),
            "n_missing": _n_missing(p),
            "n_distinct": _n_distinct(p),
            "n_bins": None,
            **_parts(p),
            "curve": _curve(model, p),
            "redundant_with": redundant_with(model, p, shared),
            **columns.get(str(p.name), {}),
        }
        for p in found
    ]


def _curve(model: ReportContents, partition: Partition) -> dict[str, Any] | None:
    """Return what the parts of a column add to the scores, if those were learned directly.

    ``scores`` and ``deviations`` are per part and class, ``rows`` per part. Intervals have their
    ``bounds`` on an axis and the ``ticks`` there: position and text.
    """
    found = _effects_of(model, partition.name)
    if found is None:
        return None
    term, scores, deviations = found
    assert isinstance(term.scored, Partition)
    curve = {
        "axis": _axis(term.scored),
        "rows": term.scored.cells.sum(axis=1),
        "scores": scores,
        "deviations": deviations,
        "bounds": None,
        "ticks": None,
    }
    if not isinstance(term.scored, Intervals):
        return curve
    bounds, written = positions_of(term.scored)
    texts = cut_texts(term.scored)
    return curve | {"bounds": bounds, "ticks": [[at, texts[i]] for at, i in written]}


def _effects_of(model: ReportContents, name: Hashable) -> tuple[Term, Any, Any] | None:
    """Return a term with a weight whose scores were learned, its scores and their deviations."""
    if not getattr(model, "has_curves", False):
        return None
    assert isinstance(model, AdditiveModel)
    term = next((term for term in model.used_terms if term.name == name), None)
    return None if term is None else (term, *effects(term))


def _costs(found: Partition | Grid) -> dict[str, Any]:
    return {
        "cost": found.cost,
        "null_cost": found.null_cost,
        "proven_optimal": found.proven_optimal,
    }


def _parts(partition: Partition) -> dict[str, Any]:
    """Return the facts that labels of parts are made from, and the rows of each part."""
    unlabeled = partition.unlabeled_counts
    return {
        "parts": partition.labels,
        "axis": _axis(partition),
        "cuts": partition.cuts if isinstance(partition, Intervals) else None,
        "counts": partition.counts,
        "unlabeled": unlabeled if unlabeled.any() else None,
    }


def _axis(partition: Partition) -> dict[str, Any]:
    """Return the facts that labels are made from.

    For intervals: the cuts as text, whether missing values are a part of their own ("alone") or
    belong to the first one ("first"), and whether the first and the last part hold only infinite
    values. For groups: their values.
    """
    facts = dict.fromkeys(
        ("labels", "cut_texts", "missing", "infinite_ends", "groups", "group_sizes")
    )
    if isinstance(partition, Intervals):
        cuts, with_first = partition.cuts, "first" if partition.n_missing else None
        return facts | {
            "cut_texts": cut_texts(partition),
            "missing": "alone" if partition.missing_alone else with_first,
            "infinite_ends": [
                bool(len(cuts) and cuts[0] == -math.inf),
                bool(len(cuts) and cuts[-1] == sys.float_info.max),
            ],
        }
    assert isinstance(partition, Groups)
    return facts | {
        "labels": partition.labels,
        "groups": [_listed(group) for group in partition.groups],
        "group_sizes": [len(group) for group in partition.groups],
    }


def cut_texts(partition: Intervals) -> list[str]:
    """Return the cuts as text, dates as people write them."""
    is_date = partition.kind == Kind.DATETIME
    return [readable_date(text) if is_date else text for text in partition.cut_texts]


def readable_date(text: str) -> str:
    """Return a date of ISO 8601 with a space before the time, without seconds if they are 0."""
    return text.replace("T", " ").removesuffix(":00")


def _listed(group: Sequence[Hashable]) -> list[str | None]:
    """Return the first values of a group as text; None is missing."""
    texts = [None if value is None else str(value) for value in group[:MOST_VALUES]]
    return [
        text if text is None or len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 1]}…"
        for text in texts
    ]


def _n_missing(partition: Partition) -> int | None:
    """Count missing values; None if they share a group with others, which counts only rows."""
    if isinstance(partition, Intervals):
        return partition.n_missing
    assert isinstance(partition, Groups)
    for i, group in enumerate(partition.groups):
        if None in group:
            rows = int(partition.counts[i].sum() + partition.unlabeled_counts[i])
            return rows if len(group) == 1 else None
    return 0


def _n_distinct(partition: Partition) -> int | None:
    """Count distinct values without missing; None for intervals, which do not keep them."""
    if not isinstance(partition, Groups):
        return None
    return sum(value is not None for group in partition.groups for value in group)


def _pairs(model: ReportContents) -> list[dict[str, Any]]:
    """Return every informative pair, best first."""
    grids, weights = model.grids, getattr(model, "weights", None)
    informative = [(pair, grid) for pair, grid in grids.items() if grid.level > 0]
    return [
        {
            "names": [str(name) for name in pair],
            "level": grid.level,
            "gain": grid.gain,
            "synergy": grid.synergy,
            "weight": None if weights is None else weights.get(pair, 0.0),
            **_costs(grid),
            "parts": [axis.labels for axis in grid.axes],
            "axes": [_axis(axis) for axis in grid.axes],
            "counts": grid.counts,
            **_scores_of(model, pair),
        }
        for pair, grid in sorted(informative, key=lambda item: -item[1].level)
    ]


def _scores_of(model: ReportContents, names: tuple[Any, ...]) -> dict[str, Any]:
    """Return what the cells of a pair, or the leaves of a tree, add to scores that were learned."""
    _, scores, deviations = _effects_of(model, names) or (None, None, None)
    return {"scores": scores, "deviations": deviations}


def _trees(model: ReportContents) -> list[dict[str, Any]]:
    """Return every tree, that of the largest weight first; its leaves have letters and paths.

    ``branches`` are the nodes that are divided, the root first: the column that divides each, and
    its ``ways``, which are a label and the number of what follows. Numbers beyond those of branches
    are leaves.
    """
    trees, weights = getattr(model, "trees", {}), getattr(model, "weights", {})
    return [
        {
            "names": [str(name) for name in names],
            "level": tree.level,
            "synergy": tree.synergy,
            "weight": weights[names],
            "cost": tree.cost,
            "null_cost": tree.null_cost,
            "letters": [_letter(leaf) for leaf in range(tree.n_parts)],
            "paths": tree.paths,
            "branches": [
                {"column": str(tree.columns[branch.axis]), "ways": ways}
                for branch, ways in zip(tree.branches, tree.ways, strict=True)
            ],
            "counts": tree.counts,
            **_scores_of(model, names),
        }
        for names, tree in sorted(trees.items(), key=lambda item: -weights[item[0]])
    ]


def _letter(leaf: int) -> str:
    """Return the letter of a leaf: A to Z, then AA and so on."""
    first, last = divmod(leaf, 26)
    return (chr(ord("A") + first - 1) if first else "") + chr(ord("A") + last)


def _plain(value: Any) -> Any:
    """Return a value in JSON types; numbers that JSON cannot represent are null."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    return None if isinstance(value, float) and not math.isfinite(value) else value


Shared = Mapping[str, Mapping[str, float]]
"""Name of a column -> name of another -> share of its information that the other carries too."""

MOST = 3
"""Most variables that are named."""

LEAST_SHARE = 0.25
"""Two columns that share less are not called redundant."""


def redundant_with(
    model: ReportContents, partition: Partition, shared: Shared
) -> list[dict[str, Any]]:
    """Return the weighted variables that carry the same information; none if it has a weight.

    A pair or a tree with a weight comes first: through it the column is used after all. Then come
    columns by the share they have in common, from the grid of the two if there is one, else as the
    caller measured it. Each has ``names`` (of a column, a pair or a tree), ``share`` and
    ``weight``.
    """
    weights = getattr(model, "weights", None)
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
    return (_weighted_pairs(partition.name, weighted) + columns)[:MOST]


def reason_of(redundant: Mapping[str, Any]) -> str:
    """Return how another variable relates to one without weight, as part of a sentence."""
    if redundant["share"] is None:
        several = "pair" if len(redundant["names"]) == 2 else "tree"
        return f"the model uses it through this {several}, with weight {redundant['weight']:.2f}"
    return f"carries {redundant['share']:.0%} of the information of this variable"


def _weighted_pairs(name: Hashable, weighted: Mapping[Any, float]) -> list[dict[str, Any]]:
    return [
        {"names": [str(one) for one in pair], "share": None, "weight": weight}
        for pair, weight in weighted.items()
        if isinstance(pair, tuple) and name in pair
    ]


def _shares(
    model: ReportContents, partition: Partition, shared: Shared, weighted: Mapping[Any, float]
) -> dict[str, float]:
    """Return the share of a column's information that weighted columns carry too, if known."""
    known = shared.get(str(partition.name), {})
    shares = {str(name): known[str(name)] for name in weighted if str(name) in known}
    for pair, grid in model.grids.items():
        if partition.name in pair:
            other = pair[0] if pair[1] == partition.name else pair[1]
            if other in weighted:
                shares[str(other)] = share_covered_by_grid(partition, grid)
    return shares
