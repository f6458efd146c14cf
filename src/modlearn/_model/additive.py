"""The additive model: the score of a class is a base plus what each term adds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from modlearn._model.decision import Decision
from modlearn._model.forms import At, Classes, Counts, Floats, Number, Optional
from modlearn._model.grid import PARTITION, Grid
from modlearn._model.limits import MOST_SCORE
from modlearn._model.partitions import Intervals, Partition
from modlearn._model.printing import Exported, Framed, PlottedByRow, Printed
from modlearn._model.record import Fault, Recorded, Tagged, declare
from modlearn._parallel import map_in_threads
from modlearn._search.likelihood import add_to_scores, to_probabilities
from modlearn._statistics.batches import Batch
from modlearn.schema import Kind, Schema, TargetSpec, is_format

__all__ = [
    "AdditiveModel",
    "Explanation",
    "Missing",
    "Parts",
    "Term",
    "Unseen",
    "keep_shared",
    "next_probable",
    "terms_of",
]


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Printed, PlottedByRow, Framed):
    """Where the scores of rows come from: a base, and what each term of the model adds.

    Parameters
    ----------
    names : tuple
        Names of the terms with a weight, K of them: a column, or a pair of columns.
    classes : ndarray of shape (J,)
        The classes.
    base : ndarray of shape (J,)
        What the sum starts from: the log of the class prior in a naive Bayes, or the mean score.
    contributions : ndarray of shape (n, K, J)
        What each term adds to the score of each class, row by row.
    positive : int, default=None
        Index of the class of interest, if there are two classes; None = the second.

    See Also
    --------
    AdditiveModel : The model whose scores are explained.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from modlearn import NaiveBayesClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> explanation = NaiveBayesClassifier().fit(X, y).explain(X)
    >>> explanation
    <Explanation of 150 rows by 4 variables, 3 classes>
    >>> explanation.contributions.shape
    (150, 4, 3)
    """

    names: tuple[Hashable, ...]
    classes: NDArray[Any]
    base: NDArray[np.float64]
    contributions: NDArray[np.float64]
    positive: int | None = None

    @property
    def scores(self) -> NDArray[np.float64]:
        """Base plus contributions, shape (n, J)."""
        return np.asarray(self.base + self.contributions.sum(axis=1))

    def signed(self) -> Explanation:
        """Return two classes as one: positive numbers speak for the class of interest.

        Its base, contributions and scores are those of the class of interest minus those of the
        other class, so that the score is the log odds. With another number of classes, the
        explanation is returned as it is.

        Returns
        -------
        Explanation
        """
        if len(self.classes) != 2:
            return self
        one = 1 if self.positive is None else self.positive
        base, added = self.base, self.contributions
        return Explanation(
            self.names,
            self.classes[[one]],
            base[[one]] - base[[1 - one]],
            added[..., [one]] - added[..., [1 - one]],
        )

    def __len__(self) -> int:
        return len(self.contributions)

    def __getitem__(self, rows: int | slice | Sequence[int] | NDArray[Any]) -> Explanation:
        """Return the explanation of some rows: a number, a slice, a list of numbers, or a mask."""
        if isinstance(rows, tuple) or np.ndim(rows) > 1:  # type: ignore[arg-type]
            raise IndexError(
                "An Explanation is indexed by rows only. To select a variable or a class, index "
                "its contributions, of shape (rows, variables, classes)."
            )
        if isinstance(rows, Sequence) and not rows:
            rows = slice(0)
        chosen = self.contributions[rows if isinstance(rows, slice) else np.atleast_1d(rows)]
        return replace(self, contributions=chosen)


def next_probable(probabilities: NDArray[np.float64], label: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the most probable class of each row other than its label; the first if tied."""
    others = probabilities.copy()
    others[np.arange(len(label)), label] = -1.0
    return np.asarray(others.argmax(axis=1))


ROWS_AT_ONCE = 4_096
"""Number of rows whose scores stay in the cache while the terms are added."""

Parts = Partition | Grid
"""Objects that return the part of a row."""

