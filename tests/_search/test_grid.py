"""Grids against exhaustive search, and what no search may depend on."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_wine
from tests.oracles import grid as oracle

from modlearn._search import grid as kernel
from modlearn._search.grid import best_grid, grid_of_parts
from modlearn._statistics.pairs import Axis, PairCounts
from modlearn.criteria import grid_cost


def pair_of(table, ordered=(True, True)):
    """Rows of a table of counts per value, value and class."""
    table = np.asarray(table)
    cells = np.repeat(np.arange(table.size), table.ravel())
    first, second, classes = (p.astype(np.int32) for p in np.unravel_index(cells, table.shape))
    axes = (Axis(first, table.shape[0], ordered[0]), Axis(second, table.shape[1], ordered[1]))
    return PairCounts(axes, classes, None, table.shape[2])


def numbers(first, second, classes):
    """Rows of two numeric columns."""
    axes = []
    for values in (first, second):
        found, codes = np.unique(values, return_inverse=True)
        axes.append(Axis(codes.astype(np.int32), len(found), ordered=True))
    classes = np.asarray(classes, dtype=np.int32)
    return PairCounts((axes[0], axes[1]), classes, None, int(classes.max()) + 1)


def one_part(pair):
    return tuple(np.zeros(axis.n_values, dtype=np.intp) for axis in pair.axes)


@st.composite
def tables(draw):
    """Small tables in which every value occurs, and whether the columns are ordered."""
    ordered = draw(st.booleans()), draw(st.booleans())
    V = [draw(st.integers(1, 6 if o else 5)) for o in ordered]
    J = draw(st.integers(1, 3))
    most = draw(st.sampled_from([1, 3, 20]))
    counts = st.lists(st.integers(0, most), min_size=V[0] * V[1] * J, max_size=V[0] * V[1] * J)
    table = np.array(draw(counts)).reshape(*V, J)
    table[table.sum(axis=(1, 2)) == 0, 0, 0] = 1
    table[0, table.sum(axis=(0, 2)) == 0, 0] = 1
    return table, ordered


@given(tables())
def test_small_tables_get_the_best_of_all_grids(drawn):
    table, ordered = drawn
    pair = pair_of(table, ordered)
    found = best_grid(pair, one_part(pair))
    assert found.cost == pytest.approx(oracle.brute_force(table.tolist(), ordered).cost, abs=1e-9)
    assert found.proven


def random_table(seed, V):
    """Some rows of two or three classes, with every value of both columns."""
    rng = np.random.default_rng(seed)
    J = 2 + seed % 2
    table = rng.poisson(rng.choice([1, 3, 8]) * rng.dirichlet(np.full(J, 0.5), V))
    table[table.sum(axis=(1, 2)) == 0, 0, 0] = 1
    table[0, table.sum(axis=(0, 2)) == 0, 0] = 1
    return table


@pytest.mark.parametrize(
    ("V", "ordered", "most"),
    [((8, 8), (True, True), 2), ((6, 6), (False, False), 4), ((6, 9), (False, True), 2)],
    ids=str,
)
def test_search_from_starts_is_hardly_ever_worse(monkeypatch, V, ordered, most):
    pairs = [pair_of(random_table(seed, V), ordered) for seed in range(100)]
    best = [best_grid(pair, one_part(pair)) for pair in pairs]
    assert all(grid.proven for grid in best)
    monkeypatch.setattr(kernel, "MOST_PARTITIONS", 0)
    found = [best_grid(pair, one_part(pair)) for pair in pairs]
    assert not any(grid.proven for grid in found)
    lost = np.array([grid.cost - least.cost for grid, least in zip(found, best, strict=True)])
    assert lost.min() > -1e-9
    # As many of these 100 tables as were counted when the test was written, by 2.3 nats at most.
    assert np.count_nonzero(lost > 1e-6) <= most
    assert lost.max() < 2.5
    assert all(grid.cost <= grid.null_cost for grid in found)


def test_wine_gives_the_published_grid():
    X, y = load_wine(return_X_y=True)
    pair = numbers(X[:, 0], X[:, 6], y)
    found = best_grid(pair, one_part(pair))
    assert found.cost == pytest.approx(87.27371200280484, abs=1e-10)
    assert found.counts.tolist() == [
        [[0, 4, 11], [0, 35, 0], [0, 23, 0]],
        [[0, 0, 31], [0, 5, 6], [59, 4, 0]],
    ]


def checkered(n_rows, n_squares, seed=0):
    points = np.random.default_rng(seed).random((n_rows, 2))
    return points, (points * n_squares).astype(int).sum(axis=1) % 2


@pytest.mark.parametrize("n_squares", [2, 3, 5])
def test_checkered_squares_are_found_one_by_one(n_squares):
    points, classes = checkered(4000, n_squares)
    pair = numbers(*points.T, classes)
    found = best_grid(pair, one_part(pair))
    assert found.counts.shape == (n_squares, n_squares, 2)
    assert (found.counts.min(axis=2) == 0).all()


def test_noise_gives_one_cell():
    rng = np.random.default_rng(0)
    pair = numbers(rng.random(1000), rng.random(1000), rng.integers(0, 2, 1000))
    assert best_grid(pair, one_part(pair)).counts.shape == (1, 1, 2)


def test_cost_is_that_of_the_counts():
    points, classes = checkered(500, 2)
    pair = numbers(*points.T, classes)
    found = best_grid(pair, one_part(pair))
    assert found.cost == pytest.approx(grid_cost(found.counts), abs=1e-9)


def test_the_two_columns_alone_are_never_better():
    rng = np.random.default_rng(1)
    x = rng.random(800)
    pair = numbers(x, rng.random(800), x > 0.3)
    parts = (np.arange(800) >= np.count_nonzero(x <= 0.3)).astype(np.intp)
    alone = grid_of_parts(pair, (parts, one_part(pair)[1]), proven=False)
    assert best_grid(pair, (parts, one_part(pair)[1])).cost <= alone.cost + 1e-9


def test_order_of_rows_does_not_matter():
    points, classes = checkered(600, 3, seed=2)
    order = np.random.default_rng(3).permutation(600)
    one, other = numbers(*points.T, classes), numbers(*points[order].T, classes[order])
    found, again = best_grid(one, one_part(one)), best_grid(other, one_part(other))
    np.testing.assert_array_equal(found.counts, again.counts)
    assert found.cost == again.cost


@pytest.mark.parametrize("ordered", [(False, False), (False, True), (True, False)], ids=str)
def test_order_of_rows_does_not_matter_for_groups(ordered):
    rng = np.random.default_rng(8)
    codes = rng.integers(0, (15, 20), (1500, 2)).astype(np.int32)
    classes = ((codes % 3).sum(axis=1) % 3).astype(np.int32)
    classes[rng.random(1500) < 0.2] = 0
    order = rng.permutation(1500)
    found, again = (
        best_grid(pair, one_part(pair))
        for pair in (
            PairCounts(
                (Axis(c[:, 0].copy(), 15, ordered[0]), Axis(c[:, 1].copy(), 20, ordered[1])),
                j, None, 3,
            )
            for c, j in ((codes, classes), (codes[order], classes[order]))
        )
    )  # fmt: skip
    assert found.counts.size > 3
    np.testing.assert_array_equal(found.counts, again.counts)
    assert found.cost == again.cost


def test_weights_are_repeated_rows():
    rng = np.random.default_rng(4)
    table = rng.poisson(2.0, (12, 15, 3))
    pair = pair_of(table)
    first, second, classes = np.nonzero(table)
    axes = [
        Axis(c.astype(np.int32), n, ordered=True)
        for c, n in zip((first, second), table.shape, strict=False)
    ]
    rows = table[first, second, classes].astype(np.int64)
    weighted = PairCounts((axes[0], axes[1]), classes.astype(np.int32), rows, 3)
    found, again = (best_grid(p, one_part(p)) for p in (pair, weighted))
    np.testing.assert_array_equal(found.counts, again.counts)


@pytest.mark.parametrize("digits", [16, 2])
def test_weights_are_repeated_rows_also_where_many_rows_are_searched_for_less_long(digits):
    n = 3000
    assert n < kernel.ROWS_WITH_ALL < 3 * n
    x, z = np.random.default_rng(0).normal(size=(2, n)).round(digits)
    classes = np.random.default_rng(1).random(n) < 1 / (1 + np.exp(-3 * np.sin(2 * x) * np.cos(z)))
    repeated = numbers(*(np.repeat(column, 3) for column in (x, z, classes)))
    once = numbers(x, z, classes)
    weighted = PairCounts(once.axes, once.classes, np.full(n, 3), 2)
    found, again = (best_grid(p, one_part(p)) for p in (repeated, weighted))
    np.testing.assert_array_equal(found.counts, again.counts)
    assert found.cost == again.cost


def test_many_categories_are_grouped_on_both_axes():
    rng = np.random.default_rng(5)
    first, second = rng.integers(0, 30, 6000), rng.integers(0, 20, 6000)
    classes = (first % 2) ^ (second % 2)
    axes = Axis(first.astype(np.int32), 30, False), Axis(second.astype(np.int32), 20, False)
    pair = PairCounts(axes, classes.astype(np.int32), None, 2)
    found = best_grid(pair, one_part(pair))
    assert found.counts.shape == (2, 2, 2)
    assert len(set(found.parts[0][::2])) == len(set(found.parts[0][1::2])) == 1


def test_identifiers_on_both_axes_are_not_informative_and_take_no_time():
    n = 3000
    codes = np.arange(n, dtype=np.int32)
    classes = np.random.default_rng(6).integers(0, 2, n).astype(np.int32)
    pair = PairCounts((Axis(codes, n, False), Axis(codes[::-1].copy(), n, False)), classes, None, 2)
    assert best_grid(pair, one_part(pair)).counts.shape == (1, 1, 2)


def test_more_values_than_merge_pair_by_pair_are_grouped():
    rng = np.random.default_rng(7)
    first, second = rng.integers(0, 1500, 30_000), rng.random(30_000)
    classes = ((first % 2) ^ (second > 0.5)).astype(np.int32)
    ranks = np.unique(second, return_inverse=True)[1].astype(np.int32)
    axes = Axis(first.astype(np.int32), 1500, False), Axis(ranks, 30_000, True)
    pair = PairCounts(axes, classes, None, 2)
    found = best_grid(pair, one_part(pair))
    assert found.counts.shape == (2, 2, 2)


def test_noisy_groups_of_rare_values_are_found():
    rng = np.random.default_rng(0)
    first, second = rng.integers(0, 2000, 10_000), rng.random(10_000)
    classes = (first % 2) ^ (second > 0.5) ^ (rng.random(10_000) < 0.15)
    ranks = np.unique(second, return_inverse=True)[1].astype(np.int32)
    values = np.unique(first, return_inverse=True)[1].astype(np.int32)
    axes = Axis(values, int(values.max()) + 1, False), Axis(ranks, 10_000, True)
    pair = PairCounts(axes, classes.astype(np.int32), None, 2)
    assert best_grid(pair, one_part(pair)).counts.shape == (2, 2, 2)
