"""The additive model: the score of a class is a base plus what each term adds."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from modlearn._model.decision import Decision
from modlearn._model.forms import Classes, Counts, Floats, Number, Optional, RecordPosition
from modlearn._model.grid import PARTITION, Grid
from modlearn._model.limits import MOST_SCORE
from modlearn._model.partitions import Intervals, Partition
from modlearn._model.printing import (
    ExportMixin,
    FrameMixin,
    PrintMixin,
    RowPlotMixin,
    TermPlotMixin,
)
from modlearn._model.record import Fault, Record, RecordUnion, declare
from modlearn._model.tree import Tree
from modlearn._parallel import map_in_threads
from modlearn._search.likelihood import add_to_scores, to_probabilities
from modlearn._statistics.batches import Batch, keep_shared
from modlearn.schema import Schema, TargetSpec, is_format

__all__ = [
    "AdditiveModel",
    "Explanation",
    "MissingPolicy",
    "Parts",
    "Term",
    "UnseenPolicy",
    "next_probable",
    "terms_of",
]


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(PrintMixin, RowPlotMixin, FrameMixin):
    """Where the scores of rows come from: a base, and what each term of the model adds.

    Parameters
    ----------
    names : tuple
        Names of the terms with a weight, K of them: a column, or a tuple of several.
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

Parts = Partition | Grid | Tree
"""Objects that return the part of a row."""

PARTS = RecordUnion(**PARTITION.classes, grid=Grid, tree=Tree)
"""How each of them is written in a record."""

declare(TargetSpec, classes=Classes(), counts=Counts())


class UnseenPolicy(StrEnum):
    """How a categorical value that was never seen in the training data is treated."""

    NEUTRAL = "neutral"
    """It adds nothing to the score of any class."""


class MissingPolicy(StrEnum):
    """How a missing value is treated."""

    LOWEST = "lowest"
    """It ranks below every other value."""

    CATEGORY = "category"
    """It is a value like any other."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Term(PrintMixin, FrameMixin, Record):
    """What one column, or several columns together, add to the scores of a model.

    Parameters
    ----------
    parts : Intervals, Groups, Grid or Tree
        The parts that rows fall in, with the rows per part and class they were learned from.
    weight : float
        Weight from 0 to 1; a term with weight 0 is not used.
    table : ndarray of shape (I, J), float64
        Score of each part and class, before it is weighted. With `bins`, of each of those.
    missing : tuple of MissingPolicy
        How a missing value is treated, for each column.
    unseen : UnseenPolicy
        How a categorical value that was never seen in the training data is treated.
    bins : Intervals, Groups or None, default=None
        Finer parts of the column that have scores of their own; None = `parts` have them.
    deviation : ndarray of shape (I, J) or None, default=None
        Standard deviation of each score given the training rows, as a difference from the mean of
        all classes, before it is weighted; None = it follows from the counts, as in a naive Bayes.
    shapes : ndarray of shape (M, I, J) or None, default=None
        The main ways in which the table may be wrong as a whole, before it is weighted; the model
        has the covariance of their amounts. None = errors of the parts are independent.

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
    missing: tuple[MissingPolicy, ...]
    unseen: UnseenPolicy = UnseenPolicy.NEUTRAL
    bins: Annotated[Partition | None, Optional(PARTITION)] = None
    deviation: Annotated[
        NDArray[np.float64] | None, Optional(Floats((None, "classes"), below=MOST_SCORE))
    ] = None
    shapes: Annotated[
        NDArray[np.float64] | None, Optional(Floats((None, None, "classes"), below=MOST_SCORE))
    ] = None

    @cached_property
    def scored(self) -> Parts:
        """The parts that have a line of the table each: the bins, or the parts themselves."""
        return self.parts if self.bins is None else self.bins

    @cached_property
    def columns(self) -> tuple[Hashable, ...]:
        """Names of the columns that the term depends on."""
        return self.parts.columns

    @cached_property
    def name(self) -> Hashable:
        """Name of the column, or the names of several."""
        return self.columns if len(self.columns) > 1 else self.columns[0]

    @property
    def counts(self) -> NDArray[np.int64]:
        """Labeled rows per part and class, shape (I, J)."""
        return self.parts.cells

    @property
    def level(self) -> float:
        """How informative the term is about the target, 0 = not at all."""
        return self.parts.level

    @property
    def mean_score(self) -> float:
        """Mean absolute score of the labeled training rows, over all classes."""
        rows = self.scored.cells.sum(axis=1)
        return float(rows @ np.abs(self.table).mean(axis=1) / rows.sum())

    def fault(self, at: RecordPosition) -> Fault | None:
        """Say which field of a record contradicts the others."""
        if len(self.table) != self.scored.n_parts:
            return ("table",), f"a line of scores for each of {self.scored.n_parts} parts"
        if self.bins is not None and (
            type(self.bins) is not type(self.parts)
            or self.bins.columns != self.parts.columns
            or not np.array_equal(self.bins.counts.sum(axis=0), self.counts.sum(axis=0))
        ):
            return ("bins",), f"finer parts of {self.parts.columns[0]!r}, with the same rows"
        if self.deviation is not None and (
            self.deviation.shape != self.table.shape or self.deviation.min() < 0
        ):
            return ("deviation",), "a table of numbers of at least 0, like the table of scores"
        if self.shapes is not None and self.shapes.shape[1:] != self.table.shape:
            return ("shapes",), "a list of tables like the table of scores"
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


