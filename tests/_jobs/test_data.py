"""The table of a job: frames as they are, and of files only the columns that are needed."""

import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from modlearn._jobs.prepare import ColumnRequest, open_data, prepare
from modlearn._model.evaluation import LeftOut
from modlearn._parallel import no_progress
from modlearn._tables.memory.table import read_table
from modlearn.errors import ColumnError


class StandIn:
    """An open file, as the reader of files gives it."""

    def __init__(self, frame, path="orders.csv"):
        self.frame, self.path, self.closed, self.asked = frame, path, False, []
        self.types = {name: "nested" if name == "list" else "numeric" for name in frame}
        self.names, self.n_rows, self.notes = list(frame.columns), len(frame), ["a note"]

    def read(self, names, types=None):
        self.asked.append(names)
        return read_table(self.frame[names])

    def batches(self, names, n_rows):
        raise NotImplementedError

    def close(self):
        self.closed = True

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


FRAME = pd.DataFrame({"a": [1, 2], "b": ["x", "y"], "c": [0.5, 1.5]})


@pytest.fixture
def files(monkeypatch):
    """Paths that open stand-ins."""
    opened = {}
    module = ModuleType("modlearn._tables.files.paths")

    def open_source(path):
        opened[path] = StandIn(FRAME[:0] if "empty" in path else FRAME)
        return opened[path]

    module.open_source = open_source
    monkeypatch.setitem(sys.modules, "modlearn._tables.files.paths", module)
    return opened


@pytest.mark.parametrize("make", [lambda f: f, pl.from_pandas, pa.Table.from_pandas, read_table])
def test_a_frame_has_names_and_is_read_by_place(make):
    opened = open_data(make(FRAME))
    assert (opened.label, opened.names, opened.named) == (None, ["a", "b", "c"], True)
    table = opened.read([2, 0])
    assert table.names == ["c", "a"]
    np.testing.assert_array_equal(table.numeric(0).values, FRAME["c"])


def test_the_columns_of_an_array_are_numbered():
    opened = open_data(np.zeros((3, 2)))
    assert (opened.names, opened.named) == (["x0", "x1"], False)


def test_of_a_file_only_the_columns_asked_for_are_read(files):
    opened = open_data(Path("folder") / "orders.csv")
    assert (opened.label, opened.notes) == ("orders.csv", ["a note"])
    (source,) = files.values()
    with opened.closing:
        assert opened.read([0, 2]).names == ["a", "c"]
    assert source.asked == [["a", "c"]]
    assert source.closed


def test_nested_columns_of_a_file_are_known_and_not_read():
    source = StandIn(FRAME.assign(list=[[1], [2]]))
    assert open_data(source).nested == {3}
    wanted = ColumnRequest("b", None, (), (), ())
    prepared = prepare(source, wanted, 1, no_progress)
    assert prepared.facts.left_out == (LeftOut("list", "nested"),)
    assert source.asked == [["a", "c", "b"]]


def test_standard_input_keeps_its_name(files):
    assert open_data("-").label == "-"


def test_a_file_that_is_open_stays_open():
    source = StandIn(FRAME, "folder/orders.csv")
    opened = open_data(source)
    with opened.closing:
        opened.read([0])
    assert opened.label == "orders.csv"
    assert not source.closed


def test_an_empty_file_is_refused_and_closed(files):
    with pytest.raises(ColumnError, match=r"The table 'empty.csv' has no rows: give one"):
        open_data("empty.csv")
    assert files["empty.csv"].closed


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (FRAME[:0], "rows"),
        (FRAME[[]], "columns"),
        (np.zeros((0, 2)), "rows"),
        (np.zeros((2, 0)), "columns"),
        (read_table(FRAME).take(np.arange(0)), "rows"),
    ],
    ids=["frame", "frame", "array", "array", "table"],
)
def test_an_empty_table_is_refused(data, what):
    with pytest.raises(ColumnError, match=f"The table has no {what}: give one that has some"):
        open_data(data)


def test_what_is_no_table_is_refused():
    with pytest.raises(ValueError, match="pass a table"):
        open_data(None)
