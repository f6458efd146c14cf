import json
import pickle
from dataclasses import replace

import numpy as np
import pytest
from tests._model.batches import ListedBatch
from tests._model.conftest import make_grid, make_groups, make_intervals
from tests.oracles import naive_bayes as twin

from modlearn._model.additive import (
    AdditiveModel,
    Explanation,
    MissingPolicy,
    next_probable,
    terms_of,
)
from modlearn._model.forms import RecordPosition
from modlearn._model.partitions import Intervals
from modlearn.criteria import part_log_likelihoods
from modlearn.errors import ColumnError, ModelError
from modlearn.schema import Column, Kind, Schema, TargetSpec

CLASSES = np.array(["a", "b", "c"], dtype=object)


def term(parts, weight):
    return terms_of([parts], [weight], [part_log_likelihoods(parts.cells)])[0]


def column_of(partition):
    ordered = isinstance(partition, Intervals)
    return Column(partition.name, Kind.NUMERIC if ordered else Kind.TEXT, ordered)


def make_model(*terms):
    columns = [one.parts for one in terms if len(one.columns) == 1]
    counts = columns[0].counts.sum(axis=0)
    return AdditiveModel(
        schema=Schema(tuple(map(column_of, columns))),
        target=TargetSpec("kind", CLASSES[: len(counts)], counts, 0),
        base=np.log(counts / counts.sum()),
        terms=terms,
    )


@pytest.fixture
def model():
    size = make_intervals([2.5], [[9, 2, 0], [3, 4, 6]], name="size", classes=CLASSES)
    groups = [["red"], ["blue", None], ["gray"]]
    counts = [[4, 4, 4], [8, 0, 1], [0, 2, 1]]
    color = make_groups(groups, counts, name="color", classes=CLASSES)
    unused = make_intervals([], [[12, 6, 6]], name="noise", classes=CLASSES)
    return make_model(term(size, 0.75), term(unused, 0.0), term(color, 0.5))


ROWS = ListedBatch({"color": ["red", "red", "blue"], "size": [1.0, 3.0, 4.0], "other": [0, 0, 0]})
CODES = [np.array([0, 1, 1], dtype=np.int32), np.array([0, 0, 1], dtype=np.int32)]


def test_rows_fall_into_the_parts_of_the_terms_that_have_a_weight(model):
    assert [term.name for term in model.used_terms] == ["size", "color"]
    assert [codes.tolist() for codes in model.codes(ROWS)] == [codes.tolist() for codes in CODES]
    assert model.used_columns == ("size", "color")


def test_scores_are_those_of_the_twin(model):
    counts = [term.counts.tolist() for term in model.used_terms]
    prior = np.exp(model.base).tolist()
    weights = [term.weight for term in model.used_terms]
    expected = [
        twin.scores(counts, weights, prior, row)
        for row in zip(*(column.tolist() for column in CODES), strict=True)
    ]
    np.testing.assert_allclose(model.scores(ROWS), expected)


def test_an_explanation_adds_up(model):
    explained = model.explanation(ROWS)
    assert explained.contributions.shape == (3, 2, 3)
    np.testing.assert_allclose(explained.scores, model.scores(ROWS))


def test_shapley_values_are_those_of_all_orders_of_the_variables(model):
    shapley = model.shapley_values(ROWS)
    shares = [t.counts.sum(axis=1) / t.counts.sum() for t in model.used_terms]
    for row in range(3):
        for k, (table, share) in enumerate(zip(model.tables, shares, strict=True)):
            # With two terms: the mean of what k adds first and what it adds last, terms that are
            # not known yet averaged over.
            other = 1 - k
            unknown = shares[other] @ model.tables[other]
            known = model.tables[other][CODES[other][row]]
            gain = table[CODES[k][row]] - share @ table
            expected = ((unknown + gain - unknown) + (known + gain - known)) / 2
            np.testing.assert_allclose(shapley.contributions[row, k], expected, atol=1e-12)


def test_a_row_of_an_explanation_is_an_explanation(model):
    explained = model.explanation(ROWS)
    assert len(explained[1]) == 1
    np.testing.assert_allclose(explained[1].scores, explained.scores[[1]])
    np.testing.assert_allclose(explained[1:].scores, explained.scores[1:])


