import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.utils.estimator_checks import _NotAnArray

from modlearn._tables.cells import Cells, Coded
from modlearn._tables.memory.table import Table, read_table
from modlearn.errors import ColumnError
from modlearn.schema import Kind


def kinds_of(table):
    return [column.kind for column in table.columns()]


def test_names_and_rows_are_those_of_the_frame(frame):
    table = read_table(frame({"age": [1, 2, 3], "city": ["a", "b", "c"]}))
    assert (table.names, table.n_rows) == (["age", "city"], 3)


def test_columns_of_an_array_are_named_by_their_position():
    assert read_table(np.zeros((4, 3))).names == ["x0", "x1", "x2"]


def test_kinds_of_a_frame_are_those_of_its_types(frame):
    moment, span = np.datetime64("2020-01-05T12:30", "us"), np.timedelta64(90, "s")
    data = {
        "int": [1, 2],
        "float": [1.5, 2.5],
        "bool": [True, False],
        "text": ["a", "b"],
        "when": [moment.item(), None],
        "span": [span.item(), None],
    }
    kinds = ["numeric", "numeric", "boolean", "text", "datetime", "duration"]
    columns = read_table(frame(data)).columns()
    assert [column.name for column in columns] == list(data)
    assert [column.kind for column in columns] == kinds
    assert [column.ordered for column in columns] == [True, True, False, False, True, True]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (np.zeros((2, 1), dtype="i2"), "numeric"),
        (np.zeros((2, 1), dtype="u8"), "numeric"),
        (np.zeros((2, 1), dtype="f4"), "numeric"),
        (np.zeros((2, 1), dtype="?"), "boolean"),
        (np.zeros((2, 1), dtype="M8[D]"), "datetime"),
        (np.zeros((2, 1), dtype="m8[s]"), "duration"),
        (np.array([["a"], ["b"]]), "text"),
        (np.array([["a"], [None]], dtype=object), "text"),
        (np.array([[1], [None]], dtype=object), "numeric"),
    ],
)
def test_kinds_of_an_array_are_those_of_its_type(values, kind):
    assert kinds_of(read_table(values)) == [kind]


def test_each_column_of_an_object_array_has_its_own_kind():
    X = np.array([[1, "a", True], [2.5, "b", False]], dtype=object)
    assert kinds_of(read_table(X)) == ["numeric", "text", "boolean"]


def test_a_list_of_rows_keeps_the_type_of_each_column():
    table = read_table([[1, "a"], [2, "b"]])
    assert kinds_of(table) == ["numeric", "text"]
    assert table.categorical(0).categories == (1, 2)


def test_columns_of_one_type_in_a_list_of_rows_are_not_mixed_up():
    assert read_table([[1, 2.5], [2, 3.5]]).categorical(0).categories == (1, 2)


def test_whatever_becomes_an_array_is_read_as_one():
    assert read_table(_NotAnArray([[1.0], [2.0]])).numeric(0).values.tolist() == [1, 2]


def test_an_arrow_batch_keeps_its_names():
    assert read_table(pa.record_batch({"a": [1]})).names == ["a"]


def test_names_need_not_be_text():
    columns = pd.MultiIndex.from_tuples([("a", 1), ("a", 2)])
    table = read_table(pd.DataFrame([[1, 2]], columns=columns))
    assert table.names == [("a", 1), ("a", 2)]
    assert table.numeric(1).values.tolist() == [2]


def test_integer_names_are_kept():
    table = read_table(pd.DataFrame([[1, 2]], columns=[7, 3]))
    assert table.names == [7, 3]
    assert table.numeric(0).name == 7


def test_columns_can_be_read_by_threads():
    X = pl.DataFrame({f"c{i}": [str(j % (i + 1)) for j in range(1000)] for i in range(20)})
    table = read_table(X)
    with ThreadPoolExecutor(4) as pool:
        sizes = [len(column.categories) for column in pool.map(table.categorical, range(20))]
    assert sizes == list(range(1, 21))


