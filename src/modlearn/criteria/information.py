"""What a cost says to a person."""

__all__ = ["level"]


def level(cost: float, null_cost: float) -> float:
    """Return how much a partition tells about the target: max(0, 1 - cost / null cost).

    Examples
    --------
    >>> from modlearn.criteria import level
    >>> level(25.0, 100.0), level(120.0, 100.0)
    (0.75, 0.0)
    """
    return max(0.0, 1.0 - cost / null_cost) if null_cost > 0 else 0.0
