import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests._search.columns import count_tables, limits, value_counts
from tests.oracles import grouping as oracle

from modlearn._search import grouping
from modlearn._search.grouping import best_groups
from modlearn._search.intervals import Limits
from modlearn.criteria import ClassCost, grouping_cost

# edible, poisonous
MUSHROOM_CAP_COLOR = {
    "BROWN": (889, 721),
    "GRAY": (892, 566),
    "RED": (429, 637),
    "YELLOW": (285, 458),
    "WHITE": (497, 214),
    "BUFF": (37, 85),
    "PINK": (40, 61),
    "CINNAMON": (22, 9),
    "GREEN": (13, 0),
    "PURPLE": (10, 0),
}


def found(table, max_parts=None, min_part_size=1):
    """(cost, group of every value, proven)."""
    values = value_counts(table)
    groups, proven = best_groups(values, ClassCost, Limits(max_parts, min_part_size))
    return grouping_cost(values.summed(groups), len(table)), groups, proven


def members(groups):
    """Groups as a set of sets of values."""
    return {frozenset(np.flatnonzero(groups == g).tolist()) for g in np.unique(groups)}


def as_sets(optimum):
    return {frozenset(group) for group in optimum.groups}


def rows_of(table):
    return [tuple(row) for row in np.asarray(table).tolist()]


def shares_of_kinds(rng, n_values, n_classes, rows):
    """Values of five kinds with about this number of rows each, none empty."""
    shares = rng.dirichlet(np.full(n_classes, 0.7), 5)[rng.integers(0, 5, n_values)]
    return rng.multinomial(1 + rng.poisson(rows, n_values), shares)


class TestAgainstBruteForce:
    @settings(max_examples=60, deadline=None)
    @given(count_tables(max_rows=8, largest=40, max_classes=4))
    def test_it_finds_an_optimum(self, table):
        cost, groups, proven = found(table)
        tied = oracle.all_optima(table)
        assert cost == pytest.approx(tied[0].cost, abs=1e-9)
        assert members(groups) in [as_sets(optimum) for optimum in tied]
        assert proven

    @settings(max_examples=40, deadline=None)
    @given(count_tables(max_rows=6, largest=20, max_classes=3), limits())
    def test_it_finds_an_optimum_within_limits(self, table, limits):
        max_parts, min_part_size = limits
        rows = [sum(row) for row in table]
        least = min(
            cost
            for cost, groups in oracle.all_groupings(table)
            if len(groups) <= (max_parts or len(table))
            and (len(groups) == 1 or min(sum(rows[v] for v in g) for g in groups) >= min_part_size)
        )
        cost, groups, proven = found(table, max_parts, min_part_size)
        assert cost == pytest.approx(least, abs=1e-9)
        assert Limits(*limits).allow(value_counts(table).summed(groups).sum(axis=1))
        assert proven

    @pytest.mark.parametrize("n_values", [8, 9, 10])
    @pytest.mark.parametrize("n_classes", [2, 3, 4])
    def test_it_finds_an_optimum_of_up_to_ten_values(self, n_classes, n_values):
        rng = np.random.default_rng(10 * n_values + n_classes)
        table = rng.poisson(rng.gamma(0.6, 15, (n_values, n_classes))) + np.eye(
            n_values, n_classes, dtype=int
        )
        table[:, 0] += table.sum(axis=1) == 0
        assert found(table)[0] == pytest.approx(oracle.brute_force(rows_of(table)).cost, abs=1e-9)

    def test_mushroom_cap_color_has_the_published_groups(self):
        cost, groups, proven = found(list(MUSHROOM_CAP_COLOR.values()))
        colors = list(MUSHROOM_CAP_COLOR)
        assert cost == pytest.approx(3923.407854595265, abs=1e-9)
        assert {frozenset(colors[v] for v in group) for group in members(groups)} == {
            frozenset({"RED", "YELLOW", "BUFF", "PINK"}),
            frozenset({"BROWN"}),
            frozenset({"GRAY"}),
            frozenset({"WHITE", "CINNAMON"}),
            frozenset({"GREEN", "PURPLE"}),
        }
        assert proven

    def test_mushroom_cap_color_in_at_most_four_groups(self):
        cost, groups, _ = found(list(MUSHROOM_CAP_COLOR.values()), max_parts=4)
        assert cost == pytest.approx(3925.2101703773465, abs=1e-9)
        assert groups.max() == 3


