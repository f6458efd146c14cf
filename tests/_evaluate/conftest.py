"""The table of orders that jobs are tested with."""

from tests._jobs.conftest import orders

__all__ = ["orders"]
