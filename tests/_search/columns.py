"""Count tables from plain lists, small columns to draw, and large ones to search."""

import math
from functools import partial

import numpy as np
from hypothesis import strategies as st

from modlearn._search.blocks import from_dense
from modlearn._statistics.categories import CategoryCounts
from modlearn._statistics.numeric import count_numbers
from modlearn.criteria import ClassCost, MapCost, discretization_prior

NAN, INF = math.nan, math.inf
NUMBERS = [NAN, -INF, -3.25, 0.0, 1e-300, 2.0, 1e9, 1e9 + 1e-6, INF]


def sorted_counts(values, labels, n_classes, weights=None):
    """A numeric column; the label None is unlabeled."""
    classes = [n_classes if label is None else int(label) for label in labels]
    weights = None if weights is None else np.array(weights, dtype=np.int64)
    return count_numbers(
        np.array(values, dtype=np.float64), np.array(classes, dtype=np.int32), weights, n_classes
    )


def value_counts(table):
    """A categorical column from counts of shape (V, J)."""
    table = np.asarray(table, dtype=np.int64)
    values, classes = np.nonzero(table)
    pointer = np.searchsorted(values, np.arange(len(table) + 1))
    return CategoryCounts(
        pointer.astype(np.int64), classes.astype(np.int32), table[values, classes], table.shape[1]
    )


@st.composite
def columns(draw, max_values=8, max_rows=30, with_unlabeled=False):
    """(values, labels, n_classes): ties, missing and infinite values, a label here and there."""
    n_classes = draw(st.integers(1, 3))
    numbers = st.sampled_from(draw(st.permutations(NUMBERS))[:max_values])
    label = st.integers(0, n_classes - 1)
    if with_unlabeled:
        label |= st.none()
    rows = draw(st.lists(st.tuples(numbers, label), min_size=1, max_size=max_rows))
    values, labels = zip(*rows, strict=True)
    return list(values), list(labels), n_classes


@st.composite
def contrasted_columns(draw, with_unlabeled=False):
    """Columns of up to 8 runs, mostly of one class each: several intervals are likely."""
    n_classes = draw(st.integers(2, 3))
    values, labels = [], []
    numbers = sorted(NUMBERS[1:]) if draw(st.booleans()) else [NAN, *sorted(NUMBERS[2:])]
    for value in numbers[: draw(st.integers(2, 8))]:
        size, label = draw(st.integers(1, 12)), draw(st.integers(0, n_classes - 1))
        values += [value] * size
        labels += [label] * size
        if draw(st.booleans()):
            values.append(value)
            labels.append(draw(st.integers(0, n_classes - 1)))
        if with_unlabeled:
            rest = draw(st.integers(0, 6))
            values += [value] * rest
            labels += [None] * rest
    return values, labels, n_classes


def any_column(with_unlabeled=False):
    return columns(with_unlabeled=with_unlabeled) | contrasted_columns(with_unlabeled)


def partly_labeled():
    """Columns with at least one label."""
    return any_column(with_unlabeled=True).filter(lambda c: any(y is not None for y in c[1]))


def limits():
    """(max_parts, min_part_size)"""
    return st.tuples(st.none() | st.integers(1, 4), st.integers(1, 9))


@st.composite
def count_tables(draw, max_rows=8, largest=9, min_classes=1, max_classes=3):
    """Counts of shape (rows, J), no row empty."""
    n_classes = draw(st.integers(min_classes, max_classes))
    row = st.tuples(*[st.integers(0, largest)] * n_classes).filter(any)
    return draw(st.lists(row, min_size=1, max_size=max_rows))


def random_blocks(rng, n_blocks, n_classes, with_unlabeled=False, rows=3):
    """Blocks whose class shares drift, with a jump here and there."""
    position = (
        np.linspace(0, 6, n_blocks)[:, None]
        + np.repeat(rng.normal(size=8), -(-n_blocks // 8))[:n_blocks, None]
    )
    odds = np.exp(
        2 * np.sin(position * rng.uniform(0.5, 2, n_classes) + rng.uniform(0, 6, n_classes))
    )
    shares = odds / odds.sum(axis=1, keepdims=True)
    table = rng.multinomial(1 + rng.poisson(rows - 1, n_blocks), shares)
    if with_unlabeled:
        table = np.column_stack((table, rng.poisson(rows, n_blocks)))
    return from_dense(table)


def part_cost(blocks, with_unlabeled=False, prior=None):
    """Formula 1, or the map criterion if the last label stands for unlabeled rows."""
    prior = prior or partial(discretization_prior, int(blocks.dense().sum()))
    return (
        MapCost(blocks.n_labels - 1, prior) if with_unlabeled else ClassCost(blocks.n_labels, prior)
    )


def alternating(n_blocks, rows):
    """Counts of pure blocks of two classes in turn."""
    return rows * np.eye(2, dtype=int)[np.arange(n_blocks) % 2]


def large_columns(n, seed):
    """{name: (values, labels, n_classes)} with more elementary blocks than are searched at once."""
    rng = np.random.default_rng(seed)
    x, u = rng.normal(size=n), rng.random(n)
    position = np.arange(n)
    return {
        "steps of 5 classes": (x, _steps(rng, x, 5, 3, 0.3), 5),
        "steps of 26 classes": (x, _steps(rng, x, 26, 2, 0.4), 26),
        "wave": (x, (rng.random(n) < 0.5 + 0.4 * np.sin(8 * x)).astype(int), 2),
        "narrow bumps": (u, _bumps(rng, u), 2),
        "rare class": (u, _rare(rng, u), 4),
        "noisy alternation": (position, (rng.random(n) < 0.1) ^ (position // 37 % 2), 2),
        "mixture": (x + position % 3, position % 3, 3),
        "ties": (
            np.round(x, 3),
            (rng.random(n) < 1 / (1 + np.exp(-3 * np.sin(4 * x)))).astype(int),
            2,
        ),
    }


def _steps(rng, x, n_classes, frequency, strength):
    """A staircase of classes, folded, and noise."""
    step = np.floor(np.abs(np.sin(x * frequency)) * n_classes).clip(0, n_classes - 1)
    return np.where(rng.random(len(x)) < strength, step, rng.integers(0, n_classes, len(x))).astype(
        int
    )


def _bumps(rng, u):
    """Fair coins except in twelve narrow ranges."""
    labels = rng.integers(0, 2, len(u))
    for center in rng.random(12):
        near = np.abs(u - center) < 0.0025
        labels[near] = rng.random(near.sum()) < 0.92
    return labels


def _rare(rng, u):
    """A class of two rows in a thousand with eight nests of a few rows."""
    labels = rng.choice(4, len(u), p=[0.5, 0.4, 0.098, 0.002])
    for center in rng.random(8):
        labels[np.argsort(np.abs(u - center))[: rng.integers(4, 9)]] = 3
    return labels