class TestTwoClasses:
    """The order by class share, with the exhaustive search over groupings switched off."""

    @pytest.fixture(autouse=True)
    def never_exhaustive(self, monkeypatch):
        monkeypatch.setattr(grouping, "EXHAUSTIVE_ITEMS", 0)

    @settings(max_examples=150, deadline=None)
    @given(count_tables(max_rows=7, largest=40, min_classes=2, max_classes=2))
    def test_intervals_of_the_class_share_hold_an_optimum(self, table):
        cost, groups, proven = found(table)
        tied = oracle.all_optima(table)
        assert cost == pytest.approx(tied[0].cost, abs=1e-9)
        assert members(groups) in [as_sets(optimum) for optimum in tied]
        assert proven

    @settings(max_examples=60, deadline=None)
    @given(count_tables(max_rows=6, largest=40, min_classes=2, max_classes=2), st.integers(1, 4))
    def test_they_hold_an_optimum_of_few_groups(self, table, max_parts):
        best = oracle.best_by_size(table)
        least = min(grouping.cost for size, grouping in best.items() if size <= max_parts)
        assert found(table, max_parts)[0] == pytest.approx(least, abs=1e-9)

    @pytest.mark.parametrize("seed", range(4))
    def test_they_hold_an_optimum_of_ten_values(self, seed):
        rng = np.random.default_rng(seed)
        table = shares_of_kinds(rng, 10, 2, rows=[5, 20, 60, 200][seed])
        assert found(table)[0] == pytest.approx(oracle.brute_force(rows_of(table)).cost, abs=1e-9)


@pytest.mark.parametrize("n_values", [11, 12])
def test_the_order_by_class_share_equals_the_exhaustive_search(n_values, monkeypatch):
    for seed in range(6):
        table = shares_of_kinds(np.random.default_rng(seed), n_values, 2, rows=10 + 40 * seed)
        exhaustive, _, _ = found(table)
        with monkeypatch.context() as patch:
            patch.setattr(grouping, "EXHAUSTIVE_ITEMS", 0)
            by_share, _, proven = found(table)
        assert by_share == pytest.approx(exhaustive, abs=1e-9)
        assert proven


class TestManyClasses:
    @pytest.mark.parametrize("seed", range(12))
    def test_it_is_never_worse_than_greedy_merging(self, seed):
        rng = np.random.default_rng(seed)
        n_values, n_classes = int(rng.integers(13, 61)), 3 + seed % 3
        table = shares_of_kinds(rng, n_values, n_classes, rows=[2, 10, 40, 150][seed % 4])
        merged = oracle.greedy_merging(rows_of(table))
        cost, _, proven = found(table)
        assert cost <= merged.cost + 1e-9
        assert not proven

    @settings(max_examples=30, deadline=None)
    @given(count_tables(max_rows=20, largest=4, min_classes=3, max_classes=5))
    def test_small_counts_are_never_grouped_worse_than_by_greedy_merging(self, table):
        assert found(table)[0] <= oracle.greedy_merging(table).cost + 1e-9

    def test_exchanges_find_what_merging_alone_misses(self):
        gains = []
        for seed in range(30):
            table = shares_of_kinds(np.random.default_rng(seed), 25, 3, rows=20)
            gains.append(oracle.greedy_merging(rows_of(table)).cost - found(table)[0])
        assert max(gains) > 0.1

    @pytest.mark.parametrize("n_classes", [2, 3])
    def test_no_value_is_better_off_elsewhere(self, n_classes):
        table = shares_of_kinds(np.random.default_rng(n_classes), 300, n_classes, rows=30)
        cost, groups, _ = found(table)
        assert groups.max() >= 2
        for value in range(300):
            for target in range(groups.max() + 1):
                moved = groups.copy()
                moved[value] = target
                if len(np.unique(moved)) == groups.max() + 1:
                    assert grouping_cost(value_counts(table).summed(moved), 300) >= cost - 1e-7


