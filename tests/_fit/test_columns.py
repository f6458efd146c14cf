import datetime as dt
from decimal import Decimal
from itertools import compress

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests._estimators.samples import all_facts, values_of

from modlearn import Discretizer, Encoder, Grouper
from modlearn._estimators.discretization import METHODS
from modlearn.errors import ColumnError

HALF = 15
Y = [0] * HALF + [1] * HALF
START = dt.datetime(2020, 1, 1)


def ramp(value):
    """Values 0 to 2 HALF - 1 turned into those of a column."""
    return [value(i) for i in range(2 * HALF)]


def pandas(values, **options):
    return pd.DataFrame({"c": pd.Series(values, **options)})


NUMERIC = {
    "int64": pandas(ramp(int)),
    "uint8": pandas(ramp(int), dtype="uint8"),
    "float32": pandas(ramp(lambda i: i / 7), dtype="float32"),
    "nullable integer": pandas(ramp(int), dtype="Int64"),
    "nullable float": pandas(ramp(float), dtype="Float64"),
    "arrow integer": pandas(ramp(int), dtype="int64[pyarrow]"),
    "object": pandas(ramp(int), dtype=object),
    "decimal": pandas(ramp(lambda i: Decimal(i) / 10)),
    "polars decimal": pl.DataFrame({"c": ramp(lambda i: Decimal(i) / 10)}),
    "day": pandas(ramp(lambda i: START.date() + dt.timedelta(i))),
    "polars day": pl.DataFrame({"c": ramp(lambda i: START.date() + dt.timedelta(i))}),
    "datetime": pandas(ramp(lambda i: START + dt.timedelta(hours=i))),
    "nanoseconds": pandas(pd.date_range("2020", periods=2 * HALF, freq="us", unit="ns")),
    "zoned": pandas(pd.date_range("2020-03-29", periods=2 * HALF, freq="h", tz="Europe/Paris")),
    "timedelta": pandas(ramp(lambda i: dt.timedelta(hours=i))),
    "time of day": pa.table({"c": ramp(lambda i: dt.time(i // 2, i % 2 * 30))}),
    "billion plus micro": pandas(ramp(lambda i: 1e9 + i * 1e-6)),
    "neighboring floats": pandas(np.nextafter(1.0, 2.0) + np.arange(2 * HALF) * 2.0**-52),
    "subnormal": pandas(ramp(lambda i: i * 5e-324)),
    "huge": pandas([-1.7e308] * HALF + [1.7e308] * HALF),
    "minus infinity": pandas([-np.inf] * HALF + ramp(float)[:HALF]),
    "infinity": pandas(ramp(float)[:HALF] + [np.inf] * HALF),
    "both infinities": pandas([-np.inf] * HALF + [np.inf] * HALF),
    "signed zeros and a subnormal": pandas([0.0, -0.0, 0.0] * 5 + [5e-324] * HALF),
}
CATEGORICAL = {
    "bool": pandas([False] * HALF + [True] * HALF),
    "nullable bool": pandas([False] * HALF + [True] * HALF, dtype="boolean"),
    "text": pandas(["a"] * HALF + ["b"] * HALF),
    "text object": pandas(["a"] * HALF + ["b"] * HALF, dtype=object),
    "nullable text": pandas(["a"] * HALF + ["b"] * HALF, dtype="string"),
    "category": pandas(["a"] * HALF + ["b"] * HALF, dtype="category"),
    "category of numbers": pandas([1] * HALF + [2] * HALF, dtype="category"),
    "polars category": pl.DataFrame({"c": ["a"] * HALF + ["b"] * HALF}).cast(pl.Categorical),
    "arrow dictionary": pa.table({"c": pa.array(["a"] * HALF + ["b"] * HALF).dictionary_encode()}),
}
EVERY = NUMERIC | CATEGORICAL


def codes_of(fitted, X):
    return [row[0] for row in values_of(fitted.transform(X))]


# types of columns


@pytest.mark.parametrize("X", NUMERIC.values(), ids=NUMERIC)
def test_a_column_of_ordered_values_is_cut_in_two(X):
    encoder = Encoder().fit(X, Y)
    assert encoder.partitions_["c"].counts.tolist() == [[HALF, 0], [0, HALF]]
    assert encoder.partitions_["c"].cuts.size == 1
    assert codes_of(encoder, X) == Y


@pytest.mark.parametrize("X", NUMERIC.values(), ids=NUMERIC)
def test_discretizer_does_to_ordered_values_what_encoder_does(X):
    assert all_facts(Discretizer().fit(X, Y)) == all_facts(Encoder().fit(X, Y))


@pytest.mark.parametrize("X", CATEGORICAL.values(), ids=CATEGORICAL)
def test_a_column_of_categories_is_put_in_two_groups(X):
    encoder = Encoder().fit(X, Y)
    assert encoder.partitions_["c"].counts.tolist() == [[HALF, 0], [0, HALF]]
    assert [len(group) for group in encoder.partitions_["c"].groups] == [1, 1]
    assert codes_of(encoder, X) == Y


@pytest.mark.parametrize("X", EVERY.values(), ids=EVERY)
def test_grouper_takes_every_type(X):
    # Every row counts often: a value that occurs once cannot be distinguished from noise.
    grouper = Grouper().fit(X, Y, sample_weight=[20] * 2 * HALF)
    assert codes_of(grouper, X) == Y


@pytest.mark.parametrize("name", ["day", "datetime", "zoned", "nanoseconds"])
def test_dates_are_cut_at_iso_dates(name):
    cut = {
        "day": "2020-01-15T12:00:00",
        "datetime": "2020-01-01T14:30:00",
        "zoned": "2020-03-29T13:30:00",
        "nanoseconds": "2020-01-01T00:00:00.000014",
    }[name]
    labels = Encoder().fit(NUMERIC[name], Y).partitions_["c"].labels
    assert labels == [f"(-inf, {cut}]", f"({cut}, inf)"]


@pytest.mark.parametrize(("name", "cut"), [("timedelta", "14:30:00"), ("time of day", "07:15:00")])
def test_durations_are_cut_at_readable_durations(name, cut):
    labels = Encoder().fit(NUMERIC[name], Y).partitions_["c"].labels
    assert labels == [f"(-inf, {cut}]", f"({cut}, inf)"]


def test_alternating_neighbors_of_a_billion_are_all_told_apart():
    values = np.repeat(1e9 + np.arange(6) * 2.0**-23, 40)
    X, y = values[:, None], np.repeat(np.arange(6) % 2, 40)
    discretizer = Discretizer().fit(X, y)
    assert discretizer.transform(X).ravel().tolist() == np.repeat(np.arange(6), 40).tolist()


def test_infinities_zero_and_subnormals_are_ordered_values():
    values = np.array([-np.inf, -1.7e308, -5e-324, 0.0, 5e-324, 1.7e308, np.inf])
    X, y = np.repeat(values, 40)[:, None], np.repeat(np.arange(7) % 2, 40)
    discretizer = Discretizer().fit(X, y)
    assert discretizer.transform(values[:, None]).ravel().tolist() == list(range(7))


# missing values


def with_missing(values, make):
    """HALF rows with a value, one after another, and HALF without."""
    return make([*values[:HALF], *[None] * HALF])


MISSING_NUMERIC = {
    "float": lambda values: pandas(values, dtype=float),
    "float32": lambda values: pandas(values, dtype="float32"),
    "nullable integer": lambda values: pandas(values, dtype="Int64"),
    "object": lambda values: pandas(values, dtype=object),
    "decimal": lambda values: pandas([None if v is None else Decimal(v) for v in values]),
    "datetime": lambda values: pandas(pd.to_datetime(values, unit="D")),
    "zoned": lambda values: pandas(pd.to_datetime(values, unit="D", utc=True)),
    "timedelta": lambda values: pandas(pd.to_timedelta(values, unit="h")),
    "polars": lambda values: pl.DataFrame({"c": values}),
    "arrow": lambda values: pa.table({"c": values}),
    "masked array": lambda values: np.ma.masked_invalid(np.array(values, dtype=float)[:, None]),
}
MISSING_CATEGORICAL = {
    "text": lambda values: pandas(values),
    "nullable text": lambda values: pandas(values, dtype="string"),
    "category": lambda values: pandas(values, dtype="category"),
    "object": lambda values: pandas(values, dtype=object),
    "polars": lambda values: pl.DataFrame({"c": values}),
    "arrow": lambda values: pa.table({"c": values}),
}


@pytest.mark.parametrize("make", MISSING_NUMERIC.values(), ids=MISSING_NUMERIC)
def test_missing_values_that_differ_are_a_part_of_their_own(make):
    X = with_missing(range(HALF), make)
    encoder = Encoder().fit(X, Y)
    (partition,) = encoder.partitions_.values()
    assert partition.labels == ["missing", "(-inf, inf)"]
    assert (partition.missing_alone, partition.n_missing) == (True, HALF)
    assert codes_of(encoder, X) == [1] * HALF + [0] * HALF


@pytest.mark.parametrize("make", MISSING_CATEGORICAL.values(), ids=MISSING_CATEGORICAL)
def test_missing_categories_that_differ_are_a_group_of_their_own(make):
    X = with_missing(["a"] * HALF, make)
    encoder = Encoder().fit(X, Y)
    assert sorted(encoder.partitions_["c"].labels) == ["{a}", "{missing}"]
    codes = codes_of(encoder, X)
    assert len(set(codes[:HALF])) == len(set(codes[HALF:])) == 1
    assert codes[0] != codes[-1]


def test_missing_booleans_are_a_category():
    X = pandas([True, False, None] * 20, dtype="boolean")
    encoder = Encoder().fit(X, [0, 0, 1] * 20)
    assert encoder.partitions_["c"].groups == ((False, True), (None,))


def test_missing_values_like_the_lowest_share_their_interval():
    X = pandas([None, 1.0, 2.0, 9.0] * 20)
    partition = Encoder().fit(X, [0, 0, 0, 1] * 20).partitions_["c"]
    assert partition.labels == ["missing or (-inf, 5.5]", "(5.5, inf)"]
    assert (partition.missing_alone, partition.n_missing) == (False, 20)
    assert partition.counts.tolist() == [[60, 0], [0, 20]]


def test_missing_values_alone_leave_room_for_more_cuts():
    X = pandas([None, 1.0, 2.0, 9.0] * 20)
    encoder = Encoder().fit(X, [2, 0, 0, 1] * 20)
    assert encoder.partitions_["c"].labels == ["missing", "(-inf, 5.5]", "(5.5, inf)"]
    assert codes_of(encoder, X) == [0, 1, 1, 2] * 20


def test_values_never_missing_in_the_training_data_go_to_the_lowest_interval():
    encoder = Encoder().fit(pandas(ramp(float)), Y)
    assert encoder.partitions_["c"].labels == ["(-inf, 14.5]", "(14.5, inf)"]
    assert codes_of(encoder, pandas([np.nan, 29.0])) == [0, 1]


def test_missing_rows_count_as_often_as_they_weigh():
    X = pandas([None, 1.0, None, 9.0])
    fitted = Encoder().fit(X, [0, 0, None, 1], sample_weight=[20, 20, 3, 20])
    assert fitted.partitions_["c"].n_missing == 23


# types that change between fit and transform


def test_text_where_fit_saw_numbers_is_refused_with_a_remedy():
    encoder = Encoder().fit(pandas(ramp(float)), Y)
    message = r"Column 'c' holds text \(row 1 is 'x'\), but numbers are needed: convert it [^,]*\.$"
    with pytest.raises(ColumnError, match=message):
        encoder.transform(pandas([None, "x"]))


def test_numbers_where_fit_saw_text_are_refused():
    encoder = Encoder().fit(CATEGORICAL["text"], Y)
    with pytest.raises(
        ColumnError, match="Column 'c' held text in the training data but holds numbers now"
    ):
        encoder.transform(pandas([3, 4]))


@pytest.mark.parametrize(
    ("fitted", "given", "message"),
    [
        (
            "datetime",
            "int64",
            "held datetime values in the training data but holds numeric values now: convert",
        ),
        (
            "int64",
            "datetime",
            "held numeric values in the training data but holds datetime values now: convert",
        ),
        (
            "timedelta",
            "datetime",
            "held duration values in the training data but holds datetime values now",
        ),
    ],
)
def test_dates_and_numbers_are_not_taken_for_each_other(fitted, given, message):
    encoder = Encoder().fit(NUMERIC[fitted], Y)
    with pytest.raises(ColumnError, match=f"Column 'c' {message}"):
        encoder.transform(NUMERIC[given])


def test_a_column_of_nothing_fits_dates_as_well():
    encoder = Encoder().fit(NUMERIC["datetime"], Y)
    assert codes_of(encoder, pandas([None, None], dtype=object)) == [0, 0]


def test_a_column_of_nothing_in_fit_takes_dates_in_transform():
    encoder = Encoder().fit(pandas([None] * 2 * HALF, dtype=object), Y)
    assert codes_of(encoder, NUMERIC["datetime"]) == [0] * 2 * HALF


# unlabeled rows, however they are marked


UNLABELED = {
    "list with None": (lambda y: y, None),
    "array with NaN": (lambda y: np.array(y, dtype=float), None),
    "array of objects": (lambda y: np.array(y, dtype=object), None),
    "pandas with NaN": (lambda y: pd.Series(y, dtype=float), None),
    "pandas with NA": (lambda y: pd.Series(y, dtype="Int64"), None),
    "pandas category": (lambda y: pd.Series(y, dtype="category"), None),
    "polars": (pl.Series, None),
    "arrow": (lambda y: pa.chunked_array([y]), None),
    "-1": (lambda y: [-1 if v is None else v for v in y], -1),
    "?": (lambda y: ["?" if v is None else f"class {v}" for v in y], "?"),
    "? and None": (lambda y: ["?" if v is None else v for v in y[:60]] + y[60:], "?"),
}


@pytest.mark.parametrize("method", sorted(METHODS))
@pytest.mark.parametrize(("wrap", "marker"), UNLABELED.values(), ids=UNLABELED)
def test_every_mark_of_unlabeled_rows_gives_the_same(people, wrap, marker, method):
    data, labels = people
    y = [None if i % 3 == 0 else int(label == "yes") for i, label in enumerate(labels)]
    encoder = Encoder(method=method, unlabeled=marker).fit(pd.DataFrame(data), wrap(y))
    assert encoder.classes_.size == 2
    reference = Encoder(method=method).fit(pd.DataFrame(data), y)
    assert all_facts(encoder) == all_facts(reference)
    assert encoder.partitions_["age"].unlabeled_counts.sum() == 40
    assert encoder.partitions_["city"].unlabeled_counts.sum() == 40


def test_a_label_that_means_unlabeled_is_a_class_unless_it_is_named():
    X, y = np.arange(4.0)[:, None], [-1, 0, 1, -1]
    assert Encoder().fit(X, y).classes_.tolist() == [-1, 0, 1]
    assert Encoder(unlabeled=-1).fit(X, y).classes_.tolist() == [0, 1]


# what must not change the result


@st.composite
def tables(draw, labels=(0, 1, 2, None)):
    """Rows of (number, category, label), each repeated so that there is something to find."""
    row = st.tuples(
        st.sampled_from([None, -np.inf, -2.5, 0.0, 1.0, 1e9, 1e9 + 1e-6, np.inf]),
        st.sampled_from([None, "a", "b", "c", "d", "e"]),
        st.sampled_from(labels),
    )
    kinds = draw(st.lists(st.tuples(row, st.integers(1, 9)), min_size=1, max_size=10))
    rows = [row for row, count in kinds for _ in range(count)]
    assume(any(label is not None for _, _, label in rows))
    return rows


def fit(rows, sample_weight=None, **parameters):
    """Encoder on rows of (number, category, label)."""
    numbers, categories, labels = zip(*rows, strict=True)
    X = pd.DataFrame(
        {
            "x": np.array(numbers, dtype=float),
            "c": pd.Series(categories, dtype="str"),
        }
    )
    return Encoder(**parameters).fit(X, list(labels), sample_weight=sample_weight)


quick = settings(deadline=None, max_examples=60)


@pytest.mark.parametrize("method", sorted(METHODS))
@quick
@given(data=st.data())
def test_weights_are_repeated_rows(method, data):
    rows = data.draw(tables())
    counts = st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows))
    weights = data.draw(counts)
    repeated = [row for row, weight in zip(rows, weights, strict=True) for _ in range(weight)]
    assume(any(label is not None for _, _, label in repeated))
    # A column without values is not read as text, even if rows of weight 0 have some.
    assume(any(c is not None for _, c, _ in repeated) or all(c is None for _, c, _ in rows))
    weighted = fit(rows, sample_weight=weights, method=method)
    assert all_facts(weighted) == all_facts(fit(repeated, method=method))
    assert weighted.classes_.tolist() == fit(repeated).classes_.tolist()


@pytest.mark.parametrize("method", sorted(METHODS))
@quick
@given(rows=tables(), random=st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter(method, rows, random):
    shuffled = random.sample(rows, len(rows))
    assert all_facts(fit(rows, method=method)) == all_facts(fit(shuffled, method=method))


@pytest.mark.parametrize("method", sorted(METHODS))
@quick
@given(rows=tables(), names=st.permutations(["z", "m", "a"]))
def test_the_names_and_the_order_of_the_classes_do_not_matter(method, rows, names):
    renamed = [(x, c, None if y is None else names[y]) for x, c, y in rows]
    one, other = fit(rows, method=method), fit(renamed, method=method)
    order = [other.classes_.tolist().index(names[label]) for label in one.classes_]
    for name, partition in one.partitions_.items():
        same = other.partitions_[name]
        assert partition.labels == same.labels
        assert partition.counts.tolist() == same.counts[:, order].tolist()
        assert partition.cost == pytest.approx(same.cost, rel=1e-12)


def moved(rows, data):
    """The rows with other numbers in the same order."""
    values = sorted({x for x, _, _ in rows if x is not None})
    finite = st.floats(allow_nan=False, allow_infinity=True)
    drawn = st.lists(finite, min_size=len(values), max_size=len(values), unique=True)
    image = dict(zip(values, sorted(data.draw(drawn)), strict=True)) | {None: None}
    return [(image[x], c, y) for x, c, y in rows]


def codes_of_rows(fitted, rows):
    return fitted.partitions_["x"].codes(np.array([x for x, _, _ in rows], dtype=float)).tolist()


@pytest.mark.parametrize("method", sorted(METHODS))
@quick
@given(rows=tables(labels=(0, 1, 2)), data=st.data())
def test_a_strictly_increasing_transform_leaves_the_parts_alone(method, rows, data):
    others = moved(rows, data)
    one, other = fit(rows, method=method), fit(others, method=method)
    assert codes_of_rows(one, rows) == codes_of_rows(other, others)
    assert one.levels_ == other.levels_


@pytest.mark.parametrize("method", sorted(METHODS))
@quick
@given(rows=tables(), data=st.data())
def test_a_strictly_increasing_transform_leaves_labeled_rows_in_their_parts(method, rows, data):
    others = moved(rows, data)
    one, other = fit(rows, method=method), fit(others, method=method)
    labeled = [y is not None for _, _, y in rows]
    codes, codes_after = codes_of_rows(one, rows), codes_of_rows(other, others)
    assert list(compress(codes, labeled)) == list(compress(codes_after, labeled))


@quick
@given(rows=tables(), data=st.data())
def test_a_strictly_increasing_transform_leaves_map_parts_of_unlabeled_rows_alone(rows, data):
    others = moved(rows, data)
    one, other = fit(rows, method="map"), fit(others, method="map")
    assert codes_of_rows(one, rows) == codes_of_rows(other, others)


@quick
@given(rows=tables(), n_jobs=st.sampled_from([2, -1]))
def test_the_number_of_threads_does_not_matter(rows, n_jobs):
    assert all_facts(fit(rows, n_jobs=1)) == all_facts(fit(rows, n_jobs=n_jobs))
