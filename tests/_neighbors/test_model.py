import numpy as np
import pytest
from tests._neighbors.points import cloud

from modlearn import LabelDistributionPropagation
from modlearn._neighbors.graph import SearchedNeighbors
from modlearn._neighbors.model import PropagationSettings, propagate_labels
from modlearn._neighbors.precomputed import PrecomputedNeighbors
from modlearn.errors import TargetError

ISLANDS = [[0.0], [1.0], [2.0], [50.0], [51.0], [52.0]]


def test_defaults_are_those_of_the_estimator():
    parameters = LabelDistributionPropagation().get_params()
    for name, value in vars(PropagationSettings()).items():
        assert name == "n_threads" or parameters[name] == value


def test_labels_spread_as_far_as_neighbors_reach():
    settings = PropagationSettings(n_neighbors=2, sweeps=0)
    model, _ = propagate_labels(ISLANDS, ["tea", None, None, None, None, None], settings)
    assert model.decision.labels(model.rows).tolist() == ["tea"] * 3 + [None] * 3
    assert sorted(model.order.tolist()) == [1, 2]


def test_a_new_row_is_the_average_of_its_nearest_training_rows():
    settings = PropagationSettings(n_neighbors=2, sweeps=0)
    model, _ = propagate_labels(ISLANDS, [0, 0, -1, 1, 1, -1], settings)
    averages = model.average([[0.4], [51.6]], 1)
    assert averages.known.tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert averages.unknown_mass[0] == 0.0


def test_every_stage_reports_its_progress():
    stages = []
    settings = PropagationSettings(n_neighbors=3, sweeps=2)
    y = np.where(np.arange(50) < 4, np.arange(50) % 2, -1)
    propagate_labels(
        cloud(50, 2), y, settings, progress=lambda stage, done, total: stages.append(stage)
    )
    assert list(dict.fromkeys(stages)) == ["neighbors", "rows", "sweeps"]


@pytest.mark.parametrize(
    ("representation", "kind"),
    [
        ("auto", SearchedNeighbors),
        ("raw", SearchedNeighbors),
        ("precomputed", PrecomputedNeighbors),
    ],
)
def test_neighbors_come_from_the_representation(representation, kind):
    graph = (np.array([[1], [0]]), np.ones((2, 1)))
    X = graph if representation == "precomputed" else [[0.0], [1.0]]
    model, _ = propagate_labels(X, [0, 1], PropagationSettings(representation=representation))
    assert isinstance(model.neighborhood, kind)


def test_rows_without_any_label_are_refused():
    with pytest.raises(TargetError, match="all 6 rows are unlabeled"):
        propagate_labels(ISLANDS, [-1] * 6, PropagationSettings())