@pytest.mark.parametrize(
    "rows", [[0, 2], np.array([0, 2]), np.array([True, False, True]), [-3, -1], slice(0, 3, 2)]
)
def test_some_rows_of_an_explanation_are_an_explanation(model, rows):
    explained = model.explanation(ROWS)
    np.testing.assert_allclose(explained[rows].scores, explained.scores[[0, 2]])


def test_no_row_is_an_explanation_too(model):
    none = model.explanation(ROWS)[[]]
    assert len(none) == 0
    assert str(none) == "<Explanation of 0 rows by 2 variables, 3 classes>"


@pytest.mark.parametrize("index", [(0, 1), [[0, 1]]])
def test_an_explanation_has_no_index_but_rows(model, index):
    with pytest.raises(IndexError, match="indexed by rows only"):
        model.explanation(ROWS)[index]


def test_an_explanation_ends_where_its_rows_do(model):
    assert len(list(model.explanation(ROWS))) == 3


def test_of_several_rows_the_mean_is_shown_and_called_that(model):
    explained = model.explanation(ROWS)
    heading, _, *lines = str(explained).splitlines()
    assert heading == "mean of 3 rows"
    scores = [float(number) for number in lines[-1].split()[1:]]
    np.testing.assert_allclose(scores, explained.scores.mean(axis=0), atol=0.005)


def test_an_explanation_says_what_it_is_of(model):
    assert repr(model.explanation(ROWS)) == ("<Explanation of 3 rows by 2 variables, 3 classes>")


def test_an_explanation_of_a_row_is_a_table_most_informative_first():
    explained = Explanation(
        ("x", ("y", "z")),
        np.array([1.0, 2.0]),
        np.array([-0.5, -1.0]),
        np.array([[[-1.0, -1.25], [0.0, -2.0]]]),
    )
    assert str(explained).splitlines() == [
        "        toward 2",
        "(base)     -0.50",
        "y × z      -2.00",
        "x          -0.25",
        "score      -2.75",
    ]
    assert str(replace(explained, positive=0)).splitlines()[2] == "y × z       2.00"


def make_explanation(names=("x", ("y", "z")), positive=None):
    return Explanation(
        names,
        np.array(["no", "yes"], dtype=object),
        np.array([-0.5, -1.0]),
        np.array([[[-1.0, -1.25], [0.0, -2.0]], [[-3.0, -1.0], [0.0, 0.0]]]),
        positive,
    )


@pytest.mark.parametrize(("positive", "sign"), [(None, 1), (1, 1), (0, -1)])
def test_two_classes_are_one_signed_number_per_term(positive, sign):
    explained = make_explanation(positive=positive)
    signed = explained.signed()
    assert signed.classes.tolist() == ["yes" if sign == 1 else "no"]
    assert (sign * signed.base).tolist() == [-0.5]
    assert (sign * signed.contributions[..., 0]).tolist() == [[-0.25, -2.0], [2.0, 0.0]]
    odds = explained.scores[:, 1] - explained.scores[:, 0]
    assert (sign * signed.scores[:, 0]).tolist() == odds.tolist()


def test_three_classes_keep_a_number_each(model):
    explained = model.explanation(ROWS)
    assert explained.signed() is explained


def test_rows_keep_the_class_of_interest():
    assert make_explanation(positive=0)[1].positive == 0


def test_of_equally_probable_classes_the_first_comes_first():
    shares = np.array([[0.2, 0.5, 0.3], [0.4, 0.2, 0.4], [0.0, 0.0, 1.0]])
    assert next_probable(shares, np.array([1, 0, 2])).tolist() == [2, 2, 0]
    assert next_probable(shares, np.array([0, 1, 0])).tolist() == [1, 0, 2]


# values never seen


NEW = ListedBatch({"color": ["red", "green", None], "size": [1.0, 1.0, np.nan]})


def test_a_value_never_seen_adds_nothing_to_any_score(model):
    without = model.base + model.tables[0][0]
    np.testing.assert_array_equal(model.scores(NEW)[1], without)
    assert model.codes(NEW)[1].tolist() == [0, -1, 1]


def test_a_value_never_seen_contributes_nothing_to_an_explanation(model):
    explained = model.explanation(NEW)
    assert explained.contributions[1, 1].tolist() == [0.0, 0.0, 0.0]
    np.testing.assert_allclose(explained.scores, model.scores(NEW))


def test_shapley_values_of_a_value_never_seen_add_up_to_the_score(model):
    np.testing.assert_allclose(model.shapley_values(NEW).scores, model.scores(NEW), atol=1e-12)


