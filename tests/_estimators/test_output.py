import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests._estimators.samples import values_of

from modlearn import Encoder, PairEncoder
from modlearn._estimators.output import OUTPUTS

KINDS = [
    pytest.param(pd.DataFrame, pd.DataFrame, id="pandas"),
    pytest.param(pl.DataFrame, pl.DataFrame, id="polars"),
    pytest.param(pa.table, pa.Table, id="arrow"),
]


@pytest.fixture(params=OUTPUTS)
def output(request):
    return request.param


def names_of(frame):
    return frame.column_names if isinstance(frame, pa.Table) else list(frame.columns)


# the kind of frame


@pytest.mark.parametrize(("wrap", "kind"), KINDS)
def test_a_frame_becomes_a_frame_of_the_same_kind(people, output, wrap, kind):
    data, y = people
    assert type(Encoder(output=output).fit_transform(wrap(data), y)) is kind


@pytest.mark.parametrize("wrap", [list, np.array])
def test_an_array_or_rows_become_an_array(output, wrap):
    X, y = wrap([[i, i % 7] for i in range(40)]), [0] * 20 + [1] * 20
    assert type(Encoder(output=output).fit_transform(X, y)) is np.ndarray


def test_an_arrow_batch_becomes_an_arrow_table(output):
    X, y = pa.record_batch({"a": range(40)}), [0] * 20 + [1] * 20
    assert type(Encoder(output=output).fit_transform(X, y)) is pa.Table


@pytest.mark.parametrize(("wrap", "kind"), KINDS)
def test_the_columns_are_named_as_get_feature_names_out_says(people, output, wrap, kind):
    data, y = people
    encoder = Encoder(output=output).fit(wrap(data), y)
    names = encoder.get_feature_names_out()
    assert names.dtype == object
    assert names_of(encoder.transform(wrap(data))) == names.tolist()


def test_the_columns_of_an_array_are_as_many_as_the_names(people, output, table):
    data, y = people
    encoder = Encoder(output=output).fit(table(data), y)
    rows = values_of(encoder.transform(table(data)))
    assert len(rows[0]) == encoder.get_feature_names_out().size


def test_every_kind_of_table_gives_the_same_values(people, output, table):
    data, y = people
    reference = Encoder(output=output).fit_transform(pd.DataFrame(data), y)
    assert values_of(Encoder(output=output).fit_transform(table(data), y)) == values_of(reference)


def test_the_index_of_pandas_is_kept(people, output):
    data, y = people
    X = pd.DataFrame(data, index=pd.Index([f"row {i}" for i in range(len(y))], name="key"))
    pd.testing.assert_index_equal(Encoder(output=output).fit_transform(X, y).index, X.index)


def test_the_users_frame_is_left_alone(people, output):
    data, y = people
    X = pd.DataFrame(data, index=range(100, 100 + len(y)))
    before = X.copy()
    Encoder(output=output).fit_transform(X, y)
    pd.testing.assert_frame_equal(X, before)


@pytest.mark.parametrize("output", ["code", "label"])
@pytest.mark.parametrize("columns", [[7, 3], [("a", 1), ("a", 2)]], ids=["integers", "tuples"])
def test_names_that_are_not_text_are_kept(output, columns):
    X = pd.DataFrame([[i, -i] for i in range(10)], columns=pd.Index(columns))
    transformed = Encoder(output=output).fit_transform(X, [0, 1] * 5)
    assert transformed.columns.tolist() == columns


def test_names_that_are_not_text_become_text_where_a_column_becomes_several():
    X = pd.DataFrame({7: range(40)})
    transformed = Encoder(output="onehot").fit_transform(X, [0] * 20 + [1] * 20)
    assert transformed.columns.tolist() == ["7=(-inf, 19.5]", "7=(19.5, inf)"]


@pytest.mark.parametrize("wrap", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize(
    ("container", "kind"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)]
)
def test_set_output_chooses_the_frame(people, output, wrap, container, kind):
    data, y = people
    encoder = Encoder(output=output).set_output(transform=container).fit(wrap(data), y)
    transformed = encoder.transform(wrap(data))
    assert type(transformed) is kind
    assert list(transformed.columns) == encoder.get_feature_names_out().tolist()
    default = Encoder(output=output).fit_transform(wrap(data), y)
    assert values_of(transformed) == values_of(default)


def test_set_output_names_the_columns_of_an_array(output):
    X, y = np.arange(40.0)[:, None], [0] * 20 + [1] * 20
    encoder = Encoder(output=output).set_output(transform="pandas").fit(X, y)
    assert encoder.transform(X).columns.tolist() == encoder.get_feature_names_out().tolist()


# codes


def test_codes_are_int64_from_zero_to_the_number_of_parts(people):
    data, y = people
    encoder = Encoder().fit(pd.DataFrame(data), y)
    codes = encoder.transform(pd.DataFrame(data))
    assert set(codes.dtypes) == {np.dtype(np.int64)}
    for name, partition in encoder.partitions_.items():
        assert sorted(codes[name].unique()) == list(range(partition.n_parts))


def test_codes_count_the_rows_that_the_partition_counted(people):
    data, y = people
    encoder = Encoder().fit(pd.DataFrame(data), y)
    codes = encoder.transform(pd.DataFrame(data))
    for name, partition in encoder.partitions_.items():
        counted = pd.crosstab(codes[name], np.array(y)).to_numpy()
        assert counted.tolist() == partition.counts.tolist()


# labels


