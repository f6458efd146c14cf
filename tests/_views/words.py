"""Views of texts, as somebody would add them: this file, and one entry of VIEW_FAMILIES."""

import numpy as np
import pandas as pd

from modlearn._views.family import ViewFamily
from modlearn.schema import Kind, View

LONG = 20
"""Average number of characters from which a column holds sentences rather than names."""


def _characters(texts):
    return np.array([len(text) for text in texts], dtype=np.float64)


def _mentions_refund(texts):
    return np.array(["refund" in text for text in texts], dtype=np.float64)


CHARACTERS = View(
    "characters",
    Kind.TEXT,
    _characters,
    sql=dict.fromkeys(["duckdb", "postgres", "spark"], "LENGTH({cell})"),
)

REFUND = View(
    "mentions a refund",
    Kind.TEXT,
    _mentions_refund,
    sql=dict.fromkeys(
        ["duckdb", "postgres", "spark"],
        "CASE WHEN POSITION('refund' IN {cell}) > 0 THEN 1 WHEN {cell} IS NOT NULL THEN 0 END",
    ),
    categories=("no", "yes"),
)


def _offered(texts):
    return (CHARACTERS, REFUND) if len(texts) and _characters(texts).mean() > LONG else ()


WORDS = ViewFamily(Kind.TEXT, _offered, {view.name: view for view in (CHARACTERS, REFUND)}.get)


def messages(n_rows=1_200):
    """Comments that never repeat; whoever mentions a refund, or writes little, leaves."""
    rng = np.random.default_rng(0)
    asks, is_long = rng.random(n_rows) < 0.4, rng.random(n_rows) < 0.5
    comments = [
        f"Order {i}: "
        + ("please send a refund" if asks[i] else "")
        + "thanks, all is well " * (3 if is_long[i] else 1)
        for i in range(n_rows)
    ]
    leaves = rng.random(n_rows) < 0.1 + 0.5 * asks + 0.3 * ~is_long
    frame = pd.DataFrame({"comment": comments, "n": rng.random(n_rows)})
    frame.loc[::50, "comment"] = None
    frame["left"] = np.where(leaves, "yes", "no").astype(object)
    return frame
