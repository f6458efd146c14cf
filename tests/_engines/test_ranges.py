"""Counts that are made range by range, against counts of the whole column."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from modlearn._engines.ranges import MOST_RANGES, ValueRange, count_by_ranges, in_runs, merged
from modlearn._engines.tiers import counts_of_values
from modlearn._search.discretization import Discretization, discretize
from modlearn._search.intervals import Limits
from modlearn._statistics.numeric import NumericCounts
from modlearn.criteria import SUPERVISED

N_CLASSES, N_FOLDS = 2, 2
UNLABELED = N_CLASSES * N_FOLDS

Rows = tuple[NDArray[np.float64], NDArray[np.int64]]


@st.composite
def rows(draw: Any) -> Rows:
    """Values, some of them missing or infinite, and the group of each row."""
    one = st.tuples(
        st.one_of(st.integers(-9, 9).map(float), st.sampled_from([np.nan, -np.inf, np.inf, 0.5])),
        st.integers(0, (N_CLASSES + 1) * N_FOLDS - 1),
    )
    drawn = [*draw(st.lists(one, max_size=60)), (1.5, 0)]  # at least one with a class
    return np.array([value for value, _ in drawn]), np.array([group for _, group in drawn])


def counted(values: NDArray[np.float64], groups: NDArray[np.int64]) -> NumericCounts:
    one = np.ones(len(values), dtype=np.int64)
    return counts_of_values((values, groups, one), N_CLASSES, N_FOLDS)


def inside(one: ValueRange, values: NDArray[np.float64]) -> NDArray[np.bool_]:
    above = np.ones(len(values), dtype=bool) if one.low is None else values > one.low
    below = values <= (np.inf if one.high is None else one.high)
    return (above & below) | (np.isnan(values) if one.low is None else False)


def by_range(drawn: Rows, n_ranges: int, most: int, at_once: int = 10**6) -> Any:
    values, groups = drawn

    def ask(one: ValueRange) -> NumericCounts | None:
        kept = inside(one, values)
        few = len(np.unique(values[kept])) <= at_once
        return counted(values[kept], groups[kept]) if few else None

    sample = values[~np.isnan(values)]
    return count_by_ranges(ask, sample, n_ranges, most)


def searched(counts: NumericCounts) -> Discretization:
    return discretize(counts, SUPERVISED, Limits.within(None, 1))


def is_same(one: Discretization, other: Discretization) -> None:
    assert one.cuts.tolist() == other.cuts.tolist()
    assert one.sides.tolist() == other.sides.tolist()
    assert one.counts.tolist() == other.counts.tolist()
    assert one.unlabeled.tolist() == other.unlabeled.tolist()
    assert (one.cost, one.missing_alone, one.n_missing, one.proven) == (
        other.cost,
        other.missing_alone,
        other.n_missing,
        other.proven,
    )


@given(rows(), st.integers(1, 6))
def test_ranges_have_the_intervals_of_the_whole_column(drawn: Rows, n_ranges: int) -> None:
    found = by_range(drawn, n_ranges, 10**6)
    assert not found.merged
    is_same(searched(found.counts.whole()), searched(counted(*drawn).whole()))


def repeated(n_values: int = 3000) -> Rows:
    """Every value five times in one class, and some rows without a class."""
    random = np.random.default_rng(0)
    values = np.repeat(random.normal(size=n_values), 5)
    groups = np.repeat(random.integers(0, 2, n_values), 5) * N_FOLDS
    groups += random.integers(0, N_FOLDS, len(groups))
    return values, np.where(random.random(len(groups)) < 0.02, UNLABELED, groups)


def test_intervals_of_repeated_values_are_those_of_the_whole_column() -> None:
    drawn = repeated()
    found, exact = by_range(drawn, 20, 10**6), counted(*drawn)
    assert len(found.counts.values) < 0.7 * len(exact.values)
    is_same(searched(found.counts.whole()), searched(exact.whole()))
    one_fold = searched(exact.only(0))
    assert searched(found.counts.only(0)).cost == one_fold.cost
    assert len(one_fold.cuts) > 50


@given(rows())
def test_runs_have_rows_of_one_class_and_keep_all_rows(drawn: Rows) -> None:
    counts = counted(*drawn)
    found = in_runs(counts)
    labeled = found.by_label()[0]
    wide = labeled.values > labeled.lowest
    for value in labeled.values[wide]:
        assert len(set(labeled.classes[labeled.values == value])) == 1
    assert rows_of_groups(found) == rows_of_groups(counts)
    present = found.values[found.n_missing :]
    assert (present[1:] >= present[:-1]).all()


def rows_of_groups(counts: NumericCounts) -> list[int]:
    assert counts.rows is not None
    assert counts.folds is not None
    groups = counts.classes.astype(np.int64) * N_FOLDS + counts.folds
    return np.bincount(groups, counts.rows, (N_CLASSES + 1) * N_FOLDS).tolist()


@given(rows(), st.integers(0, 20))
def test_merged_entries_are_few_and_keep_all_rows(drawn: Rows, most: int) -> None:
    counts = counted(*drawn)
    found = merged(counts, most)
    assert rows_of_groups(found) == rows_of_groups(counts)
    assert found.missing == counts.missing
    # Missing rows are not merged; one block has at most an entry of each group.
    of_one_block = counts.n_missing + (N_CLASSES + 1) * N_FOLDS + 2 * N_FOLDS
    assert len(found.values) <= max(most, of_one_block)


def test_what_does_not_fit_is_merged_where_values_are_most_alike() -> None:
    random = np.random.default_rng(0)
    values, groups = repeated(500)
    noise = 10 + random.random(20_000)
    drawn = np.concatenate((values, noise)), np.append(groups, 2 * random.integers(0, 2, 20_000))
    exact = searched(counted(*drawn).whole())
    found = by_range(drawn, 10, 6_000)
    assert found.merged
    assert len(found.counts.values) <= 6_000
    assert len(exact.cuts) > 30
    assert searched(found.counts.whole()).cost == pytest.approx(exact.cost, rel=1e-3)
    assert not searched(found.counts.whole()).proven


def test_a_range_with_too_many_values_is_split() -> None:
    drawn = repeated(300)
    found = by_range(drawn, 2, 10**6, at_once=40)
    is_same(searched(found.counts.whole()), searched(counted(*drawn).whole()))


def test_a_column_that_takes_too_many_ranges_is_given_up() -> None:
    assert by_range(repeated(300), MOST_RANGES + 200, 10**6) is None
    assert by_range(repeated(300), 2, 10**6, at_once=1) is None
    assert by_range((np.array([1.0, 1.0]), np.array([0, 0])), 2, 10**6, at_once=0) is None


def test_a_column_without_finite_values_is_one_range() -> None:
    drawn = np.array([np.nan, np.inf, -np.inf]), np.array([0, 0, 2])
    assert rows_of_groups(by_range(drawn, 5, 100).counts) == rows_of_groups(counted(*drawn))
