"""What the user should know about how a table was read, as facts."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["ReadingNote"]


@dataclass(frozen=True)
class ReadingNote:
    """A fact about how a table was read."""

    kind: str  # what happened, such as "encoding_guessed"
    # The file, the column, an example and counts.
    numbers: dict[str, float | int | str] = field(default_factory=dict)
