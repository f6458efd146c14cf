import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from tests._search.columns import (
    any_column,
    large_columns,
    limits,
    partly_labeled,
    sorted_counts,
)
from tests.oracles import discretization as supervised
from tests.oracles import semi_supervised
from tests.oracles.intervals import count_by_value, optima

from modlearn._search.discretization import discretize, median_cut, midpoint
from modlearn._search.intervals import Limits
from modlearn._statistics.numeric import NumericCounts
from modlearn.criteria import CRITERIA

NAN, INF = math.nan, math.inf
METHODS = ["supervised", "map", "averaged", "post_optimized"]


def found(values, labels, n_classes, method="supervised", limits=(None, 1), weights=None):
    return discretize(
        sorted_counts(values, labels, n_classes, weights), CRITERIA[method], Limits(*limits)
    )


def labeled_only(values, labels):
    rows = [(v, y) for v, y in zip(values, labels, strict=True) if y is not None]
    return [v for v, _ in rows], [y for _, y in rows]


def counts_of(result):
    """Labeled counts per part, as the oracles have them."""
    return tuple(map(tuple, result.counts.tolist()))


def counts_with_unlabeled(result):
    return tuple(map(tuple, np.column_stack((result.counts, result.unlabeled)).tolist()))


def counts_by_cuts(result, values, labels, n_classes):
    """Rows per part and class, unlabeled ones last, where the cuts put them."""
    table = np.zeros((len(result.counts), n_classes + 1), dtype=int)
    for value, label in zip(values, labels, strict=True):
        part = (
            0 if math.isnan(value) else np.searchsorted(result.cuts, value) + result.missing_alone
        )
        table[part, n_classes if label is None else label] += 1
    return tuple(map(tuple, table.tolist()))


def assert_same(result, other):
    np.testing.assert_array_equal(result.cuts, other.cuts)
    np.testing.assert_array_equal(result.counts, other.counts)
    np.testing.assert_array_equal(result.unlabeled, other.unlabeled)
    assert result.missing_alone == other.missing_alone
    assert result.cost == pytest.approx(other.cost, abs=1e-9)
    assert result.null_cost == pytest.approx(other.null_cost, abs=1e-9)
    assert result.proven == other.proven


class TestAgainstBruteForce:
    @settings(max_examples=300, deadline=None)
    @given(any_column(), limits())
    def test_the_supervised_partition_is_an_optimum(self, column, limits):
        max_parts, min_part_size = limits
        tied = supervised.all_optima(*column, min_part_size, max_parts)
        result = found(*column, limits=limits)
        assert result.cost == pytest.approx(tied[0].cost, abs=1e-9)
        assert counts_of(result) in [partition.counts for partition in tied]
        assert result.proven

    @settings(max_examples=200, deadline=None)
    @given(any_column(with_unlabeled=True), limits())
    def test_the_map_partition_is_an_optimum(self, column, limits):
        max_parts, min_part_size = limits
        tied = semi_supervised.all_optima(
            *column, semi_supervised.map_part_weight, min_part_size, max_parts
        )
        result = found(*column, "map", limits)
        assert result.cost == pytest.approx(tied[0].cost, abs=1e-9)
        assert counts_with_unlabeled(result) in [partition.counts for partition in tied]

    @settings(max_examples=150, deadline=None)
    @given(any_column(with_unlabeled=True), st.none() | st.integers(1, 4))
    def test_the_averaged_partition_is_an_optimum(self, column, max_parts):
        tied = semi_supervised.all_optima(
            *column, semi_supervised.averaged_part_weight, max_parts=max_parts
        )
        result = found(*column, "averaged", (max_parts, 1))
        assert result.cost == pytest.approx(tied[0].cost, abs=1e-9)
        assert counts_with_unlabeled(result) in [partition.counts for partition in tied]

    @settings(max_examples=150, deadline=None)
    @given(partly_labeled(), limits())
    def test_a_least_size_of_averaged_parts_counts_labeled_rows(self, column, limits):
        values, labels, n_classes = column
        max_parts, min_part_size = limits
        distinct, table = count_by_value(*labeled_only(values, labels), n_classes)

        def prior_weight(_, n_parts):
            return supervised.prior_weight(len(values), n_parts)

        tied = optima(
            distinct, table, supervised.part_weight, prior_weight, min_part_size, max_parts
        )
        result = found(*column, "averaged", limits)
        assert result.cost == pytest.approx(tied[0].cost, abs=1e-9)
        assert counts_of(result) in [partition.counts for partition in tied]

    @settings(max_examples=150, deadline=None)
    @given(partly_labeled(), limits())
    def test_the_post_optimized_parts_are_supervised_ones(self, column, limits):
        values, labels, n_classes = column
        expected = found(*labeled_only(values, labels), n_classes, limits=limits)
        result = found(*column, "post_optimized", limits)
        assert counts_of(result) == counts_of(expected)
        assert (result.cost, result.null_cost) == (expected.cost, expected.null_cost)

    @settings(max_examples=150, deadline=None)
    @given(st.sampled_from(METHODS), partly_labeled())
    def test_cuts_put_every_row_in_the_part_that_counts_it(self, method, column):
        values, labels, n_classes = column
        result = found(*column, method)
        assert counts_by_cuts(result, values, labels, n_classes) == counts_with_unlabeled(result)
        assert len(result.cuts) + result.missing_alone + 1 == len(result.counts)
        assert (np.diff(result.cuts) > 0).all()

    @settings(max_examples=100, deadline=None)
    @given(st.sampled_from(METHODS), partly_labeled())
    def test_the_null_cost_is_that_of_one_part(self, method, column):
        one = found(*column, method, (1, 1))
        assert found(*column, method).null_cost == one.null_cost == one.cost
        assert len(one.counts) == 1


