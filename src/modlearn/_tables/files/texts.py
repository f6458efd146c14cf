"""Texts of a relation as codes, without a Python object per row where values repeat."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from modlearn._tables.cells import Coded
from modlearn._tables.files.workspace import Workspace

__all__ = ["Selection", "TextEncoding"]

MOST_ENUMERATED = 5_000
"""Distinct texts that DuckDB numbers in an ENUM; making one of more takes too long."""

COLUMNS_PER_QUERY = 100
"""Columns whose distinct texts are counted together."""

CHUNK = 200_000
"""Rows whose texts are Python objects at a time."""


@dataclass(frozen=True)
class Selection:
    """Rows of a relation.

    Parameters
    ----------
    relation : str
        SQL that follows FROM.
    row : str, default=""
        SQL of the row number; empty if rows have none.
    condition : str, default="true"
        SQL that follows WHERE.
    """

    relation: str
    row: str = ""
    condition: str = "true"

    def select(self, expressions: str) -> str:
        """Return the SQL of expressions for these rows."""
        return f"SELECT {expressions} FROM {self.relation} WHERE {self.condition}"


class TextEncoding:
    """Numbers the texts of some rows: by DuckDB where they repeat, otherwise chunk by chunk.

    Parameters
    ----------
    workspace : Workspace
        Where the relation is known.
    selection : Selection
        The rows.
    has_many : dict of str to bool
        Whether a text, by its SQL, has more values than an ENUM should have; completed here, as the
        answer serves other rows of the same table.
    """

    def __init__(
        self, workspace: Workspace, selection: Selection, has_many: dict[str, bool]
    ) -> None:
        self.workspace, self.selection, self.has_many = workspace, selection, has_many
        self.enums: dict[str, str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        for name in self.enums.values():
            self.workspace.run(f"DROP TYPE IF EXISTS {name}")

    def sql_of_codes(self, values: Sequence[str]) -> list[str]:
        """Return the SQL of the codes of texts, given by their SQL; NULL if Python numbers them."""
        self._count([value for value in values if value not in self.has_many])
        return [self._codes(value) for value in values]

    def _count(self, values: Sequence[str]) -> None:
        """Find out which texts have too many values for DuckDB to number them."""
        for start in range(0, len(values), COLUMNS_PER_QUERY):
            some = values[start : start + COLUMNS_PER_QUERY]
            counts = ", ".join(f"count(DISTINCT {value})" for value in some)
            (row,) = self.workspace.rows(self.selection.select(counts))
            self.has_many |= {v: n > MOST_ENUMERATED for v, n in zip(some, row, strict=True)}

    def _codes(self, value: str) -> str:
        """SQL of the codes of one text."""
        if self.has_many[value]:
            return "NULL"
        if value not in self.enums:
            name = self.workspace.new_name("texts")
            distinct = self.selection.select(f"DISTINCT {value} AS v")
            self.workspace.run(
                f"CREATE TYPE {name} AS ENUM ({distinct} AND {value} IS NOT NULL ORDER BY v)"
            )
            self.enums[value] = name
        return f"enum_code(CAST({value} AS {self.enums[value]}))"

    def cells(self, value: str, codes: NDArray[Any]) -> Coded:
        """Return the codes with their texts."""
        if self.has_many[value]:
            return self._number_in_python(value)
        filled = np.ma.filled(codes.astype(np.int32), -1)
        texts = self.workspace.rows(f"SELECT unnest(enum_range(NULL::{self.enums[value]}))")
        return Coded(filled, [text for (text,) in texts])

    def _number_in_python(self, value: str) -> Coded:
        """Number the texts in the order of their first row."""
        numbers: defaultdict[Any, int] = defaultdict()
        numbers.default_factory = numbers.__len__
        parts = []
        for rows in self.workspace.chunks(self.selection.select(value), CHUNK):
            parts.append(
                np.fromiter(
                    (-1 if text is None else numbers[text] for (text,) in rows),
                    dtype=np.int32,
                    count=len(rows),
                )
            )
        return Coded(np.concatenate(parts) if parts else np.empty(0, np.int32), list(numbers))
