"""Columns that are computed from others: every family of views, in one table."""

from modlearn._views.calendar import CALENDAR
from modlearn._views.family import ViewFamily
from modlearn.schema import View

__all__ = ["VIEW_FAMILIES", "view_named"]

VIEW_FAMILIES: list[ViewFamily] = [CALENDAR]
"""The families of views."""


def view_named(name: str) -> View | None:
    """Return a view by its name; None if no family has it."""
    found = (family.named(name) for family in VIEW_FAMILIES)
    return next((view for view in found if view is not None), None)