def test_many_rows_with_and_without_new_values_are_scored_one_by_one(model):
    rng = np.random.default_rng(0)
    colors = rng.choice(np.array(["red", "green", "blue", "gray", None], dtype=object), 9_000)
    rows = ListedBatch({"color": colors.tolist(), "size": rng.uniform(0, 5, 9_000).tolist()})
    codes = model.codes(rows)
    expected = np.tile(model.base, (9_000, 1))
    for table, column in zip(model.tables, codes, strict=True):
        expected[column >= 0] += table[column[column >= 0]]
    np.testing.assert_array_equal(model.scores(rows), expected)


def test_a_cell_with_a_new_value_on_either_axis_adds_nothing():
    grid = make_grid()
    model = make_model(*(term(axis, 0.0) for axis in grid.axes), term(grid, 1.0))
    rows = ListedBatch({"width": [0.0, 1.0], "color": ["value 1", "value 9"]})
    assert [codes.tolist() for codes in model.codes(rows)] == [[1, -1]]
    np.testing.assert_array_equal(model.scores(rows)[1], model.base)


def test_a_term_says_what_missing_and_unseen_values_mean(model):
    size, _, color = model.terms
    assert (size.missing, color.missing) == ((MissingPolicy.LOWEST,), (MissingPolicy.CATEGORY,))
    assert size.unseen == color.unseen == "neutral"


# columns by name


def test_a_column_that_several_terms_need_is_read_once():
    grid = make_grid()
    model = make_model(*(term(axis, 1.0) for axis in grid.axes), term(grid, 1.0))
    rows = ListedBatch({"width": [0.0], "color": ["value 1"]})
    model.scores(rows)
    assert sorted(rows.reads) == ["color", "width"]


def test_columns_without_a_weight_are_not_asked_for(model):
    rows = ListedBatch({"color": ["red"], "size": [1.0]})
    model.probabilities(rows)
    assert "noise" not in rows.reads


def test_dates_where_numbers_were_are_refused(model):
    rows = ListedBatch({"color": ["red"], "size": [1.0]}, kind=Kind.DATETIME)
    with pytest.raises(ColumnError, match="'size' held numeric values in the training data but"):
        model.scores(rows)


def test_numbers_where_text_was_are_refused(model):
    with pytest.raises(ColumnError, match=r"'color' held text .* holds numbers now, such as 7"):
        model.scores(ListedBatch({"color": [7], "size": [1.0]}))


# files


def through_json(model):
    return json.loads(json.dumps(model.to_dict(), allow_nan=False))


def test_a_model_comes_back_from_its_record_to_the_last_bit(model):
    again = AdditiveModel.from_dict(through_json(model), RecordPosition())
    assert again.scores(NEW).tobytes() == model.scores(NEW).tobytes()
    assert through_json(again) == through_json(model)
    assert again.schema == model.schema
    assert (again.target.name, again.target.counts.tolist()) == ("kind", [12, 6, 6])


def test_a_model_survives_pickling(model):
    again = pickle.loads(pickle.dumps(model))
    assert again.scores(NEW).tobytes() == model.scores(NEW).tobytes()


def change(record, path, value):
    for key in path[:-1]:
        record = record[key]
    record[path[-1]] = value


CHANGES = [
    (("target", "counts"), [1, 2], "target: 'counts' is not a table of 3 positive counts"),
    (("target", "counts"), [1, 2, 0], "target: 'counts' is not a table of 3 positive counts"),
    (("base",), [0.0, 1.0], "'base' is not a table of 3 numbers"),
    (("base",), [0.0, 1.0, 1e300], "'base' is not a table of 3 numbers"),
    (("schema", "columns"), [], "'columns' is not a list of columns with different names"),
    (("schema", "columns", 0, "name"), "color", "'columns' is not a list of columns with diff"),
    (("schema", "columns", 0, "name"), "height", "'terms' is not one term per column"),
    (("schema", "columns", 0, "ordered"), False, "'columns' is not intervals for ordered"),
    (("schema", "columns", 0, "kind"), "magic", "columns 0: 'kind' is not one of numeric"),
    (("schema", "columns", 0, "format"), "%d/%m/%Y", "'columns' is not a list of columns whose f"),
    (("schema", "columns", 0, "format"), 1, "columns 0: 'format' is not a text"),
    (("terms", 0, "weight"), 1.5, "terms 0: 'weight' is not a number from 0 to 1"),
    (("terms", 0, "unseen"), "group 0", "terms 0: 'unseen' is not one of neutral"),
    (("terms", 0, "missing"), ["category"], "terms 0: 'missing' is not lowest, as its parts"),
    (("terms", 0, "table"), [[0, 0, 0]], "terms 0: 'table' is not a line of scores for each of 2"),
    (("terms", 0, "table"), [[0, 0]] * 2, "terms 0: 'table' is not a table of any × 3 numbers"),
    (("terms", 0, "parts", "cuts"), [3, 2], "terms 0: parts: 'cuts' is not a list of 1 increasing"),
    (
        ("terms", 0, "parts", "counts"),
        [[0, 0, 0]] * 2,
        "terms 0: parts: 'counts' is not the labeled rows of every class",
    ),
    (("target", "name"), "\ud800", "target: 'name' is not a text or a whole number"),
]


