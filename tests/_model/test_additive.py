import numpy as np
import pytest
from tests.oracles import naive_bayes as twin

from modlearn._model.additive import Explanation, NaiveBayes, Variable, two_most_probable
from modlearn.criteria import part_log_likelihoods


@pytest.fixture
def model():
    counts = np.array([[9, 2, 0], [3, 4, 6]]), np.array([[4, 4, 4], [8, 0, 1], [0, 2, 1]])
    variables = tuple(
        Variable(f"x{k}", (k,), table, cost=1.0, level=0.5, source=None)
        for k, table in enumerate(counts)
    )
    prior = counts[0].sum(axis=0) / 24
    return NaiveBayes(
        classes=np.array(["a", "b", "c"]),
        log_prior=np.log(prior),
        variables=variables,
        weights=np.array([0.75, 0.5]),
        log_likelihoods=tuple(part_log_likelihoods(v.counts) for v in variables),
    )


CODES = [np.array([0, 1, 1], dtype=np.int32), np.array([0, 0, 1], dtype=np.int32)]


def test_scores_are_those_of_the_twin(model):
    counts = [variable.counts.tolist() for variable in model.variables]
    prior = np.exp(model.log_prior).tolist()
    expected = [
        twin.scores(counts, model.weights.tolist(), prior, row)
        for row in zip(*(column.tolist() for column in CODES), strict=True)
    ]
    np.testing.assert_allclose(model.scores(CODES, 3), expected)


def test_an_explanation_adds_up(model):
    explained = model.explanation(CODES, 3)
    assert explained.contributions.shape == (3, 2, 3)
    np.testing.assert_allclose(explained.scores, model.scores(CODES, 3))


def test_shapley_values_are_those_of_all_orders_of_the_variables(model):
    shapley = model.shapley_values(CODES, 3)
    shares = [v.counts.sum(axis=1) / v.counts.sum() for v in model.variables]
    for row in range(3):
        for k, (table, share) in enumerate(zip(model.tables, shares, strict=True)):
            # With two variables: the mean of what k adds first and what it adds last, the
            # variables that are not known yet averaged over.
            other = 1 - k
            unknown = shares[other] @ model.tables[other]
            known = model.tables[other][CODES[other][row]]
            gain = table[CODES[k][row]] - share @ table
            expected = ((unknown + gain - unknown) + (known + gain - known)) / 2
            np.testing.assert_allclose(shapley.contributions[row, k], expected, atol=1e-12)


def test_a_row_of_an_explanation_is_an_explanation(model):
    explained = model.explanation(CODES, 3)
    assert len(explained[1]) == 1
    np.testing.assert_allclose(explained[1].scores, explained.scores[[1]])
    np.testing.assert_allclose(explained[1:].scores, explained.scores[1:])


@pytest.mark.parametrize(
    "rows", [[0, 2], np.array([0, 2]), np.array([True, False, True]), [-3, -1], slice(0, 3, 2)]
)
def test_some_rows_of_an_explanation_are_an_explanation(model, rows):
    explained = model.explanation(CODES, 3)
    np.testing.assert_allclose(explained[rows].scores, explained.scores[[0, 2]])


def test_no_row_is_an_explanation_too(model):
    none = model.explanation(CODES, 3)[[]]
    assert len(none) == 0
    assert str(none) == "<Explanation of 0 rows by 2 variables, 3 classes>"


@pytest.mark.parametrize("index", [(0, 1), [[0, 1]]])
def test_an_explanation_has_no_index_but_rows(model, index):
    with pytest.raises(IndexError, match="indexed by rows alone"):
        model.explanation(CODES, 3)[index]


def test_an_explanation_ends_where_its_rows_do(model):
    assert len(list(model.explanation(CODES, 3))) == 3


def test_of_several_rows_the_mean_is_shown_and_called_that(model):
    explained = model.explanation(CODES, 3)
    heading, _, *lines = str(explained).splitlines()
    assert heading == "mean of 3 rows"
    scores = [float(number) for number in lines[-1].split()[1:]]
    np.testing.assert_allclose(scores, explained.scores.mean(axis=0), atol=0.005)


def test_an_explanation_says_what_it_is_of(model):
    assert repr(model.explanation(CODES, 3)) == (
        "<Explanation of 3 rows by 2 variables, 3 classes>"
    )


def test_an_explanation_of_a_row_is_a_table_what_tells_most_first():
    explained = Explanation(
        ("x", ("y", "z")),
        np.array([1.0, 2.0]),
        np.array([-0.5, -1.0]),
        np.array([[[-1.0, -1.25], [0.0, -2.0]]]),
    )
    assert str(explained).splitlines() == [
        "                1      2",
        "(base)      -0.50  -1.00",
        "('y', 'z')   0.00  -2.00",
        "x           -1.00  -1.25",
        "score       -1.50  -4.25",
    ]


def test_of_equally_probable_classes_the_first_comes_first():
    label, rival = two_most_probable(np.array([[0.2, 0.5, 0.3], [0.4, 0.2, 0.4], [0.0, 0.0, 1.0]]))
    assert label.tolist() == [1, 0, 2]
    assert rival.tolist() == [2, 2, 0]