PARTS = Tagged(**PARTITION.classes, grid=Grid)
"""How each of them is written in a record."""

declare(TargetSpec, classes=Classes(), counts=Counts())


class Unseen(StrEnum):
    """How a categorical value that was never seen in the training data is treated."""

    NEUTRAL = "neutral"
    """It adds nothing to the score of any class."""


class Missing(StrEnum):
    """How a missing value is treated."""

    LOWEST = "lowest"
    """It ranks below every other value."""

    CATEGORY = "category"
    """It is a value like any other."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Term(Printed, Framed, Recorded):
    """What one column, or a pair of columns, adds to the scores of a model.

    Parameters
    ----------
    parts : Intervals, Groups or Grid
        The parts that rows fall in, with the rows per part and class they were learned from.
    weight : float
        Weight from 0 to 1; a term with weight 0 is not used.
    table : ndarray of shape (I, J), float64
        Score of each part and class, before it is weighted. With `bins`, of each of those.
    missing : tuple of Missing
        How a missing value is treated, for each column.
    unseen : Unseen
        How a categorical value that was never seen in the training data is treated.
    bins : Intervals, Groups or None, default=None
        Finer parts of the column that have scores of their own; None = `parts` have them.

    See Also
    --------
    AdditiveModel : The model that consists of terms.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from modlearn import NaiveBayesClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> term = NaiveBayesClassifier().fit(X, y).model_.terms[3]
    >>> term
    <Term of petal width (cm): weight 1.00, 3 parts, 3 classes>
    >>> term.table.round(1)
    array([[-0. , -5. , -5. ],
           [-5. , -0. , -2.3],
           [-5. , -3.6, -0.1]])
    """

    parts: Annotated[Parts, PARTS]
    weight: Annotated[float, Number(0, 1)]
    table: Annotated[NDArray[np.float64], Floats((None, "classes"), below=MOST_SCORE)]
    missing: tuple[Missing, ...]
    unseen: Unseen = Unseen.NEUTRAL
    bins: Annotated[Partition | None, Optional(PARTITION)] = None

    @property
    def scored(self) -> Parts:
        """The parts that have a line of the table each: the bins, or the parts themselves."""
        return self.parts if self.bins is None else self.bins

    @property
    def columns(self) -> tuple[Hashable, ...]:
        """Names of the columns that the term depends on."""
        return self.parts.names if isinstance(self.parts, Grid) else (self.parts.name,)

    @property
    def name(self) -> Hashable:
        """Name of the column, or the pair of names."""
        return self.columns if isinstance(self.parts, Grid) else self.columns[0]

    @property
    def counts(self) -> NDArray[np.int64]:
        """Labeled rows per part and class, shape (I, J)."""
        return self.parts.cells if isinstance(self.parts, Grid) else self.parts.counts

    @property
    def level(self) -> float:
        """How informative the term is about the target, 0 = not at all."""
        return self.parts.level

    @property
    def mean_score(self) -> float:
        """Mean absolute score of the labeled training rows, over all classes."""
        rows = self.scored.cells.sum(axis=1)
        return float(rows @ np.abs(self.table).mean(axis=1) / rows.sum())

    def fault(self, at: At) -> Fault | None:
        """Say which field of a record contradicts the others."""
        if len(self.table) != self.scored.n_parts:
            return ("table",), f"a line of scores for each of {self.scored.n_parts} parts"
        if self.bins is not None and (
            type(self.bins) is not type(self.parts)
            or self.bins.columns != self.parts.columns
            or not np.array_equal(self.bins.counts.sum(axis=0), self.counts.sum(axis=0))
        ):
            return ("bins",), f"finer parts of {self.parts.columns[0]!r}, with the same rows"
        if self.missing != _missing(self.parts):
            return ("missing",), f"{', '.join(_missing(self.parts))}, as its parts have it"
        return None


def terms_of(
    parts: Sequence[Parts], weights: Sequence[float], tables: Sequence[NDArray[np.float64]]
) -> tuple[Term, ...]:
    """Return terms that treat missing values as their parts do."""
    return tuple(
        Term(parts=one, weight=weight, table=table, missing=_missing(one))
        for one, weight, table in zip(parts, weights, tables, strict=True)
    )


def _missing(parts: Parts) -> tuple[Missing, ...]:
    """Return how a missing value is treated, for each column."""
    axes = parts.axes if isinstance(parts, Grid) else (parts,)
    return tuple(Missing.LOWEST if isinstance(p, Intervals) else Missing.CATEGORY for p in axes)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class AdditiveModel(Printed, Framed, Exported, Recorded):
    """A model whose score of a class is a base plus, for each term, weight times table.

    Class probabilities are the softmax of the scores. Predictions, explanations, reports and files
    are read from this one object.

    Parameters
    ----------
    schema : Schema
        The columns of the training data, by name.
    target : TargetSpec
        The classes, and the number of rows of each.
    base : ndarray of shape (J,), float64
        Score of each class before any term is added: in a naive Bayes, the log of the class prior.
    terms : tuple of Term
        One for every column, in the order of the schema, and one for every pair that was searched.
        Terms with weight 0 are not used.
    decision : Decision or None, default=None
        Which class is predicted, given the probabilities; None = the most probable one.

    See Also
    --------
    Term : What one column or pair adds.
    Explanation : What each term adds to the scores of rows.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from modlearn import SelectiveNaiveBayesClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = SelectiveNaiveBayesClassifier().fit(X, y).model_
    >>> model
    <AdditiveModel of 3 classes: 4 columns, 0 pairs, 2 terms with a weight>
    >>> [term.name for term in model.used_terms]
    ['petal length (cm)', 'petal width (cm)']
    """

    schema: Schema
    target: TargetSpec
    base: Annotated[NDArray[np.float64], Floats(("classes",), below=MOST_SCORE)]
    terms: tuple[Term, ...]
    decision: Decision | None = None

    @property
    def classes(self) -> NDArray[Any]:
        """The classes, shape (J,)."""
        return self.target.classes

    @property
    def class_prior(self) -> NDArray[np.float64]:
        """Share of each class among the labeled rows, shape (J,)."""
        return np.asarray(self.target.counts / self.target.counts.sum())

    @cached_property
    def used_terms(self) -> tuple[Term, ...]:
        """The terms with a weight, K of them."""
        return tuple(term for term in self.terms if term.weight > 0)

    @property
    def used_columns(self) -> tuple[Hashable, ...]:
        """Columns of the table that a prediction depends on, in the order of the schema."""
        columns = (self.schema.by_name[name] for term in self.used_terms for name in term.columns)
        used = {column.read.name for column in columns}
        return tuple(name for name in self.schema.sources if name in used)

    @cached_property
    def partitions(self) -> dict[Hashable, Partition]:
        """The partition of every column."""
        return {t.name: t.parts for t in self.terms if isinstance(t.parts, Partition)}

    @cached_property
    def weights(self) -> dict[Hashable, float]:
        """Weight of every column and of every pair that was searched, largest first."""
        by_weight = sorted(self.terms, key=lambda term: -term.weight)
        return {term.name: term.weight for term in by_weight}

    @cached_property
    def best_partition(self) -> Partition | None:
        """The informative partition of least cost, hence the most probable; None if there is none.

        If several cost the same, it is the first.
        """
        informative = [one for one in self.partitions.values() if one.level > 0]
        return min(informative, key=lambda one: one.cost, default=None)

    @cached_property
    def has_curves(self) -> bool:
        """Whether scores were learned directly, as curves over bins that are finer than parts."""
        return any(term.bins is not None for term in self.terms)

    @cached_property
    def importances(self) -> dict[Hashable, float]:
        """How much each column matters, adding up to 1; all 0 if no column has a weight.

        It is weight times level, or, if scores were learned directly, the mean absolute score of
        the training rows. A pair counts half for each of its columns.
        """
        found = dict.fromkeys(self.schema.names, 0.0)
        for term in self.used_terms:
            matters = term.mean_score if self.has_curves else term.level
            for name in term.columns:
                found[name] += term.weight * matters / len(term.columns)
        shares = np.array(list(found.values()))
        if shares.sum() > 0:
            shares /= shares.sum()
        return dict(zip(found, shares.tolist(), strict=True))

    @cached_property
    def grids(self) -> dict[tuple[Hashable, Hashable], Grid]:
        """The grid of every pair that was searched."""
        return {t.parts.names: t.parts for t in self.terms if isinstance(t.parts, Grid)}

    @cached_property
    def tables(self) -> list[NDArray[np.float64]]:
        """Weighted scores per part and class of the terms with a weight."""
        return [term.weight * term.table for term in self.used_terms]

    @cached_property
    def _padded_tables(self) -> list[NDArray[np.float64]]:
        """Weighted scores below a line of zeros: what code -1, a value never seen, adds."""
        return [np.concatenate((np.zeros((1, table.shape[1])), table)) for table in self.tables]

    def codes(self, batch: Batch, n_jobs: int | None = None) -> list[NDArray[np.int32]]:
        """Return the part of every row for each term with a weight; -1 = unseen."""
        scored = [term.scored for term in self.used_terms]
        kept = keep_shared(batch, scored)
        return map_in_threads(lambda parts: parts.codes_in(kept), scored, n_jobs)

    def scores(self, batch: Batch, n_jobs: int | None = None) -> NDArray[np.float64]:
        """Return the scores of rows, shape (n, J)."""
        return self.scores_of(self.codes(batch, n_jobs), batch.n_rows)

    def probabilities(self, batch: Batch, n_jobs: int | None = None) -> NDArray[np.float64]:
        """Return the class probabilities of rows, shape (n, J)."""
        scores = self.scores(batch, n_jobs)
        to_probabilities(scores)
        return scores

    def log_probabilities(self, batch: Batch, n_jobs: int | None = None) -> NDArray[np.float64]:
        """Return the logs of the class probabilities of rows, shape (n, J)."""
        scores = self.scores(batch, n_jobs)
        return scores - to_probabilities(scores.copy())[:, None]

    def labels(self, batch: Batch, n_jobs: int | None = None) -> NDArray[np.intp]:
        """Return the index of the predicted class of each row, shape (n,)."""
        scores = self.scores(batch, n_jobs)
        return scores.argmax(axis=1) if self.decision is None else self.decided(scores)[0]

    def decided(self, scores: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return the predicted class and the probabilities of rows, which replace the scores."""
        labels = scores.argmax(axis=1)  # scores that differ may round to equal probabilities
        to_probabilities(scores)
        probabilities = scores  # in place: a second array might not fit into memory
        if self.decision is not None:
            labels = self.decision.labels(probabilities)
        return labels, probabilities

    def explanation(self, batch: Batch, n_jobs: int | None = None) -> Explanation:
        """Return what each term with a weight adds to the scores of rows."""
        return self.explanation_of(self.codes(batch, n_jobs), batch.n_rows)

    def shapley_values(self, batch: Batch, n_jobs: int | None = None) -> Explanation:
        """Return what each term adds beyond its mean over the labeled training rows.

        A score is a sum with one summand per term, so these differences are exactly its Shapley
        values, however the terms depend on each other.
        """
        plain = self.explanation(batch, n_jobs)
        means = np.zeros((len(self.used_terms), len(self.classes)))
        for k, (term, table) in enumerate(zip(self.used_terms, self.tables, strict=True)):
            rows = term.scored.cells.sum(axis=1)
            means[k] = rows @ table / rows.sum()
        base = self.base + means.sum(axis=0)
        return replace(plain, base=base, contributions=plain.contributions - means)

    def scores_of(self, codes: Sequence[NDArray[np.int32]], n_rows: int) -> NDArray[np.float64]:
        """Return the scores of rows, shape (n, J), from their parts."""
        scores = np.empty((n_rows, len(self.classes)))
        scores[:] = self.base
        for first in range(0, n_rows, ROWS_AT_ONCE):
            last = min(first + ROWS_AT_ONCE, n_rows)
            for column, table in zip(codes, self._padded_tables, strict=True):
                add_to_scores(column, table, scores, first, last)
        return scores

    def explanation_of(self, codes: Sequence[NDArray[np.int32]], n_rows: int) -> Explanation:
        """Return what each term with a weight adds to the scores of rows, from their parts."""
        added = np.empty((n_rows, len(self.used_terms), len(self.classes)))
        for k, (column, table) in enumerate(zip(codes, self.tables, strict=True)):
            added[:, k] = table[column]
            added[column < 0, k] = 0.0
        names = tuple(term.name for term in self.used_terms)
        return Explanation(names, self.classes, self.base, added)

    def fault(self, at: At) -> Fault | None:
        """Say which field of a record contradicts the others."""
        if len(self.target.counts) != len(self.classes) or not self.target.counts.all():
            return ("target", "counts"), f"a table of {len(self.classes)} positive counts"
        names = self.schema.names
        if not names or len(set(names)) != len(names):
            return ("schema", "columns"), "a list of columns with different names"
        sources = self.schema.sources.values()
        if not all(c.format is None or is_format(c.kind, c.format) for c in sources):
            return ("schema", "columns"), "a list of columns whose formats are those of their kinds"
        if any((c.view is None) != (c.source is None) for c in self.schema.columns):
            return ("schema", "columns"), "a list of columns whose views have a source"
        if list(self.partitions) != list(names) or self._n_of(Partition) != len(names):
            return ("terms",), "one term per column of the schema, in its order"
        for name, partition in self.partitions.items():
            if self.schema.by_name[name].ordered != isinstance(partition, Intervals):
                return ("schema", "columns"), "intervals for ordered columns, groups for others"
        for i, term in enumerate(self.terms):
            if not np.array_equal(term.counts.sum(axis=0), self.target.counts):
                return (f"terms {i}", "parts", "counts"), "the labeled rows of every class"
        if len(self.grids) != self._n_of(Grid) or any(
            first == second or not {first, second} <= set(names) for first, second in self.grids
        ):
            return ("terms",), "a list of different pairs of its columns"
        if not all(grid.fits(self.partitions) for grid in self.grids.values()):
            return ("terms",), "a list of pairs whose axes are intervals or groups as their columns"
        return None

    def _n_of(self, kind: type[Any]) -> int:
        return sum(isinstance(term.parts, kind) for term in self.terms)


