"""What SQL dialects do differently, as a table."""

from __future__ import annotations

from dataclasses import dataclass

from modlearn.errors import ColumnError
from modlearn.schema import Column

__all__ = ["DIALECTS", "Dialect", "view_sql"]


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """How a dialect writes what a model needs; ``{x}`` stands for a column.

    Parameters
    ----------
    title : str
        What the dialect is called in messages.
    number : str
        A number as a double, NaN as NULL.
    score : str
        A literal as a double, so that sums of scores are rounded as in Python.
    text : str
        A text that is compared byte by byte.
    instant : str
        A date as microseconds since 1970.
    duration : str or None
        A duration as microseconds; None if the dialect has no durations.
    greatest : str
        Function that returns the greatest of its arguments.
    cast_text : str
        Type of texts.
    true, false : str
        The truth values.
    null_character : str or None
        Text that consists of the character 0; None if texts cannot hold it.
    prefix : str
        What literals of text begin with.
    substitutes : bool
        Whether ``${...}`` is replaced by a setting anywhere in a statement, also in quotes.
    longest_name : int
        Most bytes of a name.
    fence : str
        What keeps a subquery from being merged into the query around it, which would repeat its
        expressions.
    lookup : str or None
        The item at ``{index}``, from 0, of a list of ``{values}``; None if CASE finds it.
    position : str or None
        The position of ``{x}``, from 1, in a list of ``{values}``, NULL if it is not there; None if
        IN finds a value among others.
    reads_formats : bool
        Whether dates and amounts in texts are read, in any format.
    double : str
        Type of doubles.
    integer : str
        What casts to integers of 64 bits name.
    small_integer : str
        What casts to integers of 32 bits name.
    nulls_first : str
        Expression of ORDER BY that sorts ``{x}``, missing values first.
    grouping_sets : bool
        Whether one query groups rows in several ways.
    text_key : str or None
        The first seven hexadecimal digits of the MD5 of a ``{x}`` of any type, written as text in
        UTF-8, as an integer; None if no engine reads the dialect.
    """

    title: str
    number: str
    text: str
    instant: str
    score: str = "{x}"
    duration: str | None = None
    greatest: str = "GREATEST"
    cast_text: str = "VARCHAR"
    true: str = "TRUE"
    false: str = "FALSE"
    null_character: str | None = None
    prefix: str = ""
    substitutes: bool = False
    longest_name: int = 255
    fence: str = ""
    lookup: str | None = None
    position: str | None = None
    reads_formats: bool = False
    double: str = "DOUBLE"
    integer: str = "BIGINT"
    small_integer: str = "INTEGER"
    nulls_first: str = "{x} NULLS FIRST"
    grouping_sets: bool = True
    text_key: str | None = None


# SQLite has no dates: they are texts in ISO 8601. Its functions round to milliseconds, so whole
# seconds and their fraction are read apart, unless an offset from UTC must be taken into account.
SQLITE_SECONDS = (
    "CASE WHEN {x} GLOB '*[+-][0-9][0-9]:[0-9][0-9]' THEN STRFTIME('%s', {x}) "
    "ELSE STRFTIME('%s', SUBSTR({x}, 1, 19)) END"
)
SQLITE_FRACTION = (
    "CASE WHEN SUBSTR({x}, 20, 1) = '.' THEN CAST(SUBSTR(SUBSTR({x}, 21) || '000000', 1, 6) "
    "AS INTEGER) ELSE 0 END"
)

ORACLE_SPAN = "(CAST({x} AS TIMESTAMP) - TIMESTAMP '1970-01-01 00:00:00')"

SPARK_MICROSECONDS = (
    "(EXTRACT(DAY FROM {span}) * 86400000000 + EXTRACT(HOUR FROM {span}) * 3600000000 + "
    "CAST(EXTRACT(MINUTE FROM {span}) AS BIGINT) * 60000000 + "
    "CAST(EXTRACT(SECOND FROM {span}) * 1000000 AS BIGINT))"
)
SPARK_SPAN = "(CAST({x} AS TIMESTAMP_NTZ) - CAST('1970-01-01 00:00:00' AS TIMESTAMP_NTZ))"

