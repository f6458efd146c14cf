from itertools import groupby

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests._search.columns import any_column, count_tables, sorted_counts

from modlearn._search.blocks import combined, elementary_blocks, from_dense
from modlearn._search.greedy import merge_greedily
from modlearn.criteria import ClassCost


def blocks_of(table, with_unlabeled=False, **options):
    n_labels = table.n_classes + with_unlabeled
    return elementary_blocks(table.values, table.classes, table.rows, n_labels, **options)


def blocks_one_by_one(table, join, n_labels):
    """(first entry, counts) of every block: equal values, and pure runs of one class if joined."""
    rows = np.ones(len(table.values), dtype=int) if table.rows is None else table.rows
    keys = [None if np.isnan(value) else value for value in table.values.tolist()]
    blocks = []
    for _, entries in groupby(range(len(keys)), key=keys.__getitem__):
        first, *others = entries
        counts = np.zeros(n_labels, dtype=int)
        for entry in (first, *others):
            counts[table.classes[entry]] += rows[entry]
        if (
            join
            and blocks
            and is_pure(counts)
            and (blocks[-1][1] > 0).tolist() == (counts > 0).tolist()
        ):
            blocks[-1][1][:] += counts
        else:
            blocks.append((first, counts))
    return blocks


def is_pure(counts):
    return np.count_nonzero(counts) == 1


@pytest.mark.parametrize("join", [False, True])
@pytest.mark.parametrize("with_unlabeled", [False, True])
@settings(deadline=None)
@given(data=st.data())
def test_blocks_are_distinct_values_and_pure_runs(data, join, with_unlabeled):
    table = sorted_counts(*data.draw(any_column(with_unlabeled)))
    blocks = blocks_of(table, with_unlabeled=with_unlabeled, join_pure_runs=join)
    expected = blocks_one_by_one(table, join, table.n_classes + with_unlabeled)
    assert blocks.starts.tolist() == [first for first, _ in expected] + [len(table.values)]
    assert blocks.dense().tolist() == [counts.tolist() for _, counts in expected]
    assert blocks.n_blocks == len(expected)


@settings(deadline=None)
@given(any_column(), st.data(), st.booleans())
def test_weights_are_repeated_rows(column, data, join):
    values, labels, n_classes = column
    weights = data.draw(st.lists(st.integers(1, 4), min_size=len(values), max_size=len(values)))
    weighted = blocks_of(sorted_counts(values, labels, n_classes, weights), join_pure_runs=join)
    repeated = blocks_of(
        sorted_counts(np.repeat(values, weights), np.repeat(labels, weights), n_classes),
        join_pure_runs=join,
    )
    assert weighted.dense().tolist() == repeated.dense().tolist()


def test_a_pure_run_ends_at_a_mixed_value():
    table = sorted_counts([1, 2, 3, 3, 4, 5], [0, 0, 0, 1, 0, 0], 2)
    assert blocks_of(table).dense().tolist() == [[2, 0], [1, 1], [2, 0]]


def test_missing_joins_a_pure_run():
    table = sorted_counts([np.nan, np.nan, -np.inf, 0.0], [1, 1, 1, 0], 2)
    blocks = blocks_of(table)
    assert blocks.dense().tolist() == [[0, 3], [1, 0]]
    assert blocks.starts.tolist() == [0, 3, 4]


def test_a_column_without_rows_has_no_block():
    blocks = blocks_of(sorted_counts([], [], 2))
    assert (blocks.n_blocks, blocks.starts.tolist()) == (0, [0])
    assert blocks.dense().shape == (0, 2)


@given(count_tables())
def test_dense_counts_go_there_and_back(table):
    blocks = from_dense(table)
    assert blocks.dense().tolist() == [list(row) for row in table]
    assert blocks.starts.tolist() == list(range(len(table) + 1))
    assert blocks.n_labels == len(table[0])


@given(count_tables(max_rows=12), st.data())
def test_combined_blocks_add_up_their_rows(table, data):
    inner = st.sets(st.integers(1, len(table) - 1)) if len(table) > 1 else st.just(set())
    starts = np.array([0, *sorted(data.draw(inner)), len(table)])
    blocks = combined(from_dense(table), starts)
    assert blocks.dense().tolist() == np.add.reduceat(table, starts[:-1], axis=0).tolist()
    assert blocks.starts.tolist() == starts.tolist()
    assert blocks.n_labels == len(table[0])


def test_labels_are_sorted_by_frequency_then_by_their_mean_block():
    blocks = from_dense([(1, 0, 2, 7), (1, 3, 0, 0), (0, 1, 0, 9)])
    assert blocks.sort_labels(3).tolist() == [1, 2, 0]
    assert blocks.dense().tolist() == [[0, 2, 1, 7], [3, 0, 1, 0], [1, 0, 0, 9]]


def test_a_cost_of_other_labels_is_refused():
    blocks = from_dense([(1, 2, 3)])
    with pytest.raises(ValueError, match="Counts of 3 labels do not fit a cost of 2"):
        merge_greedily(blocks, ClassCost(2, np.zeros_like), [(1, 0.0)])
