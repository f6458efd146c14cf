"""Tables of scores of an additive model: the most probable ones under a smooth prior."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from modlearn._parallel import map_in_threads, one_blas_thread
from modlearn._search.likelihood import TableLikelihood
from modlearn._statistics.profiles import Profiles

__all__ = ["ScoreTables", "best_tables"]

PENALTIES = tuple(4.0**power for power in range(4, -5, -1))
"""Precisions of the prior that are tried, from the strongest: 256, 64, ..., 1/256."""

N_FOLDS = 3
"""Parts of the rows; each is predicted from the others to compare penalties."""

MOST_COMPARED = 50_000
"""Rows that penalties are compared on: the best one does not depend on the number of rows."""

NEGLIGIBLE = 10.0
"""Nats by which rows are less probable than under the best penalty if weaker ones are not tried."""

MOST_DRAWN = 1_000_000_000
"""Rows of a class from which NumPy can draw; of more, every fold gets the same share."""

SHORT = np.uint64(0xFFFFFF)
"""Bits of a hash that are added up: sums of a billion of them are exact in floating point."""

CHUNKS = 8
"""Parts of the rows whose losses are added up; fixed, so that sums do not depend on threads."""

SMALL_WORK = 20_000
"""Rows times terms that are not worth several chunks."""

ROUGH, EXACT = 1e-5, 1e-8
"""Steps end where one lowers the loss by less than this share: to compare, and for the model."""

MOST_STEPS = 300
"""Most steps of the search for the tables."""


@dataclass(frozen=True)
class ScoreTables:
    """Tables of scores, and the strength of the prior they were found under.

    Parameters
    ----------
    tables : list of K ndarrays of shape (I, J)
        Score of each part and class of each term.
    base : ndarray of shape (J,)
        Score of each class before any term is added.
    penalty : float
        Precision of the prior.
    """

    tables: list[NDArray[np.float64]]
    base: NDArray[np.float64]
    penalty: float


def best_tables(
    profiles: Profiles,
    roots: Sequence[NDArray[np.float64]],
    log_prior: NDArray[np.float64],
    n_jobs: int | None,
) -> ScoreTables:
    """Find the most probable tables; the strength of the prior is that which predicts best.

    Parameters
    ----------
    profiles : Profiles
        Rows by the parts of the terms and the class; part -1 adds nothing.
    roots : sequence of K ndarrays of shape (I, r)
        A root A of the prior covariance AA' of each table, for every class alike.
    log_prior : ndarray of shape (J,)
        log P(class).
    n_jobs : int or None
        Threads; the result does not depend on their number.

    Returns
    -------
    ScoreTables
    """
    problem, position = _Problem.of(profiles, roots, log_prior, n_jobs).in_order()
    with one_blas_thread():
        penalty = _best_penalty(problem.of_first_rows(MOST_COMPARED))
        z = problem.start
        few = problem.of_first_rows(MOST_COMPARED)
        for stronger in (one for one in PENALTIES if one > penalty):
            z = few.solve(stronger, z, ROUGH)
        z = problem.solve(penalty, z, EXACT)
    stacked = np.ascontiguousarray(problem.tables(z)[:, position])
    tables = [stacked[a:b] for a, b in zip(problem.ends[:-1], problem.ends[1:], strict=True)]
    return ScoreTables(tables, log_prior + stacked[-2], penalty)


def _best_penalty(problem: _Problem) -> float:
    """Return the penalty under which the rows of a part are most probable given the others.

    It is the geometric mean of all penalties, each by the probability of the rows under it: with
    many rows, that of the best one; with few, one that chance does not decide.
    """
    folds = [problem.fold(k) for k in range(N_FOLDS)]
    positions = [problem.start] * N_FOLDS
    losses: list[float] = []
    for penalty in PENALTIES:
        loss = 0.0
        for k, (train, test) in enumerate(folds):
            positions[k] = train.solve(penalty, positions[k], ROUGH)
            loss += test.loss_and_gradient(test.tables(positions[k]))[0]
        losses.append(loss)
        if loss - min(losses) > NEGLIGIBLE:
            break
    weights = np.exp(min(losses) - np.array(losses))
    return float(np.exp(np.average(np.log(PENALTIES[: len(losses)]), weights=weights)))


@dataclass(frozen=True, eq=False)
class _Problem:
    """Rows to be made probable by tables T = AZ, where Z has independent normal entries.

    Parameters
    ----------
    lines : ndarray of shape (K + 1, n), int32
        The line of the stacked tables that each row finds in each term. The tables of the terms
        come first, then the intercept, which all rows find, then a line of zeros.
    classes, rows : ndarray of shape (n,)
        Class of each row, and how often it counts.
    roots : tuple of K ndarrays of shape (I, r)
        A of each term.
    log_prior : ndarray of shape (J,)
        What scores start from.
    n_jobs : int or None
        Threads.
    """

    lines: NDArray[np.int32]
    classes: NDArray[np.int32]
    rows: NDArray[np.float64]
    roots: tuple[NDArray[np.float64], ...]
    log_prior: NDArray[np.float64]
    n_jobs: int | None

    @classmethod
    def of(
        cls,
        profiles: Profiles,
        roots: Sequence[NDArray[np.float64]],
        log_prior: NDArray[np.float64],
        n_jobs: int | None,
    ) -> _Problem:
        """Number the lines that rows find in the stacked tables."""
        ends = np.cumsum([0, *(len(root) for root in roots)], dtype=np.int32)
        intercept, nothing = ends[-1], ends[-1] + 1
        lines = np.empty((len(roots) + 1, len(profiles.classes)), dtype=np.int32)
        for k, codes in enumerate(profiles.codes):
            lines[k] = np.where(codes < 0, nothing, codes + ends[k])
        lines[-1] = intercept
        return cls(lines, profiles.classes, profiles.rows, tuple(roots), log_prior, n_jobs)

    @cached_property
    def ends(self) -> NDArray[np.int64]:
        """Where the tables of the terms begin, and the last one ends, shape (K + 1,)."""
        return np.cumsum([0, *(len(root) for root in self.roots)])

    @cached_property
    def coordinates(self) -> NDArray[np.int64]:
        """Where the lines of Z of each term begin, and the last ones end, shape (K + 1,)."""
        return np.cumsum([0, *(root.shape[1] for root in self.roots)])

    @cached_property
    def likelihood(self) -> TableLikelihood:
        """The loss as a function of the tables."""
        return TableLikelihood(self.lines, self.classes, self.rows, self.log_prior)

    @cached_property
    def keys(self) -> NDArray[np.uint64]:
        """A hash of the lines of each row, shape (n,).

        Neither the order of terms nor that of classes changes it: a line is known by its position
        in its table, its rows of each class, and the hashes of the rows that find it.
        """
        positions = np.concatenate([*(np.arange(b - a) for a, b in pairwise(self.ends)), [0, 0]])
        by_class = (np.where(self.classes == j, self.rows, 0.0) for j in range(len(self.log_prior)))
        counted = sum((_mixed(self._sums(amounts)) for amounts in by_class), np.uint64(0))
        # Mixed after each addition, so that a position cannot be mistaken for a count.
        marks = _mixed(_mixed(_mixed(positions.astype(np.uint64))) + counted)
        rows = _mixed(_sums_of(marks, self.lines))
        marks = _mixed(marks + _mixed(self._sums((rows & SHORT).astype(np.float64))))
        return _sums_of(marks, self.lines)

    def _sums(self, amounts: NDArray[np.float64]) -> NDArray[np.uint64]:
        """Return the sum of the amounts of the rows that find each line."""
        found = np.zeros(int(self.ends[-1]) + 2)
        for line in self.lines[:-1]:
            found += np.bincount(line, amounts, len(found))
        found[-2:] = 0.0  # the intercept and the line of zeros belong to no term
        return found.astype(np.uint64)

    def in_order(self) -> tuple[_Problem, NDArray[np.intp]]:
        """Return the problem with rows and classes in an order of its own, and where classes are.

        Sums are rounded, and steps of a search that stops early depend on it: in the same order,
        rows and classes give the same tables to the last bit, whatever their order was before.
        """
        J = len(self.log_prior)
        by_row = _mixed(self.keys) * self.rows.astype(np.uint64)
        marks = [by_row[self.classes == j].sum(dtype=np.uint64) for j in range(J)]
        position = np.argsort(np.lexsort((marks, np.bincount(self.classes, self.rows, J))))
        classes = position.astype(np.int32)[self.classes]
        order = np.lexsort((classes, self.keys))
        ordered = replace(
            self.at(order, self.rows),
            classes=classes[order],
            log_prior=self.log_prior[np.argsort(position)],
        )
        return ordered, position

    @property
    def start(self) -> NDArray[np.float64]:
        """Z and the intercept, all zero: the prior of the classes."""
        return np.zeros((self.coordinates[-1] + 1, len(self.log_prior)))

    def at(self, kept: NDArray[np.intp], rows: NDArray[np.float64]) -> _Problem:
        """Return the problem of some of the rows, with other counts."""
        lines = np.ascontiguousarray(self.lines[:, kept])
        return replace(self, lines=lines, classes=self.classes[kept], rows=rows[kept])

    def of_first_rows(self, n: int) -> _Problem:
        """Return the problem of the first rows by key: a sample, as keys have no meaning."""
        if n >= len(self.rows):
            return self
        # Rows with the key of the last one belong to it, whatever the order of their classes.
        last = np.partition(self.keys, n - 1)[n - 1]
        return self.at(np.flatnonzero(self.keys <= last), self.rows)

    @cached_property
    def dealt(self) -> NDArray[np.float64]:
        """The number of rows of each profile in each fold, shape (F, n).

        The rows of a class are divided into equal folds at random. Were the rows of a profile dealt
        out in turn, all folds would have the same classes in the same parts, and what noise teaches
        in one of them would predict the others. The only row of a class is in no fold: nothing
        could be learned about it from the others.
        """
        found = np.zeros((N_FOLDS, len(self.rows)))
        counts = self.rows.astype(np.int64)
        order = np.lexsort((self.keys, self.classes))
        for own in np.split(order, np.flatnonzero(np.diff(self.classes[order])) + 1):
            left, n = counts[own], int(counts[own].sum())
            # The random numbers of a class follow from its rows, not from its name or position.
            seed = int((self.keys[own] * left.astype(np.uint64)).sum())
            rng = np.random.default_rng(seed)
            for k in range(N_FOLDS if n > 1 else 0):
                drawn = _drawn(left, (n + N_FOLDS - 1 - k) // N_FOLDS, rng)
                found[k, own] = drawn
                left = left - drawn
        return found

    def fold(self, k: int) -> tuple[_Problem, _Problem]:
        """Return the rows without those of fold k, and those of fold k."""
        held = self.dealt[k]
        kept = self.rows - held
        return self.at(np.flatnonzero(kept), kept), self.at(np.flatnonzero(held), held)

    def tables(self, z: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the stacked tables AZ, the intercept and a line of zeros."""
        stacked = np.zeros((int(self.ends[-1]) + 2, z.shape[1]))
        for k, root in enumerate(self.roots):
            lines = z[self.coordinates[k] : self.coordinates[k + 1]]
            np.matmul(root, lines, out=stacked[self.ends[k] : self.ends[k + 1]])
        stacked[-2] = z[-1]
        return stacked

    def by_coordinates(self, gradient: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the derivatives by Z and the intercept, from those by the stacked tables."""
        found = np.empty_like(self.start)
        for k, root in enumerate(self.roots):
            lines = gradient[self.ends[k] : self.ends[k + 1]]
            np.matmul(root.T, lines, out=found[self.coordinates[k] : self.coordinates[k + 1]])
        found[-1] = gradient[-2]
        return found

    def loss_and_gradient(self, tables: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """Return the negative log-likelihood of the classes, and its derivatives by the tables."""
        n = len(self.rows)
        if n * len(self.lines) < SMALL_WORK:
            return self.likelihood.loss_and_gradient(tables, 0, n)
        bounds = [n * i // CHUNKS for i in range(CHUNKS + 1)]

        def part(i: int) -> tuple[float, NDArray[np.float64]]:
            return self.likelihood.loss_and_gradient(tables, bounds[i], bounds[i + 1])

        losses, gradients = zip(*map_in_threads(part, range(CHUNKS), self.n_jobs), strict=True)
        return sum(losses), sum(gradients[1:], gradients[0])

    def solve(
        self, penalty: float, start: NDArray[np.float64], tolerance: float
    ) -> NDArray[np.float64]:
        """Return the most probable Z and intercept under a prior of this precision."""
        from scipy.optimize import minimize

        shape = start.shape

        def cost(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
            z = flat.reshape(shape)
            loss, by_tables = self.loss_and_gradient(self.tables(z))
            gradient = self.by_coordinates(by_tables)
            gradient[:-1] += penalty * z[:-1]
            return loss + penalty / 2 * float(np.vdot(z[:-1], z[:-1])), gradient.ravel()

        found = minimize(
            cost,
            start.ravel(),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": MOST_STEPS, "maxcor": 10, "ftol": tolerance, "gtol": 0.0},
        )
        return np.asarray(found.x).reshape(shape)


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Hash numbers, one by one (SplitMix64)."""
    found = numbers + np.uint64(0x9E3779B97F4A7C15)
    found = (found ^ (found >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    found = (found ^ (found >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(found ^ (found >> np.uint64(31)))


def _sums_of(marks: NDArray[np.uint64], lines: NDArray[np.int32]) -> NDArray[np.uint64]:
    """Return the sum of the marks of the lines of each row, whatever their order, shape (n,)."""
    found = np.zeros(lines.shape[1], dtype=np.uint64)
    for line in lines:
        found += marks[line]
    return found


def _drawn(rows: NDArray[np.int64], n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return how many rows of each profile are among n rows drawn from all of them."""
    total = int(rows.sum())
    if total < MOST_DRAWN:
        return np.asarray(rng.multivariate_hypergeometric(rows, n, method="marginals"))
    return np.asarray(np.floor(rows * (n / total)), dtype=np.int64)
