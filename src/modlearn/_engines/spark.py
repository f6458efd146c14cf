"""Counts made by Spark: SQL for small results, and scans that its workers count batch by batch."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from modlearn._engines.engine import (
    POLL_SECONDS,
    EngineColumn,
    RowsDone,
    Scan,
    WindowCounts,
    integers_or_null,
    numbered_by_window,
)
from modlearn.errors import ColumnError, EngineError
from modlearn.schema import Kind

__all__ = ["DIALECT", "SparkEngine", "is_spark_frame", "open_engine", "open_spark"]

DIALECT = "spark"
"""Name of its SQL, a key of ``DIALECTS``."""

TIME_OF_DAY = (
    "EXTRACT(HOUR FROM {x}) * 3600000000 + EXTRACT(MINUTE FROM {x}) * 60000000L"
    " + CAST(EXTRACT(SECOND FROM {x}) * 1000000 AS BIGINT)"
)
DAYS = "CAST({x} AS INTERVAL DAY TO SECOND)"
MONTHS = "CAST({x} AS INTERVAL YEAR TO MONTH)"
INTEGER = (Kind.NUMERIC, "CAST({x} AS DOUBLE)")
FLOAT = (Kind.NUMERIC, "NULLIF(CAST({x} AS DOUBLE), CAST('NaN' AS DOUBLE))")
TYPES = {
    "ByteType": INTEGER,
    "ShortType": INTEGER,
    "IntegerType": INTEGER,
    "LongType": INTEGER,
    "FloatType": FLOAT,
    "DoubleType": FLOAT,
    "DecimalType": (Kind.NUMERIC, "CAST({x} AS DOUBLE)"),
    "NullType": (Kind.NUMERIC, "CAST({x} AS DOUBLE)"),
    "BooleanType": (Kind.BOOLEAN, "{x}"),
    "DateType": (Kind.DATETIME, "CAST(UNIX_DATE({x}) * 86400000000 AS DOUBLE)"),
    "TimestampType": (Kind.DATETIME, "CAST(UNIX_MICROS({x}) AS DOUBLE)"),
    # A time without a time zone is UTC, whatever the time zone of the session is.
    "TimestampNTZType": (
        Kind.DATETIME,
        f"CAST(UNIX_DATE(CAST({{x}} AS DATE)) * 86400000000 + {TIME_OF_DAY} AS DOUBLE)",
    ),
    # The functions of times are switched off in Spark 4 unless a setting allows them.
    "TimeType": (
        Kind.DURATION,
        "CAST(UNIX_MICROS(CAST('1970-01-01 ' || CAST({x} AS STRING) || 'Z' AS TIMESTAMP))"
        " AS DOUBLE)",
    ),
    "DayTimeIntervalType": (
        Kind.DURATION,
        f"CAST(EXTRACT(DAY FROM {DAYS}) * 86400000000 + {TIME_OF_DAY.format(x=DAYS)} AS DOUBLE)",
    ),
    # A month has 30 days, as in DuckDB.
    "YearMonthIntervalType": (
        Kind.DURATION,
        f"CAST(EXTRACT(YEAR FROM {MONTHS}) * 12 + EXTRACT(MONTH FROM {MONTHS}) AS DOUBLE)"
        " * 2592000000000",
    ),
    "StringType": (Kind.TEXT, "{x}"),
    "CharType": (Kind.TEXT, "CAST({x} AS STRING)"),
    "VarcharType": (Kind.TEXT, "CAST({x} AS STRING)"),
}
"""Kinds of Spark's types, and SQL of their cells; all other types are nested."""

INTEGERS = {name for name, how in TYPES.items() if how is INTEGER}

PLAIN = re.compile(r"[\w .,:;/+=()-]*")
"""Texts that need no escaping, whatever the session's settings are."""

PROPERTIES = (
    "spark.jobGroup.id",
    "spark.job.description",
    "spark.job.interruptOnCancel",
    "spark.job.tags",
    "spark.scheduler.pool",
)
"""What a classic session keeps for each thread."""

WAITING = "Exception thrown in awaitResult"
"""What Spark says when a part of it waited for another part that failed."""

STOP_SECONDS = 10.0
"""How long a query that was interrupted may take to end."""


def is_spark_frame(data: object) -> bool:
    """Return whether data are a DataFrame of PySpark, which is not imported for it."""
    return any(
        cls.__name__ == "DataFrame" and cls.__module__.startswith("pyspark.sql.")
        for cls in type(data).__mro__
    )


