"""From what a user gives to columns and classes: read once, and only what is needed."""

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from modlearn._jobs.prepare import open_data, prepare
from modlearn._jobs.source import ColumnRequest, Room
from modlearn._model.evaluation import Note, OmittedColumn
from modlearn._parallel import no_progress
from modlearn._tables.files.relation import FileSource
from modlearn._tables.memory import rows
from modlearn._tables.memory.table import Table, read_table
from modlearn._tables.notes import ReadingNote
from modlearn.errors import ColumnError, LengthError, TargetError
from modlearn.schema import Kind


class StandIn(FileSource):
    """An open file, as the reader of files gives it."""

    def __init__(self, frame, path="orders.csv"):
        self.frame, self.path, self.closed, self.asked = frame, path, False, []
        kinds = (Kind.NESTED if name == "list" else Kind.NUMERIC for name in frame)
        self.columns = [SimpleNamespace(kind=kind, is_text=False) for kind in kinds]
        self.names, self.n_rows = list(frame.columns), len(frame)
        self.notes = [ReadingNote("no_header", {"file": path})]

    def read(self, names, types, formats):
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
    module = ModuleType("modlearn._tables.files.formats")

    def open_source(path, options):
        opened[path] = StandIn(FRAME[:0] if "empty" in path else FRAME)
        return opened[path]

    module.open_source = open_source
    monkeypatch.setitem(sys.modules, "modlearn._tables.files.formats", module)
    return opened


@pytest.mark.parametrize("make", [lambda f: f, pl.from_pandas, pa.Table.from_pandas, read_table])
def test_a_frame_has_names_and_is_read_by_index(make):
    opened = open_data(make(FRAME))
    assert (opened.label, opened.names, opened.named) == (None, ["a", "b", "c"], True)
    table = opened.read([2, 0])
    assert table.names == ["c", "a"]
    np.testing.assert_array_equal(table.numeric(0).values, FRAME["c"])


@pytest.mark.parametrize("make", [lambda f: f, pl.from_pandas, pa.Table.from_pandas])
@pytest.mark.parametrize("name", ["closing", "batches", "rows", "split"])
def test_a_frame_may_have_a_column_with_the_name_of_what_is_asked_of_tables(make, name):
    opened = open_data(make(FRAME.rename(columns={"a": name})))
    assert opened.names == [name, "b", "c"]
    assert opened.read([0]).names == [name]


def test_the_columns_of_an_array_are_numbered():
    opened = open_data(np.zeros((3, 2)))
    assert (opened.names, opened.named) == (["x0", "x1"], False)


def test_of_a_file_only_the_columns_asked_for_are_read(files):
    opened = open_data(Path("folder") / "orders.csv")
    assert opened.label == "orders.csv"
    assert opened.notes == [Note("no_header", {"file": "orders.csv"})]
    (source,) = files.values()
    with opened.closing:
        assert opened.read([0, 2]).names == ["a", "c"]
    assert source.asked == [["a", "c"]]
    assert source.closed


def test_nested_columns_of_a_file_are_known_and_not_read():
    source = StandIn(FRAME.assign(list=[[1], [2]]))
    assert open_data(source).nested == {3}
    found = prepare(source, ColumnRequest("b"), 1, no_progress)
    assert found.facts.left_out == (OmittedColumn("list", "nested"),)
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
    with pytest.raises(
        ColumnError, match=r"The table 'empty.csv' has no rows: pass a table that has"
    ):
        open_data("empty.csv")
    assert files["empty.csv"].closed


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (FRAME[:0], "rows"),
        (FRAME[[]], "columns"),
        (np.zeros((0, 2)), "rows"),
        (np.zeros((2, 0)), "columns"),
        (Table(["a"], 0, [np.zeros(0)]), "rows"),
    ],
    ids=["frame", "frame", "array", "array", "table"],
)
def test_an_empty_table_is_refused(data, what):
    with pytest.raises(ColumnError, match=f"The table has no {what}: pass a table that has some"):
        open_data(data)


def test_what_is_not_a_table_is_refused():
    with pytest.raises(ValueError, match="pass a table"):
        open_data(None)


def prepared(data, target="paid", **options):
    return prepare(data, ColumnRequest(target, **options), 1, no_progress)


