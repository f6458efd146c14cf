"""How sure tables of scores are: their covariance, from the curvature of the posterior.

Near the most probable tables, the posterior is close to a normal distribution whose precision is
the curvature of minus its logarithm (Laplace's approximation; ``criteria.additive`` has the
equations). The curvature is averaged once over the scores that it makes probable by itself: where
classes are separated, it vanishes at the most probable scores, but not far from them.

All coordinates of all terms and classes are solved together if they are few. Otherwise each class
is compared with the others, given how those compare among each other. If coordinates are still
many, those of largest prior variance, such as the slopes of curves, are solved together; the
others, such as small bends, for each term alone. Slopes must be solved together: two columns that
carry the same information may share its slope in any way, and each alone would look too sure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from modlearn._parallel import one_blas_thread
from modlearn._statistics.profiles import Profiles
from modlearn._statistics.row_keys import row_keys
from modlearn.criteria.additive import class_contrasts, expected_curvatures, one_against_others

__all__ = ["MOST_CLASSES", "TableCovariance", "table_covariance"]

MOST_CLASSES = 50
"""Most classes: every row has a table of class by class, and every comparison shapes of its own."""

MOST_COORDINATES = 300
"""Unknowns that are solved together: their precision matrix has this many lines."""

MOST_COUNTED = 50_000
"""Rows that the curvature is counted on; of more, a sample of this size is scaled up."""

MOST_CURVATURES = 20_000_000
"""Numbers in the curvatures of all rows, one for two classes each; fewer rows are counted if they
would be more."""

KEPT_SHARE = 0.95
"""Share of the variance of the scores of rows that shapes keep, if they are not too many."""

MOST_SHAPES = 100
"""Shapes whose covariance is kept, of all terms together."""

INTERCEPT_PRECISION = 1e-6
"""Of the prior of the intercept, so that a class without rows has a variance, too."""

Array = NDArray[np.float64]


@dataclass(frozen=True)
class TableCovariance:
    """Covariance of the scores of an additive model whose terms have mean 0 over the rows.

    Only differences between classes count, so the mean of a score over the classes is left out.

    Parameters
    ----------
    deviations : list of K ndarrays of shape (I, J)
        Standard deviation of each score.
    shapes : list of K ndarrays of shape (M_k, I, J)
        The main ways in which the table of each term may be wrong as a whole, M of all terms.
    covariance : ndarray of shape (J + M, J + M)
        Covariance of the scores before any term is added, and of the amounts of the shapes. What
        the shapes of a term do not explain is independent of all other terms.
    """

    deviations: list[Array]
    shapes: list[Array]
    covariance: Array


def table_covariance(
    profiles: Profiles,
    roots: Sequence[Array],
    tables: Sequence[Array],
    base: Array,
    penalty: float,
) -> TableCovariance:
    """Return the covariance of the most probable tables.

    Parameters
    ----------
    profiles : Profiles
        Rows by the parts of the terms and the class; part -1 adds nothing.
    roots : sequence of K ndarrays of shape (I, r)
        A root A of the prior covariance AA' of each table, for every class alike.
    tables : sequence of K ndarrays of shape (I, J)
        The most probable scores.
    base : ndarray of shape (J,)
        Scores before any term is added.
    penalty : float
        Precision of the prior.

    Returns
    -------
    TableCovariance
    """
    with one_blas_thread():
        rows = _Rows.of(profiles, roots, tables, base)
        blocks = [_Block(rows, *block) for block in _blocks(rows)]
        plain = rows.curvatures(np.zeros(len(rows.rows)))
        variances = sum(block.row_variances(plain, penalty) for block in blocks if block.is_main)
        curvatures = rows.curvatures(np.asarray(variances))
        solved = [block.solve(curvatures, penalty) for block in blocks]
    return _joined(solved, tables)


@dataclass(frozen=True)
class _Term:
    """Coordinates of a term as rows find them; those of a term may be divided into two.

    Parameters
    ----------
    owner : int
        Position of the term; -1 = the intercept, of a single part.
    codes : ndarray of shape (n,), intp
        The line of the root of each row; the last line is 0.
    root : ndarray of shape (I + 1, r)
        Score per unit of each coordinate.
    shares : ndarray of shape (I,)
        Share of the rows in each part.
    """

    owner: int
    codes: NDArray[np.intp]
    root: Array
    shares: Array

    @property
    def variances(self) -> Array:
        """Mean prior variance of the scores of rows by coordinate, shape (r,)."""
        return np.asarray(self.shares @ self.root[:-1] ** 2)

    @property
    def mean(self) -> Array:
        """Mean score of the rows per unit of each coordinate, shape (r,)."""
        return np.asarray(self.shares @ self.root[:-1])

    @property
    def centered(self) -> Array:
        """Score beyond its mean per unit of each coordinate, shape (I, r)."""
        return np.asarray(self.root[:-1] - self.mean)


@dataclass(frozen=True)
class _Rows:
    """Rows by their parts, and the class probabilities at the most probable tables."""

    terms: list[_Term]
    rows: Array
    scores: Array

    @classmethod
    def of(
        cls, profiles: Profiles, roots: Sequence[Array], tables: Sequence[Array], base: Array
    ) -> _Rows:
        """Take a sample of many rows, whatever their order and their classes."""
        kept = _sample(profiles, min(MOST_COUNTED, MOST_CURVATURES // len(base) ** 2))
        rows = profiles.rows[kept]
        scores = np.tile(base, (len(rows), 1))
        terms = []
        for k, (codes, root) in enumerate(zip(profiles.codes, roots, strict=True)):
            lines = np.where(codes[kept] < 0, len(root), codes[kept]).astype(np.intp)
            scores += np.vstack((tables[k], np.zeros(len(base))))[lines]
            everywhere = np.where(codes < 0, len(root), codes)
            shares = np.bincount(everywhere, profiles.rows, len(root) + 1) / profiles.rows.sum()
            terms.append(_Term(k, lines, np.vstack((root, np.zeros(root.shape[1]))), shares[:-1]))
        nowhere = np.zeros(len(rows), dtype=np.intp)
        terms.append(_Term(-1, nowhere, np.array([[1.0], [0.0]]), np.ones(1)))
        return cls(terms, rows * (profiles.rows.sum() / rows.sum()), scores)

    @property
    def n_classes(self) -> int:
        """J."""
        return int(self.scores.shape[1])

    def curvatures(self, variances: Array) -> Array:
        """Return diag p - pp' of each row, averaged over scores of these variances, times rows."""
        return expected_curvatures(self.scores, variances) * self.rows[:, None, None]


