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
    """A table has no rows or no columns, in the words that scikit-learn has for arrays."""

    def __init__(self, shape: tuple[int, int]) -> None:
        super().__init__(shape)
        self.lacks = "columns" if shape[0] else "rows"

    def __str__(self) -> str:
        """Return the sentence."""
        (shape,) = self.args
        what = "sample" if self.lacks == "rows" else "feature"
        return (
            f"Found array with 0 {what}(s) (shape={shape}) while a minimum of 1 is required: "
            f"give a table that has {self.lacks}."
        )


class LengthError(ValueError):
    """The target has not as many rows as the table; it begins with the words of scikit-learn."""

    def __init__(self, n_rows: int, n_labels: int) -> None:
        super().__init__(n_rows, n_labels)

    def __str__(self) -> str:
        """Return the sentence."""
        n_rows, n_labels = self.args
        return (
            f"Found input variables with inconsistent numbers of samples: [{n_rows}, {n_labels}]: "
            f"the table has {n_rows:,} rows and y has {n_labels:,}. Give one label per row."
        )


class FileError(ValueError):
    """A table file cannot be read or written; the message names the line and the remedy."""


class TargetError(ValueError):
    """The target cannot be used; the message says why and the remedy."""


class ModelError(ValueError):
    """A model cannot be written to a file, or a file holds none; the message says why."""