def test_the_facts_of_a_table_are_numbers(orders):
    orders.loc[:9, "paid"] = None
    found = prepared(orders, drop="noise")
    facts = found.facts
    assert (facts.target, facts.source) == ("paid", None)
    assert (facts.n_rows, facts.n_labeled, facts.n_unlabeled, facts.n_columns) == (200, 190, 10, 2)
    assert [(column.name, column.reason) for column in facts.left_out] == [
        ("order", "all_different"),
        ("noise", "dropped"),
        ("shop", "constant"),
    ]
    assert facts.notes == (Note("unlabeled", {"rows": 10}),)
    assert [(c.name, c.n_missing, c.n_distinct) for c in found.columns] == [
        ("amount", 0, 200),
        ("country", 0, 3),
    ]


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda y: y, "paid"),
        (lambda y: y.to_frame(), "paid"),
        (lambda y: pl.Series("bought", y.tolist()), "bought"),
        (lambda y: pa.chunked_array([y.tolist()]), "y"),
        (lambda y: y.to_numpy(), "y"),
        (lambda y: y.tolist(), "y"),
        (lambda y: y.rename(None), "y"),
    ],
    ids=["series", "frame", "polars", "arrow", "array", "list", "unnamed"],
)
def test_labels_may_stand_next_to_the_table(orders, make, name):
    X, y = orders.drop(columns="paid"), orders["paid"]
    found = prepared(X, make(y))
    assert found.facts.target == name
    assert found.in_memory()[1].codes.tolist() == prepared(orders).in_memory()[1].codes.tolist()
    assert prepared(X.to_numpy()[:, 1:3], make(y)).in_memory()[0].names == ["x0", "x1"]


def test_labels_may_be_passed_with_a_file(orders, tmp_path):
    orders.drop(columns="paid").to_csv(tmp_path / "orders.csv", index=False)
    found = prepared(str(tmp_path / "orders.csv"), orders["paid"])
    assert found.in_memory()[1].codes.tolist() == prepared(orders).in_memory()[1].codes.tolist()


def test_a_number_is_the_name_of_a_column():
    frame = pd.DataFrame({0: [1.0, 2.0, 3.0, 4.0], 1: [0, 0, 1, 1]})
    assert prepared(frame, 1).facts.target == "1"
    assert prepared(frame, np.int64(1)).facts.target == "1"


def test_labels_of_another_length_are_refused(orders):
    with pytest.raises(LengthError, match="the table has 200 rows and y has 3"):
        prepared(orders, [0, 1, 0])


def test_labels_that_are_a_column_of_the_table_too_are_refused_unless_it_is_dropped(orders):
    with pytest.raises(TargetError, match=r"'paid' is also a column of the table: pass its name"):
        prepared(orders, orders["paid"])
    assert prepared(orders, orders["paid"], drop="paid").facts.target == "paid"
    assert prepared(orders, orders["paid"], only="amount").facts.target == "paid"


def test_unnamed_labels_and_a_column_y_are_two_things(orders):
    table = orders.rename(columns={"amount": "y"})
    found = prepared(table.drop(columns="paid"), orders["paid"].to_numpy())
    assert "y" in found.rows.schema.names


def test_numbers_that_are_passed_as_labels_are_classes_if_that_is_said(orders):
    numbers = np.arange(200) // 2
    with pytest.raises(TargetError, match=r"'y' looks like a .*as_categorical='y'"):
        prepared(orders, numbers)
    assert prepared(orders, numbers, as_categorical="y").in_memory()[1].n_classes == 100
    series = pd.Series(numbers, name="code")
    assert prepared(orders, series, as_categorical=["code"]).in_memory()[1].n_classes == 100


@pytest.mark.parametrize("make", [lambda f: f, pl.from_pandas, pa.Table.from_pandas])
def test_swapped_arguments_are_told_apart(orders, make):
    message = r"with 6 columns: pass the table first and the target second, \(table, 'paid'\)"
    with pytest.raises(TargetError, match=message):
        prepared("paid", make(orders))
    with pytest.raises(TargetError, match=r"second, \(table, y\)"):
        prepared(orders["paid"], make(orders))


