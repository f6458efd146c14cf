"""How long work reports how far it is."""

from collections.abc import Callable

__all__ = ["Progress", "no_progress"]

Progress = Callable[[str, int, int], None]
"""Called with the stage, how much of it is done, and how much there is."""


def no_progress(stage: str, done: int, total: int) -> None:
    """Report nothing."""