@pytest.mark.parametrize(("path", "value", "message"), CHANGES, ids=str)
def test_a_damaged_model_is_refused(model, path, value, message):
    record = through_json(model)
    change(record, path, value)
    with pytest.raises(ModelError, match=message):
        AdditiveModel.from_dict(record, RecordPosition())


def test_a_pair_of_other_columns_is_refused():
    grid = make_grid(names=("width", "shape"))
    width, _ = make_grid().axes
    model = make_model(term(width, 0.0), term(grid, 1.0))
    with pytest.raises(ModelError, match="'terms' is not a list of different pairs of its columns"):
        AdditiveModel.from_dict(through_json(model), RecordPosition())


def test_a_pair_whose_axis_is_of_another_type_than_its_column_is_refused():
    grid = make_grid()
    width, _ = grid.axes
    color = make_intervals(name="color", counts=width.counts)
    model = make_model(term(width, 0.0), term(color, 0.0), term(grid, 1.0))
    with pytest.raises(ModelError, match="'terms' is not a list of pairs whose axes are intervals"):
        AdditiveModel.from_dict(through_json(model), RecordPosition())


# bins


SIZES = [[5, 2, 0], [4, 0, 0], [3, 4, 6]]
"""Rows of three bins; the first two are the first part of the model's "size"."""


def with_bins(model, **changes):
    """The model with bins of its first column, and scores of their own."""
    bins = make_intervals([1.5, 2.5], SIZES, name="size", classes=CLASSES, **changes)
    table = np.array([[1.0, 0.0, -1.0], [0.5, 0.0, -0.5], [-2.0, 0.5, 1.5]])
    first = replace(model.terms[0], bins=bins, table=table)
    return replace(model, terms=(first, *model.terms[1:]))


def test_scores_are_those_of_the_parts_unless_there_are_bins(model):
    size, _, color = with_bins(model).terms
    assert size.scored is size.bins
    assert color.scored is color.parts


def test_a_row_has_the_score_of_its_bin(model):
    binned = with_bins(model)
    rows = ListedBatch({"color": ["red"] * 3, "size": [1.0, 2.0, 3.0]})
    assert [codes.tolist() for codes in binned.codes(rows)] == [[0, 1, 2], [0, 0, 0]]
    expected = binned.base + 0.75 * binned.terms[0].table + binned.tables[1][0]
    np.testing.assert_allclose(binned.scores(rows), expected)


def test_the_mean_score_is_that_of_the_rows_of_the_bins(model):
    size = with_bins(model).terms[0]
    means = [np.abs(line).mean() for line in size.table]
    assert size.mean_score == pytest.approx((7 * means[0] + 4 * means[1] + 13 * means[2]) / 24)


def test_shapley_values_of_bins_are_zero_on_average(model):
    binned = with_bins(model)
    rows = ListedBatch({"color": ["red"] * 3, "size": [1.0, 2.0, 3.0]})
    added = binned.shapley_values(rows).contributions[:, 0]
    np.testing.assert_allclose(np.array([7, 4, 13]) @ added, 0, atol=1e-12)


def test_importances_are_weighted_mean_scores_where_there_are_bins(model):
    binned = with_bins(model)
    size, _, color = binned.terms
    shares = np.array([0.75 * size.mean_score, 0.0, 0.5 * color.mean_score])
    np.testing.assert_allclose(list(binned.importances.values()), shares / shares.sum())


