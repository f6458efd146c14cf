"""Bins of columns, and the terms that are made of their scores."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests._model.conftest import make_groups, make_intervals
from tests._statistics.columns import CATEGORIES, N_CLASSES, NUMBERS, rows_of
from threadpoolctl import threadpool_info, threadpool_limits

from modlearn import AdditiveClassifier, SelectiveNaiveBayesClassifier
from modlearn._fit import additive as module
from modlearn._fit.additive import LEAST_SHARE, bins_of_groups, bins_of_intervals
from modlearn._fit.columns import fit_groups, fit_intervals
from modlearn._model.grid import Grid
from modlearn._statistics.categories import count_categories
from modlearn._statistics.numeric import count_numbers
from modlearn.criteria import CRITERIA
from modlearn.schema import Column, Kind, TargetSpec

TARGET = TargetSpec("y", np.array([0, 1]), np.array([1, 1]), 0)


def numbers_of(values, classes, n_classes=2):
    values = np.array(values, dtype=np.float64)
    return count_numbers(values, np.array(classes, dtype=np.int32), None, n_classes)


def bins_of(values, classes):
    """Intervals of a numeric column of two classes, class 2 unlabeled, and their bins."""
    counts = numbers_of(values, classes)
    criterion = CRITERIA["post_optimized" if 2 in classes else "supervised"]
    intervals = fit_intervals(Column("x", Kind.NUMERIC, True), counts, TARGET, criterion)
    return intervals, bins_of_intervals(intervals, counts)


def ramp(n=400, seed=0):
    """Distinct values in disorder, and classes that change at 0.3 and 0.7."""
    rng = np.random.default_rng(seed)
    values = rng.permutation(n) / n
    return values, ((values > 0.3) & (values <= 0.7)).astype(int)


def test_small_matrices_are_decomposed_by_one_thread_of_blas(monkeypatch):
    values, classes = ramp()
    found = []
    plain = module.root_of

    def root_of(covariance):
        found.extend(one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas")
        return plain(covariance)

    monkeypatch.setattr(module, "root_of", root_of)
    with threadpool_limits(2, user_api="blas"):
        AdditiveClassifier().fit(values[:, None], classes)
    assert set(found) == {1}


# bins of numbers


def test_bins_have_the_cuts_of_the_intervals_among_theirs():
    intervals, bins = bins_of(*ramp())
    assert len(intervals.cuts) == 2
    assert set(intervals.cuts) < set(bins.cuts)


def test_bins_have_about_equal_numbers_of_rows():
    values, classes = ramp()
    intervals, bins = bins_of(values, classes * 0)
    assert len(intervals.cuts) == 0
    assert bins.counts.sum(axis=1).tolist() == [10] * module.MOST_CURVE_BINS


def test_bins_are_as_the_intervals_in_all_but_their_parts():
    intervals, bins = bins_of(*ramp())
    for name in ("name", "kind", "cost", "null_cost", "level", "n_missing", "proven_optimal"):
        assert getattr(bins, name) == getattr(intervals, name)
    assert bins.fault(None) is None


ROWS = rows_of([*NUMBERS, 3.0, 1e300, 5e-324], max_size=60).filter(
    lambda rows: any(label < N_CLASSES for _, label, *_ in rows)
)


@given(ROWS, st.sampled_from([2, 3, 40]))
@settings(deadline=None)
def test_bins_hold_all_rows_and_never_divide_equal_values(rows, most):
    values, classes = np.array([row[0] for row in rows]), [row[1] for row in rows]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_CURVE_BINS", most)
        intervals, bins = bins_of(values, classes)
    expected = np.zeros((bins.n_parts, N_CLASSES + 1), dtype=int)
    # A code depends on the value alone, so rows of equal values are in one bin.
    np.add.at(expected, (bins.codes(values + 0.0), classes), 1)
    assert bins.counts.tolist() == expected[:, :-1].tolist()
    assert bins.unlabeled_counts.tolist() == expected[:, -1].tolist()
    assert set(intervals.cuts) <= set(bins.cuts)
    assert bins.fault(None) is None


@given(ROWS)
@settings(deadline=None, max_examples=50)
def test_labeled_rows_are_in_every_bin_of_few_values(rows):
    values, classes = [row[0] for row in rows], [row[1] for row in rows]
    _, bins = bins_of(values, classes)
    labeled = {v for v, label in zip(values, classes, strict=True) if label < 2 and v == v}
    assert len(bins.cuts) + 1 == max(1, len(labeled))
    assert (bins.counts.sum(axis=1) > 0).all()


@pytest.mark.parametrize("n_missing", [1, 50])
def test_missing_values_are_a_bin_of_their_own(n_missing):
    values, classes = ramp(100)
    values = np.concatenate(([np.nan] * n_missing, values))
    intervals, bins = bins_of(values, [*([0] * n_missing), *classes])
    assert bins.missing_alone
    assert bins.counts[0].tolist() == [n_missing, 0]
    assert bins.n_missing == intervals.n_missing == n_missing
    assert bins.labels[0] == "missing"


def test_missing_values_of_unlabeled_rows_alone_share_the_lowest_bin():
    _, bins = bins_of([np.nan, np.nan, 1.0, 2.0], [2, 2, 0, 1])
    assert not bins.missing_alone
    assert bins.unlabeled_counts.tolist() == [2, 0]


def test_a_column_of_missing_values_has_one_bin():
    _, bins = bins_of([np.nan] * 4, [0, 1, 0, 1])
    assert (bins.n_parts, bins.missing_alone) == (1, False)
    assert bins.counts.tolist() == [[2, 2]]


def test_a_constant_column_has_one_bin():
    _, bins = bins_of([7.0] * 4, [0, 1, 0, 1])
    assert bins.counts.tolist() == [[2, 2]]
    assert bins.cuts.tolist() == []
    assert bins.sides.shape == (0, 2)


def test_a_constant_column_with_missing_values_has_two_bins():
    _, bins = bins_of([np.nan, 7.0, 7.0], [0, 1, 1])
    assert bins.counts.tolist() == [[1, 0], [0, 2]]


def test_few_distinct_values_have_a_bin_each():
    values = np.repeat(np.arange(module.MOST_CURVE_BINS), 3)
    _, bins = bins_of(values, values % 2)
    assert bins.cuts.tolist() == (np.arange(module.MOST_CURVE_BINS - 1) + 0.5).tolist()


def test_one_value_of_most_rows_is_one_bin():
    values, classes = ramp(200)
    values[:150] = 0.5
    _, bins = bins_of(values, classes)
    assert bins.counts.sum(axis=1).max() >= 150
    assert bins.counts.sum() == 200
    assert (bins.counts.sum(axis=1) > 0).all()


@pytest.mark.parametrize("n", [1, 100])
def test_infinite_values_have_bins_of_their_own(n):
    finite = np.linspace(-8e307, 8e307, n)
    values = np.concatenate(([-np.inf] * 9, finite, [np.inf] * 9))
    _, bins = bins_of(values, [0] * 9 + [1] * n + [0] * 9)
    assert (bins.labels[0], bins.labels[-1]) == ("{-inf}", "{inf}")
    assert bins.counts[0].tolist() == bins.counts[-1].tolist() == [9, 0]


def test_unlabeled_rows_are_counted_in_the_bins_that_labeled_ones_made():
    values, classes = ramp(200)
    without = bins_of(values, classes * 0)[1]
    counts = numbers_of([*values, *(values + 0.001)], [*(classes * 0), *[2] * 200])
    with_unlabeled = bins_of_intervals(make_intervals([], [[200, 0]]), counts)
    assert with_unlabeled.cuts.tolist() == without.cuts.tolist()
    assert with_unlabeled.counts.tolist() == without.counts.tolist()
    assert with_unlabeled.unlabeled_counts.sum() == 200


def test_a_cut_that_unlabeled_rows_moved_stays_where_it_is():
    x = [*np.arange(20.0), *np.arange(100.0, 120.0), *np.arange(20.0, 60.0)]
    intervals, bins = bins_of(x, [0] * 20 + [1] * 20 + [2] * 40)
    assert 19 < intervals.cuts[0] < 58  # not midway between 19 and 100
    assert intervals.cuts[0] in bins.cuts


@given(st.lists(st.integers(0, 300), min_size=5, max_size=200), st.integers(3, 60))
@settings(deadline=None, max_examples=50)
def test_counts_in_ranges_are_cut_between_ranges(values, n_ranges):
    values = np.sort(np.array(values, dtype=np.float64))
    counts = numbers_of(values, values.astype(int) % 2)
    edges = np.unique(values[:: max(1, len(values) // n_ranges)])
    ranges = counts.in_bins(edges)
    assert ranges.lows is not None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_CURVE_BINS", 5)
        bins = bins_of_intervals(make_intervals([], [[1, 1]]), ranges)
    # No cut is inside a range, so counts are also those of the values.
    expected = np.zeros((bins.n_parts, 2), dtype=int)
    np.add.at(expected, (bins.codes(values), values.astype(int) % 2), 1)
    assert bins.counts.tolist() == expected.tolist()
    for low, high in zip(ranges.lows, ranges.values, strict=True):
        assert not ((bins.cuts >= low) & (bins.cuts < high)).any()


def test_a_cut_between_ranges_is_midway_between_the_values_next_to_it():
    ranges = numbers_of([0.0, 1.0, 4.0, 5.0], [0, 0, 1, 1]).in_bins(np.array([1.0, 5.0]))
    bins = bins_of_intervals(make_intervals([], [[2, 2]]), ranges)
    assert bins.cuts.tolist() == [2.5]
    assert bins.sides.tolist() == [[1.0, 4.0]]


# parts of categories


def categories_of(values, classes):
    names = tuple(sorted({v for v in values if v is not None}))
    codes = np.array([-1 if v is None else names.index(v) for v in values], dtype=np.int32)
    return count_categories(codes, names, np.array(classes, dtype=np.int32), None, 2)


def parts_of(values, classes):
    """Groups of a column of two classes, class 2 unlabeled, and its finer parts."""
    counts = categories_of(values, classes)
    groups = fit_groups("c", counts, TARGET, CRITERIA["supervised"])
    return groups, bins_of_groups(groups, counts)


def test_a_category_that_repeats_has_a_part_of_its_own_most_frequent_first():
    groups, parts = parts_of([*"aabbbcccc"], [0, 1] * 4 + [0])
    assert groups.n_parts == 1
    assert parts.groups == (("c",), ("b",), ("a",))
    assert parts.counts.tolist() == [[2, 2], [2, 1], [1, 1]]


def test_categories_that_occur_once_are_one_part_together():
    _, parts = parts_of(["a", "a", "a", "x", "y", "b", "b"], [0, 1, 1, 0, 0, 1, 1])
    assert set(parts.groups) == {("a",), ("b",), ("x", "y")}
    assert parts.counts[parts.codes(["x"])[0]].tolist() == [2, 0]


def test_a_missing_category_is_a_category():
    _, parts = parts_of([None, None, "a", "a", "a"], [0, 0, 1, 1, 0])
    assert parts.groups == (("a",), (None,))
    assert parts.counts.tolist() == [[1, 2], [2, 0]]


@pytest.mark.parametrize("n", [module.MOST_CATEGORIES, module.MOST_CATEGORIES + 1])
def test_too_many_categories_keep_their_groups(n):
    values = [f"{i:03}" for i in range(n)] * 2
    groups, parts = parts_of(values, [0, 1] * n)
    assert (parts is groups) == (n > module.MOST_CATEGORIES)
    assert parts.n_parts == (n if n <= module.MOST_CATEGORIES else groups.n_parts)


def test_categories_that_never_repeat_keep_their_groups():
    groups, parts = parts_of([*"abcdef"], [0, 1] * 3)
    assert parts is groups


@given(rows_of([None, *CATEGORIES[:2], "c", "d", "e"], max_size=40))
@settings(deadline=None)
def test_parts_of_categories_hold_all_rows_but_those_of_unseen_values(rows):
    rows = [*rows, ("a", 0, 1, 0)]
    values, classes = [row[0] for row in rows], [row[1] for row in rows]
    _, parts = parts_of(values, classes)
    codes = parts.codes(values)
    expected = np.zeros((parts.n_parts, N_CLASSES + 1), dtype=int)
    np.add.at(expected, (codes[codes >= 0], np.array(classes)[codes >= 0]), 1)
    assert parts.counts.tolist() == expected[:, :-1].tolist()
    assert parts.unlabeled_counts.tolist() == expected[:, -1].tolist()
    assert (parts.counts.sum(axis=1) > 0).all()
    sizes = parts.counts.sum(axis=1).tolist()
    assert sizes == sorted(sizes, reverse=True)
    assert parts.fault(None) is None


# terms


@pytest.fixture(scope="module")
def table():
    """Three informative columns, one of noise, one constant, and a pair that decides."""
    rng = np.random.default_rng(1)
    n = 400
    X = pd.DataFrame(
        {
            "number": rng.normal(size=n),
            "gaps": np.where(rng.random(n) < 0.3, np.nan, rng.normal(size=n)),
            "color": rng.choice(["red", "green", "blue", None], n),
            "noise": rng.normal(size=n),
            "constant": 1.0,
        }
    )
    odds = 1.5 * X["number"] + X["gaps"].fillna(2.0) + 2.0 * (X["color"] == "red") - 1.5
    return X, np.where(rng.random(n) < 1 / (1 + np.exp(-odds)), "yes", "no")


@pytest.fixture(scope="module")
def model(table):
    return AdditiveClassifier().fit(*table).model_


def test_every_term_of_a_column_has_bins(model):
    assert [term.name for term in model.terms] == list(model.schema.names)
    for term in model.terms:
        assert term.bins is not None
        assert len(term.table) == term.bins.n_parts


def test_the_strongest_term_has_weight_one(model):
    assert max(term.weight for term in model.terms) == 1.0
    assert model.weights["number"] == 1.0


def test_weights_are_shares_of_the_strongest_mean_score(model):
    strongest = model.terms[0]
    for term in model.used_terms:
        # Tables are divided by their weights: all of them have the mean score of the strongest.
        assert term.mean_score == pytest.approx(strongest.mean_score)


def test_a_term_without_scores_has_no_weight(model):
    constant = model.terms[-1]
    assert constant.name == "constant"
    assert constant.weight == 0.0
    assert constant.table.tolist() == [[0.0, 0.0]]


def test_a_term_with_a_negligible_share_of_the_scores_has_no_weight(table, monkeypatch):
    assert LEAST_SHARE < 0.01
    monkeypatch.setattr(module, "LEAST_SHARE", 0.5)
    found = AdditiveClassifier().fit(*table).model_
    noise = found.terms[3]
    assert noise.name == "noise"
    assert noise.mean_score > 0
    assert noise.weight == 0.0
    assert noise not in found.used_terms


def test_tables_are_centered_over_the_training_rows(model):
    for term in model.terms:
        rows = term.scored.cells.sum(axis=1)
        np.testing.assert_allclose(rows @ term.table / rows.sum(), 0, atol=1e-12)


def test_the_probabilities_of_the_training_rows_add_up_to_the_rows_of_the_classes(table, model):
    X, _ = table
    found = AdditiveClassifier().fit(*table).predict_proba(X).sum(axis=0)
    np.testing.assert_allclose(found, model.target.counts, atol=0.05)


def test_a_missing_value_has_a_score_that_the_curve_does_not_have(model):
    gaps = model.terms[1]
    assert gaps.bins.missing_alone
    # Missing stands for 2, far above the lowest values, whose bins come next.
    assert gaps.table[0, 1] > 0 > gaps.table[1, 1]


def test_neighboring_bins_have_similar_scores(model):
    curve = model.terms[0].table[:, 1]
    steps = [abs(b - a) for a, b in pairwise(curve)]
    assert max(steps) < np.ptp(curve) / 4


def test_rows_of_one_class_have_no_scores():
    fitted = AdditiveClassifier().fit(np.arange(60.0).reshape(30, 2), ["a"] * 30)
    assert fitted.model_.used_terms == ()
    assert fitted.model_.base.tolist() == [0.0]


def test_a_pair_that_a_selective_naive_bayes_uses_has_a_table_of_its_cells():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 2, (300, 3)), columns=["mine", "yours", "other"])
    y = (X["mine"] == X["yours"]).to_numpy()
    fitted = AdditiveClassifier(pairs=True).fit(X, y)
    kept = SelectiveNaiveBayesClassifier(pairs=True).fit(X, y).model_.used_terms
    (pair,) = (term for term in fitted.model_.terms if isinstance(term.parts, Grid))
    assert {pair.name} == {term.name for term in kept if isinstance(term.parts, Grid)}
    assert pair.bins is None
    assert pair.weight == 1.0
    assert fitted.score(X, y) == 1.0


def test_too_many_categories_are_scored_by_their_groups():
    values = [f"{i:03}" for i in range(150)] * 4
    X = pd.DataFrame({"c": values})
    (term,) = AdditiveClassifier().fit(X, [int(v) % 2 for v in values]).model_.terms
    assert term.bins is term.parts
    assert term.table.shape == (2, 2)
    assert isinstance(term.parts, type(make_groups([["a"]])))


def test_the_order_of_columns_changes_probabilities_by_rounding_only(table):
    X, y = table
    expected = AdditiveClassifier().fit(X, y).predict_proba(X)
    backward = X[X.columns[::-1]]
    found = AdditiveClassifier().fit(backward, y).predict_proba(backward)
    np.testing.assert_allclose(found, expected, atol=1e-4)


def test_each_bin_has_its_median_as_typical_value():
    _, bins = bins_of([np.nan, 1.0, 2.0, 2.0, 3.0, np.inf], [0, 0, 1, 0, 1, 1])
    counts = numbers_of([np.nan, 1.0, 2.0, 2.0, 3.0, np.inf], [0, 0, 1, 0, 1, 1])
    assert module._typical_values(bins, counts).tolist() == [1.0, 2.0, 3.0, 3.0]
    halves = make_intervals([2.5], [[2, 1], [0, 2]])
    assert module._typical_values(halves, counts).tolist() == [2.0, 3.0]


# how sure the scores are


def test_a_constant_column_is_certainly_without_a_score():
    X = pd.DataFrame({"one": np.ones(40), "x": np.arange(40.0)})
    constant, x = AdditiveClassifier().fit(X, np.arange(40) // 20).model_.terms
    assert not constant.deviation.any()
    assert x.deviation.any()


@pytest.mark.parametrize("n_classes", [50, 51])
def test_with_many_classes_scores_are_as_uncertain_as_counts(n_classes):
    y = np.repeat([f"class {j}" for j in range(n_classes)], 3)
    fitted = AdditiveClassifier().fit(np.arange(len(y))[:, None] // 30, y)
    assert (fitted.model_.covariance is None) == (n_classes > 50)
    lower, upper = fitted.predict_proba_interval([[0]])
    assert (lower <= upper).all()
