"""The strongest reasons for a prediction, in words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from modlearn._model.additive import AdditiveModel, Parts, Term, next_probable
from modlearn._model.partitions import Groups, Intervals
from modlearn._model.tree import Tree
from modlearn._tables.cells import CodedCells
from modlearn.schema import class_names

__all__ = ["Reasons"]


class Reasons:
    """Which variables favor the predicted class of a row over the most probable other one.

    Parameters
    ----------
    model : AdditiveModel
        The fitted model.
    n_reasons : int
        Number of reasons per row, strongest first; fewer if there are fewer variables.
    """

    def __init__(self, model: AdditiveModel, n_reasons: int) -> None:
        self.n_reasons = n_reasons
        self.tables = model.tables
        classes = class_names(model.classes)
        # One sentence per variable, part and class: rows only refer to them.
        self.sentences = [
            f"{phrase} favors {name}"
            for term in (model.used_terms if n_reasons else ())
            for phrase in _phrases(term)
            for name in classes
        ]
        sizes = [table.size for table in self.tables]
        self.offsets = np.cumsum([0, *sizes[:-1]]) if sizes else np.zeros(0, dtype=np.int64)

    def of_rows(
        self,
        codes: Sequence[NDArray[np.int32]],
        label: NDArray[np.intp],
        probabilities: NDArray[np.float64],
    ) -> list[CodedCells]:
        """Return the reasons for labels, a column per rank; codes are the parts of variables."""
        if not self.n_reasons:
            return []
        n_rows, J = probabilities.shape
        rival = next_probable(probabilities, label)
        found = np.full((self.n_reasons, n_rows), -1, dtype=np.int32)
        if J > 1 and self.tables:
            evidence = np.stack(
                [
                    np.where(c < 0, 0.0, t[c, label] - t[c, rival])  # unseen values add nothing
                    for t, c in zip(self.tables, codes, strict=True)
                ]
            )
            self._rank(evidence, codes, (label, rival), found)
        return [CodedCells(rank, self.sentences) for rank in found]

    def _rank(
        self,
        evidence: NDArray[np.float64],
        codes: Sequence[NDArray[np.int32]],
        classes: tuple[NDArray[np.intp], NDArray[np.intp]],
        found: NDArray[np.int32],
    ) -> None:
        """Write the numbers of the sentences, strongest first; evidence has shape (K, n)."""
        label, rival = classes
        J = self.tables[0].shape[1]
        strongest = np.argsort(-np.abs(evidence), axis=0, kind="stable")[: self.n_reasons]
        parts = np.stack(codes)
        rows = np.arange(evidence.shape[1])
        for rank, k in enumerate(strongest):
            strength = evidence[k, rows]
            towards = np.where(strength > 0, label, rival)
            sentence = self.offsets[k] + parts[k, rows].astype(np.int64) * J + towards
            found[rank] = np.where(strength != 0, sentence, -1)


def _phrases(term: Term) -> list[str]:
    """Return a phrase per part, such as ``alcohol in (12.78, 14.8]``; of trees, the paths."""
    if isinstance(term.scored, Tree):
        return term.scored.labels
    name = " × ".join(map(str, term.columns))
    return [
        f"{name} is missing" if is_missing else f"{name} in {label}"
        for label, is_missing in zip(term.scored.labels, _missing_alone(term.scored), strict=True)
    ]


def _missing_alone(source: Parts) -> list[bool]:
    """Return which parts hold only missing values."""
    if isinstance(source, Intervals):
        return [source.missing_alone and i == 0 for i in range(source.n_parts)]
    if isinstance(source, Groups):
        return [group == (None,) for group in source.groups]
    return [False] * source.n_parts
