"""Tables of PostgreSQL, counted by the server; only counts and samples are fetched."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import islice
from operator import itemgetter
from threading import RLock
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from modlearn._addresses import database_of
from modlearn._engines.engine import (
    EngineColumn,
    RowsDone,
    Scan,
    WindowCounts,
    integers_or_null,
    numbered_by_window,
)
from modlearn.errors import EngineError
from modlearn.schema import Kind, listed

if TYPE_CHECKING:
    from psycopg import Connection, Cursor

__all__ = ["DIALECT", "PostgresEngine", "open_engine"]

SESSION = "SET default_transaction_read_only = on"
SETTINGS = (
    "SET TRANSACTION READ ONLY; SET LOCAL TimeZone = 'UTC'; "
    "SET LOCAL standard_conforming_strings = on"
)
"""Set in every transaction as well: a pool of connections may hand out another session."""

CONNECT_SECONDS = 10
CANCEL_SECONDS = 5
ROWS_PER_CHUNK = 20_000

DIALECT = "postgres"
"""Name of its SQL, a key of ``DIALECTS``."""

POSTGRESQL_FAMILIES = {
    "integer": ["int2", "int4", "int8"],
    "number": ["float4", "float8", "numeric"],
    "money": ["money"],
    "boolean": ["bool"],
    "date": ["date"],
    "timestamp": ["timestamp", "timestamptz"],
    "interval": ["interval"],
    "time": ["time", "timetz"],
    "nested": ["json", "jsonb", "bytea", "xml", "tsvector"],
}
"""Types of PostgreSQL that are read in the same way; all others are read as text."""

FAMILY_OF = {name: family for family, names in POSTGRESQL_FAMILIES.items() for name in names}

NESTED_CATEGORIES = "ACGR"
"""Categories of types whose cells hold several values: arrays, composites, shapes, ranges."""

MICROSECONDS = "CAST(CAST(EXTRACT(EPOCH FROM {c}) * 1000000 AS BIGINT) AS DOUBLE PRECISION)"
FINITE = f"CASE WHEN isfinite({{c}}) THEN {MICROSECONDS} END"

READINGS = {
    "integer": (Kind.NUMERIC, "CAST({c} AS DOUBLE PRECISION)"),
    "number": (Kind.NUMERIC, "NULLIF(CAST({c} AS DOUBLE PRECISION), 'NaN')"),
    "money": (Kind.NUMERIC, "CAST(CAST({c} AS NUMERIC) AS DOUBLE PRECISION)"),
    "boolean": (Kind.BOOLEAN, "CAST({c} AS BOOLEAN)"),
    "date": (
        Kind.DATETIME,
        "CASE WHEN isfinite({c}) THEN CAST({c} - DATE '1970-01-01' AS DOUBLE PRECISION) "
        "* 86400000000 END",
    ),
    "timestamp": (Kind.DATETIME, FINITE),
    "interval": (Kind.DURATION, FINITE),
    "time": (Kind.DURATION, MICROSECONDS.format(c="CAST({c} AS TIME)")),
    "nested": (Kind.NESTED, "{c}"),
    # Bytes are compared: a collation may hold different texts for equal.
    "text": (Kind.TEXT, '(CAST({c} AS TEXT) COLLATE "C")'),
}
"""Kind of each family, and the SQL that reads it."""

INTEGERS, FLOATS = (20, 21, 23), (700, 701, 1700)
"""Identifiers of the types of results, fixed in the catalog of PostgreSQL."""

FIND_TABLES = """
SELECT c.oid::bigint, n.nspname, c.relname
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'v', 'm', 'f', 'p')
  AND CASE WHEN $1::text[] IS NULL
      THEN pg_catalog.pg_table_is_visible(c.oid) AND n.nspname NOT IN ('pg_catalog', 'pg_toast')
      ELSE n.nspname = ANY($1::text[]) END
ORDER BY c.relname
"""

FIND_COLUMNS = """
WITH RECURSIVE base AS (
  SELECT attnum, attname, atttypid AS type FROM pg_catalog.pg_attribute
  WHERE attrelid = $1::oid AND attnum > 0 AND NOT attisdropped
  UNION ALL
  SELECT attnum, attname, typbasetype
  FROM base JOIN pg_catalog.pg_type ON oid = type WHERE typtype = 'd'
)
SELECT attname, typcategory::text,
  CASE WHEN typnamespace = 'pg_catalog'::regnamespace THEN typname ELSE '' END
