"""Values with more digits than float64 keeps stay different, in every library."""

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import modlearn
from modlearn import Discretizer, Encoder, Grouper, SelectiveNaiveBayesClassifier

DIGITS = np.random.default_rng(0).permutation(np.arange(400) % 40)
CLASSES = np.where(DIGITS % 2, "odd", "even")
WHOLE = [10**20 + int(i) for i in DIGITS]
SIGNED = [2**63 - 20 + int(i) if i else -1 for i in DIGITS]
EXACT = [Decimal(10**20) + int(i) + Decimal("0.5") for i in DIGITS]
TIMES = np.datetime64("2020-01-31", "ns") + DIGITS.astype("m8[ns]")
SPANS = DIGITS.astype("m8[ns]")

COLUMNS = {
    "pandas whole": lambda: pd.Series(WHOLE, dtype=object),
    "pandas signed": lambda: pd.Series(SIGNED, dtype=object),
    "pandas decimal": lambda: pd.Series(EXACT, dtype=object),
    "pandas arrow decimal": lambda: pd.Series(EXACT, dtype=pd.ArrowDtype(pa.decimal128(30, 1))),
    "pandas nanoseconds": lambda: pd.Series(TIMES),
    "pandas timestamps": lambda: pd.Series(list(pd.Series(TIMES)), dtype=object),
    "pandas durations": lambda: pd.Series(SPANS),
    "polars whole": lambda: pl.Series("a", WHOLE, dtype=pl.Int128),
    "polars decimal": lambda: pl.Series("a", EXACT, dtype=pl.Decimal(30, 1)),
    "polars nanoseconds": lambda: pl.Series("a", TIMES),
    "arrow decimal": lambda: pa.chunked_array([pa.array(EXACT, type=pa.decimal128(30, 1))]),
    "arrow nanoseconds": lambda: pa.chunked_array([pa.array(TIMES)]),
    "numpy whole": lambda: np.array(WHOLE, dtype=object),
    "numpy decimal": lambda: np.array(EXACT, dtype=object),
    "numpy nanoseconds": lambda: TIMES,
    "numpy unsigned": lambda: np.uint64(2**64 - 100) + DIGITS.astype(np.uint64),
}


def frame_of(column):
    if isinstance(column, np.ndarray):
        return column.reshape(-1, 1)
    if isinstance(column, pl.Series):
        return pl.DataFrame({"x0": column})
    return (
        pd.DataFrame({"x0": column})
        if isinstance(column, pd.Series)
        else pa.table([column], ["x0"])
    )


def rows_of(frame, stop):
    return frame.slice(0, stop) if isinstance(frame, pa.Table) else frame[:stop]


@pytest.fixture(params=COLUMNS)
def column(request):
    return COLUMNS[request.param]()


@pytest.mark.parametrize("estimator", [Grouper, SelectiveNaiveBayesClassifier])
def test_forty_values_stay_forty_and_are_found_again(tmp_path, column, estimator):
    frame = frame_of(column)
    if estimator is Grouper:
        fitted, apply = Grouper().fit(frame, CLASSES), "transform"
        (groups,) = (part.groups for part in fitted.partitions_.values())
        assert sum(map(len, groups)) == 40
    else:
        fitted, apply = modlearn.fit(frame, CLASSES, as_categorical="x0"), "predict"
        assert (fitted.predict(frame) == CLASSES).all()
    fitted.save(tmp_path / "model.json")
    loaded = modlearn.load(tmp_path / "model.json")
    expected = np.asarray(getattr(fitted, apply)(frame)).ravel()
    assert len(set(expected)) == 2
    for stop in (1, 3, len(CLASSES)):
        found = np.asarray(getattr(loaded, apply)(rows_of(frame, stop))).ravel()
        assert found.tolist() == expected[:stop].tolist()


def test_forty_classes_stay_forty(tmp_path, column):
    number = DIGITS.reshape(-1, 1).astype(float)
    classifier = SelectiveNaiveBayesClassifier().fit(number, column)
    assert len(classifier.classes_) == 40
    assert classifier.score(number, column) >= 0.5  # neighbors may share an interval
    if classifier.classes_.dtype.kind not in "Mm":  # files hold text and numbers
        classifier.save(tmp_path / "model.json")
        loaded = modlearn.load(tmp_path / "model.json")
        assert (loaded.predict(number) == classifier.predict(number)).all()


def test_an_encoder_groups_exact_values_where_they_are_categories():
    frame = pd.DataFrame({"a": pd.Categorical(WHOLE)})
    encoded = Encoder().fit(frame, CLASSES).transform(frame)
    assert len(set(np.asarray(encoded).ravel())) == 2


def test_small_numbers_are_found_among_those_of_many_digits():
    values = [5, *[10**20 + i for i in range(39)]] * 10
    classes = ["small" if value == 5 else "large" for value in values]
    grouper = Grouper().fit(pd.DataFrame({"a": pd.Series(values, dtype=object)}), classes)
    (small,) = grouper.transform(pd.DataFrame({"a": [5]})).to_numpy().ravel()
    (large,) = grouper.transform(pd.DataFrame({"a": [10**20]})).to_numpy().ravel()
    assert {small, large} == {0, 1}


def test_equal_decimals_are_one_value_however_they_are_written():
    texts = ["1.50", "1.5", "12345678901234567890.0", "12345678901234567890"] * 10
    column = pd.Series([Decimal(text) for text in texts], dtype=object)
    grouper = Grouper().fit(column.to_frame("a"), [0, 0, 1, 1] * 10)
    assert grouper.partitions_["a"].groups == (("1.5",), ("12345678901234567890",))


@pytest.mark.parametrize("name", ["pandas whole", "polars decimal", "pandas nanoseconds"])
def test_rounding_that_merges_values_is_reported(name):
    frame = frame_of(COLUMNS[name]())
    other = pd.DataFrame({"b": DIGITS, "x0": frame["x0"].to_list()}, dtype=object)
    if "nanoseconds" in name:
        other = pd.DataFrame({"b": DIGITS, "x0": TIMES})
    (left_out,) = modlearn.fit(other, CLASSES).facts.left_out
    assert (left_out.name, left_out.reason) == ("x0", "merged")
    assert len(Discretizer().fit(other[["x0"]], CLASSES).partitions_["x0"].cuts) == 0
