"""The oracles with unlabeled rows reproduce the published figures and agree with one another."""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from tests.oracle_samples import exactly, small_samples
from tests.oracles import discretization, semi_supervised
from tests.oracles.intervals import (
    Row,
    add_up,
    log_weight,
    midpoint,
    total,
)

NAN, INF = math.nan, math.inf


def tables(n_classes: int, most_labels: int, most_unlabeled: int) -> list[Row]:
    """All (N_i1^l, ..., N_iJ^l, N_i^u) with at least one label."""
    ranges = [range(most_labels + 1)] * n_classes + [range(most_unlabeled + 1)]
    return [row for row in product(*ranges) if any(row[:-1])]


SMALL_ROWS = [*tables(1, 3, 3), *tables(2, 5, 8), *tables(3, 3, 7), *tables(4, 2, 5)]


class TestParametersOfAPart:
    def test_d_hondt_is_the_best_of_all_parameters(self) -> None:
        for row in SMALL_ROWS:
            by_rule = semi_supervised.map_part_weight(row)
            assert by_rule == semi_supervised.map_part_weight(row, semi_supervised.enumerated)

    def test_lemma_b_never_exceeds_d_hondt(self) -> None:
        for *labeled, n_unlabeled in SMALL_ROWS:
            lemma = semi_supervised.lemma_b(tuple(labeled), n_unlabeled)
            best = semi_supervised.d_hondt(tuple(labeled), n_unlabeled)
            assert all(a <= b for a, b in zip(lemma, best, strict=True))

    def test_lemma_b_falls_short_of_two_units_for_three_classes(self) -> None:
        assert semi_supervised.lemma_b((1, 1, 1), 2) == (1, 1, 1)
        assert sum(semi_supervised.d_hondt((1, 1, 1), 2)) == 5

    def test_lemma_b_is_minus_one_for_a_class_without_labels(self) -> None:
        assert semi_supervised.lemma_b((3, 0), 4) == (7, -1)

    def test_lemma_b_is_optimal_once_clipped_and_completed(self) -> None:
        for *counts, n_unlabeled in SMALL_ROWS:
            labeled = tuple(counts)
            clipped = tuple(max(n, 0) for n in semi_supervised.lemma_b(labeled, n_unlabeled))
            missing = sum(labeled) + n_unlabeled - sum(clipped)
            assert 0 <= missing <= sum(n > 0 for n in labeled) - 1
            whole = semi_supervised.completed(labeled, clipped, missing)
            weight = semi_supervised.part_weight(labeled, whole)
            assert weight == semi_supervised.map_part_weight((*labeled, n_unlabeled))

    def test_unlabeled_rows_cancel_in_the_averaged_part_cost(self) -> None:
        for row in SMALL_ROWS:
            averaged = semi_supervised.averaged_part_weight(row)
            assert averaged == discretization.part_weight(row[:-1])

    def test_a_part_without_labels_costs_only_its_prior(self) -> None:
        assert semi_supervised.map_part_weight((0, 0, 0, 5)) == math.comb(7, 2)
        assert semi_supervised.averaged_part_weight((0, 0, 0, 5)) == 1

    def test_the_cost_is_equation_8_with_its_factorials(self) -> None:
        labeled, parameters = [(2, 1), (0, 3)], [(4, 2), (1, 5)]
        f = math.factorial
        expected = (
            12 * math.comb(13, 1) * math.comb(7, 1) * math.comb(7, 1)
            * Fraction(f(6), f(4) * f(2)) * Fraction(f(6), f(1) * f(5))
            / Fraction(f(3), f(2) * f(1)) / Fraction(f(3), f(1) * f(2))
        )  # fmt: skip
        assert semi_supervised.cost(labeled, parameters) == exactly(log_weight(expected))


def two_values_win(n_rows: int, n_labels: int) -> bool:
    """Figure 1: half of the rows and of the labels at x = 0, the others at x = 1."""
    k, n_unlabeled = n_labels // 2, (n_rows - n_labels) // 2
    apart: list[Row] = [(k, 0, n_unlabeled), (0, k, n_unlabeled)]
    weight = semi_supervised.map_part_weight
    one_part = semi_supervised.partition_cost([total(apart)], weight)
    return semi_supervised.partition_cost(apart, weight) < one_part


