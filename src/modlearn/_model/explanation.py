"""Where the scores of rows come from."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._model.printing import Framed, Printed

__all__ = ["Explanation", "two_most_probable"]


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Printed, Framed):
    """Where the scores of rows come from: a base, and what each term of the model adds.

    Parameters
    ----------
    names : tuple
        Names of the terms with a weight, K of them: a column, or a pair of columns.
    classes : ndarray of shape (J,)
        The classes.
    base : ndarray of shape (J,)
        What the sum starts from: the log of the class prior, or the mean score.
    contributions : ndarray of shape (n, K, J)
        What each term adds to the score of each class, row by row.

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

    @property
    def scores(self) -> NDArray[np.float64]:
        """Base plus contributions, shape (n, J)."""
        return np.asarray(self.base + self.contributions.sum(axis=1))

    def __len__(self) -> int:
        return len(self.contributions)

    def __getitem__(self, rows: int | slice | Sequence[int] | NDArray[Any]) -> Explanation:
        """Return the explanation of some rows: a number, a slice, a list of numbers, or a mask."""
        if isinstance(rows, tuple) or np.ndim(rows) > 1:  # type: ignore[arg-type]
            raise IndexError(
                "An Explanation is indexed by rows alone. For one variable or class index its "
                "contributions, of shape (rows, variables, classes)."
            )
        if isinstance(rows, Sequence) and not rows:
            rows = slice(0)
        chosen = self.contributions[rows if isinstance(rows, slice) else np.atleast_1d(rows)]
        return Explanation(self.names, self.classes, self.base, chosen)


def two_most_probable(
    probabilities: NDArray[np.float64],
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the most probable class of each row and the runner-up; on ties the first one."""
    label = probabilities.argmax(axis=1)
    others = probabilities.copy()
    others[np.arange(len(label)), label] = -1.0
    return label, others.argmax(axis=1)