def test_labels_are_those_of_the_parts(people):
    data, y = people
    encoder = Encoder().fit(pd.DataFrame(data), y)
    codes = encoder.transform(pd.DataFrame(data))
    labels = encoder.set_params(output="label").transform(pd.DataFrame(data))
    for name, partition in encoder.partitions_.items():
        assert labels[name].tolist() == [partition.labels[code] for code in codes[name]]


def test_labels_of_an_array_are_text_without_a_length():
    X, y = np.arange(40.0)[:, None], [0] * 20 + [1] * 20
    labels = Encoder(output="label").fit_transform(X, y)
    assert labels.dtype == object
    assert labels[[0, -1], 0].tolist() == ["(-inf, 19.5]", "(19.5, inf)"]


# indicators


def test_indicators_of_a_column_sum_to_one(people):
    data, y = people
    encoder = Encoder(output="onehot").fit(pd.DataFrame(data), y)
    indicators = encoder.transform(pd.DataFrame(data)).to_numpy()
    assert indicators.dtype == np.float64
    sizes = [partition.n_parts for partition in encoder.partitions_.values()]
    for columns in np.split(indicators, np.cumsum(sizes)[:-1], axis=1):
        assert columns.sum(axis=1).tolist() == [1.0] * len(y)


def test_an_indicator_is_named_by_its_column_and_its_label():
    X = pd.DataFrame({"color": ["red", "blue"] * 20})
    indicators = Encoder(output="onehot").fit_transform(X, [0, 1] * 20)
    assert indicators.columns.tolist() == ["color={blue}", "color={red}"]
    assert indicators["color={red}"].tolist() == [1.0, 0.0] * 20


def test_the_indicator_of_the_text_missing_is_not_lost_next_to_that_of_missing():
    X = pd.DataFrame({"a": ["missing", None] * 20})
    indicators = Encoder(output="onehot").fit_transform(X, [0, 1] * 20)
    assert indicators.columns.tolist() == ["a={missing}", "a={'missing'}"]
    assert indicators["a={missing}"].tolist() == [0.0, 1.0] * 20


# log odds


def test_log_odds_of_two_classes_are_one_column_named_by_the_second_class():
    X, y = pd.DataFrame({"x": range(40)}), ["no"] * 30 + ["yes"] * 10
    odds = Encoder(output="log_odds").fit_transform(X, y)
    assert odds.columns.tolist() == ["x[yes]"]
    # One row is added, spread as in the table. Odds of "yes": 0.25/30.75 in the first part,
    # 10.25/0.75 in the second, 10/30 in all rows.
    expected = np.repeat(np.log([1 / 41, 41]), [30, 10])
    np.testing.assert_allclose(odds["x[yes]"], expected, rtol=1e-14)


def test_log_odds_of_more_classes_are_a_column_each():
    X, y = pd.DataFrame({"x": range(60)}), ["c"] * 20 + ["a"] * 20 + ["b"] * 20
    odds = Encoder(output="log_odds").fit_transform(X, y)
    assert odds.columns.tolist() == ["x[a]", "x[b]", "x[c]"]
    # The first part has 20 c and nothing else: odds 61/2 of c there, 1/2 in all rows.
    assert odds.loc[0, "x[c]"] == pytest.approx(np.log(61), rel=1e-14)


def test_log_odds_are_finite_even_of_pure_parts(people):
    data, y = people
    X = pd.DataFrame(data).assign(answer=y)
    odds = Encoder(output="log_odds").fit_transform(X, y)
    assert np.isfinite(odds.to_numpy()).all()


def test_log_odds_of_a_column_that_is_not_informative_are_zero(people):
    data, y = people
    encoder = Encoder(output="log_odds").fit(pd.DataFrame(data), y)
    odds = encoder.transform(pd.DataFrame(data))
    assert encoder.partitions_["member"].n_parts == 1
    assert odds["member[yes]"].tolist() == [0.0] * len(y)
    assert odds["age[yes]"].nunique() == encoder.partitions_["age"].n_parts > 1


def test_log_odds_of_one_class_are_zero():
    X = pd.DataFrame({"x": range(5)})
    odds = Encoder(output="log_odds").fit_transform(X, ["a"] * 5)
    assert odds.to_dict("list") == {"x[a]": [0.0] * 5}


# values never seen


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("code", [[-1], [-1]]),
        ("label", [["unseen"], ["unseen"]]),
        ("onehot", [[0.0, 0.0], [0.0, 0.0]]),
        ("log_odds", [[0.0], [0.0]]),
    ],
)
def test_a_category_never_seen_is_neutral_in_every_output(output, expected):
    X = pd.DataFrame({"c": ["a", "b"] * 20})
    encoder = Encoder(output=output).fit(X, [0, 1] * 20)
    assert encoder.transform(pd.DataFrame({"c": ["z", None]})).to_numpy().tolist() == expected


@pytest.mark.parametrize(
    ("output", "expected"),
    [("code", -1), ("label", "unseen"), ("onehot", 0.0), ("log_odds", 0.0)],
)
def test_a_pair_is_neutral_where_either_category_was_never_seen(output, expected):
    X = pd.DataFrame({"mine": ["h", "t"] * 50, "yours": ["h"] * 50 + ["t"] * 50})
    encoder = PairEncoder(output=output).fit(X, X["mine"] == X["yours"])
    new = pd.DataFrame({"mine": ["h", "edge", "edge"], "yours": ["edge", "t", "edge"]})
    assert set(encoder.transform(new).to_numpy().ravel()) == {expected}
