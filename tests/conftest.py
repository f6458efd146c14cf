"""Every kind of frame, and a table of mixed types, as fixtures."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.frames import FRAMES, Data, make_people


@pytest.fixture(params=FRAMES)
def frame(request: pytest.FixtureRequest) -> Callable[[Data], Any]:
    """Maker of a frame, once per back end."""
    return FRAMES[request.param]


@pytest.fixture
def people() -> tuple[Data, list[str]]:
    """Data and target of a table of mixed types."""
    return make_people()
