"""The command `modlearn`."""

import click

__all__ = ["main"]


@click.group()
def main() -> None:
    """Predict a column of a table, and see which of the others tell about it."""
