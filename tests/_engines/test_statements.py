"""The SQL that engines run, word for word."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests._engines.tables import make_table

import modlearn
from modlearn._engines import counts, rows, scores
from modlearn._engines import table as engine_table
from modlearn._engines.duckdb import DuckDBEngine
from modlearn._engines.postgresql import PostgresEngine
from modlearn._engines.spark import SparkEngine

STATEMENTS = Path(__file__).parent / "statements"

RUNS = {DuckDBEngine: "fetch", PostgresEngine: "_run", SparkEngine: "_sql"}
"""Where each engine runs its statements."""

SMALL = {
    (counts, "MOST_VALUES"): 4,
    (counts, "MOST_IN_MEMORY"): 100,
    (engine_table, "MOST_SAMPLED"): 200,
    (engine_table, "FEW"): 10,
    (scores, "FEWEST_SCORED"): 10,
    (rows, "MOST_PAIR_BINS"): 16,
}
"""Limits that let a small table be counted in bins and windows, pooled, sampled and scored."""

PARTS = {
    "duckdb": ["file_row_number BETWEEN", "LEFT JOIN", "GROUPING SETS", "number_of_equal AS"],
    "postgres": ["width_bucket", "% 2 = 1", "LEFT JOIN", "GROUPING SETS", "row_number() OVER"],
    "spark": ["AS c1, CAST(", "LEFT JOIN", "GROUPING SETS", "row_number() OVER"],
}
"""What statements must be among those on file."""


@pytest.fixture
def recorded(monkeypatch):
    """Return the statements that engines run from now on."""
    statements = []
    for engine, name in RUNS.items():
        run = getattr(engine, name)

        def kept(self, statement, *parameters, run=run):
            statements.append(statement.strip())
            return run(self, statement, *parameters)

        monkeypatch.setattr(engine, name, kept)
    for (module, name), value in SMALL.items():
        monkeypatch.setattr(module, name, value)
    return statements


def repeated_rows():
    """Return rows, many of them equal, so that they are numbered."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.integers(0, 2, 400), "b": rng.integers(0, 2, 400)})
    frame["y"] = np.where(rng.random(400) < 0.3 + 0.4 * frame["a"], "yes", "no").astype(object)
    return frame


def readable(statement):
    """Return a statement without what differs from run to run, and without the model's numbers."""
    statement = re.sub(r"'[^']*/rows.parquet'", "'rows.parquet'", statement)
    statement = re.sub(r"modlearn_rows_\w+", "modlearn_rows", statement)
    is_model = statement.startswith("WITH step_1")
    return re.sub(r"-?\d+\.\d{5,}(e-?\d+)?", "#", statement) if is_model else statement


def test_statements_are_those_on_file(stored, recorded, request):
    """After a change, delete the files and run the test: it writes them anew, and fails once."""
    frame = make_table(600)[["num", "cat", "whole", "y"]]
    # Limits of statements depend on the memory that is granted, by default half of what there is.
    options = {"n_jobs": 1, "memory": "1GB"}
    found = modlearn.fit(stored(frame), "y", test=0.3, pairs=[("num", "whole")], **options)
    kinds = {note.kind for note in found.facts.notes}
    assert kinds >= {"counted_both_ways", "pooled_values", "pairs_in_bins", "scored_in_engine"}
    modlearn.analyze(stored(repeated_rows()), "y", **options)
    # Spark Connect speaks the dialect of Spark.
    engine = request.node.callspec.params["stored"].replace("connect", "spark")
    shown = "\n\n".join(dict.fromkeys(map(readable, recorded)))
    path = STATEMENTS / f"{engine}.sql"
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        path.write_text(shown + "\n", encoding="utf-8")
        pytest.fail(f"{path.name} was written: look at it, and run the test again")
    assert shown + "\n" == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("dialect", PARTS)
def test_statements_on_file_are_of_every_kind(dialect):
    text = (STATEMENTS / f"{dialect}.sql").read_text(encoding="utf-8")
    assert [part for part in PARTS[dialect] if part not in text] == []
