"""The command `modlearn`.

Exit codes: 0 success, 1 unusable data or model, 2 wrong usage, 130 interrupted, 143 terminated.
"""

from __future__ import annotations

import sys

INTERRUPTED = 130

try:
    import atexit
    import io
    import os
    import signal
    import traceback
    from contextlib import suppress
    from pathlib import Path
    from typing import NoReturn

    import click

    from modlearn._addresses import hide_passwords
    from modlearn.cli.commands import commands
    from modlearn.errors import OptionError
except KeyboardInterrupt:  # in the first moments, before `main` could catch it
    sys.stderr.write("Interrupted.\n")
    sys.exit(INTERRUPTED)

__all__ = ["main"]

UNUSABLE, WRONG_USAGE, TERMINATED = 1, 2, 143


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run a command; an error is one sentence on standard error and an exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal may not be able to show bars
    stopped: list[int] = []
    if arguments is None:
        # Registered first, so it runs last: temporary folders are removed before.
        atexit.register(_leave, stopped)
    terminated = _end_on_termination()
    typed = sys.argv[1:] if arguments is None else arguments
    if arguments is None:
        _hide_passwords_of_process(typed)
    try:
        code = commands.main(arguments, prog_name="modlearn", standalone_mode=False)
    except BaseException as error:
        # What was interrupted may have raised an error of its own.
        code = TERMINATED if terminated else _code_of(error, typed)
    if code in (INTERRUPTED, TERMINATED):
        stopped.append(code)
    sys.exit(code if isinstance(code, int) else 0)


def _hide_passwords_of_process(typed: list[str]) -> None:
    """Overwrite the passwords in addresses where Linux lists the arguments of a process."""
    hidden = {word: hide_passwords(word, [word]) for word in typed}
    if all(word == shown for word, shown in hidden.items()) or sys.platform != "linux":
        return
    import ctypes

    with suppress(OSError, ValueError, IndexError):
        # Fields 48 and 49 of the status say where the arguments are; the third follows the name.
        status = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
        start, end = int(status[45]), int(status[46])
        listed = ctypes.string_at(start, end - start)
        for word, shown in hidden.items():
            old, new = os.fsencode(word), os.fsencode(shown)
            listed = listed.replace(old, new[: len(old)].ljust(len(old)))
        ctypes.memmove(start, listed, len(listed))


def _end_on_termination() -> list[int]:
    """Let SIGTERM raise an exception, so that temporary files are removed; return its arrivals."""
    arrived: list[int] = []

    def end(signum: int, _: object) -> NoReturn:
        arrived.append(signum)
        sys.exit(TERMINATED)

    signal.signal(signal.SIGTERM, end)
    return arrived


def _leave(codes: list[int]) -> None:
    """End the program without the end of Python, in which threads inside a library may crash."""
    if not codes:
        return
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(codes[0])


def _code_of(error: BaseException, typed: list[str]) -> int:
    """Return the exit code of an error, and print what went wrong."""
    if isinstance(error, click.exceptions.Exit):
        return error.exit_code
    if isinstance(error, click.UsageError | ValueError | OSError):
        from modlearn.cli.hints import hinted

        error = hinted(error, typed, commands)
    if isinstance(error, click.ClickException):
        shown = io.StringIO()
        error.show(shown)
        click.echo(hide_passwords(shown.getvalue(), typed), err=True, nl=False)
        return error.exit_code
    if isinstance(error, click.Abort | KeyboardInterrupt):
        click.echo("Interrupted.", err=True)
        return INTERRUPTED
    if isinstance(error, Exception):
        return _report(error, typed)
    # click exits with 1 if nobody reads its output: `modlearn ... | head` is not an error
    return 0


def _report(error: Exception, typed: list[str]) -> int:
    """Print what went wrong, with the name of the exception unless the data is the cause."""
    debug = "--debug" in typed
    if debug:
        lines = "".join(traceback.format_exception(error))
        click.echo(hide_passwords(lines, typed), err=True, nl=False)
    expected = isinstance(error, ValueError | OSError | ImportError | MemoryError)
    text = error.as_command if isinstance(error, OptionError) else str(error)
    sentence = hide_passwords(" ".join(text.split()) or type(error).__name__, typed)
    if not expected:
        hint = "" if debug else " Run again with --debug for details."
        sentence = f"{type(error).__name__}: {sentence.rstrip('.')}.{hint}"
    click.echo(f"Error: {sentence}", err=True)
    # Its subclasses say that the data does not have what an option names.
    return WRONG_USAGE if type(error) is OptionError else UNUSABLE