def _missing(parts: Parts) -> tuple[MissingPolicy, ...]:
    """Return how a missing value is treated, for each column."""
    return tuple(
        MissingPolicy.LOWEST if isinstance(axis, Intervals) else MissingPolicy.CATEGORY
        for axis in parts.axes
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class AdditiveModel(PrintMixin, TermPlotMixin, FrameMixin, ExportMixin, Record):
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
        One for every column, in the order of the schema, one for every pair that was searched, and
        one for every tree. Terms with weight 0 are not used.
    decision : Decision or None, default=None
        Which class is predicted, given the probabilities; None = the most probable one.
    covariance : ndarray of shape (J + M, J + M) or None, default=None
        Of the base, and of the amounts of the M shapes of all terms with a weight; None = the
        scores are as uncertain as the counts they come from, independently of each other.

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
    covariance: Annotated[
        NDArray[np.float64] | None, Optional(Floats((None, None), below=MOST_SCORE))
    ] = None

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
    def columns(self) -> tuple[Hashable, ...]:
        """Names of the columns of the training data."""
        return tuple(self.schema.sources)

    @property
    def used_columns(self) -> tuple[Hashable, ...]:
        """Columns of the table that a prediction depends on, in the order of the schema."""
        columns = (self.schema.by_name[name] for term in self.used_terms for name in term.columns)
        used = {column.read.name for column in columns}
        return tuple(name for name in self.schema.sources if name in used)

    @cached_property
    def partitions(self) -> dict[Hashable, Partition]:
        """The partition of every column."""
        return {t.parts.name: t.parts for t in self.terms if isinstance(t.parts, Partition)}

    @cached_property
    def weights(self) -> dict[Hashable, float]:
        """Weight of every column, pair that was searched and tree, largest first."""
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
        the training rows. A pair counts half for each of its columns, a tree likewise.
        """
        found: dict[Hashable, float] = dict.fromkeys(self.partitions, 0.0)
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
    def trees(self) -> dict[tuple[Hashable, ...], Tree]:
        """The tree of each set of columns that has one."""
        return {t.columns: t.parts for t in self.terms if isinstance(t.parts, Tree)}

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
        is_plain = all(isinstance(one, Partition) for one in scored)  # a column each
        kept = batch if is_plain else keep_shared(batch, scored)
        return map_in_threads(lambda parts: parts.codes_in(kept), scored, n_jobs)

    def scores(self, batch: Batch, n_jobs: int | None = None) -> NDArray[np.float64]:
        """Return the scores of rows, shape (n, J)."""
        return self.scores_of(self.codes(batch, n_jobs), batch.n_rows)

    def probabilities(self, batch: Batch, n_jobs: int | None = None) -> NDArray[np.float64]:
        """Return the class probabilities of rows, shape (n, J)."""
        return self.probabilities_of(self.codes(batch, n_jobs), batch.n_rows)

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

    def probabilities_of(
        self, codes: Sequence[NDArray[np.int32]], n_rows: int
    ) -> NDArray[np.float64]:
        """Return the class probabilities of rows, shape (n, J), from their parts."""
        scores = self.scores_of(codes, n_rows)
        to_probabilities(scores)
        return scores

    def explanation_of(self, codes: Sequence[NDArray[np.int32]], n_rows: int) -> Explanation:
        """Return what each term with a weight adds to the scores of rows, from their parts."""
        added = np.empty((n_rows, len(self.used_terms), len(self.classes)))
        for k, (column, table) in enumerate(zip(codes, self.tables, strict=True)):
            added[:, k] = table[column]
            added[column < 0, k] = 0.0
        names = tuple(term.name for term in self.used_terms)
        return Explanation(names, self.classes, self.base, added)

    def fault(self, at: RecordPosition) -> Fault | None:
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
        of_trees = {name for columns in self.trees for name in columns}
        if len(self.trees) != self._n_of(Tree) or not of_trees <= set(names):
            return ("terms",), "a list of different trees on its columns"
        if not all(grid.fits(self.partitions) for grid in self.grids.values()):
            return ("terms",), "a list of pairs whose axes are intervals or groups as their columns"
        if not all(tree.fits(self.partitions) for tree in self.trees.values()):
            return ("terms",), "a list of trees whose axes are intervals or groups as their columns"
        return self._fault_of_covariance()

    def _fault_of_covariance(self) -> Fault | None:
        """Say what is wrong with the covariance of the shapes."""
        if self.covariance is None:
            return None
        n = len(self.classes) + sum(
            0 if term.shapes is None else len(term.shapes) for term in self.used_terms
        )
        found = self.covariance
        if (
            found.shape != (n, n)
            or not np.array_equal(found, found.T)
            or found.diagonal().min() < 0
        ):
            return ("covariance",), f"a symmetric table of {n} × {n} numbers"
        return None

    def _n_of(self, kind: type[Any]) -> int:
        return sum(isinstance(term.parts, kind) for term in self.terms)
