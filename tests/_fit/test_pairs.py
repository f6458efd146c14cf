"""Axes of grids: their bins, and unlabeled rows, which count as in the columns alone."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests._model.conftest import make_groups, make_intervals

from modlearn import Encoder, PairEncoder
from modlearn._fit.pairs import AxisColumn
from modlearn._statistics.categories import count_categories
from modlearn._statistics.numeric import count_numbers

NOBODY = np.zeros(0, dtype=np.int32)


def axis_column(rows, ordered):
    """A column whose values have this number of labeled rows each, and none unlabeled."""
    rows = np.array(rows, dtype=np.int64)
    parts = np.zeros(len(rows), dtype=np.intp)
    if ordered:
        nobody = count_numbers(np.zeros(0), NOBODY, None, 2)
        return AxisColumn(make_intervals([]), np.arange(len(rows)) / 2, rows, parts, nobody)
    values = tuple(f"value {i}" for i in range(len(rows)))
    nobody = count_categories(NOBODY, values, NOBODY, None, 2)
    return AxisColumn(make_groups([values]), values, rows, parts, nobody)


def test_bins_of_categories_are_the_most_frequent_ones_and_the_rest():
    found = axis_column([1, 2, 3, 1], ordered=False).bins(2)
    assert (found.column, found.bin_of_value.tolist()) == ("x", [1, 1, 0, 1])


@given(st.lists(st.integers(1, 30), min_size=1, max_size=60), st.integers(1, 10))
def test_bins_of_numbers_are_runs_of_neighboring_values_and_no_more_than_allowed(rows, most):
    bins = axis_column(rows, ordered=True).bins(most).bin_of_value.astype(int)
    assert len(bins) == len(rows)
    assert bins[0] == 0
    assert set(np.diff(bins).tolist()) <= {0, 1}
    assert bins[-1] + 1 <= most
    if len(rows) <= most:
        assert bins.tolist() == list(range(len(rows)))


def test_bins_of_numbers_have_about_equally_many_rows():
    assert axis_column([1] * 6 + [6], ordered=True).bins(2).bin_of_value.tolist() == [0] * 6 + [1]


@pytest.mark.parametrize("weighted", [False, True])
def test_unlabeled_rows_count_as_in_the_columns_alone_but_not_in_groups_without_their_value(
    weighted,
):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"x": rng.random(206), "color": rng.choice(["red", "blue"], 206)})
    y = np.where(rng.random(206) < 0.95, (table["x"] > 0.5) ^ (table["color"] == "red"), 0.0)
    y = np.where(rng.random(206) < 0.5, (table["color"] == "red"), y).astype(float)
    table.loc[0, "x"] = np.nan
    # Missing, and a value that no labeled row has.
    table.loc[200:, "x"] = np.nan
    table.loc[200:, "color"] = "gray"
    y[190:] = np.nan
    weights = rng.integers(1, 4, 206) if weighted else None
    alone = Encoder().fit(table, y, sample_weight=weights).partitions_
    axes = PairEncoder().fit(table, y, sample_weight=weights).grids_["x", "color"].axes
    assert axes[0].n_missing == alone["x"].n_missing >= 7
    assert axes[1].groups == alone["color"].groups
    assert axes[1].unlabeled_counts.tolist() == alone["color"].unlabeled_counts.tolist()
    rows = np.ones(206, dtype=int) if weights is None else weights
    assert axes[0].unlabeled_counts.sum() == rows[190:].sum()
    assert axes[1].unlabeled_counts.sum() == rows[190:200].sum()


def test_a_label_keeps_unlabeled_values_on_their_side():
    x = np.concatenate((np.linspace(0, 0.4, 60), np.linspace(0.6, 1, 60), [0.5004] * 3))
    y = np.repeat([0.0, 1.0, np.nan], [60, 60, 3])
    table = pd.DataFrame({"x": x, "color": ["red", "blue", "red"] * 41})
    alone = Encoder().fit(table, y).partitions_["x"]
    axis = PairEncoder().fit(table, y).grids_["x", "color"].axes[0]
    assert axis.labels == alone.labels == ["(-inf, 0.5004]", "(0.5004, inf)"]
    assert axis.sides.tolist() == alone.sides.tolist() == [[0.5004, 0.6]]
