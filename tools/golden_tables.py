"""The 20 tables of the golden results: scikit-learn's data sets, and tables drawn from seeds."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn import datasets

__all__ = ["GoldenTable", "golden_tables"]


@dataclass(frozen=True, kw_only=True)
class GoldenTable:
    """A table with its target.

    Parameters
    ----------
    name : str
        Key of its results.
    X : frame or array
        The columns.
    y : array
        The labels; None or NaN where a row is unlabeled.
    weights : array or None
        How often each row counts.
    evaluated : bool
        Whether the test folds hold no category that is absent from their training rows. Such a
        category counts differently since the golden file was written, and on purpose.
    paired : tuple of column names
        Columns whose pairs are searched; few, so that all is done in a minute.
    """

    name: str
    X: Any
    y: Any
    weights: Any = None
    evaluated: bool = True
    paired: tuple[Any, ...] = ()

    def rows_counted(self, X: Any) -> Any:
        """Return the rows that are learned from: those with a label and a weight.

        A category of other rows alone is one that was never seen, which counts differently since.
        """
        counted = ~pd.isna(self.y)
        if self.weights is not None:
            counted &= self.weights > 0
        return X[counted]


TABLES: list[Callable[[], GoldenTable]] = []


def golden_tables() -> Iterator[GoldenTable]:
    """Make the tables one by one."""
    for make in TABLES:
        yield make()


def table(make: Callable[[], GoldenTable]) -> Callable[[], GoldenTable]:
    """Add a table to the list."""
    TABLES.append(make)
    return make


def draw(seed: int) -> np.random.RandomState:
    """Return a generator whose stream NumPy guarantees never to change."""
    return np.random.RandomState(seed)


def noisy(random: np.random.RandomState, y: np.ndarray, share: float) -> np.ndarray:
    """Replace a share of the labels by those of other rows."""
    return np.where(random.rand(len(y)) < share, random.permutation(y), y)


def bundled(name: str, n_columns: int | None = None, n_paired: int = 4) -> GoldenTable:
    """Return a data set of scikit-learn."""
    data = getattr(datasets, f"load_{name}")(as_frame=True)
    X = data.data.iloc[:, :n_columns]
    return GoldenTable(name=name, X=X, y=data.target.to_numpy(), paired=tuple(X.columns[:n_paired]))


@table
def iris() -> GoldenTable:
    """Three classes, four numbers."""
    return bundled("iris")


@table
def wine() -> GoldenTable:
    """Three classes, 13 numbers."""
    return bundled("wine", n_paired=4)


@table
def breast_cancer() -> GoldenTable:
    """Two classes, 30 correlated numbers."""
    return bundled("breast_cancer", n_paired=3)


@table
def digits() -> GoldenTable:
    """Ten classes, small whole numbers, some of them constant."""
    return bundled("digits", n_columns=20, n_paired=0)


@table
def diabetes() -> GoldenTable:
    """A number as target, in four bins named by text."""
    data = datasets.load_diabetes(as_frame=True)
    bins = np.searchsorted([87.0, 140.5, 211.5], data.target.to_numpy())
    y = np.array(["low", "medium", "high", "very high"], dtype=object)[bins]
    return GoldenTable(name="diabetes", X=data.data, y=y, paired=("bmi", "bp", "s5"))


@table
def noise() -> GoldenTable:
    """Nothing to be found."""
    random = draw(1)
    X = pd.DataFrame(random.rand(300, 5), columns=list("abcde"))
    return GoldenTable(name="noise", X=X, y=random.randint(0, 2, 300), paired=("a", "b", "c"))


@table
def xor() -> GoldenTable:
    """Two columns that are informative only together."""
    random = draw(2)
    X = pd.DataFrame(random.rand(400, 3), columns=["a", "b", "noise"])
    y = ((X["a"] > 0.4) ^ (X["b"] > 0.6)).to_numpy().astype(int)
    return GoldenTable(name="xor", X=X, y=noisy(random, y, 0.1), paired=("a", "b", "noise"))


@table
def many_classes() -> GoldenTable:
    """30 classes."""
    random = draw(3)
    y = random.randint(0, 30, 900)
    X = np.column_stack([y + random.randn(900), y % 5 + random.rand(900), random.rand(900)])
    return GoldenTable(name="many classes", X=X, y=y, paired=("x0", "x1"))


@table
def many_categories() -> GoldenTable:
    """Categories with few rows each, and some with many."""
    random = draw(4)
    n = 1200
    city, shop = random.randint(0, 120, n), (random.rand(n) ** 3 * 60).astype(int)
    y = noisy(random, (city % 7 < 3).astype(int) + (shop % 3 == 0), 0.2)
    X = pd.DataFrame(
        {"city": [f"city {i}" for i in city], "shop": [f"s{i}" for i in shop], "n": random.rand(n)}
    )
    return GoldenTable(
        name="many categories", X=X, y=y, evaluated=False, paired=("city", "shop", "n")
    )


@table
def missing_values() -> GoldenTable:
    """Numbers and text with gaps that are informative."""
    random = draw(5)
    n = 500
    y = random.randint(0, 2, n)
    low, high = y + random.randn(n), y - random.randn(n)
    low[(random.rand(n) < 0.3) & (y == 1)] = np.nan
    high[random.rand(n) < 0.1] = np.nan
    color = np.array(["red", "green", "blue", None], dtype=object)[
        (random.rand(n) * (3 + y)).astype(int)
    ]
    X = pd.DataFrame({"low": low, "high": high, "color": color})
    return GoldenTable(name="missing values", X=X, y=y, paired=("low", "high", "color"))


@table
def infinities() -> GoldenTable:
    """Infinite, huge and tiny numbers."""
    random = draw(6)
    n = 300
    y = random.randint(0, 3, n)
    a, b = np.exp(40 * (y + random.randn(n))), -np.exp(-30 * random.rand(n) * (1 + y))
    a[(y == 2) & (random.rand(n) < 0.5)] = np.inf
    b[(y == 0) & (random.rand(n) < 0.4)] = -np.inf
    b[random.rand(n) < 0.1] = np.nan
    X = pd.DataFrame({"a": a, "b": b})
    return GoldenTable(name="infinities", X=X, y=y, paired=("a", "b"))


@table
def ties() -> GoldenTable:
    """Whole numbers with many equal values, as integers and as decimals."""
    random = draw(7)
    n = 800
    y = random.randint(0, 3, n)
    X = pd.DataFrame(
        {
            "whole": y + random.randint(0, 6, n),
            "tenths": np.round(y / 3 + random.rand(n), 1),
            "half": np.where(random.rand(n) < 0.5, 0.0, y + random.rand(n)),
        }
    )
    return GoldenTable(name="ties", X=X, y=y, paired=("whole", "tenths", "half"))


@table
def dates() -> GoldenTable:
    """Days, instants and missing dates."""
    random = draw(8)
    n = 400
    y = random.randint(0, 2, n)
    day = np.datetime64("2020-01-01", "s") + (86_400 * (300 * y + random.randint(0, 500, n)))
    instant = np.datetime64("1969-12-30", "ms") + random.randint(0, 10**6, n) * (500 + y)
    instant[random.rand(n) < 0.1] = np.datetime64("NaT")
    X = pd.DataFrame({"day": day, "instant": instant, "n": random.rand(n)})
    return GoldenTable(name="dates", X=X, y=np.array(["no", "yes"])[y], paired=("day", "instant"))


@table
def durations() -> GoldenTable:
    """Lengths of time, negative ones too."""
    random = draw(9)
    n = 400
    y = random.randint(0, 3, n)
    short = (random.randint(-500, 2000, n) + 700 * y).astype("timedelta64[ms]")
    long = (random.randint(0, 400, n) * (1 + y)).astype("timedelta64[h]").astype("timedelta64[s]")
    X = pd.DataFrame({"short": short, "long": long})
    return GoldenTable(name="durations", X=X, y=y, paired=("short", "long"))


@table
def booleans() -> GoldenTable:
    """Truth values as columns and as target, with and without gaps."""
    random = draw(10)
    n = 300
    y = random.rand(n) < 0.3
    gaps = pd.array(noisy(random, y, 0.4), dtype="boolean")
    gaps[random.rand(n) < 0.2] = pd.NA
    X = pd.DataFrame({"flag": noisy(random, y, 0.5), "gaps": gaps, "n": random.rand(n) + y})
    return GoldenTable(name="booleans", X=X, y=y, paired=("flag", "gaps", "n"))


@table
def weights() -> GoldenTable:
    """Rows that count several times, or not at all."""
    random = draw(11)
    n = 300
    y = random.randint(0, 2, n)
    X = pd.DataFrame(
        {"a": y + random.randn(n), "b": random.rand(n), "c": (random.rand(n) * (4 + y)).astype(int)}
    )
    counts = random.randint(0, 4, n)
    return GoldenTable(name="weights", X=X, y=y, weights=counts, paired=("a", "b", "c"))


@table
def unlabeled_rows() -> GoldenTable:
    """Half of the rows without a label."""
    random = draw(12)
    n = 600
    y = random.randint(0, 2, n).astype(float)
    X = pd.DataFrame(
        {
            "a": y + 0.4 * random.randn(n),
            "b": np.round(y + random.rand(n), 1),
            "c": np.array(["x", "y", "z"])[(random.rand(n) * (2 + y)).astype(int)],
        }
    )
    y[random.rand(n) < 0.5] = np.nan
    return GoldenTable(name="unlabeled rows", X=X, y=y, paired=("a", "b", "c"))


@table
def few_labels() -> GoldenTable:
    """Twenty labels in 400 rows of text labels."""
    random = draw(13)
    n = 400
    side = random.randint(0, 2, n)
    X = pd.DataFrame({"a": 3 * side + random.randn(n), "b": side + random.randn(n)})
    y = np.array(["left", "right"], dtype=object)[side]
    y[20:] = None
    return GoldenTable(name="few labels", X=X, y=y, paired=("a", "b"))


@table
def mixed() -> GoldenTable:
    """Every kind of pandas column in one table, classes as text."""
    random = draw(14)
    n = 700
    y = random.randint(0, 3, n)
    grade = pd.Categorical.from_codes((y + random.randint(0, 3, n)) % 4, ["A", "B", "C", "D"])
    amount = np.where(random.rand(n) < 0.15, np.nan, np.exp(y + random.randn(n)))
    X = pd.DataFrame(
        {
            "age": 20 + 10 * y + random.randint(0, 30, n),
            "amount": amount,
            "grade": grade,
            "member": random.rand(n) < 0.2 + 0.2 * y,
            "since": np.datetime64("2021-05-01", "s") + 3600 * random.randint(0, 20_000, n),
            "town": np.array(["Ulm", "Bonn", "Kiel"])[(random.rand(n) ** (1 + y) * 3).astype(int)],
        }
    )
    names = np.array(["bronze", "silver", "gold"])
    return GoldenTable(name="mixed", X=X, y=names[y], paired=("age", "amount", "grade", "town"))


@table
def skewed() -> GoldenTable:
    """One class in twenty, and long tails."""
    random = draw(15)
    n = 3000
    y = (random.rand(n) < 0.05).astype(int)
    X = pd.DataFrame(
        {
            "income": np.exp(1.5 * random.randn(n) + y),
            "calls": random.poisson(1 + 2 * y, n),
            "code": random.randint(0, 40, n).astype(str),
        }
    )
    return GoldenTable(name="skewed", X=X, y=y, paired=("income", "calls", "code"))