def open_engine(data: object) -> SparkEngine | None:
    """Return the engine of a DataFrame of PySpark; None for its other objects."""
    return open_spark(data) if is_spark_frame(data) else None


def open_spark(frame: Any, label: str | None = None) -> SparkEngine:
    """Return the engine of a DataFrame of PySpark, of a classic session or of Spark Connect."""
    if not hasattr(frame, "toArrow"):
        raise EngineError(
            "Fitting in Spark needs PySpark 4.0 or later: pip install 'modlearn[spark]'"
        )
    try:
        import pandas
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise EngineError(
            f"Fitting in Spark needs {error.name}: pip install 'modlearn[spark]'"
        ) from None
    del pandas
    return SparkEngine(frame, label or "Spark DataFrame")


class SparkEngine:
    """A DataFrame of PySpark 4, of a classic session or of Spark Connect, as an engine."""

    key = DIALECT
    columns_at_once = 1_000_000  # queries return rows in any order

    def __init__(self, frame: Any, label: str) -> None:
        from modlearn._engines import spark_scans  # needs pyarrow

        self._scans = spark_scans
        # The functions of the scans travel with their code: workers need not have modlearn.
        import_module("pyspark.cloudpickle").register_pickle_by_value(spark_scans)
        self.label = label
        self.n_scans = 0  # passes over the rows so far
        self._stopped = False
        self.relation = f"modlearn_rows_{uuid4().hex}"
        self._session = frame.sparkSession
        # SQL reads the frame through a view; when PySpark drops the view, Spark forgets what is
        # cached for an equal plan. A condition makes another plan that reads from the cache.
        self._rows = frame.where("true")
        # One thread runs all queries: the user's thread stays free to report and to interrupt.
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="modlearn-spark")
        self.columns = self._run(lambda: self._columns(frame))

    def name(self, name: str) -> str:
        """Return a column name in quotes."""
        quoted = "`" + name.replace("`", "``") + "`"
        # Spark replaces ${...} in SQL by settings and environment variables, also in quotes.
        return f"IDENTIFIER({_in_digits(quoted)})" if "${" in name else quoted

    def text(self, value: str) -> str:
        """Return a text in quotes."""
        return f"'{value}'" if PLAIN.fullmatch(value) else _in_digits(value)

    def fetch(self, statement: str) -> list[NDArray[Any]]:
        """Return the columns of a result that fits in memory."""
        table = self._run(lambda: self._sql(statement).toArrow())
        return [_as_numpy(column) for column in table.columns]

    def share_done(self) -> float | None:
        """Return None: it is not known before the query ends."""
        return None

    def count_bins(self, scan: Scan, report: RowsDone) -> list[NDArray[np.int64]]:
        """Count rows by bin and group, for each column."""
        sizes = [(len(edges) + 2) * scan.n_groups for edges in scan.edges]
        scanner = self._scans.bins_scanner(scan.edges, scan.n_groups)
        counts = self._count_cells(scan, scanner, sum(sizes), report)
        parts = np.split(counts, np.cumsum(sizes)[:-1])
        return [part.reshape(-1, scan.n_groups) for part in parts]

    def count_windows(self, scan: Scan, report: RowsDone) -> list[WindowCounts]:
        """Count rows by value and group inside windows, for each column."""
        scanner = self._scans.windows_scanner(scan.edges)
        table = self._scan(scan, scanner, self._scans.WINDOWS, report)
        c, v, g, n = (_as_numpy(column) for column in table.columns)
        order = np.lexsort((g, v, c))
        ends = np.searchsorted(c[order], np.arange(1, len(scan.columns)))
        return [(v[some], g[some].astype(np.int64), n[some]) for some in np.split(order, ends)]

    def count_cells(
        self, scan: Scan, pairs: NDArray[np.int64], n_bins: int, report: RowsDone
    ) -> NDArray[np.int64]:
        """Count rows of pairs of columns by both bins and group."""
        shape = (len(pairs), n_bins, n_bins, scan.n_groups)
        scanner = self._scans.cells_scanner(scan.edges, scan.n_groups, pairs, n_bins)
        return self._count_cells(scan, scanner, int(np.prod(shape)), report).reshape(shape)

    def numbered(self, key: str, cells: str) -> tuple[str, str]:
        """Return a relation with all rows, and the SQL of a number of rows that are equal."""
        return numbered_by_window(self, key, cells)

    def stop(self) -> None:
        """Let the thread that waits for a query cancel it."""
        self._stopped = True

    def close(self) -> None:
        """End the thread; the session is the user's and goes on."""
        self._worker.shutdown(wait=False)

    def _columns(self, frame: Any) -> list[EngineColumn]:
        fields = frame.schema.fields
        folds = self._session.conf.get("spark.sql.caseSensitive", "false") != "true"
        _check_names([field.name for field in fields], folds)
        return [self._column(field.name, field.dataType) for field in fields]

    def _column(self, name: str, data_type: Any) -> EngineColumn:
        type_name, quoted = type(data_type).__name__, self.name(name)
        kind, value = TYPES.get(type_name, (Kind.NESTED, "{x}"))
        if getattr(data_type, "collation", "UTF8_BINARY") != "UTF8_BINARY":
            value = "COLLATE({x}, 'UTF8_BINARY')"
        is_integer = type_name in INTEGERS
        exact = quoted if is_integer else ""
        return EngineColumn(name, kind, value.format(x=quoted), is_integer, exact=exact)

    def _sql(self, statement: str) -> Any:
        """Return the lazy result of a statement, where ``relation`` stands for the rows."""
        if self.relation not in statement:
            return self._session.sql(statement)
        self.n_scans += 1
        # Names and texts may have braces, which PySpark would take for its own.
        text = statement.replace("{", "{{").replace("}", "}}").replace(self.relation, "{rows}")
        return self._session.sql(text, rows=self._rows)

    def _count_cells(
        self, scan: Scan, scanner: Any, n_cells: int, report: RowsDone
    ) -> NDArray[np.int64]:
        table = self._scan(scan, scanner, self._scans.CELLS, report)
        counts = np.zeros(n_cells, dtype=np.int64)
        # One chunk at a time: a second copy of all counts is never made.
        for batch in table.to_batches():
            counts[batch.column(0).to_numpy()] = batch.column(1).to_numpy()
        return counts

    def _scan(self, scan: Scan, scanner: Any, schema: str, report: RowsDone) -> Any:
        """Return the sums over all partitions of what a scanner counts in each."""
        doubles = [f"CAST({column} AS DOUBLE) AS c{k}" for k, column in enumerate(scan.columns)]
        selected = ", ".join([*doubles, f"CAST({scan.group} AS INT) AS g"])
        statement = f"SELECT {selected} FROM {scan.relation} WHERE {scan.condition}"

        def work() -> Any:
            parts = self._sql(statement).mapInArrow(scanner, schema)
            keys = [name for name in parts.columns if name != "n"]
            return parts.groupBy(*keys).sum("n").toArrow()

        with _errors_of_spark(), self._fraction_done() as fraction:
            table = self._run(work, lambda: report(int(fraction() * scan.n_rows)))
        report(scan.n_rows)
        return table

    def _run(self, work: Callable[[], Any], tick: Callable[[], None] | None = None) -> Any:
        """Run a query in the thread of the engine, and cancel it if the user interrupts."""
        with _errors_of_spark():
            tag = _Tag(self._session)
            future: Future[Any] = self._worker.submit(tag.tagging(work))
            try:
                while not wait([future], timeout=POLL_SECONDS).done:
                    if self._stopped:
                        raise KeyboardInterrupt
                    if tick is not None:
                        tick()
            except BaseException:
                tag.cancel()
                wait([future], timeout=STOP_SECONDS)
                raise
            return future.result()

    @contextmanager
    def _fraction_done(self) -> Iterator[Callable[[], float]]:
        """Return a function of the progress of the next query: the fraction of its tasks."""
        context, latest = _context(self._session), [0.0]

        def done(tasks: Sequence[tuple[int, int]]) -> float:
            # Stages that begin later add tasks: what has been reported stays reported.
            fraction = sum(done for done, _ in tasks) / max(1, sum(n for _, n in tasks))
            latest[0] = max(latest[0], fraction)
            return latest[0]

        def handle(stages: Any, **_: object) -> None:
            done([(stage.num_completed_tasks, stage.num_tasks) for stage in stages or []])

        if context is not None:
            tracker, group = context.statusTracker(), context.getLocalProperty(PROPERTIES[0])
            before = set(tracker.getJobIdsForGroup(group))
            yield lambda: done(_tasks(tracker, set(tracker.getJobIdsForGroup(group)) - before))
            return
        self._session.registerProgressHandler(handle)
        try:
            yield lambda: latest[0]
        finally:
            self._session.removeProgressHandler(handle)


