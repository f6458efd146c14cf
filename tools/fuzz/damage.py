"""Damaged files: each is read or refused in a sentence, whatever happened to its bytes."""

import random
from pathlib import Path

import numpy as np
import pandas as pd

from tools.fuzz.formats import ZIPPED, as_file, damage_part
from tools.fuzz.tables import fit_and_predict

__all__ = ["attack", "damaged"]

PIECES = [
    b"\x00", b"\xff", b"\xef\xbb\xbf", b"\xff\xfe", b'"', b"'", b"\n", b"\r", b"\r\n", b",", b";",
    b"\t", b"{", b"}", b"[", b"\\", b"1" * 400, b"-" * 50, b'""' * 20, b"\xf0\x9f", b"NaN", b"PAR1",
    b"ARROW1", b"\x1f\x8b", b"9" * 5_000, b"(1-" * 100, b"\x80\x80\x80\x80",
]  # fmt: skip


def attack(seed: int, folder: Path) -> str:
    """Fit and predict a damaged file on the command line; return "refused" or "result"."""
    rng = random.Random(seed)
    path = as_file(_table(rng), rng, folder)
    content = path.read_bytes()
    if path.suffix in ZIPPED and rng.random() < 0.7:
        path.write_bytes(damage_part(content, lambda part: damaged(part, rng), rng))
    else:
        path.write_bytes(damaged(content, rng))
    return fit_and_predict(path, "y", rng, folder)


def _table(rng: random.Random) -> pd.DataFrame:
    n = rng.choice([2, 20, 60])
    frame = pd.DataFrame(
        {
            "x": [round(rng.random(), 3) for _ in range(n)],
            "color": [rng.choice(["red", "green", None]) for _ in range(n)],
            "day": [f"2020-01-{rng.randrange(1, 29):02d}" for _ in range(n)],
        }
    )
    return frame.assign(y=["yes" if x > 0.5 else "no" for x in frame["x"]])


def damaged(content: bytes, rng: random.Random) -> bytes:
    """Return bytes with flips, pieces put in, cut out or repeated, or the end cut off."""
    data = bytearray(content)
    used = np.flatnonzero(np.frombuffer(content, np.uint8))  # databases have long empty pages
    for _ in range(rng.choice([1, 1, 2, 3, 8])):
        if not data:
            break
        at = rng.randrange(len(data))
        if len(used) and rng.random() < 0.8:
            at = min(int(used[rng.randrange(len(used))]), len(data) - 1)
        to = min(len(data), at + rng.choice([1, 4, 64, len(data)]))
        match rng.randrange(7):
            case 0:
                data[at] ^= 1 << rng.randrange(8)
            case 1:
                data[at] = rng.choice([0, 0x7F, 0x80, 0xFF, rng.randrange(256)])
            case 2:
                del data[at:to]
            case 3:
                data[at:at] = rng.choice(PIECES)
            case 4:
                data[at:at] = data[at:to]
            case 5:
                data[at:to] = bytes(len(data[at:to]))
            case 6:
                del data[at:]
    return bytes(data)
