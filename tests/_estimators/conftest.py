"""Every kind of table and every estimator of partitions as fixtures."""

from collections.abc import Callable
from typing import Any

import pytest
from sklearn.base import BaseEstimator
from tests._estimators.samples import PARTITIONERS
from tests.frames import TABLES, Data


@pytest.fixture(params=TABLES)
def table(request: pytest.FixtureRequest) -> Callable[[Data], Any]:
    """Maker of a table, once per kind: the frames, an array and a list of rows."""
    return TABLES[request.param]


@pytest.fixture(params=PARTITIONERS)
def estimator(request: pytest.FixtureRequest) -> type[BaseEstimator]:
    """Each public estimator that partitions columns."""
    return request.param