class _Tag:
    """A tag of a query, by which it is canceled.

    Spark keeps tags, job groups and pools for each thread. The thread of the query takes over what
    the thread of the user has: whoever cancels their own jobs cancels the query as well.
    """

    def __init__(self, session: Any) -> None:
        self._tag, context = f"modlearn-{uuid4().hex}", _context(session)
        if context is None:
            tags = set(session.getTags())
            self._add, self._cancel = session.addTag, session.interruptTag
            self._take_over = [session.clearTags, *(partial(session.addTag, tag) for tag in tags)]
        else:
            values = {key: context.getLocalProperty(key) for key in PROPERTIES}
            self._add, self._cancel = context.addJobTag, context.cancelJobsWithTag
            self._take_over = [partial(context.setLocalProperty, *one) for one in values.items()]

    def cancel(self) -> None:
        """Cancel the query."""
        self._cancel(self._tag)

    def tagging(self, work: Callable[[], Any]) -> Callable[[], Any]:
        """Return the query with the tag, to be called in its thread."""

        def tagged() -> Any:
            for step in self._take_over:
                step()
            self._add(self._tag)
            return work()

        return tagged


def _context(session: Any) -> Any | None:
    """Return the context of a classic session; None for Spark Connect, which has none."""
    return None if ".connect." in type(session).__module__ else session.sparkContext