FROM base JOIN pg_catalog.pg_type ON oid = type WHERE typtype <> 'd' ORDER BY attnum
"""


def open_engine(address: str) -> PostgresEngine:
    """Open a table such as ``postgresql://user:password@host:port/shop::sales.orders``.

    What the address leaves out is taken from the environment and from ``~/.pgpass``, as by all
    programs of PostgreSQL.
    """
    psycopg = _import_psycopg()
    database, table = _split(address)
    try:
        parameters = psycopg.conninfo.conninfo_to_dict(database)
        is_valid = not re.search(r"[^\d,]", str(parameters.get("port", "")))
    except psycopg.Error:
        is_valid = False
    if not is_valid:  # what libpq says of it may quote the password
        raise EngineError(
            "The address before '::' is not one that PostgreSQL accepts: write it as "
            "postgresql://user:password@host:port/database, special characters percent-encoded."
        )
    return PostgresEngine(parameters, table)


def _import_psycopg() -> Any:
    try:
        import psycopg
    except ImportError:
        raise ImportError(
            "PostgreSQL is read with psycopg, which is not installed: "
            "pip install 'modlearn[postgres]'"
        ) from None
    return psycopg


def _split(address: str) -> tuple[str, str]:
    """Split an address into database and table; an error never quotes it."""
    scheme, _, rest = address.partition("://")
    server, _, path = rest.partition("/")
    database, _, table = path.partition("::")  # not in the server: it may be [::1]
    if server.count("@") > 1 or "@" in path.partition('"')[0]:
        raise EngineError(
            "An @ or / in the address is ambiguous: write them as %40 and %2F in a user or "
            "password, and put a table name that has an @ into double quotes."
        )
    if not table:
        known = database_of(address)
        assert known is not None
        raise EngineError(
            f"The address names no table: add it after the database, such as {known.example!r}."
        )
    return f"{scheme}://{server}/{database}", table


class PostgresEngine:
    """A table or view of PostgreSQL; see ``Engine``.

    `parameters` say how to connect, by libpq's keywords; `table` may have a schema, and names may
    be quoted as in SQL.
    """

    key = DIALECT
    columns_at_once = 1_000_000  # queries return rows in any order

    def __init__(self, parameters: dict[str, Any], table: str) -> None:
        seconds = os.environ.get("PGCONNECT_TIMEOUT", CONNECT_SECONDS)
        self._parameters = {"connect_timeout": seconds, **parameters}
        self._connection: Connection[Any] | None = None
        self._stopped = False
        self._lock = RLock()
        self.label = f"{parameters.get('dbname', 'PostgreSQL')}::{table}"
        # The address may leave the database to the environment or the server.
        self.label = f"{self._connected().info.dbname}::{table}"
        try:
            oid, schema, name = self._find(table)
            self.relation = f"{self.name(schema)}.{self.name(name)}"
            self.columns: Sequence[EngineColumn] = self._read_columns(oid)
        except BaseException:
            self.close()
            raise

    def __repr__(self) -> str:
        """Return it without credentials."""
        return f"PostgresEngine({self.label!r})"

    def name(self, name: str) -> str:
        """Return a column name in quotes."""
        return '"' + _storable(name).replace('"', '""') + '"'

    def text(self, value: str) -> str:
        """Return a text in quotes."""
        return "'" + _storable(value).replace("'", "''") + "'"

    def fetch(self, statement: str) -> list[NDArray[Any]]:
        """Return the columns of a result; rows travel in chunks."""
        return self._run(statement)

    def share_done(self) -> float | None:
        """Return None: it is not known before the query ends."""
        return None

    def count_bins(self, scan: Scan, report: RowsDone) -> list[NDArray[np.int64]]:
        """Count rows by bin and group, one query per column."""
        found = []
        for column, edges in zip(scan.columns, scan.edges, strict=True):
            key = f"{_bin(column, 1)} * {scan.n_groups} + {_group(scan)}"
            counts = self._count(scan, key, [edges], (len(edges) + 2) * scan.n_groups)
            found.append(counts.reshape(len(edges) + 2, scan.n_groups))
            report(scan.n_rows * len(found) // len(scan.columns))
        return found

    def count_windows(self, scan: Scan, report: RowsDone) -> list[WindowCounts]:
        """Count rows by value and group inside windows, one query per column."""
        found: list[WindowCounts] = []
        for column, edges in zip(scan.columns, scan.edges, strict=True):
            select = f"SELECT {column} AS value, {_group(scan)} AS part FROM {scan.relation}"
            inside = f"({scan.condition}) AND width_bucket({column}, $1::float8[]) % 2 = 1"
            values, groups, counts = self._run(
                f"SELECT value, part, count(*) FROM ({_few(select, inside)}) AS rows "
                "GROUP BY value, part",
                _above(edges),
            )
            order = np.lexsort((groups, values))
            # -0.0 becomes 0.0, whichever the server met first.
            found.append((values[order] + 0.0, groups[order], counts[order]))
            report(scan.n_rows * len(found) // len(scan.columns))
        return found

    def count_cells(
        self, scan: Scan, pairs: NDArray[np.int64], n_bins: int, report: RowsDone
    ) -> NDArray[np.int64]:
        """Count rows of pairs by both bins and group, one query per pair."""
        shape = (len(pairs), n_bins, n_bins, scan.n_groups)
        cells = np.zeros(shape, dtype=np.int64)
        for i, (a, b) in enumerate(pairs.tolist()):
            bins = f"({_bin(scan.columns[a], 1)} * {n_bins} + {_bin(scan.columns[b], 2)})"
            key = f"{bins} * {scan.n_groups} + {_group(scan)}"
            counts = self._count(scan, key, [scan.edges[a], scan.edges[b]], cells[i].size)
            cells[i] = counts.reshape(shape[1:])
            report(scan.n_rows * (i + 1) // len(pairs))
        return cells

    def numbered(self, key: str, cells: str) -> tuple[str, str]:
        """Return a relation with all rows, and the SQL of a number of rows that are equal."""
        return numbered_by_window(self, key, cells)

    def stop(self) -> None:
        """Let the server cancel the query of another thread."""
        self._stopped = True
        if self._connection is not None and not self._connection.closed:
            self._connection.cancel_safe(timeout=CANCEL_SECONDS)

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _count(
        self, scan: Scan, key: str, edges: Sequence[NDArray[np.float64]], size: int
    ) -> NDArray[np.int64]:
        """Count rows (size,) by a number."""
        select = f"SELECT {key} AS part FROM {scan.relation}"
        parts, counts = self._run(
            f"SELECT part, count(*) FROM ({_few(select, scan.condition)}) AS rows GROUP BY part",
            *map(_above, edges),
        )
        found = np.zeros(size, dtype=np.int64)
        found[parts] = counts
        return found

    def _find(self, table: str) -> tuple[int, str, str]:
        """Return identifier, schema and name of the table; what is not quoted may be folded."""
        *schema, spellings = _names(table)
        oids, schemas, names = self._run(FIND_TABLES, schema[0] if schema else None)
        known = dict(zip(zip(schemas, names, strict=True), oids.tolist(), strict=True))
        for name in spellings:
            for in_schema in schema[0] if schema else dict.fromkeys(schemas):
                if (in_schema, name) in known:
                    return known[in_schema, name], in_schema, name
        where = f" in the schema {schema[0][0]!r}" if schema else ""
        tables = listed(names.tolist(), 20) or "none"
        raise EngineError(
            f"There is no table {spellings[0]!r}{where} for {self.label!r}: name one of {tables}."
        )

    def _read_columns(self, oid: int) -> list[EngineColumn]:
        names, categories, types = self._run(FIND_COLUMNS, oid)
        columns = []
        for name, category, type_name in zip(names, categories, types, strict=True):
            default = "nested" if category in NESTED_CATEGORIES else "text"
            family = FAMILY_OF.get(type_name, default)
            kind, value = READINGS[family]
            value = value.replace("{c}", self.name(name))
            is_integer = family == "integer"
            exact = f"CAST({self.name(name)} AS BIGINT)" if is_integer else ""
            columns.append(EngineColumn(name, kind, value, is_integer, exact=exact))
        return columns

    def _run(self, statement: str, *parameters: object) -> list[NDArray[Any]]:
        """Return the columns of a result; parameters are $1, $2 and so on."""
        with self._transaction() as cursor:
            query, size = statement.encode(), _rows_at_once()
            chunks = []
            with closing(cursor.stream(query, parameters, binary=True, size=size)) as rows:
                while some := list(islice(rows, ROWS_PER_CHUNK)):
                    chunks.append(_arrays(some, _types(cursor)))
            if not chunks:  # what its columns are is sent with rows only
                cursor.execute(b"SELECT * FROM (" + query + b") AS rows LIMIT 0", parameters)
                chunks = [_arrays([], _types(cursor))]
            are_integers = [code in INTEGERS for code in _types(cursor)]
        columns = map(np.concatenate, zip(*chunks, strict=True))
        return [
            integers_or_null(column) if is_integer and column.dtype == object else column
            for column, is_integer in zip(columns, are_integers, strict=True)
        ]

    @contextmanager
    def _transaction(self) -> Iterator[Any]:
        """Run queries in a transaction of their own, which cannot write."""
        psycopg = _import_psycopg()
        try:
            # Transactions of one connection must not overlap.
            with self._lock:
                connection = self._connected()
                with connection.transaction(), connection.cursor() as cursor:
                    cursor.execute(SETTINGS)
                    yield cursor
        except KeyboardInterrupt:
            self.close()
            raise
        except psycopg.Error as error:
            message = _first_line(error)
            raise EngineError(f"PostgreSQL, reading {self.label!r}: {message}") from None

    def _connected(self) -> Connection[Any]:
        """Return the connection, a new one if there is none or it was lost."""
        if self._stopped:
            raise KeyboardInterrupt
        if self._connection is not None and not self._connection.closed:
            return self._connection
        psycopg = _import_psycopg()
        try:
            parameters = {"fallback_application_name": "modlearn", **self._parameters}
            connection: Connection[Any] = psycopg.connect(
                **{**parameters, "client_encoding": "utf8"},
                autocommit=True,  # transactions are begun where they are needed
                prepare_threshold=None,
                cursor_factory=psycopg.RawCursor,  # a percent sign in a name stays one
            )
            connection.execute(SESSION)
            self._connection = connection
        except psycopg.Error as error:
            raise EngineError(
                f"PostgreSQL cannot open {self.label!r}: {self._without_credentials(error)}. "
                "Check that the server is running, and the host, port, user and database."
            ) from None
        return connection

    def _without_credentials(self, error: Exception) -> str:
        message = _first_line(error)
        for secret in map(self._parameters.get, ("password", "user")):
            if secret and secret != self._parameters.get("dbname"):
                message = re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)", "***", message)
        return message


def _names(table: str) -> list[list[str]]:
    """Return the names of schema and table, each with its possible spellings, best first."""
    part = r'("(?:[^"]|"")+"|[^".]+)'
    found = re.fullmatch(rf"{part}(?:\.{part})?", table, re.DOTALL)
    return [_spellings(name) for name in found.groups() if name] if found else [[table]]


def _spellings(name: str) -> list[str]:
    if name.startswith('"'):
        return [name[1:-1].replace('""', '"')]
    return [name, name.lower()]


def _storable(text: str) -> str:
    """Return a text unless it has the character 0 or half of a pair of surrogates."""
    if re.search("[\0\ud800-\udfff]", text):
        raise EngineError(f"{text!r} has a character that PostgreSQL cannot store: rename it.")
    return text


def _group(scan: Scan) -> str:
    return f"CAST({scan.group} AS BIGINT)"


def _bin(column: str, parameter: int) -> str:
    """SQL: the bin of a column by the edges that are a parameter, 0 for NULL."""
    found = f"width_bucket({column}, ${parameter}::float8[]) + 1"
    return f"COALESCE(CAST({found} AS BIGINT), 0)"


def _above(edges: NDArray[np.float64]) -> list[float]:
    """Return the smallest numbers above edges; none is above infinity.

    ``width_bucket`` counts the edges that are at most a value; those below it are wanted.
    """
    with np.errstate(all="ignore"):  # infinity is above the largest number
        return list(np.nextafter(edges[edges < np.inf], np.inf).tolist())


def _few(select: str, condition: str) -> str:
    """SQL of rows that PostgreSQL expects to have few groups, so that several workers count them.

    It expects a group for every value of the column otherwise, and counts with one process, in
    twice the time. Nothing is known of the values of a union, whose second part is never read.
    """
    return f"{select} WHERE {condition} UNION ALL {select} WHERE false"


def _first_line(error: Exception) -> str:
    diagnostics = getattr(error, "diag", None)
    message = getattr(diagnostics, "message_primary", None) or str(error)
    return message.strip().partition("\n")[0].rstrip(".")


def _rows_at_once() -> int:
    """Return the rows that libpq hands over at a time; before version 17 each for itself."""
    return 1_000 if _import_psycopg().capabilities.has_stream_chunked() else 1


def _types(cursor: Cursor[Any]) -> list[int]:
    return [column.type_code for column in cursor.description or ()]


def _arrays(rows: list[tuple[Any, ...]], types: list[int]) -> list[NDArray[Any]]:
    """Return the columns of rows; the types are those of PostgreSQL."""
    return [_array(list(map(itemgetter(i), rows)), types[i]) for i in range(len(types))]


def _array(values: list[Any], type_code: int) -> NDArray[Any]:
    if type_code in FLOATS:
        return np.array(values, dtype=np.float64)  # None becomes NaN
    if type_code in INTEGERS and None not in values:
        return np.array(values, dtype=np.int64)
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found
