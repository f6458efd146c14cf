import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from modlearn._neighbors.precomputed import PrecomputedNeighbors, read_neighbors

ROWS = np.array([[1, 2], [2, 0], [1, -1]])
DISTANCES = np.array([[1.0, 3.0], [0.5, 1.0], [0.5, 7.0]])


def lists_of(found):
    """(distance, row) of the neighbors of each row."""
    spans = zip(found.pointer[:-1], found.pointer[1:], strict=True)
    return [
        list(zip(found.distances[a:b].tolist(), found.rows[a:b].tolist(), strict=True))
        for a, b in spans
    ]


def matrix(entries, shape, container=sp.csr_array):
    """A sparse matrix that stores these (row, column, distance), zeros too."""
    rows, columns, far = zip(*entries, strict=True)
    return container(sp.coo_array((np.array(far, dtype=float), (rows, columns)), shape=shape))


EXPECTED = [[(1.0, 1), (3.0, 2)], [(0.5, 2), (1.0, 0)], [(0.5, 1)]]


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.int16])
def test_lists_are_neighbors_with_their_distances(kind):
    found = read_neighbors((ROWS.astype(kind), DISTANCES), None, 2)
    assert lists_of(found) == EXPECTED
    kinds = (found.pointer.dtype, found.rows.dtype, found.distances.dtype)
    assert kinds == (np.int64, np.int32, np.float64)


def test_unsigned_row_numbers_are_row_numbers():
    found = read_neighbors((np.array([[1], [0]], dtype=np.uint32), np.ones((2, 1))), None, 1)
    assert lists_of(found) == [[(1.0, 1)], [(1.0, 0)]]


def test_lists_of_lists_are_arrays():
    assert lists_of(read_neighbors([ROWS.tolist(), DISTANCES.tolist()], None, 2)) == EXPECTED


@pytest.mark.parametrize(
    "container", [sp.csr_array, sp.csr_matrix, sp.csc_array, sp.coo_matrix, sp.lil_array]
)
def test_a_sparse_matrix_is_neighbors_with_their_distances(container):
    entries = [(0, 1, 1.0), (0, 2, 3.0), (1, 2, 0.5), (1, 0, 1.0), (2, 1, 0.5)]
    assert lists_of(read_neighbors(matrix(entries, (3, 3), container), None, 2)) == EXPECTED


def test_a_zero_that_is_stored_is_a_distance():
    graph = matrix([(0, 1, 0.0), (1, 0, 0.0)], (2, 2))
    assert lists_of(read_neighbors(graph, None, 3)) == [[(0.0, 1)], [(0.0, 0)]]


def test_the_graph_of_the_user_is_left_alone():
    graph = matrix([(0, 1, 2.0), (0, 0, 0.0), (1, 0, 1.0)], (2, 2))
    before = graph.copy()
    read_neighbors(graph, None, 1)
    assert (graph != before).nnz == 0
    assert graph.nnz == before.nnz


def test_a_row_is_not_its_own_neighbor():
    graph = matrix([(0, 0, 0.0), (0, 1, 2.0), (1, 1, 0.0), (1, 0, 2.0)], (2, 2))
    assert lists_of(read_neighbors(graph, None, 1)) == [[(2.0, 1)], [(2.0, 0)]]
    lists = np.array([[0, 1], [1, 0]]), np.array([[0.0, 2.0]] * 2)
    assert lists_of(read_neighbors(lists, None, 1)) == [[(2.0, 1)], [(2.0, 0)]]


def test_a_new_row_is_not_the_row_of_its_number():
    lists = np.array([[0, 1], [1, 0]]), np.array([[0.0, 2.0]] * 2)
    found = read_neighbors(lists, 2, 2)
    assert lists_of(found) == [[(0.0, 0), (2.0, 1)], [(0.0, 1), (2.0, 0)]]


def test_new_rows_may_be_more_than_those_they_are_near_to():
    graph = matrix([(0, 1, 1.0), (2, 0, 1.0)], (3, 2))
    assert lists_of(read_neighbors(graph, 2, 5)) == [[(1.0, 1)], [], [(1.0, 0)]]


@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.integers(0, 5), st.sampled_from([0.0, 0.5, 1.0])),
        unique_by=lambda edge: edge[:2],
        min_size=1,
    ),
    st.integers(1, 4),
)
def test_the_nearest_of_each_row_are_kept_ties_by_row(entries, n_neighbors):
    found = read_neighbors(matrix(entries, (6, 6)), None, n_neighbors)
    for row in range(6):
        near = sorted((far, to) for at, to, far in entries if at == row != to)
        assert lists_of(found)[row] == near[:n_neighbors]


