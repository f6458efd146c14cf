"""A table of every kind of column, and what a job reports about it."""

import numpy as np
import pandas as pd
import pytest

from modlearn._tables.memory import table as table_module

COLUMNS = ["amount", "country", "noise"]


def make_orders(n_rows: int = 200, seed: int = 0) -> pd.DataFrame:
    """Three columns informative about `paid`, a row number, an identifier and a constant."""
    rng = np.random.default_rng(seed)
    amount = rng.normal(50, 20, n_rows)
    country = rng.choice(["fr", "de", "it"], n_rows)
    noise = rng.random(n_rows)
    odds = 0.15 + 0.45 * (amount < 50) + 0.3 * (country == "fr")
    return pd.DataFrame(
        {
            "order": [f"A-{i:05d}" for i in range(n_rows)],
            "amount": amount,
            "country": country,
            "noise": noise,
            "shop": "online",
            "paid": np.where(rng.random(n_rows) < odds, "yes", "no"),
        }
    )


@pytest.fixture
def orders() -> pd.DataFrame:
    """200 orders."""
    return make_orders()


@pytest.fixture
def reads(monkeypatch):
    """Names of the columns that were read, as often as they were."""
    names = []

    def spy(reader):
        def read(source, name, *rest):
            names.append(name)
            return reader(source, name, *rest)

        return read

    for reader in ("numeric_column", "categorical_column"):
        monkeypatch.setattr(table_module, reader, spy(getattr(table_module, reader)))
    return names


def make_visits(n_customers=100, n_rows=6, seed=0):
    """Customers differ in how often they buy; `day` is a number, `when` the date of that day."""
    rng = np.random.default_rng(seed)
    customer = np.repeat(np.arange(n_customers), n_rows)
    day = rng.integers(0, 300, len(customer))
    amount = rng.normal(50, 20, len(customer))
    odds = 0.1 + 0.6 * (rng.random(n_customers) < 0.4)[customer] + 0.2 * (amount < 50)
    return pd.DataFrame(
        {
            "customer": [f"c{i}" for i in customer],
            "amount": amount,
            "day": day,
            "when": pd.Timestamp("2020-01-01") + pd.to_timedelta(day, unit="D"),
            "buys": np.where(rng.random(len(customer)) < odds, "yes", "no"),
        }
    )


@pytest.fixture(scope="module")
def visits():
    return make_visits()
