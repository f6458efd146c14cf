"""Counts by bin that are refined around cuts, against counts by value."""

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from modlearn._engines.tiers import (
    bin_edges,
    counts_of_bins,
    counts_of_values,
    different_share,
    expected_values,
    near_cuts,
    outstanding,
    refined,
    windows_of,
)
from modlearn._statistics.numeric import NumericCounts, count_numbers

INF = float("inf")
N_CLASSES, N_FOLDS = 2, 3
N_GROUPS = (N_CLASSES + 1) * N_FOLDS

Floats = NDArray[np.float64]

VALUES = st.one_of(
    st.sampled_from([-INF, -1e300, -0.0, 0.0, 5e-324, 1.0, 1.0 + 2**-52, INF]),
    st.integers(-30, 30).map(float),
    st.floats(-3, 3),
    st.floats(allow_nan=False),
)


@st.composite
def columns(draw: Any) -> tuple[Floats, NDArray[Any], Floats]:
    """Values, some of them missing, the group of each row, and a sample of the values."""
    values = draw(st.lists(st.one_of(VALUES, VALUES, st.just(np.nan)), min_size=1, max_size=60))
    groups = draw(
        st.lists(st.integers(0, N_GROUPS - 1), min_size=len(values), max_size=len(values))
    )
    column = np.array(values, dtype=np.float64)
    present = column[~np.isnan(column)]
    return column, np.array(groups), present[:: draw(st.integers(1, 4))]


def edges_of(values: Floats, sample: Floats, n_bins: int) -> Floats:
    present = values[~np.isnan(values)]
    least, most = (present.min(), present.max()) if len(present) else (np.nan, np.nan)
    return bin_edges(sample, least, most, n_bins)


def in_bins(values: Floats, groups: NDArray[Any], edges: Floats) -> NDArray[np.int64]:
    counts = np.zeros((len(edges) + 2, N_GROUPS), dtype=np.int64)
    codes = np.where(np.isnan(values), 0, 1 + np.searchsorted(edges, values, side="left"))
    np.add.at(counts, (codes, groups), 1)
    return counts


def by_value(values: Floats, groups: NDArray[Any]) -> NumericCounts:
    rows = np.ones(len(values), dtype=np.int64)
    return counts_of_values((values + 0.0, groups, rows), N_CLASSES, N_FOLDS)


def entries_of_bins(values: Floats, groups: NDArray[Any], edges: Floats) -> NumericCounts:
    present = values[~np.isnan(values)]
    least = present.min() if len(present) else np.nan
    return counts_of_bins(in_bins(values, groups, edges), edges, least, N_CLASSES, N_FOLDS)


def totals(counts: NumericCounts) -> NDArray[np.int64]:
    """Rows of each class and fold."""
    assert counts.rows is not None
    assert counts.folds is not None
    found = np.zeros((N_CLASSES + 1, N_FOLDS), dtype=np.int64)
    np.add.at(found, (counts.classes, counts.folds), counts.rows)
    return found


def rows_up_to(counts: NumericCounts, bound: float) -> int:
    assert counts.rows is not None
    return int(counts.rows[counts.values <= bound].sum())


# How many values there are


def test_values_that_all_repeat_in_the_sample_are_all_there_are() -> None:
    assert expected_values(np.repeat([1.0, 2.0], 3), 1_000_000) == 2
    assert expected_values(np.zeros(0), 1_000_000) == 0


def test_values_that_never_repeat_are_as_many_as_rows() -> None:
    assert expected_values(np.arange(1000.0), 50_000) == 50_000


@pytest.mark.parametrize("n_rows", [200_000, 1_000_000, 20_000_000])
@pytest.mark.parametrize("repeats", [1, 2, 5, 50])
def test_expected_values_are_about_those_there_are(repeats: int, n_rows: int) -> None:
    n_values = n_rows // repeats
    sample = np.random.default_rng(repeats).integers(0, n_values, 200_000).astype(np.float64)
    # Drawn with replacement, values have more or fewer rows than `repeats`.
    expected = n_values * (1 - np.exp(-repeats))
    assert expected_values(sample, n_rows) == pytest.approx(expected, rel=0.5)


def test_repeated_rows_are_noticed_that_are_in_the_sample_together() -> None:
    sample = np.repeat(np.random.default_rng(0).random(40_000), 5)
    assert expected_values(sample, 10_000_000) < 0.2 * 10_000_000


