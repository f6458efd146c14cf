"""The command line within this process, as an attack runs it."""

import contextlib
import io
import re
import signal
from typing import Any

from modlearn.cli import main

__all__ = ["FaultError", "refuse_odd_error", "run", "said"]

LONGEST = 1_500
"""Characters of an error that a person reads."""


class FaultError(AssertionError):
    """Something that must not happen."""


def run(*arguments: Any) -> bool:
    """Run a command: whether it succeeded. An error must be one sentence that names a cause."""
    return not said(*arguments)[0]


def said(*arguments: Any) -> tuple[int, str]:
    """Run a command; return its exit code and what it wrote to standard error."""
    errors = io.StringIO()
    before = signal.getsignal(signal.SIGTERM)
    try:
        with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(io.StringIO()):
            main([str(argument) for argument in arguments])
    except SystemExit as end:
        code = end.code
    finally:
        signal.signal(signal.SIGTERM, before)
    if code:
        refuse_odd_error(code, errors.getvalue())
    return int(code or 0), errors.getvalue()


def refuse_odd_error(code: Any, text: str) -> None:
    """Raise if an error is a traceback, too long, or names nothing that the user passed."""
    if code not in (1, 2):
        raise FaultError(f"exit code {code}: {text[:300]}")
    if len(text) > LONGEST:
        raise FaultError(f"an error of {len(text)} characters: {text[:300]}")
    if "Traceback" in text or "--debug" in text or not re.search(r"\w", text):
        raise FaultError(f"an internal error: {text[:300]}")
    if not re.search(r"['\"].+['\"]|--\w|Both \w+ and|besides the target", text, re.DOTALL):
        raise FaultError(f"names neither a file, a column nor an option: {text[:300]}")
