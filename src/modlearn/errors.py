"""The exceptions of modlearn: each says what was received and what to do next."""

__all__ = ["ColumnError", "FileError", "ModelError", "TargetError"]


class ColumnError(ValueError):
    """A column of the table cannot be used; the message names it and the remedy."""


class FileError(ValueError):
    """A table file cannot be read or written; the message names the line and the remedy."""


class TargetError(ValueError):
    """The target cannot be used; the message says why and the remedy."""


class ModelError(ValueError):
    """A model cannot be written to a file, or a file holds none; the message says why."""
