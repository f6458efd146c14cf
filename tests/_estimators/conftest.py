"""Every kind of table and every estimator of partitions as fixtures."""

from collections.abc import Callable
from typing import Any

import pytest
from sklearn.base import BaseEstimator
from tests._estimators.samples import FRAMES, PARTITIONERS, TABLES, Data, make_people


@pytest.fixture(params=FRAMES)
def frame(request: pytest.FixtureRequest) -> Callable[[Data], Any]:
    """Maker of a frame, once per back end."""
    return FRAMES[request.param]


@pytest.fixture(params=TABLES)
def table(request: pytest.FixtureRequest) -> Callable[[Data], Any]:
    """Maker of a table, once per kind: the frames, an array and a list of rows."""
    return TABLES[request.param]


@pytest.fixture(params=PARTITIONERS)
def estimator(request: pytest.FixtureRequest) -> type[BaseEstimator]:
    """Each public estimator that partitions columns."""
    return request.param


@pytest.fixture
def people() -> tuple[Data, list[str]]:
    """Data and target of a table of mixed types."""
    return make_people()