def _sample(profiles: Profiles, most: int) -> NDArray[np.intp]:
    """Return the positions of at most this many rows, by a hash that classes do not change."""
    n = len(profiles.rows)
    if n <= most:
        return np.arange(n)
    keys = row_keys(profiles.codes, np.zeros(n, dtype=np.int32))
    return np.flatnonzero(keys <= np.partition(keys, most - 1)[most - 1])


def _blocks(rows: _Rows) -> list[tuple[list[_Term], Array, float]]:
    """Return terms, contrasts of classes and their share, one for all that is solved together."""
    J = rows.n_classes
    n_coordinates = sum(term.root.shape[1] for term in rows.terms)
    groups = [rows.terms] if n_coordinates <= MOST_COORDINATES else _divided(rows.terms)
    contrasts = [(class_contrasts(J), 1.0)]
    if J > 2 and n_coordinates * (J - 1) > MOST_COORDINATES:
        # J - 1 of the J comparisons are independent: each counts in part.
        contrasts = [(one_against_others(j, J), 1 - 1 / J) for j in range(J)]
    return [(group, *contrast) for contrast in contrasts for group in groups]


def _divided(terms: Sequence[_Term]) -> list[list[_Term]]:
    """Return the main coordinates of all terms with the intercept, and the others of each term."""
    *terms, intercept = terms
    variances = np.concatenate([term.variances for term in terms])
    main = np.zeros(len(variances), dtype=bool)
    main[np.argsort(-variances, kind="stable")[: MOST_COORDINATES - 1]] = True
    together, alone = [intercept], []
    ends = np.cumsum([term.root.shape[1] for term in terms])
    for term, kept in zip(terms, np.split(main, ends[:-1]), strict=True):
        if kept.any():
            together.append(replace(term, root=term.root[:, kept]))
        if not kept.all():
            alone.append([replace(term, root=term.root[:, ~kept])])
    return [together, *alone]


@dataclass(frozen=True)
class _BlockCovariance:
    """What is known of a block: variances, candidates for shapes, and their covariance.

    Parameters
    ----------
    variances : dict of int to ndarray of shape (I, J)
        Variance of the scores, by the position of the term.
    owners : list of int
        The term of each candidate.
    shapes : list of ndarrays of shape (I, J)
        The candidates.
    covariance : ndarray of shape (J + M, J + M)
        Covariance of the base and of the candidates.
    total : float
        Mean variance of the scores of rows, of all terms.
    """

    variances: dict[int, Array]
    owners: list[int]
    shapes: list[Array]
    covariance: Array
    total: float


