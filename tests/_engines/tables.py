"""Tables that tests store in every engine."""

import numpy as np
import pandas as pd

ENGINES = ("duckdb", "postgres", "spark", "connect")

TYPES = {"f": "double precision", "i": "bigint", "M": "timestamp", "b": "boolean"}


def make_table(n_rows=1200, seed=0):
    """Numbers with and without missing values, text, truth values, dates, and a target."""
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=n_rows)
    start, seconds = pd.Timestamp("2020-01-01"), rng.integers(0, 900 * 86400, n_rows)
    frame = pd.DataFrame(
        {
            "num": numbers,
            "whole": rng.integers(0, 20, n_rows),
            "gaps": np.where(rng.random(n_rows) < 0.2, np.nan, rng.normal(size=n_rows).round(1)),
            "cat": rng.choice(["a", "b", "c'x", 'd"é', "e;\t", "שלום", None], n_rows),
            "flag": rng.random(n_rows) < 0.5,
            "when": start + pd.to_timedelta(seconds, unit="s"),
            "code": rng.integers(1, 6, n_rows),
        }
    )
    score = numbers + (frame["cat"] == "a") + frame["whole"] / 10 + frame["flag"] * 0.8
    frame["y"] = np.where(score + rng.normal(size=n_rows) > 1.2, "yes", "it's no").astype(object)
    frame.loc[rng.random(n_rows) < 0.05, "y"] = None
    return frame


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def in_postgres(frame, address, table="rows of tests"):
    """Store a frame in a table; return its address."""
    import psycopg

    declared = [f"{quoted(c)} {TYPES.get(frame[c].dtype.kind, 'text')}" for c in frame]
    cells = frame.astype(object).where(frame.notna(), None)
    with psycopg.connect(address) as connection:
        connection.execute(f"DROP TABLE IF EXISTS {quoted(table)}")
        connection.execute(f"CREATE TABLE {quoted(table)} ({', '.join(declared)})")
        with connection.cursor().copy(f"COPY {quoted(table)} FROM STDIN") as copy:
            for row in cells.itertuples(index=False):
                copy.write_row(row)
    return f"{address}::{quoted(table)}"