def test_distances_of_no_neighbor_are_not_looked_at():
    lists = np.array([[1, -1], [0, -1]]), np.array([[1.0, np.nan], [1.0, -5.0]])
    assert lists_of(read_neighbors(lists, None, 2)) == [[(1.0, 1)], [(1.0, 0)]]


def test_a_graph_without_edges_is_a_graph():
    found = read_neighbors(sp.csr_array((3, 3)), None, 2)
    assert lists_of(found) == [[], [], []]
    assert found.radii.tolist() == [np.inf] * 3


# graphs that cannot be used


@pytest.mark.parametrize("graph", [np.eye(3), "graph", None, (ROWS,), (ROWS, DISTANCES, ROWS)])
def test_what_is_not_a_graph_is_answered_with_what_is(graph):
    message = (
        r"X is a \w+: with representation='precomputed', pass a sparse matrix of distances, or"
    )
    with pytest.raises(ValueError, match=message):
        read_neighbors(graph, None, 2)


@pytest.mark.parametrize(
    "lists",
    [(ROWS, DISTANCES[:, :1]), (ROWS[0], DISTANCES[0]), (ROWS.astype(float), DISTANCES)],
    ids=["shapes", "vectors", "floats"],
)
def test_lists_of_another_shape_or_type_are_refused(lists):
    message = (
        r"row numbers of neighbors have shape .*, their distances have shape .*: pass integers"
    )
    with pytest.raises(ValueError, match=message):
        read_neighbors(lists, None, 2)


def test_a_graph_that_is_not_square_is_refused():
    message = (
        r"The graph has shape \(2, 3\), but 2 rows can be neighbors: pass a graph of shape \(2, 2\)"
    )
    with pytest.raises(ValueError, match=message):
        read_neighbors(matrix([(0, 1, 1.0)], (2, 3)), None, 2)


def test_a_graph_to_another_number_of_rows_is_refused():
    message = (
        r"The graph has shape \(2, 3\), but 5 rows can be neighbors: pass a graph of shape \(2, 5\)"
    )
    with pytest.raises(ValueError, match=message):
        read_neighbors(matrix([(0, 1, 1.0)], (2, 3)), 5, 2)


@pytest.mark.parametrize("row", [3, -2])
def test_a_number_that_is_not_a_row_is_named(row):
    message = f"Row 1 of the graph has neighbor {row}: row numbers are 0 to 2, or -1 for none"
    with pytest.raises(ValueError, match=message):
        read_neighbors((np.array([[1], [row], [0]]), np.ones((3, 1))), None, 1)


@pytest.mark.parametrize("far", [-1.0, np.nan, np.inf])
def test_a_distance_that_is_none_is_named(far):
    message = f"Row 1 of the graph has a neighbor at distance {far}: distances must be finite"
    with pytest.raises(ValueError, match=message):
        read_neighbors(matrix([(0, 1, 1.0), (1, 0, far)], (2, 2)), None, 1)


# a given graph


def silent(done, total):
    """No one listens."""


def rows_of(found):
    return found.rows.reshape(found.n_rows, -1)


GRAPH = np.array([[1, 2], [0, 2], [1, 0]]), np.array([[1.0, 2.0]] * 3)


def test_a_given_graph_is_used_as_it_is():
    given = PrecomputedNeighbors(GRAPH, 2)
    assert rows_of(given.of_rows(silent)).tolist() == GRAPH[0].tolist()
    assert (given.engine, given.recall) == ("precomputed", 1.0)


def test_no_more_than_the_nearest_of_a_given_graph_are_used():
    assert rows_of(PrecomputedNeighbors(GRAPH, 1).of_rows(silent)).tolist() == [[1], [0], [1]]


def test_a_given_graph_of_new_rows_leads_to_rows_seen_before():
    new = np.array([[2, 0]]), np.array([[1.0, 2.0]])
    assert rows_of(PrecomputedNeighbors(GRAPH, 2).of_new(new)).tolist() == [[2, 0]]


def test_a_graph_to_rows_never_seen_is_refused():
    with pytest.raises(
        ValueError, match="Row 0 of the graph has neighbor 3: row numbers are 0 to 2"
    ):
        PrecomputedNeighbors(GRAPH, 2).of_new((np.array([[3]]), np.array([[1.0]])))


def test_a_pickle_of_a_given_graph_knows_how_many_rows_it_had():
    given = pickle.loads(pickle.dumps(PrecomputedNeighbors(GRAPH, 2)))
    new = np.array([[2, 0]]), np.array([[1.0, 2.0]])
    assert rows_of(given.of_new(new)).tolist() == [[2, 0]]