@dataclass(frozen=True)
class _Block:
    """Terms and contrasts of classes whose coordinates are solved together.

    Parameters
    ----------
    rows : _Rows
        The rows.
    terms : list of _Term
        The terms.
    contrasts : ndarray of shape (J, q)
        Scores of the classes per unit of each contrast.
    share : float
        By which covariances count, if several blocks have the same contrasts.
    """

    rows: _Rows
    terms: list[_Term]
    contrasts: Array
    share: float

    @cached_property
    def bounds(self) -> list[int]:
        """Where the coordinates of each term begin, and the last ones end."""
        return list(accumulate((term.root.shape[1] for term in self.terms), initial=0))

    @property
    def is_main(self) -> bool:
        """Whether the intercept is in it, and with it the main coordinates of all terms."""
        return any(term.owner < 0 for term in self.terms)

    def row_variances(self, curvatures: Array, penalty: float) -> Array:
        """Return the variance of a contrast of the scores of each row, shape (n,)."""
        covariance = self.covariance(curvatures, penalty)
        norms = (self.contrasts**2).sum(axis=0)
        plain = np.einsum("raqa,a->rq", covariance, norms) / (len(self.contrasts) - 1)
        total = np.zeros(len(self.rows.rows))
        for k, first in enumerate(self.terms):
            for i, second in enumerate(self.terms[: k + 1]):
                at, by = (slice(self.bounds[t], self.bounds[t + 1]) for t in (k, i))
                table = first.root @ plain[at, by] @ second.root.T
                key = first.codes * len(second.root) + second.codes
                total += (1 if i == k else 2) * table.ravel()[key]
        return np.maximum(total, 0.0)

    def precision(self, curvatures: Array, penalty: float) -> Array:
        """Return A'WA + penalty, shape (R, q, R, q): the curvature by coordinate and contrast."""
        q = self.contrasts.shape[1]
        found = np.zeros((self.bounds[-1], q, self.bounds[-1], q))
        weights = self.contrasts.T @ curvatures @ self.contrasts
        weights = np.ascontiguousarray(weights.T)
        for k in range(len(self.terms)):
            for i in range(k + 1):
                self._add_pair(found, weights, k, i)
        norms = (self.contrasts**2).sum(axis=0)
        for k, term in enumerate(self.terms):
            strength = INTERCEPT_PRECISION if term.owner < 0 else penalty
            at = np.arange(self.bounds[k], self.bounds[k + 1])
            for a in range(q):
                found[at, a, at, a] += norms[a] * strength
        return found

    def _add_pair(self, found: Array, weights: Array, k: int, i: int) -> None:
        """Add what rows say on two terms: their weights by both parts, times both roots."""
        first, second = self.terms[k], self.terms[i]
        sizes = len(first.root), len(second.root)
        key = first.codes * sizes[1] + second.codes
        at, by = (slice(self.bounds[t], self.bounds[t + 1]) for t in (k, i))
        for a, b in np.ndindex(*weights.shape[:2]):
            counted = np.bincount(key, weights[a, b], sizes[0] * sizes[1]).reshape(sizes)
            found[at, a, by, b] = first.root.T @ counted @ second.root
            found[by, b, at, a] = found[at, a, by, b].T

    def covariance(self, curvatures: Array, penalty: float) -> Array:
        """Return the inverse of the precision, shape (R, q, R, q)."""
        precision = self.precision(curvatures, penalty)
        n = precision.shape[0] * precision.shape[1]
        return _inverse(precision.reshape(n, n)).reshape(precision.shape) * self.share

    def solve(self, curvatures: Array, penalty: float) -> _BlockCovariance:
        """Return variances of all scores, and the covariance of the main shapes."""
        covariance = self.covariance(curvatures, penalty)
        R, q = covariance.shape[:2]
        variances: dict[int, Array] = {}
        found: list[tuple[float, int, Array, Array]] = []
        total = 0.0
        for k, term in enumerate(self.terms):
            if term.owner < 0:
                continue
            at = slice(self.bounds[k], self.bounds[k + 1])
            own = np.einsum("ir,raqb->iaqb", term.centered, covariance[at, :, at, :])
            own = np.einsum("iaqb,lq->ialb", own, term.centered)
            by_class = np.einsum("iaib,ja,jb->ij", own, self.contrasts, self.contrasts)
            variances[term.owner] = np.maximum(by_class, 0.0)
            values, amounts, shapes = _main_shapes(own, term.shares)
            total += float(values.sum())
            for value, amount, shape in zip(values, amounts, shapes, strict=True):
                coordinates = np.zeros((R, q))
                coordinates[at] = term.centered.T @ amount
                found.append((float(value), term.owner, coordinates, shape @ self.contrasts.T))
        found = sorted(found, key=lambda one: -one[0])[:MOST_SHAPES]
        rows = [*self._base(), *(one[2].ravel() for one in found)]
        projected = np.array(rows)
        flat = covariance.reshape(R * q, R * q)
        return _BlockCovariance(
            variances,
            [one[1] for one in found],
            [one[3] for one in found],
            projected @ flat @ projected.T,
            total,
        )

    def _base(self) -> list[Array]:
        """Return the score of each class before any centered term, by coordinate and contrast."""
        means = np.concatenate([term.mean for term in self.terms])
        return [np.multiply.outer(means, line).ravel() for line in self.contrasts]


