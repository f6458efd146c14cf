"""How good predicted probabilities are: measures, curves, calibration."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._model.decision import Decision
from modlearn._model.evaluation import CalibrationBin, Curve
from modlearn._model.limits import CALIBRATION_BINS, MOST_CURVES, MOST_POINTS
from modlearn._parallel import map_in_threads
from modlearn._statistics.scores import RankCounts, ScoredRows, log_odds_steps
from modlearn._statistics.sorting import sort_with_payload

__all__ = [
    "QUARTER",
    "SMALLEST",
    "CountMeasures",
    "PredictedRows",
    "Ranking",
    "RowMeasures",
    "calibration",
    "calibration_of_counts",
    "certainty",
    "confusion",
    "counted",
    "curves",
    "curves_of_counts",
    "errors_of_sample",
    "interval",
    "standard_errors",
    "top_quarter",
]

QUARTER = 0.25
"""The share of rows, ranked by the probability of a class, that is compared with a random one."""

RARE = 0.2
"""A class with a smaller share of the rows is rare."""

CONFIDENCE = 1.96
"""Half the width of a 95 % interval, in standard deviations."""

Floats = NDArray[np.float64]

SMALLEST = float(np.finfo(np.float64).eps)
"""Lower bound of probabilities, as in scikit-learn: one row must not cost infinity."""

RESAMPLES = 100
MOST_RESAMPLED = 10_000
"""Most rows that are resampled; the standard error of more rows follows from the root law."""


@dataclass(frozen=True)
class PredictedRows:
    """Test rows with their predictions."""

    truth: NDArray[np.int32]  # (n,), true class of each row
    probabilities: Floats  # (n, J), predicted probability of each class
    positive: int | None  # the class of interest, if there are two classes
    decision: Decision | None = None  # which class is predicted; None = the most probable one

    @property
    def n_classes(self) -> int:
        """Number of classes J."""
        return int(self.probabilities.shape[1])

    @cached_property
    def labels(self) -> NDArray[np.intp]:
        """The predicted class of each row."""
        if self.decision is not None:
            return self.decision.labels(self.probabilities)
        return np.asarray(self.probabilities.argmax(axis=1))

    @property
    def chances(self) -> Floats:
        """The probability of the predicted class of each row."""
        return np.asarray(self.probabilities[np.arange(len(self.truth)), self.labels])

    def at(self, rows: NDArray[np.intp]) -> PredictedRows:
        """Return some of the rows."""
        return replace(self, truth=self.truth[rows], probabilities=self.probabilities[rows])


@dataclass(frozen=True)
class Ranking:
    """Rows sorted by decreasing score of a class."""

    order: NDArray[np.int32]  # (n,), row numbers, highest score first
    ends: NDArray[np.intp]  # where runs of equal scores end: a threshold cannot split them
    is_class: NDArray[np.bool_]  # (n,), whether each row, in this order, belongs to the class

    @classmethod
    def of(cls, predicted: PredictedRows, label: int) -> Ranking:
        """Rank rows by the probability of a class."""
        rows = np.arange(len(predicted.truth), dtype=np.int32)
        negated = -np.ascontiguousarray(predicted.probabilities[:, label])
        scores, order = sort_with_payload(negated, rows)
        ends = np.flatnonzero(np.append(scores[1:] != scores[:-1], True))
        return cls(order, ends, predicted.truth[order] == label)

    def above(self, weights: NDArray[np.int64] | None = None) -> tuple[Floats, Floats]:
        """Count rows of other classes and of the class above each threshold, starting with 0."""
        rows = np.ones(len(self.order), np.int64) if weights is None else weights[self.order]
        of_class = np.cumsum(rows * self.is_class)[self.ends]
        of_others = np.cumsum(rows)[self.ends] - of_class
        return np.append(0.0, of_others), np.append(0.0, of_class)

    def auc(self, weights: NDArray[np.int64] | None = None) -> float | None:
        """Area under the ROC curve; None if there is only one class."""
        return _area(*self.above(weights))


def _area(others: Floats, own: Floats) -> float | None:
    """Return the area under the ROC curve, from the rows above each threshold."""
    if not (others[-1] and own[-1]):
        return None
    area = np.sum(np.diff(others) * (own[1:] + own[:-1])) / 2
    return float(area / (others[-1] * own[-1]))


def standard_errors(
    predicted: PredictedRows, row_measures: RowMeasures, seed: int
) -> dict[str, float | None]:
    """Return the standard error of each measure, by drawing rows with replacement."""
    n_rows = len(predicted.truth)
    rng = np.random.default_rng(seed)
    if n_rows > MOST_RESAMPLED:
        some = rng.choice(n_rows, MOST_RESAMPLED, replace=False)
        row_measures = RowMeasures.of(predicted.at(np.sort(some)), None)
    n_drawn = len(row_measures.truth)
    drawn = [
        row_measures.measures(np.bincount(rng.integers(0, n_drawn, n_drawn), minlength=n_drawn))
        for _ in range(RESAMPLES)
    ]
    scale = (n_drawn / n_rows) ** 0.5
    return {name: _spread([some[name] for some in drawn], scale) for name in drawn[0]}


def errors_of_sample(
    sample: PredictedRows, rows: NDArray[np.int64], seed: int
) -> dict[str, float | None]:
    """Return the standard errors of measures of many rows from those of a sample.

    `rows` holds the number of all rows of each class: a row of the sample is drawn as often as it
    stands for others.
    """
    stands_for = rows / np.maximum(1, np.bincount(sample.truth, minlength=len(rows)))
    chances = stands_for[sample.truth]
    n_drawn = min(MOST_RESAMPLED, len(sample.truth))
    rng = np.random.default_rng(seed)
    drawn = sample.at(rng.choice(len(sample.truth), n_drawn, p=chances / chances.sum()))
    found = standard_errors(drawn, RowMeasures.of(drawn, None), seed)
    scale = float(n_drawn / rows.sum()) ** 0.5
    return {name: None if value is None else value * scale for name, value in found.items()}


def _spread(values: list[float | None], scale: float) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.std(known, ddof=1)) * scale if len(known) > 1 else None


@dataclass(frozen=True)
class RowMeasures:
    """What measures are computed from."""

    truth: NDArray[np.int32]  # (n,), true class of each row
    n_classes: int  # number of classes J
    hits: NDArray[np.bool_]  # (n,), whether each row is classified correctly
    losses: Floats  # (n,), minus the log of the probability of its class
    # The classes that the AUC averages over, with the rows ranked by their probability.
    rankings: dict[int, Ranking]

    @classmethod
    def of(cls, predicted: PredictedRows, n_jobs: int | None) -> RowMeasures:
        """Return the class, hit and loss of each row, and the rankings."""
        truth = predicted.truth
        own = predicted.probabilities[np.arange(len(truth)), truth]
        losses = -np.log(np.clip(own, SMALLEST, 1 - SMALLEST))
        hits = predicted.labels == truth
        return cls(truth, predicted.n_classes, hits, losses, _rankings(predicted, n_jobs))

    def recalls(self, weights: NDArray[np.int64] | None = None) -> Floats:
        """Return the share of each class that is classified correctly; NaN without rows."""
        rows = np.bincount(self.truth, weights, self.n_classes)
        hits = self.hits if weights is None else self.hits * weights
        correct = np.bincount(self.truth, hits, self.n_classes)
        recalls = np.full(self.n_classes, np.nan)
        return np.asarray(np.divide(correct, rows, out=recalls, where=rows > 0))

    def measures(self, weights: NDArray[np.int64] | None = None) -> dict[str, float | None]:
        """Return all measures; each row counts as often as its weight says.

        AUC is None if only one class occurs. For more than two classes, it is the mean of each
        class against the others, weighted by rows.
        """
        rows = np.bincount(self.truth, weights, self.n_classes)
        recalls = self.recalls(weights)[rows > 0]
        areas = [(ranking.auc(weights), rows[label]) for label, ranking in self.rankings.items()]
        return {
            "accuracy": float(np.average(self.hits, weights=weights)),
            "balanced_accuracy": float(np.mean(recalls)),
            "auc": _mean_auc(areas),
            "log_loss": float(np.average(self.losses, weights=weights)),
        }


@dataclass(frozen=True)
class CountMeasures:
    """Measures of rows that an engine scored and counted."""

    scored: ScoredRows

    def recalls(self) -> Floats:
        """Return the share of each class that is classified correctly; NaN without rows."""
        counts = self.scored.confusion
        rows, recalls = counts.sum(axis=1), np.full(len(counts), np.nan)
        return np.asarray(np.divide(np.diag(counts), rows, out=recalls, where=rows > 0))

    def measures(self) -> dict[str, float | None]:
        """Return all measures."""
        counts, n_rows = self.scored.confusion, self.scored.n_rows
        rows, rankings = counts.sum(axis=1), self.scored.rankings
        areas = [(_area(*ranking.above()), rows[label]) for label, ranking in rankings.items()]
        return {
            "accuracy": float(np.trace(counts) / n_rows),
            "balanced_accuracy": float(np.nanmean(self.recalls())),
            "auc": _mean_auc(areas),
            "log_loss": self.scored.loss / n_rows,
        }


def counted(predicted: PredictedRows) -> ScoredRows:
    """Count rows that were read as an engine counts those that it scores."""
    J, chance = predicted.n_classes, _chances(predicted)
    bins = _bins(chance)
    cells = np.zeros((J, J, CALIBRATION_BINS), dtype=np.int64)
    np.add.at(cells, (predicted.truth, predicted.labels, bins), 1)
    found = RowMeasures.of(replace(predicted, positive=0), None)
    labels = np.flatnonzero(np.bincount(predicted.truth)).tolist()
    ones = np.ones(len(chance), dtype=np.int64)
    rankings = {
        j: RankCounts.of(log_odds_steps(predicted.probabilities, j), predicted.truth == j, ones)
        for j in (labels if predicted.positive is None else [predicted.positive])
    }
    sums = np.bincount(bins, chance, CALIBRATION_BINS)
    return ScoredRows(cells, sums.astype(np.float64), float(found.losses.sum()), rankings)


def _rankings(predicted: PredictedRows, n_jobs: int | None) -> dict[int, Ranking]:
    """Return the classes that the AUC averages over, with their rankings."""
    if predicted.positive is not None:
        return {predicted.positive: Ranking.of(predicted, predicted.positive)}
    labels = np.flatnonzero(np.bincount(predicted.truth)).tolist()
    found = map_in_threads(lambda label: Ranking.of(predicted, label), labels, n_jobs)
    return dict(zip(labels, found, strict=True))


def _mean_auc(areas: list[tuple[float | None, float]]) -> float | None:
    """Return the mean, weighted by rows, over the classes that have an AUC."""
    known = [(area, rows) for area, rows in areas if area is not None]
    if not known:
        return None
    values, rows = zip(*known, strict=True)
    # With two classes there is only one area, which needs no weight.
    return float(np.average(values, weights=rows)) if len(known) > 1 else float(values[0])


def confusion(predicted: PredictedRows) -> NDArray[np.int64]:
    """Count rows by true and predicted class, shape (J, J)."""
    n = predicted.n_classes
    cells = predicted.truth.astype(np.int64) * n + predicted.labels
    return np.bincount(cells, minlength=n * n).reshape(n, n)


def curves(
    predicted: PredictedRows, n_jobs: int | None, rankings: Mapping[int, Ranking]
) -> tuple[Curve, ...]:
    """Return ROC and lift of the class of interest, or of the most frequent classes.

    `rankings` holds those that are known already.
    """

    def curve(label: int) -> Curve | None:
        return _curve(label, rankings.get(label) or Ranking.of(predicted, label))

    if predicted.positive is not None:
        found = [curve(predicted.positive)]
    else:
        rows = np.bincount(predicted.truth, minlength=predicted.n_classes)
        found = map_in_threads(curve, _frequent(rows), n_jobs)
    return tuple(curve for curve in found if curve is not None)


def curves_of_counts(scored: ScoredRows) -> tuple[Curve, ...]:
    """Return ROC and lift of the class of interest, or of the most frequent classes."""
    rankings = scored.rankings
    shown = [j for j in _frequent(scored.confusion.sum(axis=1)) if j in rankings] or list(rankings)
    found = [_curve(label, rankings[label]) for label in shown]
    return tuple(curve for curve in found if curve is not None)


def _frequent(rows: NDArray[np.int64]) -> list[int]:
    """Return the classes with the most rows, in their order."""
    frequent = np.argsort(-rows, kind="stable")[:MOST_CURVES]
    return sorted(frequent[rows[frequent] > 0].tolist())


def _curve(label: int, ranking: Ranking | RankCounts) -> Curve | None:
    """Return both curves of a class; None if all rows, or none, belong to it."""
    others, own = ranking.above()
    auc = _area(others, own)
    if auc is None:
        return None
    rows = others + own
    found = own / own[-1]
    roc, lift = _thinned(others / others[-1], found), _thinned(rows / rows[-1], found)
    # The quarter that sentences speak of is a point of the curve, not what is left of it.
    quarter = (QUARTER, round(float(np.interp(QUARTER, rows / rows[-1], found)), DIGITS))
    others_of_lift = [point for point in lift if point[0] != QUARTER]
    return Curve(label, auc, roc, tuple(sorted([*others_of_lift, quarter])))


DIGITS = 5
"""Decimals of the points of curves."""


def _thinned(x: Floats, y: Floats) -> tuple[tuple[float, float], ...]:
    """Return points of a rising curve, at about equal steps along it; one less than the most."""
    length = x + y
    steps = np.linspace(0.0, length[-1], MOST_POINTS - 1)
    kept = np.unique(np.minimum(np.searchsorted(length, steps), len(length) - 1))
    points = (axis[kept].round(DIGITS).tolist() for axis in (x, y))
    return tuple(zip(*points, strict=True))


def calibration(predicted: PredictedRows) -> tuple[CalibrationBin, ...]:
    """Return predicted and observed probability in ten bins; empty bins are left out."""
    chance = _chances(predicted)
    if predicted.positive is not None:
        observed = predicted.truth == predicted.positive
    else:
        observed = predicted.truth == predicted.labels
    bins = _bins(chance)
    rows = np.bincount(bins, minlength=CALIBRATION_BINS)
    return _calibration(
        rows, [np.bincount(bins, some, CALIBRATION_BINS) for some in (chance, observed)]
    )


def calibration_of_counts(scored: ScoredRows, positive: int | None) -> tuple[CalibrationBin, ...]:
    """Return predicted and observed probability in ten bins; empty bins are left out."""
    cells = scored.cells
    observed = cells[positive].sum(axis=0) if positive is not None else cells.trace()
    return _calibration(cells.sum(axis=(0, 1)), [scored.chances, observed])


def _chances(predicted: PredictedRows) -> Floats:
    """Return the probabilities that are compared with what is observed."""
    if predicted.positive is None:
        return predicted.chances
    return np.asarray(predicted.probabilities[:, predicted.positive])


def _bins(chance: Floats) -> NDArray[np.intp]:
    return np.minimum((chance * CALIBRATION_BINS).astype(np.intp), CALIBRATION_BINS - 1)


def _calibration(rows: NDArray[Any], sums: Sequence[NDArray[Any]]) -> tuple[CalibrationBin, ...]:
    """Return the bins that have rows; `sums` = the probabilities in each, and rows observed."""
    return tuple(
        CalibrationBin(min(1.0, float(sums[0][i] / n)), min(1.0, float(sums[1][i] / n)), n)
        for i, n in enumerate(rows.tolist())
        if n
    )


def top_quarter(summary: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return how much of the class of interest the quarter of rows ranked highest holds.

    Accuracy says little about a rare class, as does a model that predicts hardly any row of it:
    then this ``leads``, if the quarter holds clearly more than a random one. None if there is no
    class of interest, or no curve of it.
    """
    evaluation, positive = summary["evaluation"], summary["positive"]
    curves = (evaluation or {}).get("curves") or ()
    curve = next((one for one in curves if one["class"] == positive), None)
    if curve is None or positive is None:
        return None
    share = float(np.interp(QUARTER, *np.transpose(curve["lift"])))  # one of its points
    rows = evaluation["confusion"][positive]
    is_rare = sum(rows) < RARE * evaluation["n_test"] or not _gains(evaluation)
    return {
        "class": summary["classes"][positive]["name"],
        "share": share,
        "recall": rows[positive] / sum(rows),
        "leads": is_rare and interval(share, sum(rows))[0] > QUARTER,
    }


def certainty(summary: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the confidence interval of the accuracy, and whether it is clearly a gain."""
    evaluation = summary["evaluation"]
    if evaluation is None:
        return None
    accuracy = evaluation["measures"]["accuracy"]["mean"]
    return {
        "interval": [*interval(accuracy, evaluation["n_test"])],
        "gains": _gains(evaluation),
    }


def _gains(evaluation: Mapping[str, Any]) -> bool:
    """Return whether the model is clearly more accurate than the most frequent class."""
    _, high = interval(evaluation["majority"]["accuracy"], evaluation["n_test"])
    return bool(evaluation["measures"]["accuracy"]["mean"] > high)


def interval(share: float, n_rows: int) -> tuple[float, float]:
    """Return the 95 % Wilson confidence interval of a share."""
    if n_rows <= 0:
        return 0.0, 1.0
    square = CONFIDENCE**2 / n_rows
    middle = (share + square / 2) / (1 + square)
    half = (
        CONFIDENCE / (1 + square) * math.sqrt(share * (1 - share) / n_rows + square / (4 * n_rows))
    )
    return max(0.0, middle - half), min(1.0, middle + half)
