"""What views of columns of one kind have in common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from modlearn.schema import Kind, View

__all__ = ["ViewFamily"]


@dataclass(frozen=True)
class ViewFamily:
    """Views of columns of one kind.

    Parameters
    ----------
    source_kind : Kind
        What the columns hold that the views are computed from.
    offered : callable
        Takes the values of the rows of a column that are not missing, as a view does, and returns
        the views that are worth learning from.
    named : callable
        Returns the view of a name, as models on disk have it; None if there is none.
    """

    source_kind: Kind
    offered: Callable[[NDArray[Any]], tuple[View, ...]]
    named: Callable[[str], View | None]