DIALECTS = {
    "duckdb": Dialect(
        title="DuckDB",
        number="NULLIF(CAST({x} AS DOUBLE), CAST('NaN' AS DOUBLE))",
        text="CAST({x} AS VARCHAR)",
        instant="EPOCH_US({x})",
        duration="EPOCH_US({x})",
        null_character="CHR(0)",
        longest_name=1_000_000,
        lookup="([{values}])[{index} + 1]",
        # Long lists after IN become joins, which do not keep the order of rows.
        position="LIST_POSITION([{values}], {x})",
        reads_formats=True,
        text_key="CAST('0x' || substr(md5(CAST({x} AS VARCHAR)), 1, 7) AS BIGINT)",
    ),
    "sqlite": Dialect(
        title="SQLite",
        number="CAST({x} AS REAL)",
        text="CAST({x} AS TEXT) COLLATE BINARY",
        instant=f"(CAST({SQLITE_SECONDS} AS INTEGER) * 1000000 + {SQLITE_FRACTION})",
        greatest="MAX",
        cast_text="TEXT",
        true="1",
        false="0",
        null_character="CHAR(0)",
        longest_name=1_000_000,
        fence="LIMIT -1 OFFSET 0",
        double="REAL",
        integer="INTEGER",
        grouping_sets=False,
    ),
    "postgres": Dialect(
        title="PostgreSQL",
        number="NULLIF(CAST({x} AS DOUBLE PRECISION), CAST('NaN' AS DOUBLE PRECISION))",
        # A literal is a decimal number there, of any length, and sums of such are slow.
        score="CAST({x} AS DOUBLE PRECISION)",
        text="CAST({x} AS TEXT)",
        instant="(EXTRACT(EPOCH FROM {x}) * 1000000)",
        duration="(EXTRACT(EPOCH FROM {x}) * 1000000)",
        cast_text="TEXT",
        longest_name=63,
        fence="OFFSET 0",
        double="DOUBLE PRECISION",
        text_key=(
            "CAST(CAST('x0' || substr(md5(convert_to(CAST({x} AS VARCHAR), 'UTF8')), 1, 7) "
            "AS BIT(32)) AS BIGINT)"
        ),
    ),
    "spark": Dialect(
        title="Spark",
        number="NULLIF(CAST({x} AS DOUBLE), CAST('NaN' AS DOUBLE))",
        text="CAST({x} AS STRING)",
        # Dates and times without a time zone are in UTC, whatever the time zone of the session is.
        instant=(
            "CASE WHEN TYPEOF({x}) = 'timestamp' THEN UNIX_MICROS(CAST({x} AS TIMESTAMP)) "
            f"ELSE {SPARK_MICROSECONDS.format(span=SPARK_SPAN)} END"
        ),
        duration=SPARK_MICROSECONDS.format(span="{x}"),
        cast_text="STRING",
        null_character="CHAR(0)",
        substitutes=True,
        lookup="ARRAY({values})[{index}]",
        text_key=(
            "CAST(conv(substr(md5(CAST(CAST({x} AS STRING) AS BINARY)), 1, 7), 16, 10) AS BIGINT)"
        ),
    ),
    "bigquery": Dialect(
        title="BigQuery",
        number="IF(IS_NAN(CAST({x} AS FLOAT64)), NULL, CAST({x} AS FLOAT64))",
        text="CAST({x} AS STRING)",
        instant="UNIX_MICROS(CAST({x} AS TIMESTAMP))",
        cast_text="STRING",
        longest_name=300,
        double="FLOAT64",
        integer="INT64",
        small_integer="INT64",
    ),
    "snowflake": Dialect(
        title="Snowflake",
        number="NULLIF(CAST({x} AS DOUBLE), CAST('NaN' AS DOUBLE))",
        text="CAST({x} AS VARCHAR)",
        instant="DATE_PART(EPOCH_MICROSECOND, CAST({x} AS TIMESTAMPNTZ))",
    ),
    "tsql": Dialect(
        title="T-SQL",
        number="CAST({x} AS FLOAT)",
        text="CAST({x} AS NVARCHAR(4000)) COLLATE Latin1_General_100_BIN2",
        instant="DATEDIFF_BIG(MICROSECOND, '1970-01-01', {x})",
        cast_text="NVARCHAR(4000)",
        true="1",
        false="0",
        prefix="N",
        longest_name=128,
        double="FLOAT",
        nulls_first="{x}",
    ),
    "mysql": Dialect(
        title="MySQL",
        number="CAST({x} AS DOUBLE)",
        text="CAST({x} AS CHAR) COLLATE utf8mb4_0900_bin",
        instant="TIMESTAMPDIFF(MICROSECOND, '1970-01-01', {x})",
        cast_text="CHAR",
        longest_name=64,
        integer="SIGNED",
        small_integer="SIGNED",
        nulls_first="{x}",
        grouping_sets=False,
    ),
    "oracle": Dialect(
        title="Oracle",
        number="NULLIF(CAST({x} AS BINARY_DOUBLE), CAST('NaN' AS BINARY_DOUBLE))",
        text="CAST({x} AS VARCHAR2(4000))",
        instant=(
            f"(EXTRACT(DAY FROM {ORACLE_SPAN}) * 86400000000 + "
            f"EXTRACT(HOUR FROM {ORACLE_SPAN}) * 3600000000 + "
            f"EXTRACT(MINUTE FROM {ORACLE_SPAN}) * 60000000 + "
            f"EXTRACT(SECOND FROM {ORACLE_SPAN}) * 1000000)"
        ),
        cast_text="VARCHAR2(4000)",
        true="1",
        false="0",
        longest_name=128,
        double="BINARY_DOUBLE",
        integer="NUMBER(19)",
    ),
}
"""The dialects, by the names that SQLGlot gives them."""


def view_sql(column: Column, key: str, cell: str, stored: str | None = None) -> str:
    """Return the SQL of the number of a view, from that of the cell of its source.

    `stored` is the source as it is in the table, if that can be read.
    """
    view = column.view
    assert view is not None
    template = view.sql.get(key)
    if template is None or (stored is None and "{x}" in template):
        raise ColumnError(
            f"Column {column.name!r} is the {view.name} of {column.source!r}, which "
            f"{DIALECTS[key].title} cannot compute: leave out {column.source!r}, and train the "
            "model again."
        )
    return template.format(cell=cell, x=stored)
