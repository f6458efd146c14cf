"""The screening of triples against its formula, and the parts that it leads to."""

from itertools import combinations

import numpy as np
import pytest
from tests._search.test_trees import PARITY, examples_of

from modlearn._search.triples import halves, promising_triples, triple_scores, triple_seed


def noise(n=300, n_columns=6, seed=0):
    """Columns of 9 values, and classes that depend on the parity of columns 1, 3 and 4."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 9, (n, n_columns))
    high = values[:, [1, 3, 4]] > 3
    return [
        (tuple(own), int(label)) for own, label in zip(values, high.sum(axis=1) % 2, strict=True)
    ]


def slow_score(examples, triple):
    """The score as its docstring has it."""

    def standardized(x):
        return (x - x.mean()) / x.std()

    signs = [standardized(halves(examples)[k][examples.axes[k].codes] * 1.0) for k in triple]
    own = [standardized(examples.classes == j) for j in range(examples.n_classes)]
    n = len(examples.classes)
    return sum((signs[0] * signs[1] * signs[2] * one).sum() ** 2 / n for one in own)


def test_scores_are_those_of_the_formula():
    examples = examples_of(noise(), [True, False] * 3)
    expected = [slow_score(examples, triple) for triple in combinations(range(6), 3)]
    np.testing.assert_allclose(triple_scores(examples), expected, rtol=1e-9)


def test_columns_whose_parity_decides_are_the_most_promising():
    examples = examples_of(noise(), [True] * 6)
    assert promising_triples(examples, 2)[0] == (1, 3, 4)
    assert len(promising_triples(examples, 2)) == 2


def test_the_parts_of_three_columns_are_where_their_parity_changes():
    parts = dict(triple_seed(examples_of(noise(), [True] * 6), (1, 3, 4)))
    assert list(parts) == [1, 3, 4]
    assert all(part.tolist() == [0, 0, 0, 0, 1, 1, 1, 1, 1] for part in parts.values())


def test_columns_that_are_not_informative_together_seed_no_triples():
    assert triple_seed(examples_of(noise(), [True] * 6), (0, 2, 5)) is None


@pytest.mark.parametrize("ordered", [True, False])
def test_halves_have_about_equal_numbers_of_rows(ordered):
    examples = examples_of(noise(), [ordered] * 6)
    for half, axis in zip(halves(examples), examples.axes, strict=True):
        assert 0.35 < half[axis.codes].mean() < 0.65


def test_a_constant_column_scores_nothing():
    rows = [((0, *values), label) for values, label in PARITY * 5]
    assert triple_scores(examples_of(rows, [True] * 4)).round(9).tolist() == [0, 0, 0, 80]


def test_many_columns_are_not_screened():
    rows = [((0,) * 101, 0), ((1,) * 101, 1)]
    assert promising_triples(examples_of(rows, [True] * 101), 3) == []
