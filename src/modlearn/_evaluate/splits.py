"""Which rows a model is tested on: folds, or a part that is held out."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from modlearn._model.evaluation import Note, Numbers
from modlearn._statistics.rows import Rows, Split
from modlearn.schema import TargetSpec, class_names

__all__ = ["TestPlan", "cross_validation", "held_out_part", "sensible_plan"]

MOST_FOLDS = 10
FEWEST_FOLDS = 5
"""Folds if a class has fewer rows than ten: with fewer, each would learn from too few."""

HELD_OUT = 0.3
"""Share that is held out where ten folds would take too long."""

LARGE = 50_000
"""Labeled rows above which a part is held out: its error is small enough."""

LARGE_WIDE = 5_000_000
"""Cells above which a part is held out, if it has enough rows."""

ROWS_OF_WIDE = 5_000

TIMED = 1_000
"""Labeled rows from which a part is held out if the search for pairs has a time limit."""

MOST_NAMED = 3
"""Classes that are named where several are never tested."""


@dataclass(frozen=True)
class TestPlan:
    """How a model is tested.

    Parameters
    ----------
    how : {"cross-validation", "held-out part"}
        How test rows are chosen.
    split : Split
        What the table is asked to do.
    notes : tuple of Note
        What is unusual about it.
    """

    __test__ = False  # not a test case, whatever its name begins with

    how: str
    split: Split
    notes: tuple[Note, ...]


def sensible_plan(rows: Rows, seed: int, timed: bool) -> TestPlan | None:
    """Ten folds, or a held-out part where these would take long; None if no row can be tested."""
    n_labeled = int(rows.target.counts.sum())
    n_cells = rows.n_rows * len(rows.schema)
    large = n_labeled > LARGE or (n_labeled >= ROWS_OF_WIDE and n_cells > LARGE_WIDE)
    if not large and not (timed and n_labeled >= TIMED):
        return cross_validation(rows.target, seed)
    plan = held_out_part(rows.target, HELD_OUT, seed)
    note = Note("held_out", {"share": HELD_OUT, "because": "large" if large else "timed"})
    return plan and replace(plan, notes=(note, *plan.notes))


def cross_validation(target: TargetSpec, seed: int) -> TestPlan | None:
    """Folds with about the same share of each class, or None if no row can be tested.

    Examples
    --------
    >>> cross_validation(TargetSpec("y", np.array(["a", "b"]), np.array([3, 3]), 0), seed=0).split
    Split(n_folds=5, share=None, seed=0)
    """
    repeated = target.counts[target.counts > 1]
    if not len(repeated):
        return None
    n_folds = min(MOST_FOLDS, max(FEWEST_FOLDS, int(repeated.min())), int(repeated.sum()))
    notes = (*_fewer(target, n_folds), *_untested(target))
    return TestPlan("cross-validation", Split(n_folds, None, seed), notes)


def held_out_part(target: TargetSpec, share: float, seed: int) -> TestPlan | None:
    """Hold out a share of each class, or None if no row can be tested."""
    if not (target.counts > 1).any():
        return None
    return TestPlan("held-out part", Split(1, share, seed), _untested(target))


def _fewer(target: TargetSpec, n_folds: int) -> tuple[Note, ...]:
    """Why there are fewer folds than usual."""
    if n_folds == MOST_FOLDS:
        return ()
    rows = target.counts
    rarest = int(np.argmin(np.where(rows > 1, rows, rows.max() + 1)))
    numbers: Numbers = {"folds": n_folds, "usual": MOST_FOLDS, "rows": int(rows[rarest])}
    return (Note("fewer_folds", numbers, (target.class_names[rarest],)),)


def _untested(target: TargetSpec) -> tuple[Note, ...]:
    """Which classes are never tested."""
    single = np.flatnonzero(target.counts == 1)
    if not len(single):
        return ()
    names = class_names(target.classes[single[:MOST_NAMED]])
    return (Note("untested_classes", {"classes": len(single)}, tuple(names)),)
