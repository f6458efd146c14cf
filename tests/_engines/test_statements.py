"""The SQL that engines run for a fit, word for word."""

import re
from pathlib import Path

import pytest
from tests._engines.tables import ENGINES, make_table

import modlearn
from modlearn._engines.table import EngineTable

STATEMENTS = Path(__file__).parent / "statements"


def test_statements_are_those_on_file(stored, monkeypatch, request):
    """After a change, delete the files and run the test: it writes them anew, and fails once."""
    statements = []
    fetch = EngineTable.fetch

    def kept(table, select, rest=""):
        statements.append(f"SELECT {select} FROM {table.relation} {rest}".strip())
        return fetch(table, select, rest)

    monkeypatch.setattr(EngineTable, "fetch", kept)
    modlearn.fit(stored(make_table(300)), "y", test=0.3, n_jobs=1)
    (engine,) = [name for name in ENGINES if f"[{name}]" in request.node.name]
    shown = re.sub(r"'[^']*/rows.parquet'", "'rows.parquet'", "\n\n".join(statements))
    shown = re.sub(r"modlearn_rows_\w+", "modlearn_rows", shown)
    # Statements do not depend on the kind of session.
    path = STATEMENTS / f"{engine.replace('connect', 'spark')}.sql"
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        path.write_text(shown + "\n", encoding="utf-8")
        pytest.fail(f"{path.name} was written: look at it, and run the test again")
    assert shown + "\n" == path.read_text(encoding="utf-8")