def test_a_file_as_the_target_is_told_apart(tmp_path):
    path = str(tmp_path / "orders.csv")
    Path(path).write_text("a,b\n1,2\n")
    with pytest.raises(TargetError, match=r"pass the table first .*orders\.csv', 'paid'\)"):
        prepared("paid", path)


def test_no_target_is_refused_with_the_columns_there_are(orders):
    with pytest.raises(
        TargetError,
        match="or the name of the column to predict, such as one of 'order', 'amount'",
    ):
        prepared(orders, None)


def test_an_unknown_target_leads_to_the_nearest(orders):
    with pytest.raises(ColumnError, match=r"target names the column 'payd'.* 'paid'\?"):
        prepared(orders, "payd")


def test_unknown_categories_are_refused(orders):
    with pytest.raises(ColumnError, match=r"as_categorical names the column 'contry'"):
        prepared(orders, as_categorical=["contry"])


def test_numbers_of_the_target_may_be_said_to_be_classes():
    frame = pd.DataFrame({"x": np.arange(100.0), "code": np.arange(100) % 70})
    with pytest.raises(TargetError, match="looks like a continuous quantity"):
        prepared(frame, "code")
    assert prepared(frame, "code", as_categorical="code").in_memory()[1].n_classes == 70


def test_a_table_of_the_target_alone_is_refused(orders):
    with pytest.raises(ColumnError, match="no column besides the target: add columns"):
        prepared(orders[["paid"]])


def test_a_table_of_constants_is_refused_with_the_reasons(orders):
    with pytest.raises(ColumnError, match=r"'shop': all rows have the same value\)"):
        prepared(orders[["shop", "paid"]])


def test_columns_may_have_numbers_for_names(orders):
    found = prepared(orders[["amount", "paid"]].set_axis([0, 1], axis=1), 1)
    assert (found.facts.target, found.columns[0].name) == ("1", "0")


def left_out(found):
    return {column.name: column.reason for column in found.facts.left_out}


def with_target(columns):
    """A table of these columns and a target `y` of two classes."""
    frame = pd.DataFrame(columns)
    return frame.assign(y=np.arange(len(frame)) % 2)


def summary_of(values, **options):
    """The summary of a column of these values."""
    frame = pd.DataFrame({"x": values, "other": np.arange(len(values)) % 2 + 0.5})
    found = prepared(with_target(frame), "y", **options)
    return found.summaries[found.in_memory()[0].names.index("x")]


ABC = pd.DataFrame({"a": [1, 2, 3], "y": [0, 1, 0], "b": [1, 3, 2], "c": [2, 3, 1]})


def test_the_target_is_not_a_column():
    found = prepared(ABC, "y")
    assert found.in_memory()[0].names == ["a", "b", "c"]
    assert found.facts.left_out == ()


def test_dropped_columns_are_left_out():
    found = prepared(ABC, "y", drop="b")
    assert found.in_memory()[0].names == ["a", "c"]
    assert left_out(found) == {"b": "dropped"}


def test_only_the_columns_asked_for_are_used():
    found = prepared(ABC, "y", drop="a", only=["a", "b", "y"])
    assert found.in_memory()[0].names == ["b"]
    assert left_out(found) == {"a": "dropped", "c": "not_selected"}


@pytest.mark.parametrize("option", ["drop", "only"])
def test_an_unknown_name_is_refused(orders, option):
    with pytest.raises(ColumnError, match=f"{option} names the column 'amuont'.* 'amount'"):
        prepared(orders, **{option: ["amuont"]})


def test_columns_from_which_nothing_can_be_learned_are_left_out():
    frame = with_target(
        {
            "x": [1.0, 2.0, 3.0, 3.0],
            "same": [1, 1, 1, 1],
            "text": ["a", "a", "a", "a"],
            "empty": [np.nan] * 4,
            "id": ["p", "q", "r", "s"],
        }
    )
    found = prepared(frame, "y")
    assert found.in_memory()[0].names == ["x"]
    assert left_out(found) == {
        "same": "constant",
        "text": "constant",
        "empty": "all_missing",
        "id": "all_different",
    }


def test_a_text_that_is_mostly_missing_is_not_an_identifier():
    frame = with_target({"remark": ["late", "broken", "lost", *[None] * 7]})
    assert prepared(frame, "y").in_memory()[0].names == ["remark"]