def keep_shared(batch: Batch, parts: Sequence[Parts]) -> Batch:
    """Return a batch that reads a column only once if several parts need it."""
    if not any(isinstance(one, Grid) for one in parts):
        return batch
    uses = Counter(name for one in parts for name in one.columns)
    shared = {name for name, n in uses.items() if n > 1}
    return _KeptBatch(batch, shared) if shared else batch


class _KeptBatch:
    """A batch that caches some of its columns."""

    def __init__(self, batch: Batch, names: set[Hashable]) -> None:
        self.batch, self.names, self.n_rows = batch, names, batch.n_rows
        # Two threads may both read a column: their results are equal.
        self.numbers: dict[Hashable, NDArray[np.float64]] = {}
        self.categories: dict[Hashable, tuple[NDArray[np.int32], tuple[Hashable, ...]]] = {}

    def kind(self, name: Hashable) -> Kind:
        return self.batch.kind(name)

    def numeric(self, name: Hashable) -> NDArray[np.float64]:
        if name not in self.names:
            return self.batch.numeric(name)
        if name not in self.numbers:
            self.numbers[name] = self.batch.numeric(name)
        return self.numbers[name]

    def categorical(self, name: Hashable) -> tuple[NDArray[np.int32], tuple[Hashable, ...]]:
        if name not in self.names:
            return self.batch.categorical(name)
        if name not in self.categories:
            self.categories[name] = self.batch.categorical(name)
        return self.categories[name]