def halves(n_labels: int) -> tuple[list[float], list[int]]:
    half = n_labels // 2
    return [0.0] * half + [1.0] * half, [0] * half + [1] * half


STEP = [math.exp(alpha / 10) for alpha in range(1, 101)]


def step_auc(cut: float) -> Fraction:
    """Area under the ROC curve of one cut on Figure 4's data."""
    false_positive = Fraction(sum(x >= cut for x in STEP if x < 220), 53)
    true_positive = Fraction(sum(x >= cut for x in STEP if x > 220), 47)
    return (1 + true_positive - false_positive) / 2


def step_gain(last: int, first: int) -> Fraction:
    """AUC after less before moving the cut, given the labeled neighbors of the step."""
    midway = midpoint(STEP[last], STEP[first])
    labeled, unlabeled = [STEP[last], STEP[first]], STEP[last + 1 : first]
    return step_auc(semi_supervised.moved_cut(midway, labeled, unlabeled)) - step_auc(midway)


GAINS = {(last, first): step_gain(last, first) for last in range(53) for first in range(53, 100)}


def expected_step_gain(n_labels: int) -> Fraction:
    """Figure 5: mean gain in AUC over all draws of n_labels out of the 100 rows."""
    gain = Fraction(0)
    for left in range(1, n_labels):
        right = n_labels - left
        apart, together = [(left, 0), (0, right)], [(left, right)]
        if discretization.cost(apart) < discretization.cost(together):
            for (last, first), difference in GAINS.items():
                draws = math.comb(last, left - 1) * math.comb(99 - first, right - 1)
                gain += draws * difference
    return gain / math.comb(100, n_labels)


