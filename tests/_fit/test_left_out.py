"""Groups as left-out rows find them, against assignments written out row by row."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import log_loss
from tests._model.batches import ListedBatch
from tests._model.conftest import make_grid, make_groups, make_intervals
from tests.oracles import left_out as oracle

from modlearn import SelectiveNaiveBayesClassifier
from modlearn._fit import left_out
from modlearn._fit.left_out import LeftOutParts
from modlearn._statistics.categories import count_categories
from modlearn._statistics.profiles import count_profiles
from modlearn.criteria import part_log_likelihoods

LETTERS = tuple("abcdefgh")


def counted(codes, classes, n_classes):
    codes, classes = np.array(codes, np.int32), np.array(classes, np.int32)
    return count_categories(codes, LETTERS, classes, None, n_classes)


@st.composite
def assigned_rows(draw, n_axes):
    """Rows of values and a class, and the part of each value on each axis."""
    n_classes = draw(st.integers(2, 3))
    value = st.tuples(*[st.integers(0, 7)] * n_axes)
    row = st.tuples(value, st.integers(0, n_classes - 1))
    rows = [((v,) * n_axes, v % n_classes) for v in range(4)]
    rows += draw(st.lists(row, min_size=1, max_size=40))
    parts_of = []
    for k in range(n_axes):
        values = sorted({values[k] for values, _ in rows})
        assigned = draw(st.lists(st.integers(0, 2), min_size=len(values), max_size=len(values)))
        used = sorted(set(assigned))
        parts_of.append({v: used.index(g) for v, g in zip(values, assigned, strict=True)})
    return rows, parts_of, n_classes


def counts_of(rows, parts_of, n_classes):
    counts = np.zeros((*(max(parts.values()) + 1 for parts in parts_of), n_classes), dtype=np.int64)
    for values, label in rows:
        counts[(*(parts[v] for v, parts in zip(values, parts_of, strict=True)), label)] += 1
    return counts


def members(parts):
    return [
        [LETTERS[v] for v, g in parts.items() if g == i] for i in range(max(parts.values()) + 1)
    ]


@given(assigned_rows(1), st.sampled_from([left_out.MOST_NUMBERS, 1]))
@settings(deadline=None)
def test_each_row_finds_the_group_where_the_other_rows_of_its_value_are_most_probable(case, most):
    rows, parts_of, n_classes = case
    counts = counts_of(rows, parts_of, n_classes)
    groups = make_groups(members(parts_of[0]), counts.tolist(), classes=np.arange(n_classes))
    codes, classes = [v for (v,), _ in rows], np.array([j for _, j in rows], np.int32)
    values = counted(codes, classes, n_classes)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(left_out, "MOST_NUMBERS", most)
        found = LeftOutParts.of_groups(groups, values, part_log_likelihoods(counts))
    kinds = found.axes[0].codes_in(ListedBatch({groups.name: [LETTERS[v] for v in codes]}))
    assert found.lines([kinds], classes).tolist() == oracle.lines(rows, parts_of, [True])


class ListedRows:
    """Rows that answer only with profiles."""

    def __init__(self, batch, classes, n_classes):
        self.batch, self.classes, self.n_classes = batch, classes, n_classes

    def profiles(self, parts, n_jobs):
        codes = np.stack([one.codes_in(self.batch) for one in parts])
        return count_profiles(codes, self.classes, None, self.n_classes)


@given(assigned_rows(2), st.booleans())
@settings(deadline=None)
def test_each_row_finds_the_cell_where_the_other_rows_of_its_values_are_most_probable(
    case, ordered
):
    rows, parts_of, n_classes = case
    if ordered:
        # Values of intervals are those of their parts.
        rows = [((v, parts_of[1][u]), j) for (v, u), j in rows]
        parts_of = [parts_of[0], {h: h for h in sorted(set(parts_of[1].values()))}]
    counts, named = counts_of(rows, parts_of, n_classes), {"classes": np.arange(n_classes)}
    second = make_groups(members(parts_of[1]), counts.sum(axis=0), name="second", **named)
    if ordered:
        cuts = np.arange(counts.shape[1] - 1) + 0.5
        second = make_intervals(cuts, counts.sum(axis=0), name="second", **named)
    first = make_groups(members(parts_of[0]), counts.sum(axis=1), name="first", **named)
    grid = replace(make_grid(), counts=counts, axes=(first, second))
    columns = {"first": [LETTERS[v] for (v, _), _ in rows]}
    columns["second"] = [float(u) if ordered else LETTERS[u] for (_, u), _ in rows]
    batch, classes = ListedBatch(columns), np.array([j for _, j in rows], np.int32)
    table = part_log_likelihoods(grid.cells)
    found = LeftOutParts.of_grid(grid, ListedRows(batch, classes, n_classes), table)
    kinds = [axis.codes_in(batch) for axis in found.axes]
    expected = oracle.lines(rows, parts_of, [True, not ordered])
    assert found.lines(kinds, classes).tolist() == expected


def test_a_row_without_its_group_adds_nothing_and_others_lose_only_a_row_of_their_class():
    groups = make_groups([["a"], ["b"]], [[3, 1], [2, 4]], classes=np.array([0, 1]))
    values = counted([0] * 4 + [1] * 6, [0, 0, 0, 1, 0, 0, 1, 1, 1, 1], 2)
    table = part_log_likelihoods(groups.counts)
    found = LeftOutParts.of_groups(groups, values, table)
    np.testing.assert_array_equal(found.table, [*table, *table, [0.0, 0.0]])
    own = part_log_likelihoods(groups.counts, left_out=True)
    elsewhere = np.log((groups.counts + 0.5) / (np.array([5, 5]) - 1 + 2 * 0.5))
    np.testing.assert_allclose(found.left_out, [*own, *elsewhere, [0.0, 0.0]])


@pytest.mark.parametrize("seed", range(3))
def test_an_identifier_that_hardly_repeats_gets_no_weight(seed):
    rng = np.random.default_rng(seed)
    n = 600
    y = rng.integers(0, 2, n)
    x = y + rng.normal(size=n)
    identifier = [f"id{i}" for i in rng.integers(0, n, n)]
    model = SelectiveNaiveBayesClassifier().fit(pd.DataFrame({"x": x, "id": identifier}), y)
    assert model.weights_.get("id", 0.0) < 0.05
    assert model.weights_["x"] > 0.9


def test_a_column_of_many_values_that_repeat_keeps_its_weight():
    rng = np.random.default_rng(0)
    code = rng.integers(0, 100, 3000)
    y = (code % 3 == 0).astype(int) ^ (rng.random(3000) < 0.1)
    X = pd.DataFrame({"code": [f"c{c}" for c in code]})
    assert SelectiveNaiveBayesClassifier().fit(X, y).weights_["code"] > 0.95


def test_a_pair_of_customers_and_a_number_gets_no_weight_beyond_the_customers():
    rng = np.random.default_rng(0)
    customer = np.repeat(np.arange(400), 6)
    liking, x = 1.5 * rng.normal(size=400), rng.normal(size=len(customer))
    y = (rng.random(len(customer)) < 1 / (1 + np.exp(-liking[customer] - 0.5 * x))).astype(int)
    X = pd.DataFrame({"customer": [f"c{i}" for i in customer], "x": x})
    tested = rng.random(len(y)) < 0.3
    losses = {}
    for pairs in (False, True):
        model = SelectiveNaiveBayesClassifier(pairs=pairs).fit(X[~tested], y[~tested])
        losses[pairs] = log_loss(y[tested], model.predict_proba(X[tested]))
    assert model.weights_["customer", "x"] < 0.05
    assert losses[True] < losses[False] + 0.002


def test_a_pair_whose_categories_repeat_keeps_its_weight():
    rng = np.random.default_rng(0)
    code, x = rng.integers(0, 40, 4000), rng.random(4000)
    y = ((code % 2 == 0) ^ (x > 0.5)).astype(int) ^ (rng.random(4000) < 0.1)
    X = pd.DataFrame({"code": [f"c{c}" for c in code], "x": x})
    model = SelectiveNaiveBayesClassifier(pairs=True).fit(X, y)
    assert model.weights_["code", "x"] > 0.9
