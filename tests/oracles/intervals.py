"""Positions of a numeric variable and the exhaustive search over its cuts."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import chain, combinations, pairwise
from typing import NamedTuple

Row = tuple[int, ...]
Table = tuple[Row, ...]
Weight = int | Fraction
TIE = 1e-9


class Partition(NamedTuple):
    """A value v lies right of a cut when v >= cut; `counts` has one row per interval."""

    cost: float
    cuts: tuple[float, ...]
    counts: Table


def count_by_value(
    values: Sequence[float], labels: Sequence[int], n_classes: int
) -> tuple[list[float], Table]:
    """Distinct values in order and their class counts; missing comes first, below -inf."""
    counts: dict[float, list[int]] = defaultdict(lambda: [0] * n_classes)
    missing = [0] * n_classes
    for value, label in zip(values, labels, strict=True):
        row = missing if math.isnan(value) else counts[float(value)]
        row[int(label)] += 1
    distinct = sorted(counts)
    table = [tuple(counts[value]) for value in distinct]
    if any(missing):
        return [math.nan, *distinct], (tuple(missing), *table)
    return distinct, tuple(table)


def midpoint(left: float, right: float) -> float:
    """Midway; -inf next to missing; `right` itself where midway would not separate the two."""
    if math.isnan(left):
        return -math.inf
    middle = (left + right) / 2
    if math.isinf(middle):
        middle = left / 2 + right / 2
    return middle if left < middle <= right else right


def interval_of(value: float, cuts: Sequence[float]) -> int:
    """Number of cuts at or below the value; missing is below every cut."""
    return sum(value >= cut for cut in cuts)


def spans(bounds: Sequence[int], n_values: int) -> list[tuple[int, int]]:
    """(start, end) of every interval, from the number of values left of every bound."""
    return list(pairwise((0, *bounds, n_values)))


def total(rows: Sequence[Sequence[int]]) -> Row:
    """Σ of the rows, column by column."""
    return tuple(int(sum(column)) for column in zip(*rows, strict=True))


def add_up(table: Sequence[Sequence[int]], bounds: Sequence[int]) -> Table:
    """Counts per interval from counts per value."""
    return tuple(total(table[start:end]) for start, end in spans(bounds, len(table)))


def every_bounds(n_values: int, max_parts: int | None) -> Iterator[tuple[int, ...]]:
    """All subsets of the n_values - 1 possible bounds: fewest first, then leftmost first."""
    most = n_values if max_parts is None else min(max_parts, n_values)
    return chain.from_iterable(combinations(range(1, n_values), k) for k in range(most))


def log_weight(weight: Weight) -> float:
    """log of an exact rational, of any size."""
    return math.log(weight.numerator) - math.log(weight.denominator)


def optima(
    values: Sequence[float],
    table: Table,
    part_weight: Callable[[Row], Weight],
    prior_weight: Callable[[int, int], Weight],
    min_part_size: int = 1,
    max_parts: int | None = None,
) -> list[Partition]:
    """Every partition within TIE of the least prior(N, I) · Π_i part_weight(row i), best first.

    The partition into one interval is always allowed, however few rows there are.
    """
    n_rows = sum(map(sum, table))

    @cache
    def row_of(start: int, end: int) -> Row:
        return total(table[start:end])

    @cache
    def weight_of(start: int, end: int) -> Weight:
        return part_weight(row_of(start, end))

    found: list[tuple[Weight, tuple[int, ...]]] = []
    for bounds in every_bounds(len(table), max_parts):
        parts = spans(bounds, len(table))
        if bounds and min(sum(row_of(*part)) for part in parts) < min_part_size:
            continue
        weight = prior_weight(n_rows, len(parts)) * math.prod(weight_of(*part) for part in parts)
        found.append((weight, bounds))

    least = log_weight(min(weight for weight, _ in found))
    tied = [(weight, bounds) for weight, bounds in found if log_weight(weight) <= least + TIE]
    tied.sort(key=lambda item: (item[0], len(item[1]), item[1]))
    return [
        Partition(
            log_weight(weight),
            tuple(midpoint(values[bound - 1], values[bound]) for bound in bounds),
            add_up(table, bounds),
        )
        for weight, bounds in tied
    ]
