"""The table of orders that jobs are tested with, and summaries of reports."""

from tests._jobs.conftest import orders
from tests._show.conftest import summaries

__all__ = ["orders", "summaries"]
