"""`analyze`: which columns and pairs are informative, in one call."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from modlearn._evaluate.data_warnings import TrainingData, data_warnings
from modlearn._fit.columns import fit_partitions
from modlearn._fit.model import requested_pairs
from modlearn._fit.pairs import Pair, PairSearch, fit_pairs
from modlearn._jobs.counting import notes_on_counts, with_bins
from modlearn._jobs.fit import threads_of, with_offered_views
from modlearn._jobs.options import find_positive, read_memory, read_pairs
from modlearn._jobs.overview import TableOverview, overview
from modlearn._jobs.prepare import prepare
from modlearn._jobs.result import FitResult
from modlearn._jobs.source import ColumnRequest, Room
from modlearn._model.evaluation import Diagnostics
from modlearn._model.grid import Grid
from modlearn._parallel import Progress, no_progress
from modlearn._show.summary import now
from modlearn.errors import TargetError, spelled

__all__ = ["analyze"]


def analyze(
    data: Any,
    target: Any = None,
    *,
    pairs: Any = "none",
    drop: Any = (),
    only: Any = (),
    as_categorical: Any = (),
    as_date: Any = (),
    date_format: Any = None,
    trend: Any = (),
    positive: Any = None,
    n_jobs: int | None = None,
    memory: int | str | None = None,
    progress: Progress | None = None,
) -> FitResult | TableOverview:
    """Find the columns of a table, and the pairs of columns, that are informative about a target.

    No classifier is trained and nothing is evaluated; for that, see ``fit``. Without a target, the
    columns are described: types, missing and distinct values, quantiles and small histograms. Print
    the result.

    Parameters
    ----------
    data : path, frame or array-like of shape (n_rows, n_columns)
        A file that DuckDB can read, a table of a database such as ``"shop.duckdb::orders"``, or a
        table in memory: pandas, Polars, Arrow, NumPy. A table of PostgreSQL, such as
        ``"postgresql://localhost/shop::orders"``, and a Spark DataFrame stay where they are.
    target : str or array-like of shape (n_rows,), default=None
        Name of the column to explain, or a label per row. Rows where it is missing are unlabeled.
        None = describe the columns.
    pairs : "none", "all", int or str, default="none"
        Pairs of columns to search: none; all; the most promising ones, up to this number; or as
        many of those as can be started within a time such as "60s" or "5m".
    drop, only, as_categorical : names of columns, default=()
        Columns to leave out; the only columns to use; columns whose numbers are categories.
    as_date : names of columns, default=()
        Columns to read as dates, in the format that most of their cells have.
    date_format : dict of column name to str, default=None
        Columns to read as dates in a format of strptime, such as ``{"when": "%d/%m/%Y"}``, or
        ``"excel"`` for numbers of days. The model reads later tables in the same format.
    trend : names of columns, default=()
        Columns of dates to use as they are, too. By default, a date counts only by the parts of the
        calendar that recur in it: hour, weekday, month, day of the year. Pass the name if new
        rows have dates of the same range, such as a date of birth.
    positive : class, default=None
        The class of interest, if there are two classes, which the report puts first. By default,
        the rarer class.
    n_jobs : int, default=None
        Number of threads; None = all cores.
    memory : int or str, default=None
        Memory to use, in bytes or as text such as "2GB"; by default half of what is installed.
        Larger files are not read into memory: DuckDB counts their columns where they are. Without
        a target, a column at a time is read, and a sample if even that would not fit.
    progress : callable, default=None
        Called as ``progress(stage, done, total)``: "reading", "counting", "columns", "pairs".

    Returns
    -------
    FitResult or TableOverview
        With ``partitions``, ``grids``, ``facts``, ``warnings``, ``summary()`` and
        ``report(path)``; its ``model`` and ``evaluation`` are None. Without a target, a
        ``TableOverview`` with ``columns``, ``summary()`` and ``report(path)``.

    Examples
    --------
    >>> import modlearn
    >>> from sklearn.datasets import load_iris
    >>> iris = load_iris(as_frame=True).frame
    >>> print(modlearn.analyze(iris, "target"))
    target, 3 classes, 150 rows, 4 columns
    <BLANKLINE>
    variable           level  parts
    petal width (cm)   0.685      3
    petal length (cm)  0.673      3
    sepal length (cm)  0.302      3
    sepal width (cm)   0.137      3
    >>> print(modlearn.analyze(iris[["petal width (cm)", "sepal width (cm)"]]))
    150 rows, 2 columns
    <BLANKLINE>
    column            type     missing  distinct  distribution  values
    petal width (cm)  numeric                 22  █▂▁ ▂▄▂▄▃▂▃▂  0.1 … 0.3 … 1.3 … 1.8 … 2.5
    sepal width (cm)  numeric                 23  ▁▂▃▅█▅▄▂▂▁▁▁  2 … 2.8 … 3 … 3.3 … 4.4
    """
    requested = requested_pairs(read_pairs(pairs))
    report, threads = progress or no_progress, threads_of(n_jobs)
    room = Room.of(read_memory(memory), report, threads)
    request = ColumnRequest(target, drop, only, as_categorical, as_date, date_format, trend)
    if target is None:
        if requested is not None or positive is not None:
            raise TargetError(
                *spelled(
                    lambda spell: (
                        f"{spell('pairs')} and {spell('positive')} need a target: pass "
                        f"the name of a column as {spell('target')}."
                    )
                )
            )
        return overview(data, request, room)
    prepared = with_offered_views(prepare(data, request, threads, report, room), request)
    grids: dict[Pair, Grid] = {}
    complete = True
    try:
        found = fit_partitions(prepared.rows, threads, report)
        if requested is not None and len(found) > 1:
            search = PairSearch(requested, threads, report, keeps_interrupted=False)
            grids, complete = fit_pairs(prepared.rows, found, search)
    except BaseException:
        prepared.rows.stop()
        raise
    partitions = {partition.name: partition for partition in found}
    counting, notes = prepared.rows.counting, prepared.facts.notes
    if counting is not None:
        notes += notes_on_counts(counting, requested is not None)
    diagnostics = Diagnostics(
        created=now(),
        data=replace(prepared.facts, notes=notes),
        positive=find_positive(positive, prepared.rows.target),
        evaluation=None,
        pairs_complete=complete,
        warnings=tuple(data_warnings(TrainingData(prepared.rows, found, prepared.summaries))),
        columns=prepared.columns if counting is None else with_bins(prepared.columns, counting),
    )
    return FitResult(None, partitions, grids, diagnostics)