def _inverse(matrix: Array) -> Array:
    """Return the inverse of a positive definite matrix, by Cholesky's factors."""
    from scipy.linalg.lapack import dpotrf, dpotri

    # What is symmetric may be read by columns, as Fortran does, without a copy.
    factor, _ = dpotrf(matrix.T, lower=1, overwrite_a=1)
    inverse, _ = dpotri(factor, lower=1, overwrite_c=1)
    lower = np.tril(inverse)
    return np.asarray(lower + np.tril(lower, -1).T)


def _main_shapes(covariance: Array, shares: Array) -> tuple[Array, Array, Array]:
    """Return variances of shapes, how to read their amounts off a table, and the shapes.

    They are the principal components of a table (I, q) over the rows: each amount is a mean over
    rows, shape (I, q), and the shape is what the table is expected to be per unit of it.
    """
    I, q = covariance.shape[:2]
    flat = covariance.reshape(I * q, I * q)
    weights = np.repeat(np.sqrt(shares), q)
    values, vectors = np.linalg.eigh(weights[:, None] * flat * weights)
    kept = np.flatnonzero(values > 1e-9 * values.max(initial=0.0))[::-1]
    values, vectors = values[kept], vectors[:, kept]
    # The sign of an eigenvector is arbitrary; that of its largest entry is made positive.
    largest = np.abs(vectors).argmax(axis=0)
    vectors = vectors * np.sign(vectors[largest, np.arange(len(values))])
    amounts = weights[:, None] * vectors
    shapes = flat @ amounts / values
    return values, amounts.T.reshape(-1, I, q), shapes.T.reshape(-1, I, q)


def _joined(solved: Sequence[_BlockCovariance], tables: Sequence[Array]) -> TableCovariance:
    """Add up the variances of blocks, and keep the main shapes of all of them."""
    J = tables[0].shape[1]
    variances = [np.zeros(table.shape) for table in tables]
    for one in solved:
        for k, variance in one.variances.items():
            variances[k] += variance
    chosen = _chosen(solved)
    base = sum((one.covariance[:J, :J] for one in solved), np.zeros((J, J)))
    order = sorted(range(len(chosen)), key=lambda i: solved[chosen[i][0]].owners[chosen[i][1]])
    chosen = [chosen[i] for i in order]
    covariance = np.zeros((J + len(chosen), J + len(chosen)))
    covariance[:J, :J] = base
    shapes: list[list[Array]] = [[] for _ in tables]
    for m, (b, s) in enumerate(chosen, start=J):
        one = solved[b]
        shapes[one.owners[s]].append(one.shapes[s])
        covariance[m, :J] = covariance[:J, m] = one.covariance[J + s, :J]
        for n, (c, t) in enumerate(chosen, start=J):
            # Blocks are independent of each other.
            covariance[m, n] = one.covariance[J + s, J + t] if b == c else 0.0
    return TableCovariance(
        [np.sqrt(variance) for variance in variances],
        [
            np.array(own) if own else np.empty((0, *table.shape))
            for own, table in zip(shapes, tables, strict=True)
        ],
        covariance,
    )


def _chosen(solved: Sequence[_BlockCovariance]) -> list[tuple[int, int]]:
    """Return block and position of the shapes of largest variance that explain nearly all of it."""
    J = len(solved[0].covariance) - len(solved[0].shapes)
    ranked = sorted(
        (-float(one.covariance[J + s, J + s]), b, s)
        for b, one in enumerate(solved)
        for s in range(len(one.shapes))
    )
    total = sum(one.total for one in solved)
    explained = np.cumsum([-value for value, _, _ in ranked])
    n = int(np.searchsorted(explained, KEPT_SHARE * total)) + 1
    return [(b, s) for _, b, s in ranked[: min(n, MOST_SHAPES)]]