def test_different_numbers_are_not_an_identifier():
    assert prepared(with_target({"x": [3.0, 1.0, 2.0]}), "y").in_memory()[0].names == ["x"]


@pytest.mark.parametrize("make", [pl.DataFrame, pd.DataFrame])
def test_nested_columns_are_left_out(make):
    found = prepared(make({"list": [[1], [2, 3]], "x": [1.0, 2.0], "y": ["a", "b"]}), "y")
    assert found.in_memory()[0].names == ["x"]
    assert left_out(found) == {"list": "nested"}


def test_few_different_numbers_stay_numbers_unless_the_user_says_so():
    frame = with_target({"grade": [1, 2, 3] * 10})
    assert prepared(frame, "y").rows.schema.by_name["grade"].ordered
    assert not prepared(frame, "y", as_categorical=["grade"]).rows.schema.by_name["grade"].ordered


DATES = ["31/01/2012", "01/02/2012"] * 5


def test_texts_are_dates_if_the_user_says_so():
    frame = with_target({"a": [*DATES, None], "b": [20120101 + i for i in range(11)]})
    found = prepared(frame, "y", as_date="a", date_format={"b": "%Y%m%d"})
    kinds = [(column.kind, column.format) for column in found.rows.schema.columns]
    assert kinds == [(Kind.DATETIME, "%d/%m/%Y"), (Kind.DATETIME, "%Y%m%d")]


def test_the_format_of_a_file_is_kept_with_the_column(tmp_path):
    path = tmp_path / "x.csv"
    with_target({"a": DATES, "b": ["$1,234", "$5"] * 5}).to_csv(path, index=False)
    found = prepared(path, "y")
    assert [column.format for column in found.rows.schema.columns] == ["%d/%m/%Y", "1,234.5"]
    assert [note.kind for note in found.facts.notes] == ["amounts"]


def test_dates_that_are_categories_stay_as_they_are_written(tmp_path):
    path = tmp_path / "x.csv"
    with_target({"a": DATES}).to_csv(path, index=False)
    table, _ = prepared(path, "y", as_categorical="a").in_memory()
    assert table.categorical(0).categories == ("01/02/2012", "31/01/2012")


SPELLED = {
    "amounts": ["45%", "50%"],
    "money": ["$1,234", "$5"],
    "commas": ["0,5", "1,5"],
    "missing": ["45%", "n/a"],
    "times": ["10:30", "11:45"],
    "dates": ["01/02/2012", "31/01/2012"],
    "ambiguous dates": ["01/02/2012", "03/04/2012"],
}


@pytest.mark.parametrize("cells", SPELLED.values(), ids=SPELLED)
@pytest.mark.parametrize("is_file", [False, True], ids=["frame", "file"])
def test_classes_and_categories_stay_as_they_are_written(cells, is_file, tmp_path):
    frame = pd.DataFrame({"a": cells * 10, "b": range(20), "y": cells * 10})
    data = tmp_path / "x.csv" if is_file else frame
    frame.to_csv(tmp_path / "x.csv", index=False)
    found = prepared(data, "y", as_categorical="a")
    assert found.rows.target.classes.tolist() == sorted(cells)
    assert sorted(found.in_memory()[0].categorical(0).categories) == sorted(cells)
    assert found.facts.notes == ()
    (as_read,) = (c for c in prepared(data, "y").rows.schema.columns if c.name == "a")
    assert as_read.ordered


@pytest.mark.parametrize("is_file", [False, True], ids=["frame", "file"])
def test_notes_hold_for_the_columns_that_are_read_so(is_file, tmp_path):
    frame = pd.DataFrame({"a": ["45%", "n/a"] * 10, "b": range(20), "y": ["45%", "50%"] * 10})
    frame.to_csv(tmp_path / "x.csv", index=False)
    found = prepared(tmp_path / "x.csv" if is_file else frame, "y")
    notes = [(note.kind, note.numbers["column"]) for note in found.facts.notes]
    assert notes == [("amounts", "a"), ("missing_words", "a")]


