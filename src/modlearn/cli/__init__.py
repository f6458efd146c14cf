"""The command `modlearn`: what it is called with, what it prints, and how it ends.

Exit codes: 0 done, 1 the data or the model was not usable, 2 wrong usage, 130 interrupted.
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
    """Run a command; an error is one sentence on standard error, and an exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal may know no bars
    # By an exception, so that what was written on the way is removed.
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
        # click ends with 1 where nobody reads on: `modlearn ... | head` is no error
        code = TERMINATED if end.code == TERMINATED else 0
    except Exception as error:
        code = _tell(error, debug)
    sys.exit(code if isinstance(code, int) else 0)


def _tell(error: Exception, debug: bool) -> int:
    """What went wrong in a sentence; anything but an error of the data comes with its kind."""
    if debug:
        traceback.print_exception(error)
    expected = isinstance(error, ValueError | OSError | ImportError | MemoryError)
    sentence = " ".join(str(error).split()) or type(error).__name__
    if not expected:
        hint = "" if debug else " Run again with --debug for the details."
        sentence = f"{type(error).__name__}: {sentence.rstrip('.')}.{hint}"
    click.echo(f"Error: {sentence}", err=True)
    return UNUSABLE