class TestInvariances:
    @settings(max_examples=60, deadline=None)
    @given(count_tables(max_rows=16, largest=12, max_classes=4), st.data())
    def test_the_order_of_the_classes_does_not_matter(self, table, data):
        table = np.array(table)
        order = data.draw(st.permutations(range(table.shape[1])))
        cost, groups, proven = found(table)
        other_cost, other_groups, other_proven = found(table[:, order])
        assert other_groups.tolist() == groups.tolist()
        assert other_cost == pytest.approx(cost, abs=1e-9)
        assert other_proven == proven

    @settings(max_examples=60, deadline=None)
    @given(count_tables(max_rows=7, largest=12, max_classes=4), st.data())
    def test_the_order_of_the_values_does_not_matter(self, table, data):
        order = data.draw(st.permutations(range(len(table))))
        cost, groups, _ = found(table)
        other_cost, other_groups, _ = found([table[v] for v in order])
        assert other_cost == pytest.approx(cost, abs=1e-9)
        if len(oracle.all_optima(table)) == 1:
            assert members(other_groups) == {
                frozenset(order.index(v) for v in group) for group in members(groups)
            }

    @pytest.mark.parametrize("n_classes", [2, 3, 5])
    def test_the_order_of_many_values_does_not_matter(self, n_classes):
        rng = np.random.default_rng(n_classes)
        table, order = shares_of_kinds(rng, 200, n_classes, rows=25), rng.permutation(200)
        cost, groups, _ = found(table)
        other_cost, other_groups, _ = found(table[order])
        assert other_groups.tolist() == groups[order].tolist()
        assert other_cost == pytest.approx(cost, abs=1e-9)


class TestGroups:
    @settings(max_examples=60, deadline=None)
    @given(count_tables(max_rows=8, largest=6, max_classes=3), st.data())
    def test_proportional_values_share_a_group(self, table, data):
        factors = data.draw(st.lists(st.integers(1, 5), min_size=len(table), max_size=len(table)))
        doubled = np.array(
            table + [tuple(f * n for n in row) for f, row in zip(factors, table, strict=True)]
        )
        _, groups, _ = found(doubled)
        assert groups[: len(table)].tolist() == groups[len(table) :].tolist()

    def test_the_largest_group_comes_first(self):
        _, groups, _ = found([(3, 30, 0), (500, 2, 2), (0, 1, 80), (2, 40, 1)])
        assert groups.tolist() == [2, 0, 1, 2]

    def test_equally_large_groups_come_in_the_order_of_their_first_value(self):
        assert found([(0, 50), (50, 0), (0, 50), (50, 0)])[1].tolist() == [0, 1, 0, 1]

    @pytest.mark.parametrize("n_classes", [1, 2, 3])
    def test_an_identifier_is_not_informative(self, n_classes):
        labels = np.random.default_rng(0).integers(0, n_classes, 5000)
        _, groups, proven = found(np.eye(n_classes, dtype=int)[labels])
        assert groups.max() == 0
        assert proven

    @pytest.mark.parametrize("n_classes", [2, 3, 5])
    def test_noise_is_one_group(self, n_classes):
        rng = np.random.default_rng(n_classes)
        table = rng.multinomial(1 + rng.poisson(20, 400), np.full(n_classes, 1 / n_classes))
        assert found(table)[1].max() == 0

    @pytest.mark.parametrize("n_classes", [2, 3, 5])
    def test_pure_values_have_a_group_per_class(self, n_classes):
        classes = np.arange(200) % n_classes
        _, groups, _ = found(50 * np.eye(n_classes, dtype=int)[classes])
        assert groups.tolist() == classes.tolist()

    @pytest.mark.parametrize("max_parts", [1, 2, 3])
    @pytest.mark.parametrize("n_classes", [2, 3])
    def test_there_are_no_more_groups_than_allowed(self, n_classes, max_parts):
        table = shares_of_kinds(np.random.default_rng(7), 500, n_classes, rows=100)
        assert found(table)[1].max() >= 3
        assert found(table, max_parts)[1].max() + 1 == max_parts

    @pytest.mark.parametrize("n_classes", [2, 3])
    def test_no_group_is_smaller_than_allowed(self, n_classes):
        table = shares_of_kinds(np.random.default_rng(7), 500, n_classes, rows=100)
        free = value_counts(table).summed(found(table)[1]).sum(axis=1)
        smallest = int(free.min()) + 1
        _, groups, proven = found(table, None, smallest)
        assert value_counts(table).summed(groups).sum(axis=1).min() >= smallest
        assert groups.max() >= 1
        assert not proven

    @pytest.mark.parametrize("seed", [5, 8, 25, 39])
    def test_no_value_is_better_off_in_another_group_if_all_are_large_enough(self, seed):
        table = np.random.default_rng(seed).integers(0, 15, (16, 2)) + 1
        table[::3, 0] *= 5
        values, smallest = value_counts(table), int(table.sum()) // 3
        cost, groups, _ = found(table, None, smallest)
        assert groups.max() == 1
        for value in range(16):
            moved = groups.copy()
            moved[value] = 1 - moved[value]
            counts = values.summed(moved)
            if len(counts) == 2 and counts.sum(axis=1).min() >= smallest:
                assert grouping_cost(counts, 16) >= cost - 1e-7


