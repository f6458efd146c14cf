"""Warnings about a table and a model, as facts with numbers."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._model.additive import AdditiveModel, Term
from modlearn._model.evaluation import DataWarning, Numbers, Redundancy
from modlearn._model.grid import Grid
from modlearn._model.partitions import Groups, Intervals, Partition
from modlearn._statistics.profiles import Profiles
from modlearn._statistics.rows import Rows
from modlearn._statistics.summary import ColumnSummary
from modlearn.criteria import excess_information
from modlearn.schema import Kind

__all__ = [
    "TrainingData",
    "columns_of_names",
    "data_warnings",
    "few_of_a_kind",
    "redundancies",
    "share_covered_by_grid",
    "share_covered_by_parts",
    "unseen_values",
    "weighted_dates",
]

FEW_ROWS = 50
RARE = 10
"""With fewer labeled rows, little can be learned about a class."""

NEARLY_ALL = 0.99
"""A column is nearly constant if one value has at least this share of the rows."""

ENOUGH_ROWS = 100
"""With fewer rows, a share of 99 % means little."""

MANY_MISSING = 0.5

LEAK = 0.1
"""A column is suspicious below this share of the errors that the majority class makes."""

FAR_BEHIND = 4.0
"""A column is suspicious only if the next best one makes this many times more errors."""

LEAST_BEHIND = 0.05
"""The next best column must make at least this share of the errors of the majority class."""

PERFECT = 0.02
"""Below this share of errors, a column is practically without errors."""

MOST_LEAKS = 3
"""If more columns than this are equally good, the classes are simply easy to predict."""

MOST_OF_A_KIND = 10
"""Most warnings of one kind; the rest is summed up in one more."""

MOST_NAMED = 5
"""Number of columns named in the warning that sums up the rest."""


@dataclass(frozen=True)
class TrainingData:
    """The columns that a model was trained on."""

    rows: Rows  # the rows; partitions and summaries are in the order of their columns
    partitions: list[Partition]
    summaries: Sequence[ColumnSummary]

    def name(self, i: int) -> str:
        """Return the name of a column as text."""
        return str(self.partitions[i].name)


def data_warnings(training: TrainingData) -> list[DataWarning]:
    """Return the warnings about one table, most serious first."""
    kinds: list[Callable[[TrainingData], list[DataWarning]]] = [
        _leaks,
        _identifiers,
        _merged_numbers,
        _few_rows,
        _rare_classes,
        _duplicates,
        _missing,
        _constants,
    ]
    return [warning for kind in kinds for warning in few_of_a_kind(kind(training))]


def few_of_a_kind(found: list[DataWarning]) -> list[DataWarning]:
    """Return the first warnings, and one that sums up the rest."""
    if len(found) <= MOST_OF_A_KIND:
        return found
    rest = found[MOST_OF_A_KIND:]
    columns = [warning.columns[0] for warning in rest if warning.columns]
    more = DataWarning(found[0].kind, tuple(columns[:MOST_NAMED]), {"more": len(rest)})
    return [*found[:MOST_OF_A_KIND], more]


def _leaks(training: TrainingData) -> list[DataWarning]:
    """Find columns that make almost no errors while the others make many."""
    rows = training.rows.target.counts
    n_rows = int(rows.sum())
    if n_rows < FEW_ROWS:
        return []
    wrong = n_rows - int(rows.max())
    errors = np.array([n_rows - p.counts.max(axis=1).sum() for p in training.partitions]) / wrong
    suspicious = [i for i in range(len(errors)) if _is_suspicious(errors, i)]
    if len(suspicious) > MOST_LEAKS:
        return []
    return [
        DataWarning(
            "leak", (training.name(i),), {"accuracy": float(1 - errors[i] * wrong / n_rows)}
        )
        for i in suspicious
    ]


def _is_suspicious(errors: NDArray[np.float64], i: int) -> bool:
    """Whether a column makes few errors and the others many; several columns may make none."""
    if errors[i] > LEAK:
        return False
    others = np.ones(len(errors), dtype=bool)
    others[i] = False
    if errors[i] <= PERFECT:
        others &= errors > PERFECT
    behind = float(errors[others].min()) if others.any() else 1.0
    return behind >= max(FAR_BEHIND * float(errors[i]), LEAST_BEHIND)


def _identifiers(training: TrainingData) -> list[DataWarning]:
    return [
        DataWarning("identifier", (training.name(i),))
        for i, summary in enumerate(training.summaries)
        if summary.increases and training.rows.n_rows >= RARE
    ]


def _merged_numbers(training: TrainingData) -> list[DataWarning]:
    """Find numbers with more digits than models see."""
    return [
        DataWarning(
            "merged_numbers",
            (training.name(i),),
            dict(zip(("n_values", "n_numbers"), summary.merged, strict=True)),
        )
        for i, summary in enumerate(training.summaries)
        if summary.merged is not None
    ]


def _few_rows(training: TrainingData) -> list[DataWarning]:
    n_rows = int(training.rows.target.counts.sum())
    return [DataWarning("few_rows", (), {"rows": n_rows})] if n_rows < FEW_ROWS else []


def _rare_classes(training: TrainingData) -> list[DataWarning]:
    names, rows = training.rows.target.class_names, training.rows.target.counts.tolist()
    return [
        DataWarning("rare_class", (), {"class": name, "rows": n})
        for name, n in zip(names, rows, strict=True)
        if n < RARE
    ]


def _duplicates(training: TrainingData) -> list[DataWarning]:
    """Find copies of an earlier column; only columns that agree in some rows are compared."""
    alike_by: dict[tuple[bytes, bytes], list[int]] = {}
    found = []
    for i, (partition, summary) in enumerate(
        zip(training.partitions, training.summaries, strict=True)
    ):
        alike = alike_by.setdefault((partition.counts.tobytes(), summary.signature), [])
        twin = next((other for other in alike if _is_same(training, other, i)), None)
        if twin is None:
            alike.append(i)
        else:
            found.append(DataWarning("duplicate", (training.name(i), training.name(twin))))
    return found


def _is_same(training: TrainingData, i: int, j: int) -> bool:
    """Whether two columns hold the same information; their categories may be named differently."""
    rows, (one, other) = training.rows, (training.rows.schema.columns[k] for k in (i, j))
    # A missing value is not the same as a category, even if they are in the same rows.
    missing = {training.summaries[k].n_missing for k in (i, j)}
    if one.ordered != other.ordered or len(missing) > 1:
        return False
    if one.ordered:
        counts = rows.numeric([one.name, other.name])
        values, others = (found.distinct() for found in counts)
        # Equal values, each in as many rows; whether in equal rows, the pairs of values say.
        if one.kind != other.kind or not all(map(_are_equal, values, others)):
            return False
    (pairs,) = rows.cells([(one.name, other.name)])
    return pairs.is_one_to_one()


def _are_equal(one: NDArray[Any], other: NDArray[Any]) -> bool:
    return bool(np.array_equal(one, other, equal_nan=one.dtype.kind == "f"))


def _missing(training: TrainingData) -> list[DataWarning]:
    return [
        DataWarning("many_missing", (training.name(i),), {"share": share})
        for i, summary in enumerate(training.summaries)
        if summary.n_missing and (share := summary.n_missing / training.rows.n_rows) > MANY_MISSING
    ]


def _constants(training: TrainingData) -> list[DataWarning]:
    return [
        DataWarning(
            "constant",
            (training.name(i),),
            {"value": _value(summary.common), "share": summary.common_share},
        )
        for i, summary in enumerate(training.summaries)
        if summary.common_share >= NEARLY_ALL
        and training.rows.n_rows >= ENOUGH_ROWS
        and summary.n_missing <= MANY_MISSING * training.rows.n_rows
    ]


def _value(value: object) -> float | str:
    """A number as it is, anything else as text."""
    if isinstance(value, int | float) and not isinstance(value, bool) and np.isfinite(value):
        return float(value)
    return str(value)


FEWEST_VALUES = 30
MOST_ROWS_PER_VALUE = 100
"""With at least this many values, of at most this many rows each, a column may hold names."""

MANY_PARTS = 10
"""Numbers that are names, such as those of accounts, need at least this many intervals."""

LEAST_WEIGHT = 0.05

LOST = 0.01
"""Loss of accuracy on new values that is worth a warning."""


def columns_of_names(model: AdditiveModel, n_distinct: Mapping[str, int | None]) -> list[Hashable]:
    """Return the weighted columns whose values repeat like names, those with most weight first.

    Alone or in a pair: the weight of a column is the largest of those. Numbers may be names, too,
    if they repeat and need many intervals; `n_distinct` counts their values.
    """
    n_rows = int(model.target.counts.sum())
    found: dict[Hashable, float] = {}
    for axis, weight in _weighted_axes(model):
        n_values = _n_names(axis, n_rows, n_distinct)
        many = n_values >= FEWEST_VALUES and n_rows <= MOST_ROWS_PER_VALUE * n_values
        if many and weight >= LEAST_WEIGHT:
            found[axis.name] = max(weight, found.get(axis.name, 0.0))
    return sorted(found, key=lambda name: -found[name])


def _n_names(axis: Partition, n_rows: int, n_distinct: Mapping[str, int | None]) -> int:
    """Return the number of values that may be names, 0 if they are not."""
    if isinstance(axis, Groups):
        return sum(map(len, axis.groups))
    n_values = n_distinct.get(str(axis.name)) or n_rows
    is_number = isinstance(axis, Intervals) and axis.kind == Kind.NUMERIC
    return n_values if is_number and 2 * n_values <= n_rows and axis.n_parts >= MANY_PARTS else 0


def _weighted_axes(model: AdditiveModel) -> list[tuple[Partition, float]]:
    """Return the partitions with a weight, alone or as axes of others, each with its weight."""
    return [(axis, term.weight) for term in model.terms for axis in term.parts.axes if term.weight]


def unseen_values(name: Hashable, by_rows: float | None, unseen: float | None) -> list[DataWarning]:
    """Warn if a model is worse on new values of a column than the evaluation says."""
    if by_rows is None or unseen is None or by_rows - unseen < LOST:
        return []
    numbers: Numbers = {"by_rows": by_rows, "unseen": unseen}
    return [DataWarning("unseen_values", (str(name),), numbers)]


def weighted_dates(model: AdditiveModel) -> list[DataWarning]:
    """Warn of dates with a weight, alone or in a pair: the next table has other dates."""
    found: dict[Hashable, float] = {}
    for axis, weight in _weighted_axes(model):
        if isinstance(axis, Intervals) and axis.kind == Kind.DATETIME:
            found[axis.name] = max(weight, found.get(axis.name, 0.0))
    return [
        DataWarning("date", (str(name),), {"weight": round(weight, 2)})
        for name, weight in found.items()
    ]


MOST_ROWS = 2_000
MOST_COMPARED = 500
"""Most pairs of columns that are compared, most informative first."""

MOST_OTHERS = 20
"""Number of weighted columns that a column without a weight is compared with."""

LEAST_SHARE = 0.05


def redundancies(model: AdditiveModel, rows: Rows, seed: int) -> tuple[Redundancy, ...]:
    """Return the share of the information of columns without weight that weighted ones carry."""
    alone = [term for term in model.terms if isinstance(term.parts, Partition)]
    used = sorted((t for t in alone if t.weight > 0), key=lambda t: -t.weight)[:MOST_OTHERS]
    unused = sorted((t for t in alone if t.weight == 0 and t.level > 0), key=lambda t: -t.level)
    pairs = [(term, other) for term in unused for other in used][:MOST_COMPARED]
    if not pairs:
        return ()
    compared = list({id(term): term for pair in pairs for term in pair}.values())
    sample = rows.sample(MOST_ROWS, seed, labeled=True)
    profiles = sample.profiles([term.parts for term in compared], None)
    codes = {id(term): column for term, column in zip(compared, profiles.codes, strict=True)}

    def share(term: Term, other: Term) -> float:
        return share_covered_by_parts(codes[id(term)], codes[id(other)], profiles)

    found = [Redundancy(str(t.name), str(other.name), share(t, other)) for t, other in pairs]
    return tuple(one for one in found if one.share >= LEAST_SHARE)


def share_covered_by_grid(partition: Partition, grid: Grid) -> float:
    """Return the share of a column's saving that the other column of a grid saves too.

    Minus the synergy of the pair, over what the column saves alone; between 0 and 1.
    """
    return _share(-grid.synergy, partition.null_cost - partition.cost)


def share_covered_by_parts(
    parts: NDArray[np.int32], others: NDArray[np.int32], profiles: Profiles
) -> float:
    """Return the share of the information of parts that other parts of the same rows carry too.

    (I(A; C) + I(B; C) - I(AB; C)) / I(A; C), between 0 and 1, where each information I is reduced
    by what is expected by chance for this number of parts and rows.
    """
    both = parts.astype(np.int64) * (int(others.max()) + 1) + others
    alone, other, together = (_information(one, profiles) for one in (parts, others, both))
    return _share(alone + other - together, alone)


def _share(common: float, alone: float) -> float:
    return min(1.0, max(0.0, common / alone)) if alone > 0 else 0.0


def _information(parts: NDArray[np.integer], profiles: Profiles) -> float:
    """Return the mutual information of parts and classes, in nats."""
    _, part = np.unique(parts, return_inverse=True)
    _, label = np.unique(profiles.classes, return_inverse=True)
    n_parts, n_classes = int(part.max()) + 1, int(label.max()) + 1
    counts = np.bincount(part * n_classes + label, profiles.rows, n_parts * n_classes)
    return excess_information(counts.astype(np.int64).reshape(n_parts, n_classes))
