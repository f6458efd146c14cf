"""Rows (value, class, weight, fold) of a column, drawn by hypothesis, and counted one by one."""

from collections import Counter
from typing import Any

import numpy as np
from hypothesis import strategies as st

from modlearn._statistics.categories import CategoryCounts, count_categories
from modlearn._statistics.numeric import NumericCounts, count_numbers

N_CLASSES = 2
N_FOLDS = 3
NUMBERS = [float("nan"), float("-inf"), -1.5, 0.0, -0.0, 2.0, float("inf")]
CATEGORIES = ("a", "b", 7, 2.5)

Row = tuple[Any, int, int, int]


def rows_of(values: list[Any], max_size: int = 30) -> st.SearchStrategy[list[Row]]:
    """Class N_CLASSES is unlabeled; fold N_FOLDS is never held out; weights may be 0."""
    row = st.tuples(
        st.sampled_from(values),
        st.integers(0, N_CLASSES),
        st.integers(0, 3),
        st.integers(0, N_FOLDS),
    )
    return st.lists(row, max_size=max_size)


NUMERIC_ROWS = rows_of(NUMBERS)
CATEGORY_ROWS = rows_of([None, *CATEGORIES])


def arrays_of(rows: list[Row], weighted: bool) -> tuple[Any, ...]:
    """Classes, weights and folds of rows."""
    classes = np.array([row[1] for row in rows], dtype=np.int32)
    weights = np.array([row[2] for row in rows], dtype=np.int64) if weighted else None
    return classes, weights, np.array([row[3] for row in rows], dtype=np.uint8)


def numeric(rows: list[Row], weighted: bool, split: bool = False) -> NumericCounts:
    classes, weights, folds = arrays_of(rows, weighted)
    values = np.array([row[0] for row in rows], dtype=np.float64)
    return count_numbers(values, classes, weights, N_CLASSES, folds if split else None)


def categorical(rows: list[Row], weighted: bool, split: bool = False) -> CategoryCounts:
    classes, weights, folds = arrays_of(rows, weighted)
    codes = [-1 if row[0] is None else CATEGORIES.index(row[0]) for row in rows]
    return count_categories(
        np.array(codes, dtype=np.int32),
        CATEGORIES,
        classes,
        weights,
        N_CLASSES,
        folds if split else None,
    )


def counted(rows: list[Row], weighted: bool) -> Counter[tuple[Any, int]]:
    """Rows by value and class, missing as None."""
    found: Counter[tuple[Any, int]] = Counter()
    for value, label, weight, _ in rows:
        found[None if value != value else value, label] += weight if weighted else 1
    return +found


def entries(counts: NumericCounts | CategoryCounts) -> Counter[tuple[Any, int]]:
    """Rows by value and class of counts, whatever their entries."""
    if isinstance(counts, CategoryCounts):
        values = list(np.repeat(np.arange(counts.n_values), np.diff(counts.pointer)))
        values = [counts.values[v] for v in values]
    else:
        values = [None if np.isnan(v) else v for v in counts.values.tolist()]
    rows = np.ones(len(values), dtype=int) if counts.rows is None else counts.rows
    found: Counter[tuple[Any, int]] = Counter()
    for value, label, n in zip(values, counts.classes.tolist(), rows.tolist(), strict=True):
        found[value, label] += n
    return found


def assert_same_bits(counts: Any, other: Any) -> None:
    """Same entries in the same order, of the same types."""
    assert type(counts) is type(other)
    for name in ("values", "pointer", "classes", "rows", "n_classes", "folds"):
        one, two = getattr(counts, name, None), getattr(other, name, None)
        if isinstance(one, np.ndarray):
            np.testing.assert_array_equal(one, two, strict=True)
        else:
            assert one == two


def kept(rows: list[Row], fold: int) -> list[Row]:
    """Rows that are not in a fold."""
    return [row for row in rows if row[3] != fold]


def held_out(rows: list[Row], fold: int) -> list[Row]:
    """Rows of a fold."""
    return [row for row in rows if row[3] == fold]
