"""The command `modlearn`.

Exit codes: 0 success, 1 unusable data or model, 2 wrong usage, 130 interrupted, 143 terminated.
"""

from __future__ import annotations

import signal
import sys
import traceback
from typing import NoReturn

import click

from modlearn.cli.commands import commands

__all__ = ["main"]

UNUSABLE, INTERRUPTED, TERMINATED = 1, 130, 143


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run a command; an error is one sentence on standard error and an exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal may not be able to show bars
    # Raise an exception, so that temporary files are removed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))
    debug = "--debug" in (sys.argv[1:] if arguments is None else arguments)
    try:
        code = commands.main(arguments, prog_name="modlearn", standalone_mode=False)
    except click.exceptions.Exit as end:
        code = end.exit_code
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("Interrupted.", err=True)
        code = INTERRUPTED
    except SystemExit as end:
        # click exits with 1 if nobody reads its output: `modlearn ... | head` is not an error
        code = TERMINATED if end.code == TERMINATED else 0
    except Exception as error:
        code = _report(error, debug)
    sys.exit(code if isinstance(code, int) else 0)


def _report(error: Exception, debug: bool) -> int:
    """Print what went wrong, with the name of the exception unless the data is the cause."""
    if debug:
        traceback.print_exception(error)
    expected = isinstance(error, ValueError | OSError | ImportError | MemoryError)
    sentence = " ".join(str(error).split()) or type(error).__name__
    if not expected:
        hint = "" if debug else " Run again with --debug for details."
        sentence = f"{type(error).__name__}: {sentence.rstrip('.')}.{hint}"
    click.echo(f"Error: {sentence}", err=True)
    return UNUSABLE
