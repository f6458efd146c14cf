"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["refuse_lost_folder", "whole_file", "write_whole"]


def refuse_lost_folder(path: Path) -> None:
    """Raise where a file could not be written for want of its folder."""
    if not path.parent.is_dir():
        raise FileNotFoundError(
            f"There is no folder {str(path.parent)!r} to write {path.name!r} to: create it first."
        )


def write_whole(path: Path, text: str) -> None:
    """Write a text to a file beside, which then takes the place of the old one."""
    with whole_file(path) as beside:
        beside.write_text(text, encoding="utf-8", newline="")


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Give an empty file beside the one that is meant; what is written to it replaces that one.

    If anything fails the old file stays; a process that is killed leaves a hidden ``.tmp`` behind.
    """
    refuse_lost_folder(path)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:100]}.", suffix=".tmp")
    os.close(handle)
    beside = Path(name)
    try:
        yield beside
        _make_durable(beside)
        _give_usual_rights(beside)
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _make_durable(path: Path) -> None:
    """Wait until the disk has a file: else a power cut could leave an empty one."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _give_usual_rights(path: Path) -> None:
    """Rights of a file that is opened the usual way; temporary ones are readable by one user."""
    mask = os.umask(0)
    os.umask(mask)
    path.chmod(0o666 & ~mask)