def test_users_of_arrays_do_not_import_narwhals_here():
    code = (
        "import sys, numpy as np; from modlearn._tables.memory.table import read_table;"
        "read_table(np.ones((2, 1))).numeric(0);"
        "print('modlearn._tables.memory.series' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame([[1, 2]], columns=["a", "a"]),
        pa.table([pa.array([1]), pa.array([2])], names=["a", "a"]),
    ],
    ids=["pandas", "arrow"],
)
def test_duplicate_names_are_named(X):
    with pytest.raises(ColumnError, match=r"Column 'a' occurs 2 times.*Rename or drop"):
        read_table(X)


def test_a_lazy_frame_is_to_be_collected():
    with pytest.raises(TypeError, match=r"X is a lazy frame.*call \.collect\(\)"):
        read_table(pl.LazyFrame({"a": [1]}))


@pytest.mark.parametrize("container", [sparse.csr_array, sparse.csr_matrix, sparse.coo_array])
def test_sparse_matrices_are_to_be_made_dense(container):
    with pytest.raises(TypeError, match=r"[Ss]parse.*toarray\(\)"):
        read_table(container(np.eye(3)))


@pytest.mark.parametrize("X", [np.arange(3.0), [1, 2, 3], ["ab", "c"], np.array(["a"])])
def test_one_dimension_is_too_few(X):
    with pytest.raises(ValueError, match=r"(?s)Expected 2D array, got 1D array.*Reshape your data"):
        read_table(X)


@pytest.mark.parametrize(
    "X", [pd.Series([1], name="s"), pl.Series("s", [1])], ids=["pandas", "polars"]
)
def test_a_series_is_to_be_made_a_frame(X):
    message = r"Expected 2D array, got 1D.*'s'.*Reshape your data.*to_frame.*iloc\[\[0\]\]"
    with pytest.raises(ValueError, match=message):
        read_table(X)


def test_three_dimensions_are_too_many():
    with pytest.raises(ValueError, match="Found array with dim 3"):
        read_table(np.zeros((2, 2, 2)))


@pytest.mark.parametrize(
    "X",
    [np.empty((0, 3)), pd.DataFrame(columns=list("abc")), pl.DataFrame(schema=list("abc"))],
    ids=["numpy", "pandas", "polars"],
)
def test_a_table_without_rows_is_refused(X):
    message = r"Found array with 0 sample\(s\) \(shape=\(0, 3\)\) while a minimum of 1 is required."
    with pytest.raises(ValueError, match=message):
        read_table(X)


@pytest.mark.parametrize(
    "X", [np.empty((5, 0)), pd.DataFrame(index=range(5))], ids=["numpy", "pandas"]
)
def test_a_table_without_columns_is_refused(X):
    message = r"0 feature\(s\) \(shape=\(5, 0\)\) while a minimum of 1 is required."
    with pytest.raises(ValueError, match=message):
        read_table(X)


def test_complex_arrays_are_refused():
    with pytest.raises(ValueError, match="Complex data not supported"):
        read_table(np.array([[1 + 2j]]))


def test_rows_of_different_lengths_are_named():
    with pytest.raises(ValueError, match="Row 2 of X has 1 values but row 0 has 2"):
        read_table([[1, 2], [3, 4], [5]])


# cells that were read before


@pytest.fixture
def typed():
    numbers = Cells(np.array([1, 2, 3]), np.array([False, True, False]))
    return Table(["n", "t"], 3, [numbers, Coded(np.array([1, -1, 0]), ["b", "a"])])


def test_a_table_of_cells_is_read_as_it_is(typed):
    table = read_table(typed)
    assert (kinds_of(table), table.shape) == (["numeric", "text"], (3, 2))
    assert table.numeric(0).values.tolist()[::2] == [1, 3]
    assert table.categorical(0).categories == (1, 3)
    assert (table.categorical(1).categories, table.categorical(1).codes.tolist()) == (
        ("a", "b"),
        [0, -1, 1],
    )


def test_categories_that_are_numbers_are_not_ordered():
    (column,) = Table(["n"], 2, [Coded(np.array([1, 0]), [3, 4])]).columns()
    assert (column.kind, column.ordered) == (Kind.NUMERIC, False)


def test_a_column_of_lists_is_nested():
    columns = read_table(pl.DataFrame({"a": [[1], [2]], "b": [1, 2]})).columns()
    assert [column.kind for column in columns] == [Kind.NESTED, Kind.NUMERIC]
