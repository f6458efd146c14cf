"""The same columns in every kind of frame."""

from tests._tables.conftest import frame

__all__ = ["frame"]