def _tasks(tracker: Any, jobs: set[int]) -> list[tuple[int, int]]:
    """Return the completed tasks and the tasks of the stages of some jobs."""
    infos = [info for job in jobs if (info := tracker.getJobInfo(job)) is not None]
    stages = [tracker.getStageInfo(stage) for info in infos for stage in info.stageIds]
    return [(stage.numCompletedTasks, stage.numTasks) for stage in stages if stage is not None]


def _in_digits(text: str) -> str:
    return f"CAST(X'{text.encode().hex()}' AS STRING)"


def _check_names(names: Sequence[str], folds: bool) -> None:
    """Refuse columns that Spark cannot tell apart by name."""
    first: dict[str, str] = {}
    for name in names:
        key = name.lower() if folds else name
        if key in first:
            raise ColumnError(
                f"Spark cannot tell columns {first[key]!r} and {name!r} apart by name: rename them "
                "with toDF."
            )
        first[key] = name


def _as_numpy(column: Any) -> NDArray[Any]:
    """Return a column of Arrow as ``Engine.fetch`` does."""
    import pyarrow as pa

    is_integer = pa.types.is_integer(column.type)
    if is_integer and not column.null_count:
        return np.asarray(column.to_numpy()).astype(np.int64)
    numeric = (pa.types.is_floating, pa.types.is_decimal, pa.types.is_null)
    if any(is_type(column.type) for is_type in numeric):
        return np.asarray(column.cast(pa.float64(), safe=False).to_numpy(), dtype=np.float64)
    found = np.empty(len(column), dtype=object)
    found[:] = column.to_pylist()
    return integers_or_null(found) if is_integer else found


@contextmanager
def _errors_of_spark() -> Iterator[None]:
    """Raise the errors of Spark as ours, without the traces that come with them."""
    try:
        yield
    except Exception as error:
        if _is_of_spark(error):
            raise EngineError(f"Spark: {_first_line(error)}") from None
        raise


def _is_of_spark(error: Exception) -> bool:
    root = type(error).__module__.partition(".")[0]
    return root in ("pyspark", "py4j", "grpc") or isinstance(error, ConnectionError)


def _first_line(error: Exception) -> str:
    """Return the first informative line: of the cause, and of Python on a worker."""
    cause = getattr(error, "java_exception", None)
    while cause is not None and WAITING in str(cause.toString()) and cause.getCause() is not None:
        cause = cause.getCause()
    text = str(error) if cause is None else str(cause.toString())
    _, traced, trace = text.partition("Traceback (most recent call last):")
    lines = [line for line in (trace or text).splitlines() if line.strip()]
    if traced:
        lines = [f"a worker raised {line}" for line in lines if not line.startswith(" ")]
    return lines[0].strip() if lines else type(error).__name__