class TestKnownColumns:
    @pytest.mark.parametrize(
        ("column", "cost", "cuts"),
        [
            (0, 121.33064856793703, [5.45, 6.15]),
            (1, 150.1781843197325, [2.95, 3.35]),
            (2, 56.89858101743539, [2.45, 4.75]),
            (3, 54.711827739966566, [0.8, 1.75]),
        ],
    )
    def test_iris_has_its_published_cuts(self, column, cost, cuts):
        values, classes = load_iris(return_X_y=True)
        result = found(values[:, column], classes, 3)
        assert result.cost == pytest.approx(cost, abs=1e-9)
        assert result.cuts == pytest.approx(cuts, abs=1e-12)
        assert result.proven

    @pytest.mark.parametrize("n_rows", [100, 3000, 30_000])
    @pytest.mark.parametrize("n_classes", [2, 5])
    @pytest.mark.parametrize("method", METHODS)
    def test_pure_noise_is_one_part(self, method, n_classes, n_rows):
        rng = np.random.default_rng(n_rows)
        labels = rng.integers(0, n_classes, n_rows).astype(object)
        labels[rng.random(n_rows) < 0.3] = None
        result = found(rng.normal(size=n_rows), labels, n_classes, method)
        assert result.counts.shape == (1, n_classes)
        assert result.cost == result.null_cost
        assert result.cuts.size == 0

    @pytest.mark.parametrize("n_rows", [90, 9000, 90_000])
    def test_separable_classes_have_exactly_their_parts(self, n_rows):
        values = np.random.default_rng(0).permutation(n_rows).astype(float)
        third = n_rows // 3
        labels = np.array([2, 0, 1])[(values // third).astype(int)]
        result = found(values, labels, 3)
        assert result.counts.tolist() == [[0, 0, third], [third, 0, 0], [0, third, 0]]
        assert result.cuts.tolist() == [third - 0.5, 2 * third - 0.5]

    def test_ties_are_never_split(self):
        values, labels = [0.0] * 50 + [1.0] * 50, [0] * 45 + [1] * 5 + [0] * 5 + [1] * 45
        assert found(values, labels, 2).counts.tolist() == [[45, 5], [5, 45]]

    @pytest.mark.parametrize("method", METHODS)
    def test_missing_may_be_a_part_of_its_own(self, method):
        result = found([NAN] * 20 + [1.0, 2.0] * 10, [0] * 20 + [1] * 20, 2, method)
        assert result.missing_alone
        assert result.cuts.size == 0
        assert result.counts.tolist() == [[20, 0], [0, 20]]

    def test_missing_may_share_the_lowest_interval(self):
        result = found([NAN, -INF] * 10 + [1.0, 2.0] * 10, [0] * 20 + [1] * 20, 2)
        assert not result.missing_alone
        assert result.cuts.tolist() == [-INF]
        assert result.counts.tolist() == [[20, 0], [0, 20]]

    def test_infinite_values_are_ordered_values(self):
        values = [-INF] * 20 + [0.0] * 20 + [INF] * 20
        result = found(values, [0] * 20 + [1] * 20 + [0] * 20, 2)
        assert result.cuts.tolist() == [-INF, np.finfo(float).max]

    def test_tiny_differences_of_large_numbers_count(self):
        values = 1e9 + np.arange(40) * 1.2e-7
        result = found(values, np.arange(40) // 20, 2)
        assert result.counts.tolist() == [[20, 0], [0, 20]]
        assert values[19] <= result.cuts[0] < values[20]

    def test_a_constant_column_is_one_part(self):
        assert found([3.0] * 10, [0, 1] * 5, 2).counts.tolist() == [[5, 5]]

    def test_one_class_is_one_part(self):
        result = found(range(50), [0] * 50, 1)
        assert result.counts.tolist() == [[50]]
        assert result.proven

    @pytest.mark.parametrize("method", ["map", "averaged"])
    def test_without_any_label_there_is_one_interval(self, method):
        result = found([NAN, 0, 1, 1, 2, 3], [None] * 6, 2, method)
        assert result.counts.tolist() == [[0, 0]]
        assert result.unlabeled.tolist() == [6]


class TestFigures:
    @pytest.mark.parametrize(
        ("n_rows", "n_labels"),
        [(6, 6), (10, 6), (20, 8), (50, 10), (100, 12), (1000, 18), (10**4, 26), (10**5, 32)],
    )
    def test_figure_1_smallest_number_of_labels_of_the_map_method(self, n_rows, n_labels):
        parts = [
            len(two_values(n_rows, labels, "map").counts) for labels in range(2, n_labels + 1, 2)
        ]
        assert parts == [1] * (len(parts) - 1) + [2]

    @pytest.mark.parametrize("n_rows", [6, 1000, 10**5])
    @pytest.mark.parametrize("method", ["supervised", "post_optimized"])
    def test_figure_1_six_labels_do_for_the_supervised_method(self, method, n_rows):
        parts = [len(two_values(n_rows, labels, method).counts) for labels in (2, 4, 6)]
        assert parts == [1, 1, 2]

    def test_figure_3_averaged_cut_is_in_the_middle_of_the_unlabeled_area(self):
        result = figure_3("averaged")
        assert result.cuts == pytest.approx([0.5])
        assert result.counts.tolist() == [[40, 0], [0, 40]]
        assert result.unlabeled.tolist() == [10, 10]

    def test_figure_3_map_cut_is_at_an_end_of_the_unlabeled_area(self):
        result = figure_3("map")
        assert sorted(result.unlabeled.tolist()) == [0, 20]
        assert result.counts.tolist() == [[40, 0], [0, 40]]

    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.parametrize("n_labels", range(1, 6))
    def test_figure_5_below_six_labels_there_is_one_interval(self, n_labels, method):
        values = np.exp(np.arange(1, 101) / 10)
        for seed in range(20):
            chosen = np.random.default_rng(seed).choice(100, n_labels, replace=False)
            labels = np.full(100, None)
            labels[chosen] = (values[chosen] > 220).astype(int)
            assert len(found(values, labels, 2, method).counts) == 1

    def test_figure_5_six_labels_on_both_sides_find_the_step(self):
        values = np.exp(np.arange(1, 101) / 10)
        labels = np.full(100, None)
        labels[[10, 30, 50]], labels[[55, 70, 90]] = 0, 1
        midway, medians = (
            found(values, labels, 2, m).cuts for m in ("supervised", "post_optimized")
        )
        assert midway == pytest.approx([(values[50] + values[55]) / 2])
        assert medians == pytest.approx([(values[52] + values[53]) / 2])


def two_values(n_rows, n_labels, method):
    """Half of the rows and of the labels at 0, the others at 1."""
    weights = [n_labels // 2, (n_rows - n_labels) // 2] * 2
    return found([0, 0, 1, 1], [0, None, 1, None], 2, method, weights=weights)


def figure_3(method):
    return found(np.linspace(0, 1, 100), [0] * 40 + [None] * 20 + [1] * 40, 2, method)


class TestPostOptimizedCuts:
    @settings(max_examples=150, deadline=None)
    @given(st.data(), st.sampled_from(["post_optimized", "averaged"]))
    def test_a_cut_is_the_median_of_the_unlabeled_values_around_it(self, data, method):
        values, labels = separable_with_unlabeled(data)
        result = found(values, labels, 2, method)
        assert result.counts.tolist() == [[10, 0], [0, 10]]
        around = [v for v, y in zip(values, labels, strict=True) if y is None and 1 < v < 9]
        assert result.cuts.tolist() == [semi_supervised.median(around) if around else 5.0]

    def test_it_is_the_cut_of_the_oracle(self):
        values, labels = [*range(4), *range(10, 14), 4, 5, 9], [0] * 4 + [1] * 4 + [None] * 3
        expected = semi_supervised.post_optimized_cuts(values, labels, 2)
        assert found(values, labels, 2, "post_optimized").cuts == pytest.approx(expected)

    def test_numbers_without_a_label_leave_missing_alone(self):
        values = [NAN] * 10 + [5.0] * 10 + [-3.0, 2.0, NAN]
        result = found(values, [0] * 10 + [1] * 10 + [None] * 3, 2, "post_optimized")
        assert result.missing_alone
        assert result.cuts.size == 0
        assert result.unlabeled.tolist() == [1, 2]


def separable_with_unlabeled(data):
    """Ten rows of class 0 up to 1, ten of class 1 above 9, unlabeled ones anywhere."""
    value = st.integers(-8, 48).map(lambda k: k / 4) | st.just(NAN)
    unlabeled = data.draw(st.lists(value, max_size=12))
    values = [*np.linspace(0, 1, 10), *np.linspace(9, 10, 10), *unlabeled]
    return values, [0] * 10 + [1] * 10 + [None] * len(unlabeled)


class TestInvariances:
    @settings(max_examples=100, deadline=None)
    @given(st.sampled_from(METHODS), partly_labeled(), limits(), st.randoms())
    def test_the_order_of_the_rows_does_not_matter(self, method, column, limits, random):
        values, labels, n_classes = column
        rows = list(zip(values, labels, strict=True))
        random.shuffle(rows)
        shuffled = [v for v, _ in rows], [y for _, y in rows], n_classes
        assert_same(found(*shuffled, method, limits), found(*column, method, limits))

    @settings(max_examples=100, deadline=None)
    @given(st.sampled_from(METHODS), partly_labeled(), limits(), st.data())
    def test_the_order_of_the_classes_does_not_matter(self, method, column, limits, data):
        values, labels, n_classes = column
        renamed = data.draw(st.permutations(range(n_classes)))
        relabeled = [None if y is None else renamed[y] for y in labels]
        before = found(*column, method, limits)
        after = found(values, relabeled, n_classes, method, limits)
        np.testing.assert_array_equal(after.cuts, before.cuts)
        np.testing.assert_array_equal(after.counts[:, renamed], before.counts)

    @settings(max_examples=100, deadline=None)
    @given(st.sampled_from(METHODS), partly_labeled(), limits(), st.data())
    def test_an_increasing_transform_moves_the_cuts_and_not_the_parts(
        self, method, column, limits, data
    ):
        values, labels, n_classes = column
        distinct = sorted({v for v in values if not math.isnan(v)})
        numbers = st.lists(st.integers(-(10**6), 10**6), min_size=len(distinct), unique=True)
        images = sorted(data.draw(numbers))
        image = dict(zip(distinct, map(float, images), strict=False)) | {NAN: NAN}
        moved = [v if math.isnan(v) else image[v] for v in values]
        before = found(*column, method, limits)
        after = found(moved, labels, n_classes, method, limits)
        np.testing.assert_array_equal(after.counts, before.counts)
        assert (after.cost, after.missing_alone) == (before.cost, before.missing_alone)

    @settings(max_examples=100, deadline=None)
    @given(st.sampled_from(METHODS), partly_labeled(), limits(), st.data())
    def test_weights_are_repeated_rows(self, method, column, limits, data):
        values, labels, n_classes = column
        n = len(values)
        weights = data.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
        repeated = np.repeat(values, weights), np.repeat(labels, weights), n_classes
        if not any(label is not None for label in repeated[1]):
            return
        weighted = found(values, labels, n_classes, method, limits, weights)
        assert_same(weighted, found(*repeated, method, limits))

    @pytest.mark.parametrize("name", ["steps of 5 classes", "rare class", "ties"])
    def test_long_columns_do_not_depend_on_rows_classes_or_scale(self, name):
        values, labels, n_classes = large_columns(8000, seed=5)[name]
        rng = np.random.default_rng(0)
        order, renamed = rng.permutation(8000), rng.permutation(n_classes)
        before = found(values, labels, n_classes)
        after = found(np.arctan(values[order]) * 1e3, renamed[labels[order]], n_classes)
        np.testing.assert_array_equal(after.counts[:, renamed], before.counts)
        assert after.cost == pytest.approx(before.cost, abs=1e-8)


class TestLongColumns:
    @pytest.mark.parametrize(
        ("name", "n", "seed"),
        [(name, n, n) for n in (8000, 12_000) for name in large_columns(10, 0)]
        + [("wave", 30_000, 1), ("narrow bumps", 30_000, 2), ("steps of 26 classes", 20_000, 3)],
    )
    def test_the_cost_is_no_higher_than_after_greedy_merging_and_exact_search(self, name, n, seed):
        values, labels, n_classes = large_columns(n, seed)[name]
        bound, _ = supervised.greedy_then_exact(values.tolist(), labels.tolist(), n_classes)
        result = found(values, labels, n_classes)
        assert result.cost <= bound + 1e-6
        assert result.cost < result.null_cost

    @pytest.mark.parametrize("n_values", [2000, 2001])
    def test_a_partition_is_proven_up_to_two_thousand_blocks(self, n_values):
        values, labels = np.repeat(np.arange(n_values), 2), np.tile([0, 1], n_values)
        assert found(values, labels, 2).proven == (n_values == 2000)

    def test_a_least_size_may_call_for_a_cut_within_a_pure_run(self):
        values = [0.0] * 3 + [1.0, 2, 3, 4, 5, 6, 7, 8]
        result = found(values, [0] * 3 + [1] * 8, 2, limits=(None, 4))
        assert result.counts.tolist() == [[3, 1], [0, 7]]


def test_it_finds_the_same_partition_by_every_method_without_unlabeled_rows():
    values, classes = load_iris(return_X_y=True)
    for column in range(4):
        results = [found(values[:, column], classes, 3, method) for method in METHODS]
        for result in results[1:]:
            assert_same(result, results[0])


@pytest.mark.parametrize(("n_rows", "n_classes"), [(20_000, 4), (150_000, 5), (450_000, 3)])
def test_long_columns_do_not_depend_on_the_order_of_classes(n_rows, n_classes):
    rng = np.random.default_rng(n_classes)
    values = np.sort(rng.normal(size=n_rows))
    trend = np.floor((np.sin(3 * values) + 1) / 2 * n_classes).clip(0, n_classes - 1)
    noise = rng.integers(0, n_classes, n_rows)
    classes = np.where(rng.random(n_rows) < 0.3, trend, noise).astype(np.int32)
    renamed = (n_classes - 1 - classes).astype(np.int32)
    one, other = (
        discretize(NumericCounts(values, labels, None, n_classes), CRITERIA["supervised"], Limits())
        for labels in (classes, renamed)
    )
    np.testing.assert_array_equal(one.cuts, other.cuts)
    np.testing.assert_array_equal(one.counts, other.counts[:, ::-1])


# cuts


LARGEST, TINY = np.finfo(float).max, 5e-324


def unlabeled(values, weights=None):
    return sorted_counts(values, [None] * len(values), 2, weights)


class TestMidpoint:
    def test_it_is_midway(self):
        assert midpoint([2.9, -4.0, 0.0], [3.0, 2.0, 1e-3]).tolist() == [2.95, -1.0, 5e-4]

    @given(st.floats(allow_nan=False), st.floats(allow_nan=False))
    def test_the_left_value_lies_at_or_below_it_and_the_right_one_above(self, a, b):
        assume(a != b)
        left, right = min(a, b), max(a, b)
        assert left <= midpoint(left, right) < right

    @pytest.mark.parametrize("left", [1.0, -1.0, 0.0, TINY, -TINY, 1e9, -LARGEST])
    def test_between_neighboring_floats_it_is_the_left_one(self, left):
        assert midpoint(left, math.nextafter(left, INF)) == left

    def test_it_is_the_float_between_two_that_have_one_between(self):
        middle = math.nextafter(1e9, INF)
        assert midpoint(1e9, math.nextafter(middle, INF)) == middle

    def test_huge_values_do_not_overflow(self):
        assert midpoint(1.6e308, 1.7e308) == pytest.approx(1.65e308)
        assert midpoint(-1.7e308, -1.6e308) == pytest.approx(-1.65e308)
        assert midpoint(-LARGEST, LARGEST) == 0

    def test_next_to_an_infinite_value_every_finite_number_is_on_the_finite_side(self):
        assert midpoint(5.0, INF) == LARGEST
        assert midpoint(LARGEST, INF) == LARGEST
        assert midpoint(-INF, 5.0) == -INF
        assert midpoint(-INF, -LARGEST) == -INF

    def test_between_the_infinities_it_is_zero(self):
        assert midpoint(-INF, INF) == 0

    def test_no_cuts_have_no_midpoints(self):
        assert midpoint([], []).shape == (0,)


class TestMedianCut:
    def test_it_is_the_middle_of_an_odd_number_of_values(self):
        assert median_cut(3.0, 10.0, unlabeled([4, 9, 5])) == 5

    def test_it_is_midway_between_the_two_middle_values_of_an_even_number(self):
        assert median_cut(3.0, 10.0, unlabeled([9, 4, 8, 5])) == 6.5

    def test_only_values_strictly_between_count(self):
        assert median_cut(3.0, 10.0, unlabeled([3, 10, -1, 12.5, np.nan, 4, 4, 3])) == 4

    def test_without_values_between_it_is_midway(self):
        assert median_cut(3.0, 10.0, unlabeled([3, 10, -1, 12.5, np.nan])) == 6.5
        assert median_cut(3.0, 10.0, unlabeled([])) == 6.5

    def test_only_missing_values_leave_it_midway(self):
        assert median_cut(3.0, 10.0, unlabeled([np.nan, np.nan])) == 6.5

    @given(
        st.lists(
            st.tuples(
                st.sampled_from([math.nan, -1.0, 0.0, 0.25, 1.0, 3.0, 4.0]), st.integers(1, 4)
            ),
            min_size=1,
            max_size=12,
        )
    )
    def test_weights_are_repeated_rows(self, rows):
        values, weights = zip(*rows, strict=True)
        repeated = np.repeat(values, weights)
        between = repeated[(repeated > -1) & (repeated < 4)]
        expected = np.median(between) if len(between) else 1.5
        assert median_cut(-1.0, 4.0, unlabeled(values, weights)) == expected
        assert median_cut(-1.0, 4.0, unlabeled(repeated)) == expected

    def test_neighboring_floats_have_the_lower_one_as_their_median(self):
        upper = math.nextafter(1.0, 2)
        assert median_cut(0.0, 2.0, unlabeled([upper, 1.0])) == 1.0
