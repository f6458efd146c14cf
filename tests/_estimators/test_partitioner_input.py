import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError
from tests._estimators.samples import numbers_of, values_of

from modlearn import Discretizer, Encoder, Grouper
from modlearn.errors import ColumnError, TargetError

# tables that cannot be used


def fit(estimator, X, y=None):
    n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
    return estimator().fit(X, [i % 2 for i in range(n_rows)] if y is None else y)


@pytest.mark.parametrize("wrap", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_table_without_rows_is_refused(estimator, wrap):
    message = r"Found array with 0 sample\(s\) \(shape=\(0, 1\)\) while a minimum of 1 is required"
    with pytest.raises(ValueError, match=message):
        estimator().fit(wrap({"a": []}), [])


def test_a_table_without_columns_is_refused(estimator):
    message = r"Found array with 0 feature\(s\) \(shape=\(5, 0\)\) while a minimum of 1 is required"
    with pytest.raises(ValueError, match=message):
        fit(estimator, pd.DataFrame(index=range(5)))


@pytest.mark.parametrize(
    "X",
    [pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]), pa.table([[1, 2]] * 2, names=["a", "a"])],
    ids=["pandas", "arrow"],
)
def test_a_name_that_occurs_twice_is_named(estimator, X):
    with pytest.raises(ColumnError, match=r"Column 'a' occurs 2 times.*Rename or drop"):
        fit(estimator, X)


def test_names_partly_text_are_refused_with_the_remedy(estimator):
    message = r"(?s)only supported if all input features have string names.*\.astype\(str\)"
    with pytest.raises(TypeError, match=message):
        fit(estimator, pd.DataFrame([[1, 2]], columns=[0, "a"]))


def test_integer_names_are_the_keys_of_the_partitions(estimator):
    X = pd.DataFrame([[1, 2], [3, 4]], columns=[7, 3])
    assert list(fit(estimator, X).partitions_) == [7, 3]


def test_a_column_mixing_numbers_and_text_is_named_with_both_rows(estimator):
    X = pd.DataFrame({"ok": [1, 2, 3], "mixed": [1, "b", 3]})
    message = r"Column 'mixed' mixes numbers and text: row 0 holds 1 and row 1 holds 'b'\. Convert"
    with pytest.raises(ColumnError, match=message):
        fit(estimator, X)


def test_text_late_in_a_column_of_numbers_is_found(estimator):
    X = pd.DataFrame({"mixed": pd.Series([*range(5000), "x"], dtype=object)})
    with pytest.raises(ColumnError, match="row 5000 holds 'x'"):
        fit(estimator, X)


def test_a_nested_column_is_refused(estimator):
    with pytest.raises(ColumnError, match=r"Column 'a' is nested.*Split it into one column"):
        fit(estimator, pl.DataFrame({"a": [[1, 2], [3, 4]]}))


def test_cells_that_are_lists_are_refused(estimator):
    message = r"Column 'a' row 0 holds \[1, 2\].*Convert it to numbers or text, or drop it"
    with pytest.raises(TypeError, match=message):
        fit(estimator, pd.DataFrame({"a": [[1, 2], [3, 4]]}))


@pytest.mark.parametrize("container", [sparse.csr_matrix, sparse.csc_array])
def test_a_sparse_matrix_is_to_be_made_dense(estimator, container):
    with pytest.raises(TypeError, match=r"Sparse data was passed.*\.toarray\(\)"):
        fit(estimator, container(np.eye(4)))


def test_a_vector_is_to_be_reshaped(estimator):
    with pytest.raises(ValueError, match=r"(?s)Expected 2D array, got 1D array.*Reshape your data"):
        fit(estimator, np.arange(4.0))


def test_a_series_is_to_be_made_a_frame(estimator):
    with pytest.raises(ValueError, match=r"Expected 2D array, got 1D.*the series 's'.*to_frame"):
        fit(estimator, pd.Series([1.0, 2.0], name="s"))


def test_three_dimensions_are_refused(estimator):
    with pytest.raises(ValueError, match="Found array with dim 3"):
        fit(estimator, np.zeros((4, 2, 2)))


@pytest.mark.parametrize(
    "X", [np.array([[1 + 2j], [3]]), pd.DataFrame({"a": [1 + 2j, 3]})], ids=["numpy", "pandas"]
)
def test_complex_numbers_are_refused(estimator, X):
    with pytest.raises(ValueError, match="Complex data not supported"):
        fit(estimator, X)


def test_a_lazy_frame_is_to_be_collected(estimator):
    with pytest.raises(TypeError, match=r"X is a lazy frame.*call \.collect\(\)"):
        estimator().fit(pl.LazyFrame({"a": [1, 2]}), [0, 1])


