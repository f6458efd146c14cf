"""Warnings: each where it is due, none on clean tables; and columns that repeat others."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from tests._jobs.conftest import make_orders
from tests._model.conftest import make_grid, make_groups, make_intervals

import modlearn
from modlearn import PairEncoder
from modlearn._evaluate.data_warnings import (
    columns_of_names,
    few_of_a_kind,
    share_covered_by_grid,
    share_covered_by_parts,
    unseen_values,
    weighted_dates,
)
from modlearn._model.additive import AdditiveModel, terms_of
from modlearn._model.evaluation import DataWarning
from modlearn._statistics.profiles import Profiles
from modlearn.schema import Kind, Schema, TargetSpec


def warned(frame, target="paid", **options):
    return modlearn.analyze(frame, target, **options).warnings


def kinds(frame, target="paid", **options):
    return [(warning.kind, *warning.columns) for warning in warned(frame, target, **options)]


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_clean_tables_have_no_warning(load):
    assert warned(load(as_frame=True).frame, "target") == ()


def test_many_nearly_constant_columns_are_summed_up():
    found = warned(load_digits(as_frame=True).frame, "target")
    assert {warning.kind for warning in found} == {"constant"}
    assert len(found) <= 11


def test_a_table_of_mixed_columns_has_no_warning(orders):
    assert kinds(orders) == []


def test_numbers_that_rounding_merges_are_warned_of(orders):
    numbers = np.random.default_rng(0).integers(0, 40, len(orders))
    orders["code"] = 2**60 + 100 * numbers
    (warning,) = warned(orders)
    assert (warning.kind, warning.columns) == ("merged_numbers", ("code",))
    assert warning.numbers["n_numbers"] < warning.numbers["n_values"] == orders["code"].nunique()
    assert "distinct values become" in str(warning)
    assert "pass as_categorical='code', which keeps all digits" in str(warning)
    assert warned(orders, as_categorical="code") == ()


@pytest.mark.parametrize("form", ["{}", "{:04d}", "code {}", "$x{}"])
def test_codes_and_words_are_categories(orders, form):
    numbers = np.random.default_rng(0).integers(1, 28, len(orders))
    orders["text"] = [form.format(n) for n in numbers]
    assert warned(orders) == ()


def test_a_copy_of_the_target_is_a_leak(orders):
    orders["sent"] = orders["paid"].map({"yes": 1, "no": 0})
    (warning,) = warned(orders)
    assert warning == DataWarning("leak", ("sent",), {"accuracy": 1.0})
    assert str(warning) == (
        "Column 'sent' alone classifies 100% of rows correctly, which suggests a leak: if its "
        "value is known only after the target, leave it out with drop=['sent']."
    )


def test_two_leaks_do_not_hide_each_other(orders):
    orders["sent"] = orders["paid"] == "yes"
    orders["reminder"] = np.where(orders["paid"] == "no", "sent", None)
    assert kinds(orders) == [("leak", "sent"), ("leak", "reminder")]


def test_a_leak_may_have_some_errors():
    orders = make_orders(1_000)
    orders["refunded"] = np.where(np.arange(1_000) % 40 == 0, "?", orders["paid"])
    assert ("leak", "refunded") in kinds(orders)


def test_a_good_column_next_to_another_good_one_is_not_a_leak():
    iris = load_iris(as_frame=True).frame
    assert (
        kinds(
            iris[["petal width (cm)", "sepal width (cm)", "petal length (cm)", "target"]], "target"
        )
        == []
    )


def test_a_row_number_is_an_identifier(orders):
    orders["row"] = np.arange(1000, 1200)
    (warning,) = warned(orders)
    assert warning == DataWarning("identifier", ("row",))
    assert "like a row number" in str(warning)


def test_few_rows_are_warned_of():
    assert DataWarning("few_rows", (), {"rows": 40}) in warned(make_orders(40))


def test_a_rare_class_is_warned_of(orders):
    orders.loc[:3, "paid"] = "perhaps"
    (warning,) = warned(orders)
    assert warning == DataWarning("rare_class", (), {"class": "perhaps", "rows": 4})
    assert str(warning).startswith("Class 'perhaps' has only 4 labeled rows, too few to learn")


def test_duplicates_are_warned_of(orders):
    orders["land"] = orders["country"].map({"fr": "France", "de": "Germany", "it": "Italy"})
    orders["amount2"] = orders["amount"]
    assert kinds(orders) == [
        ("duplicate", "land", "country"),
        ("duplicate", "amount2", "amount"),
    ]


def test_numbers_that_differ_in_one_row_are_not_duplicates():
    orders = make_orders(1_000)
    orders["corrected"] = orders["amount"]
    row = int(orders["amount"].argmax())
    # Their order is the same, and so is the sample of rows that is compared first.
    orders.loc[row, "corrected"] += 1
    assert row % 5
    assert kinds(orders) == []


def test_columns_that_are_not_informative_are_not_duplicates(orders):
    rng = np.random.default_rng(0)
    orders["a"], orders["b"] = rng.random(200), rng.random(200)
    orders["c"], orders["d"] = rng.choice(["p", "q"], (2, 200))
    assert kinds(orders) == []


def test_many_missing_values_are_warned_of(orders):
    orders["amount"] = orders["amount"].where(orders.index % 4 == 0)
    (warning,) = warned(orders)
    assert warning == DataWarning("many_missing", ("amount",), {"share": 0.75})
    assert "is missing in 75% of rows" in str(warning)


@pytest.mark.parametrize(("value", "shown"), [(0, "0"), (0.5, "0.5"), ("online", "'online'")])
def test_a_nearly_constant_column_is_warned_of(orders, value, shown):
    orders["flag"] = pd.Series([value] * 200, dtype=object)
    orders.loc[7, "flag"] = type(value)(7)
    (warning,) = warned(orders)
    assert warning == DataWarning("constant", ("flag",), {"value": value, "share": 0.995})
    assert f"'flag' is {shown} in 99.5% of rows" in str(warning)


def test_many_warnings_of_a_kind_end_in_one_sentence():
    found = few_of_a_kind([DataWarning("identifier", (f"c{i}",)) for i in range(30)])
    assert len(found) == 11
    assert found[-1].numbers == {"more": 20}
    assert str(found[-1]) == (
        "This also applies to 20 more columns, such as 'c10', 'c11', 'c12', 'c13', 'c14'."
    )
    classes = few_of_a_kind([DataWarning("rare_class", (), {"class": "a", "rows": 1})] * 12)
    assert str(classes[-1]) == "This also applies to 2 more classes."


def redundancies_of(frame, target="y"):
    return modlearn.fit(frame, target).diagnostics.redundancies


def test_a_column_without_weight_is_covered_by_its_twin():
    rng = np.random.default_rng(0)
    x = rng.normal(size=400)
    frame = pd.DataFrame(
        {"x": x, "double": 2 * x, "y": np.where(x + rng.normal(size=400) > 0, 1, 0)}
    )
    result = modlearn.fit(frame, "y")
    unused = [name for name, weight in result.classifier.weights_.items() if weight == 0]
    for found in result.diagnostics.redundancies:
        assert found.column in unused
        assert found.share > 0.9


def test_iris_is_covered_by_its_petals():
    found = redundancies_of(load_iris(as_frame=True).frame, "target")
    assert {one.column for one in found} == {"sepal length (cm)", "sepal width (cm)"}
    assert {one.covered_by for one in found} == {"petal length (cm)", "petal width (cm)"}
    assert all(0.05 <= one.share <= 1 for one in found)


def test_where_all_columns_have_a_weight_none_is_redundant():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((300, 2)), columns=["a", "b"])
    frame["y"] = (frame["a"] + frame["b"] > 1).astype(int)
    assert redundancies_of(frame) == ()


RNG = np.random.default_rng(0)
CLASSES = RNG.integers(0, 3, 3_000).astype(np.int32)


def noisy(codes, share):
    """Codes, some of them drawn again."""
    drawn = RNG.random(len(codes)) < share
    return np.where(drawn, RNG.integers(0, 3, len(codes)), codes).astype(np.int32)


def share_covered(parts, others):
    rows = np.ones(len(CLASSES))
    profiles = Profiles(np.stack((parts, others)), CLASSES, rows)
    return share_covered_by_parts(parts, others, profiles)


def test_a_copy_covers_all_of_it():
    parts = noisy(CLASSES, 0.5)
    assert share_covered(parts, parts) == pytest.approx(1, abs=0.02)


def test_noise_covers_none_of_it():
    parts, noise = noisy(CLASSES, 0.3), noisy(CLASSES, 1.0)
    assert share_covered(parts, noise) == pytest.approx(0, abs=0.02)


def test_a_better_measurement_of_the_same_covers_most_of_it():
    good = noisy(CLASSES, 0.2)
    assert share_covered(noisy(good, 0.5), good) > 0.9


def test_what_is_not_informative_has_no_share():
    noise = noisy(CLASSES, 1.0)
    constant = np.zeros(len(CLASSES), dtype=np.int32)
    assert share_covered(constant, noise) == 0


def test_the_share_of_a_grid_is_its_redundancy_over_the_saving_of_the_column():
    X, y = load_wine(return_X_y=True, as_frame=True)
    pairs = PairEncoder(pairs=[("alcohol", "flavanoids")]).fit(X, y)
    grid, column = pairs.grids_["alcohol", "flavanoids"], pairs.partitions_["alcohol"]
    share = share_covered_by_grid(column, grid)
    assert share == pytest.approx(-grid.synergy / (column.null_cost - column.cost))
    assert 0 < share < 1


# models that know more than new rows have


def model_of(weights, *parts, n_rows=3_000):
    """A model of parts with weights; each has two classes."""
    target = TargetSpec("y", np.array([0, 1]), np.array([n_rows - 10, 10]), 0)
    tables = [np.zeros(one.cells.shape) for one in parts]
    terms = terms_of(parts, weights, tables)
    return AdditiveModel(schema=Schema(()), target=target, base=np.zeros(2), terms=terms)


def names(n_values, name="customer"):
    """Groups of many values."""
    half = n_values // 2
    return make_groups([range(half), range(half, n_values)], name=name)


def test_a_column_of_names_has_many_values_with_few_rows_each_and_a_weight():
    assert columns_of_names(model_of([0.5], names(30)), {}) == ["customer"]
    assert columns_of_names(model_of([0.05], names(30)), {}) == ["customer"]
    assert columns_of_names(model_of([0.04], names(30)), {}) == []
    assert columns_of_names(model_of([0.5], names(29)), {}) == []
    assert columns_of_names(model_of([0.5], names(30), n_rows=3_001), {}) == []


def test_numbers_and_pairs_of_few_values_are_not_names():
    assert columns_of_names(model_of([0.5, 0.5], make_intervals(), make_grid()), {}) == []


def test_columns_of_names_come_with_the_largest_weight_first():
    model = model_of([0.2, 0.9, 0.3], names(40, "shop"), names(40, "card"), names(40, "street"))
    assert columns_of_names(model, {}) == ["card", "street", "shop"]


def paired(first, second):
    return replace(make_grid(), axes=(first, second))


def test_names_and_dates_are_found_in_pairs_too():
    sent = make_intervals(kind=Kind.DATETIME, name="sent")
    model = model_of([0.1, 0.6, 0.3], names(40), paired(sent, names(40)), paired(names(40), sent))
    assert columns_of_names(model, {}) == ["customer"]
    assert weighted_dates(model) == [DataWarning("date", ("sent",), {"weight": 0.6})]
    unused = model_of([0.0, 0.0], sent, paired(sent, names(40)))
    assert columns_of_names(unused, {}) == weighted_dates(unused) == []


def test_only_a_loss_on_new_values_is_warned_of():
    assert unseen_values("customer", 0.744, 0.686) == [
        DataWarning("unseen_values", ("customer",), {"by_rows": 0.744, "unseen": 0.686})
    ]
    for by_rows, unseen in ((0.7, 0.695), (0.7, 0.8), (None, 0.5), (0.7, None)):
        assert unseen_values("customer", by_rows, unseen) == []


def test_dates_with_a_weight_are_warned_of():
    sent, paid = (make_intervals(kind=Kind.DATETIME, name=name) for name in ("sent", "paid"))
    model = model_of([0.964, 0.0, 1.0], sent, paid, make_intervals(name="amount"))
    assert weighted_dates(model) == [DataWarning("date", ("sent",), {"weight": 0.96})]
