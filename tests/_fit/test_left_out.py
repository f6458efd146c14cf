"""Groups as left-out rows find them, against assignments written out row by row."""

from math import log

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests._model.batches import ListedBatch
from tests._model.conftest import make_groups

from modlearn import SelectiveNaiveBayesClassifier
from modlearn._fit.left_out import LeftOutGroups
from modlearn._statistics.categories import count_categories
from modlearn.criteria import part_log_likelihoods

LETTERS = tuple("abcdefgh")


def counted(codes, classes, n_classes):
    codes, classes = np.array(codes, np.int32), np.array(classes, np.int32)
    return count_categories(codes, LETTERS, classes, None, n_classes)


def line_of_the_twin(rows, group_of, n, n_classes):
    """Line that row n finds: rows are (value, class), groups are learned from all of them."""
    groups = sorted(set(group_of.values()))
    counts = [[0] * n_classes for _ in groups]
    for value, label in rows:
        counts[group_of[value]][label] += 1
    totals = [sum(column) for column in zip(*counts, strict=True)]
    value = rows[n][0]
    others = [label for i, (v, label) in enumerate(rows) if v == value and i != n]
    if not others:
        return 2 * len(groups)

    def fit(g):
        share = [
            (counts[g][j] + totals[j] / len(rows)) / (sum(counts[g]) + 1) for j in range(n_classes)
        ]
        return sum(log(share[label]) for label in others)

    own = group_of[value]
    best = max(groups, key=lambda g: (round(fit(g), 9), g == own, -g))
    return own if fit(own) >= fit(best) - 1e-9 else len(groups) + best


@st.composite
def grouped_rows(draw):
    n_classes = draw(st.integers(2, 3))
    row = st.tuples(st.integers(0, 7), st.integers(0, n_classes - 1))
    rows = [(v, v % n_classes) for v in range(4)] + draw(st.lists(row, min_size=1, max_size=40))
    values = sorted({v for v, _ in rows})
    assigned = draw(st.lists(st.integers(0, 2), min_size=len(values), max_size=len(values)))
    used = sorted(set(assigned))
    return rows, {v: used.index(g) for v, g in zip(values, assigned, strict=True)}, n_classes


@given(grouped_rows())
@settings(deadline=None)
def test_each_row_finds_the_group_where_the_other_rows_of_its_value_are_most_probable(case):
    rows, group_of, n_classes = case
    n_groups = max(group_of.values()) + 1
    members = [[LETTERS[v] for v, g in group_of.items() if g == i] for i in range(n_groups)]
    counts = np.zeros((n_groups, n_classes), dtype=np.int64)
    for value, label in rows:
        counts[group_of[value], label] += 1
    groups = make_groups(members, counts.tolist(), classes=np.arange(n_classes))
    values = counted([v for v, _ in rows], [j for _, j in rows], n_classes)
    found = LeftOutGroups.of(groups, values, part_log_likelihoods(counts))
    kinds = found.codes_in(ListedBatch({groups.name: [LETTERS[v] for v, _ in rows]}))
    lines = found.codes[kinds, [j for _, j in rows]]
    expected = [line_of_the_twin(rows, group_of, n, n_classes) for n in range(len(rows))]
    assert lines.tolist() == expected


def test_a_row_without_its_group_adds_nothing_and_others_lose_only_a_row_of_their_class():
    groups = make_groups([["a"], ["b"]], [[3, 1], [2, 4]], classes=np.array([0, 1]))
    values = counted([0] * 4 + [1] * 6, [0, 0, 0, 1, 0, 0, 1, 1, 1, 1], 2)
    table = part_log_likelihoods(groups.counts)
    found = LeftOutGroups.of(groups, values, table)
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
