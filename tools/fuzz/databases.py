"""Hostile databases: views that reach outside of their file, and names that are SQL."""

import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd

from tools.fuzz.command import FaultError, said
from tools.fuzz.tables import NAMES

__all__ = ["attack_names", "attack_views"]

CANARY = "canary-7919"
"""What stands in a file that no database may read."""

READS = [
    "SELECT content AS x FROM read_text('{}')",
    "SELECT CAST(content AS VARCHAR) AS x FROM read_blob('{}')",
    "SELECT * FROM read_csv('{}', header = false, names = ['x'])",
    "SELECT column0 AS x FROM read_csv_auto('{}', header = false)",
    "SELECT * FROM '{}'",
    "SELECT json AS x FROM read_json_objects('{}', format = 'unstructured')",
    "SELECT file AS x FROM glob('{}*')",
    "SELECT * FROM query('SELECT content AS x FROM read_text(''{}'')')",
    "SELECT (SELECT content FROM read_text('{}')) AS x FROM inside",
    "WITH r AS (FROM read_text('{}')) SELECT content AS x FROM r UNION ALL SELECT x FROM inside",
    "SELECT x FROM inside WHERE x IN (SELECT content FROM read_text('{}'))",
    "SELECT * FROM sniff_csv('{}')",
    "SELECT * FROM parquet_metadata('{}')",
    "SELECT * FROM sqlite_scan('{}', 't')",
]


def attack_views(seed: int, folder: Path) -> str:
    """Read a view that reads a file; return "refused", or "result" if it gives nothing away."""
    rng = random.Random(seed)
    outside = folder / "outside"
    outside.mkdir()
    secret = outside / "secret.csv"
    secret.write_text(f"{CANARY}\n" * 20)
    path, read = folder / "x.duckdb", rng.choice(READS).format(secret)
    settings = {"autoinstall_known_extensions": "false"}
    with duckdb.connect(str(path), config=settings) as database:
        database.execute("CREATE TABLE inside AS SELECT 'a' || range % 3 AS x FROM range(60)")
        statements = []
        if rng.random() < 0.3:
            statements.append(f"CREATE MACRO reading() AS TABLE {read}")
            read = "SELECT * FROM reading()"
        for depth in range(rng.choice([1, 1, 3])):
            statements.append(f"CREATE VIEW v{depth} AS {read}")
            read = f"SELECT *, {depth} AS y{depth} FROM v{depth}"
        try:
            for statement in statements:
                database.execute(statement)
        except duckdb.Error:  # the file is not of this format
            return "refused"
    command = rng.choice(
        [
            ["analyze", f"{path}::v{depth}", "--out", folder / "o.html"],
            ["fit", f"{path}::v{depth}", "-t", "x", "--out", folder / "o.json"],
            ["propagate", f"{path}::v{depth}", "-t", "x", "--out", folder / "o.csv"],
        ]
    )
    code, text = said(*command)
    for file in folder.iterdir():
        if file.is_file() and file != path and CANARY.encode() in file.read_bytes():
            raise FaultError(f"{file.name} holds what another file holds: {read}")
    if CANARY in text:
        raise FaultError(f"an error holds what another file holds: {text[:300]}")
    return "refused" if code else "result"


def _duckdb(path: Path, table: str, frame: pd.DataFrame) -> None:
    with duckdb.connect(str(path)) as database:
        database.execute(f"CREATE TABLE {_quoted(table)} AS FROM frame")
        database.execute("CREATE TABLE kept AS SELECT range AS a FROM range(3)")


def _sqlite(path: Path, table: str, frame: pd.DataFrame) -> None:
    with closing(sqlite3.connect(path)) as database:
        frame.to_sql(table, database, index=False)
        database.execute("CREATE TABLE kept AS SELECT 1 AS a UNION SELECT 2 UNION SELECT 3")
        database.commit()


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


MAKERS: dict[str, Callable[[Path, str, pd.DataFrame], None]] = {
    ".duckdb": _duckdb,
    ".sqlite": _sqlite,
}


def attack_names(seed: int, folder: Path) -> str:
    """Fit and predict tables and columns whose names are SQL; nothing else may change."""
    rng = random.Random(seed)
    suffix = rng.choice(list(MAKERS))
    names = rng.sample([name for name in NAMES if name.lower() not in ("x", "y")], 4)
    table, out = rng.sample([name for name in NAMES if name.lower() != "kept"], 2)
    frame = pd.DataFrame({name: [rng.random() for _ in range(40)] for name in names})
    frame[names[-1]] = ["yes" if value > 0.5 else "no" for value in frame[names[0]]]
    path, other = folder / f"x{suffix}", folder / f"o{rng.choice(list(MAKERS))}"
    MAKERS[suffix](path, table, frame)
    other = rng.choice([path, other])
    model = folder / "m.json"
    code, _ = said("fit", f"{path}::{table}", "-t", names[-1], "-o", model, "-q")
    if not code:
        code, _ = said("predict", model, f"{path}::{table}", "-o", f"{other}::{out}", "-q")
    _check(path, {table, "kept", *([] if code or path != other else [out])}, {"kept": 3, table: 40})
    if not code:
        _check(other, None, {out: 40})
    return "refused" if code else "result"


def _check(path: Path, tables: set[str] | None, n_rows: dict[str, int]) -> None:
    """Raise if a database has other tables, or a table has another number of rows."""
    connect: Any = sqlite3.connect if path.suffix == ".sqlite" else duckdb.connect
    listing = "SELECT name FROM sqlite_master WHERE type = 'table'"
    with closing(connect(str(path))) as database:
        found = {name for (name,) in database.execute(listing).fetchall()}
        if tables is not None and found != tables:
            raise FaultError(f"{path.name} has the tables {found} instead of {tables}")
        for table, n in n_rows.items():
            sql = f"SELECT count(*) FROM {_quoted(table)}"
            ((count,),) = database.execute(sql).fetchall()
            if count != n:
                raise FaultError(f"{path.name}::{table} has {count} rows")
