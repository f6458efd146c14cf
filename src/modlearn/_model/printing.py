"""How model objects print themselves, and leave for other programs.

This module is the one exception to the import order of the stages. A model object prints itself as
a table, but text, plots and data frames are made in ``_show``, which is above the model, as are
SQL, ONNX and PMML, which are made in ``_export``. To make ``print(partition)`` and
``model.to_sql("postgres")`` work, both are imported here, and only when they are needed. Files that
models are exported to are listed in ``EXPORT_FORMATS``.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from importlib import import_module
from os import PathLike
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "EXPORT_FORMATS",
    "ExportMixin",
    "FileFormat",
    "FrameMixin",
    "PlotMixin",
    "PrintMixin",
    "RowPlotMixin",
    "TermPlotMixin",
]


class PrintMixin:
    """Objects that have a representation as a line, as text and as HTML."""

    def __repr__(self) -> str:
        from modlearn._show.objects import one_line

        return one_line(self)

    def __str__(self) -> str:
        from modlearn._show.objects import as_text

        return as_text(self)

    def _repr_html_(self) -> str:
        from modlearn._show.objects import as_html

        return as_html(self)


class PlotMixin:
    """Objects that can be drawn."""

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the class shares of every part with matplotlib.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None = on a new figure.

        Returns
        -------
        matplotlib Axes
        """
        from modlearn._show.objects import plot

        return plot(self, ax)


class TermPlotMixin:
    """Models whose columns, pairs and trees can be drawn."""

    def plot(self, name: Any, ax: Axes | None = None, *, positive: int | None = None) -> Axes:
        """Draw what a column, pair or tree adds to the scores, with 95 % bands, with matplotlib.

        A number has a curve above the histogram of its values, a category a bar, a pair a heat map
        of its cells, and a tree a bar for each leaf, with a path to it in words. With two classes,
        it is the log odds of the class of interest. The mean over the training rows is 0.

        Parameters
        ----------
        name : hashable, or tuple of them
            Name of the column, or names of the columns of a pair or a tree.
        ax : matplotlib Axes, default=None
            Where to draw; None = on a new figure.
        positive : int, default=None
            Index of the class of interest, if there are two classes; None = the second.

        Returns
        -------
        matplotlib Axes
        """
        from modlearn._show.objects import plot_name

        return plot_name(self, name, positive, ax)  # type: ignore[arg-type]


class RowPlotMixin:
    """Objects whose rows can be drawn."""

    def plot(self, row: int = 0, ax: Axes | None = None) -> Axes:
        """Draw how a row comes to its score, as a waterfall with matplotlib.

        If there are two classes, positive steps speak for the class of interest, and the score is
        its log odds. If there are more, they speak for the most probable class over the next one.

        Parameters
        ----------
        row : int, default=0
            Which of the rows that are explained, from 0.
        ax : matplotlib Axes, default=None
            Where to draw; None = on a new figure.

        Returns
        -------
        matplotlib Axes
        """
        from modlearn._show.objects import plot_row

        return plot_row(self, row, ax)  # type: ignore[arg-type]


class FrameMixin:
    """Objects that can be converted to a data frame."""

    def to_frame(self, backend: Any = "pandas") -> Any:
        """Return the object as a data frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default="pandas"
            Which kind of data frame.

        Returns
        -------
        data frame
        """
        from modlearn._show.frames import to_frame

        return to_frame(self, backend)


@dataclass(frozen=True)
class FileFormat:
    """A format of files that programs other than Python predict from.

    Parameters
    ----------
    module : str
        The module whose function `write_model` takes a model, a path and the options.
    is_sql : bool, default=False
        Whether the options are those of ``ExportMixin.to_sql``; other formats need none.
    """

    module: str
    is_sql: bool = False

    def write(self, model: Any, path: str | PathLike[str], **options: Any) -> None:
        """Write a model to a file; if writing fails, an existing file is left unchanged."""
        import_module(self.module).write_model(model, path, **options)


EXPORT_FORMATS = {
    ".onnx": FileFormat("modlearn._export.onnx"),
    ".pmml": FileFormat("modlearn._export.pmml"),
    ".sql": FileFormat("modlearn._export.sql", is_sql=True),
}
"""The formats that models are exported to, by the ending of the name of a file, in any order."""


class ExportMixin:
    """Models that can be written for programs other than Python."""

    def to_sql(
        self,
        dialect: str,
        table: str | None = None,
        *,
        keep: Sequence[Hashable] | None = None,
        reasons: int = 0,
    ) -> str:
        """Return one SQL statement that predicts the rows of a table.

        Its columns are those to keep, the predicted label, a probability per class and, if asked
        for, the strongest reasons. Labels equal those of ``predict``, and probabilities agree with
        ``predict_proba`` to 1e-12. NULL and NaN are missing values.

        Parameters
        ----------
        dialect : {"bigquery", "duckdb", "mysql", "oracle", "postgres", "snowflake", "spark", \
                "sqlite", "tsql"}
            Which SQL.
        table : str, default=None
            Name of the table, such as ``"orders"`` or ``"shop.orders"``, or a template such as
            ``"{{ ref('orders') }}"`` for dbt; None = ``"table_to_score"``.
        keep : sequence of names, default=None
            Columns of the table to select; None = those that the model uses.
        reasons : int, default=0
            Number of reasons for each prediction, in words.

        Returns
        -------
        str
        """
        from modlearn._export.sql import scoring_sql
        from modlearn._show.reasons import Reasons

        sentences = Reasons(self, reasons).sentences  # type: ignore[arg-type]
        return scoring_sql(self, dialect, table, keep, sentences, reasons)  # type: ignore[arg-type]

    def to_onnx(self, path: str | PathLike[str], precision: str = "double") -> None:
        """Write the model to an ONNX file, which runtimes for many languages evaluate.

        The file has an input of shape (rows, 1) for each column that the model uses, under its
        name, and the outputs ``label``, of shape (rows,), and ``probabilities``, of shape (rows,
        classes).

        Parameters
        ----------
        path : path
            The file to write, such as ``"wine.onnx"``. If writing fails, an existing file is left
            unchanged.
        precision : {"double", "float"}, default="double"
            Type of numbers and probabilities.

        Returns
        -------
        None

        Notes
        -----
        Missing numbers are NaN. Dates and durations are integers, microseconds since 1970 (UTC) and
        microseconds; the smallest integer, ``NaT`` in NumPy, is missing. Truth values are the
        numbers 1 and 0. A missing text is the empty text; if that is a category of the column, it
        is the text that the metadata of the file state under ``missing_texts``.
        """
        EXPORT_FORMATS[".onnx"].write(self, path, precision=precision)

    def to_pmml(self, path: str | PathLike[str]) -> None:
        """Write the model to a PMML file, a regression model on parts of columns.

        Parameters
        ----------
        path : path
            The file to write, such as ``"wine.pmml"``. If writing fails, an existing file is left
            unchanged.

        Returns
        -------
        None

        Notes
        -----
        Dates and durations are numbers: microseconds since 1970 (UTC) and microseconds.
        """
        EXPORT_FORMATS[".pmml"].write(self, path)