class TestSemiSupervisedCost:
    @pytest.mark.parametrize(
        ("n_rows", "n_labels"),
        [(6, 6), (10, 6), (20, 8), (50, 10), (100, 12), (1000, 18), (10_000, 26)],
    )
    def test_figure_1_minimal_labels_of_the_map_criterion(self, n_rows: int, n_labels: int) -> None:
        wins = [two_values_win(n_rows, labels) for labels in range(2, n_labels + 1, 2)]
        assert wins == [False] * (len(wins) - 1) + [True]

    def test_figure_1_minimal_labels_for_a_hundred_thousand_rows(self) -> None:
        assert not two_values_win(100_000, 30)
        assert two_values_win(100_000, 32)

    def test_figure_1_supervised_splits_from_six_labels_on(self) -> None:
        parts = [len(discretization.brute_force(*halves(n), 2).counts) for n in (2, 4, 6, 8, 20)]
        assert parts == [1, 1, 2, 2, 2]

    def test_figure_3_averaged_cost_is_flat_over_the_unlabeled_area_only(self) -> None:
        rows: Sequence[Row] = [(1, 0, 0)] * 40 + [(0, 0, 1)] * 20 + [(0, 1, 0)] * 40
        weight = semi_supervised.averaged_part_weight
        costs = [semi_supervised.partition_cost(add_up(rows, [b]), weight) for b in range(1, 100)]
        flat, least = costs[39:60], min(costs)
        assert flat == pytest.approx([least] * 21, abs=1e-9, rel=0)
        assert min(costs[:39] + costs[60:]) > least + 1

    def test_figure_3_map_cost_is_least_at_both_ends_of_the_unlabeled_area(self) -> None:
        rows: Sequence[Row] = [(1, 0, 0)] * 40 + [(0, 0, 1)] * 20 + [(0, 1, 0)] * 40
        weight = semi_supervised.map_part_weight
        costs = [semi_supervised.partition_cost(add_up(rows, [b]), weight) for b in range(1, 100)]
        assert [b for b in range(1, 100) if costs[b - 1] < min(costs) + 1e-9] == [40, 60]

    def test_figure_5_below_six_labels_nothing_is_cut(self) -> None:
        assert len([x for x in STEP if x < 220]) == 53
        for left, right in product(range(1, 5), repeat=2):
            if left + right < 6:
                apart = discretization.cost([(left, 0), (0, right)])
                assert apart > discretization.cost([(left, right)])

    @pytest.mark.parametrize("n_labels", [6, 7, 8, 10, 15, 20, 30, 50, 80, 98, 99])
    def test_figure_5_moving_the_cut_never_lowers_the_mean_auc(self, n_labels: int) -> None:
        assert expected_step_gain(n_labels) >= 0

    @settings(max_examples=60, deadline=None)
    @given(small_samples(max_values=7))
    def test_without_unlabeled_rows_all_criteria_are_the_supervised_one(
        self, sample: tuple[list[float], list[int], int]
    ) -> None:
        supervised = discretization.all_optima(*sample)
        for weight in (semi_supervised.map_part_weight, semi_supervised.averaged_part_weight):
            optima = semi_supervised.all_optima(*sample, weight)
            assert [(p.cost, p.cuts) for p in optima] == [(p.cost, p.cuts) for p in supervised]
        assert semi_supervised.post_optimized_cuts(*sample) == pytest.approx(supervised[0].cuts)

    @pytest.mark.parametrize("n_classes", [1, 2, 3])
    def test_without_labels_there_is_one_interval(self, n_classes: int) -> None:
        values = [0.0, 1, 1, 2, 3, 4, NAN, 5]
        labels = [None] * len(values)
        assert semi_supervised.brute_force_map(values, labels, n_classes).cuts == ()
        assert semi_supervised.brute_force_averaged(values, labels, n_classes).cuts == ()
        assert semi_supervised.post_optimized_cuts(values, labels, n_classes) == ()

    def test_map_and_averaged_find_the_step_between_the_labels(self) -> None:
        values = [x for x in range(10) for _ in range(3)]
        labels = [0] * 12 + [None] * 6 + [1] * 12
        best = semi_supervised.brute_force_map(values, labels, 2)
        assert (best.cuts, best.counts) == ((3.5,), ((12, 0, 0), (0, 12, 6)))
        averaged = semi_supervised.all_optima(
            values, labels, 2, semi_supervised.averaged_part_weight
        )
        assert [p.cuts for p in averaged] == [(3.5,), (4.5,), (5.5,)]
        assert semi_supervised.brute_force_averaged(values, labels, 2) == averaged[0]

    def test_unlabeled_rows_make_both_criteria_cut_later_than_the_supervised_one(self) -> None:
        values, labels = halves(6)
        many = [*values, *values, *values]
        some: list[int | None] = [*labels, *[None] * 12]
        assert discretization.brute_force(values, labels, 2).cuts == (0.5,)
        assert semi_supervised.brute_force_map(many, some, 2).cuts == ()
        assert semi_supervised.brute_force_averaged(many, some, 2).cuts == ()

    def test_a_cut_is_moved_to_the_median_of_its_unlabeled_area(self) -> None:
        labeled = [0.0, 1, 2, 3, 10, 11, 12, 13]
        labels = [0] * 4 + [1] * 4

        def cuts(*unlabeled: float) -> tuple[float, ...]:
            hidden = [None] * len(unlabeled)
            return semi_supervised.post_optimized_cuts(
                [*labeled, *unlabeled], [*labels, *hidden], 2
            )

        assert cuts() == (6.5,)
        assert cuts(4) == (4,)
        assert cuts(4, 5) == (4.5,)
        assert cuts(4, 5, 9) == (5,)
        assert cuts(3, 10, -1, 12.5, NAN) == (6.5,)

    def test_a_missing_interval_is_cut_off_below_every_number(self) -> None:
        values = [NAN] * 4 + [1.0, 2, 3, 4]
        labels = [0] * 4 + [1] * 4
        assert semi_supervised.post_optimized_cuts(values, labels, 2) == (-INF,)
        moved = semi_supervised.post_optimized_cuts([*values, 0.5], [*labels, None], 2)
        assert moved == (0.5,)
