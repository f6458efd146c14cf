"""Names, values and small expressions of SQL, as a dialect writes them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from modlearn._export.dialects import Dialect
from modlearn.errors import ColumnError, ModelError

__all__ = ["Writer", "double"]


@dataclass(frozen=True)
class Writer:
    """Writes SQL in a dialect.

    Parameters
    ----------
    key : str
        Name of the dialect in SQLGlot, which quotes names and texts.
    dialect : Dialect
        What is written differently.
    """

    key: str
    dialect: Dialect

    def name(self, name: Hashable) -> str:
        """A column, a table or a subquery, in quotes."""
        from sqlglot import exp

        if "\0" in str(name):
            raise ColumnError(
                f"The name {str(name)!r} contains the character 0, which SQL does not allow: "
                "rename it."
            )
        if self.dialect.substitutes and "${" in str(name):
            raise ColumnError(
                f"The name {str(name)!r} contains ${{, which {self.dialect.title} replaces by a "
                "setting: rename it."
            )
        return str(exp.to_identifier(str(name), quoted=True).sql(self.key))

    def table(self, name: str) -> str:
        """A table, maybe with its schema: shop.orders."""
        from sqlglot import exp

        parts = exp.to_table(name, dialect=self.key).parts if "." in name else [name]
        return ".".join(self.name(getattr(part, "name", part)) for part in parts)

    def text(self, value: str) -> str:
        """A text in quotes."""
        from sqlglot import exp

        pieces = [str(exp.Literal.string(piece).sql(self.key)) for piece in value.split("\0")]
        pieces = [self.dialect.prefix + piece for piece in pieces]
        if self.dialect.substitutes:
            pieces = [piece.replace("${", "$' || '{") for piece in pieces]
        if len(pieces) > 1 and self.dialect.null_character is None:
            raise ModelError(
                f"The text {value!r} contains the character 0, which {self.dialect.title} cannot "
                "store: rename it in the table."
            )
        joined = f" || {self.dialect.null_character} || ".join(pieces)
        return f"({joined})" if " || " in joined else joined

    def value(self, value: Any) -> str:
        """A text, a number or a truth value."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, bool):
            return self.dialect.true if value else self.dialect.false
        return str(value) if isinstance(value, int) else double(value)

    def score(self, value: float) -> str:
        """What is added to scores, as a double."""
        return self.dialect.score.format(x=double(value))

    def can_hold(self, value: Hashable) -> bool:
        """Whether a column of the database can hold a value."""
        return not isinstance(value, str) or "\0" not in value or bool(self.dialect.null_character)

    def greatest(self, values: Sequence[str]) -> str:
        """The greatest of some numbers."""
        return values[0] if len(values) == 1 else f"{self.dialect.greatest}({', '.join(values)})"

    def lookup(self, values: Mapping[int, str], index: str, default: str) -> str:
        """The value of an index; the default if it has none."""
        if not values:
            return default
        if self.dialect.lookup is not None:
            all_values = ", ".join(values.get(i, default) for i in range(max(values) + 1))
            return self.dialect.lookup.format(values=all_values, index=index)
        cases = " ".join(f"WHEN {i} THEN {value}" for i, value in values.items())
        return f"CASE {index} {cases} ELSE {default} END"


def double(value: float) -> str:
    """A number that every dialect reads as a double, to the last bit."""
    text = repr(float(value))
    return text if "e" in text else f"{text}e0"