def test_bins_come_back_from_their_record_to_the_last_bit(model):
    binned = with_bins(model)
    again = AdditiveModel.from_dict(through_json(binned), RecordPosition())
    assert again.scores(ROWS).tobytes() == binned.scores(ROWS).tobytes()
    assert through_json(again) == through_json(binned)
    assert again.terms[0].bins.cuts.tolist() == [1.5, 2.5]
    assert again.terms[1].bins is None


BIN_CHANGES = [
    (("table",), [[0, 0, 0]] * 2, "terms 0: 'table' is not a line of scores for each of 3 parts"),
    (("bins",), None, "terms 0: 'table' is not a line of scores for each of 2 parts"),
    (("bins",), 7, "terms 0: 'bins' is not"),
    (("bins", "name"), "color", "terms 0: 'bins' is not finer parts of 'size', with the same rows"),
    (("bins", "counts"), [[9, 2, 1], [0, 0, 0], [3, 4, 6]], "'bins' is not finer parts of 'size'"),
    (("bins", "cuts"), [2.5, 1.5], "terms 0: bins: 'cuts' is not a list of 2 increasing numbers"),
    (("bins", "type"), "grid", "terms 0: bins: 'type' is not one of"),
]


@pytest.mark.parametrize(("path", "value", "message"), BIN_CHANGES, ids=str)
def test_bins_that_contradict_their_term_are_refused(model, path, value, message):
    record = through_json(with_bins(model))
    change(record, ("terms", 0, *path), value)
    with pytest.raises(ModelError, match=message):
        AdditiveModel.from_dict(record, RecordPosition())


def test_bins_of_another_type_than_the_parts_are_refused(model):
    record = through_json(with_bins(model))
    groups = record["terms"][2]["parts"] | {"name": "size"}
    change(record, ("terms", 0, "bins"), groups)
    with pytest.raises(ModelError, match="terms 0: 'bins' is not finer parts of 'size'"):
        AdditiveModel.from_dict(record, RecordPosition())


def test_bins_of_a_pair_are_refused():
    grid = make_grid()
    width, color = grid.axes
    pair = replace(term(grid, 1.0), bins=width, table=np.zeros((2, 2)))
    model = make_model(term(width, 0.0), term(color, 0.0), pair)
    with pytest.raises(ModelError, match="terms 2: 'bins' is not finer parts of 'width'"):
        AdditiveModel.from_dict(through_json(model), RecordPosition())


def test_a_term_with_bins_is_printed_and_framed_with_a_line_per_bin(model):
    size = with_bins(model).terms[0]
    assert repr(size) == "<Term of size: weight 0.75, 3 parts, 3 classes>"
    frame = size.to_frame()
    assert frame["part"].tolist() == ["(-inf, 1.5]", "(1.5, 2.5]", "(2.5, inf)"]
    assert frame["score of a"].tolist() == [1.0, 0.5, -2.0]


# people


def test_a_model_is_printed_as_its_terms_the_heaviest_first(model):
    assert repr(model) == "<AdditiveModel of 3 classes: 3 columns, 0 pairs, 2 terms with a weight>"
    assert [line.split()[0] for line in str(model).splitlines()[2:]] == ["size", "color"]


def test_a_model_is_a_frame_of_its_terms(model):
    frame = model.to_frame()
    assert frame["term"].tolist() == ["size", "noise", "color"]
    assert frame["weight"].tolist() == [0.75, 0.0, 0.5]


def test_an_explanation_is_a_frame_with_a_line_per_row_and_class(model):
    explained = model.explanation(ROWS)
    frame = explained.to_frame()
    assert frame.columns.tolist() == ["row", "class", "base", "size", "color", "score"]
    assert frame["row"].tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert frame["class"].tolist() == ["a", "b", "c"] * 3
    np.testing.assert_array_equal(frame["size"], explained.contributions[:, 0].ravel())
    np.testing.assert_allclose(frame[["base", "size", "color"]].sum(axis=1), frame["score"])
    np.testing.assert_array_equal(frame["score"], explained.scores.ravel())


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_a_term_is_a_frame_of_its_parts_of_any_library(model, backend):
    frame = model.terms[0].to_frame(backend)
    assert type(frame).__module__.split(".")[0] == {"pyarrow": "pyarrow"}.get(backend, backend)
    assert "score of a" in list(frame.columns if backend != "pyarrow" else frame.column_names)


def test_an_unknown_library_of_frames_is_answered_with_the_known_ones(model):
    with pytest.raises(ValueError, match="backend is 'excel': pass one of 'pandas', 'polars'"):
        model.to_frame("excel")
