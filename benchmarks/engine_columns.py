"""Columns of many shapes with their classes, to compare counts in bins with counts of values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["SHAPES"]

Floats = NDArray[np.float64]
Column = tuple[Floats, NDArray[Any]]
Shape = Callable[[np.random.Generator, int], Column]


def _drawn(random: np.random.Generator, probability: Any, n: int) -> NDArray[Any]:
    """Class 1 with a probability that may differ from row to row."""
    return (random.random(n) < probability).astype(np.int64)


def _sigmoid(x: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.clip(x, -700, 700))))


def smooth(random: np.random.Generator, n: int) -> Column:
    x = random.normal(size=n)
    return x, _drawn(random, _sigmoid(1.5 * x), n)


def weak(random: np.random.Generator, n: int) -> Column:
    x = random.normal(size=n)
    return x, _drawn(random, _sigmoid(0.02 * x), n)


def noise(random: np.random.Generator, n: int) -> Column:
    return random.random(n), _drawn(random, 0.5, n)


def waves(random: np.random.Generator, n: int) -> Column:
    x = random.random(n)
    return x, _drawn(random, 0.5 + 0.4 * np.sin(40 * x), n)


def fast_waves(random: np.random.Generator, n: int) -> Column:
    x = random.random(n)
    return x, _drawn(random, 0.5 + 0.4 * np.sin(2000 * x), n)


def steps(random: np.random.Generator, n: int) -> Column:
    x = random.random(n)
    return x, _drawn(random, np.array([0.2, 0.7, 0.3, 0.9, 0.1])[(5 * x).astype(int)], n)


def many_steps(random: np.random.Generator, n: int) -> Column:
    x = random.random(n)
    heights = random.random(300)
    return x, _drawn(random, heights[(300 * x).astype(int)], n)


def small_steps(random: np.random.Generator, n: int) -> Column:
    x = random.random(n)
    return x, _drawn(random, 0.5 + 0.01 * ((50 * x).astype(int) % 2), n)


def pure(random: np.random.Generator, n: int) -> Column:
    x = random.normal(size=n)
    return x, (x > 0.3).astype(np.int64)


def nearly_pure(random: np.random.Generator, n: int) -> Column:
    x = random.normal(size=n)
    return x, (x > 0.3).astype(np.int64) ^ _drawn(random, 1e-4, n)


def chessboard(random: np.random.Generator, n: int) -> Column:
    x = random.random(n)
    return x, (1000 * x).astype(np.int64) % 2


def spikes(random: np.random.Generator, n: int) -> Column:
    x = 20 * random.random(n)
    whole = random.random(n) < 0.4
    x = np.where(whole, np.round(x), x)
    return x, _drawn(random, np.where(whole, 0.6, 0.4), n)


def many_spikes(random: np.random.Generator, n: int) -> Column:
    x = 5000 * random.random(n)
    whole = random.random(n) < 0.5
    x = np.where(whole, np.round(x), x)
    return x, _drawn(random, np.where(whole, 0.3 + 0.4 * (x % 2), 0.5), n)


def needle(random: np.random.Generator, n: int) -> Column:
    x = random.random(n)
    inside = (x > 0.61) & (x < 0.6102)
    return x, _drawn(random, np.where(inside, 0.95, 0.3), n)


def needles(random: np.random.Generator, n: int) -> Column:
    x = random.normal(size=n)
    starts = np.array([-2.1, -1.3, -0.4, 0.05, 0.7, 1.9, 2.6])
    inside = (((x[:, None] - starts) > 0) & ((x[:, None] - starts) < 5e-4)).any(axis=1)
    return x, _drawn(random, np.where(inside, 0.8, 0.2), n)


def thin_needle(random: np.random.Generator, n: int) -> Column:
    """An interval of about 30 rows in a million, less than a bin."""
    x = random.random(n)
    inside = (x > 0.3) & (x < 0.30003)
    return x, np.where(inside, 1, _drawn(random, 0.1, n))


def letters(random: np.random.Generator, n: int) -> Column:
    y = random.integers(0, 26, n)
    return y + 2 * random.normal(size=n), y


def skewed_letters(random: np.random.Generator, n: int) -> Column:
    shares = 0.7 ** np.arange(26)
    y = random.choice(26, n, p=shares / shares.sum())
    return np.sin(y) + 0.3 * random.normal(size=n), y


def many_classes(random: np.random.Generator, n: int) -> Column:
    y = random.integers(0, 60, n)
    return (y % 12) + 0.4 * random.normal(size=n), y


def log_normal(random: np.random.Generator, n: int) -> Column:
    x = random.lognormal(sigma=3, size=n)
    return x, _drawn(random, _sigmoid(0.5 * np.log(x)), n)


def heavy_tails(random: np.random.Generator, n: int) -> Column:
    x = random.standard_cauchy(n)
    return x, _drawn(random, np.where(np.abs(x) > 100, 0.9, _sigmoid(x)), n)


def far_tail(random: np.random.Generator, n: int) -> Column:
    """The class changes where few rows are, 20 of a million above the last cut."""
    x = random.exponential(size=n)
    return x, _drawn(random, np.where(x > np.log(5e4), 0.9, 0.1), n)


def duplicated(random: np.random.Generator, n: int) -> Column:
    x, y = noise(random, n // 5 + 1)
    return np.repeat(x, 5)[:n], np.repeat(y, 5)[:n]


def twins(random: np.random.Generator, n: int) -> Column:
    """Half of the rows occur twice."""
    x, y = noise(random, n - n // 4)
    return np.concatenate((x, x[: n // 4])), np.concatenate((y, y[: n // 4]))


def rounded(random: np.random.Generator, n: int) -> Column:
    """Values repeat, with classes that are independent of each other."""
    x, y = smooth(random, n)
    return np.round(x, 5), y


def missing(random: np.random.Generator, n: int) -> Column:
    x, y = smooth(random, n)
    absent = random.random(n) < 0.3
    return np.where(absent, np.nan, x), np.where(absent, _drawn(random, 0.2, n), y)


def mostly_missing(random: np.random.Generator, n: int) -> Column:
    x, y = steps(random, n)
    return np.where(random.random(n) < 0.97, np.nan, x), y


def mixture(random: np.random.Generator, n: int) -> Column:
    part = random.choice(4, n, p=[0.4, 0.3, 0.2, 0.1])
    x = np.array([0.0, 0.0, 50.0, 1e6])[part] + np.array([1, 0.001, 5, 1e5])[part] * random.normal(
        size=n
    )
    return x, _drawn(random, np.array([0.3, 0.5, 0.7, 0.2])[part], n)


def rare_class(random: np.random.Generator, n: int) -> Column:
    x = random.normal(size=n)
    return x, _drawn(random, 0.001 * np.exp(np.clip(x, -3, 3)), n)


def very_rare_class(random: np.random.Generator, n: int) -> Column:
    x = random.random(n)
    return x, _drawn(random, np.where(np.abs(x - 0.7) < 0.01, 2e-3, 1e-5), n)


def zeros(random: np.random.Generator, n: int) -> Column:
    """Most values are 0, the others a long tail."""
    zero = random.random(n) < 0.8
    x = np.where(zero, 0.0, random.lognormal(sigma=2, size=n))
    return x, _drawn(random, np.where(zero, 0.1, _sigmoid(np.log(np.maximum(x, 1e-9)))), n)


def infinities(random: np.random.Generator, n: int) -> Column:
    x, y = smooth(random, n)
    where = random.random(n)
    x = np.where(where < 0.01, np.inf, np.where(where > 0.999, -np.inf, x))
    return x, np.where(where < 0.01, 1, y)


def two_scales(random: np.random.Generator, n: int) -> Column:
    """A smooth trend with steps of one part in two thousand on top of it."""
    x = random.random(n)
    return x, _drawn(random, 0.2 + 0.5 * x + 0.2 * ((2000 * x).astype(int) % 2), n)


def twice(random: np.random.Generator, n: int) -> Column:
    """Every value occurs exactly twice, with one class."""
    return _repeated(random, n, 2)


def thrice(random: np.random.Generator, n: int) -> Column:
    return _repeated(random, n, 3)


def twenty_times(random: np.random.Generator, n: int) -> Column:
    return _repeated(random, n, 20)


def _repeated(random: np.random.Generator, n: int, times: int) -> Column:
    x, y = noise(random, n // times + 1)
    order = random.permutation(n)
    return np.repeat(x, times)[:n][order], np.repeat(y, times)[:n][order]


def duplicated_range(random: np.random.Generator, n: int) -> Column:
    """Values repeat in a fifth of the rows only, which are next to each other."""
    (x, y), (again, classes) = noise(random, n - n // 5), duplicated(random, n // 5)
    return np.concatenate((x, 0.7 + 1e-3 * again)), np.concatenate((y, classes))


def half_constant(random: np.random.Generator, n: int) -> Column:
    constant = random.random(n) < 0.5
    x = np.where(constant, 0.25, random.normal(size=n))
    return x, _drawn(random, np.where(constant, 0.4, _sigmoid(x)), n)


def heavy_ties(random: np.random.Generator, n: int) -> Column:
    """Integers from a few frequent ones to millions that occur once."""
    x = np.floor(1000 * random.lognormal(sigma=3, size=n))
    return x, _drawn(random, 0.3 + 0.4 * (np.floor(np.log2(x + 1)) % 2), n)


def by_position(random: np.random.Generator, n: int) -> Column:
    """Sorted rows, whose class depends on where they are in the file."""
    x = np.sort(random.normal(size=n))
    return x, _drawn(random, 0.3 + 0.4 * (np.arange(n) * 150 // n % 2), n)


def nearly_equal(random: np.random.Generator, n: int) -> Column:
    """Values that differ by 1e-12 of themselves, around five hundred others."""
    near = random.integers(0, 40, n)
    x = (1 + random.integers(0, 500, n)) * (1 + 1e-12 * near)
    return x, _drawn(random, 0.3 + 0.4 * (near > 20), n)


SHAPES: dict[str, Shape] = {
    shape.__name__: shape
    for shape in (
        smooth, weak, noise, waves, fast_waves, steps, many_steps, small_steps, pure, nearly_pure,
        chessboard, spikes, many_spikes, needle, needles, thin_needle, letters, skewed_letters,
        many_classes, log_normal, heavy_tails, far_tail, duplicated, twins, rounded, missing,
        mostly_missing, mixture, rare_class, very_rare_class, zeros, infinities, two_scales,
        twice, thrice, twenty_times, duplicated_range, half_constant, heavy_ties, by_position,
        nearly_equal,
    )
}  # fmt: skip
"""Functions of random numbers and a number of rows, by name."""
