"""Cells that pass through: what predict does not use is written back as it was."""

import csv
import io
import random
import re
from decimal import Decimal, InvalidOperation
from functools import cache
from pathlib import Path

from tools.fuzz.command import FaultError, run, said

__all__ = ["attack"]

CELLS = [
    "", " ", "a", " a", "a ", "''", "'", '"', '""', 'a"b', "a,b", "a;b", "a\tb", "a\nb", "a\r\nb",
    "a\rb", "\n", "\r\n", "=1+1", "+1", "-1", "@a", "-", "NA", "nan", "NULL", "None", "01", "1.0",
    "1e5", "1,5", "0x10", "1_000", "é", "e\u0301", "日本", "🦆", "\u202e", "\u2028", "\ufeff", "\\",
    "\\n", "#a", "//", "2020-01-01", "31/01/2012", "12:30", "TRUE", "x" * 5_000, "9" * 30, "\x7f",
    "\x1b[31m", "<b>", "$1,234", "45%",
]  # fmt: skip
FORMULA = re.compile("[=+\\-@\t\r\uff1d\uff0b\uff0d\uff20]")
NUMBER = re.compile(r"[+-]?[0-9.,]*[0-9]([eE][+-]?[0-9]+)?%?")
NAMES = ["text", "a b", "=1+1", "a,b", 'say "no"', "日本", "-"]


def attack(seed: int, folder: Path) -> str:
    """Predict a CSV file and compare the cells that were not used; "result" or "refused"."""
    rng = random.Random(seed)
    n, encoding = rng.choice([1, 5, 60]), rng.choice(["utf-8", "utf-8-sig", "utf-16", "utf-8"])
    names = rng.sample(NAMES, rng.randrange(1, 4))
    some = rng.sample(CELLS, rng.randrange(2, len(CELLS)))
    rows = [[str(i / n), *(rng.choice(some) for _ in names)] for i in range(n)]
    end = rng.choice(["\n", "\r\n"])
    path, out = folder / "in.csv", folder / "out.csv"
    quoting = rng.choice([csv.QUOTE_ALL, csv.QUOTE_MINIMAL])
    with path.open("w", encoding=encoding, newline="") as file:
        delimiter = rng.choice([",", ",", ";", "\t"])
        writer = csv.writer(file, delimiter=delimiter, lineterminator=end, quoting=quoting)
        writer.writerows([["x", *names], *rows])
    (folder / "m.json").write_bytes(_model())
    escaped = rng.random() < 0.3
    more = ["--escape-formulas"] if escaped else []
    code, _ = said("predict", folder / "m.json", path, "-o", out, "-q", *more)
    if code:
        return "refused"
    with out.open(encoding="utf-8", newline="") as file:
        found = list(csv.reader(file))
    for expected, written in zip([["x", *names], *rows], found, strict=True):
        for old, new in zip(expected[1:], written[1 : 1 + len(names)], strict=True):
            if new != (_escaped(old) if escaped else old) and not _same_number(old, new):
                raise FaultError(f"{old[:80]!r} became {new[:80]!r}")
    return "result"


def _same_number(old: str, new: str) -> bool:
    """Whether two cells are one number: a column of numbers is written as numbers."""
    try:
        return Decimal(old) == Decimal(new)
    except InvalidOperation:
        return False


def _escaped(cell: str) -> str:
    is_formula = FORMULA.match(cell) and not NUMBER.fullmatch(cell)
    return f"'{cell}" if is_formula else cell


@cache
def _model() -> bytes:
    """A model of one number, on which the other columns have no influence."""
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        path, model = Path(name) / "t.csv", Path(name) / "m.json"
        text = io.StringIO("x,y\n" + "".join(f"{i / 60},{int(i > 30)}\n" for i in range(60)))
        path.write_text(text.getvalue())
        run("fit", path, "-t", "y", "-o", model, "--no-report", "-q")
        return model.read_bytes()
