"""What LabelDistributionPropagation is compared with: scikit-learn's methods for few labels.

They cannot read a table of mixed columns, so they all get the points in which ours looks for
neighbors. Their kernels are computed once per table and handed over as callables.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import pairwise_distances
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors
from sklearn.semi_supervised import LabelPropagation, LabelSpreading, SelfTrainingClassifier

FOLDS = 3
NEIGHBORS = (7, 5, 10, 20)  # scikit-learn's default first: it wins ties, as in a grid search
WIDTHS = (5.0, 1.0, 20.0, 80.0)  # gamma x median squared distance
ALPHAS = (0.2, 0.8)
VOTERS = (5, 1, 3, 7, 10, 15, 20)
PROPAGATION_STEPS = 100
REGRESSION_STEPS = 200
DENSE_METHODS = ("LabelPropagation rbf", "LabelSpreading rbf")

Codes = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class DataSet:
    """A table, its classes 0 .. J-1, and its rows as points for the peers."""

    frame: pd.DataFrame
    codes: Codes
    points: NDArray[np.float64]
    _kernels: dict[float, NDArray[np.float64]] = field(default_factory=dict)

    @cached_property
    def nearest(self) -> NDArray[np.int64]:
        """Nearest rows (n, 20), itself among them, as scikit-learn's knn kernel counts them."""
        search = NearestNeighbors(n_neighbors=min(max(NEIGHBORS), len(self.codes)))
        return search.fit(self.points).kneighbors(self.points, return_distance=False)

    def knn_kernel(self, k: int) -> sp.csr_matrix:
        """1 for the k nearest rows, what ``kernel="knn"`` computes."""
        columns = self.nearest[:, :k]
        n, k = columns.shape
        pointers = np.arange(0, n * k + 1, k)
        return sp.csr_matrix((np.ones(n * k), columns.ravel(), pointers), shape=(n, n))

    def rbf_kernel(self, width: float) -> NDArray[np.float64]:
        """exp(-width d² / median d²), what ``kernel="rbf"`` computes for that gamma."""
        if width not in self._kernels:
            squares = pairwise_distances(self.points, metric="sqeuclidean")
            self._kernels[width] = np.exp(-width / np.median(squares) * squares)
        return self._kernels[width]


@dataclass(frozen=True)
class Task:
    """Decide the rows of a data set; the labels of the rows `labeled` are given."""

    data: DataSet
    labeled: Mask

    @property
    def labels(self) -> Codes:
        """Classes of the labeled rows, -1 for others."""
        return np.where(self.labeled, self.data.codes, -1)

    def folds(self) -> list[tuple[Mask, Codes]]:
        """Labeled rows less a part, and that part; none if every class has one label."""
        rows = np.flatnonzero(self.labeled)
        codes = self.data.codes[rows]
        n_folds = min(FOLDS, np.bincount(codes).max())
        if n_folds < 2:
            return []
        splitter = StratifiedKFold(n_folds, shuffle=True, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # a class with fewer labels than folds
            split = list(splitter.split(rows, codes))
        return [(_mask(rows[kept], len(self.labeled)), rows[left]) for kept, left in split]


Method = Callable[[Task], Codes]


def _mask(rows: Codes, n_rows: int) -> Mask:
    """True at the rows, shape (n_rows,)."""
    mask = np.zeros(n_rows, dtype=bool)
    mask[rows] = True
    return mask


def tuned(settings: Sequence[Any], method: Callable[[Task, Any], Codes]) -> Method:
    """The method with the setting that decides most left-out labels; the first one on ties."""

    def decide(task: Task) -> Codes:
        folds, codes = task.folds(), task.data.codes
        right = [
            sum(
                np.sum(method(Task(task.data, kept), setting)[left] == codes[left])
                for kept, left in folds
            )
            for setting in settings
        ]
        return method(task, settings[int(np.argmax(right))])

    return decide


def _transduced(estimator: Any, task: Task) -> Codes:
    """Classes of all rows by an estimator that is given the labels of some."""
    with warnings.catch_warnings():
        # Steps that end before convergence, and 0/0 for rows that no label reaches.
        warnings.simplefilter("ignore")
        estimator.fit(task.data.points, task.labels)
        if isinstance(estimator, LabelPropagation | LabelSpreading):
            return estimator.transduction_
        # Not the transduction_ of self-training: it leaves rows at -1 where it is not sure.
        return estimator.predict(task.data.points)


def _propagation(kernel: Callable[[], Any], task: Task) -> Codes:
    """LabelPropagation; it changes the kernel in place, so it gets a copy."""
    steps = PROPAGATION_STEPS
    return _transduced(LabelPropagation(lambda X, Y: kernel().copy(), max_iter=steps), task)


def _spreading(kernel: Callable[[], Any], alpha: float, task: Task) -> Codes:
    """LabelSpreading."""
    return _transduced(LabelSpreading(lambda X, Y: kernel().copy(), alpha=alpha), task)


def propagate_knn(task: Task, k: int) -> Codes:
    """LabelPropagation among the k nearest rows."""
    return _propagation(lambda: task.data.knn_kernel(k), task)


def propagate_rbf(task: Task, width: float) -> Codes:
    """LabelPropagation among all rows."""
    return _propagation(lambda: task.data.rbf_kernel(width), task)


def spread_knn(task: Task, setting: tuple[int, float]) -> Codes:
    """LabelSpreading among the k nearest rows; setting: k and alpha."""
    return _spreading(lambda: task.data.knn_kernel(setting[0]), setting[1], task)


def spread_rbf(task: Task, setting: tuple[float, float]) -> Codes:
    """LabelSpreading among all rows; setting: width and alpha."""
    return _spreading(lambda: task.data.rbf_kernel(setting[0]), setting[1], task)


def vote(task: Task, k: int = 5) -> Codes:
    """Supervised kNN, the unlabeled rows not used."""
    points, rows = task.data.points, task.labeled
    voters = KNeighborsClassifier(min(k, int(rows.sum())))
    return voters.fit(points[rows], task.data.codes[rows]).predict(points)


def self_train_knn(task: Task) -> Codes:
    """Self-training of kNN with scikit-learn's defaults."""
    voters = KNeighborsClassifier(min(5, int(task.labeled.sum())))
    return _transduced(SelfTrainingClassifier(voters), task)


def self_train_regression(task: Task) -> Codes:
    """Self-training of logistic regression with scikit-learn's defaults."""
    return _transduced(SelfTrainingClassifier(LogisticRegression(max_iter=REGRESSION_STEPS)), task)


PEERS: dict[str, Method] = {
    "LabelPropagation knn": tuned(NEIGHBORS, propagate_knn),
    "LabelSpreading knn": tuned([(k, alpha) for k in NEIGHBORS for alpha in ALPHAS], spread_knn),
    "LabelPropagation rbf": tuned(WIDTHS, propagate_rbf),
    "LabelSpreading rbf": tuned([(w, alpha) for w in WIDTHS for alpha in ALPHAS], spread_rbf),
    "self-training kNN": self_train_knn,
    "self-training regression": self_train_regression,
    "kNN": vote,
    "kNN tuned": tuned(VOTERS, vote),
}