@pytest.mark.parametrize("n_classes", [2, 3])
class TestAMillionValues:
    def test_two_kinds_of_frequent_values_are_found(self, n_classes):
        table, kinds = two_kinds(n_classes, rows=20_000)
        _, groups, _ = found(table)
        assert groups.max() == 1
        agreement = (groups == kinds).mean()
        assert max(agreement, 1 - agreement) > 0.999

    def test_noise_is_one_group(self, n_classes):
        labels = np.random.default_rng(0).integers(0, n_classes, (10**6, 3))
        table = np.eye(n_classes, dtype=int)[labels].sum(axis=1)
        _, groups, _ = found(table)
        assert groups.shape == (10**6,)
        assert groups.max() == 0


def two_kinds(n_classes, rows):
    """A million values, each mostly of the first or of the second class; and which of them."""
    rng = np.random.default_rng(rows)
    shares = np.eye(n_classes)[:2] * 0.8 + 0.2 / n_classes
    kinds = rng.integers(0, 2, 10**6)
    return rng.multinomial(rng.integers(1, 2 * rows, 10**6), shares[kinds]), kinds


def test_many_values_of_few_rows_are_grouped_by_what_they_share():
    # 1,000 towns of ten rows each, distinguished by a score of their own; five ordered classes.
    rng = np.random.default_rng(0)
    town = np.repeat(np.arange(1000), 10)
    score = rng.normal(size=1000)[town] * 0.5 + rng.normal(size=10_000)
    classes = np.digitize(score, np.quantile(score, [0.2, 0.4, 0.6, 0.8]))
    table = np.zeros((1000, 5), dtype=np.int64)
    np.add.at(table, (town, classes), 1)
    halves = np.argsort(np.argsort(table @ np.arange(5), kind="stable")) // 500
    assert found(table)[0] <= grouping_cost(value_counts(table).summed(halves), 1000)


@pytest.mark.parametrize("n_present", [1, 2, 3])
def test_classes_without_rows_do_not_change_the_groups(n_present):
    rng = np.random.default_rng(0)
    counts = rng.integers(1, 9, (40, n_present))
    with_empty = np.column_stack((counts, np.zeros((40, 2), dtype=np.int64)))
    axes = grouping._axes(counts), grouping._axes(with_empty)
    np.testing.assert_allclose(*axes)