def test_frequent_values_do_not_hide_that_all_others_are_different() -> None:
    random = np.random.default_rng(0)
    sample = np.where(random.random(200_000) < 0.5, random.integers(0, 9, 200_000), 10.0)
    sample[:100_000] += random.random(100_000)
    assert expected_values(sample, 10_000_000) == pytest.approx(5_000_000, rel=0.01)


@pytest.mark.parametrize("repeats", [2, 3, 5, 20])
@pytest.mark.parametrize("n_rows", [1_000_000, 10_000_000])
def test_values_that_repeat_in_a_range_are_noticed(repeats: int, n_rows: int) -> None:
    rng = np.random.default_rng(repeats)
    n_sampled = 200_000
    scale = n_rows // n_sampled
    # A twentieth of the rows repeat, between others that do not.
    repeated = rng.integers(0, n_rows // 20 // repeats, n_sampled // 20) / n_rows
    sample = np.concatenate((rng.normal(size=n_sampled - len(repeated)), 0.5 + repeated / scale))
    assert different_share(sample, n_rows) < 0.6


def test_values_that_are_equal_by_chance_are_not_taken_for_repeated_rows() -> None:
    rng = np.random.default_rng(0)
    sample = rng.normal(size=200_000)
    sample[rng.integers(0, 200_000, 100)] = sample[rng.integers(0, 200_000, 100)]
    assert different_share(sample, 10_000_000) > 0.7
    assert different_share(sample[:0], 10) == 1


def test_frequent_values_are_not_taken_for_repeated_rows() -> None:
    rng = np.random.default_rng(0)
    sample = np.where(rng.random(200_000) < 0.4, rng.integers(0, 20, 200_000), rng.random(200_000))
    assert different_share(sample, 10_000_000) == 1


# Edges


@given(columns(), st.integers(1, 100))
def test_edges_increase_from_the_least_to_the_greatest_value(drawn: Any, n_bins: int) -> None:
    values, _, sample = drawn
    edges = edges_of(values, sample, n_bins)
    present = values[~np.isnan(values)]
    assert (edges[1:] > edges[:-1]).all()
    if len(present):
        assert edges[-1] == present.max()
        assert edges[0] >= present.min()
    else:
        assert len(edges) == 0


@given(columns())
def test_infinite_values_are_bins_of_their_own(drawn: Any) -> None:
    values, _, sample = drawn
    edges = edges_of(values, sample, 20)
    codes = np.searchsorted(edges, values, side="left")
    for infinite in (-INF, INF):
        assert len(set(codes[values == infinite]) & set(codes[np.isfinite(values)])) == 0


def test_a_frequent_value_is_a_bin_of_its_own() -> None:
    random = np.random.default_rng(0)
    values = np.where(random.random(10_000) < 0.2, 0.25, random.random(10_000))
    edges = bin_edges(values, values.min(), values.max(), n_bins=100)
    codes = np.searchsorted(edges, values, side="left")
    (code,) = set(codes[values == 0.25])
    assert (values[codes == code] == 0.25).all()


def test_bins_have_about_equal_rows() -> None:
    values = np.random.default_rng(0).lognormal(sigma=3, size=100_000)
    edges = bin_edges(values[:20_000], values.min(), values.max(), n_bins=100)
    rows = np.bincount(np.searchsorted(edges, values, side="left"))
    assert len(rows) == pytest.approx(100, abs=2)
    assert rows[1:-1].max() < 2 * len(values) / 100


# Counts of bins


@given(columns(), st.integers(1, 30))
def test_entries_of_bins_hold_every_row_between_their_bounds(drawn: Any, n_bins: int) -> None:
    values, groups, sample = drawn
    entries = entries_of_bins(values, groups, edges_of(values, sample, n_bins))
    exact = by_value(values, groups)
    assert (totals(entries) == totals(exact)).all()
    present = ~np.isnan(entries.values)
    assert (entries.lowest[present] <= entries.values[present]).all()
    assert entries.missing[1] == exact.missing[1]
    for low, high in zip(entries.lowest[present], entries.values[present], strict=True):
        inside = (entries.values == high) & present
        assert entries.rows is not None
        assert entries.rows[inside].sum() == ((values >= low) & (values <= high)).sum()


# Windows


@st.composite
def windows(draw: Any) -> tuple[Any, ...]:
    """A column in bins, and windows around some of the cuts between them."""
    values, groups, sample = draw(columns())
    edges = edges_of(values, sample, draw(st.integers(1, 30)))
    rows = in_bins(values, groups, edges)[1:-1]
    filled = np.flatnonzero(rows.sum(axis=1))
    chosen = st.just([])
    if len(filled) > 1:
        chosen = st.lists(st.sampled_from(filled[:-1].tolist()), max_size=5, unique=True)
    partitions = st.lists(chosen, min_size=1, max_size=3)
    cuts = [edges[np.array(sorted(some), dtype=int)] for some in draw(partitions)]
    inside = near_cuts(cuts, rows, edges, draw(st.integers(1, 40)), 1000)
    least = np.nan if np.isnan(values).all() else np.nanmin(values)
    return values, groups, edges, cuts, windows_of(inside, edges, least)


@given(windows())
def test_windows_are_apart_and_end_at_edges(drawn: Any) -> None:
    _, _, edges, _, found = drawn
    assert len(found) % 2 == 0
    assert (found[1:] > found[:-1]).all()
    assert np.isin(found, [-INF, *edges]).all()


@given(windows())
def test_the_bins_on_both_sides_of_a_cut_are_in_its_window_or_are_one_value(drawn: Any) -> None:
    values, _, edges, cuts, found = drawn
    bins = np.searchsorted(edges, values, side="left")
    for cut in np.concatenate(cuts):
        code = np.searchsorted(edges, cut, side="left")
        filled = np.unique(bins[~np.isnan(values)])
        for one in (filled[filled <= code][-1], filled[filled > code][0]):
            in_window = np.searchsorted(found, edges[one], side="left") % 2 == 1
            assert in_window or len(set(values[bins == one].tolist())) == 1


def test_without_cuts_there_are_no_windows() -> None:
    edges = np.array([1.0, 2.0])
    inside = near_cuts([np.zeros(0)], np.ones((2, 1), dtype=np.int64), edges, 10, 10)
    assert len(windows_of(inside, edges, 0.0)) == 0


def windows_around(cuts: list[Any], n_bins: int, n_rows: int) -> list[float]:
    """Windows around edges 1, 2, ... of bins with ten rows each."""
    edges, rows = np.arange(1.0, n_bins + 1.0), np.full((n_bins, 2), 5)
    inside = near_cuts([np.array(some, dtype=float) for some in cuts], rows, edges, n_rows, 10**9)
    return windows_of(inside, edges, 0.5).tolist()


def test_windows_at_the_first_and_the_last_edge_reach_the_extremes() -> None:
    assert windows_around([[1, 99]], 100, 80) == [-INF, 3.0, 97.0, 100.0]


def test_cuts_share_the_rows_of_windows() -> None:
    assert windows_around([[501]], 1000, 1000) == [451.0, 551.0]
    many = np.array(windows_around([np.arange(101, 900, 100)], 1000, 1000))
    assert np.diff(many.reshape(-1, 2)).sum() == pytest.approx(100, rel=0.2)


def test_windows_that_overlap_are_one() -> None:
    assert windows_around([[501], [511]], 1000, 1000) == [476.0, 536.0]


def test_cuts_between_the_most_different_classes_come_first() -> None:
    edges = np.arange(1.0, 101.0)
    shares = np.repeat([0.5, 0.55, 0.05, 0.1], 25)
    by_class = np.rint(100 * np.column_stack((shares, 1 - shares))).astype(np.int64)
    cuts = [edges[[24, 49, 74]]]
    assert np.flatnonzero(near_cuts(cuts, by_class, edges, 1, 599)).tolist() == [49, 50, 74, 75]
    assert np.flatnonzero(near_cuts(cuts, by_class, edges, 1, 399)).tolist() == [49, 50]
    assert not near_cuts(cuts, by_class, edges, 1, 199).any()


def test_frequent_values_are_not_counted_again() -> None:
    random = np.random.default_rng(0)
    values = np.round(20 * random.random(100_000))
    values = np.where(random.random(100_000) < 0.5, values, 20 * random.random(100_000))
    values = np.where(random.random(100_000) < 0.2, 0.0, values)  # the least value, too
    edges = bin_edges(values, 0.0, values.max(), n_bins=1000)
    rows = np.bincount(np.searchsorted(edges, values, side="left"), minlength=len(edges))
    inside = near_cuts([np.arange(20.0)], rows[:, None], edges, 20, 10**9)
    found = windows_of(inside, edges, 0.0)
    whole = np.arange(20.0)
    assert (np.searchsorted(found, whole, side="left") % 2 == 0).all()
    counted = values[np.searchsorted(found, values, side="left") % 2 == 1]
    assert 0 < len(counted) < 20_000


def test_bins_that_stand_out_from_their_part_are_found() -> None:
    random = np.random.default_rng(0)
    by_class = random.multinomial(300, [0.9, 0.1], size=1000)
    by_class[400:] = random.multinomial(300, [0.5, 0.5], size=600)
    edges = np.arange(1000.0)
    by_class[100] += [-40, 40]
    by_class[700] += [-40, 40]
    by_class[[800, 801]] += [-30, 30]
    found = outstanding(np.array([399.0]), by_class, edges, n_rows=3000)
    assert set(np.flatnonzero(found)) >= {100, 700, 800, 801}
    assert by_class[found].sum() <= 3000


@given(windows(), st.integers(0, 100))
def test_what_stands_out_keeps_within_its_rows(drawn: Any, n_rows: int) -> None:
    values, groups, edges, cuts, _ = drawn
    shape = len(edges), N_CLASSES + 1, N_FOLDS
    labeled = in_bins(values, groups, edges)[1:-1].reshape(shape).sum(axis=2)[:, :-1]
    found = outstanding(np.unique(cuts[0]), labeled, edges, n_rows)
    assert labeled[found].sum() <= n_rows


# Refined counts


def refined_of(values: Floats, groups: NDArray[Any], edges: Floats, found: Floats) -> Any:
    inside = np.searchsorted(found, values, side="left") % 2 == 1
    inside &= ~np.isnan(values)
    exact = by_value(values[inside], groups[inside])
    return refined(entries_of_bins(values, groups, edges), exact, found)


@given(windows())
def test_refined_counts_hold_the_rows_of_every_class_and_fold(drawn: Any) -> None:
    values, groups, edges, _, found = drawn
    counts = refined_of(values, groups, edges, found)
    assert (totals(counts) == totals(by_value(values, groups))).all()


@given(windows())
def test_refined_counts_are_in_order_missing_first(drawn: Any) -> None:
    values, groups, edges, _, found = drawn
    counts = refined_of(values, groups, edges, found)
    n_missing = counts.n_missing
    assert np.isnan(counts.values[:n_missing]).all()
    present, lows = counts.values[n_missing:], counts.lowest[n_missing:]
    assert (present[1:] >= present[:-1]).all()
    assert (lows <= present).all()
    assert (lows[1:] > present[:-1])[present[1:] > present[:-1]].all()


@given(windows())
def test_refined_counts_are_exact_inside_windows_and_bins_outside(drawn: Any) -> None:
    values, groups, edges, _, found = drawn
    counts = refined_of(values, groups, edges, found)
    exact, bins = by_value(values, groups), entries_of_bins(values, groups, edges)
    inside = values[np.searchsorted(found, values, side="left") % 2 == 1]
    # A cut is possible at every value inside a window, and at the upper edge of bins outside.
    for bound in np.unique(inside[~np.isnan(inside)]):
        assert rows_up_to(counts, bound) == rows_up_to(exact, bound)
    outside = bins.values[np.searchsorted(found, bins.values, side="left") % 2 == 0]
    for bound in outside[~np.isnan(outside)]:
        assert rows_up_to(counts, bound) == rows_up_to(exact, bound)
    possible = np.unique(np.concatenate((inside, outside)))
    assert set(np.unique(counts.values)[~np.isnan(np.unique(counts.values))]) <= set(possible)


@given(columns())
@example((np.array([1.0, 2.0, 3.0, np.nan]), np.array([0, 3, 6, 1]), np.array([1.0, 3.0])))
def test_windows_over_all_bins_give_the_exact_counts(drawn: Any) -> None:
    values, groups, sample = drawn
    edges = edges_of(values, sample, 10)
    found = np.array([-INF, edges[-1]]) if len(edges) and edges[-1] > -INF else np.zeros(0)
    counts = refined_of(values, groups, edges, found)
    classes, folds = np.divmod(groups, N_FOLDS)
    expected = count_numbers(values + 0.0, classes.astype(np.int32), None, N_CLASSES, folds)
    for bound in values[~np.isnan(values)]:
        assert rows_up_to(counts, bound) == np.count_nonzero(expected.values <= bound)
    assert counts.missing[1] == expected.missing[1]
