"""The exceptions of modlearn: each says what was received and what to do next."""

__all__ = [
    "ColumnError",
    "EmptyTableError",
    "FileError",
    "LengthError",
    "ModelError",
    "NestedColumnError",
    "TargetError",
]


class ColumnError(ValueError):
    """A column of the table cannot be used; the message names it and the remedy."""


class NestedColumnError(ColumnError):
    """Each cell of a column holds several values."""


class EmptyTableError(ValueError):
    """A table has no rows or no columns; the message begins like that of scikit-learn."""

    def __init__(self, shape: tuple[int, int]) -> None:
        super().__init__(shape)
        self.lacks = "columns" if shape[0] else "rows"

    def __str__(self) -> str:
        """Return the message."""
        (shape,) = self.args
        what = "sample" if self.lacks == "rows" else "feature"
        return (
            f"Found array with 0 {what}(s) (shape={shape}) while a minimum of 1 is required: "
            f"pass a table that has {self.lacks}."
        )


class LengthError(ValueError):
    """Table and target differ in their number of rows; it begins like scikit-learn's message."""

    def __init__(self, n_rows: int, n_labels: int) -> None:
        super().__init__(n_rows, n_labels)

    def __str__(self) -> str:
        """Return the message."""
        n_rows, n_labels = self.args
        return (
            f"Found input variables with inconsistent numbers of samples: [{n_rows}, {n_labels}]: "
            f"the table has {n_rows:,} rows and y has {n_labels:,}. Pass one label per row."
        )


class FileError(ValueError):
    """A table file cannot be read or written; the message names the line and the remedy."""


class TargetError(ValueError):
    """The target cannot be used; the message gives the reason and the remedy."""


class ModelError(ValueError):
    """A model cannot be written to a file or read from it; the message gives the reason."""
