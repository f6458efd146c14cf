"""How model objects print themselves.

This module is the one exception to the import order of the stages. A model object prints itself as
a table, but text, plots and data frames are made in ``_show``, which is above the model. To make
``print(partition)`` work, ``_show`` is imported here, and only when it is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Framed", "Plotted", "PlottedByRow", "Printed"]


class Printed:
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


class Plotted:
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


class PlottedByRow:
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


class Framed:
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
