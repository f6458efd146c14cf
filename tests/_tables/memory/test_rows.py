"""Rows in memory: read by name, divided into folds, sampled, and what they say of themselves."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests._statistics.columns import assert_same_bits

from modlearn._statistics.rows import Bins, Split
from modlearn._tables.memory import rows as module
from modlearn._tables.memory.rows import MemoryRows, TableBatch
from modlearn._tables.memory.table import read_table
from modlearn._tables.memory.target import Target
from modlearn.errors import ColumnError
from modlearn.schema import Column, Kind, Schema


@pytest.fixture
def table():
    days = pd.to_datetime(["2020-01-01", None, "2020-01-03"])
    return read_table(pd.DataFrame({"x": [1, 2, 3], "c": ["b", None, "a"], "day": days}))


def test_columns_are_read_by_name(table):
    batch = TableBatch(table)
    assert batch.n_rows == 3
    assert batch.numeric("x").tolist() == [1.0, 2.0, 3.0]
    codes, categories = batch.categorical("c")
    assert (codes.tolist(), categories) == ([1, -1, 0], ("a", "b"))


def test_columns_can_have_the_names_of_a_model(table):
    batch = TableBatch(table, [0, 1, 2])
    assert batch.numeric(0).tolist() == [1.0, 2.0, 3.0]


def test_the_kind_of_a_column_is_known_before_and_after_it_is_read(table):
    batch = TableBatch(table)
    assert batch.kind("day") == Kind.DATETIME
    assert np.isnan(batch.numeric("day")).tolist() == [False, True, False]
    assert (batch.kind("x"), batch.kind("day")) == (Kind.NUMERIC, Kind.DATETIME)


def test_a_batch_that_keeps_reads_a_column_once(table):
    kept, fresh = TableBatch(table, keeps=True), TableBatch(table)
    assert kept.numeric("day") is kept.numeric("day")
    assert fresh.numeric("day") is not fresh.numeric("day")
    assert kept.categorical("c")[0] is kept.categorical("c")[0]
    assert kept.categorical("x")[1] == fresh.categorical("x")[1]


def test_text_is_not_read_as_numbers(table):
    with pytest.raises(ColumnError, match="Column 'c' holds text"):
        TableBatch(table).numeric("c")


# rows and their statistics

N_FOLDS = 3
CLASSES = np.array(["no", "perhaps", "yes"])
NUMBERS = [np.nan, -np.inf, -1.5, 0.0, 2.0, 2.5]
TEXTS = [None, "a", "b", "c"]
SCHEMA = Schema(
    (
        Column("x", Kind.NUMERIC, ordered=True),
        Column("c", Kind.TEXT, ordered=False),
        Column("n", Kind.NUMERIC, ordered=False),
    )
)
NAMES = list(SCHEMA.names)
PAIRS = [("x", "c"), ("c", "n"), ("n", "x")]

CELLS = st.tuples(
    st.sampled_from(NUMBERS),
    st.sampled_from(TEXTS),
    st.integers(0, 3),
    st.sampled_from([0, 0, 1, 1, 2, 3]),  # 3 = unlabeled
    st.integers(0, 3),
)
TABLES = st.lists(CELLS, min_size=1, max_size=40)


def frame_of(cells):
    return pd.DataFrame(
        {
            "x": np.array([row[0] for row in cells], dtype=float),
            "c": pd.Series([row[1] for row in cells], dtype=object),
            "n": [row[2] for row in cells],
        }
    )


def columns_of(rows, names):
    return [rows.schema.by_name[name] for name in names]


def rows_of(cells, weighted=False, schema=SCHEMA):
    """Rows of a table; the classes are always three."""
    codes = np.array([row[3] for row in cells], dtype=np.int32)
    weights = np.array([row[4] for row in cells], dtype=np.int64) if weighted else None
    return MemoryRows.of(read_table(frame_of(cells)), schema, Target(CLASSES, codes, weights), "y")


def taken(cells, rows):
    """The cells of some rows of a table."""
    return [cells[i] for i in rows.batch.row_numbers.tolist()]


@dataclass(frozen=True)
class Sign:
    """Parts of a column: negative, missing, zero or positive."""

    name: str = "x"

    def codes_in(self, batch):
        return np.nan_to_num(np.sign(batch.numeric(self.name)), nan=7).astype(np.int32)


@dataclass(frozen=True)
class First:
    """Parts of a column: the category "a" and the others."""

    def codes_in(self, batch):
        codes, categories = batch.categorical("c")
        return np.array([code >= 0 and categories[code] == "a" for code in codes], dtype=np.int32)


def bins_of(rows):
    """A bin, 0 or 1, of every distinct labeled value."""
    (pair,) = rows.cells([("x", "c")])
    return [
        Bins(name, (np.arange(axis.n_values) % 2).astype(np.uint8))
        for name, axis in zip(("x", "c"), pair.axes, strict=True)
    ]


def assert_same_statistics(rows, alone):
    """All that is asked of rows, asked of both."""
    assert_same_bits(*(r.numeric(["x"])[0] for r in (rows, alone)))
    for name in ("c", "n"):
        assert_same_bits(*(r.categories([name])[0] for r in (rows, alone)))
    for one, two in zip(rows.cells(PAIRS), alone.cells(PAIRS), strict=True):
        assert_same_pair(one, two)
    assert_same_arrays(rows.profiles([Sign(), First()], None), alone.profiles([Sign(), First()], 1))
    assert [b.column for b in bins_of(rows)] == [b.column for b in bins_of(alone)]
    pairs = np.array([[0, 1]])
    one, two = (r.binned(bins_of(r), 2).cells(pairs) for r in (rows, alone))
    np.testing.assert_array_equal(one, two, strict=True)
    assert rows.target.counts.tolist() == alone.target.counts.tolist()
    assert rows.target.n_unlabeled == alone.target.n_unlabeled
    assert rows.fingerprint() == alone.fingerprint()


def assert_same_pair(one, two):
    assert one.n_classes == two.n_classes
    np.testing.assert_array_equal(one.classes, two.classes, strict=True)
    np.testing.assert_array_equal(one.rows, two.rows)
    for axis, other in zip(one.axes, two.axes, strict=True):
        assert (axis.n_values, axis.ordered) == (other.n_values, other.ordered)
        np.testing.assert_array_equal(axis.codes, other.codes, strict=True)


def assert_same_arrays(one, two):
    for name in ("codes", "classes", "rows"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name), strict=True)


SPLITS = st.builds(Split, st.integers(2, N_FOLDS), st.none(), st.integers(0, 9)) | st.builds(
    Split, st.just(1), st.sampled_from([0.2, 0.5]), st.integers(0, 9)
)


def some_row_counts(cells, weighted):
    return any(row[3] < 3 and (row[4] or not weighted) for row in cells)


quick = settings(deadline=None, max_examples=60)


@pytest.mark.parametrize("most_kept", [0, 10**9], ids=["made again", "kept"])
@quick
@given(cells=TABLES, weighted=st.booleans(), split=SPLITS)
def test_statistics_of_folds_are_those_of_a_table_of_their_rows(most_kept, cells, weighted, split):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_KEPT", most_kept)
        assume(max(np.bincount([row[3] for row in cells], minlength=4)[:3]) > 1)
        division = rows_of(cells, weighted).divide(split)
        assert len(division.folds) == split.n_folds
        folds = [rows for fold in division.folds for rows in (fold.train, fold.test)]
        for rows in [division.whole, *folds]:
            some = taken(cells, rows)
            assert rows.n_rows == len(some)
            if some_row_counts(some, weighted):
                assert_same_statistics(rows, rows_of(some, weighted))


@quick
@given(TABLES, SPLITS)
def test_every_labeled_row_is_tested_at_most_once_and_never_learned_from_then(cells, split):
    assume(max(np.bincount([row[3] for row in cells], minlength=4)[:3]) > 1)
    tested = []
    for fold in rows_of(cells).divide(split).folds:
        train, test = fold.train.batch.row_numbers.tolist(), fold.test.batch.row_numbers.tolist()
        assert sorted(train + test) == list(range(len(cells)))
        assert all(cells[row][3] < 3 for row in test)
        tested += test
    assert len(set(tested)) == len(tested) > 0


@quick
@given(TABLES, st.booleans(), st.integers(1, 50), st.integers(0, 9))
def test_statistics_of_a_sample_are_those_of_a_table_of_its_rows(cells, weighted, n_rows, seed):
    sample = rows_of(cells, weighted).sample(n_rows, seed)
    some = taken(cells, sample)
    assert len(some) == min(n_rows, len(cells))
    if some_row_counts(some, weighted):
        assert_same_statistics(sample, rows_of(some, weighted))


@quick
@given(TABLES, st.integers(1, 50), st.integers(0, 9))
def test_a_sample_of_labeled_rows_has_no_other(cells, n_rows, seed):
    sample = rows_of(cells).sample(n_rows, seed, labeled=True)
    some = taken(cells, sample)
    assert all(row[3] < 3 for row in some)
    assert len(some) == min(n_rows, sum(row[3] < 3 for row in cells))
    assert sample.target.n_unlabeled == 0


def test_a_sample_is_in_the_order_of_the_table_and_depends_on_the_seed():
    rows = rows_of([(float(i), "a", 0, i % 2, 1) for i in range(100)])
    found = [rows.sample(30, seed).batch.row_numbers.tolist() for seed in (0, 0, 1)]
    assert found[0] == found[1] == sorted(set(found[0]))
    assert found[0] != found[2]


@quick
@given(TABLES, st.booleans(), SPLITS)
def test_a_sample_can_be_divided(cells, weighted, split):
    rows = rows_of(cells, weighted).sample(max(1, len(cells) // 2), 0)
    some = taken(cells, rows)
    assume(max(np.bincount([row[3] for row in some], minlength=4)[:3]) > 1)
    for fold, other in zip(
        rows.divide(split).folds, rows_of(some, weighted).divide(split).folds, strict=True
    ):
        assert taken(cells, fold.test) == taken(some, other.test)
        if some_row_counts(taken(some, other.train), weighted):
            assert_same_statistics(fold.train, other.train)


@quick
@given(TABLES, st.permutations(NAMES), st.integers(1, 3))
def test_selected_columns_keep_their_rows_and_statistics(cells, names, n_names):
    rows = rows_of(cells)
    some = rows.select(columns_of(rows, names[:n_names]))
    assert list(some.schema.names) == names[:n_names]
    assert some.n_rows == rows.n_rows
    assert some.target.counts.tolist() == rows.target.counts.tolist()
    for name in names[:n_names]:
        ask = "numeric" if rows.schema.by_name[name].ordered else "categories"
        assert_same_bits(getattr(some, ask)([name])[0], getattr(rows, ask)([name])[0])


def test_a_column_that_is_not_selected_is_not_there():
    whole = rows_of([(1.0, "a", 1, 0, 1)])
    rows = whole.select(columns_of(whole, ["c"]))
    assert "x" not in rows.schema.names
    with pytest.raises(KeyError):
        rows.summaries(["x"])


@quick
@given(TABLES, st.data())
def test_rows_of_rows_are_those_of_the_table(cells, data):
    batch = rows_of(cells, weighted=True).batch
    number = st.integers(0, len(cells) - 1)
    some = np.array(data.draw(st.lists(number, min_size=1)), dtype=np.intp)
    again = data.draw(st.lists(st.integers(0, len(some) - 1), min_size=1))
    part = batch.at(some).at(np.array(again, dtype=np.intp))
    expected = some[again]
    assert part.n_rows == len(again)
    assert part.row_numbers.tolist() == expected.tolist()
    np.testing.assert_array_equal(part.numeric("x"), batch.numeric("x")[expected])
    np.testing.assert_array_equal(part.categorical("c")[0], batch.categorical("c")[0][expected])
    assert part.labels.tolist() == [cells[i][3] for i in expected]
    assert part.weights.tolist() == [cells[i][4] for i in expected]
    assert (part.kind("x"), batch.n_rows) == (Kind.NUMERIC, len(cells))


@quick
@given(TABLES, st.integers(1, 50))
def test_batches_are_all_rows_in_their_order(cells, n_rows):
    batches = list(rows_of(cells).batches(n_rows))
    found = [row for batch in batches for row in batch.row_numbers.tolist()]
    assert found == list(range(len(cells)))
    assert all(batch.n_rows == n_rows for batch in batches[:-1])
    (whole,) = rows_of(cells).batches()
    assert whole.n_rows == len(cells)


@quick
@given(TABLES)
def test_summaries_count_all_rows_whether_labeled_or_not(cells):
    numbers, texts, whole = rows_of(cells).summaries(["x", "c", "n"])
    present = [row[0] for row in cells if row[0] == row[0]]
    assert numbers.n_missing == len(cells) - len(present)
    assert numbers.n_distinct == len(set(present))
    words = [row[1] for row in cells]
    assert (texts.n_missing, texts.n_distinct) == (words.count(None), len({*words} - {None}))
    assert texts.common_share == words.count(texts.common) / len(words)
    assert texts.common_share == max(map(words.count, words)) / len(words)
    assert whole.n_distinct == len({row[2] for row in cells})


def test_distinct_numbers_of_large_tables_are_not_counted(monkeypatch):
    monkeypatch.setattr(module, "MOST_COUNTED", 5)
    (found,) = rows_of([(1.0, "a", 0, 0, 1), (2.0, "a", 0, 0, 1)]).summaries(["x"])
    assert found.n_distinct is None


# fingerprints


@quick
@given(TABLES, st.booleans(), st.randoms(use_true_random=False))
def test_a_fingerprint_does_not_depend_on_the_order_of_rows(cells, weighted, random):
    assume(some_row_counts(cells, weighted))
    shuffled = random.sample(cells, len(cells))
    assert rows_of(cells, weighted).fingerprint() == rows_of(shuffled, weighted).fingerprint()


@quick
@given(TABLES, st.data())
def test_a_fingerprint_differs_if_a_cell_or_a_class_changes(cells, data):
    labeled = [i for i, row in enumerate(cells) if row[3] < 3]
    assume(labeled)
    row, column = data.draw(st.sampled_from(labeled)), data.draw(st.integers(0, 3))
    old = cells[row][column]
    allowed = (NUMBERS, TEXTS, range(4), range(4))[column]
    new = data.draw(st.sampled_from([v for v in allowed if v is not old and v != old]))
    changed = [*cells]
    changed[row] = (*cells[row][:column], new, *cells[row][column + 1 :])
    assume(any(other[3] < 3 for other in changed))
    assert rows_of(changed).fingerprint() != rows_of(cells).fingerprint()


def test_a_fingerprint_differs_if_a_column_is_renamed_left_out_or_treated_otherwise():
    cells = [(1.0, "a", 1, 0, 1), (2.0, "b", 2, 1, 1), (2.0, None, 0, 2, 1)]
    rows = rows_of(cells)
    table, target = read_table(frame_of(cells).rename(columns={"x": "z"})), rows.batch.target
    columns = (Column("z", Kind.NUMERIC, ordered=True), *SCHEMA.columns[1:])
    renamed = MemoryRows.of(table, Schema(columns), target)
    grouped = Schema((Column("x", Kind.NUMERIC, ordered=False), *SCHEMA.columns[1:]))
    others = [
        renamed,
        rows.select(columns_of(rows, ["x", "c"])),
        rows.select(columns_of(rows, ["c", "x", "n"])),
        rows_of(cells, schema=grouped),
    ]
    prints = {other.fingerprint() for other in [rows, *others]}
    assert len(prints) == 5


def test_a_fingerprint_is_that_of_labeled_rows_which_count():
    cells = [(1.0, "a", 1, 0, 1), (2.0, "b", 2, 1, 2)]
    rest = [(7.0, "z", 3, 3, 1), (8.0, None, 0, 0, 0)]
    one, two = rows_of(cells, weighted=True), rows_of(cells + rest, weighted=True)
    assert one.fingerprint() == two.fingerprint()
    repeated = [*cells, cells[1]]
    assert rows_of(repeated).fingerprint() == one.fingerprint() != rows_of(cells).fingerprint()