@pytest.mark.parametrize("is_file", [False, True], ids=["frame", "file"])
def test_a_quantity_with_a_unit_is_refused_as_one(is_file, tmp_path):
    frame = pd.DataFrame({"b": range(180), "y": [f"${i + 1}" for i in range(60)] * 3})
    frame.to_csv(tmp_path / "x.csv", index=False)
    data = tmp_path / "x.csv" if is_file else frame
    with pytest.raises(TargetError, match=r"looks like a continuous quantity .* 60 distinct"):
        prepared(data, "y")
    assert prepared(data, "y", as_categorical="y").in_memory()[1].n_classes == 60


def test_an_unknown_date_is_refused(orders):
    with pytest.raises(ColumnError, match=r"as_date names the column 'amuont', .* mean 'amount'\?"):
        prepared(orders, as_date="amuont")


def test_reading_is_reported_column_by_column():
    reported = []
    request = ColumnRequest("y")
    prepare(with_target({"a": [1, 2], "b": [1, 2]}), request, 1, lambda *s: reported.append(s))
    assert reported == [("reading", 0, 1), ("reading", 1, 2), ("reading", 2, 2)]


def test_numbers_are_summarized():
    summary = summary_of([1.0, np.nan, 1.0, 1.0, 2.0])
    assert (summary.n_missing, summary.n_distinct, summary.common) == (1, 2, 1.0)
    assert summary.common_share == pytest.approx(0.6)
    assert not summary.increases


def test_numbers_of_large_tables_are_not_counted(monkeypatch):
    monkeypatch.setattr(rows, "MOST_COUNTED", 3)
    summary = summary_of(np.random.default_rng(0).random(5_000))
    assert (summary.n_distinct, summary.common_share) == (None, 0.0)


def test_missing_may_be_what_most_rows_have():
    summary = summary_of([np.nan] * 9 + [1.0])
    assert (summary.common, summary.common_share) == (None, 0.9)


def test_categories_are_summarized():
    values = pd.Categorical(["a", "a", None, "b"], categories=["a", "b", "unused"])
    summary = summary_of(values)
    assert (summary.n_missing, summary.n_distinct) == (1, 2)
    assert (summary.common, summary.common_share) == ("a", 0.5)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (np.arange(3_000.0), True),
        (np.arange(3_000.0) * 7 + 100, True),
        (np.arange(3_000.0)[::-1], False),
        (np.arange(3_000.0) + 0.5, False),
        (np.append(np.arange(2_000.0), 5.0), False),
        (np.array([0.0, np.inf, np.inf]), False),
    ],
)
def test_whole_numbers_that_grow_number_the_rows(values, expected):
    assert summary_of(values).increases is expected


def test_dates_that_grow_do_not_number_the_rows():
    assert not summary_of(pd.date_range("2020-01-01", periods=100)).increases


def test_many_columns_that_are_left_out_are_summed_up():
    frame = with_target({f"c{i}": [np.nan] * 4 for i in range(5)})
    with pytest.raises(ColumnError, match=r"left to learn from \('c0': all .*; and 2 more\)"):
        prepared(frame, "y")


@pytest.mark.parametrize(
    ("option", "value"),
    [("as_date", ["day"]), ("date_format", {"day": "%d/%m/%Y"}), ("trend", "day")],
)
def test_the_target_is_not_read_as_dates(option, value, tmp_path):
    table = pd.DataFrame({"x": range(40), "day": ["01/03/2012", "02/03/2012"] * 20})
    table.to_csv(tmp_path / "days.csv", index=False)
    message = f"^{option} names the column 'day', which is the target"
    for data in (table, tmp_path / "days.csv"):
        with pytest.raises(ColumnError, match=message):
            prepare(data, ColumnRequest("day", **{option: value}), 1, no_progress)


def test_a_path_that_is_an_address_is_read_as_one_and_shows_no_password(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    path = Path("postgresql://ada:hunter2@localhost/shop::orders")
    with pytest.raises(ImportError, match=r"pip install 'modlearn\[postgres\]'"):
        prepare(path, ColumnRequest("y"), 1, no_progress, Room(10**9))
    for other in (path, Path("mysql://ada:hunter2@localhost/shop::orders")):
        with pytest.raises(ValueError, match=r"ada:\*\*\*@localhost") as raised:
            open_data(other)
        assert "hunter2" not in str(raised.value)
