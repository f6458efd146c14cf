"""Axes of grids count unlabeled rows as the columns alone do."""

import numpy as np
import pandas as pd
import pytest

from modlearn import Encoder, PairEncoder


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
    table.loc[200:, "color"] = "grey"
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
