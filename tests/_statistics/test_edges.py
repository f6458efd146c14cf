"""Bins between edges against np.searchsorted."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from modlearn._statistics.edges import Edges

INF = float("inf")
TINY = 5e-324
SPECIAL = [-INF, -1.7e308, -1.0, -TINY, -0.0, 0.0, TINY, 2.3e-308, 1.0, 1.0 + 2**-52, 1.7e308, INF]

NUMBERS = st.one_of(
    st.sampled_from(SPECIAL),
    st.floats(allow_nan=False),
    st.floats(-5, 5),
    st.integers(-20, 20).map(float),
    st.floats(0, 1e-300),
)
EDGES = st.one_of(
    st.lists(NUMBERS, max_size=40),
    # Thousands of edges where most are close together, as the quantiles of a long tail are.
    st.builds(
        lambda n, scale: np.exp(np.linspace(-scale, scale, n)).tolist(),
        st.integers(1, 3000),
        st.floats(0.1, 300),
    ),
).map(lambda edges: np.unique(np.array(edges, dtype=np.float64)))


@st.composite
def edges_and_values(draw: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Edges, and values that are on them, next to them, between them and elsewhere, or missing."""
    edges = draw(EDGES)
    values = draw(st.lists(st.one_of(NUMBERS, st.just(float("nan"))), max_size=40))
    with np.errstate(over="ignore"):
        near = [edges, np.nextafter(edges, -INF), np.nextafter(edges, INF)]
        between = edges[1:] / 2 + edges[:-1] / 2 if np.isfinite(edges).all() else edges
    return edges, np.concatenate((*near, between, np.array(values, dtype=np.float64)))


def twin(edges: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Bin 0 is missing, the others are found by bisection."""
    return np.where(np.isnan(values), 0, 1 + np.searchsorted(edges, values, side="left"))


@given(edges_and_values())
def test_codes_are_those_of_bisection(drawn: Any) -> None:
    edges, values = drawn
    assert Edges(edges).codes(values).tolist() == twin(edges, values).tolist()


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int32])
@given(drawn=edges_and_values())
def test_counts_are_those_of_codes(drawn: Any, dtype: Any) -> None:
    edges, values = drawn
    groups = (np.arange(len(values)) % 3).astype(dtype)
    counts = np.ones((len(edges) + 2, 3), dtype=np.int64)
    Edges(edges).count(values, groups, counts)
    expected = np.ones_like(counts)
    np.add.at(expected, (twin(edges, values), groups), 1)
    np.testing.assert_array_equal(counts, expected)


@given(edges_and_values())
def test_a_value_is_inside_a_window_above_its_low_edge_up_to_its_high_one(drawn: Any) -> None:
    edges, values = drawn
    edges = edges[: len(edges) // 2 * 2]
    inside = np.zeros(len(values), dtype=bool)
    for low, high in edges.reshape(-1, 2):
        inside |= (values > low) & (values <= high)
    assert Edges(edges).inside(values).tolist() == np.flatnonzero(inside).tolist()


def test_one_edge_and_none_are_edges() -> None:
    values = np.array([-INF, -1.0, 0.0, 1.0, INF, np.nan])
    assert Edges(np.zeros(0)).codes(values).tolist() == [1, 1, 1, 1, 1, 0]
    assert Edges(np.array([0.0])).codes(values).tolist() == [1, 1, 1, 2, 2, 0]
    assert Edges(np.array([INF])).codes(values).tolist() == [1, 1, 1, 1, 1, 0]
    assert Edges(np.array([-INF])).codes(values).tolist() == [1, 2, 2, 2, 2, 0]


def test_negative_zero_is_zero() -> None:
    edges = Edges(np.array([-1.0, -0.0, 1.0]))
    assert edges.codes(np.array([-0.0, 0.0, -TINY, TINY])).tolist() == [2, 2, 2, 3]


@pytest.mark.parametrize("scale", ["uniform", "logarithmic", "both ends"])
def test_thousands_of_edges_over_a_huge_range(scale: str) -> None:
    random = np.random.default_rng(0)
    values = {
        "uniform": random.uniform(-1e300, 1e300, 20_000),
        "logarithmic": random.choice([-1, 1], 20_000) * 10 ** random.uniform(-320, 308, 20_000),
        "both ends": np.concatenate(
            (random.normal(size=10_000), 1e300 * random.normal(size=10_000))
        ),
    }[scale]
    edges = np.unique(values[:5_000])
    assert (Edges(edges).codes(values) == twin(edges, values)).all()
