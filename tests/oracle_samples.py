"""Small samples for the tests of oracles, and how close two costs must be."""

import math

import pytest
from hypothesis import strategies as st

NAN, INF = math.nan, math.inf


def exactly(cost: float) -> object:
    return pytest.approx(cost, abs=1e-9, rel=0)


@st.composite
def small_samples(draw: st.DrawFn, max_values: int = 8) -> tuple[list[float], list[int], int]:
    n_classes = draw(st.integers(1, 3))
    size = draw(st.integers(1, 30))
    numbers = st.sampled_from([NAN, -INF, *map(float, range(max_values - 2))])
    values = draw(st.lists(numbers, min_size=size, max_size=size))
    labels = draw(st.lists(st.integers(0, n_classes - 1), min_size=size, max_size=size))
    return values, labels, n_classes
