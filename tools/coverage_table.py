"""Print the lines that the tests reach, of the Python and of the Cython sources.

coverage.py has the Python lines. gcov has counts of the C that Cython made of its sources; a line
of theirs is reached when the C of its statement is. The tracing that Cython offers coverage.py
calls back at every line: after half an hour, a quarter of the tests was still to be run.
"""

import re
import subprocess
import sys
from collections import defaultdict
from itertools import groupby
from pathlib import Path

import coverage

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src"  # the generated C names its sources from here
BUILD = ROOT / "build" / "coverage"

SOURCE = re.compile(r' */\* "(.+)":\d+$')
STATEMENT = re.compile(r" *__Pyx_TraceLine\((\d+),")  # with linetrace, before the C of each


def python_lines():
    """Return {path: {line: reached}} of the Python sources."""
    measured = coverage.Coverage()
    measured.load()
    found = {}
    for path in map(Path, measured.get_data().measured_files()):
        if path.suffix == ".py":  # a template of the report runs as Python too
            _, statements, _, missing, _ = measured.analysis2(str(path))
            found[path] = dict.fromkeys(statements, True) | dict.fromkeys(missing, False)
    return found


def cython_lines():
    """Return {path: {line: reached}} of the Cython sources.

    A .pxd is in several C files; what one of them reaches is reached.
    """
    found = defaultdict(dict)
    for notes in BUILD.rglob("*.pyx.c.gcno"):
        for name, line, reached in statements(counted_c(notes)):
            path = SOURCES / name
            if path.is_file():  # Cython adds code of its own
                found[path][line] = reached or found[path].get(line, False)
    return found


def counted_c(notes):
    """Yield (count, code) of every line of C; the count is '-' where nothing can be executed."""
    gcov = ["gcov", "--stdout", notes]
    printed = subprocess.run(gcov, cwd=BUILD, check=True, capture_output=True, text=True).stdout
    for row in printed.splitlines():
        count, _, code = row.split(":", 2)
        yield count.strip(), code


def statements(counted):
    """Yield (source, line, reached) of every statement, by the first C counted after its mark."""
    source = line = None
    for count, code in counted:
        if named := SOURCE.match(code):
            source, line = named[1], None
        elif marked := STATEMENT.match(code):
            line = int(marked[1])
        if line and count != "-":
            yield source, line, count[0].isdigit()
            line = None


def shares(name, lines):
    """Return the statements, the missed ones and the share reached, as columns."""
    n_missed = len(lines) - sum(lines.values())
    share = 1 - n_missed / len(lines) if lines else 1
    return f"{name:42} {len(lines):6} {n_missed:6} {share:7.1%}"


def missed(lines):
    """Return the runs of statements that are not reached, as in ``12, 15-18``."""
    runs = [list(run) for reached, run in groupby(sorted(lines), lines.get) if not reached]
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs)


def together(found):
    """Return the lines of all files as if of one."""
    return {(path, line): reached for path in found for line, reached in found[path].items()}


def main():
    """Print a row per file of either kind, and the totals."""
    python, cython = python_lines(), cython_lines()
    for path in SOURCES.rglob("*.pyx"):
        if not any(cython[path].values()):
            sys.exit(f"No line of {path.relative_to(ROOT)} was counted.")
    print(f"{'Name':42} {'Stmts':>6} {'Miss':>6} {'Cover':>7}  Missing")
    for path, lines in sorted((python | cython).items()):
        print(f"{shares(str(path.relative_to(ROOT)), lines)}  {missed(lines)}".rstrip())
    for name, found in ("Python", python), ("Cython", cython), ("TOTAL", python | cython):
        print(shares(name, together(found)))


if __name__ == "__main__":
    main()