# tables that are hardly informative


def test_one_row_gives_one_part(estimator):
    fitted = estimator().fit(pd.DataFrame({"a": [3]}), ["yes"])
    assert fitted.levels_ == {"a": 0.0}
    assert fitted.partitions_["a"].counts.tolist() == [[1]]
    # To Grouper 1 and 5 are values never seen.
    other = -1 if estimator is Grouper else 0
    assert values_of(fitted.transform(pd.DataFrame({"a": [1, 3, 5]}))) == [[other], [0], [other]]


def test_one_class_gives_one_part(estimator):
    fitted = estimator().fit(pd.DataFrame({"a": range(50)}), ["yes"] * 50)
    assert fitted.levels_ == {"a": 0.0}
    assert fitted.partitions_["a"].counts.tolist() == [[50]]


@pytest.mark.parametrize("missing", [None, np.nan])
def test_a_column_all_missing_is_one_part(estimator, missing):
    fitted = fit(estimator, pd.DataFrame({"a": [missing] * 40}))
    assert fitted.levels_ == {"a": 0.0}
    assert fitted.partitions_["a"].counts.tolist() == [[20, 20]]
    assert "missing" in fitted.partitions_["a"].labels[0]


def test_a_constant_column_is_one_part(estimator):
    fitted = fit(estimator, pd.DataFrame({"a": [3.5] * 40}))
    assert fitted.levels_ == {"a": 0.0}
    assert fitted.partitions_["a"].counts.tolist() == [[20, 20]]


@pytest.mark.parametrize("estimator", [Encoder, Grouper])
def test_an_identifier_of_text_is_one_group(estimator):
    fitted = fit(estimator, pd.DataFrame({"id": [f"{i:05d}" for i in range(10_000)]}))
    assert fitted.levels_ == {"id": 0.0}
    assert fitted.partitions_["id"].n_parts == 1


@pytest.mark.parametrize("estimator", [Discretizer, Encoder])
def test_an_identifier_of_numbers_is_one_interval(estimator):
    fitted = fit(estimator, pd.DataFrame({"id": range(10_000)}))
    assert fitted.levels_ == {"id": 0.0}
    assert fitted.partitions_["id"].n_parts == 1


# targets and weights that cannot be used


@pytest.mark.parametrize("unlabeled", [None, np.nan, "?"])
def test_a_target_without_labels_is_refused(estimator, unlabeled):
    message = r"y has no label: all 4 rows are unlabeled .*Give at least one row a label"
    with pytest.raises(TargetError, match=message):
        estimator(unlabeled="?").fit([[1], [2], [3], [4]], [unlabeled] * 4)


def test_a_target_of_another_length_is_refused(estimator):
    message = r"Found input variables with inconsistent numbers of samples: \[4, 3\]"
    with pytest.raises(ValueError, match=message):
        fit(estimator, np.zeros((4, 1)), [0, 1, 0])


def test_no_target_is_refused(estimator):
    with pytest.raises(ValueError, match="requires y to be passed, but the target y is None"):
        estimator().fit(np.zeros((4, 1)))


def test_a_target_of_many_floats_looks_like_regression(estimator):
    message = (
        r"10,000 distinct numbers in 10,000 labeled rows, and regression is not supported\. Bin"
    )
    with pytest.raises(TargetError, match=message):
        fit(estimator, np.zeros((10_000, 1)), np.linspace(0, 1, 10_000))


@pytest.mark.parametrize("weight", [-1, 0.5, np.nan])
def test_a_weight_that_is_not_a_count_is_named_by_its_row(estimator, weight):
    message = r"sample_weight row 1 is .*each must be a non-negative integer"
    with pytest.raises(TargetError, match=message):
        estimator().fit([[1], [2], [3]], [0, 1, 0], sample_weight=[1, weight, 1])


def test_weights_that_are_all_zero_are_refused(estimator):
    with pytest.raises(TargetError, match="All sample weights are zero: give at least one row"):
        estimator().fit([[1], [2]], [0, 1], sample_weight=[0, 0])


def test_weights_of_another_length_are_refused(estimator):
    message = "sample_weight has 3 rows but X has 2: pass one weight per row"
    with pytest.raises(ValueError, match=message):
        estimator().fit([[1], [2]], [0, 1], sample_weight=[1, 1, 1])


# tables that do not fit


@pytest.fixture
def fitted(estimator):
    return fit(estimator, pd.DataFrame({"a": range(40), "b": range(40)}))


def test_transform_before_fit_is_refused(estimator):
    with pytest.raises(NotFittedError, match=f"This {estimator.__name__} instance is not fitted"):
        estimator().transform([[1]])


