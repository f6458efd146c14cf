"""A table of every kind of column, and what a job reports about it."""

import numpy as np
import pandas as pd
import pytest


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
