"""The exceptions of modlearn: each says what was received and what to do next."""

from collections.abc import Callable

__all__ = [
    "ColumnError",
    "EmptyTableError",
    "EngineError",
    "FileError",
    "LengthError",
    "ModelError",
    "NestedColumnError",
    "OptionError",
    "TargetError",
    "TextColumnError",
    "spelled",
]


class OptionError(ValueError):
    """Options contradict each other, or one has a value that is not allowed.

    The second argument, if there is one, is the message as the command line spells its options.
    """

    def __str__(self) -> str:
        """Return the message."""
        return str(self.args[0]) if self.args else ""

    @property
    def as_command(self) -> str:
        """The message as the command line spells its options."""
        return str(self.args[-1]) if self.args else ""


def spelled(write: Callable[[Callable[[str], str]], str]) -> tuple[str, str]:
    """Return a message with options as Python spells them, and as the command line does.

    An option that only the command line has starts with hyphens, such as ``--delimiter``.
    """
    return write(_in_python), write(_as_typed)


def _in_python(option: str) -> str:
    return f"{option} on the command line" if option.startswith("--") else option


def _as_typed(option: str) -> str:
    return option if option.startswith("--") else f"--{option.replace('_', '-')}"


class ColumnError(OptionError):
    """A column of the table cannot be used; the message names it and the remedy."""


class NestedColumnError(ColumnError):
    """Each cell of a column holds several values."""


class TextColumnError(ColumnError):
    """A column holds text, but numbers are needed."""

    def advising(self, remedy: str) -> ColumnError:
        """Return the error with one more remedy."""
        return ColumnError(f"{str(self).removesuffix('.')}, or {remedy}.")


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


class FileError(OptionError):
    """A table file cannot be read or written; the message names the line and the remedy."""


class EngineError(OptionError):
    """A database or cluster refuses a query or cannot be reached; its own message is quoted."""


class TargetError(OptionError):
    """The target cannot be used; the message gives the reason and the remedy."""


class ModelError(ValueError):
    """A model cannot be written to a file or read from it; the message gives the reason."""