def test_names_before_fit_are_refused(estimator):
    with pytest.raises(NotFittedError, match=f"This {estimator.__name__} instance is not fitted"):
        estimator().get_feature_names_out()


def test_a_column_too_many_is_left_out(fitted):
    X = pd.DataFrame({"a": [1, 30], "b": [2, 3]})
    found = fitted.transform(X.assign(extra=[3, "x"]))
    assert values_of(found) == values_of(fitted.transform(X))


def test_a_column_too_few_is_named(fitted):
    with pytest.raises(ValueError, match=r"(?s)feature names should match.*now missing.*- b"):
        fitted.transform(pd.DataFrame({"a": [1]}))


def test_another_number_of_columns_of_an_array_is_named(estimator):
    fitted = fit(estimator, np.zeros((4, 2)))
    message = f"X has 3 features, but {estimator.__name__} is expecting 2 features as input"
    with pytest.raises(ValueError, match=message):
        fitted.transform(np.zeros((4, 3)))


@pytest.mark.parametrize("wrap", [pd.DataFrame, pl.DataFrame, pa.table])
def test_columns_in_another_order_are_found_by_name(fitted, wrap):
    found = fitted.transform(wrap({"b": [1, 2], "a": [2, 30]}))
    assert values_of(found) == values_of(fitted.transform(wrap({"a": [2, 30], "b": [1, 2]})))


@pytest.mark.parametrize("wrap", [pd.DataFrame, pl.DataFrame, pa.table])
def test_columns_that_were_not_in_fit_are_left_out(fitted, wrap):
    found = fitted.transform(wrap({"c": ["x", "y"], "b": [1, 2], "a": [2, 30]}))
    assert values_of(found) == values_of(fitted.transform(wrap({"a": [2, 30], "b": [1, 2]})))


def test_a_table_without_rows_is_refused_in_transform_too(fitted):
    with pytest.raises(ValueError, match=r"Found array with 0 sample\(s\)"):
        fitted.transform(pd.DataFrame({"a": [], "b": []}))


def test_a_table_of_another_kind_than_in_fit_is_transformed_alike(fitted):
    data = {"a": [3, 30], "b": [30, 3]}
    codes = [values_of(fitted.transform(wrap(data))) for wrap in (pd.DataFrame, pl.DataFrame)]
    assert codes[0] == codes[1]


def test_an_output_set_after_fit_is_checked(people):
    encoder = Encoder().fit(*numbers_of(people))
    with pytest.raises(ValueError, match="The 'output' parameter of Encoder must be a str among"):
        encoder.set_params(output="bad").transform(numbers_of(people)[0])


def test_output_columns_of_one_name_are_refused():
    table = pd.DataFrame({"a": ["b={c", "x"] * 20, "a={'b": ["c'", "y"] * 20})
    encoder = Encoder(output="onehot").fit(table, [0, 1] * 20)
    with pytest.raises(ValueError, match=r"Two columns of the output would be named \"a={'b={c'}"):
        encoder.transform(table)


def test_limits_of_any_size_are_understood(estimator, people):
    fitted = estimator(max_parts=10**20, min_part_size=10**20).fit(*numbers_of(people))
    assert {partition.n_parts for partition in fitted.partitions_.values()} == {1}


def test_nothing_is_proven_where_rounding_hides_the_difference(estimator):
    X, y = np.array([[0.0], [0.0], [1.0]]), [0, 1, 1]
    weights = [10**12, 10**12, 50]
    assert not estimator().fit(X, y, sample_weight=weights).partitions_["x0"].proven_optimal


def test_an_identifier_as_target_is_refused(estimator):
    X = np.arange(3000.0).reshape(-1, 1)
    message = "looks like an identifier: it has 3,000 distinct labels in 3,000 labeled rows"
    with pytest.raises(TargetError, match=message):
        estimator().fit(X, [f"id {i}" for i in range(3000)])


def test_a_row_number_as_target_is_refused(estimator):
    X = np.arange(3000.0).reshape(-1, 1)
    with pytest.raises(TargetError, match="3,000 distinct numbers in 3,000 labeled rows"):
        estimator().fit(X, np.arange(3000))


@pytest.mark.parametrize("X", [{"a": [1, 2]}, "table.csv", None], ids=["dict", "path", "None"])
def test_what_is_not_a_table_is_named(estimator, X):
    with pytest.raises(ValueError, match=f"X is a {type(X).__name__}: pass a table"):
        estimator().fit(X, [0, 1])


def test_the_name_of_a_column_is_not_a_target(estimator):
    with pytest.raises(ValueError, match="y is the text 't': pass the column itself"):
        estimator().fit(np.arange(4.0).reshape(-1, 1), "t")
